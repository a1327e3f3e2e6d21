/* topogemm verify: does the schedule compute its product, and what does it cost beside the lower bounds? */
#include "verify.h"
#include "interrupt.h"
#include "memory-limit.h"
#include "output.h"

#include "algo-library.h"
#include "bounds.h"
#include "shape.h"

#include <string.h>

/* --- `--for`: ranges of parameters -------------------------------------------------------------------------------- */

enum { TG_RANGES_MOST = 100000 }; /* combinations that one run goes through */

static int find_parameter(const TgAlgo *algo, const char *name) {
  for (int p = 0; p < algo->schedule.parameters; p++)
    if (strcmp(tg_name(&algo->names, algo->names.parameter[p]), name) == 0) return p;
  return -1;
}

static TgExit unknown_parameter(const TgCli *cli, const TgAlgo *algo, const char *name) {
  g_autoptr(GString) known = g_string_new(NULL);
  for (int p = 0; p < algo->schedule.parameters; p++)
    if (algo->schedule.parameter_kind[p] != TG_PARAMETER_DERIVED)
      g_string_append_printf(known, "%s%s", known->len ? ", " : "", tg_name(&algo->names, algo->names.parameter[p]));
  return tg_report(cli, TG_EXIT_USAGE, "--for: schedule %s has no parameter `%s`%s%s", tg_algo_name(algo), name,
                   known->len ? "; it has " : "", known->str);
}

static bool is_set(const TgCli *cli, const char *name) {
  for (char **set = cli->options.set; set && *set; set++)
    if (g_str_has_prefix(*set, name) && (*set)[strlen(name)] == '=') return true;
  return false;
}

static TgExit add_range(const TgCli *cli, TgRanges *ranges, const char *name, int64_t low, int64_t high) {
  for (int i = 0; i < ranges->count; i++)
    if (strcmp(ranges->range[i].name, name) == 0)
      return tg_report(cli, TG_EXIT_USAGE, "--for: two ranges for `%s`; give only one", name);
  if (is_set(cli, name)) return tg_report(cli, TG_EXIT_USAGE, "`%s` is in --set and in --for; give only one", name);
  TgRange *range = &ranges->range[ranges->count++];
  *range = (TgRange){.low = low, .high = high, .now = low};
  g_strlcpy(range->name, name, sizeof range->name);
  return TG_EXIT_DONE;
}

/* A range without a name: for each parameter that nothing else gives a value. */
static TgExit add_unnamed(const TgCli *cli, const TgAlgo *algo, TgRanges *ranges, int64_t low, int64_t high) {
  TgExit status = TG_EXIT_DONE;
  for (int p = 0; p < algo->schedule.parameters && !status; p++) {
    const char *name = tg_name(&algo->names, algo->names.parameter[p]);
    if (algo->schedule.parameter_kind[p] > TG_PARAMETER_SET || is_set(cli, name)) continue;
    status = add_range(cli, ranges, name, low, high);
  }
  return status;
}

static TgExit parse_bounds(const TgCli *cli, const char *text, int64_t *low, int64_t *high) {
  g_auto(GStrv) ends = g_strsplit(text, "..", 2);
  if (!*text || !ends[0] || !*ends[0] || (ends[1] && !*ends[1]))
    return tg_report(cli, TG_EXIT_USAGE, "--for: `%s` is not a range; expected one such as q=1..32", text);
  TgExit status = tg_number_parse(cli, "--for", ends[0], INT32_MIN, INT32_MAX, low);
  *high = *low;
  if (!status) status = tg_number_parse(cli, "--for", ends[1], INT32_MIN, INT32_MAX, high);
  if (!status && *high < *low)
    return tg_report(cli, TG_EXIT_USAGE, "--for: the range %s is empty: its end is less than its beginning", text);
  return status;
}

static TgExit parse_range(const TgCli *cli, const TgAlgo *algo, bool skip_unknown, const char *text, TgRanges *ranges) {
  const char *sign = strchr(text, '=');
  int64_t low = 0, high = 0;
  TgExit status = parse_bounds(cli, sign ? sign + 1 : text, &low, &high);
  if (status) return status;
  if (!sign) return add_unnamed(cli, algo, ranges, low, high);
  g_autofree char *name = g_strndup(text, (gsize)(sign - text));
  int p = find_parameter(algo, name);
  if (p < 0 && skip_unknown) return TG_EXIT_DONE;
  if (p < 0 || algo->schedule.parameter_kind[p] == TG_PARAMETER_DERIVED) return unknown_parameter(cli, algo, name);
  return add_range(cli, ranges, name, low, high);
}

