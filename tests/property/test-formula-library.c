/* The closed forms of the library: each parses, needs nothing that a run does not give, has the dimensions of a time,
 * is what its source states at values worked by hand, keeps its efficiency along its isoefficiency, and where it counts
 * what the schedule sends its words are those that the proof measures. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "algo-library.h"
#include "formula.h"
#include "prove.h"
#include "../schedule-text.h"

typedef struct Form {
  Bound bound;
  TgFormula *formula;
  TgFormulaValues values; /**< of the bound schedule, at α = β = hop = element_bytes = flops_per_s = 1 */
} Form;

static Form form;

static void load(const char *name, const char *grid, const char *settings) {
  g_autoptr(GError) error = NULL;
  const TgLibraryEntry *entry = tg_library_formula(name);
  g_assert_nonnull(entry);
  if (!bound_from_library(&form.bound, name, grid, settings)) g_error("%s: %s", name, form.bound.error.message);
  g_clear_pointer(&form.formula, tg_formula_free);
  form.formula = tg_formula_parse(entry->text, entry->length, &error);
  if (!form.formula) g_error("algo/%s.formula:%s", name, error->message);
  form.values = (TgFormulaValues){0};
  tg_formula_values_schedule(&form.values, &form.bound.schedule, &form.bound.names, &error);
  tg_formula_values_machine(&form.values, 1, 1, 1, 1, 1, &error);
  g_assert_no_error(error);
}

static void set(const char *name, double value) {
  g_assert_true(tg_formula_values_set(&form.values, name, value, NULL));
}

static double evaluate(TgFormulaQuantity quantity) {
  g_autoptr(GError) error = NULL;
  double value = NAN;
  tg_formula_evaluate(form.formula, quantity, &form.values, &value, &error);
  if (error) g_error("algo/%s.formula:%s", tg_formula_name(form.formula), error->message);
  return value;
}

static double communication(double latency_s, double word_s) {
  set("alpha", latency_s);
  set("beta", word_s);
  set("hop", 0);
  return evaluate(TG_FORMULA_COMMUNICATION);
}

static void set_sizes(int64_t m, int64_t n, int64_t k) {
  g_assert_true(tg_formula_values_sizes(&form.values, m, n, k, NULL));
}

/* A grid and settings each closed form is valid on; m = n = k = 64. All closed forms are here. */
static const struct {
  const char *name, *grid, *settings;
  double messages, words; /**< by hand: the coefficients of α and β */
} cases[] = {
    {"agarwal3d", "2x4x8", NULL, 6, 3. / 4 * 4096 / 16 + 1. / 2 * 4096 / 32 + 7. / 8 * 4096 / 8},
    {"allgather", "4x4", NULL, 4, 2 * 4096. / 4},
    {"allgather-gemm", "8", NULL, 7, 7 * 512},
    {"berntsen", "4x4x4", NULL, 8 + 2, 3 * 4096. / 16},
    {"cannon", "4x4", NULL, 8, 8 * 256},
    {"cannon-gray", "4x4", NULL, 8, 8 * 256},
    {"cannon25d", "8x8x2", NULL, 8 + 3, 11 * 64},
    {"cosma", "2x4x8", "h=3", 3 * 3 + 3, 3. / 4 * 4096 / 16 + 1. / 2 * 4096 / 32 + 7. / 8 * 4096 / 8},
    {"cube3d", "4x4x4", NULL, 6, 6 * 256},
    {"dimma", "2x3", "h=2", 12 * 2 + 3 + 5, 12 * (2048. / 12 + 4096. / 36) + 3 * 2048. / 12 + 5 * 4096. / 36},
    {"dns", "4x4x4", NULL, 6, 6 * 256},
    {"dns-rounds", "4x4x4", NULL, 6, 6 * 256},
    {"fox", "4x4", NULL, 4 * 2, 8 * 256},
    {"gemm-reducescatter", "8", NULL, 7, 7 * 512},
    {"mmt", "8", NULL, 7, 7 * 512},
    {"mod-pegmm", "8", NULL, 3 + 3 + 7, 512 * 7 + 512 * 7 + 7 * 512},
    {"pegmm", "8", NULL, 3 + 3, 512 * 7 + 4096 * 3},
    {"ring", "8", NULL, 7, 7 * 512},
    {"summa", "4x4", NULL, 8 * 2, 16 * 256},
    {"summa-panels", "4x8", "b=2", (16 + 13) + (16 + 5), (16 + 13) * 4 * 16 + (16 + 5) * 4 * 8},
    {"summa-panels", "1x8", NULL, 8 + 13, (8 + 13) * 64 * 8},
    {"summa-panels", "2x1", NULL, 2, 2 * 32 * 64},
};

