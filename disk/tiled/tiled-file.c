#include "tiled-file.h"

#include "checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 1, BYTE_ORDER_MARK = 0x01020304 };

static const char magic[8] = "\x89TGTILE\n";

/* The file's first bytes; zeros follow up to the table, at TG_TILED_ALIGNMENT. */
typedef struct Header {
  char magic[8];
  uint32_t byte_order; /**< BYTE_ORDER_MARK, as the machine that wrote it has it */
  uint32_t version;
  uint32_t element_bytes; /**< 4: f32, 8: f64 */
  uint32_t finished;      /**< 0: some tiles may be missing */
  int64_t rows, columns, tile_rows, tile_columns;
  TgTiledJob job;
  uint64_t table; /**< checksum of the table when it is finished */
  uint64_t own;   /**< … and of the members before this one */
} Header;

struct TgTiledFile {
  char *path;
  int descriptor;
  bool owns;
  TgTiling tiling;
  TgTiledJob job;
  uint64_t *table; /**< a checksum for each tile, 0 where it is not written */
  uint64_t *kept;  /**< … as it is in the file; NULL in files that are read */
};

static bool cannot(const TgTiledFile *file, TgIoError code, const char *what, GError **error) {
  g_set_error(error, TG_IO_ERROR, code, "%s: cannot %s: %s", file->path, what, g_strerror(errno));
  return false;
}

static bool damaged(const TgTiledFile *file, const char *what, GError **error) {
  return TG_IO_FAIL(error, BAD_INPUT, "%s: %s", file->path, what);
}

/* The number of the tile is part of it, so that a tile at another's place is found. */
static uint64_t tile_checksum(const TgTile *tile, const void *data) {
  const uint64_t sum = tg_checksum(data, tile->bytes, (uint64_t)tile->number);
  return sum ? sum : 1;
}

static size_t table_bytes(const TgTiledFile *file) {
  return (size_t)tg_tiling_count(&file->tiling) * sizeof *file->table;
}

/* --- bytes -------------------------------------------------------------------------------------------------------- */

enum { MOST_AT_ONCE = 1 << 30 };

static bool read_at(const TgTiledFile *file, void *to, size_t bytes, uint64_t offset, GError **error) {
  for (size_t got = 0; got < bytes;) {
    const ssize_t piece =
        pread(file->descriptor, (char *)to + got, MIN(bytes - got, (size_t)MOST_AT_ONCE), (off_t)(offset + got));
    if (piece < 0 && errno == EINTR) continue;
    if (piece < 0) return cannot(file, TG_IO_ERROR_CANNOT_READ, "read", error);
    if (piece == 0) return damaged(file, "unexpected end of file", error);
    got += (size_t)piece;
  }
  return true;
}

static bool write_at(const TgTiledFile *file, const void *from, size_t bytes, uint64_t offset, GError **error) {
  for (size_t put = 0; put < bytes;) {
    const ssize_t piece = pwrite(file->descriptor, (const char *)from + put, MIN(bytes - put, (size_t)MOST_AT_ONCE),
                                 (off_t)(offset + put));
    if (piece < 0 && errno == EINTR) continue;
    if (piece < 0) return cannot(file, TG_IO_ERROR_CANNOT_WRITE, "write", error);
    put += (size_t)piece;
  }
  return true;
}

static bool sync_data(const TgTiledFile *file, GError **error) {
  int result;
  do result = fdatasync(file->descriptor);
  while (result != 0 && errno == EINTR);
  return result == 0 || cannot(file, TG_IO_ERROR_CANNOT_WRITE, "write", error);
}

/* --- the header --------------------------------------------------------------------------------------------------- */

static Header header_of(const TgTiledFile *file, bool finished) {
  Header header = {.byte_order = BYTE_ORDER_MARK,
                   .version = VERSION,
                   .element_bytes = (uint32_t)tg_element_bytes(file->tiling.type),
                   .finished = finished,
                   .rows = file->tiling.rows,
                   .columns = file->tiling.columns,
                   .tile_rows = file->tiling.tile_rows,
                   .tile_columns = file->tiling.tile_columns,
                   .job = {file->job.product, finished ? 0 : file->job.memory},
                   .table = finished ? tg_checksum(file->table, table_bytes(file), 0) : 0};
  memcpy(header.magic, magic, sizeof magic);
  header.own = tg_checksum(&header, offsetof(Header, own), 0);
  return header;
}

static bool write_header(const TgTiledFile *file, bool finished, GError **error) {
  const Header header = header_of(file, finished);
  return write_at(file, &header, sizeof header, 0, error);
}

