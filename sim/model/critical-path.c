#include "critical-path.h"

#include "sim-error.h"
#include "phase.h"

#define ROUNDING 1e-9 /* of the run's time: what differs by less is the same time */

/* A phase of the run and the index of its step. */
typedef struct Held {
  TgPhase *phase;
  int64_t step;
} Held;

typedef struct Search {
  const TgCost *cost;
  TgEmbedding embedding;
  bool receivers_wait_alone; /* a message goes whether or not its receiver is there */
  GArray *held;              /* Held, in program order */
  guint end;                 /* of those before the step that is looked at */
  int64_t *asked;            /* by node: 1 + the step for which it was last found to matter */
  GArray *members;           /* int64_t: the nodes that matter in the step; the first is the chain's own */
} Search;

static void drop_held(gpointer held) {
  tg_phase_release(((Held *)held)->phase);
}

static int64_t node_of(const Search *search, int32_t processor) {
  return tg_embedding_node(&search->embedding, processor);
}

static void note_talks(const Search *search, const Held *held, TgCriticalPath *path) {
  uint8_t *talks = path->talks + held->step * path->nodes;
  for (int64_t t = 0; t < held->phase->transfers; t++) {
    int64_t from = node_of(search, held->phase->from[t]), to = node_of(search, held->phase->to[t]);
    if (from != to) talks[from] = talks[to] = 1;
  }
}

/* Steps without a phase are not in the cost's trace either, so counting changes of the number finds its entries. */
static bool hold_phases(Search *search, TgPhases *phases, TgCriticalPath *path, GError **error) {
  Held held = {.step = -1};
  TgPhaseAt at;
  int64_t number = 0;
  TgProgress progress;
  while ((progress = tg_phases_next(phases, &held.phase, &at, error)) == TG_PROGRESS_MORE) {
    if (at.step != number) held.step++;
    number = at.step;
    g_array_append_val(search->held, held);
    note_talks(search, &held, path);
  }
  return progress == TG_PROGRESS_END;
}

static void add_member(Search *search, int64_t step, int64_t node) {
  if (search->asked[node] == step + 1) return;
  search->asked[node] = step + 1;
  g_array_append_val(search->members, node);
}

/* What a phase adds is looked at after it alone: a node's other messages of the same round hold nobody up. */
static void add_partners(Search *search, const TgPhase *phase, int64_t step) {
  g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (int64_t t = 0; t < phase->transfers; t++) {
    int64_t from = node_of(search, phase->from[t]), to = node_of(search, phase->to[t]);
    if (search->asked[to] == step + 1) g_array_append_val(found, from);
    if (search->asked[from] == step + 1 && !search->receivers_wait_alone) g_array_append_val(found, to);
  }
  for (guint f = 0; f < found->len; f++) add_member(search, step, g_array_index(found, int64_t, f));
}

static void find_members(Search *search, int64_t step, int64_t node) {
  g_array_set_size(search->members, 0);
  add_member(search, step, node);
  for (; search->end > 0; search->end--) {
    const Held *held = &g_array_index(search->held, Held, search->end - 1);
    if (held->step != step) return;
    add_partners(search, held->phase, step);
  }
}

static int64_t last_to_enter(const Search *search, int64_t step) {
  const TgNodeStep *at = search->cost->node_step + step * search->cost->nodes;
  int64_t last = g_array_index(search->members, int64_t, 0);
  for (guint m = 1; m < search->members->len; m++) {
    int64_t node = g_array_index(search->members, int64_t, m);
    if (at[node].start_s > at[last].start_s + ROUNDING * search->cost->time_s) last = node;
  }
  return last;
}

static void follow(Search *search, TgCriticalPath *path) {
  int64_t node = search->cost->last_node;
  double end_s = search->cost->time_s;
  search->end = search->held->len;
  for (int64_t s = path->steps - 1; s >= 0; s--) {
    find_members(search, s, node);
    int64_t from = last_to_enter(search, s);
    double start_s = search->cost->node_step[s * path->nodes + from].start_s;
    path->step[s] = (TgPathStep){.from = from, .to = node, .start_s = start_s, .end_s = end_s};
    node = from;
    end_s = start_s;
  }
}

static bool begin(Search *search, const TgSchedule *schedule, const TgTopology *network, TgEmbeddingKind embedding,
                  GError **error) {
  TgError failure;
  if (!search->cost->node_step && search->cost->trace.steps > 0)
    return TG_SIM_FAIL(error, BAD_INPUT, "the prediction did not keep the times of single nodes");
  if (tg_embedding_init(&search->embedding, embedding, schedule->dims, schedule->extent, network, &failure))
    return true;
  return TG_SIM_FAIL(error, BAD_INPUT, "%s", failure.message);
}

static void find(Search *search, TgPhases *phases, TgCriticalPath *path, GError **error) {
  const TgCost *cost = search->cost;
  search->held = g_array_new(FALSE, FALSE, sizeof(Held));
  search->members = g_array_new(FALSE, FALSE, sizeof(int64_t));
  search->asked = g_new0(int64_t, cost->nodes);
  g_array_set_clear_func(search->held, drop_held);
  *path = (TgCriticalPath){.step = g_new0(TgPathStep, cost->trace.steps + 1),
                           .steps = cost->trace.steps,
                           .nodes = cost->nodes,
                           .talks = g_new0(uint8_t, cost->trace.steps * cost->nodes + 1)};
  if (hold_phases(search, phases, path, error))
    follow(search, path);
  else
    tg_critical_path_clear(path);
  g_array_unref(search->held);
  g_array_unref(search->members);
  g_free(search->asked);
}

bool tg_critical_path_find(const TgScheduleNames *names, const TgShape *shape, const TgTopology *network,
                           TgEmbeddingKind embedding, const TgCostOptions *options, const TgCost *cost,
                           TgCriticalPath *path, GError **error) {
  Search search = {.cost = cost, .receivers_wait_alone = options->model == TG_COST_LOGGP};
  *path = (TgCriticalPath){0};
  if (!begin(&search, cost->schedule, network, embedding, error)) return false;
  const TgPhasesOf of = {.schedule = cost->schedule,
                         .names = names,
                         .shape = shape,
                         .element_bytes = options->element_bytes,
                         .collective = (TgCollective)cost->collective,
                         .whole = options->whole};
  g_autoptr(TgPhases) phases = tg_phases_new(&of, error);
  if (phases) find(&search, phases, path, error);
  return path->step != NULL;
}

void tg_critical_path_clear(TgCriticalPath *path) {
  g_free(path->step);
  g_free(path->talks);
  *path = (TgCriticalPath){0};
}
