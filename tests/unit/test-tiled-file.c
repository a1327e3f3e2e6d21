/* Tiled files: where tiles are, and that nothing damaged is read. */
#include "tiled-file.h"

#include "checksum.h"
#include "counter-random.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static const TgTiling odd = {TG_F32, 37, 50, 16, 20};
static const TgTiledJob some = {42, 43};

typedef struct Folder {
  char *path, *file;
} Folder;

static void set_up(Folder *folder, gconstpointer unused) {
  (void)unused;
  folder->path = g_dir_make_tmp("tiled-XXXXXX", NULL);
  folder->file = g_build_filename(folder->path, "a.tg", NULL);
}

static void tear_down(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_unlink(folder->file);
  g_rmdir(folder->path);
  g_free(folder->file);
  g_free(folder->path);
}

static void fill(const TgTiling *tiling, const TgTile *tile, float *data) {
  for (int64_t i = 0; i < tile->rows * tile->columns; i++)
    data[i] = tg_random_uniform_f32(7, (uint64_t)(tile->number * tiling->tile_rows * tiling->tile_columns + i));
}

/* Each tile but those from `missing` on. */
static void write_tiles(TgTiledFile *file, int64_t missing) {
  const TgTiling *tiling = tg_tiled_file_tiling(file);
  g_autofree float *data = g_malloc(tg_tiling_tile(tiling, 0, 0).bytes);
  g_autoptr(GError) error = NULL;
  for (int64_t number = 0; number < missing; number++) {
    const TgTile tile = tg_tiling_tile(tiling, number / tg_tiling_across(tiling), number % tg_tiling_across(tiling));
    fill(tiling, &tile, data);
    g_assert_true(tg_tiled_file_write(file, &tile, data, &error));
  }
}

static void write_file(const Folder *folder, int64_t missing, bool finish) {
  g_autoptr(GError) error = NULL;
  const int descriptor = open(folder->file, O_RDWR | O_CREAT, 0666);
  g_autoptr(TgTiledFile) file = tg_tiled_file_begin(descriptor, folder->file, &odd, &some, &error);
  g_assert_no_error(error);
  write_tiles(file, missing);
  g_assert_true(finish ? tg_tiled_file_finish(file, &error) : tg_tiled_file_keep(file, &error));
  close(descriptor);
}

static void assert_fails(GError *error, const char *words) {
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, "a.tg"));
  if (!strstr(error->message, words)) g_error("%s", error->message);
  g_error_free(error);
}

/* Tiles follow each other without gaps but for the alignment, and cover the matrix. */
static void test_places(Folder *folder, gconstpointer unused) {
  uint64_t at = tg_tiling_header_bytes(&odd);
  int64_t elements = 0, number = 0;
  (void)folder, (void)unused;
  for (int64_t i = 0; i < tg_tiling_down(&odd); i++)
    for (int64_t j = 0; j < tg_tiling_across(&odd); j++) {
      const TgTile tile = tg_tiling_tile(&odd, i, j);
      g_assert_cmpint(tile.number, ==, number++);
      g_assert_cmpuint(tile.offset, ==, at);
      g_assert_cmpuint(tile.offset % TG_TILED_ALIGNMENT, ==, 0);
      g_assert_cmpuint(tile.stored_bytes % TG_TILED_ALIGNMENT, ==, 0);
      g_assert_cmpuint(tile.bytes, ==, (uint64_t)(tile.rows * tile.columns * 4));
      g_assert_cmpuint(tile.stored_bytes - tile.bytes, <, TG_TILED_ALIGNMENT);
      at += tile.stored_bytes;
      elements += tile.rows * tile.columns;
    }
  g_assert_cmpint(number, ==, tg_tiling_count(&odd));
  g_assert_cmpuint(tg_tiling_file_bytes(&odd), ==, at);
  g_assert_cmpint(elements, ==, odd.rows * odd.columns);
}

static void test_default_tiles(Folder *folder, gconstpointer unused) {
  const struct {
    int64_t rows, columns, tile_rows, tile_columns;
  } rows[] = {{100, 1000, 100, 128}, {131072, 131072, 128, 128}, {131073, 131072, 256, 256}, {1, 1 << 30, 1, 1024}};
  (void)folder, (void)unused;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const TgTiling tiling = tg_tiling_default(TG_F64, rows[i].rows, rows[i].columns);
    g_assert_cmpint(tiling.tile_rows, ==, rows[i].tile_rows);
    g_assert_cmpint(tiling.tile_columns, ==, rows[i].tile_columns);
    g_assert_true(tg_tiling_check(&tiling, NULL));
  }
}

