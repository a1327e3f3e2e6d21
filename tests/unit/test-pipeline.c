/* Products that stream from a disk, against numbers worked by hand from the paper's sets. Rates are round: disk 100
 * MB/s with 10 ms a request, PCIe 10 GB/s, 1 Tflop/s. */
#include "pipeline.h"

#include "sim-error.h"

#include <math.h>
#include <string.h>

enum { SET1 = 32768, SET4 = 65536 };

static const double gib = 1073741824.0;

static TgMachine machine_of(const char *more) {
  static const char base[] = "[machine]\nname = test\n[link]\nlatency_s = 0\nbandwidth_bytes_per_s = 1e9\n"
                             "[processor]\nflops_per_s = 1e12\nmemory_bytes = 17179869184\n"
                             "[disk]\nread_bytes_per_s = 1e8\nwrite_bytes_per_s = 1e8\nlatency_s = 0.01\n";
  static const char device[] = "[device]\nread_bytes_per_s = 1e10\nwrite_bytes_per_s = 1e10\n"
                               "capacity_bytes = 8589934592\n";
  g_autofree char *text = g_strconcat(base, strcmp(more, "plain") == 0 ? "" : device,
                                      strcmp(more, "cache") == 0 ? "[cache]\nread_bytes_per_s = 1e10\n"
                                                                   "write_bytes_per_s = 1e10\n"
                                                                   "capacity_bytes = 9663676416\n"
                                                                 : "",
                                      NULL);
  TgMachine machine;
  TgError error = {0};
  bool read = tg_machine_parse(&machine, text, strlen(text), &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_true(read);
  return machine;
}

static TgPipelineJob square(int64_t n, int64_t x, int64_t y, int64_t z) {
  return (TgPipelineJob){.m = n, .n = n, .k = n, .blocks = {x, y, z}, .element_bytes = 4, .pipelined = true};
}

static TgPipeline predict(const TgMachine *machine, const TgPipelineJob *job) {
  TgPipeline pipeline;
  GError *error = NULL;
  bool fine = tg_pipeline_predict(&pipeline, machine, job, &error);
  g_assert_no_error(error);
  g_assert_true(fine);
  return pipeline;
}

static void near(double value, double expected) {
  if (fabs(value - expected) <= 1e-9 * fabs(expected)) return;
  g_test_message("%.15g, expected %.15g", value, expected);
  g_test_fail();
}

/* Set 1: 2 (2^15)^3 / 2^13 elements with the paper's blocks; all of A and B once where a block of C is all of C. */
static void test_set_1(void) {
  TgMachine machine = machine_of("");
  TgPipelineJob job = square(SET1, 8192, 8192, 8192);
  TgPipeline paper = predict(&machine, &job);
  near(paper.read_bytes, 34359738368.0);
  near(paper.write_bytes, 4 * gib);
  near(paper.bound_bytes, 8 * gib); /* 2 n^3 / sqrt(2^31) is less than A and B */
  near(paper.block_bytes, 5 * 8192.0 * 8192 * 4);
  job.blocks = (TgProductBlocks){32768, 1024, 32768};
  TgPipeline wide = predict(&machine, &job);
  near(wide.read_bytes, 8589934592.0);
  near(wide.block_bytes, 4.5 * gib);
}

/* Set 4: 274.9 GB, 68.7 GB, and the bound of 2 (2^16)^3 / sqrt(2^31) = 2^33.5 elements, 48.6 GB. */
static void test_set_4(void) {
  TgMachine machine = machine_of("");
  TgPipelineJob job = square(SET4, 8192, 8192, 8192);
  near(predict(&machine, &job).read_bytes, 274877906944.0);
  job.blocks = (TgProductBlocks){32768, 1024, 32768};
  TgPipeline wide = predict(&machine, &job);
  near(wide.read_bytes, 68719476736.0);
  near(wide.bound_bytes, pow(2, 35.5));
  g_assert_cmpfloat(fabs(wide.bound_bytes - 48.6e9), <, 0.05e9);
}

/* 4 x 4 elements of 4 bytes in blocks of 2: two reads of A and of B, in 8 pairs of blocks of 16 bytes; C of 64 bytes in
 * 4 blocks. Disk 1e8: 256 / 1e8 + 16 * 0.01 and 64 / 1e8 + 4 * 0.01. PCIe 1e10. 128 flops at 1e12. */
static void test_stages(void) {
  TgMachine machine = machine_of("");
  TgPipelineJob job = square(4, 2, 2, 2);
  TgPipeline pipeline = predict(&machine, &job);
  double read = 256e-8 + 0.16, write = 64e-8 + 0.04, up = 256e-10, down = 64e-10, multiply = 128e-12;
  near(pipeline.stage_s[TG_TIER_STAGE_DISK_READ], read);
  near(pipeline.stage_s[TG_TIER_STAGE_DISK_WRITE], write);
  near(pipeline.stage_s[TG_TIER_STAGE_TO_DEVICE], up);
  near(pipeline.stage_s[TG_TIER_STAGE_FROM_DEVICE], down);
  near(pipeline.stage_s[TG_TIER_STAGE_MULTIPLY], multiply);
  g_assert_cmpint(pipeline.slowest, ==, TG_TIER_RESOURCE_DISK);
  near(pipeline.fill_s, up / 8 + multiply / 8 + down / 4);
  near(pipeline.time_s, read + write + pipeline.fill_s);
  job.pipelined = false;
  near(predict(&machine, &job).time_s, read + write + up + down + multiply);
}

/* From the host, 2e-9 flop/s * n against n bytes: multiplication decides, and with one buffer of C its copy, too. */
static void test_multiply_decides(void) {
  TgMachine machine = machine_of("");
  TgPipelineJob job = square(16384, 8192, 8192, 8192);
  job.a = job.b = job.c = TG_PLACE_HOST;
  TgPipeline one = predict(&machine, &job);
  double multiply = 2 * pow(2, 42) / 1e12, up = 4 * gib / 1e10, down = gib / 1e10;
  g_assert_cmpint(one.slowest, ==, TG_TIER_RESOURCE_MULTIPLY);
  near(one.resource_s[TG_TIER_RESOURCE_MULTIPLY], multiply + down);
  near(one.time_s, multiply + down + up / 8);
  job.double_c = true;
  near(predict(&machine, &job).time_s, multiply + up / 8 + down / 4);
  near(predict(&machine, &job).block_bytes, 6 * 8192.0 * 8192 * 4);
}

/* The cache holds 9 GiB; A and B of Set 1 are 4 GiB each. B's second, third and fourth reads are 4 GiB of B and two
 * rows of A, 2 GiB, apart; so 4 GiB of A and of B come from the disk, and three times as much from the cache. Of twice
 * the size B does not fit any more, a row of A and a column of B, 2 GiB each, do. */
static void test_cache(void) {
  TgMachine machine = machine_of("cache");
  TgPipelineJob job = square(SET1, 8192, 8192, 8192);
  job.a = job.b = TG_PLACE_CACHE;
  TgPipeline set1 = predict(&machine, &job);
  near(set1.bytes[TG_TIER_STAGE_DISK_READ], 8 * gib);
  near(set1.bytes[TG_TIER_STAGE_CACHE], 24 * gib);
  near(set1.bytes[TG_TIER_STAGE_TO_DEVICE], 32 * gib);
  job.warm_a = job.warm_b = true;
  near(predict(&machine, &job).bytes[TG_TIER_STAGE_DISK_READ], 0);
  job.warm_a = job.warm_b = false;
  machine.tier[TG_TIER_CACHE].capacity_bytes = 5 * gib; /* no room for B and the rows of A between two of its reads */
  near(predict(&machine, &job).bytes[TG_TIER_STAGE_DISK_READ], (4 + 16) * gib);
  machine = machine_of("cache");
  job = square(SET4, 8192, 8192, 8192);
  job.a = job.b = TG_PLACE_CACHE;
  job.warm_a = job.warm_b = true;
  TgPipeline set4 = predict(&machine, &job);
  near(set4.bytes[TG_TIER_STAGE_DISK_READ], 16 * gib + 8 * 16 * gib);
  near(set4.bytes[TG_TIER_STAGE_CACHE], 7 * 16 * gib);
}

/* 4 x 4 in blocks of 2: row by row a block of 16 bytes is two requests, of 1e-7 s, eight blocks of B in all. Where a
 * request takes 0.01 s it is read together with the 16 bytes beside it. Blocks as wide as the matrix are in one piece.
 */
static void test_by_rows(void) {
  TgMachine machine = machine_of("");
  TgPipelineJob job = square(4, 2, 2, 2);
  job.by_rows_b = true;
  machine.tier[TG_TIER_DISK].latency_s = 1e-7;
  near(predict(&machine, &job).stage_s[TG_TIER_STAGE_DISK_READ], 256e-8 + 16e-7 + 8e-7);
  machine.tier[TG_TIER_DISK].latency_s = 0.01;
  near(predict(&machine, &job).stage_s[TG_TIER_STAGE_DISK_READ], 256e-8 + 0.16 + 128e-8);
  job.by_rows_a = true;
  near(predict(&machine, &job).stage_s[TG_TIER_STAGE_DISK_READ], 256e-8 + 0.16 + 256e-8);
  job.blocks = (TgProductBlocks){2, 4, 4};
  near(predict(&machine, &job).stage_s[TG_TIER_STAGE_DISK_READ], (64 + 128) * 1e-8 + 0.04);
}

/* A sum on the disk is read before it is written; one that stays is neither. */
static void test_sums(void) {
  TgMachine machine = machine_of("");
  TgPipelineJob job = square(4096, 4096, 1024, 4096);
  job.adds = true;
  TgPipeline adds = predict(&machine, &job);
  near(adds.read_bytes, 3 * 4096.0 * 4096 * 4);
  near(adds.write_bytes, 4096.0 * 4096 * 4);
  job.c_stays = true;
  TgPipeline stays = predict(&machine, &job);
  near(stays.read_bytes, 2 * 4096.0 * 4096 * 4);
  near(stays.write_bytes, 0);
}

static void refused(const TgMachine *machine, const TgPipelineJob *job, TgSimError code, const char *words) {
  TgPipeline pipeline;
  g_autoptr(GError) error = NULL;
  g_assert_false(tg_pipeline_predict(&pipeline, machine, job, &error));
  g_assert_error(error, TG_SIM_ERROR, (int)code);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, words));
}