static bool check_header(TgTiledFile *file, const Header *header, GError **error) {
  if (memcmp(header->magic, magic, sizeof magic) != 0)
    return damaged(file, "not a tiled file (.tg); `topogemm convert` makes one", error);
  if (header->byte_order != BYTE_ORDER_MARK)
    return damaged(file, "the file is from a machine with another byte order", error);
  if (header->version != VERSION)
    return TG_IO_FAIL(error, BAD_INPUT, "%s: format version %" PRIu32 " is not supported; expected %d", file->path,
                      header->version, VERSION);
  if (header->own != tg_checksum(header, offsetof(Header, own), 0))
    return damaged(file, "the header is damaged: its checksum does not match", error);
  file->tiling = (TgTiling){.type = header->element_bytes == 8 ? TG_F64 : TG_F32,
                            .rows = header->rows,
                            .columns = header->columns,
                            .tile_rows = header->tile_rows,
                            .tile_columns = header->tile_columns};
  if ((header->element_bytes != 4 && header->element_bytes != 8) || !tg_tiling_check(&file->tiling, NULL))
    return damaged(file, "the header has impossible values; write the file again", error);
  return true;
}

static bool check_size(const TgTiledFile *file, GError **error) {
  struct stat status;
  const uint64_t expected = tg_tiling_file_bytes(&file->tiling);
  if (fstat(file->descriptor, &status) != 0) return cannot(file, TG_IO_ERROR_CANNOT_READ, "read", error);
  if ((uint64_t)status.st_size == expected) return true;
  return TG_IO_FAIL(error, BAD_INPUT, "%s: the file has %" PRIu64 " bytes; expected %" PRIu64, file->path,
                    (uint64_t)status.st_size, expected);
}

/* The table is not trusted with memory before the file is known to be large enough for it. */
static bool read_table(TgTiledFile *file, GError **error) {
  if (!check_size(file, error)) return false;
  file->table = g_try_malloc(table_bytes(file));
  if (!file->table)
    return TG_IO_FAIL(error, TOO_LARGE, "%s: no memory for %zu bytes of checksums", file->path, table_bytes(file));
  return read_at(file, file->table, table_bytes(file), TG_TILED_ALIGNMENT, error);
}

static bool is_built(const TgTiledFile *file, GError **error) {
  return !tg_disk_lacks() || TG_IO_FAIL(error, BAD_INPUT, "%s: no tiled files: %s", file->path, tg_disk_lacks());
}

static TgTiledFile *file_new(const char *path, int descriptor) {
  TgTiledFile *file = g_new0(TgTiledFile, 1);
  file->path = g_strdup(path);
  file->descriptor = descriptor;
  return file;
}

static bool read_file(TgTiledFile *file, Header *header, GError **error) {
  return is_built(file, error) && read_at(file, header, sizeof *header, 0, error) &&
         check_header(file, header, error) && read_table(file, error);
}

static bool is_regular(const TgTiledFile *file, GError **error) {
  struct stat status;
  if (fstat(file->descriptor, &status) != 0) return cannot(file, TG_IO_ERROR_CANNOT_READ, "read", error);
  return S_ISREG(status.st_mode) || TG_IO_FAIL(error, CANNOT_READ, "%s: cannot read: not a regular file", file->path);
}

bool tg_tiled_path(const char *path) {
  return g_str_has_suffix(path, ".tg");
}

TgTiledFile *tg_tiled_file_open(const char *path, GError **error) {
  Header header;
  g_autoptr(TgTiledFile) file = file_new(path, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)); /* a pipe: do not wait */
  file->owns = true;
  if (file->descriptor < 0) {
    cannot(file, TG_IO_ERROR_CANNOT_READ, "read", error);
    return NULL;
  }
  if (!is_regular(file, error) || !read_file(file, &header, error)) return NULL;
  if (!header.finished)
    damaged(file, "the file is incomplete; run the command that writes it again", error);
  else if (header.table != tg_checksum(file->table, table_bytes(file), 0))
    damaged(file, "the table of checksums is damaged: its own checksum does not match", error);
  else
    return g_steal_pointer(&file);
  return NULL;
}

void tg_tiled_file_free(TgTiledFile *file) {
  if (!file) return;
  if (file->owns && file->descriptor >= 0) close(file->descriptor);
  g_free(file->path);
  g_free(file->table);
  g_free(file->kept);
  g_free(file);
}

const TgTiling *tg_tiled_file_tiling(const TgTiledFile *file) {
  return &file->tiling;
}

const char *tg_tiled_file_path(const TgTiledFile *file) {
  return file->path;
}

int tg_tiled_file_descriptor(const TgTiledFile *file) {
  return file->descriptor;
}

uint64_t tg_tiled_file_identity(const TgTiledFile *file) {
  TgTiledFile anonymous = *file;
  anonymous.job = (TgTiledJob){0};
  return header_of(&anonymous, true).own;
}

/* --- tiles -------------------------------------------------------------------------------------------------------- */

