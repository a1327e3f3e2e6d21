/* Products of tiled files: every way to carry one out gives the exact product, in the memory and the transfers that it
 * states. */
#include "huge.h"

#include "blas.h"
#include "checksum.h"
#include "counter-random.h"
#include "disk-queue.h"
#include "sim-error.h"
#include "tiled-matrix.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 4, SEED_A = 1, SEED_B = 2 };

typedef struct Folder {
  char *path, *a, *b, *c, *part;
} Folder;

static void set_up(Folder *folder, gconstpointer unused) {
  (void)unused;
  folder->path = g_dir_make_tmp("huge-XXXXXX", NULL);
  folder->a = g_build_filename(folder->path, "a.tg", NULL);
  folder->b = g_build_filename(folder->path, "b.tg", NULL);
  folder->c = g_build_filename(folder->path, "c.tg", NULL);
  folder->part = g_strconcat(folder->c, ".part", NULL);
}

static void tear_down(Folder *folder, gconstpointer unused) {
  char **paths[] = {&folder->a, &folder->b, &folder->c, &folder->part};
  (void)unused;
  for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
    g_unlink(*paths[i]);
    g_free(*paths[i]);
  }
  g_rmdir(folder->path);
  g_free(folder->path);
}

static void generate(const char *path, TgTiling tiling, uint64_t seed) {
  g_autoptr(GError) error = NULL;
  g_assert_true(tg_tiled_generate(path, &tiling, seed, LARGEST, NULL, &error));
}

static double element(uint64_t seed, int64_t columns, int64_t row, int64_t column) {
  return tg_random_integer(seed, (uint64_t)(row * columns + column), -LARGEST, LARGEST);
}

/* Whole numbers, whose sums are exact. */
static void assert_product(const char *path, int64_t k, int64_t n) {
  g_autoptr(GError) error = NULL;
  g_autoptr(TgTiledFile) file = tg_tiled_file_open(path, &error);
  g_assert_no_error(error);
  const TgTiling *tiling = tg_tiled_file_tiling(file);
  g_autofree void *data = g_malloc(tg_tiling_tile(tiling, 0, 0).bytes);
  for (int64_t i = 0; i < tg_tiling_count(tiling); i++) {
    const TgTile tile = tg_tiling_tile(tiling, i / tg_tiling_across(tiling), i % tg_tiling_across(tiling));
    g_assert_true(tg_tiled_file_read(file, &tile, data, &error));
    for (int64_t e = 0; e < tile.rows * tile.columns; e++) {
      const int64_t row = tile.row + e / tile.columns, column = tile.column + e % tile.columns;
      const double value = tiling->type == TG_F64 ? ((double *)data)[e] : (double)((float *)data)[e];
      double expected = 0;
      for (int64_t l = 0; l < k; l++) expected += element(SEED_A, k, row, l) * element(SEED_B, n, l, column);
      g_assert_cmpfloat(value, ==, expected);
    }
  }
}

static int64_t draw(uint64_t seed, uint64_t index, int64_t least, int64_t most) {
  return tg_random_integer(seed, index, (int32_t)least, (int32_t)most);
}

static TgTiling random_tiling(TgElement type, int64_t rows, int64_t columns, int64_t tile_rows, int64_t tile_columns) {
  return (TgTiling){type, rows, columns, MIN(tile_rows, rows), MIN(tile_columns, columns)};
}

/* The least memory for these files: what the refusal of less names. */
static double least_memory(const TgHugeOptions *options) {
  TgHugeOptions little = *options;
  TgHugeResult result;
  g_autoptr(GError) error = NULL;
  little.memory_bytes = 1;
  g_assert_false(tg_huge_multiply(&little, &result, &error));
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE);
  const char *words = strstr(error->message, "at least ");
  g_assert_nonnull(words);
  return 1e6 * g_ascii_strtod(words + strlen("at least "), NULL);
}

/* Some tiles of the files each way. */
static TgProductBlocks random_blocks(const TgHugeOptions *options, uint64_t seed) {
  g_autoptr(TgTiledFile) a = tg_tiled_file_open(options->a, NULL), b = tg_tiled_file_open(options->b, NULL);
  const TgTiling *left = tg_tiled_file_tiling(a), *right = tg_tiled_file_tiling(b);
  return (TgProductBlocks){left->tile_rows * draw(seed, 12, 1, 3), right->tile_rows * draw(seed, 13, 1, 2),
                           right->tile_columns * draw(seed, 14, 1, 3)};
}