static void load_case(size_t c) {
  load(cases[c].name, cases[c].grid, cases[c].settings);
  set_sizes(64, 64, 64);
}

static void assert_near(const char *what, double value, double expected) {
  if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
    g_error("%s: %s is %.17g, expected %.17g", tg_formula_name(form.formula), what, value, expected);
}

static void values_by_hand(void) {
  for (size_t c = 0; c < G_N_ELEMENTS(cases); c++) {
    g_autoptr(GError) error = NULL;
    load_case(c);
    if (!tg_formula_check(form.formula, &form.values, &error)) g_error("%s: %s", cases[c].name, error->message);
    assert_near("messages", communication(1, 0), cases[c].messages);
    assert_near("words", communication(0, 1), cases[c].words);
    const double processors = (double)tg_schedule_processors(&form.bound.schedule);
    assert_near("compute", evaluate(TG_FORMULA_COMPUTE), 2. * 64 * 64 * 64 / processors);
  }
}

static bool is_case(const char *name) {
  for (size_t c = 0; c < G_N_ELEMENTS(cases); c++)
    if (strcmp(cases[c].name, name) == 0) return true;
  return false;
}

/* No closed form escapes these tests, and each is called what its file is called. */
static void all_are_here(void) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) {
    const TgLibraryEntry *formula = tg_library_formula(entries[i].name);
    g_assert_true((formula != NULL) == is_case(entries[i].name));
    if (!formula) continue;
    g_autoptr(TgFormula) parsed = tg_formula_parse(formula->text, formula->length, NULL);
    g_assert_nonnull(parsed);
    g_assert_cmpstr(formula->name, ==, entries[i].name);
    g_assert_cmpstr(tg_formula_name(parsed), ==, entries[i].name);
    g_assert_cmpuint(strlen(formula->text), ==, formula->length);
    g_assert_nonnull(tg_formula_text(parsed, TG_FORMULA_ASSUMES));
  }
  static const char *const absent[] = {"", "cannon ", "transpose", "zzz", "cannon.formula"};
  for (size_t i = 0; i < G_N_ELEMENTS(absent); i++) g_assert_null(tg_library_formula(absent[i]));
}

/* A name that a `let` gives would hide the schedule's parameter of that name. */
static void lets_hide_nothing(void) {
  for (size_t c = 0; c < G_N_ELEMENTS(cases); c++) {
    load_case(c);
    const TgLibraryEntry *entry = tg_library_formula(cases[c].name);
    for (int i = 0; i < form.bound.schedule.parameters; i++) {
      const char *parameter = tg_name(&form.bound.names, form.bound.names.parameter[i]);
      g_autofree char *let = g_strdup_printf("\nlet %s =", parameter);
      if (strstr(entry->text, let)) g_error("%s: 'let %s' hides a parameter", cases[c].name, parameter);
    }
  }
}

/* Seconds: linear in α, β and hop together. Words are areas: twice the sizes is four times the β-term, and messages do
 * not depend on the sizes. Work is a volume. */
static void dimensions(void) {
  for (size_t c = 0; c < G_N_ELEMENTS(cases); c++) {
    load_case(c);
    assert_near("scaled seconds", communication(3e-6, 6e-9), 3 * communication(1e-6, 2e-9));
    assert_near("seconds", communication(2, 5), communication(2, 0) + communication(0, 5));
    const double messages = communication(1, 0), words = communication(0, 1), work = evaluate(TG_FORMULA_COMPUTE);
    set_sizes(128, 128, 128);
    assert_near("messages of twice the size", communication(1, 0), messages);
    assert_near("words of twice the size", communication(0, 1), 4 * words);
    assert_near("work of twice the size", evaluate(TG_FORMULA_COMPUTE), 8 * work);
    set("flops_per_s", 4);
    assert_near("work at four times the rate", evaluate(TG_FORMULA_COMPUTE), 2 * work);
  }
}

/* Words received by the busiest processor, as the proof counts them, over those of the closed form. */
static double words_ratio(const char *name, const char *grid, const char *settings) {
  static TgProof proof;
  int64_t m, n, k;
  load(name, grid, settings);
  tg_proof_sizes(&form.bound.schedule, &m, &n, &k);
  if (!tg_prove(&form.bound.schedule, &form.bound.names, TG_COLLECTIVE_WHOLE, m, n, k, &proof))
    g_error("%s on %s: %s", name, grid, proof.failure.message);
  set_sizes(m, n, k);
  g_assert_true(tg_formula_check(form.formula, &form.values, NULL));
  return (double)proof.words_received_max / communication(0, 1);
}

