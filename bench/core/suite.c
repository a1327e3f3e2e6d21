/* What an experiment opens, chooses, measures and ends with. */
#include "suite.h"

#include <math.h>
#include <string.h>

/* --- what a suite takes from a paper's own tables ----------------------------------------------------------------- */

static void add_method(GArray *methods, const TgHistoric *kernel, int32_t width) {
  const TgMethod method = {.name = kernel->name,
                           .historic = kernel->name,
                           .width = width,
                           .least = kernel->exactly,
                           .most = kernel->exactly ? kernel->exactly : kernel->most[0]};
  g_array_append_val(methods, method);
}

GArray *tg_suite_paper_methods(const TgHistoricPaper *paper) {
  GArray *methods = g_array_new(FALSE, TRUE, sizeof(TgMethod));
  for (size_t k = 0; k < paper->count; k++) {
    const TgHistoric *kernel = &paper->kernels[k];
    add_method(methods, kernel, kernel->widths[0]);
    for (int w = 1; kernel->most[0] && w < TG_HISTORIC_WIDTHS && kernel->widths[w]; w++)
      add_method(methods, kernel, kernel->widths[w]);
  }
  return methods;
}

const TgHistoricFigure *tg_suite_paper_figure(const TgHistoricPaper *paper, const TgResult *row) {
  for (size_t f = 0; f < paper->figure_count; f++) {
    const TgHistoricFigure *figure = &paper->figures[f];
    if (row->n == figure->n && row->m == figure->n && (!figure->width || row->width == figure->width) &&
        strcmp(row->method, figure->kernel) == 0)
      return figure;
  }
  return NULL;
}

void tg_suite_paper_figures(const TgHistoricPaper *paper, TgResult *row) {
  const TgHistoricFigure *figure = tg_suite_paper_figure(paper, row);
  const double us = 1e-6;
  if (!figure) return;
  row->has_paper = true;
  row->paper = (TgMeasurement){.trials = figure->trials,
                               .min_s = figure->min_us * us,
                               .median_s = NAN,
                               .mean_s = figure->mean_us * us,
                               .max_s = figure->max_us * us,
                               .stddev_s = figure->stddev_us * us};
}

/* --- one size: operands, and each method on them, checked and measured -------------------------------------------- */

enum { MOST_ELSEWHERE = 101 /* trials of other measurements than the kernel */ };
/* A run that takes longer needs no warm-up run after it. */
static const double warm_run_s = 1;

/* What is measured now. */
typedef struct TgNow {
  TgSuite *suite;
  const TgMethod *method;
  const TgHistoric *historic; /* the method's, or NULL */
  TgOperands operands;
  TgMeasurement in, out;
  void *host_bt, *device_bt; /* B', once a method asks for it */
  TgMeasurement transposing;
  bool room;       /* on the host; else nothing is measured at this size, for … */
  TgError no_room; /* … that */
} TgNow;

/* --- the work ----------------------------------------------------------------------------------------------------- */

static TgHistoricRun historic_run(const TgNow *now) {
  const TgOperands *operands = &now->operands;
  return (TgHistoricRun){.type = tg_number_historic(operands->number),
                         .width = now->method->width,
                         .split = now->method->split,
                         .repeats = now->method->repeats,
                         .m = operands->m,
                         .n = operands->n,
                         .k = operands->k,
                         .a = operands->device[0],
                         .b = now->historic->transposed_b ? now->device_bt : operands->device[1],
                         .c = operands->device[2]};
}

static bool work(const void *what, TgError *error) {
  const TgNow *now = what;
  const TgMethod *method = now->method;
  if (now->historic) {
    const TgHistoricRun run = historic_run(now);
    return tg_historic_start(now->historic, &run, error);
  }
  if (method->kernel) {
    const TgGemm gemm = tg_operands_gemm(&now->operands);
    return tg_kernel_start(tg_kernel_find(method->kernel), &gemm, error);
  }
  if (method->device) return method->device(&now->operands, error);
  method->cpu(&now->operands);
  return true;
}

/* --- whether it is measured --------------------------------------------------------------------------------------- */

static bool is_asked_for(const TgSuite *suite, const TgMethod *method, const TgSuiteSize *size) {
  if (method->cpu == NULL && !suite->on_device) return false;
  if (method->least && size->n < method->least) return false;
  if (method->most && size->n > method->most) return false;
  return !suite->options->kernels || g_strv_contains((const char *const *)suite->options->kernels, method->name);
}