static void test_refusals(void) {
  TgMachine machine = machine_of(""), plain = machine_of("plain");
  TgPipelineJob job = square(SET4, 32768, 32768, 32768);
  refused(&machine, &job, TG_SIM_ERROR_TOO_LARGE, "need 2.147e+10 bytes of the device's memory, which has 8.59e+09");
  job = square(SET4, 8192, 8192, 8192);
  job.a = TG_PLACE_HOST;
  refused(&machine, &job, TG_SIM_ERROR_TOO_LARGE, "of the host's memory, which has 1.718e+10");
  job = square(64, 8, 8, 8);
  job.a = TG_PLACE_CACHE;
  refused(&machine, &job, TG_SIM_ERROR_BAD_INPUT, "no [cache]");
  job.a = TG_PLACE_DEVICE;
  refused(&plain, &job, TG_SIM_ERROR_BAD_INPUT, "no [device]");
  job = square(64, 8, 0, 8);
  refused(&machine, &job, TG_SIM_ERROR_BAD_INPUT, "8x0x8");
  job = square(64, 8, 8, 8);
  job.c_stays = true;
  refused(&machine, &job, TG_SIM_ERROR_BAD_INPUT, "cannot stay");
}

/* The plan reads no more than any of the blocks tried by hand, fits, and comes near the bound. */
static void test_plan(void) {
  TgMachine machine = machine_of("");
  TgPipelineJob job = square(SET1, 0, 0, 0);
  TgPipeline set1 = predict(&machine, &job);
  near(set1.read_bytes, 8 * gib);
  g_assert_cmpint(set1.blocks.x, ==, SET1);
  g_assert_cmpint(set1.blocks.y, <=, 4096);
  job = square(SET4, 0, 0, 0);
  TgPipeline set4 = predict(&machine, &job);
  g_assert_cmpfloat(set4.read_bytes, <=, 68719476736.0);
  g_assert_cmpfloat(set4.block_bytes, <=, 8 * gib);
  g_assert_cmpfloat(set4.read_bytes, <, 1.42 * set4.bound_bytes);
  machine.tier[TG_TIER_DISK].latency_s = 0; /* where time decides nothing, what is read does */
  for (int tier = 0; tier < TG_TIER_KINDS; tier++)
    machine.tier[tier].read_bytes_per_s = machine.tier[tier].write_bytes_per_s = INFINITY;
  g_assert_cmpfloat(predict(&machine, &job).read_bytes, <=, 68719476736.0);
}

