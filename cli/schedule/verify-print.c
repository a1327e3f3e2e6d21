/* The documents of `verify`, and what it says to people. */
#include "output.h"
#include "verify.h"

#include "estimate.h"
#include "shape.h"

#include <math.h>

TG_FIELD_TABLE(verdict_fields, TG_FIELD(TgVerdict, grid), TG_FIELD(TgVerdict, processors), TG_FIELD(TgVerdict, steps),
               TG_FIELD(TgVerdict, counts.statements), TG_FIELD(TgVerdict, counts.products),
               TG_FIELD(TgVerdict, counts.messages), TG_FIELD(TgVerdict, counts.blocks_per_processor_max),
               TG_FIELD(TgVerdict, counts.words_per_processor_max), TG_FIELD(TgVerdict, words_received_max),
               TG_FIELD(TgVerdict, m), TG_FIELD(TgVerdict, n), TG_FIELD(TgVerdict, k));

static void write_verdict(TgJson *json, const TgVerdict *verdict) {
  const TgBounds *bounds = &verdict->bounds;
  const double received = tg_bounds_received(bounds);
  tg_json_members(json, verdict_fields, verdict);
  tg_json_key(json, "bounds");
  if (!bounds->apply) {
    tg_json_null(json);
    return;
  }
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_double(json, "words_received_memory_independent", bounds->independent);
  tg_json_member_double(json, "words_received_memory_dependent", bounds->dependent);
  tg_json_member_double(json, "words_received_ratio",
                        received > 0 ? (double)verdict->words_received_max / received : NAN);
  tg_json_member_double(json, "words_per_processor", bounds->memory);
  tg_json_member_double(json, "words_per_processor_ratio",
                        (double)verdict->counts.words_per_processor_max / bounds->memory);
  tg_json_end_object(json);
}

static void write_values(TgJson *json, const TgRanges *ranges, const int64_t *value) {
  TgBindings parameters = {0};
  for (int i = 0; i < ranges->count; i++) tg_bindings_set(&parameters, ranges->range[i].name, value[i], NULL);
  tg_parameters_write(json, &parameters);
}