/* Types and kinds that a kernel does not have are no rows; sizes that it does not take are, and say so. */
static bool fits(const TgMethod *method, const TgSuiteSize *size) {
  if (method->kernel) {
    const int element = tg_number_element(size->number);
    return size->number != TG_NUMBER_I32 && tg_kernel_find(method->kernel)->elements >> element & 1;
  }
  if (!method->historic) return true;
  const TgHistoric *kernel = tg_historic_find(method->historic);
  const int type = tg_number_historic(size->number);
  if (kernel->kind == TG_HISTORIC_NOTHING) return true;
  return size->number != TG_NUMBER_F64 && kernel->kind == (int32_t)size->kind && kernel->types >> type & 1;
}

static bool is_wanted(const TgSuite *suite, size_t method, const TgSuiteSize *size) {
  return is_asked_for(suite, &suite->methods[method], size) && fits(&suite->methods[method], size);
}

static void describe_historic(const TgNow *now, TgResult *row) {
  const TgHistoric *kernel = now->historic;
  TgHistoricRun run = historic_run(now);
  TgHistoricShape shape;
  TgError error;
  if (!tg_historic_prepare(kernel, &run, &shape, &error)) {
    g_strlcpy(row->left_out, error.message, sizeof row->left_out);
    return;
  }
  row->printed = kernel->printed;
  row->width = run.width;
  row->split = kernel->splits ? (int32_t)shape.split : 0;
  row->blocks = shape.grid[0] * shape.grid[1] * shape.grid[2];
  row->threads = shape.block[0] * shape.block[1] * shape.block[2];
  row->executed_flops = shape.flops;
  row->asked_bytes = shape.read_bytes + shape.written_bytes;
  if (kernel->kind == TG_HISTORIC_NOTHING) row->flops = row->bytes = 0;
}

static TgResult describe(const TgNow *now) {
  const TgMethod *method = now->method;
  TgResult row = {.method = method->name, .place = method->cpu ? TG_ON_CPU : TG_ON_GPU};
  tg_operands_count(&now->operands, &row);
  row.repeats = MAX(method->repeats, 1);
  if (now->historic) describe_historic(now, &row);
  if (!method->kernel) return row;
  const TgGemm gemm = tg_operands_gemm(&now->operands);
  TgError why;
  if (!tg_kernel_takes(tg_kernel_find(method->kernel), &gemm, now->suite->results->environment.device.capability, &why))
    g_strlcpy(row.left_out, why.message, sizeof row.left_out);
  return row;
}

static double work_of(const TgResult *row) {
  return row->flops > 0 ? row->flops : row->bytes;
}

static bool is_like(const TgResult *row, const TgResult *before, bool same_split) {
  return strcmp(before->method, row->method) == 0 && strcmp(before->type, row->type) == 0 &&
         before->width == row->width && (!same_split || before->split == row->split);
}

/* By the last row alike that took long enough for launches not to count; of the same split, where there is one. */
static double expected_s(const TgSuite *suite, const TgResult *row) {
  const double telling_s = 1e-3;
  const double slowest_per_s = 1e9; /* a processor does more operations, or copies more bytes */
  for (int same_split = suite->same_split; same_split >= 0; same_split--)
    for (guint r = suite->results->rows->len; r-- > 0;) {
      const TgResult *before = tg_results_at(suite->results, r);
      const double time_s = isnan(tg_result_time_s(before)) ? before->tried_s : tg_result_time_s(before);
      if (is_like(row, before, same_split) && time_s >= telling_s) return time_s * work_of(row) / work_of(before);
    }
  return row->place == TG_ON_GPU ? NAN : work_of(row) / slowest_per_s;
}

static double best_s(const TgSuite *suite, const TgResult *row) {
  double best = INFINITY;
  for (guint r = 0; r < suite->results->rows->len; r++) {
    const TgResult *other = tg_results_at(suite->results, r);
    const double time_s = tg_result_time_s(other);
    if (other->m == row->m && other->n == row->n && other->k == row->k && time_s < best) best = time_s;
  }
  return best;
}

