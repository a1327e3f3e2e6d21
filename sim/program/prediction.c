#include "prediction.h"

#include "sim-error.h"
#include "sum.h"

#include <math.h>
#include <string.h>

/* Entries of a step: nodes, or groups of them. */
static int64_t node_step_entries(const TgPrediction *prediction) {
  return prediction->options->node_group ? prediction->options->node_groups : prediction->lanes.network->nodes;
}

static TgNodeStep *node_step_at(const TgPrediction *prediction, guint step, int64_t number) {
  return &g_array_index(prediction->node_steps, TgNodeStep, step * node_step_entries(prediction) + number);
}

/* Makes room for a further step. */
static void open_node_steps(TgPrediction *prediction) {
  const int64_t entries = node_step_entries(prediction);
  if (!prediction->node_steps) return;
  g_array_set_size(prediction->node_steps, prediction->steps->len * (guint)entries);
  if (!prediction->options->node_group) return;
  if (!prediction->node_now) prediction->node_now = g_new0(TgNodeStep, prediction->lanes.network->nodes);
  for (int64_t e = 0; e < entries; e++) node_step_at(prediction, prediction->steps->len - 1, e)->start_s = INFINITY;
}

/* Where the node's times are while it is in the step. */
static TgNodeStep *node_step_now(const TgPrediction *prediction, guint step, int64_t node) {
  return prediction->node_now ? &prediction->node_now[node] : node_step_at(prediction, step, node);
}

/* The node has left the step. */
static void fold_node_step(const TgPrediction *prediction, guint step, int64_t node) {
  const int32_t group = prediction->options->node_group[node];
  if (group < 0) return;
  const TgNodeStep *at = &prediction->node_now[node];
  TgNodeStep *all = node_step_at(prediction, step, group);
  all->start_s = fmin(all->start_s, at->start_s);
  all->end_s = fmax(all->end_s, at->end_s);
  all->products_s = fmax(all->products_s, at->products_s);
}

void tg_node_step_enter(TgPrediction *prediction, guint step, int64_t node, double at_s, double compute_s) {
  if (!prediction->node_steps) return;
  prediction->node_steps_set = true;
  if (step > 0) {
    TgNodeStep *before = node_step_now(prediction, step - 1, node);
    before->end_s = at_s;
    before->products_s += compute_s;
    if (prediction->node_now) fold_node_step(prediction, step - 1, node);
  }
  /* what was computed before is taken off again when the node leaves the step */
  if (step < prediction->steps->len)
    *node_step_now(prediction, step, node) =
        (TgNodeStep){.start_s = at_s, .products_end_s = at_s, .products_s = -compute_s};
}

/* A product that began before its node came to the step ran in the steps before it. */
static void begin_earlier(const TgPrediction *prediction, guint step, int64_t node, double begin_s, double end_s) {
  TgNodeStep *own = node_step_at(prediction, step, node);
  for (guint s = step; s > 0 && begin_s < node_step_at(prediction, s, node)->start_s; s--) {
    TgNodeStep *before = node_step_at(prediction, s - 1, node);
    const double until_s = MIN(end_s, before->end_s), part_s = until_s - MAX(begin_s, before->start_s);
    if (part_s <= 0) continue;
    before->ahead_s += part_s;
    before->ahead_end_s = until_s;
    own->before_s += part_s;
  }
}

void tg_node_step_product(TgPrediction *prediction, guint step, int64_t node, double begin_s, double end_s) {
  if (!prediction->node_steps || prediction->node_now) return;
  TgNodeStep *at = node_step_at(prediction, step, node);
  at->products_end_s = MAX(at->start_s, end_s);
  begin_earlier(prediction, step, node, begin_s, end_s);
}

/* Nodes that the lane gives no product have none that ends. */
void tg_node_steps_product(TgPrediction *prediction, const TgClocks *clocks, const TgLane *lane, guint step) {
  for (int64_t n = 0; prediction->node_steps && n < clocks->nodes; n++)
    if (lane->product_s ? lane->product_s[n] > 0 : lane->uniform_product_s > 0) {
      const int64_t entry = clocks->level ? 0 : n;
      tg_node_step_product(prediction, step, n, clocks->begun[entry], clocks->cpu[entry]);
    }
}

void tg_prediction_slices(const TgPrediction *prediction, TgSlices *slices) {
  const TgLanes *lanes = &prediction->lanes;
  const TgSliceOf of = {.schedule = tg_phases_walk(prediction->phases)->schedule,
                        .network = lanes->network,
                        .embedding = (TgEmbeddingKind)lanes->embedding.kind,
                        .machine = prediction->machine,
                        .options = prediction->options,
                        .by_name = tg_phases_by_name(prediction->phases)};
  tg_slices_find(slices, &of);
}

