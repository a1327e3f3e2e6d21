/* Sweeps: times worked by hand, grids, crossovers, sizes for an efficiency, and what does not fit. */
#include "algo-library.h"
#include "sweep.h"

#include <math.h>
#include <string.h>

enum { SOURCES = 2 };

typedef struct Fixture {
  TgSchedule schedule[SOURCES];
  TgScheduleNames names[SOURCES];
  TgSweepSource source[SOURCES];
  TgSweepRequest request;
  TgSweep sweep;
} Fixture;

/* cannon and dns. alpha 10 s, beta 1 s a word of four bytes, a multiplication with its addition 1 s, nothing overlaps.
 */
static void set_up(Fixture *f, gconstpointer unused) {
  static const char machine[] = "[machine]\nname = test\nsource = test\n[link]\nlatency_s = 10\n"
                                "bandwidth_bytes_per_s = 4\n[processor]\nflops_per_s = 2\nmemory_bytes = 40\n";
  static const char *const names[SOURCES] = {"cannon", "dns"};
  TgError error;
  (void)unused;
  for (int s = 0; s < SOURCES; s++) {
    const TgLibraryEntry *entry = tg_library_find(names[s]), *formula = tg_library_formula(names[s]);
    g_assert_true(tg_schedule_parse(&f->schedule[s], &f->names[s], entry->text, entry->length, &error));
    f->source[s] = (TgSweepSource){.schedule = &f->schedule[s],
                                   .names = &f->names[s],
                                   .formula = tg_formula_parse(formula->text, formula->length, NULL)};
  }
  g_assert_true(tg_machine_parse(&f->request.machine, machine, strlen(machine), &error));
  f->request.n = g_array_new(FALSE, FALSE, sizeof(int64_t));
  f->request.p = g_array_new(FALSE, FALSE, sizeof(int64_t));
  f->request.options = (TgCostOptions){.element_bytes = 4, .straggler = -1};
}

static void tear_down(Fixture *f, gconstpointer unused) {
  (void)unused;
  tg_sweep_clear(&f->sweep);
  for (int s = 0; s < SOURCES; s++) tg_formula_free((TgFormula *)f->source[s].formula);
  g_array_unref(f->request.n);
  g_array_unref(f->request.p);
}

static void add(GArray *values, int64_t value) {
  g_array_append_val(values, value);
}

static void run(Fixture *f) {
  GError *error = NULL;
  tg_sweep_clear(&f->sweep);
  tg_sweep(&f->request, f->source, SOURCES, &f->sweep, &error);
  g_assert_no_error(error);
}

static void assert_cell(const Fixture *f, guint point, int source, const char *grid, double time_s) {
  const TgSweepCell *cell = tg_sweep_cell(&f->sweep, point, source);
  g_assert_null(cell->skipped);
  g_assert_cmpstr(cell->grid, ==, grid);
  g_assert_cmpfloat_with_epsilon(cell->time_s, time_s, 1e-9 * time_s);
}

/* n = 8, as in test-plan.c: cannon on 4x4 sends 8 messages of four words and multiplies 4 times for 8 s, on 8x8 it
 * sends 16 of one word and multiplies 8 times for 1 s; dns on 4x4x4 sends 8 of four words and multiplies once for 8 s.
 * There is no cube of 16 processors. */
static void test_by_hand(Fixture *f, gconstpointer unused) {
  int order[SOURCES];
  (void)unused;
  add(f->request.n, 8);
  add(f->request.p, 16);
  add(f->request.p, 64);
  run(f);
  assert_cell(f, 0, 0, "4x4", 8 * 14 + 4 * 8);
  assert_cell(f, 1, 0, "8x8", 16 * 11 + 8);
  assert_cell(f, 1, 1, "4x4x4", 8 * 14 + 8);
  const TgSweepCell *none = tg_sweep_cell(&f->sweep, 0, 1);
  g_assert_cmpstr(none->skipped, ==, "dns has no grid of 16 processors: its grid is i:q, j:q, k:q");
  g_assert_cmpint(tg_sweep_winner(&f->sweep, 0, -1), ==, 0);
  g_assert_cmpint(tg_sweep_winner(&f->sweep, 1, -1), ==, 1);
  tg_sweep_rank(&f->sweep, 0, order);
  g_assert_cmpint(order[0], ==, 0);
  tg_sweep_rank(&f->sweep, 1, order);
  g_assert_cmpint(order[0], ==, 1);
  g_assert_cmpuint(f->sweep.crossovers->len, ==, 1);
  const TgCrossover *crossover = &g_array_index(f->sweep.crossovers, TgCrossover, 0);
  g_assert_cmpint(crossover->fixed, ==, 8);
  g_assert_cmpint(crossover->before, ==, 0);
  g_assert_cmpint(crossover->last, ==, 16);
  g_assert_cmpint(crossover->at, ==, 64);
  g_assert_true(isnan(crossover->near));
}