static bool is_hopeless(const TgSuite *suite, TgResult *row, double time_s, const char *verb) {
  if (!(suite->hopeless > 0 && time_s > suite->short_s && time_s > suite->hopeless * best_s(suite, row))) return false;
  g_snprintf(row->left_out, sizeof row->left_out, "%s %.2g s, over %g times the best so far", verb, time_s,
             suite->hopeless);
  return true;
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static void tell(const TgSuite *suite) {
  const TgBenchOptions *options = suite->options;
  if (options->progress) options->progress(options->progress_data, suite->done, MAX(suite->total, suite->done + 1));
}

/* On the CPU one run may take minutes: a thread shows every second that it goes on. Nobody else tells meanwhile. */
typedef struct TgTeller {
  const TgSuite *suite;
  GThread *thread;
  GMutex mutex;
  GCond ended;
  bool end;
} TgTeller;

static gpointer tell_again(gpointer data) {
  TgTeller *teller = data;
  g_mutex_lock(&teller->mutex);
  while (!teller->end)
    if (!g_cond_wait_until(&teller->ended, &teller->mutex, g_get_monotonic_time() + G_USEC_PER_SEC))
      tell(teller->suite);
  g_mutex_unlock(&teller->mutex);
  return NULL;
}

static void teller_begin(TgTeller *teller, const TgSuite *suite) {
  *teller = (TgTeller){.suite = suite};
  g_mutex_init(&teller->mutex);
  g_cond_init(&teller->ended);
  teller->thread = g_thread_try_new("progress", tell_again, teller, NULL); /* without it nothing is shown */
}

static void teller_end(TgTeller *teller) {
  g_mutex_lock(&teller->mutex);
  teller->end = true;
  g_cond_signal(&teller->ended);
  g_mutex_unlock(&teller->mutex);
  if (teller->thread) g_thread_join(teller->thread);
  g_mutex_clear(&teller->mutex);
  g_cond_clear(&teller->ended);
}

static TgBenchLimits fewer(const TgSuite *suite) {
  TgBenchLimits limits = suite->limits;
  limits.trials.budget_s /= 8;
  limits.trials.wanted_s /= 8;
  limits.trials.most = MIN(limits.trials.most, MOST_ELSEWHERE);
  return limits;
}

static void per_repeat(TgMeasurement *time, int32_t repeats) {
  double *const seconds[] = {&time->min_s, &time->median_s, &time->mean_s, &time->max_s, &time->stddev_s};
  for (gsize i = 0; i < G_N_ELEMENTS(seconds); i++) *seconds[i] /= repeats;
}

/* The host's B' and the time that takes, which a paper would count or not. */
static bool fetch_transposed(TgNow *now, TgError *error) {
  TgOperands *operands = &now->operands;
  const TgBenchLimits limits = fewer(now->suite);
  if (now->device_bt) return true;
  now->host_bt = g_try_malloc((gsize)operands->bytes[1]);
  if (!now->host_bt) return tg_error_set(error, 0, 0, "not enough memory for B'");
  TgTransposing turn = {operands, now->host_bt};
  return tg_trial_on_host(tg_operands_transpose_b, &turn, false, &limits, &now->transposing, error) &&
         (now->device_bt = tg_device_allocate(operands->bytes[1], error)) &&
         tg_device_copy_in(now->device_bt, now->host_bt, operands->bytes[1], error);
}

/* Once on a poisoned C: whether it is right, and about how long it takes. */
static bool try_once(TgNow *now, TgResult *row, double *once_s, TgError *error) {
  if (!tg_operands_poison(&now->operands, row->place, error) || !(row->place == TG_ON_CPU || tg_device_wait(error)))
    return false;
  const double begun_s = tg_now_s();
  if (!work(now, error) || !(row->place == TG_ON_CPU || tg_device_wait(error))) return false;
  *once_s = tg_now_s() - begun_s;
  const bool nothing = row->bytes == 0;
  return nothing || tg_operands_check(&now->operands, row->place, row, error);
}

static bool time_on_device(TgNow *now, TgResult *row, double once_s, TgError *error) {
  TgBenchLimits limits = now->suite->limits, others = fewer(now->suite);
  if (once_s > warm_run_s) limits.trials.warmup = 0;
  if (!tg_trial_on_device(work, now, &limits, &row->kernel, error)) return false;
  per_repeat(&row->kernel, row->repeats);
  if (now->suite->kernel_only || row->kernel.median_s > TG_SUITE_LONG_S || row->repeats > 1)
    return true; /* of a repetition the others would mean nothing */
  if (!tg_trial_on_host(work, now, true, &others, &row->call, error)) return false;
  others.flush_bytes = 2 * (int64_t)now->suite->results->environment.device.l2_bytes;
  const bool can_be_cold = row->bytes > 0 && others.flush_bytes > 0;
  if (can_be_cold && !tg_trial_on_device(work, now, &others, &row->cold, error)) return false;
  return true;
}

static bool time_on_host(TgNow *now, TgResult *row, double once_s, TgError *error) {
  TgBenchLimits limits = fewer(now->suite);
  limits.trials.wanted_s = now->suite->limits.trials.wanted_s;
  if (once_s > warm_run_s) limits.trials.warmup = 0;
  return tg_trial_on_host(work, now, false, &limits, &row->call, error);
}

static bool time_method_now(TgNow *now, TgResult *row, TgError *error) {
  const TgHistoric *kernel = now->historic;
  double once_s;
  if (kernel && kernel->transposed_b && !fetch_transposed(now, error)) return false;
  if (!try_once(now, row, &once_s, error)) return false;
  row->tried_s = once_s;
  if (is_hopeless(now->suite, row, once_s, "took")) return true;
  if (once_s > now->suite->limits.longest_s) {
    g_snprintf(row->left_out, sizeof row->left_out, "took %.0f s, over %g: not measured again", once_s,
               now->suite->limits.longest_s);
    return true;
  }
  if (row->place == TG_ON_CPU) return time_on_host(now, row, once_s, error);
  if (row->bytes > 0) {
    row->in = now->in;
    row->out = now->out;
  }
  if (kernel && kernel->transposed_b) row->prepare = now->transposing;
  return time_on_device(now, row, once_s, error);
}

static bool time_method(TgNow *now, TgResult *row, TgError *error) {
  TgTeller teller;
  if (row->place != TG_ON_CPU) return time_method_now(now, row, error);
  teller_begin(&teller, now->suite);
  const bool fine = time_method_now(now, row, error);
  teller_end(&teller);
  return fine;
}

static bool measure_method(TgNow *now, TgError *error) {
  TgSuite *suite = now->suite;
  TgResult row = describe(now);
  tell(suite);
  if (!now->room) g_strlcpy(row.left_out, now->no_room.message, sizeof row.left_out);
  const double soon_s = *row.left_out ? NAN : expected_s(suite, &row);
  if (!*row.left_out && !tg_trial_is_left_out(&suite->limits, soon_s, row.left_out, sizeof row.left_out) &&
      !is_hopeless(suite, &row, soon_s, "would take") && !time_method(now, &row, error))
    return false;
  if (suite->paper) tg_suite_paper_figures(suite->paper, &row);
  tg_results_add(suite->results, &row);
  suite->done++;
  return true;
}

static bool open_now(TgNow *now, TgError *error) {
  TgSuite *suite = now->suite;
  if (!tg_operands_open(&now->operands, suite->on_device, error)) return false;
  if (!suite->on_device) return true;
  TgBenchLimits limits = fewer(suite);
  limits.trials.warmup = 1;
  return tg_trial_on_host(tg_operands_copy_in, &now->operands, true, &limits, &now->in, error) &&
         tg_trial_on_host(tg_operands_copy_out, &now->operands, true, &limits, &now->out, error);
}

static void close_now(TgNow *now) {
  if (now->device_bt) tg_device_free(now->device_bt);
  g_free(now->host_bt);
  tg_operands_clear(&now->operands);
}

bool tg_suite_measure(TgSuite *suite, const TgSuiteSize *size, GError **error) {
  TgError why = {0};
  TgNow now = {.suite = suite,
               .operands = {.kind = size->kind,
                            .number = size->number,
                            .m = size->m,
                            .n = size->n,
                            .k = size->k,
                            .seed = suite->options->seed}};
  bool any = false, fine = true;
  for (size_t i = 0; i < suite->method_count; i++) any = any || is_wanted(suite, i, size);
  if (!any) return true;
  now.room = tg_operands_have_room(&now.operands, &now.no_room);
  fine = !now.room || open_now(&now, &why);
  for (size_t i = 0; fine && i < suite->method_count; i++) {
    now.method = &suite->methods[i];
    now.historic = now.method->historic ? tg_historic_find(now.method->historic) : NULL;
    if (is_wanted(suite, i, size)) fine = measure_method(&now, &why);
  }
  close_now(&now);
  return fine || tg_bench_fail(error, TG_BENCH_ERROR_FAILED, suite->results->experiment, why.message);
}

bool tg_suite_measure_squares(TgSuite *suite, TgHistoricKind kind, GError **error) {
  bool fine = true;
  for (guint s = 0; fine && s < suite->sizes->len; s++) {
    const int64_t n = g_array_index(suite->sizes, int64_t, s);
    fine = tg_suite_measure(suite, &(TgSuiteSize){kind, suite->number, n, n, n}, error);
  }
  return fine;
}

/* --- choices ------------------------------------------------------------------------------------------------------ */

static const TgMethod *find_method(const TgSuite *suite, const char *name) {
  for (size_t i = 0; i < suite->method_count; i++)
    if (strcmp(suite->methods[i].name, name) == 0) return &suite->methods[i];
  return NULL;
}

static bool fail_kernel(const TgSuite *suite, const char *experiment, const char *name, GError **error) {
  g_autoptr(GString) known = g_string_new(NULL);
  for (size_t i = 0; i < suite->method_count; i++) {
    bool again = false;
    for (size_t j = 0; j < i; j++) again = again || strcmp(suite->methods[i].name, suite->methods[j].name) == 0;
    if (!again) g_string_append_printf(known, "%s%s", i ? ", " : "", suite->methods[i].name);
  }
  return TG_BENCH_FAIL(error, USAGE, "--kernels %s: bench %s has no such kernel; it has: %s", name, experiment,
                       known->str);
}

static bool choose(const TgSuite *suite, const char *experiment, GError **error) {
  for (char **name = suite->options->kernels; name && *name; name++) {
    const TgMethod *method = find_method(suite, *name);
    if (!method) return fail_kernel(suite, experiment, *name, error);
    if (method->cpu || !suite->options->cpu_only) continue;
    return TG_BENCH_FAIL(error, USAGE, "--kernels %s: it needs a GPU, but --cpu-only uses none", *name);
  }
  return true;
}

double tg_suite_longest_s(const TgBenchOptions *options, double usual_s) {
  return options->budget_s > 0 ? MIN(usual_s, MAX(1, 40 * options->budget_s)) : usual_s;
}

GArray *tg_suite_sizes(const TgBenchOptions *options, const TgSuitePlan *plan) {
  GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  if (options->size_count) g_array_append_vals(sizes, options->sizes, (guint)options->size_count);
  for (size_t s = 0; !options->size_count && s < plan->size_count; s++)
    if (options->quick ? plan->sizes[s] <= plan->quick_most : plan->sizes[s] >= plan->usual_least)
      g_array_append_val(sizes, plan->sizes[s]);
  return sizes;
}

bool tg_suite_number(const TgBenchOptions *options, TgNumber other, TgNumber *number, GError **error) {
  *number = TG_NUMBER_F32;
  if (!options->type || g_str_equal(options->type, tg_number_name(*number))) return true;
  *number = other;
  if (g_str_equal(options->type, tg_number_name(other))) return true;
  return TG_BENCH_FAIL(error, USAGE, "--type %s: expected f32%s%s", options->type, other ? " or " : "",
                       other ? tg_number_name(other) : "");
}

TgResults *tg_suite_results(const char *experiment, const TgBenchOptions *options, GError **error) {
  TgDevice device;
  TgError why;
  if (!options->cpu_only && !tg_device_open(0, &device, &why)) {
    tg_bench_fail(error, TG_BENCH_ERROR_MISSING, experiment, why.message);
    return NULL;
  }
  TgResults *results = tg_results_new(experiment, options->cpu_only ? NULL : &device);
  results->seed = options->seed;
  results->quick = options->quick;
  results->cold = options->cold;
  return results;
}

TgBenchLimits tg_suite_limits(const TgBenchOptions *options, double budget_s, double quick_budget_s) {
  const TgTrialLimits trials = {.budget_s = options->budget_s > 0 ? options->budget_s
                                            : options->quick      ? quick_budget_s
                                                                  : budget_s,
                                .least = 3,
                                .wanted = options->trials,
                                .wanted_s = TG_BENCH_WANTED_S,
                                .warmup = 2};
  return (TgBenchLimits){.trials = trials, .hold_s = 50e-6 /* more than a launch takes the host */};
}

bool tg_suite_begin(TgSuite *suite, const TgSuitePlan *plan, const TgBenchOptions *options, const TgMethod *methods,
                    size_t method_count, GError **error) {
  *suite = (TgSuite){.options = options, .methods = methods, .method_count = method_count};
  if (!tg_suite_number(options, plan->other, &suite->number, error) || !choose(suite, plan->experiment, error))
    return false;
  suite->on_device = !options->cpu_only;
  suite->limits = tg_suite_limits(options, plan->budget_s, 0.05);
  suite->limits.trials.most = options->quick ? 20 : 1000;
  suite->limits.longest_s = tg_suite_longest_s(options, 60);
  suite->results = tg_suite_results(plan->experiment, options, error);
  if (suite->results) suite->sizes = tg_suite_sizes(options, plan);
  return suite->results != NULL;
}

TgResults *tg_suite_finish(TgSuite *suite, bool measured) {
  g_autoptr(TgResults) results = g_steal_pointer(&suite->results);
  g_clear_pointer(&suite->sizes, g_array_unref);
  if (!measured) return NULL;
  tg_environment_end(&results->environment);
  if (!suite->on_device) tg_results_note(results, "the kernels were not run: only the CPU was asked for");
  return g_steal_pointer(&results);
}