void tg_prediction_account(const TgPrediction *prediction, TgClocks *clocks) {
  TgAccount *account = prediction->account;
  clocks->account = account;
  clocks->lanes = &prediction->lanes;
  if (account) tg_account_to(account, &tg_account_now(account)->skew_s, tg_clocks_at(clocks, account->node));
}

static int64_t largest(const int64_t *load, int64_t links) {
  int64_t most = 0;
  for (int64_t l = 0; l < links; l++) most = MAX(most, load[l]);
  return most;
}

static bool same_lanes(const GPtrArray *a, const GPtrArray *b) {
  return a->len > 0 && a->len == b->len && memcmp(a->pdata, b->pdata, a->len * sizeof *a->pdata) == 0;
}

static int64_t load_of_step(TgPrediction *prediction) {
  TgLoad *load = &prediction->lanes.load; /* what does not come again is in it */
  for (guint i = 0; i < prediction->step_lanes->len; i++) {
    const TgLane *lane = prediction->step_lanes->pdata[i];
    tg_load_add(load, lane->load, lane->loads);
  }
  return tg_load_pour(load, prediction->total_load);
}

/* A step made of the same phases as the one before it loads the same links; that is made up for at the end. */
static int64_t repeat_load(TgPrediction *prediction) {
  for (guint i = 0; i < prediction->step_lanes->len; i++) {
    TgLane *lane = prediction->step_lanes->pdata[i];
    lane->repeats++;
  }
  return g_array_index(prediction->step_max, int64_t, prediction->step_max->len - 1);
}

static void close_step(TgPrediction *prediction) {
  if (prediction->steps->len == 0) return;
  const bool all_kept = !prediction->step_passing;
  const bool same = all_kept && same_lanes(prediction->step_lanes, prediction->last_lanes);
  int64_t most = same ? repeat_load(prediction) : load_of_step(prediction);
  g_array_append_val(prediction->step_max, most);
  g_ptr_array_set_size(prediction->last_lanes, 0);
  for (guint i = 0; all_kept && i < prediction->step_lanes->len; i++)
    g_ptr_array_add(prediction->last_lanes, prediction->step_lanes->pdata[i]);
  g_ptr_array_set_size(prediction->step_lanes, 0);
  prediction->step_passing = false;
}

static void release_passing(TgPrediction *prediction) {
  if (prediction->passing) tg_lane_release(prediction->passing);
  prediction->passing = NULL;
}

/* The loads of a lane that is not kept are already in TgLanes.load. */
static void add_lane(TgPrediction *prediction, TgLane *lane) {
  if (lane->keep) {
    g_ptr_array_add(prediction->step_lanes, lane);
    return;
  }
  prediction->passing = lane;
  prediction->step_passing = true;
}

static void open_step(TgPrediction *prediction, const TgPhaseAt *at) {
  close_step(prediction);
  TgTraceStep step = {.label = at->label, .index = at->step};
  double none = 0;
  g_array_append_val(prediction->steps, step);
  g_array_append_val(prediction->step_compute, none);
  open_node_steps(prediction);
}

static TgProgress too_large(GError **error) {
  g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE,
                      "messages, counted on every link that they cross, have more bytes than a 64-bit count can hold "
                      "(9.2 EB); use smaller matrices");
  return TG_PROGRESS_ERROR;
}

/* False where the sums are full. No load of a link is more than the bytes of all messages, nor these than the bytes on
 * all links. */
static bool count_lane(TgPrediction *prediction, const TgLane *lane, TgTraceStep *step) {
  TgCost *cost = prediction->cost;
  cost->messages += lane->transfers;
  cost->bytes = tg_sum(cost->bytes, lane->bytes);
  cost->hop_bytes = tg_sum(cost->hop_bytes, lane->hop_bytes);
  if (tg_sum_is_full(prediction->lanes.bytes) || tg_sum_is_full(cost->hop_bytes)) return false;
  cost->flops += lane->flops;
  step->messages += lane->transfers;
  step->bytes += lane->bytes;
  step->hop_bytes += lane->hop_bytes;
  if (!lane->phase->sums) step->products += lane->phase->products;
  return true;
}

bool tg_prediction_fail_stopped(GError **error) {
  g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_STOPPED, "stopped");
  return false;
}

bool tg_prediction_fail_slower(GError **error) {
  g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_SLOWER, "takes longer than the time that was asked about");
  return false;
}

