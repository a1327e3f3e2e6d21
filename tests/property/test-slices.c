/* Nodes that stand for others change nothing: random schedules on three coordinates, predicted as usual and with a
 * straggler that is no slower than the others, for which nobody stands. */
#include "cost-case.h"
#include "slice.h"

enum { CASES = 6000 };

/* A statement that sends, or multiplies, along, across or regardless of some coordinates. */
static void draw_statement(GString *text, const char *indent) {
  static const char *const statements[] = {
      "move A to (i, j+1, k)",
      "move B to (i+2, j, k)",
      "move A to (i, j, k-1)",
      "move B to (i, j-i, k)",
      "move A to (i, j, k+j)",
      "move B to (i-k, j, k)",
      "move A to (i, (j*1)%q, k) where i == 0",
      "move B to (i, j, 0) where k == 1",
      "add B to (i+1, j, k) into D",
      "broadcast A along i from 0 into P",
      "broadcast B along j from k into P",
      "broadcast A along k from 0 into P",
      "broadcast A along k from i into P where j == 0",
      "allgather A along j into S",
      "allgather B along k into S",
      "reduce D along i to 0",
      "reduce D along k to 0 where j < 2",
      "D = A * B",
      "D = A * B where k == 0",
      "D = A * B where i == 0",
  };
  g_string_append_printf(text, "%s%s\n", indent, statements[g_test_rand_int_range(0, G_N_ELEMENTS(statements))]);
}

static char *draw_text(void) {
  GString *text = g_string_new("schedule t\ngrid i:p, j:q, k:r\nplace A(i, j*r+k), B(j*r+k, i) on (i,j,k)\n"
                               "place C(i,t) on (i,0,0) as C[t] for t in p\n");
  for (int parts = g_test_rand_int_range(1, 6); parts > 0; parts--) {
    const bool repeats = g_test_rand_int_range(0, 3) == 0;
    if (repeats) g_string_append(text, "repeat s in 3\n");
    for (int s = g_test_rand_int_range(1, 3); s > 0; s--) draw_statement(text, repeats ? "  " : "");
  }
  return g_string_free(text, FALSE);
}

static char *draw_network(const char *grid, gint64 processors) {
  switch (g_test_rand_int_range(0, 5)) {
  case 0:
    return g_strdup_printf("mesh:%s", grid);
  case 1:
    return g_strdup_printf("full:%d", (int)processors);
  case 2:
    return g_strdup_printf("hypercube:%d", (int)ceil(log2((double)processors)));
  case 3:
    return g_strdup_printf("ring:%d", (int)processors);
  default:
    return g_strdup_printf("torus:%s", grid);
  }
}

/* The text of the schedule, which the case names, is the caller's to free. */
static gboolean draw(CostCase *test, char **text_of) {
  TgError failure;
  TgCost cost;
  char *text = *text_of = draw_text();
  *test = (CostCase){.name = text, .embedding = TG_ROWMAJOR};
  test->grid = g_strdup_printf("%dx%dx%d", g_test_rand_int_range(1, 6), g_test_rand_int_range(1, 6),
                               g_test_rand_int_range(1, 5));
  if (!bound_from(&test->bound, text, test->grid, NULL)) g_error("%s\n%s", test->bound.error.message, text);
  const gint64 processors = tg_schedule_processors(&test->bound.schedule);
  test->network_text = draw_network(test->grid, processors);
  if (processors < 2 || !tg_topology_parse(&test->network, test->network_text, &failure)) return FALSE;
  const gint64 n = 600 * g_test_rand_int_range(1, 3);
  if (!tg_shape_init(&test->shape, &test->bound.schedule.computes, n, n, n, NULL)) return FALSE;
  random_machine(&test->machine);
  test->options =
      (TgCostOptions){.collective = (TgCollective)g_test_rand_int_range(TG_COLLECTIVE_BINOMIAL, TG_COLLECTIVES),
                      .as_executed = true,
                      .overlap = g_test_rand_bit(),
                      .buffers = g_test_rand_int_range(0, 4),
                      .explain = true,
                      .straggler = -1,
                      .straggler_factor = 1,
                      .element_bytes = 4};
  if (!predict_case(test, &test->shape, &test->machine, &test->options, &cost)) return FALSE;
  tg_cost_clear(&cost);
  return TRUE;
}

static gboolean is_sliced(const CostCase *test) {
  TgSlices slices;
  const TgSliceOf of = {&test->bound.schedule, &test->network, test->embedding, &test->machine, &test->options, false};
  tg_slices_find(&slices, &of);
  for (int c = 0; c < 3; c++)
    if (slices.comes_in[c] > 0) return TRUE;
  return FALSE;
}

static void expect_same(const CostCase *test, const TgCost *one, const TgCost *other) {
  const TgCostModel model = test->options.model;
  const double a = tg_cost_parts(one).products_s, b = tg_cost_parts(other).products_s;
  expect_alike(test, model, one, other);
  expect_holds(test, one->last_node == other->last_node, "last node", model, (double)one->last_node,
               (double)other->last_node);
  expect_holds(test, fabs(a - b) <= 1e-11 * one->time_s, "products of the last node", model, a, b);
}

static void test_random(void) {
  int sliced = 0;
  for (int done = 0; done < CASES;) {
    CostCase test;
    TgCost usual, each;
    g_autofree char *text = NULL;
    if (draw(&test, &text)) {
      test.options.model = (TgCostModel)(done++ % TG_COST_MODELS);
      sliced += is_sliced(&test);
      must_predict(&test, &test.shape, &test.machine, &test.options, &usual);
      test.options.straggler = 0;
      must_predict(&test, &test.shape, &test.machine, &test.options, &each);
      expect_same(&test, &usual, &each);
      tg_cost_clear(&usual);
      tg_cost_clear(&each);
    }
    clear_case(&test);
  }
  g_test_message("nodes stand for others in %d of %d", sliced, CASES);
  g_assert_cmpint(sliced, >=, CASES / 8);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/slices/random", test_random);
  return g_test_run();
}
