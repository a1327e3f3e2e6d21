#include "memory.h"

#include "frame-private.h"

#include <string.h>

#include "state.h"
#include "sum.h"

/* A step in one unit as far as it went: by processor the most at once. */
typedef struct Unit {
  int64_t *most;
  int64_t largest, processor;
  int64_t of[TG_MATRICES];
} Unit;

typedef struct Count {
  const TgSchedule *schedule;
  TgState *state;
  int64_t processors;
  Unit unit[TG_MEMORY_UNITS];
  GArray *steps; /* TgMemoryStep */
} Count;

static int64_t elements_of(const TgState *state, TgValueId id) {
  int64_t rows, columns;
  tg_state_value_shape(state, id, &rows, &columns);
  return rows * columns;
}

static void add_slot(const TgState *state, TgValueId id, int unit, int64_t of[TG_MATRICES]) {
  if (id == 0) return;
  const TgValue *value = tg_state_value(state, id);
  int64_t *sum = &of[value->kind == TG_VALUE_INPUT ? value->matrix : TG_MATRIX_C];
  *sum = tg_sum(*sum, unit == TG_MEMORY_BLOCKS ? 1 : elements_of(state, id));
}

/* What the fullest processor's blocks are of. */
static void split(Count *count, int unit) {
  Unit *u = &count->unit[unit];
  memset(u->of, 0, sizeof u->of);
  for (int b = 0; b < count->schedule->buffers; b++)
    for (int32_t i = 0; i < tg_state_length(count->state, b); i++)
      add_slot(count->state, tg_state_slot(count->state, u->processor, b, i), unit, u->of);
}

static bool note(Unit *unit, int64_t processor, int64_t held) {
  unit->most[processor] = MAX(unit->most[processor], held);
  if (held <= unit->largest) return false;
  unit->largest = held;
  unit->processor = processor;
  return true;
}

/* After a statement. */
static void take_moment(Count *count) {
  bool fuller[TG_MEMORY_UNITS] = {false};
  for (int64_t p = 0; p < count->processors; p++) {
    int64_t held[TG_MEMORY_UNITS];
    tg_state_held(count->state, p, &held[TG_MEMORY_BLOCKS], &held[TG_MEMORY_WORDS]);
    for (int u = 0; u < TG_MEMORY_UNITS; u++) fuller[u] = note(&count->unit[u], p, held[u]) || fuller[u];
  }
  for (int u = 0; u < TG_MEMORY_UNITS; u++)
    if (fuller[u]) split(count, u);
}

static void begin_step(Count *count) {
  for (int u = 0; u < TG_MEMORY_UNITS; u++) {
    Unit *unit = &count->unit[u];
    memset(unit->most, 0, (size_t)count->processors * sizeof *unit->most);
    memset(unit->of, 0, sizeof unit->of);
    unit->largest = unit->processor = 0;
  }
}

static TgMemoryLevel level_of(const Count *count, const Unit *unit) {
  double sum = 0;
  TgMemoryLevel level = {.largest = unit->largest, .processor = unit->processor, .least = unit->most[0]};
  for (int64_t p = 0; p < count->processors; p++) {
    level.least = MIN(level.least, unit->most[p]);
    sum += (double)unit->most[p];
  }
  level.mean = sum / (double)count->processors;
  memcpy(level.of, unit->of, sizeof level.of);
  return level;
}

static void end_step(Count *count, const char *label) {
  TgMemoryStep step = {.label = label};
  for (int u = 0; u < TG_MEMORY_UNITS; u++) step.level[u] = level_of(count, &count->unit[u]);
  g_array_append_val(count->steps, step);
  begin_step(count);
}

/* A step of which no statement is executed holds what the one before it left. */
static TgProgress follow(Count *count, TgError *failure) {
  TgProgress progress;
  const char *label = "initial placement";
  take_moment(count);
  while ((progress = tg_state_next(count->state, failure)) == TG_PROGRESS_MORE) {
    while (count->steps->len < tg_state_step(count->state)) {
      end_step(count, label);
      label = tg_walk_label(tg_state_walk(count->state));
      if (count->steps->len < tg_state_step(count->state)) take_moment(count);
    }
    take_moment(count);
  }
  end_step(count, label);
  return progress;
}

static double copy_words(const TgSchedule *schedule, int64_t m, int64_t n, int64_t k) {
  double words = 0;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    int64_t rows, columns;
    tg_schedule_matrix_shape(schedule, (TgMatrixName)matrix, m, n, k, &rows, &columns);
    words += (double)rows * (double)columns;
  }
  return words;
}

static void find_peaks(TgMemory *memory) {
  for (int u = 0; u < TG_MEMORY_UNITS; u++)
    for (int64_t s = 0; s <= memory->steps; s++)
      if (memory->step[s].level[u].largest > memory->step[memory->peak_step[u]].level[u].largest)
        memory->peak_step[u] = s;
}

static bool counts_fit(const TgMemory *memory, GError **error) {
  const TgMemoryLevel *peak = &memory->step[memory->peak_step[TG_MEMORY_WORDS]].level[TG_MEMORY_WORDS];
  if (!tg_sum_is_full(peak->largest)) return true;
  return TG_DRAW_FAIL(error, TOO_BIG,
                      "a processor holds more elements than a 64-bit count can hold (2^63-1); use smaller "
                      "matrices");
}

static void take(TgMemory *memory, Count *count) {
  memory->steps = (int64_t)count->steps->len - 1;
  memory->processors = count->processors;
  memory->step = (TgMemoryStep *)(void *)g_array_free(g_steal_pointer(&count->steps), FALSE);
  find_peaks(memory);
}

gboolean tg_memory_measure(TgMemory *memory, const TgSchedule *schedule, const TgScheduleNames *names,
                           TgCollective collective, int64_t m, int64_t n, int64_t k, const TgWatch *watch,
                           GError **error) {
  TgError failure;
  const TgStateHooks hooks = {.watch = watch};
  Count count = {.schedule = schedule, .processors = tg_schedule_processors(schedule)};
  *memory = (TgMemory){.once_words = copy_words(schedule, m, n, k) / (double)count.processors};
  count.state = tg_state_new(schedule, names, collective, &hooks, &failure);
  TgProgress progress = TG_PROGRESS_ERROR;
  count.steps = g_array_new(FALSE, FALSE, sizeof(TgMemoryStep));
  for (int u = 0; u < TG_MEMORY_UNITS; u++) count.unit[u].most = g_new0(int64_t, count.processors);
  if (count.state && m > 0) tg_state_measure(count.state, m, n, k);
  if (count.state) progress = follow(&count, &failure);
  if (progress == TG_PROGRESS_END)
    take(memory, &count);
  else
    tg_frame_set_failure(error, &failure);
  for (int u = 0; u < TG_MEMORY_UNITS; u++) g_free(count.unit[u].most);
  if (count.steps) g_array_unref(count.steps);
  if (count.state) tg_state_free(count.state);
  return progress == TG_PROGRESS_END && counts_fit(memory, error);
}

void tg_memory_clear(TgMemory *memory) {
  g_free(memory->step);
  *memory = (TgMemory){0};
}
