/* The papers' kernels, all rows of their tables: on whole numbers exactly, on random ones within rounding, at sizes
 * that divide nothing, on outputs that begin as NaN, and no byte outside C written. Those kept as printed are run
 * where their stated defect shows, and must show it.
 *
 * Built twice: for the GPU, and with tests/on-cpu/ for the CPU, where threads take turns in random order. */
#include "historic-case.h"

static const gint64 sizes[][3] = {
    {1, 1, 1},       {2, 3, 5},      {7, 7, 7},    {8, 8, 8},     {16, 16, 16},  {13, 7, 31},
    {33, 17, 40},    {32, 32, 32},   {64, 64, 64}, {1, 129, 7},   {129, 1, 127}, {127, 127, 127},
    {129, 129, 129}, {128, 96, 160}, {40, 8, 24},  {256, 256, 8}, {65, 33, 70},  {1000, 37, 513},
};

static const gint32 splits[] = {0, 1, 3};

/* --- right kernels ------------------------------------------------------------------------------------------------ */

static void check(const TgHistoric *kernel, const HistoricCase *of, TgHistoricRun settings) {
  HistoricBuffer c = historic_run(of, kernel, settings);
  const double error = historic_error(of, &c, settings.type), limit = historic_limit(of);
  const gboolean whole = historic_buffer_is_whole(&c);
  if (!(error <= limit) || !whole) {
    g_test_message("%s %s, %s numbers, width %d, split %d, repeats %d, m, n, k = %" G_GINT64_FORMAT
                   ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ": error %g, limit %g%s",
                   kernel->name, tg_historic_type_name((TgHistoricType)settings.type), of->whole ? "whole" : "random",
                   settings.width, settings.split, settings.repeats, of->m, of->n, of->k, error, limit,
                   whole ? "" : ", wrote beside C");
    g_test_fail();
  }
  historic_buffer_free(&c);
}

/* All widths and splits that take the problem; returns how many did. */
static int check_settings(const TgHistoric *kernel, const HistoricCase *of, int type) {
  int runs = 0;
  for (int w = 0; w < TG_HISTORIC_WIDTHS && (w == 0 || kernel->widths[w]); w++) {
    for (gsize s = 0; s < (kernel->splits ? G_N_ELEMENTS(splits) : 1); s++) {
      TgHistoricRun settings = {.type = type, .width = kernel->widths[w], .split = splits[s]}, probe;
      TgHistoricShape shape;
      settings.repeats = kernel->repeats ? 1 + (int)s + w % 3 : 0;
      probe = settings;
      probe.m = of->m, probe.n = of->n, probe.k = of->k;
      if (!tg_historic_prepare(kernel, &probe, &shape, NULL)) continue;
      check(kernel, of, settings);
      runs++;
    }
  }
  return runs;
}

typedef struct Subject {
  const TgHistoric *kernel;
  int type;
} Subject;

static void test_kernel(gconstpointer data) {
  const Subject *subject = data;
  const TgHistoricKind kind = (TgHistoricKind)subject->kernel->kind;
  TgDevice device;
  int runs = 0;
  if (!gpu_or_skip(&device)) return;
  for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++) {
    for (int random = 0; random <= (subject->type == TG_HISTORIC_F32); random++) {
      if (is_left_out(sizes[s])) continue;
      const gint64 n = kind == TG_HISTORIC_SYMMETRIC ? sizes[s][0] : sizes[s][1];
      HistoricCase *of = historic_case_new(kind, !random, sizes[s][0], n, historic_is_flat(kind) ? 1 : sizes[s][2]);
      runs += check_settings(subject->kernel, of, subject->type);
      historic_case_free(of);
    }
  }
  g_test_message("%d runs", runs);
  g_assert_cmpint(runs, >, 0);
}

static void test_nothing(gconstpointer data) {
  const Subject *subject = data;
  TgDevice device;
  TgError error;
  const TgHistoricRun run = {.type = subject->type, .m = 1, .n = 1, .k = 1};
  if (!gpu_or_skip(&device)) return;
  g_assert_true(tg_historic_start(subject->kernel, &run, &error));
  g_assert_true(tg_device_wait(&error));
}

/* --- kernels as printed ------------------------------------------------------------------------------------------- */