TgProgress tg_prediction_next(TgPrediction *prediction, TgLane **lane, TgPhaseAt *at, guint *number, GError **error) {
  TgPhase *phase;
  if (!tg_watch_go_on(prediction->options->watch, tg_phases_walk(prediction->phases)->executed)) {
    tg_prediction_fail_stopped(error);
    return TG_PROGRESS_ERROR;
  }
  release_passing(prediction);
  TgProgress progress = tg_phases_next(prediction->phases, &phase, at, error);
  if (progress == TG_PROGRESS_END) close_step(prediction);
  if (progress != TG_PROGRESS_MORE) return progress;
  guint steps = prediction->steps->len;
  if (steps == 0 || g_array_index(prediction->steps, TgTraceStep, steps - 1).index != at->step)
    open_step(prediction, at);
  TgLane *found = tg_lanes_find(&prediction->lanes, phase);
  add_lane(prediction, found);
  *number = prediction->steps->len - 1;
  if (count_lane(prediction, found, &g_array_index(prediction->steps, TgTraceStep, *number)))
    *lane = found;
  else
    progress = too_large(error);
  tg_phase_release(phase);
  return progress;
}

static void total_repeated(gpointer key, gpointer value, gpointer user) {
  TgPrediction *prediction = user;
  TgLane *lane = value;
  (void)key;
  for (int64_t i = 0; lane->repeats > 0 && i < lane->loads; i++)
    prediction->total_load[lane->load[i].link] += lane->repeats * lane->load[i].bytes;
}

static void take_steps(TgPrediction *prediction) {
  TgCost *cost = prediction->cost;
  cost->trace.steps = prediction->steps->len;
  cost->trace.step = (TgTraceStep *)(void *)g_array_free(g_steal_pointer(&prediction->steps), FALSE);
  cost->step_max_link_bytes = (int64_t *)(void *)g_array_free(g_steal_pointer(&prediction->step_max), FALSE);
  cost->step_compute_s = (double *)(void *)g_array_free(g_steal_pointer(&prediction->step_compute), FALSE);
  cost->node_entries = node_step_entries(prediction);
  if (prediction->node_steps && prediction->node_steps_set)
    cost->node_step = (TgNodeStep *)(void *)g_array_free(g_steal_pointer(&prediction->node_steps), FALSE);
}

void tg_prediction_take(TgPrediction *prediction) {
  TgCost *cost = prediction->cost;
  int64_t links = prediction->lanes.network->links;
  g_hash_table_foreach(prediction->lanes.known, total_repeated, prediction);
  take_steps(prediction);
  cost->communication_s = cost->time_s - cost->compute_s;
  if (prediction->account) {
    tg_account_close(prediction->account);
    cost->waits = g_steal_pointer(&prediction->account->waits);
    g_array_set_size(prediction->account->parts, (guint)MAX(cost->trace.steps, 1));
    cost->parts = (TgTimeParts *)(void *)g_array_free(g_steal_pointer(&prediction->account->parts), FALSE);
  }
  cost->nodes = prediction->lanes.network->nodes;
  cost->max_link_bytes = largest(prediction->total_load, links);
  cost->trace.links = links;
  cost->trace.link_bytes = g_steal_pointer(&prediction->total_load);
}

void tg_prediction_init(TgPrediction *prediction, TgCost *cost, int64_t links) {
  prediction->cost = cost;
  prediction->step_lanes = g_ptr_array_new();
  prediction->last_lanes = g_ptr_array_new();
  prediction->steps = g_array_new(FALSE, TRUE, sizeof(TgTraceStep));
  prediction->step_max = g_array_new(FALSE, TRUE, sizeof(int64_t));
  prediction->step_compute = g_array_new(FALSE, TRUE, sizeof(double));
  if (prediction->options->keep_node_steps) prediction->node_steps = g_array_new(FALSE, TRUE, sizeof(TgNodeStep));
  prediction->total_load = g_new0(int64_t, links + 1);
}

void tg_prediction_clear(TgPrediction *prediction) {
  release_passing(prediction);
  g_ptr_array_unref(prediction->step_lanes);
  g_ptr_array_unref(prediction->last_lanes);
  GArray *arrays[] = {prediction->steps, prediction->step_max, prediction->step_compute, prediction->node_steps};
  for (gsize i = 0; i < G_N_ELEMENTS(arrays); i++) g_clear_pointer(&arrays[i], g_array_unref);
  g_free(prediction->node_now);
  g_free(prediction->total_load);
  tg_account_free(prediction->account);
  tg_phases_free(prediction->phases);
  tg_lanes_clear(&prediction->lanes);
}
