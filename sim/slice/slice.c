#include "slice.h"

#include "expression.h"
#include "lane.h"
#include "op.h"

/* --- what a statement does with a coordinate ---------------------------------------------------------------------- */

static bool depends(const TgSchedule *schedule, TgExpression expression, int coordinate) {
  return tg_expression_variables(schedule, expression) >> coordinate & 1;
}

/* Whether the receiver of a move has the sender's coordinate. */
static bool is_same(const TgSchedule *schedule, TgExpression to, int coordinate) {
  int64_t variable[TG_LOCAL_VARIABLES] = {0}, at;
  if (tg_expression_variables(schedule, to) != 1u << coordinate) return false;
  for (int64_t value = 0; value < schedule->extent[coordinate]; value++) {
    variable[coordinate] = value;
    if (tg_expression_evaluate(schedule, to, variable, &at) != TG_EVALUATION_OK) return false;
    if (tg_floor_remainder(at, schedule->extent[coordinate]) != value) return false;
  }
  return true;
}

/* Whether it sends along the coordinate. */
static bool sends_along(const TgSchedule *schedule, const TgStatement *statement, int coordinate) {
  const TgOpTraits *traits = tg_op_traits(statement->op);
  if (traits->is_collective) return statement->axis == coordinate;
  return traits->is_direct && !is_same(schedule, statement->to[coordinate], coordinate);
}

/* Whether processors with different values of the coordinate do different things, or something is sent along it. */
static bool needs_all(const TgSchedule *schedule, const TgStatement *statement, int coordinate) {
  const TgOpTraits *traits = tg_op_traits(statement->op);
  if (traits->is_block) return false;
  if (depends(schedule, statement->where, coordinate) || sends_along(schedule, statement, coordinate)) return true;
  if (traits->is_collective) return depends(schedule, statement->value, coordinate);
  for (int c = 0; traits->is_direct && c < schedule->dims; c++)
    if (c != coordinate && depends(schedule, statement->to[c], coordinate)) return true;
  return false;
}

/* --- where messages meet on links --------------------------------------------------------------------------------- */

/* Whether messages that keep a coordinate stay among the nodes that have it, and those along different coordinates
 * never take one link. */
static bool has_planes(const TgSchedule *schedule, const TgTopology *network) {
  const TgLevel *level = &network->level[0];
  if (network->levels != 1 || network->nodes != tg_schedule_processors(schedule)) return false;
  if (level->kind == TG_FULL) return true;
  if (level->kind != TG_TORUS && level->kind != TG_MESH && level->kind != TG_HYPERCUBE) return false;
  for (int c = 0; c < schedule->dims; c++) {
    const int32_t extent = schedule->extent[c];
    if (level->kind == TG_HYPERCUBE ? (extent & (extent - 1)) != 0 : level->extents[c] != extent) return false;
  }
  return level->kind == TG_HYPERCUBE || level->dims == schedule->dims;
}

/* The outermost repeat around a statement, or itself. */
static int out_of_repeats(const TgSchedule *schedule, int statement) {
  for (int r = 0; r < statement; r++)
    if (schedule->statement[r].op == TG_OP_REPEAT && schedule->statement[r].end > statement) return r;
  return statement;
}

/* The last place, up to `statement`, behind which no message takes a link that one in front of it takes. `along`: by
 * statement the coordinates along which it sends, a bit each. */
static int last_cut(const TgSchedule *schedule, const uint32_t *along, int statement) {
  int cut = out_of_repeats(schedule, statement);
  uint32_t after = 0;
  for (int s = cut; s < schedule->statements; s++) after |= along[s];
  for (int s = cut - 1; s >= 0; s--) {
    if (!(along[s] & after)) continue;
    for (s = out_of_repeats(schedule, s); cut > s;) after |= along[--cut];
  }
  return cut;
}

/* --- the slices --------------------------------------------------------------------------------------------------- */

/* Whether a model remembers until when messages occupy each link. The other models remember only the state of nodes. */
static bool keeps_links_busy(TgCostModel model) {
  return model == TG_COST_FORWARD || model == TG_COST_FLOW;
}

/* Whether nothing makes one node differ from another, or asks for what each does. */
static bool are_alike(const TgSliceOf *of) {
  const TgCostOptions *options = of->options;
  const bool by_link = keeps_links_busy(options->model);
  return !of->by_name && options->skew_s == 0 && options->jitter == 0 && options->straggler < 0 &&
         !options->keep_node_steps && !options->tiers.used && of->embedding == TG_ROWMAJOR &&
         of->machine->port.ports != TG_PORTS_ALL && (by_link || tg_links_alike(of->machine)) &&
         !tg_cost_receives_on_arrival(options->model, of->machine);
}

void tg_slices_find(TgSlices *slices, const TgSliceOf *of) {
  const TgSchedule *schedule = of->schedule;
  uint32_t along[TG_MAX_STATEMENTS] = {0};
  *slices = (TgSlices){{0}};
  if (!are_alike(of) || !has_planes(schedule, of->network)) return;
  for (int s = 0; s < schedule->statements; s++)
    for (int c = 0; c < schedule->dims; c++)
      if (sends_along(schedule, &schedule->statement[s], c)) along[s] |= 1u << c;
  for (int c = 0; c < schedule->dims; c++) {
    int first = 0;
    while (first < schedule->statements && !needs_all(schedule, &schedule->statement[first], c)) first++;
    if (schedule->extent[c] == 1) continue;
    slices->comes_in[c] =
        keeps_links_busy(of->options->model) ? last_cut(schedule, along, first) : out_of_repeats(schedule, first);
  }
}

int32_t tg_slices_next(const TgSlices *slices, const TgSchedule *schedule, int32_t statement) {
  int32_t next = INT32_MAX;
  for (int c = 0; c < schedule->dims; c++)
    if (slices->comes_in[c] > statement) next = MIN(next, slices->comes_in[c]);
  return next;
}

int64_t tg_slices_stand_in(const TgSlices *slices, const TgSchedule *schedule, int64_t processor, int32_t statement) {
  int64_t number = processor, stride = 1;
  for (int c = schedule->dims - 1; c >= 0; stride *= schedule->extent[c--])
    if (slices->comes_in[c] >= statement) number -= processor / stride % schedule->extent[c] * stride;
  return number;
}

double tg_slices_part(const TgSlices *slices, const TgSchedule *schedule, int statement) {
  double part = 1;
  for (int c = 0; c < schedule->dims; c++)
    if (statement < slices->comes_in[c]) part /= schedule->extent[c];
  return part;
}