/* Where the table marks it, the kernel as printed is wrong and the corrected one is not. */
static void test_defect(gconstpointer data) {
  const Subject *subject = data;
  const TgHistoric *printed = subject->kernel, *corrected = tg_historic_find(printed->corrected);
  const TgHistoricShown *shown = &printed->shown;
  TgDevice device;
  if (!gpu_or_skip(&device)) return;
  HistoricCase *of = historic_case_new((TgHistoricKind)printed->kind, TRUE, shown->m, shown->n, shown->k);
  TgHistoricRun settings = {.type = subject->type, .width = shown->width, .adverse = shown->adverse};
  HistoricBuffer c = historic_run(of, printed, settings);
  const double error = historic_error(of, &c, subject->type);
  g_test_message("%s: relative error %g: %s", printed->name, error, printed->defect);
  g_assert_false(error <= 1e-3);
  historic_buffer_free(&c);
  settings.adverse = 0;
  check(corrected, of, settings);
  historic_case_free(of);
}

/* --- what the tests stand on -------------------------------------------------------------------------------------- */

/* A NaN in C, a number that is off by one, or a byte beside C, does not pass. */
static void test_wrong_is_seen(void) {
  const TgHistoric *kernel = tg_historic_find("oneil-cannon-tiles");
  TgDevice device;
  if (!gpu_or_skip(&device)) return;
  HistoricCase *of = historic_case_new(TG_HISTORIC_PRODUCT, TRUE, 13, 7, 31);
  HistoricBuffer c = historic_run(of, kernel, (TgHistoricRun){.type = TG_HISTORIC_F32});
  g_assert_true(historic_error(of, &c, TG_HISTORIC_F32) <= historic_limit(of));
  g_assert_true(historic_buffer_is_whole(&c));
  const double kept = historic_buffer_get(&c, TG_HISTORIC_F32, 90);
  historic_buffer_set(&c, TG_HISTORIC_F32, 90, NAN);
  g_assert_false(historic_error(of, &c, TG_HISTORIC_F32) <= historic_limit(of));
  historic_buffer_set(&c, TG_HISTORIC_F32, 90, kept + 1);
  g_assert_false(historic_error(of, &c, TG_HISTORIC_F32) <= historic_limit(of));
  c.host[HISTORIC_GUARD_BYTES - 1] = 0;
  g_assert_false(historic_buffer_is_whole(&c));
  c.host[HISTORIC_GUARD_BYTES - 1] = HISTORIC_POISON;
  c.host[c.bytes - 1] = 0;
  g_assert_false(historic_buffer_is_whole(&c));
  historic_buffer_free(&c);
  historic_case_free(of);
}

/* Every row of the tables has code where there is code at all. */
static void test_all_built(void) {
  size_t count;
  const TgHistoricPaper *const *papers = tg_historic_papers(&count);
  const gboolean any = tg_historic_built(&papers[0]->kernels[0]);
  for (size_t p = 0; p < count; p++)
    for (size_t k = 0; k < papers[p]->count; k++)
      if (tg_historic_built(&papers[p]->kernels[k]) != any) g_error("%s has no code", papers[p]->kernels[k].name);
}

static void add_kernel(const TgHistoric *kernel, GPtrArray *subjects) {
  for (int type = 0; type < TG_HISTORIC_TYPES; type++) {
    if (!(kernel->types >> type & 1)) continue;
    Subject *subject = g_new(Subject, 1);
    *subject = (Subject){kernel, type};
    g_ptr_array_add(subjects, subject);
    g_autofree char *path =
        g_strdup_printf("/gpu/historic/%s/%s", kernel->name, tg_historic_type_name((TgHistoricType)type));
    g_test_add_data_func(path, subject,
                         kernel->printed                       ? test_defect
                         : kernel->kind == TG_HISTORIC_NOTHING ? test_nothing
                                                               : test_kernel);
  }
}

int main(int argc, char **argv) {
  size_t count;
  g_test_init(&argc, &argv, NULL);
  g_autoptr(GPtrArray) subjects = g_ptr_array_new_with_free_func(g_free);
  const TgHistoricPaper *const *papers = tg_historic_papers(&count);
  g_test_add_func("/gpu/historic/wrong-is-seen", test_wrong_is_seen);
  g_test_add_func("/gpu/historic/all-built", test_all_built);
  for (size_t p = 0; p < count; p++)
    for (size_t k = 0; k < papers[p]->count; k++) add_kernel(&papers[p]->kernels[k], subjects);
  return g_test_run();
}