bool tg_tiled_file_has(const TgTiledFile *file, const TgTile *tile) {
  return file->table[tile->number] != 0;
}

bool tg_tiled_file_verify(const TgTiledFile *file, const TgTile *tile, const void *data, GError **error) {
  if (file->table[tile->number] == tile_checksum(tile, data)) return true;
  return TG_IO_FAIL(error, BAD_INPUT,
                    "%s: the tile at row %" PRId64 ", column %" PRId64 " (%" PRIu64 " bytes from byte %" PRIu64
                    ") is damaged: its checksum does not match; write the file again",
                    file->path, tile->row, tile->column, tile->bytes, tile->offset);
}

bool tg_tiled_file_read(const TgTiledFile *file, const TgTile *tile, void *data, GError **error) {
  return read_at(file, data, tile->bytes, tile->offset, error) && tg_tiled_file_verify(file, tile, data, error);
}

void tg_tiled_file_note(TgTiledFile *file, const TgTile *tile, const void *data) {
  file->table[tile->number] = tile_checksum(tile, data);
}

bool tg_tiled_file_write(TgTiledFile *file, const TgTile *tile, const void *data, GError **error) {
  if (!write_at(file, data, tile->bytes, tile->offset, error)) return false;
  tg_tiled_file_note(file, tile, data);
  return true;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static bool take_room(const TgTiledFile *file, GError **error) {
  const uint64_t bytes = tg_tiling_file_bytes(&file->tiling);
  const int number = posix_fallocate(file->descriptor, 0, (off_t)bytes);
  if (number == 0) return true;
  return TG_IO_FAIL(error, CANNOT_WRITE, "%s: cannot write a file of %" PRIu64 " bytes: %s", file->path, bytes,
                    g_strerror(number));
}

static bool begin(TgTiledFile *file, GError **error) {
  const size_t bytes = table_bytes(file);
  if (!is_built(file, error)) return false;
  file->table = g_try_malloc0(bytes);
  file->kept = g_try_malloc0(bytes);
  if (!file->table || !file->kept)
    return TG_IO_FAIL(error, TOO_LARGE, "%s: no memory for %zu bytes of checksums", file->path, 2 * bytes);
  if (ftruncate(file->descriptor, 0) != 0) return cannot(file, TG_IO_ERROR_CANNOT_WRITE, "write", error);
  return take_room(file, error) && write_header(file, false, error) && sync_data(file, error);
}

TgTiledFile *tg_tiled_file_begin(int descriptor, const char *path, const TgTiling *tiling, const TgTiledJob *job,
                                 GError **error) {
  g_autoptr(TgTiledFile) file = file_new(path, descriptor);
  file->tiling = *tiling;
  if (job) file->job = *job;
  if (!tg_tiling_check(tiling, error))
    g_prefix_error(error, "%s: ", path);
  else if (begin(file, error))
    return g_steal_pointer(&file);
  return NULL;
}

bool tg_tiled_file_is_begun(int descriptor) {
  static const char none[sizeof magic];
  char first[sizeof magic];
  return pread(descriptor, first, sizeof first, 0) == sizeof first && memcmp(first, none, sizeof none) != 0;
}

TgTiledFile *tg_tiled_file_resume(int descriptor, const char *path, TgTiledJob *job, GError **error) {
  Header header;
  g_autoptr(TgTiledFile) file = file_new(path, descriptor);
  if (!read_file(file, &header, error)) return NULL;
  file->job = *job = header.job;
  file->kept = g_malloc0(table_bytes(file)); /* so that all is written: what is there may not be on the disk */
  return g_steal_pointer(&file);
}

void tg_tiled_file_share(TgTiledFile *file) {
  memcpy(file->kept, file->table, table_bytes(file));
}

/* Writes only those entries of the table that have changed: the others may belong to another process. */
static bool write_table(TgTiledFile *file, GError **error) {
  const size_t entry = sizeof *file->table, count = table_bytes(file) / entry;
  for (size_t begin = 0, end; begin < count; begin = end + 1) {
    for (end = begin; end < count && file->table[end] != file->kept[end]; end++) continue;
    if (end == begin) continue;
    const size_t bytes = (end - begin) * entry;
    if (!write_at(file, file->table + begin, bytes, TG_TILED_ALIGNMENT + begin * entry, error)) return false;
    memcpy(file->kept + begin, file->table + begin, bytes);
  }
  return true;
}

bool tg_tiled_file_keep(TgTiledFile *file, GError **error) {
  return sync_data(file, error) && write_table(file, error) && sync_data(file, error);
}

bool tg_tiled_file_finish(TgTiledFile *file, GError **error) {
  if (!tg_tiled_file_keep(file, error) || !write_header(file, true, error)) return false;
  return fsync(file->descriptor) == 0 || cannot(file, TG_IO_ERROR_CANNOT_WRITE, "write", error);
}