static void write_sizes(TgJson *json, const TgVerification *verification) {
  int64_t skipped = 0;
  for (guint i = 0; i < verification->skipped->len; i++)
    skipped += g_array_index(verification->skipped, TgSkipped, i).sizes;
  tg_json_member_integer(json, "sizes_checked", verification->verdicts->len);
  tg_json_member_integer(json, "sizes_skipped", skipped);
  tg_json_member_array(json, "sizes", TG_JSON_LINES);
  for (guint i = 0; i < verification->verdicts->len; i++) {
    const TgVerdict *verdict = &g_array_index(verification->verdicts, TgVerdict, i);
    tg_json_begin_object(json, TG_JSON_ROW);
    write_values(json, &verification->ranges, verdict->value);
    write_verdict(json, verdict);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

static void write_one(TgJson *json, const TgVerification *verification) {
  TgBindings parameters;
  tg_parameters_of(&verification->algo.schedule, &verification->algo.names, &parameters);
  tg_parameters_write(json, &parameters);
  write_verdict(json, verification->ok ? &g_array_index(verification->verdicts, TgVerdict, 0) : &verification->failed);
}

static void write_error(TgJson *json, const TgVerification *verification) {
  tg_json_member_object(json, "error", TG_JSON_LINES);
  if (verification->range) {
    write_values(json, &verification->ranges, verification->failed.value);
    tg_json_member_string(json, "grid", verification->failed.grid.s);
  }
  tg_failure_write(json, &verification->algo.schedule, &verification->failure);
  tg_json_end_object(json);
}

void tg_verification_write(TgJson *json, const TgVerification *verification) {
  tg_json_begin_document(json, verification->range ? "verify-range" : "verify");
  tg_json_member_bool(json, "ok", verification->ok && verification->verdicts->len > 0);
  tg_json_member_string(json, "algorithm", tg_algo_name(&verification->algo));
  tg_json_member_string(json, "computes", tg_computes_text(&verification->algo.schedule.computes).s);
  tg_json_member_string(json, "collective", tg_collective_name(verification->collective));
  if (verification->range)
    write_sizes(json, verification);
  else
    write_one(json, verification);
  tg_json_member_array(json, "warnings", TG_JSON_LINES);
  for (guint i = 0; i < verification->warnings->len; i++) tg_json_string(json, verification->warnings->pdata[i]);
  tg_json_end_array(json);
  if (!verification->ok) write_error(json, verification);
  tg_json_end_object(json);
}

enum { ROWS = 64 }; /* of a table of sizes; beyond, as many of them spread evenly */

static const char al_daas[] = "Al Daas, Ballard, Grigori, Kumar, Rouse, Tight Memory-Independent Parallel Matrix "
                              "Multiplication Communication Lower Bounds, SPAA 2022";
static const char smith[] =
    "2mnk/(p sqrt(M)) - 2M with M words of memory: Smith, Lowery, Langou, van de Geijn, A Tight "
    "I/O Lower Bound for Matrix Multiplication, arXiv 1702.02017";

char *tg_verification_scope(const TgVerification *verification) {
  g_autofree char *ranges = tg_ranges_text(&verification->ranges, false);
  GString *text = g_string_new(NULL);
  guint checked = verification->verdicts->len;
  g_string_append_printf(text, "checked for %s (%u size%s", ranges, checked, checked == 1 ? "" : "s");
  for (guint i = 0; i < verification->skipped->len; i++) {
    const TgSkipped *skipped = &g_array_index(verification->skipped, TgSkipped, i);
    if (skipped->required)
      g_string_append_printf(text, "; %" PRId64 " more %s not meet `require %s`", skipped->sizes,
                             skipped->sizes == 1 ? "does" : "do", skipped->reason);
    else
      g_string_append_printf(text, "; %" PRId64 " more left out: %s", skipped->sizes, skipped->reason);
  }
  g_string_append_c(text, ')');
  return g_string_free(text, FALSE);
}

static void add_number(TgTable *table, const char *name, int64_t number, const char *what) {
  tg_table_add(table, "%s", name);
  tg_table_add(table, "%" PRId64, number);
  tg_table_add(table, "%s", what);
}

static void print_counts(TgCli *cli, const TgVerification *verification, const TgVerdict *verdict) {
  g_autoptr(TgTable) table = tg_table_new("lrl");
  bool whole = verification->collective == TG_COLLECTIVE_WHOLE;
  g_autofree char *messages =
      whole ? g_strdup("blocks that arrive from another processor")
            : g_strdup_printf("blocks or pieces that arrive from another processor (collectives: %s)",
                              tg_collective_name(verification->collective));
  add_number(table, "processors", verdict->processors, "");
  add_number(table, "steps", verdict->steps, "");
  add_number(table, "statements", verdict->counts.statements, "executed one after another, repetitions included");
  add_number(table, "products", verdict->counts.products, "of two blocks, over all processors");
  add_number(table, "messages", verdict->counts.messages, messages);
  add_number(table, "memory", verdict->counts.blocks_per_processor_max, "blocks at once on the fullest processor");
  tg_table_print(cli, table, 2, false);
}

static bool is_bound(double bound) {
  return bound > 1e-6; /* what rounding leaves of 0 is none */
}

static void add_bound_number(TgTable *table, double bound) {
  if (is_bound(bound))
    tg_table_add(table, bound < 1000 ? "%.4g" : "%.0f", bound);
  else
    tg_table_add(table, "-");
}

static void add_ratio(TgTable *table, int64_t here, double bound) {
  if (is_bound(bound))
    tg_table_add(table, "%.2f", (double)here / bound);
  else
    tg_table_add(table, "-");
}

/* `none`: why there may be no bound. */
static void add_bound(TgTable *table, const char *what, int64_t here, double bound, const char *source,
                      const char *none) {
  tg_table_add(table, "%s", what);
  tg_table_add(table, "%" PRId64, here);
  add_bound_number(table, bound);
  add_ratio(table, here, bound);
  tg_table_add(table, "%s%s%s", source, is_bound(bound) ? "" : ": ", is_bound(bound) ? "" : none);
}

static void print_sources(TgCli *cli) {
  tg_print(cli, "  [1] ");
  tg_print_wrapped(cli, al_daas, 6, 6);
  tg_print(cli, "  [2] ");
  tg_print_wrapped(cli, smith, 6, 6);
}

/* "m = n = k = 1024" */
static char *sizes_text(const TgVerdict *verdict) {
  if (verdict->m == verdict->n && verdict->m == verdict->k) return g_strdup_printf("m = n = k = %" PRId64, verdict->m);
  return g_strdup_printf("m = %" PRId64 ", n = %" PRId64 ", k = %" PRId64, verdict->m, verdict->n, verdict->k);
}

static void print_words(TgCli *cli, const TgVerdict *verdict) {
  const TgBounds *bounds = &verdict->bounds;
  g_autoptr(TgTable) table = tg_table_new("lrrrl");
  g_autofree char *received = verdict->busiest < 0
                                  ? g_strdup("received by the busiest processor")
                                  : g_strdup_printf("received by the busiest processor, %s", verdict->busiest_text.s);
  g_autofree char *sizes = sizes_text(verdict);
  tg_table_add(table, "words, at %s", sizes);
  tg_table_add_row(table, "here|at least|ratio|lower bound");
  add_bound(table, received, verdict->words_received_max, bounds->independent, "memory-independent [1]",
            "no bound for one processor");
  add_bound(table, "", verdict->words_received_max, bounds->dependent, "memory-dependent [2]",
            "no bound for this memory size");
  add_bound(table, "held by the fullest processor", verdict->counts.words_per_processor_max, bounds->memory,
            "one copy of A, B and C, spread evenly", "");
  tg_table_print(cli, table, 2, true);
  print_sources(cli);
  tg_print(cli, "  A word is one element of a matrix.\n");
}

static void print_words_alone(TgCli *cli, const TgVerdict *verdict, const char *formula) {
  g_autofree char *sizes = sizes_text(verdict);
  tg_print(cli, "  at %s, in words (elements of a matrix):\n", sizes);
  tg_print(cli, "  %" PRId64 " received by the busiest processor%s%s, %" PRId64 " held by the fullest\n",
           verdict->words_received_max, verdict->busiest < 0 ? "" : ", ", verdict->busiest_text.s,
           verdict->counts.words_per_processor_max);
  tg_print(cli, "  The known lower bounds are for C = A * B, not for %s.\n", formula);
}

static void print_size(TgCli *cli, const TgVerification *verification, const char *formula) {
  const TgVerdict *verdict = &g_array_index(verification->verdicts, TgVerdict, 0);
  tg_print_styled(cli, TG_STYLE_GOOD, "%s on %s computes %s", tg_algo_name(&verification->algo), verdict->grid.s,
                  formula);
  tg_print(cli, " (checked for this grid)\n\n");
  print_counts(cli, verification, verdict);
  tg_print(cli, "\n");
  if (verdict->bounds.apply)
    print_words(cli, verdict);
  else
    print_words_alone(cli, verdict, formula);
}

static void add_row(TgTable *table, const TgVerification *verification, const TgVerdict *verdict) {
  for (int i = 0; i < verification->ranges.count; i++) tg_table_add(table, "%" PRId64, verdict->value[i]);
  const TgStateCounts *counts = &verdict->counts;
  const int64_t numbers[] = {verdict->processors, verdict->steps, counts->products, counts->messages,
                             counts->blocks_per_processor_max};
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) tg_table_add(table, "%" PRId64, numbers[i]);
  if (verdict->m == verdict->n && verdict->m == verdict->k)
    tg_table_add(table, "%" PRId64, verdict->m);
  else
    tg_table_add(table, "%" PRId64 "x%" PRId64 "x%" PRId64, verdict->m, verdict->n, verdict->k);
  double received = tg_bounds_received(&verdict->bounds);
  tg_table_add(table, "%" PRId64, verdict->words_received_max);
  if (verdict->bounds.apply) {
    add_bound_number(table, received);
    add_ratio(table, verdict->words_received_max, received);
  }
  tg_table_add(table, "%" PRId64, counts->words_per_processor_max);
  if (verdict->bounds.apply) add_ratio(table, counts->words_per_processor_max, verdict->bounds.memory);
}

static const char *const columns_bounds[] = {"processors", "steps",    "products", "messages", "blocks", "size",
                                             "received",   "at least", "ratio",    "memory",   "ratio",  NULL};
static const char *const columns[] = {"processors", "steps",    "products", "messages", "blocks",
                                      "size",       "received", "memory",   NULL};

static void print_rows(TgCli *cli, const TgVerification *verification, bool bounds) {
  const char *const *head = bounds ? columns_bounds : columns;
  g_autofree char *align = g_strnfill((gsize)verification->ranges.count + g_strv_length((char **)head), 'r');
  g_autoptr(TgTable) table = tg_table_new(align);
  for (int i = 0; i < verification->ranges.count; i++) tg_table_add(table, "%s", verification->ranges.range[i].name);
  for (; *head; head++) tg_table_add(table, "%s", *head);
  guint count = verification->verdicts->len, shown = MIN(count, (guint)ROWS);
  for (guint i = 0; i < shown; i++) {
    guint row = shown < 2 ? 0 : (guint)((uint64_t)i * (count - 1) / (shown - 1));
    add_row(table, verification, &g_array_index(verification->verdicts, TgVerdict, row));
  }
  tg_table_print(cli, table, 2, true);
  if (shown < count) tg_print(cli, "  (%u of %u sizes; --json prints all of them)\n", shown, count);
}

static void print_legend(TgCli *cli, bool bounds) {
  tg_print(cli, "\n");
  tg_print_wrapped(cli,
                   "messages: blocks that arrive from another processor. blocks: at once on the fullest processor. "
                   "size: m = n = k, or m x n x k, for which words (matrix elements) are counted. received: words that "
                   "the busiest processor receives. memory: words that the fullest processor holds.",
                   2, 0);
  if (!bounds) {
    tg_print_wrapped(cli, "The known lower bounds are for C = A * B only.", 2, 0);
    return;
  }
  tg_print_wrapped(cli,
                   "at least: the larger of two lower bounds, memory-independent [1] and memory-dependent [2]. The "
                   "last ratio compares memory with one copy of A, B and C, spread evenly.",
                   2, 0);
  print_sources(cli);
}

static void print_range(TgCli *cli, const TgVerification *verification, const char *formula) {
  bool bounds = g_array_index(verification->verdicts, TgVerdict, 0).bounds.apply;
  g_autofree char *scope = tg_verification_scope(verification);
  tg_print_styled(cli, TG_STYLE_GOOD, "%s computes %s", tg_algo_name(&verification->algo), formula);
  tg_print(cli, ": %s\n\n", scope);
  print_rows(cli, verification, bounds);
  print_legend(cli, bounds);
}

void tg_verification_print(TgCli *cli, const TgVerification *verification) {
  const TgText formula = tg_computes_text(&verification->algo.schedule.computes);
  if (verification->range)
    print_range(cli, verification, formula.s);
  else
    print_size(cli, verification, formula.s);
  for (guint i = 0; i < verification->warnings->len; i++)
    tg_print(cli, "\nwarning: %s\n", (const char *)verification->warnings->pdata[i]);
}

TgTable *tg_verification_table(void) {
  TgTable *table = tg_table_new("lllrrrrrl");
  tg_table_add_row(table, "algorithm|computes|grid|received|at least|ratio|memory|ratio|checked");
  return table;
}

void tg_verification_add(TgTable *table, const TgVerification *verification) {
  g_autofree char *scope = tg_verification_scope(verification);
  tg_table_add(table, "%s", tg_algo_name(&verification->algo));
  tg_table_add(table, "%s",
               !verification->ok             ? "FAILS"
               : verification->verdicts->len ? tg_computes_text(&verification->algo.schedule.computes).s
                                             : "unchecked");
  if (verification->verdicts->len) {
    const TgVerdict *verdict = &g_array_index(verification->verdicts, TgVerdict, verification->verdicts->len - 1);
    double received = tg_bounds_received(&verdict->bounds);
    tg_table_add(table, "%s", verdict->grid.s);
    tg_table_add(table, "%" PRId64, verdict->words_received_max);
    add_bound_number(table, received);
    add_ratio(table, verdict->words_received_max, received);
    tg_table_add(table, "%" PRId64, verdict->counts.words_per_processor_max);
    add_ratio(table, verdict->counts.words_per_processor_max, verdict->bounds.apply ? verdict->bounds.memory : 0);
  } else {
    for (int i = 0; i < 6; i++) tg_table_add(table, "-");
  }
  tg_table_add(table, "%s", scope);
}

void tg_verification_print_table(TgCli *cli, const TgTable *table) {
  tg_table_print(cli, table, 0, true);
  tg_print(cli, "\n");
  tg_print_wrapped(cli,
                   "On the largest grid, in words (matrix elements): received by the busiest processor, and memory of "
                   "the fullest. at least: the larger of the lower bounds [1] and [2], known for products of two "
                   "matrices. The last ratio compares memory with one copy of A, B and C, spread evenly.",
                   0, 0);
  print_sources(cli);
}

TgExit tg_verification_report(const TgCli *cli, const TgVerification *verification) {
  const TgAlgo *algo = &verification->algo;
  const TgError *failure = &verification->failure;
  const char *at = verification->failed_at ? verification->failed_at : verification->failed.grid.s;
  g_autofree char *message =
      g_strdup_printf("%s (%s%s)", failure->message, verification->failed_at ? "with " : "on ", at);
  return tg_report_at(cli, TG_EXIT_WRONG, &algo->source, failure->line, failure->column, message);
}
