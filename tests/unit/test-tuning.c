/* What is kept about a machine: found again, for this card and driver alone; damage is an error in words. */
#include "cache-folder.h"
#include "tuning.h"

#include <string.h>

static const TgDevice card = {.name = "a [card]", .driver = 13000, .runtime = 13000};

static void test_keep(void) {
  TgTuned tuned = {.kernel = "tiles", .width = 8, .split = 4, .seconds = 1.5e-5}, found = {.width = -1};
  GError *error = NULL;
  TgDevice other = card;
  g_assert_true(tg_tuning_find(&card, "division f32 64x64x64", &found, &error)); /* there is no file yet */
  g_assert_cmpstr(found.kernel, ==, "");
  g_assert_true(tg_tuning_keep(&card, "division f32 64x64x64", &tuned, &error));
  g_assert_no_error(error);
  tuned.width = 16;
  g_assert_true(tg_tuning_keep(&card, "division f32 128x128x128", &tuned, &error));
  g_assert_true(tg_tuning_find(&card, "division f32 64x64x64", &found, &error));
  g_assert_cmpstr(found.kernel, ==, "tiles");
  g_assert_cmpint(found.width, ==, 8);
  g_assert_cmpint(found.split, ==, 4);
  g_assert_cmpfloat_with_epsilon(found.seconds, 1.5e-5, 1e-12);
  tuned.split = 1;
  g_assert_true(tg_tuning_keep(&card, "division f32 64x64x64", &tuned, &error));
  g_assert_true(tg_tuning_find(&card, "division f32 64x64x64", &found, &error));
  g_assert_cmpint(found.split, ==, 1);
  other.driver = 13010;
  g_assert_true(tg_tuning_find(&other, "division f32 64x64x64", &found, &error));
  g_assert_cmpstr(found.kernel, ==, "");
  g_assert_true(tg_tuning_find(&card, "division i32 64x64x64", &found, &error));
  g_assert_cmpstr(found.kernel, ==, "");
}

static void expect_damage(const char *text, const char *words) {
  g_autofree char *path = tg_tuning_path();
  GError *error = NULL;
  TgTuned found;
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  g_assert_false(tg_tuning_find(&card, "division f32 64x64x64", &found, &error));
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_FAILED);
  g_assert_true(g_str_has_prefix(error->message, path));
  if (!strstr(error->message, words) || !g_str_has_suffix(error->message, "; remove it, or use --no-cache"))
    g_error("`%s` lacks `%s`", error->message, words);
  g_clear_error(&error);
}

#define SECTION "[a  card , driver 13000, CUDA 13000]\ndivision f32 64x64x64="
static void test_damage(void) {
  const TgTuned tuned = {.kernel = "tiles", .width = 8};
  g_assert_true(tg_tuning_keep(&card, "division f32 8x8x8", &tuned, NULL)); /* makes the folder */
  expect_damage("no section\n", "cannot be read: ");
  expect_damage(SECTION "tiles 8\n", "`division f32 64x64x64 = tiles 8` is not KERNEL WIDTH SPLIT SECONDS");
  expect_damage(SECTION "tiles 8 x 1e-5\n", "is not KERNEL WIDTH SPLIT SECONDS");
  expect_damage(SECTION "tiles 8 4 soon\n", "is not KERNEL WIDTH SPLIT SECONDS");
  expect_damage(SECTION "tiles -8 4 1\n", "is not KERNEL WIDTH SPLIT SECONDS");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  char *folder = cache_folder_begin();
  g_test_add_func("/tuning/keep", test_keep);
  g_test_add_func("/tuning/damage", test_damage);
  int status = g_test_run();
  cache_folder_end(folder);
  return status;
}