/* --- an accelerator ----------------------------------------------------------------------------------------------- */

/* It computes as late as possible: when a chunk is waited for. */
struct TgMultiplier {
  TgMultiplierJob job;
  char *c;
  TgMultiplierChunk chunk[2];
  int64_t begun, finished;
};

static TgMultiplier *late_open(const TgMultiplierJob *job, TgError *error) {
  TgMultiplier *late = g_new0(TgMultiplier, 1);
  (void)error;
  late->job = *job;
  late->c = g_malloc((gsize)job->panel_bytes);
  memset(late->c, 0xff, (gsize)job->panel_bytes);
  return late;
}

static bool late_use(TgMultiplier *late, void *memory, int64_t bytes, TgError *error) {
  (void)late, (void)memory, (void)error;
  return bytes > 0;
}

static bool late_begin(TgMultiplier *late, int64_t number, const TgMultiplierChunk *chunk, TgError *error) {
  const int64_t e = tg_element_bytes(late->job.element);
  (void)error;
  g_assert_cmpint(number, ==, late->begun++);
  g_assert_cmpint(late->begun - late->finished, <=, 2);
  g_assert_cmpint(chunk->rows * chunk->inner * e, <=, late->job.a_bytes);
  g_assert_cmpint(chunk->inner * chunk->columns * e, <=, late->job.b_bytes);
  g_assert_cmpint((chunk->c_row + chunk->rows) * chunk->columns * e, <=, late->job.panel_bytes);
  late->chunk[number % 2] = *chunk;
  return true;
}

static bool late_finish(TgMultiplier *late, int64_t number, double *product_s, TgError *error) {
  const TgMultiplierChunk *chunk = &late->chunk[number % 2];
  const int64_t e = tg_element_bytes(late->job.element), bytes = chunk->rows * chunk->columns * e;
  char *c = late->c + chunk->c_row * chunk->columns * e;
  const TgBlock left = tg_block_of((void *)chunk->a, chunk->rows, chunk->inner);
  const TgBlock right = tg_block_of((void *)chunk->b, chunk->inner, chunk->columns);
  (void)error;
  g_assert_cmpint(number, ==, late->finished++);
  if (chunk->first) memset(c, 0, (gsize)bytes);
  if (late->job.element == TG_F64)
    tg_blas_multiply_add_f64(c, &left, &right);
  else
    tg_blas_multiply_add_f32(c, &left, &right);
  if (chunk->result) memcpy(chunk->result, c, (gsize)bytes);
  *product_s += 1e-9;
  return true;
}

static void late_close(TgMultiplier *late) {
  g_assert_cmpint(late->begun, ==, late->finished);
  g_free(late->c);
  g_free(late);
}

static const TgMultiplierKind late_multiplier = {"late", late_open, late_use, late_begin, late_finish, late_close};

static void try_random(Folder *folder, uint64_t seed) {
  const TgElement type = draw(seed, 0, 0, 1) ? TG_F64 : TG_F32;
  const int64_t m = draw(seed, 1, 1, 150), n = draw(seed, 2, 1, 150), k = draw(seed, 3, 1, 150);
  const int64_t inner = draw(seed, 4, 5, 60);
  TgHugeResult result;
  g_autoptr(GError) error = NULL;
  TgHugeOptions options = {.a = folder->a,
                           .b = folder->b,
                           .c = folder->c,
                           .cached = draw(seed, 5, 0, 1),
                           .sequential = draw(seed, 6, 0, 2) == 0,
                           .threads = draw(seed, 7, 0, 1),
                           .multiplier = draw(seed, 15, 0, 2) ? NULL : &late_multiplier,
                           .device_bytes = 1e9};
  generate(folder->a, random_tiling(type, m, k, draw(seed, 8, 3, 60), inner), SEED_A);
  generate(folder->b, random_tiling(type, k, n, inner * draw(seed, 9, 1, 2), draw(seed, 10, 3, 60)), SEED_B);
  options.memory_bytes = 1e9;
  if (draw(seed, 11, 0, 2)) options.blocks = random_blocks(&options, seed);
  if (!tg_huge_multiply(&options, &result, &error)) g_error("seed %d: %s", (int)seed, error->message);
  g_assert_cmpfloat(result.disk_read_bytes, ==, result.model_read_bytes);
  g_assert_cmpfloat(result.disk_written_bytes, ==, result.model_written_bytes);
  g_assert_false(g_file_test(folder->part, G_FILE_TEST_EXISTS));
  assert_product(folder->c, k, n);
  double relative_error = NAN;
  g_assert_true(tg_huge_check(folder->a, folder->b, folder->c, seed, 0, NULL, &relative_error, &error));
  g_assert_cmpfloat(relative_error, ==, 0);
}

