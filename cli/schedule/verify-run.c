/* Runs the proof at one size or many. */
#include "interrupt.h"
#include "memory-limit.h"
#include "verify.h"

#include "bounds.h"
#include "shape.h"

#include <string.h>

enum { USUAL_SIZE = 1024 };

void tg_verification_clear(TgVerification *verification) {
  tg_problem_clear(&verification->problem);
  for (guint i = 0; verification->skipped && i < verification->skipped->len; i++)
    g_free(g_array_index(verification->skipped, TgSkipped, i).reason);
  g_clear_pointer(&verification->verdicts, g_array_unref);
  g_clear_pointer(&verification->skipped, g_array_unref);
  g_clear_pointer(&verification->warnings, g_ptr_array_unref);
  g_clear_pointer(&verification->failed_at, g_free);
}

static TgBounds find_bounds(const TgSchedule *schedule, const TgProof *proof) {
  const TgComputes *computes = &schedule->computes;
  double m = (double)proof->m, n = (double)proof->n, k = (double)proof->k, p = (double)proof->processors;
  double memory = (double)proof->counts.words_per_processor_max;
  bool apply = computes->left == TG_MATRIX_A && computes->right == TG_MATRIX_B && !computes->left_transposed &&
               !computes->right_transposed;
  if (!apply) return (TgBounds){0};
  return (TgBounds){.apply = true,
                    .independent = tg_bound_memory_independent(m, n, k, p),
                    .dependent = memory > 0 ? tg_bound_memory_dependent(m, n, k, p, memory) : 0,
                    .memory = (m * k + k * n + m * n) / p};
}

/* What rounding leaves of a bound of 0 is no bound. */
static bool says_something(double bound) {
  return bound > 1e-6;
}

double tg_bounds_received(const TgBounds *bounds) {
  double most = MAX(bounds->independent, bounds->dependent);
  return bounds->apply && says_something(most) ? most : 0;
}

static TgVerdict verdict_of(const TgVerification *verification, const TgProof *proof) {
  const TgSchedule *schedule = &verification->problem.schedule;
  TgVerdict verdict = {.processors = proof->processors,
                       .steps = proof->steps,
                       .m = proof->m,
                       .n = proof->n,
                       .k = proof->k,
                       .counts = proof->counts,
                       .words_received_max = proof->words_received_max,
                       .busiest = proof->busiest,
                       .bounds = find_bounds(schedule, proof)};
  for (int i = 0; i < verification->ranges.count; i++) verdict.value[i] = verification->ranges.range[i].now;
  tg_schedule_grid_text(schedule, verdict.grid, sizeof verdict.grid);
  if (proof->busiest >= 0)
    tg_schedule_processor_text(schedule, proof->busiest, verdict.busiest_text, sizeof verdict.busiest_text);
  return verdict;
}

static void collect_warnings(TgVerification *verification, const TgProof *proof) {
  const TgProblem *problem = &verification->problem;
  g_autofree char *at = verification->range ? tg_ranges_text(&verification->ranges, true) : NULL;
  for (int i = 0; i < proof->unread_count; i++) {
    const TgUnread *unread = &proof->unread[i];
    const TgStatement *statement = &problem->schedule.statement[unread->statement];
    char processor[64];
    if (verification->warned & UINT64_C(1) << unread->statement) continue;
    verification->warned |= UINT64_C(1) << unread->statement;
    tg_schedule_processor_text(&problem->schedule, unread->processor, processor, sizeof processor);
    char *text = g_strdup_printf("%s:%d: `%s` delivers blocks that no statement reads%s%s: %" PRId64
                                 ", the first in step %" PRId64 " to processor %s",
                                 problem->source.name, statement->line,
                                 tg_name(&problem->names, problem->names.source[unread->statement]), at ? " with " : "",
                                 at ? at : "", unread->times, unread->step, processor);
    g_ptr_array_add(verification->warnings, text);
  }
}

/* The smallest multiple that is USUAL_SIZE or more: blocks are equal there, too. */
static int64_t enlarge(int64_t size) {
  return (USUAL_SIZE + size - 1) / size * size;
}

/* The sizes to count words at: those given, which must fit the schedule, or such with equal blocks. A few elements
 * would do for the proof, but words are read as what a matrix of some size costs, and compared between grids and
 * schedules. */
static TgExit find_sizes(const TgCli *cli, const TgSchedule *schedule, int64_t *m, int64_t *n, int64_t *k) {
  bool given;
  TgExit status = tg_sizes_parse(cli, m, n, k, &given);
  if (status) return status;
  if (!given) {
    tg_proof_sizes(schedule, m, n, k);
    *m = enlarge(*m);
    *n = enlarge(*n);
    *k = enlarge(*k);
    return TG_EXIT_DONE;
  }
  TgShape shape;
  GError *error = NULL;
  return tg_shape_init(&shape, &schedule->computes, *m, *n, *k, &error) ? TG_EXIT_DONE : tg_report_error(cli, error);
}

static bool one_of_many(void *user, int64_t statements) {
  TgVerification *verification = user;
  (void)statements;
  return tg_watch_go_on(&verification->watch, verification->done);
}

