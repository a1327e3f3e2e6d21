/* What products take, found again by calibrations of an executor whose times are known. */
#include "fake-calibration.h"

/* Products of 8 rows, columns or inner elements take longer than the table of cubic ones says. */
static void thin_products(void) {
  reset_on_cpu(1);
  const double elements_per_s[] = {4e9, 5e9, 2e9};
  memcpy(fake.elements_per_s, elements_per_s, sizeof elements_per_s);
  g_autoptr(TgCalibration) found = calibrate(4, 4, TG_TRANSPORT_COPY);
  const TgMachine *machine = &found->machine;
  expect_near(machine->processor.a_elements_per_s, 4e9);
  expect_near(machine->processor.b_elements_per_s, 5e9);
  expect_near(machine->processor.c_elements_per_s, 2e9);
  expect_near(machine->processor.additions_per_s, 3e9);
  expect_link(machine);
  for (int r = 0; r < 4; r++) expect_near(machine->processor.rate.row[r].flops_per_s, 1e10);
  g_assert_cmpfloat(machine->residual, <, 1e-2); /* small ones with fewer elements count as none */
}

/* Products of many inner elements take longer, beside what their elements take. */
static void deep_products(void) {
  reset_on_cpu(1);
  const double elements_per_s[] = {4e9, 5e9, 2e9};
  memcpy(fake.elements_per_s, elements_per_s, sizeof elements_per_s);
  fake.deep = 1.25;
  g_autoptr(TgCalibration) found = calibrate(4, 4, TG_TRANSPORT_COPY);
  const TgMachine *machine = &found->machine;
  expect_near(machine->processor.a_elements_per_s, 4e9);
  expect_near(machine->processor.c_elements_per_s, 2e9);
  g_assert_cmpint(machine->processor.deep_rate.rows, ==, 3); /* of 16, 32 and 48 rows and columns */
  for (int r = 0; r < 3; r++) expect_near(machine->processor.deep_rate.row[r].flops_per_s, 1e10 / 1.25);
  expect_near(machine->processor.deep_rate.row[2].size, 96);
  const double thin_s = 4.0 * 48 * 48 / 4e9 + 4.0 * 48 * 48 / 5e9 - 3.0 * 48 * 48 / 2e9;
  expect_near(tg_machine_product_s(machine, 48, 48, 384), 2 * 48 * 48 * 384 * 1.25 / 1e10 + thin_s);
  g_assert_cmpfloat(machine->residual, <, 1e-2);
}

/* Products of blocks that do not stay in the cache take longer: of large blocks, no more than those of 64x64. */
static void blocks_from_outside_the_cache(void) {
  for (int capped = 0; capped < 2; capped++) {
    reset_on_cpu(2);
    fake.machine.processor = (TgMachineProcessor){
        .cache_bytes = 64e3 * pow(1.1, 8), .miss_bytes_per_s = 2e9, .miss_most_bytes = capped ? 64 * 64 * 4 : 0};
    g_autoptr(TgCalibration) found = calibrate(4, 4, TG_TRANSPORT_COPY);
    const TgMachineProcessor *processor = &found->machine.processor;
    expect_near(processor->cache_bytes, fake.machine.processor.cache_bytes);
    expect_near(processor->miss_bytes_per_s, 2e9);
    expect_near(processor->miss_most_bytes, capped ? 64 * 64 * 4 : 96 * 96 * 4);
    for (int r = 0; r < 4; r++) expect_near(processor->rate.row[r].flops_per_s, 1e10);
  }
}

/* A few rows or columns more than a kernel takes at a time take longer than as many others. */
static void rests_of_rows_and_columns(void) {
  reset_on_cpu(1);
  const double takes[2][4] = {{1.5, 5, 5.5, 8}, {4, 3.5, 4, 9}};
  memcpy(fake.takes, takes, sizeof takes);
  g_autoptr(TgCalibration) found = calibrate(4, 4, TG_TRANSPORT_COPY);
  const TgMachineProcessor *processor = &found->machine.processor;
  g_assert_cmpint(processor->rest_rows.pieces, ==, 4);
  g_assert_cmpint(processor->rest_columns.pieces, ==, 4);
  for (int i = 0; i < 4; i++) {
    expect_near(processor->rest_rows.takes[i], takes[0][i]);
    expect_near(processor->rest_columns.takes[i], takes[1][i]);
  }
  g_assert_cmpfloat(found->machine.residual, <, 1e-3);
  g_autofree char *text = tg_machine_text(&found->machine);
  g_assert_nonnull(strstr(text, "\nrest_rows = 1:1.5; 2:5; 4:5.5; 8:8\nrest_columns = 1:4; 2:3.5; 4:4; 8:9\n"));
}

/* The fewer are at work, the faster each is: 1.5 times for half of them, 2.25 times for a quarter. */
static void fewer_are_faster(void) {
  reset_on_cpu(4);
  fake.fewer = 1.5;
  g_autoptr(TgCalibration) found = calibrate(4, 4, TG_TRANSPORT_COPY);
  const TgMachineFewer *fewer = &found->machine.executor.speedup_with_fewer;
  g_assert_cmpint(fewer->rows, ==, 2);
  g_assert_true(fewer->row[0].at_once == 1 && fewer->row[1].at_once == 2);
  expect_near(fewer->row[0].speedup, 2.25);
  expect_near(fewer->row[1].speedup, 1.5);
  for (int r = 0; r < 4; r++) expect_near(found->machine.processor.rate.row[r].flops_per_s, 1e10);
  g_assert_cmpfloat(found->machine.residual, <, 1e-2);
  g_autofree char *text = tg_machine_text(&found->machine);
  g_assert_nonnull(strstr(text, "\nat_once = 4\nspeedup_with_fewer = 1:2.25; 2:1.5\n"));
}

/* 16 and 64 elements along a side do not fill tiles of 32 x 48; the rate of whole tiles is the same at all sizes. */
static void rates_are_of_whole_tiles(void) {
  reset((TgExecutorTraits){.fetches = true});
  fake.whole[0] = 32;
  fake.whole[1] = 48;
  g_autoptr(TgCalibration) found = calibrate(4, 4, TG_TRANSPORT_COPY);
  const TgMachine *machine = &found->machine;
  g_assert_true(machine->processor.tile_rows == 32 && machine->processor.tile_columns == 48);
  g_assert_cmpint(machine->processor.rate.rows, ==, 4);
  expect_near(machine->processor.rate.row[0].size, cbrt(32 * 48 * 16));
  expect_near(machine->processor.rate.row[2].size, cbrt(64 * 96 * 64));
  for (int r = 0; r < 4; r++) expect_near(machine->processor.rate.row[r].flops_per_s, 1e10);
  expect_link(machine);
  g_assert_cmpfloat(machine->residual, <, 1e-3);
  expect_near(tg_machine_product_s(machine, 40, 50, 60), 2.0 * 64 * 96 * 60 / 1e10);
  g_autofree char *text = tg_machine_text(machine);
  g_assert_nonnull(strstr(text, "\ntile_rows = 32\ntile_columns = 48\n"));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/calibration-products/thin-products", thin_products);
  g_test_add_func("/calibration-products/deep-products", deep_products);
  g_test_add_func("/calibration-products/blocks-from-outside-the-cache", blocks_from_outside_the_cache);
  g_test_add_func("/calibration-products/rests", rests_of_rows_and_columns);
  g_test_add_func("/calibration-products/fewer", fewer_are_faster);
  g_test_add_func("/calibration-products/whole-tiles", rates_are_of_whole_tiles);
  return g_test_run();
}