static void test_wrong_tilings(Folder *folder, gconstpointer unused) {
  const TgTiling wrong[] = {{TG_F32, 0, 5, 1, 1},
                            {TG_F32, 5, 5, 6, 1},
                            {TG_F32, 5, 5, 1, 0},
                            {TG_F64, INT64_C(1) << 40, INT64_C(1) << 40, 1 << 20, 1 << 20},
                            {TG_F32, 1 << 20, 1 << 20, 1, 1}};
  (void)folder, (void)unused;
  for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(tg_tiling_check(&wrong[i], &error));
    g_assert_nonnull(error);
  }
}

static void test_round_trip(Folder *folder, gconstpointer unused) {
  g_autoptr(GError) error = NULL;
  (void)unused;
  write_file(folder, tg_tiling_count(&odd), true);
  g_autoptr(TgTiledFile) file = tg_tiled_file_open(folder->file, &error);
  g_assert_no_error(error);
  g_assert_cmpmem(tg_tiled_file_tiling(file), sizeof odd, &odd, sizeof odd);
  float expected[16 * 20], data[16 * 20];
  for (int64_t number = 0; number < tg_tiling_count(&odd); number++) {
    const TgTile tile = tg_tiling_tile(&odd, number / 3, number % 3);
    fill(&odd, &tile, expected);
    g_assert_true(tg_tiled_file_read(file, &tile, data, &error));
    g_assert_cmpmem(data, tile.bytes, expected, tile.bytes);
  }
}