/* Whatever the sizes: reads are at least compulsory, pipelined is between the slowest stage and the sum. */
static void test_always(void) {
  TgMachine machine = machine_of("cache");
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  for (int i = 0; i < 2000; i++) {
    TgPipelineJob job = {.m = g_rand_int_range(random, 1, 5000),
                         .n = g_rand_int_range(random, 1, 5000),
                         .k = g_rand_int_range(random, 1, 5000),
                         .element_bytes = 4,
                         .pipelined = true};
    job.blocks = (TgProductBlocks){g_rand_int_range(random, 1, 6000), g_rand_int_range(random, 1, 6000),
                                   g_rand_int_range(random, 1, 6000)};
    job.a = (TgPlace)g_rand_int_range(random, 0, 3);
    job.b = (TgPlace)g_rand_int_range(random, 0, 3);
    job.c = (TgPlace)g_rand_int_range(random, 0, 3);
    job.double_c = g_rand_boolean(random);
    job.by_rows_a = g_rand_boolean(random);
    job.by_rows_b = g_rand_boolean(random);
    job.warm_a = g_rand_boolean(random);
    job.warm_b = g_rand_boolean(random);
    TgPipeline on = predict(&machine, &job);
    job.pipelined = false;
    TgPipeline off = predict(&machine, &job);
    double slowest = 0, sum = 0;
    for (int s = 0; s < TG_TIER_STAGES; s++) slowest = fmax(slowest, on.stage_s[s]), sum += on.stage_s[s];
    near(off.time_s, sum);
    g_assert_cmpfloat(on.time_s, >=, slowest);
    g_assert_cmpfloat(on.time_s, <=, sum * (1 + 1e-12));
    g_assert_cmpfloat(on.read_bytes, >=, 4 * ((double)job.m * (double)job.k + (double)job.k * (double)job.n));
    g_assert_cmpfloat(on.bytes[TG_TIER_STAGE_DISK_READ] + on.bytes[TG_TIER_STAGE_CACHE], <=, on.read_bytes);
  }
}