/* Forms that count every word the schedule sends. */
static void words_exact(void) {
  static const char *const exact[][2] = {{"cannon", "2x2"},
                                         {"cannon", "3x3"},
                                         {"cannon", "16x16"},
                                         {"cannon-gray", "2x2"},
                                         {"cannon-gray", "8x8"},
                                         {"ring", "2"},
                                         {"ring", "7"},
                                         {"ring", "16"},
                                         {"allgather-gemm", "7"},
                                         {"gemm-reducescatter", "7"},
                                         {"mmt", "2"},
                                         {"mmt", "9"},
                                         {"agarwal3d", "2x2x2"},
                                         {"agarwal3d", "4x4x4"},
                                         {"agarwal3d", "1x3x2"},
                                         {"agarwal3d", "5x2x3"},
                                         {"cosma", "4x4x4"},
                                         {"cosma", "5x2x3"}};
  for (size_t i = 0; i < G_N_ELEMENTS(exact); i++) {
    const double ratio = words_ratio(exact[i][0], exact[i][1], NULL);
    if (fabs(ratio - 1) > 1e-12) g_error("%s on %s: %.17g times the form's words", exact[i][0], exact[i][1], ratio);
  }
}

/* Forms that drop what vanishes beside the rest: the ratio comes closer to 1 with every grid, and as close as stated.
 */
static void words_in_the_limit(void) {
  static const struct {
    const char *name, *grid[4];
    double last;
  } limits[] = {{"allgather", {"2x2", "4x4", "8x8", "32x32"}, 1. / 32},
                {"berntsen", {"2x2x2", "3x3x3", "5x5x5", "8x8x8"}, 1. / 24},
                {"cannon25d", {"4x4x2", "8x8x2", "16x16x2", "32x32x2"}, 1. / 35}};
  for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
    double distance = (double)INFINITY;
    for (int g = 0; g < 4; g++) {
      const double now = fabs(words_ratio(limits[i].name, limits[i].grid[g], NULL) - 1);
      if (now >= distance) g_error("%s on %s: comes no closer", limits[i].name, limits[i].grid[g]);
      distance = now;
    }
    if (distance > limits[i].last + 1e-12) g_error("%s: still %.4g away", limits[i].name, distance);
  }
}

/* Parallel efficiency on p processors where the work 2n³ is `scale` times growth(p)^power. */
static double efficiency(double p, int dimensions, double power) {
  static const char *const extents[] = {"q", "p1", "p2", "p3"};
  set("p", p);
  set("processors", p);
  set("c", 1);
  for (size_t e = 0; e < G_N_ELEMENTS(extents); e++) set(extents[e], pow(p, 1. / dimensions));
  const double n = cbrt(1e3 * pow(evaluate(TG_FORMULA_GROWTH), power));
  for (const char *const *size = (const char *const[]){"m", "n", "k", NULL}; *size; size++) set(*size, n);
  const double compute = evaluate(TG_FORMULA_COMPUTE);
  return compute / (compute + communication(1, 1));
}

/* Along its isoefficiency a form keeps its efficiency from 2^60 to 2^240 processors (a number that is a square and a
 * cube); with work that grows by a smaller power it loses it. */
static void isoefficiency(void) {
  int tried = 0;
  for (size_t c = 0; c < G_N_ELEMENTS(cases); c++) {
    load_case(c);
    g_assert_true(tg_formula_has(form.formula, TG_FORMULA_GROWTH) ==
                  (tg_formula_text(form.formula, TG_FORMULA_ISOEFFICIENCY) != NULL));
    if (!tg_formula_has(form.formula, TG_FORMULA_GROWTH)) continue;
    const int dimensions = form.bound.schedule.dims == 3 && strcmp(cases[c].name, "cannon25d") != 0 ? 3 : 2;
    const double few = efficiency(0x1p60, dimensions, 1), many = efficiency(0x1p240, dimensions, 1);
    if (fabs(many / few - 1) > 0.1) g_error("%s: efficiency %g becomes %g", cases[c].name, few, many);
    if (few < 0.2 || few > 0.999) g_error("%s: an efficiency of %g tells nothing", cases[c].name, few);
    const double less = efficiency(0x1p240, dimensions, 0.9);
    if (less > many / 4) g_error("%s: less work keeps the efficiency, %g of %g", cases[c].name, less, many);
    tried++;
  }
  g_assert_cmpint(tried, ==, 18);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/formula-library/values-by-hand", values_by_hand);
  g_test_add_func("/formula-library/all-are-here", all_are_here);
  g_test_add_func("/formula-library/lets-hide-nothing", lets_hide_nothing);
  g_test_add_func("/formula-library/dimensions", dimensions);
  g_test_add_func("/formula-library/words-exact", words_exact);
  g_test_add_func("/formula-library/words-in-the-limit", words_in_the_limit);
  g_test_add_func("/formula-library/isoefficiency", isoefficiency);
  const int status = g_test_run();
  g_clear_pointer(&form.formula, tg_formula_free);
  return status;
}