static void test_not_finished(Folder *folder, gconstpointer unused) {
  GError *error = NULL;
  TgTiledJob job = {0};
  (void)unused;
  write_file(folder, 4, false);
  g_assert_null(tg_tiled_file_open(folder->file, &error));
  assert_fails(error, "incomplete");
  error = NULL;
  const int descriptor = open(folder->file, O_RDWR);
  g_autoptr(TgTiledFile) file = tg_tiled_file_resume(descriptor, folder->file, &job, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(job.product, ==, 42);
  g_assert_cmpuint(job.memory, ==, 43);
  for (int64_t number = 0; number < tg_tiling_count(&odd); number++) {
    const TgTile tile = tg_tiling_tile(&odd, number / 3, number % 3);
    g_assert_cmpint(tg_tiled_file_has(file, &tile), ==, number < 4);
  }
  write_tiles(file, tg_tiling_count(&odd));
  g_assert_true(tg_tiled_file_finish(file, &error));
  close(descriptor);
  g_autoptr(TgTiledFile) whole = tg_tiled_file_open(folder->file, &error);
  g_assert_no_error(error);
}

static bool reads_all(const char *path, GError **error) {
  float data[16 * 20];
  g_autoptr(TgTiledFile) file = tg_tiled_file_open(path, error);
  for (int64_t number = 0; file && number < tg_tiling_count(&odd); number++) {
    const TgTile tile = tg_tiling_tile(&odd, number / 3, number % 3);
    if (!tg_tiled_file_read(file, &tile, data, error)) return false;
  }
  return file != NULL;
}

static bool is_used(uint64_t byte) {
  if (byte < 88) return true; /* the header */
  if (byte >= 4096 && byte < 4096 + 8 * (uint64_t)tg_tiling_count(&odd)) return true;
  for (int64_t number = 0; number < tg_tiling_count(&odd); number++) {
    const TgTile tile = tg_tiling_tile(&odd, number / 3, number % 3);
    if (byte >= tile.offset && byte < tile.offset + tile.bytes) return true;
  }
  return false;
}

/* One wrong bit anywhere but in what fills the tiles up is found. */
static void test_flipped_bits(Folder *folder, gconstpointer unused) {
  int tried = 0;
  (void)unused;
  write_file(folder, tg_tiling_count(&odd), true);
  const int descriptor = open(folder->file, O_RDWR);
  for (uint64_t i = 0; tried < 500; i++) {
    const uint64_t byte = tg_random_bits(3, i) % (i % 4 ? tg_tiling_file_bytes(&odd) : 4200);
    uint8_t value;
    GError *error = NULL;
    if (!is_used(byte)) continue;
    tried++;
    g_assert_cmpint(pread(descriptor, &value, 1, (off_t)byte), ==, 1);
    const uint8_t wrong = value ^ (uint8_t)(1 << i % 8);
    g_assert_cmpint(pwrite(descriptor, &wrong, 1, (off_t)byte), ==, 1);
    if (reads_all(folder->file, &error)) g_error("byte %d: not found", (int)byte);
    assert_fails(error, "");
    g_assert_cmpint(pwrite(descriptor, &value, 1, (off_t)byte), ==, 1);
  }
  g_assert_true(reads_all(folder->file, NULL));
  close(descriptor);
}

/* A tile at another's place has the right elements, and is wrong all the same. */
static void test_swapped_tiles(Folder *folder, gconstpointer unused) {
  uint8_t one[16 * 20 * 4], other[16 * 20 * 4];
  GError *error = NULL;
  (void)unused;
  write_file(folder, tg_tiling_count(&odd), true);
  const TgTile a = tg_tiling_tile(&odd, 0, 0), b = tg_tiling_tile(&odd, 1, 1);
  const int descriptor = open(folder->file, O_RDWR);
  g_assert_cmpint(pread(descriptor, one, a.bytes, (off_t)a.offset), ==, (int)a.bytes);
  g_assert_cmpint(pread(descriptor, other, b.bytes, (off_t)b.offset), ==, (int)b.bytes);
  g_assert_cmpint(pwrite(descriptor, other, b.bytes, (off_t)a.offset), ==, (int)b.bytes);
  g_assert_cmpint(pwrite(descriptor, one, a.bytes, (off_t)b.offset), ==, (int)a.bytes);
  close(descriptor);
  g_assert_false(reads_all(folder->file, &error));
  assert_fails(error, "row 0, column 0");
}

static void test_other_files(Folder *folder, gconstpointer unused) {
  GError *error = NULL;
  (void)unused;
  g_assert_null(tg_tiled_file_open(folder->file, &error));
  assert_fails(error, "No such file");
  error = NULL;
  g_assert_true(g_file_set_contents(folder->file, "hello", -1, NULL));
  g_assert_null(tg_tiled_file_open(folder->file, &error));
  assert_fails(error, "unexpected end");
  error = NULL;
  char zeros[8192] = {0};
  g_assert_true(g_file_set_contents(folder->file, zeros, sizeof zeros, NULL));
  g_assert_null(tg_tiled_file_open(folder->file, &error));
  assert_fails(error, "not a tiled file");
  error = NULL;
  write_file(folder, tg_tiling_count(&odd), true);
  g_assert_cmpint(truncate(folder->file, (off_t)tg_tiling_file_bytes(&odd) - 1), ==, 0);
  g_assert_null(tg_tiled_file_open(folder->file, &error));
  assert_fails(error, "expected");
}

static void test_full_disk(Folder *folder, gconstpointer unused) {
  GError *error = NULL;
  (void)unused;
  const TgTiling large = tg_tiling_default(TG_F64, 1 << 26, 1 << 26);
  const int descriptor = open(folder->file, O_RDWR | O_CREAT, 0666);
  g_assert_null(tg_tiled_file_begin(descriptor, folder->file, &large, NULL, &error));
  assert_fails(error, "cannot write a file of");
  close(descriptor);
}

/* Files with the same elements are the same, and others are not. */
static void test_identity(Folder *folder, gconstpointer unused) {
  uint64_t identity[3];
  (void)unused;
  for (int i = 0; i < 3; i++) {
    g_autoptr(GError) error = NULL;
    write_file(folder, tg_tiling_count(&odd), true);
    if (i == 2) {
      float data[16 * 20] = {0};
      const TgTile tile = tg_tiling_tile(&odd, 1, 0);
      const int descriptor = open(folder->file, O_RDWR);
      g_autoptr(TgTiledFile) file = tg_tiled_file_begin(descriptor, folder->file, &odd, NULL, &error);
      write_tiles(file, tg_tiling_count(&odd));
      g_assert_true(tg_tiled_file_write(file, &tile, data, &error) && tg_tiled_file_finish(file, &error));
      close(descriptor);
    }
    g_autoptr(TgTiledFile) file = tg_tiled_file_open(folder->file, &error);
    identity[i] = tg_tiled_file_identity(file);
  }
  g_assert_cmpuint(identity[0], ==, identity[1]);
  g_assert_cmpuint(identity[0], !=, identity[2]);
}

static const struct {
  const char *name;
  void (*run)(Folder *folder, gconstpointer unused);
} cases[] = {{"places", test_places},
             {"default-tiles", test_default_tiles},
             {"wrong-tilings", test_wrong_tilings},
             {"round-trip", test_round_trip},
             {"not-finished", test_not_finished},
             {"flipped-bits", test_flipped_bits},
             {"swapped-tiles", test_swapped_tiles},
             {"other-files", test_other_files},
             {"full-disk", test_full_disk},
             {"identity", test_identity}};

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  if (tg_disk_lacks()) return g_print("1..0 # SKIP %s\n", tg_disk_lacks()), 0;
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/tiled-file/", cases[i].name, NULL);
    g_test_add(path, Folder, NULL, set_up, cases[i].run, tear_down);
  }
  return g_test_run();
}
