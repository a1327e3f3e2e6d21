/* Translations of a torus change nothing where no ties decide: a schedule in which every processor does the same, and
 * one slower node. */
#include "cost-case.h"

/* Shifts along one axis at a time: a link is fed by the node before it and by the link before it, so that no two
 * messages that come to it at one instant are told apart by their sources. */
static void draw_shifts(CostCase *test, gint64 p, gint64 q) {
  GString *text = g_string_new("schedule t\ngrid i:p, j:q\nplace A(i,j), B(j,i) on (i,j)\n"
                               "place C(i,t) on (i,0) as C[t] for t in p\nrepeat s in 3\n  step \"s\"\n");
  g_autofree char *grid = g_strdup_printf("%dx%d", (int)p, (int)q);
  for (int s = g_test_rand_int_range(1, 5); s > 0; s--) {
    const char *matrix = g_test_rand_bit() ? "A" : "B";
    if (g_test_rand_bit()) g_string_append(text, "    D = A * B\n");
    if (g_test_rand_bit())
      g_string_append_printf(text, "    move %s to (i, j+%d)\n", matrix, g_test_rand_int_range(0, (gint32)q));
    else
      g_string_append_printf(text, "    move %s to (i+%d, j)\n", matrix, g_test_rand_int_range(0, (gint32)p));
  }
  g_string_append(text, "    D = A * B\n");
  if (!bound_from(&test->bound, text->str, grid, NULL)) g_error("%s\n%s", test->bound.error.message, text->str);
  test->name = g_intern_string(text->str);
  test->grid = g_steal_pointer(&grid);
  g_string_free(text, TRUE);
}

/* The one node that differs from the others stands elsewhere: all times stand elsewhere. */
static void check_translation(CostCase *test, gint64 p, gint64 q) {
  gint64 di = g_test_rand_int_range(0, (gint32)p), dj = g_test_rand_int_range(0, (gint32)q);
  for (TgCostModel model = 0; model < TG_COST_MODELS; model++) {
    TgCost here, there;
    TgCostOptions options = {.model = model,
                             .overlap = test->options.overlap,
                             .straggler = 0,
                             .straggler_factor = test->options.straggler_factor,
                             .element_bytes = 8};
    must_predict(test, &test->shape, &test->machine, &options, &here);
    options.straggler = di * q + dj;
    must_predict(test, &test->shape, &test->machine, &options, &there);
    for (gint64 n = 0; n < here.nodes; n++) {
      gint64 moved = (n / q + di) % p * q + (n % q + dj) % q;
      expect_holds(test, fabs(here.node_time_s[n] - there.node_time_s[moved]) <= 1e-9 * here.time_s, "translated",
                   model, here.node_time_s[n], there.node_time_s[moved]);
    }
    tg_cost_clear(&here);
    tg_cost_clear(&there);
  }
}

static void test_translations(void) {
  for (int i = 0; i < 300; i++) {
    CostCase test = {.options = {.overlap = g_test_rand_bit(), .straggler_factor = 1 + 3 * g_test_rand_double()}};
    gint64 p = g_test_rand_int_range(2, 8), q = g_test_rand_int_range(2, 8), n = p * q * 4;
    TgError failure;
    draw_shifts(&test, p, q);
    test.network_text = g_strdup_printf("torus:%dx%d", (int)p, (int)q);
    g_assert_true(tg_topology_parse(&test.network, test.network_text, &failure));
    g_assert_true(tg_shape_init(&test.shape, &test.bound.schedule.computes, n, n, n, NULL));
    random_machine(&test.machine);
    test.machine.link.duplex = test.machine.axis[0].duplex = TG_DUPLEX_FULL; /* the directions of a cable would meet */
    check_translation(&test, p, q);
    clear_case(&test);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/translations/torus", test_translations);
  return g_test_run();
}