static void test_random(Folder *folder, gconstpointer unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 60; seed++) try_random(folder, seed);
}

/* Panels are many where memory is little. */
static void test_little_memory(Folder *folder, gconstpointer unused) {
  TgHugeOptions options = {.a = folder->a, .b = folder->b, .c = folder->c};
  TgHugeResult little, much;
  g_autoptr(GError) error = NULL;
  (void)unused;
  generate(folder->a, random_tiling(TG_F32, 400, 300, 16, 16), SEED_A);
  generate(folder->b, random_tiling(TG_F32, 300, 500, 16, 16), SEED_B);
  /* A program that grows may come to the next unit in which its own memory is counted. */
  for (int tries = 0; tries < 10; tries++) {
    g_clear_error(&error);
    options.memory_bytes = least_memory(&options);
    if (tg_huge_multiply(&options, &little, &error)) break;
  }
  g_assert_no_error(error);
  assert_product(folder->c, 300, 500);
  options.memory_bytes = 1e9;
  g_assert_true(tg_huge_multiply(&options, &much, &error));
  g_assert_cmpint(little.panels, >, 3);
  g_assert_cmpint(much.panels, ==, 1);
  g_assert_cmpfloat(little.disk_read_bytes, >, 1.5 * much.disk_read_bytes);
}

static const TgProductBlocks small = {32, 16, 48}; /* many panels and steps */

typedef struct Stop {
  int64_t at;
} Stop;

static bool go_on(void *user, int64_t done) {
  return done < ((Stop *)user)->at;
}

/* Stopped at every chunk, and gone on with: panels that were complete are not computed again. */
static void test_going_on(Folder *folder, gconstpointer unused) {
  Stop stop = {.at = 1};
  TgHugeOptions options = {.a = folder->a, .b = folder->b, .c = folder->c, .memory_bytes = 1e9, .blocks = small};
  TgHugeResult result;
  int64_t resumed = 0, calls = 0;
  (void)unused;
  generate(folder->a, random_tiling(TG_F64, 100, 64, 16, 16), SEED_A);
  generate(folder->b, random_tiling(TG_F64, 64, 120, 16, 16), SEED_B);
  options.watch = (TgWatch){go_on, &stop};
  for (;; calls++) {
    g_autoptr(GError) error = NULL;
    if (tg_huge_multiply(&options, &result, &error)) break;
    g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_STOPPED);
    g_assert_cmpint(result.panels_resumed, >=, resumed);
    resumed = result.panels_resumed;
    stop.at += 3;
  }
  g_assert_cmpint(calls, >, 3);
  g_assert_cmpint(result.panels_resumed, >, 0);
  assert_product(folder->c, 64, 120);
}

/* Inputs that are others now. */
static void test_changed_input(Folder *folder, gconstpointer unused) {
  Stop stop = {.at = 3};
  TgHugeOptions options = {
      .a = folder->a, .b = folder->b, .c = folder->c, .memory_bytes = 1e9, .blocks = small, .watch = {go_on, &stop}};
  TgHugeResult result;
  GError *error = NULL;
  (void)unused;
  generate(folder->a, random_tiling(TG_F64, 100, 64, 16, 16), SEED_A);
  generate(folder->b, random_tiling(TG_F64, 64, 120, 16, 16), SEED_B);
  g_assert_false(tg_huge_multiply(&options, &result, &error));
  g_clear_error(&error);
  generate(folder->b, random_tiling(TG_F64, 64, 120, 16, 16), SEED_B + 1);
  g_assert_false(tg_huge_multiply(&options, &result, &error));
  g_assert_nonnull(strstr(error->message, "remove it to start again"));
  g_clear_error(&error);
}

