/* bench transpose. */
#include <inttypes.h>

#include "host-methods.h"
#include "results-print.h"
#include "suite.h"

/* Once a launch. */
static const TgColumn once[] = {{"cpu", "cpu", 0},
                                {"naive", "essay-transpose-naive", 16},
                                {"unpadded", "essay-transpose-unpadded", 16},
                                {"shared", "essay-transpose-shared", 16},
                                {"shared 32x32", "essay-transpose-shared", 32},
                                {"copy", "essay-copy", 16},
                                {"memcpy", "memcpy", 0}};
/* A hundred times within one. */
static const TgColumn often[] = {{"naive", "essay-transpose-naive/100", 16},
                                 {"unpadded", "essay-transpose-unpadded/100", 16},
                                 {"shared", "essay-transpose-shared/100", 16},
                                 {"unpadded 32x32", "essay-transpose-unpadded/100", 32},
                                 {"shared 32x32", "essay-transpose-shared/100", 32},
                                 {"copy", "essay-copy/100", 16},
                                 {"copy 32x32", "essay-copy/100", 32}};

/* --- how near to a copy ------------------------------------------------------------------------------------------- */

static const TgRatio ratios[] = {
    {"naive/shared", "essay-transpose-naive", 16, "essay-transpose-shared", 16, TG_SHOW_TIME},
    {"a hundred times", "essay-transpose-naive/100", 16, "essay-transpose-shared/100", 16, TG_SHOW_TIME},
    {"shared/memcpy", "memcpy", 0, "essay-transpose-shared", 16, TG_SHOW_TIME},
    {"shared/copy", "essay-copy", 16, "essay-transpose-shared", 16, TG_SHOW_TIME},
    {"padding", "essay-transpose-unpadded/100", 32, "essay-transpose-shared/100", 32, TG_SHOW_TIME},
};

/* The essay: optimised, a transpose is ten times as fast as naive. */
static void print_words(TgPage *page, const TgResults *results) {
  g_autoptr(GArray) sizes = tg_results_sizes(results);
  if (!results->environment.has_device) return;
  tg_page_add(
      page, "\nIn the essay, the shared transpose is ten times as fast as the naive one. Here, with tiles of 16x16\n");
  TgTable *table = tg_page_wide_table(page, 'r', "n", G_N_ELEMENTS(ratios));
  for (gsize r = 0; r < G_N_ELEMENTS(ratios); r++) tg_table_add(table, "%s", ratios[r].head);
  for (guint s = 0; s < sizes->len; s++) {
    const int64_t n = g_array_index(sizes, int64_t, s);
    tg_table_add(table, "%" PRId64, n);
    for (gsize r = 0; r < G_N_ELEMENTS(ratios); r++)
      tg_page_number(table, "%.3g", tg_results_ratio(results, &ratios[r], n));
  }
  tg_page_paragraph(page, 2,
                    "naive/shared: speedup of shared, once per launch and a hundred times within one; shared/memcpy, "
                    "shared/copy: its fraction of the speed of cudaMemcpy and of a kernel that copies; padding: "
                    "speedup by padding, tiles of 32x32, a hundred times");
}

static void print(const TgResults *results, TgPage *page) {
  tg_page_where(page, results);
  tg_page_add(page,
              "\nOnce per launch: medians, on the GPU for the kernel alone; tiles of 16x16 unless noted otherwise\n");
  tg_page_grid(page, results, once, G_N_ELEMENTS(once), TG_SHOW_TIME);
  tg_page_add(page, "\nGB/s, read and written\n");
  tg_page_grid(page, results, once, G_N_ELEMENTS(once), TG_SHOW_BYTES);
  if (results->environment.has_device) {
    tg_page_add(page, "\nGB/s, a hundred times within a launch (nreps): from the caches if they hold the matrices\n");
    tg_page_grid(page, results, often, G_N_ELEMENTS(often), TG_SHOW_BYTES);
    tg_page_add(page, "\nGB/s, once per launch, with the L2 cache emptied before\n");
    tg_page_grid(page, results, once, G_N_ELEMENTS(once), TG_SHOW_COLD_BYTES);
  }
  print_words(page, results);
  tg_page_add(page, "\n");
  tg_page_remarks(page, results);
}

