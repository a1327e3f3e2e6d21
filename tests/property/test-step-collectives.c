/* However a collective is expanded and whatever network it runs on, the result is the same, and what the links carried
 * adds up. */
#include "../step-case.h"

#include <stdint.h>

typedef struct Row {
  const char *name, *grid;
  const char *network[3];
  TgEmbeddingKind embedding;
} Row;

static const Row rows[] = {
    {"summa", "4x4", {"torus:4x4", "hypercube:4", "ring:16"}, TG_ROWMAJOR},
    {"summa", "5x5", {"torus:5x5", "mesh:5x5", "full:25"}, TG_ROWMAJOR},
    {"summa", "4x4", {"hypercube:4", "hypercube:2", "hypercube:3"}, TG_GRAY},
    {"summa", "6x6", {"torus:3x4", "line:12", "switch:4*torus:3x3"}, TG_SNAKE},
    {"summa-panels", "3x7", {"torus:3x7", "full:21", "line:1"}, TG_ROWMAJOR},
    {"fox", "5x5", {"torus:5x5", "mesh:5x5", "ring:25"}, TG_ROWMAJOR},
    {"dns", "4x4x4", {"torus:4x4x4", "hypercube:6", "switch:64"}, TG_ROWMAJOR},
    {"dns", "3x3x3", {"torus:3x3x3", "mesh:3x9", "ring:27"}, TG_ROWMAJOR},
    {"cube3d", "5x5x5", {"torus:5x5x5", "full:125", "mesh:2x2x2"}, TG_ROWMAJOR},
    {"cannon25d", "6x6x3", {"torus:6x6x3", "full:108", "mesh:6x18"}, TG_ROWMAJOR},
    {"allgather", "5x5", {"torus:5x5", "mesh:5x5", "hypercube:5"}, TG_ROWMAJOR},
    {"agarwal3d", "2x3x4", {"torus:2x3x4", "ring:24", "switch:24"}, TG_ROWMAJOR},
    {"berntsen", "4x4x4", {"torus:4x4x4", "hypercube:6", "full:64"}, TG_ROWMAJOR},
    {"mod-pegmm", "7", {"ring:7", "line:7", "full:7"}, TG_ROWMAJOR},
    {"pegmm", "7", {"ring:7", "line:7", "full:7"}, TG_ROWMAJOR},
    {"dimma", "2x3", {"torus:2x3", "line:6", "full:6"}, TG_ROWMAJOR},
};

static const int64_t sizes[][3] = {{20, 23, 26}, {3, 2, 4}, {1, 1, 1}};

/** Loads by step and link: columns add up to the links' totals, rows to each step's hop bytes. */
static void expect_loads(const TgStepper *stepper) {
  const TgTrace *trace = tg_stepper_trace(stepper);
  const TgStepperCounts *counts = tg_stepper_counts(stepper);
  g_autofree int64_t *total = g_new0(int64_t, (gsize)MAX(trace->links, 1));
  int64_t messages = 0, bytes = 0, hop_bytes = 0;
  for (int64_t s = 0; s < trace->steps; s++) {
    int64_t load = 0;
    for (int64_t l = 0; l < trace->links; l++) {
      load += trace->link_bytes[s * trace->links + l];
      total[l] += trace->link_bytes[s * trace->links + l];
    }
    g_assert_cmpint(load, ==, trace->step[s].hop_bytes);
    messages += trace->step[s].messages;
    bytes += trace->step[s].bytes;
    hop_bytes += load;
  }
  g_assert_cmpint(messages, ==, counts->messages);
  g_assert_cmpint(bytes, ==, counts->bytes);
  g_assert_cmpint(hop_bytes, ==, counts->hop_bytes);
  g_assert_cmpmem(total, (gsize)trace->links * 8, tg_stepper_link_bytes(stepper), (gsize)trace->links * 8);
}

/** Hops without loads come from the distance, not from the route: both must agree. */
static void expect_same_hops(StepCase *test, const TgStepper *with_loads) {
  test->options.link_loads = false;
  g_autoptr(TgStepper) stepper = step_case_begin(test);
  step_case_finish(test, stepper);
  g_assert_null(tg_stepper_link_bytes(stepper));
  g_assert_cmpmem(tg_stepper_counts(stepper), sizeof(TgStepperCounts), tg_stepper_counts(with_loads),
                  sizeof(TgStepperCounts));
}

static void run(StepCase *test, const void *expected, gsize bytes, bool hops_too) {
  test->options.link_loads = true;
  g_autoptr(TgStepper) stepper = step_case_begin(test);
  memset(test->data[TG_MATRIX_C], 0x55, bytes);
  step_case_finish(test, stepper);
  if (memcmp(test->data[TG_MATRIX_C], expected, bytes) != 0)
    g_error("%s: %s changes the result", tg_name(&test->names, test->names.title),
            tg_collective_name(test->options.collective));
  expect_loads(stepper);
  if (hops_too) expect_same_hops(test, stepper);
}

static void test_row(gconstpointer data) {
  const Row *row = data;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  TgTopology network;
  TgError error;
  g_assert_true(step_case_bind(test, step_case_library(row->name), row->grid, ""));
  test->options.embedding = row->embedding;
  for (guint32 s = 0; s < G_N_ELEMENTS(sizes); s++) {
    step_case_fill(test, sizes[s][0], sizes[s][1], sizes[s][2], s % 2 ? TG_F64 : TG_F32, true, s);
    const gsize bytes = (gsize)(test->shape.m * test->shape.n * tg_element_bytes(test->options.element));
    test->options.network = NULL;
    test->options.collective = TG_COLLECTIVE_WHOLE;
    g_autoptr(TgStepper) whole = step_case_begin(test);
    step_case_finish(test, whole);
    g_assert_true(step_case_check(test).ok);
    g_assert_cmpint(tg_stepper_counts(whole)->hops, ==, 0);
    g_autofree void *expected = g_memdup2(test->data[TG_MATRIX_C], bytes);
    for (gsize i = 0; i < G_N_ELEMENTS(row->network); i++) {
      g_assert_true(tg_topology_parse(&network, row->network[i], &error));
      test->options.network = &network;
      for (int collective = 0; collective < TG_COLLECTIVES; collective++) {
        test->options.collective = (TgCollective)collective;
        run(test, expected, bytes, i == s);
      }
    }
  }
  step_case_clear(test);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path =
        g_strdup_printf("/step-collectives/%s/%s/%s", rows[i].name, rows[i].grid, tg_embedding_name(rows[i].embedding));
    g_test_add_data_func(path, &rows[i], test_row);
  }
  return g_test_run();
}