static TgExit check_one(TgCli *cli, TgVerification *verification) {
  TgProblem *problem = &verification->problem;
  TgProof proof;
  int64_t m, n, k;
  TgExit status = find_sizes(cli, &problem->schedule, &m, &n, &k);
  if (!status) status = tg_memory_check_proof(cli, problem, 0);
  if (status) return status;
  const TgWatch many = {.go_on = one_of_many, .user = verification};
  if (!verification->range) cli->progress->total = tg_walk_count_statements(&problem->schedule, &problem->names);
  bool right = tg_prove_watched(&problem->schedule, &problem->names, verification->collective, m, n, k,
                                verification->range ? &many : &verification->watch, &proof);
  if (proof.failure.cause == TG_CAUSE_STOPPED) return TG_EXIT_FAILED;
  if (!right && proof.failure.cause == TG_CAUSE_MEMORY)
    return tg_report(cli, TG_EXIT_USAGE, "%s: %s", problem->source.name, proof.failure.message);
  TgVerdict verdict = verdict_of(verification, &proof);
  if (right) {
    g_array_append_val(verification->verdicts, verdict);
    collect_warnings(verification, &proof);
    return TG_EXIT_DONE;
  }
  verification->ok = false;
  verification->failure = proof.failure;
  verification->failed = verdict;
  if (verification->range) verification->failed_at = tg_ranges_text(&verification->ranges, true);
  if (proof.failure.processor >= 0)
    tg_schedule_processor_text(&problem->schedule, proof.failure.processor, verification->failed_text,
                               sizeof verification->failed_text);
  return TG_EXIT_DONE;
}

/* A derived parameter that has no value, and why. */
static char *parameter_reason(const TgProblem *problem, int parameter) {
  const TgSchedule *schedule = &problem->schedule;
  int64_t value;
  const TgEvaluation evaluation = tg_expression_evaluate(schedule, schedule->parameter_value[parameter], NULL, &value);
  return g_strdup_printf("parameter %s %s", tg_name(&problem->names, problem->names.parameter[parameter]),
                         tg_evaluation_text(evaluation));
}

/* Counted by what is not met, whatever the values. */
static void count_skipped(TgVerification *verification) {
  const TgProblem *problem = &verification->problem;
  const int unmet = problem->schedule.unmet;
  const bool required = unmet < TG_MAX_REQUIRES;
  g_autofree char *reason = required ? g_strdup(tg_name(&problem->names, problem->names.require[unmet]))
                                     : parameter_reason(problem, unmet - TG_MAX_REQUIRES);
  for (guint i = 0; i < verification->skipped->len; i++) {
    TgSkipped *skipped = &g_array_index(verification->skipped, TgSkipped, i);
    if (strcmp(skipped->reason, reason) != 0) continue;
    skipped->sizes++;
    return;
  }
  TgSkipped skipped = {g_steal_pointer(&reason), required, 1};
  g_array_append_val(verification->skipped, skipped);
}

/* Binds the present values and checks them, or counts them as skipped. */
static TgExit check_values(TgCli *cli, TgVerification *verification, const TgBindings *given) {
  TgProblem *problem = &verification->problem;
  TgBindings bindings = *given;
  TgError error = {0};
  if (!tg_ranges_bind(&verification->ranges, &bindings, &error)) return tg_problem_report(cli, problem, &error);
  if (tg_schedule_bind(&problem->schedule, &problem->names, &bindings, &error)) return check_one(cli, verification);
  if (!verification->range || problem->schedule.bound != TG_BOUND_UNMET) {
    g_autofree char *at = tg_ranges_text(&verification->ranges, true);
    if (*at) {
      g_autofree char *message = g_strdup_printf("%s (for %s)", error.message, at);
      g_strlcpy(error.message, message, sizeof error.message);
    }
    return tg_problem_report(cli, problem, &error);
  }
  count_skipped(verification);
  return TG_EXIT_DONE;
}

static TgExit check_all(TgCli *cli, TgVerification *verification, const TgBindings *bindings) {
  TgProgressLine line;
  TgExit status = TG_EXIT_DONE;
  tg_progress_begin(&line, cli, tg_problem_name(&verification->problem), tg_ranges_combinations(&verification->ranges));
  verification->watch = tg_progress_watch(&line);
  tg_ranges_first(&verification->ranges);
  do {
    tg_progress_at(&line, verification->done);
    status = check_values(cli, verification, bindings);
    if (!status && tg_interrupted()) status = TG_EXIT_FAILED;
    verification->done++;
  } while (!status && verification->ok && tg_ranges_next(&verification->ranges));
  tg_progress_end(cli);
  return status;
}

TgExit tg_verification_run(TgCli *cli, TgVerification *verification, bool skip_unknown) {
  TgBindings bindings = {0};
  verification->ok = true;
  verification->verdicts = g_array_new(FALSE, FALSE, sizeof(TgVerdict));
  verification->skipped = g_array_new(FALSE, FALSE, sizeof(TgSkipped));
  verification->warnings = g_ptr_array_new_with_free_func(g_free);
  verification->range = cli->options.ranges != NULL;
  TgExit status = tg_collective_option(cli, &verification->collective);
  if (!status) status = tg_problem_bindings(cli, &bindings);
  if (!status) status = tg_ranges_parse(cli, &verification->problem, skip_unknown, &verification->ranges);
  if (!status) status = check_all(cli, verification, &bindings);
  if (status || !verification->ok || verification->verdicts->len) return status;
  if (cli->options.all) return TG_EXIT_DONE; /* the table says that this one has no such size */
  g_autofree char *scope = tg_verification_scope(verification);
  return tg_report(cli, TG_EXIT_USAGE, "%s: no size meets what the schedule requires: %s",
                   verification->problem.source.name, scope);
}