static char *plot(const void *measured, const TgPlotFormat *format) {
  static const char rows[] = "n, rows of the matrix";
  const TgResults *results = measured;
  g_autoptr(TgChart) chart = tg_results_chart(results, "Transpositions compared with a copy");
  TgPanel *time = tg_chart_panel(chart, "once per launch", rows, "time, s");
  TgPanel *speed = tg_chart_panel(chart, "once per launch", rows, "bytes/s, read and written");
  TgPanel *repeated = tg_chart_panel(chart, "a hundred times within a launch", rows, "bytes/s, read and written");
  tg_panel_columns(time, results, once, G_N_ELEMENTS(once), TG_SHOW_TIME);
  tg_panel_columns(speed, results, once, G_N_ELEMENTS(once), TG_SHOW_BYTES);
  tg_panel_columns(repeated, results, often, G_N_ELEMENTS(often), TG_SHOW_BYTES);
  return tg_chart_script(chart, format);
}

/* --- what is measured --------------------------------------------------------------------------------------------- */

enum { REPEATS = 100 };
static const double budget_s = 0.5; /* of trials, a kernel and size */

static bool copy_memory(const TgOperands *operands, TgError *error) {
  return tg_device_copy_across(operands->device[2], operands->device[0], operands->bytes[0], error);
}

/* Once a launch, and a hundred times within one: the essay's nreps. */
#define TWICE(NAME, WIDTH)                                                                                             \
  {.name = NAME, .historic = NAME, .width = WIDTH}, {                                                                  \
    .name = NAME "/100", .historic = NAME, .width = WIDTH, .repeats = REPEATS                                          \
  }

static const TgMethod copies[] = {
    TWICE("essay-copy", 16),
    TWICE("essay-copy", 32),
    {.name = "memcpy", .device = copy_memory},
};
static const TgMethod transposes[] = {
    {.name = "cpu", .cpu = tg_host_transpose}, TWICE("essay-transpose-naive", 16),
    TWICE("essay-transpose-naive", 32),        TWICE("essay-transpose-unpadded", 16),
    TWICE("essay-transpose-unpadded", 32),     TWICE("essay-transpose-shared", 16),
    TWICE("essay-transpose-shared", 32),
};
static const int64_t usual_sizes[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};

/* The same matrices for both: A is drawn from the seed alone. */
static bool measure_kind(TgSuite *suite, TgHistoricKind kind, int64_t n, GError **error) {
  const TgSuiteSize size = {kind, TG_NUMBER_F32, n, n, 1};
  suite->methods = kind == TG_HISTORIC_COPY ? copies : transposes;
  suite->method_count = kind == TG_HISTORIC_COPY ? G_N_ELEMENTS(copies) : G_N_ELEMENTS(transposes);
  return tg_suite_measure(suite, &size, error);
}

static GArray *all_methods(void) {
  GArray *all = g_array_new(FALSE, FALSE, sizeof(TgMethod));
  g_array_append_vals(all, copies, G_N_ELEMENTS(copies));
  g_array_append_vals(all, transposes, G_N_ELEMENTS(transposes));
  return all;
}

static TgResults *measure(const TgBenchOptions *options, GError **error) {
  static const TgSuitePlan plan = {"transpose", TG_NUMBER_F32, usual_sizes, G_N_ELEMENTS(usual_sizes), 128,
                                   0,           budget_s};
  g_autoptr(GArray) all = all_methods();
  TgSuite suite;
  if (!tg_suite_begin(&suite, &plan, options, (const TgMethod *)(void *)all->data, all->len, error)) return NULL;
  bool fine = true;
  suite.total = (int64_t)suite.sizes->len * (suite.on_device ? all->len : 1);
  for (guint s = 0; fine && s < suite.sizes->len; s++) {
    const int64_t n = g_array_index(suite.sizes, int64_t, s);
    fine = measure_kind(&suite, TG_HISTORIC_COPY, n, error) && measure_kind(&suite, TG_HISTORIC_TRANSPOSE, n, error);
  }
  return tg_suite_finish(&suite, fine);
}

const TgExperiment tg_experiment_transpose = {
    .name = "transpose",
    .summary = "the transpositions of an essay, compared with a copy",
    .details = "Transposition on the CPU, by a naive kernel, and through shared memory with and without padding, in "
               "f32, for n = 16 to 16384, once and a hundred times per launch (the essay's nreps): time and GB/s, with "
               "a copy in the same run for comparison.",
    .paper = "Investigation of Matrix Multiplication, Computer Science Essay",
    .takes_cpu_only = true,
    .measure = measure,
    .print = print,
    .plot = plot,
};
