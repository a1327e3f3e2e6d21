/* What a run on names takes, before it begins: at most, and about. */
#include "interval.h"
#include "state-private.h"

#include <math.h>

typedef struct Need {
  const TgSchedule *schedule;
  double processors;
  double length[TG_MAX_BUFFERS];   /**< slots on every processor */
  double capacity[TG_MAX_BUFFERS]; /**< … as they are allocated */
  bool own[TG_MAX_BUFFERS];        /**< may hold values made in the run, not only blocks of A and B */
} Need;

/* What grows by doubling from `first` on. */
static double doubled(double count, double first) {
  return first * exp2(ceil(log2(fmax(count / first, 1))));
}

static double blocks_of(const TgSchedule *schedule, int matrix) {
  return (double)schedule->blocks[matrix][0] * schedule->blocks[matrix][1];
}

static void find_slots(Need *need) {
  TgInterval range[TG_MAX_BUFFERS];
  tg_interval_slots(need->schedule, range);
  for (int b = 0; b < need->schedule->buffers; b++) {
    need->length[b] = range[b].high < range[b].low ? 0 : fmin(fmax(range[b].high, 0) + 1, TG_MAX_ARRAY);
    /* one index at once, or one after another, by doubling */
    need->capacity[b] = need->length[b] * (range[b].high <= range[b].low ? 1 : 2);
  }
}

static void find_own(Need *need) {
  const TgSchedule *schedule = need->schedule;
  for (bool changed = true; changed;) {
    changed = false;
    for (int s = 0; s < schedule->statements; s++) {
      const TgStatement *statement = &schedule->statement[s];
      bool *target = &need->own[statement->target.buffer];
      const TgOpTraits *traits = tg_op_traits(statement->op);
      if (traits->is_block || *target) continue;
      *target = traits->makes || need->own[statement->source.buffer];
      changed = changed || *target;
    }
  }
}

/* Values made in the run that are there at once: one in every slot that may hold one, and those of a collective that
 * are on their way. */
static double count_made(const Need *need) {
  const TgSchedule *schedule = need->schedule;
  double made = 0, travelling = 0;
  for (int b = 0; b < schedule->buffers; b++)
    if (need->own[b]) made += need->length[b] * need->processors;
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    const TgOpTraits *traits = tg_op_traits(statement->op);
    const double length = schedule->extent[statement->axis];
    if (!traits->is_collective || !traits->adds) continue;
    travelling =
        fmax(travelling, traits->splits ? need->processors + length * length : need->processors / length + length);
  }
  return made + travelling;
}

/* Blocks of A and B have no set of inner indices: the room for theirs is never touched. */
static double value_bytes(const Need *need) {
  const TgSchedule *schedule = need->schedule;
  const double made = count_made(need), set_bytes = ceil((double)schedule->inner / 64) * sizeof(uint64_t);
  const double values = 1 + blocks_of(schedule, TG_MATRIX_A) + blocks_of(schedule, TG_MATRIX_B) + made;
  return doubled(values, 256) * sizeof(TgValue) + made * set_bytes;
}

/* Writes of the statement that has most, and the values along a line of a collective. */
static double bytes_at_once(const Need *need) {
  double writes = 0, line = 0;
  for (int s = 0; s < need->schedule->statements; s++) {
    const TgStatement *statement = &need->schedule->statement[s];
    const TgOpTraits *traits = tg_op_traits(statement->op);
    const double length = traits->is_collective ? need->schedule->extent[statement->axis] : 1;
    const bool square = traits->splits && !traits->from_root;
    if (!tg_op_travels(statement->op)) continue;
    writes = fmax(writes, need->processors * (traits->fills && !traits->to_root ? length : 1));
    if (traits->is_collective) line = fmax(line, square ? length * length : length);
  }
  return (writes > 0 ? doubled(writes, 256) * sizeof(TgWrite) : 0) + line * sizeof(TgValueId);
}

/* Places of C, which may have a block on several processors: a slot has at most one. */
static double c_places(const Need *need) {
  double slots = 0;
  bool counted[TG_MAX_BUFFERS] = {false};
  for (int i = 0; i < need->schedule->placements; i++) {
    const TgPlacement *placement = &need->schedule->placement[i];
    if (placement->matrix != TG_MATRIX_C || counted[placement->buffer]) continue;
    counted[placement->buffer] = true;
    slots += need->length[placement->buffer] * need->processors;
  }
  return slots;
}

static Need need_of(const TgSchedule *schedule) {
  Need need = {.schedule = schedule, .processors = (double)tg_schedule_processors(schedule)};
  find_slots(&need);
  find_own(&need);
  return need;
}

/* A slot's value, and one that was read from it before it was written again and has not arrived yet. */
double tg_state_most_values(const TgSchedule *schedule) {
  const Need need = need_of(schedule);
  return 2 * count_made(&need) + 1;
}

double tg_state_need_bytes(const TgSchedule *schedule) {
  const Need need = need_of(schedule);
  const TgStateBuffer *buffer = NULL;
  double slots = 0;
  for (int b = 0; b < schedule->buffers; b++) slots += need.capacity[b] * need.processors;
  return sizeof(TgState) + need.processors * (sizeof(int32_t) + 2 * sizeof(int64_t)) /* blocks, words, words received */
         + blocks_of(schedule, TG_MATRIX_C) * sizeof(int64_t) +
         doubled(c_places(&need), 64) * 2 * sizeof(TgCPlace) /* as they are sorted, too */
         + slots * (sizeof *buffer->value + sizeof *buffer->written + sizeof *buffer->arrival) + value_bytes(&need) +
         bytes_at_once(&need);
}
