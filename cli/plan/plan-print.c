/* What `plan` says to people. */
#include "output.h"
#include "plan-command.h"
#include "sim.h"

#include <math.h>
#include <string.h>

enum { OPEN_SHOWN = 12 };

/* How many of each cause are shown, by TgPlanCause, beside the open ones; --json has all. */
static const guint shown_of[TG_PLAN_CAUSES] = {4, 12, 4, 6, 6, 0, 3, 3, 4, 12};

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

static char *network_words(const TgPlanRun *run) {
  const TgNetworkKind kind = run->request.network_kind;
  if (run->has_network) return g_strdup(run->network_text);
  const char *name = tg_network_kind_info((int)kind)->name;
  return kind == TG_TORUS || kind == TG_MESH ? g_strdup_printf("a %s of the grid's extents", name)
                                             : g_strdup_printf("%s, a node for each processor of the grid", name);
}

static void print_head(TgCli *cli, const TgPlanRun *run) {
  const TgPlanRequest *request = &run->request;
  char memory[32];
  tg_bytes_text(request->memory_bytes, memory, sizeof memory);
  g_autofree char *network = network_words(run);
  tg_print(cli, "C %" PRId64 "x%" PRId64 ", inner dimension %" PRId64 ", %s, on at most %" PRId64 " processor%s%s%s\n",
           request->m, request->n, request->k, tg_element_name(run->element), request->processors,
           plural(request->processors), isinf(request->memory_bytes) ? "" : " with ",
           isinf(request->memory_bytes) ? "" : memory);
  tg_print(cli, "machine: %s; network %s; model %s%s, overlap %s\n", run->machine.name, network,
           tg_cost_model_name(request->model), request->fair_equal ? " with equal shares" : "",
           request->overlap ? "on" : "off");
}

/* "b=4, chain, gray": what was chosen beside the grid. */
static char *choices_text(const TgPlanPlace *place, bool embeddings) {
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  if (*place->parameters) g_ptr_array_add(words, place->parameters);
  if (place->has_collectives) g_ptr_array_add(words, (gpointer)tg_collective_name(place->collective));
  if (embeddings) g_ptr_array_add(words, (gpointer)tg_embedding_name((int)place->embedding));
  g_ptr_array_add(words, NULL);
  return g_strjoinv(", ", (char **)words->pdata);
}

static bool differ_in_embedding(const GArray *ranked) {
  for (guint i = 0; i < ranked->len; i++)
    if (g_array_index(ranked, TgPlanPlace, i).embedding != TG_ROWMAJOR) return true;
  return false;
}

static void add_place(TgTable *table, const TgPlanPlace *place, guint number, bool embeddings) {
  char time[32], compute[32], rest[32], memory[32], efficiency[32];
  g_autofree char *choices = choices_text(place, embeddings);
  tg_time_text(place->predicted_s, time, sizeof time);
  tg_time_text(place->compute_s, compute, sizeof compute);
  tg_time_text(place->communication_s, rest, sizeof rest);
  tg_bytes_text(place->bytes_per_processor, memory, sizeof memory);
  tg_percent_text(place->efficiency, efficiency, sizeof efficiency);
  tg_table_add(table, "%s%u", place->tie ? "=" : "", number);
  tg_table_add(table, "%s%s", place->source->name, place->proved ? "" : "*");
  tg_table_add(table, "%s", place->grid);
  tg_table_add(table, "%s", choices);
  tg_table_add(table, "%s%s", place->rounded ? "<= " : "", time);
  tg_table_add(table, "%s", compute);
  tg_table_add(table, "%s", rest);
  tg_table_add(table, "%s", efficiency);
  tg_table_add(table, "%s%s", place->memory_proved ? "" : "<= ", memory);
}

static void print_ranking(TgCli *cli, const TgPlan *plan) {
  static const char *const heads[] = {"",         "algorithm",     "grid",       "with",  "predicted",
                                      "products", "communication", "efficiency", "memory"};
  g_autoptr(TgTable) table = tg_table_new("rlllrrrrr");
  bool embeddings = differ_in_embedding(plan->ranked);
  for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) tg_table_add(table, "%s", heads[i]);
  for (guint i = 0; i < plan->ranked->len; i++)
    add_place(table, &g_array_index(plan->ranked, TgPlanPlace, i), i + 1, embeddings);
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  tg_print(cli, "\n");
  for (guint i = 0; i < plan->ranked->len; i++) {
    tg_print(cli, "  %2u  ", i + 1);
    tg_print_wrapped(cli, g_array_index(plan->ranked, TgPlanPlace, i).why, 6, 6);
  }
}

static void print_legend(TgCli *cli, const TgPlanRun *run) {
  bool ties = false, rounded = false, bounds = false, unproved = false;
  for (guint i = 0; i < run->plan.ranked->len; i++) {
    const TgPlanPlace *place = &g_array_index(run->plan.ranked, TgPlanPlace, i);
    ties = ties || place->tie;
    rounded = rounded || place->rounded;
    bounds = bounds || !place->memory_proved;
    unproved = unproved || !place->proved;
  }
  if (ties || rounded || bounds || unproved) tg_print(cli, "\n");
  if (ties)
    tg_print(cli, "  =: ties with the first: within %.3g %% of it, the machine's residual\n",
             100 * run->machine.residual);
  if (rounded) tg_print(cli, "  predicted <=: at sizes rounded up to whole blocks\n");
  if (bounds) tg_print(cli, "  memory <=: a bound; the others are the prover's\n");
  if (unproved) tg_print(cli, "  *: not proved on this grid, which would take long; see `topogemm verify`\n");
}

static void print_rejected(TgCli *cli, const TgPlan *plan) {
  g_autoptr(TgTable) table = tg_table_new("lll");
  guint shown = 0, open = 0, counts[TG_PLAN_CAUSES] = {0};
  for (guint i = 0; i < plan->rejected->len; i++) {
    const TgPlanReject *reject = &g_array_index(plan->rejected, TgPlanReject, i);
    guint *count = reject->open ? &open : &counts[reject->cause];
    if ((*count)++ >= (reject->open ? OPEN_SHOWN : shown_of[reject->cause])) continue;
    tg_table_add(table, "%s", reject->source->name);
    tg_table_add(table, "%s", *reject->grid ? reject->grid : "-");
    tg_table_add(table, "%s", reject->reason);
    shown++;
  }
  if (!plan->rejected->len) return;
  tg_print(cli, "\nnot %sin the ranking:\n", open ? "predicted, or not " : "");
  tg_table_print(cli, table, 2, false);
  if (shown < plan->rejected->len) tg_print(cli, "  … and %u more; --json has them all\n", plan->rejected->len - shown);
}

static void print_counts(TgCli *cli, const TgPlan *plan) {
  tg_print(cli,
           "\n%" PRId64 " combination%s of schedule, grid, parameters and collective; %" PRId64
           " prediction%s; %" PRId64 " ruled out by lower bounds",
           plan->considered, plural(plan->considered), plan->predicted, plural(plan->predicted), plan->pruned);
  if (plan->too_long) tg_print(cli, "; %" PRId64 " not predicted, which would take too long", plan->too_long);
  if (plan->open && plan->ranked->len) tg_print(cli, ": %" PRId64 " of them may be quicker than place 1", plan->open);
  tg_print(cli, "\n");
}

void tg_plan_print(TgCli *cli, const TgPlanRun *run) {
  const TgPlan *plan = &run->plan;
  print_head(cli, run);
  if (plan->ranked->len) {
    print_ranking(cli, plan);
    print_legend(cli, run);
  }
  print_rejected(cli, plan);
  print_counts(cli, plan);
}