/* Every parameter that needs a value has a range or a --set. */
static TgExit check_complete(const TgCli *cli, const TgAlgo *algo, const TgRanges *ranges) {
  for (int p = 0; p < algo->schedule.parameters; p++) {
    const char *name = tg_name(&algo->names, algo->names.parameter[p]);
    bool known = algo->schedule.parameter_kind[p] > TG_PARAMETER_SET || is_set(cli, name);
    for (int i = 0; i < ranges->count && !known; i++) known = strcmp(ranges->range[i].name, name) == 0;
    if (!known)
      return tg_report(cli, TG_EXIT_USAGE,
                       "--for: `%s` of schedule %s has no value; give it a range too (%s=1..4) or use --set", name,
                       tg_algo_name(algo), name);
  }
  return TG_EXIT_DONE;
}

static int64_t ranges_combinations(const TgRanges *ranges) {
  int64_t combinations = 1;
  for (int i = 0; i < ranges->count && combinations <= TG_RANGES_MOST; i++)
    combinations *= ranges->range[i].high - ranges->range[i].low + 1;
  return combinations;
}

/* Reads all `--for` of the command line for one schedule. A range without a name becomes one for every parameter that
 * needs a value. With `skip_unknown`, names that the schedule has no parameter for are left out; else they are an
 * error. */
static TgExit ranges_parse(const TgCli *cli, const TgAlgo *algo, bool skip_unknown, TgRanges *ranges) {
  memset(ranges, 0, sizeof *ranges);
  TgExit status = TG_EXIT_DONE;
  for (char **option = cli->options.ranges; option && *option && !status; option++) {
    g_auto(GStrv) parts = g_strsplit(*option, ",", -1);
    if (!*parts) return tg_report(cli, TG_EXIT_USAGE, "--for: expected a range, as in q=1..32");
    for (char **part = parts; *part && !status; part++) status = parse_range(cli, algo, skip_unknown, *part, ranges);
  }
  if (!status && ranges_combinations(ranges) > TG_RANGES_MOST)
    return tg_report(cli, TG_EXIT_USAGE, "--for: too many sizes, expected at most %d", TG_RANGES_MOST);
  return status || !cli->options.ranges ? status : check_complete(cli, algo, ranges);
}

static void ranges_first(TgRanges *ranges) {
  for (int i = 0; i < ranges->count; i++) ranges->range[i].now = ranges->range[i].low;
}

/* False after the last combination. */
static bool ranges_next(TgRanges *ranges) {
  for (int i = ranges->count - 1; i >= 0; i--) {
    if (ranges->range[i].now++ < ranges->range[i].high) return true;
    ranges->range[i].now = ranges->range[i].low;
  }
  return false;
}

/* Adds the present values to the bindings. */
static bool ranges_bind(const TgRanges *ranges, TgBindings *bindings, TgError *error) {
  for (int i = 0; i < ranges->count; i++)
    if (!tg_bindings_set(bindings, ranges->range[i].name, ranges->range[i].now, error)) return false;
  return true;
}

char *tg_ranges_text(const TgRanges *ranges, bool now) {
  GString *text = g_string_new(NULL);
  for (int i = 0; i < ranges->count; i++) {
    const TgRange *range = &ranges->range[i];
    g_string_append_printf(text, "%s%s = %" PRId64, i ? ", " : "", range->name, now ? range->now : range->low);
    if (!now && range->high != range->low) g_string_append_printf(text, " to %" PRId64, range->high);
  }
  return g_string_free(text, FALSE);
}

/* --- the proof at one size or many -------------------------------------------------------------------------------- */

enum { USUAL_SIZE = 1024 };

static void verification_clear(TgVerification *verification) {
  tg_algo_clear(&verification->algo);
  for (guint i = 0; verification->skipped && i < verification->skipped->len; i++)
    g_free(g_array_index(verification->skipped, TgSkipped, i).reason);
  g_clear_pointer(&verification->verdicts, g_array_unref);
  g_clear_pointer(&verification->skipped, g_array_unref);
  g_clear_pointer(&verification->warnings, g_ptr_array_unref);
  g_clear_pointer(&verification->failed_at, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgVerification, verification_clear)

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
  const TgSchedule *schedule = &verification->algo.schedule;
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
  verdict.grid = tg_schedule_grid_text(schedule);
  if (proof->busiest >= 0) verdict.busiest_text = tg_schedule_processor_text(schedule, proof->busiest);
  return verdict;
}