/* Tiles whose checksums are on the disk and that are not, as after a power failure: computed again. */
static void test_lost_writes(Folder *folder, gconstpointer unused) {
  Stop stop = {.at = 1};
  TgHugeOptions options = {
      .a = folder->a, .b = folder->b, .c = folder->c, .memory_bytes = 1e9, .blocks = small, .watch = {go_on, &stop}};
  TgHugeResult result;
  (void)unused;
  generate(folder->a, random_tiling(TG_F64, 100, 64, 16, 16), SEED_A);
  generate(folder->b, random_tiling(TG_F64, 64, 120, 16, 16), SEED_B);
  for (int64_t round = 0;; round++) {
    g_autoptr(GError) error = NULL;
    if (tg_huge_multiply(&options, &result, &error)) break;
    const TgTiling c = {TG_F64, 100, 120, 16, 16};
    const TgTile tile = tg_tiling_tile(&c, round % 7, round % 8);
    const char zeros[TG_TILED_ALIGNMENT] = {0};
    const int descriptor = open(folder->part, O_RDWR);
    g_assert_cmpint(pwrite(descriptor, zeros, tile.bytes, (off_t)tile.offset), ==, (int)tile.bytes);
    close(descriptor);
    stop.at += 5;
  }
  assert_product(folder->c, 64, 120);
}

/* A second run on the same output, from within the first one. */
static bool try_other(void *user, int64_t done) {
  TgHugeOptions other = *(const TgHugeOptions *)user;
  TgHugeResult result;
  g_autoptr(GError) error = NULL;
  (void)done;
  other.watch = (TgWatch){0};
  g_assert_false(tg_huge_multiply(&other, &result, &error));
  g_assert_nonnull(strstr(error->message, "another run"));
  return true;
}

static void test_two_runs(Folder *folder, gconstpointer unused) {
  TgHugeOptions options = {.a = folder->a, .b = folder->b, .c = folder->c, .memory_bytes = 1e9};
  TgHugeResult result;
  g_autoptr(GError) error = NULL;
  (void)unused;
  generate(folder->a, random_tiling(TG_F32, 60, 60, 16, 16), SEED_A);
  generate(folder->b, random_tiling(TG_F32, 60, 60, 16, 16), SEED_B);
  options.watch = (TgWatch){try_other, &options};
  g_assert_true(tg_huge_multiply(&options, &result, &error));
  assert_product(folder->c, 60, 60);
}

/* One wrong bit in a tile of an input, whichever. */
static void test_damaged_input(Folder *folder, gconstpointer unused) {
  TgHugeOptions options = {.a = folder->a, .b = folder->b, .c = folder->c, .memory_bytes = 1e9};
  const TgTiling tiling = random_tiling(TG_F32, 60, 60, 16, 16);
  (void)unused;
  generate(folder->a, tiling, SEED_A);
  generate(folder->b, tiling, SEED_B);
  for (uint64_t i = 0; i < 50; i++) {
    const TgTile tile = tg_tiling_tile(&tiling, draw(5, 3 * i, 0, 3), draw(5, 3 * i + 1, 0, 3));
    const off_t at = (off_t)(tile.offset + tg_random_bits(5, 3 * i + 2) % tile.bytes);
    const char *path = i % 2 ? folder->a : folder->b;
    const int descriptor = open(path, O_RDWR);
    TgHugeResult result;
    g_autoptr(GError) error = NULL;
    g_autofree char *place = g_strdup_printf("from byte %" G_GUINT64_FORMAT, tile.offset);
    uint8_t value;
    g_assert_cmpint(pread(descriptor, &value, 1, at), ==, 1);
    value ^= (uint8_t)(1 << i % 8);
    g_assert_cmpint(pwrite(descriptor, &value, 1, at), ==, 1);
    g_assert_false(tg_huge_multiply(&options, &result, &error));
    if (!strstr(error->message, path) || !strstr(error->message, place)) g_error("%s", error->message);
    value ^= (uint8_t)(1 << i % 8);
    g_assert_cmpint(pwrite(descriptor, &value, 1, at), ==, 1);
    close(descriptor);
  }
}

static void test_wrong_shapes(Folder *folder, gconstpointer unused) {
  TgHugeOptions options = {.a = folder->a, .b = folder->b, .c = folder->c, .memory_bytes = 1e9};
  TgHugeResult result;
  GError *error = NULL;
  (void)unused;
  generate(folder->a, random_tiling(TG_F32, 60, 60, 16, 16), SEED_A);
  generate(folder->b, random_tiling(TG_F32, 61, 60, 16, 16), SEED_B);
  g_assert_false(tg_huge_multiply(&options, &result, &error));
  g_assert_nonnull(strstr(error->message, "60x60"));
  g_clear_error(&error);
  generate(folder->b, random_tiling(TG_F64, 60, 60, 16, 16), SEED_B);
  g_assert_false(tg_huge_multiply(&options, &result, &error));
  g_assert_nonnull(strstr(error->message, "elements of f32"));
  g_clear_error(&error);
  g_assert_false(g_file_test(folder->part, G_FILE_TEST_EXISTS));
}