static void test_names(void) {
  TgPlace place;
  TgError error;
  for (int p = 0; p < TG_PLACES; p++) {
    g_assert_true(tg_place_parse(tg_place_name((TgPlace)p), &place, &error));
    g_assert_cmpint(place, ==, p);
  }
  g_assert_false(tg_place_parse("tape", &place, &error));
  g_assert_cmpstr(tg_tier_stage_name(TG_TIER_STAGE_MULTIPLY), ==, "multiply");
  g_assert_cmpstr(tg_tier_resource_name(TG_TIER_RESOURCE_FROM_DEVICE), ==, "device to host");
}

/* 10 x 10 of C in blocks of 4 x 4, in tiles of 3 x 4: rows 6, 6 and 3, columns 4, 4 and 4, at the rate of a full block.
 */
static void test_tiles(void) {
  TgMachine machine = machine_of("");
  TgPipelineJob job = square(10, 4, 3, 4);
  job.k = 7;
  machine.processor.tile_rows = 3;
  machine.processor.tile_columns = 4;
  near(predict(&machine, &job).stage_s[TG_TIER_STAGE_MULTIPLY], 2 * 15 * 12 * 7 / 1e12);
  job.blocks = (TgProductBlocks){10, 7, 10};
  near(predict(&machine, &job).stage_s[TG_TIER_STAGE_MULTIPLY], 2 * 12 * 12 * 7 / 1e12);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/pipeline/set-1", test_set_1);
  g_test_add_func("/pipeline/set-4", test_set_4);
  g_test_add_func("/pipeline/stages", test_stages);
  g_test_add_func("/pipeline/tiles", test_tiles);
  g_test_add_func("/pipeline/multiply-decides", test_multiply_decides);
  g_test_add_func("/pipeline/cache", test_cache);
  g_test_add_func("/pipeline/by-rows", test_by_rows);
  g_test_add_func("/pipeline/sums", test_sums);
  g_test_add_func("/pipeline/refusals", test_refusals);
  g_test_add_func("/pipeline/plan", test_plan);
  g_test_add_func("/pipeline/always", test_always);
  g_test_add_func("/pipeline/names", test_names);
  return g_test_run();
}