static void collect_warnings(TgVerification *verification, const TgProof *proof) {
  const TgAlgo *algo = &verification->algo;
  g_autofree char *at = verification->range ? tg_ranges_text(&verification->ranges, true) : NULL;
  for (int i = 0; i < proof->unread_count; i++) {
    const TgUnread *unread = &proof->unread[i];
    const TgStatement *statement = &algo->schedule.statement[unread->statement];
    if (verification->warned & UINT64_C(1) << unread->statement) continue;
    verification->warned |= UINT64_C(1) << unread->statement;
    char *text =
        g_strdup_printf("%s:%d: `%s` delivers blocks that no statement reads%s%s: %" PRId64
                        " in total, the first in step %" PRId64 " to processor %s",
                        algo->source.name, statement->line,
                        tg_name(&algo->names, algo->names.source[unread->statement]), at ? " with " : "", at ? at : "",
                        unread->times, unread->step, tg_schedule_processor_text(&algo->schedule, unread->processor).s);
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
  TgAlgo *algo = &verification->algo;
  TgProof proof;
  int64_t m, n, k;
  TgExit status = find_sizes(cli, &algo->schedule, &m, &n, &k);
  if (!status) status = tg_memory_check_proof(cli, algo, 0);
  if (status) return status;
  const TgWatch many = {.go_on = one_of_many, .user = verification};
  if (!verification->range) cli->progress->total = tg_walk_count_statements(&algo->schedule, &algo->names);
  bool right = tg_prove_watched(&algo->schedule, &algo->names, verification->collective, m, n, k,
                                verification->range ? &many : &verification->watch, &proof);
  if (proof.failure.cause == TG_CAUSE_STOPPED) return TG_EXIT_FAILED;
  if (!right && proof.failure.cause == TG_CAUSE_MEMORY) return tg_algo_report_failure(cli, algo, &proof.failure);
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
  return TG_EXIT_DONE;
}

/* A derived parameter that has no value, and why. */
static char *parameter_reason(const TgAlgo *algo, int parameter) {
  const TgSchedule *schedule = &algo->schedule;
  int64_t value;
  const TgEvaluation evaluation = tg_expression_evaluate(schedule, schedule->parameter_value[parameter], NULL, &value);
  return g_strdup_printf("parameter %s %s", tg_name(&algo->names, algo->names.parameter[parameter]),
                         tg_evaluation_text(evaluation));
}

/* Counted by what is not met, whatever the values. */
static void count_skipped(TgVerification *verification) {
  const TgAlgo *algo = &verification->algo;
  const int unmet = algo->schedule.unmet;
  const bool required = unmet < TG_MAX_REQUIRES;
  g_autofree char *reason = required ? g_strdup(tg_name(&algo->names, algo->names.require[unmet]))
                                     : parameter_reason(algo, unmet - TG_MAX_REQUIRES);
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
  TgAlgo *algo = &verification->algo;
  TgBindings bindings = *given;
  TgError error = {0};
  if (!ranges_bind(&verification->ranges, &bindings, &error)) return tg_algo_report(cli, algo, &error);
  if (tg_schedule_bind(&algo->schedule, &algo->names, &bindings, &error)) return check_one(cli, verification);
  if (!verification->range || algo->schedule.bound != TG_BOUND_UNMET) {
    g_autofree char *at = tg_ranges_text(&verification->ranges, true);
    if (*at) {
      g_autofree char *message = g_strdup_printf("%s (for %s)", error.message, at);
      g_strlcpy(error.message, message, sizeof error.message);
    }
    return tg_algo_report(cli, algo, &error);
  }
  count_skipped(verification);
  return TG_EXIT_DONE;
}

static TgExit check_all(TgCli *cli, TgVerification *verification, const TgBindings *bindings) {
  TgProgressLine line;
  TgExit status = TG_EXIT_DONE;
  tg_progress_begin(&line, cli, tg_algo_name(&verification->algo), ranges_combinations(&verification->ranges));
  verification->watch = tg_progress_watch(&line);
  ranges_first(&verification->ranges);
  do {
    tg_progress_at(&line, verification->done);
    status = check_values(cli, verification, bindings);
    if (!status && tg_interrupted()) status = TG_EXIT_FAILED;
    verification->done++;
  } while (!status && verification->ok && ranges_next(&verification->ranges));
  tg_progress_end(cli);
  return status;
}

/* Checks the parsed schedule at all sizes asked. TG_EXIT_DONE also where the proof fails: see `ok`. */
static TgExit verification_run(TgCli *cli, TgVerification *verification, bool skip_unknown) {
  TgBindings bindings = {0};
  verification->ok = true;
  verification->verdicts = g_array_new(FALSE, FALSE, sizeof(TgVerdict));
  verification->skipped = g_array_new(FALSE, FALSE, sizeof(TgSkipped));
  verification->warnings = g_ptr_array_new_with_free_func(g_free);
  verification->range = cli->options.ranges != NULL;
  TgExit status = tg_collective_option(cli, &verification->collective);
  if (!status) status = tg_algo_bindings(cli, &bindings);
  if (!status) status = ranges_parse(cli, &verification->algo, skip_unknown, &verification->ranges);
  if (!status) status = check_all(cli, verification, &bindings);
  if (status || !verification->ok || verification->verdicts->len) return status;
  if (cli->options.all) return TG_EXIT_DONE; /* the table says that this one has no such size */
  g_autofree char *scope = tg_verification_scope(verification);
  return tg_report(cli, TG_EXIT_USAGE, "%s: no size meets what the schedule requires: %s",
                   verification->algo.source.name, scope);
}

static TgExit check_options(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  if (options->all && options->arguments) return tg_report(cli, TG_EXIT_USAGE, "verify: give ALGO or --all, not both");
  if (!options->all && !options->arguments)
    return tg_report(cli, TG_EXIT_USAGE, "verify: expected ALGO or --all; see `topogemm verify --help`");
  if (options->grid && options->ranges) return tg_report(cli, TG_EXIT_USAGE, "verify: give --grid or --for, not both");
  if (options->all && !options->ranges)
    return tg_report(cli, TG_EXIT_USAGE, "verify --all: expected --for, as in --for 1..6");
  return TG_EXIT_DONE;
}

static TgExit verify_one(TgCli *cli) {
  g_auto(TgVerification) verification = {0};
  TgExit status = tg_algo_parse(cli, &verification.algo, cli->options.arguments[0]);
  if (!status) status = verification_run(cli, &verification, false);
  if (status) return status;
  if (cli->options.json) {
    g_autoptr(TgJson) json = tg_json_new();
    tg_verification_write(json, &verification);
    tg_print_json(cli, json);
  } else if (verification.ok && !cli->options.quiet) {
    tg_verification_print(cli, &verification);
  }
  return verification.ok ? TG_EXIT_DONE : tg_verification_report(cli, &verification);
}

static TgExit verify_entry(TgCli *cli, const char *name, TgTable *table, TgJson *json) {
  g_auto(TgVerification) verification = {0};
  TgExit status = tg_algo_parse(cli, &verification.algo, name);
  if (!status) status = verification_run(cli, &verification, true);
  if (status) return status;
  tg_verification_add(table, &verification);
  tg_verification_write(json, &verification);
  return verification.ok ? TG_EXIT_DONE : tg_verification_report(cli, &verification);
}

static TgExit verify_all(TgCli *cli) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  g_autoptr(TgTable) table = tg_verification_table();
  g_autoptr(TgJson) json = tg_json_new();
  TgExit worst = TG_EXIT_DONE;
  tg_json_begin_document(json, "verify-all");
  tg_json_member_array(json, "schedules", TG_JSON_LINES);
  for (size_t i = 0; i < count; i++) {
    TgExit status = verify_entry(cli, entries[i].name, table, json);
    if (status && status != TG_EXIT_WRONG) return status;
    worst = MAX(worst, status);
  }
  tg_json_end_array(json);
  tg_json_member_bool(json, "ok", worst == TG_EXIT_DONE);
  tg_json_end_object(json);
  if (cli->options.json)
    tg_print_json(cli, json);
  else if (!cli->options.quiet)
    tg_verification_print_table(cli, table);
  return worst;
}