/* Three blocks of four words are more than 40 bytes, of one word less. One processor needs 8 * 8 * 8 s. */
static void test_cells(Fixture *f, gconstpointer unused) {
  (void)unused;
  add(f->request.n, 8);
  add(f->request.p, 16);
  add(f->request.p, 64);
  run(f);
  const TgSweepCell *small = tg_sweep_cell(&f->sweep, 0, 0), *large = tg_sweep_cell(&f->sweep, 1, 0);
  g_assert_cmpfloat(small->memory.node_bytes, ==, 3 * 4 * 4);
  g_assert_false(small->memory.fits);
  g_assert_cmpfloat(large->memory.node_bytes, ==, 3 * 4);
  g_assert_true(large->memory.fits && large->proved);
  g_assert_cmpfloat_with_epsilon(small->efficiency, 512.0 / (16 * 144), 1e-9);
  g_assert_cmpstr(small->network, ==, "torus:4x4");
  g_assert_cmpint(small->parameters->count, >, 0);
  g_assert_true(isfinite(small->closed_form_s));
}

/* Blocks grow with n, and are counted without another proof: the words are those of a proof all the same. */
static void test_memory_grows(Fixture *f, gconstpointer unused) {
  (void)unused;
  add(f->request.n, 8);
  add(f->request.n, 16);
  add(f->request.n, 18);
  add(f->request.n, 32);
  add(f->request.p, 16);
  run(f);
  g_assert_true(f->sweep.along_n);
  g_assert_cmpint(tg_sweep_cell(&f->sweep, 1, 0)->memory.words, ==, 3 * 16);
  g_assert_cmpint(tg_sweep_cell(&f->sweep, 2, 0)->memory.words, ==, 3 * 25);
  g_assert_cmpint(tg_sweep_cell(&f->sweep, 3, 0)->memory.words, ==, 3 * 64);
}

/* The n that is found reaches the efficiency, and one block's rows less does not. */
static void test_efficiency(Fixture *f, gconstpointer unused) {
  int64_t ends[2];
  (void)unused;
  add(f->request.p, 16);
  add(f->request.p, 64);
  f->request.efficiency = 0.5;
  run(f);
  const int64_t n = tg_sweep_cell(&f->sweep, 0, 0)->n;
  g_assert_cmpint(n % 4, ==, 0);
  g_assert_cmpfloat(tg_sweep_cell(&f->sweep, 0, 0)->efficiency, >=, 0.5);
  const double growth = tg_sweep_growth(&f->sweep, 0, ends);
  g_assert_cmpfloat(growth, >, 1);
  g_assert_cmpfloat(growth, <, 2);
  g_assert_true(ends[0] == 16 && ends[1] == 64);
  f->request.efficiency = 0;
  add(f->request.n, n - 4);
  run(f);
  g_assert_cmpfloat(tg_sweep_cell(&f->sweep, 0, 0)->efficiency, <, 0.5);
}

static void assert_fails(Fixture *f, TgSimError code) {
  g_autoptr(GError) error = NULL;
  tg_sweep_clear(&f->sweep);
  g_assert_false(tg_sweep(&f->request, f->source, SOURCES, &f->sweep, &error));
  g_assert_error(error, TG_SIM_ERROR, (int)code);
}

static void test_errors(Fixture *f, gconstpointer unused) {
  (void)unused;
  add(f->request.p, 64);
  f->request.size[0] = f->request.size[1] = f->request.size[2] = 8;
  f->request.network = "mesh:2x2:3";
  assert_fails(f, TG_SIM_ERROR_BAD_INPUT);
  g_assert_cmpstr(f->sweep.fault.field, ==, "network");
  f->request.network = "hypercube";
  run(f);
  f->request.options.straggler = 64;
  assert_fails(f, TG_SIM_ERROR_BAD_INPUT);
  g_assert_cmpstr(f->sweep.fault.field, ==, "straggler");
  f->request.options.straggler = -1;
  f->request.memory_limit_bytes = 1;
  assert_fails(f, TG_SIM_ERROR_TOO_LARGE);
  g_assert_cmpfloat(f->sweep.fault.need_bytes, >, 1);
  f->request.memory_limit_bytes = 0;
  add(f->request.p, 16);
  assert_fails(f, TG_SIM_ERROR_BAD_INPUT);
}

static void add_test(const char *name, void (*test)(Fixture *, gconstpointer)) {
  g_test_add(name, Fixture, NULL, set_up, test, tear_down);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  add_test("/sweep/by-hand", test_by_hand);
  add_test("/sweep/cells", test_cells);
  add_test("/sweep/memory-grows", test_memory_grows);
  add_test("/sweep/efficiency", test_efficiency);
  add_test("/sweep/errors", test_errors);
  return g_test_run();
}