/* A wrong product is found, and so is one wrong element. */
static void test_check_finds(Folder *folder, gconstpointer unused) {
  const TgTiling tiling = random_tiling(TG_F64, 60, 60, 16, 16);
  double relative_error = 0;
  g_autoptr(GError) error = NULL;
  (void)unused;
  generate(folder->a, tiling, SEED_A);
  generate(folder->b, tiling, SEED_B);
  generate(folder->c, tiling, SEED_B);
  g_assert_true(tg_huge_check(folder->a, folder->b, folder->c, 1, 0, NULL, &relative_error, &error));
  g_assert_cmpfloat(relative_error, >, 0.5);
}

/* The transfers of a queue, in whatever order they end, are those that were asked for. */
static void test_queue(Folder *folder, gconstpointer unused) {
  enum { DEPTH = 8, PIECE = 8192, PIECES = 50 };
  (void)unused;
  for (int threads = 0; threads <= 1; threads++) {
    g_autoptr(GError) error = NULL;
    char *area = g_aligned_alloc(DEPTH, PIECE, 4096);
    const int descriptor = open(folder->c, O_RDWR | O_CREAT | O_TRUNC, 0666);
    for (int writes = 1; writes >= 0; writes--) {
      g_autoptr(TgDiskQueue) queue = tg_disk_queue_new(DEPTH, area, DEPTH * PIECE, threads, &error);
      g_assert_no_error(error);
      int of[DEPTH], begun = 0, ended = 0;
      while (ended < PIECES) {
        int number = tg_disk_queue_active(queue), problem;
        if (begun >= DEPTH || begun == PIECES) {
          number = tg_disk_queue_wait(queue, &problem);
          g_assert_cmpint(problem, ==, 0);
          ended++;
          for (int i = 0; !writes && i < PIECE; i++) g_assert_cmpint(area[number * PIECE + i], ==, (char)of[number]);
        }
        if (begun == PIECES) continue;
        of[number] = begun;
        memset(area + number * PIECE, writes ? begun : -1, PIECE);
        tg_disk_queue_begin(
            queue, number,
            &(TgDiskTransfer){descriptor, writes, area + number * PIECE, PIECE, (uint64_t)begun * PIECE});
        begun++;
      }
    }
    close(descriptor);
    g_aligned_free(area);
  }
}

static void test_queue_failures(Folder *folder, gconstpointer unused) {
  (void)unused;
  for (int threads = 0; threads <= 1; threads++) {
    g_autoptr(GError) error = NULL;
    char *area = g_aligned_alloc(1, 4096, 4096);
    const int descriptor = open(folder->c, O_RDWR | O_CREAT | O_TRUNC, 0666);
    g_autoptr(TgDiskQueue) queue = tg_disk_queue_new(1, area, 4096, threads, &error);
    int problem;
    tg_disk_queue_begin(queue, 0, &(TgDiskTransfer){descriptor, false, area, 4096, 0});
    g_assert_cmpint(tg_disk_queue_wait(queue, &problem), ==, 0);
    g_assert_cmpint(problem, ==, ENODATA);
    tg_disk_queue_begin(queue, 0, &(TgDiskTransfer){-1, false, area, 4096, 0});
    tg_disk_queue_wait(queue, &problem);
    g_assert_cmpint(problem, ==, EBADF);
    close(descriptor);
    g_clear_pointer(&queue, tg_disk_queue_free);
    g_aligned_free(area);
  }
}

static const struct {
  const char *name;
  void (*run)(Folder *folder, gconstpointer unused);
} cases[] = {{"random", test_random},
             {"little-memory", test_little_memory},
             {"going-on", test_going_on},
             {"changed-input", test_changed_input},
             {"lost-writes", test_lost_writes},
             {"two-runs", test_two_runs},
             {"damaged-input", test_damaged_input},
             {"wrong-shapes", test_wrong_shapes},
             {"check-finds", test_check_finds},
             {"queue", test_queue},
             {"queue-failures", test_queue_failures}};

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  if (tg_disk_lacks()) return g_print("1..0 # SKIP %s\n", tg_disk_lacks()), 0;
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/huge/", cases[i].name, NULL);
    g_test_add(path, Folder, NULL, set_up, cases[i].run, tear_down);
  }
  return g_test_run();
}