static TgExit run(TgCli *cli) {
  TgExit status = check_options(cli);
  if (status) return status;
  return cli->options.all ? verify_all(cli) : verify_one(cli);
}

static const char *const options[] = {"grid",       "set",  "for",   "all",          "n", "size",
                                      "collective", "json", "quiet", "memory-limit", NULL};
static const TgExample examples[] = {
    {"verify cannon --grid 4x4", "one grid: the proof, words sent and held, and the lower bounds on both"},
    {"verify cannon25d --for q=1..8,c=1..4",
     "every combination; sizes that the schedule does not support are only counted"},
    {"verify summa-panels --grid 4x4 --set b=2 --size 64x32x16",
     "words counted for C of 64 x 32 and inner dimension 16"},
    {"verify --all --for 1..5", "every schedule of the library, with every parameter from 1 to 5"},
    {"verify dns --grid 4x4x4 --collective binomial --json", "with collectives in rounds, as JSON"},
    {NULL, NULL},
};

const TgCommand tg_command_verify = {
    .name = "verify",
    .arguments = "ALGO",
    .summary = "prove that a schedule computes its product, or show where it fails",
    .details = "Executes the schedule on the names of blocks. Every read must find a block, no slot may be written "
               "twice at the same time, inner indices must match, and every block of C must end in its place with each "
               "inner index added exactly once. Then reports the cost next to the known lower bounds.\n"
               "ALGO is a name from `topogemm list algorithms` or the path of a .sched file. Without -n or --size, "
               "words are counted at the smallest sizes from 1024 on that make all blocks equal. If the proof fails, "
               "the report names the step, the processor and the line, and the exit status is 3.",
    .examples = examples,
    .options = options,
    .arguments_max = 1,
    .run = run,
};
