/* What the values of a schedule's parameters say of a run without running it: how often each statement is executed, how
 * large blocks are, what a processor holds. Microseconds, whatever the number of processors. */
#include "plan-private.h"

#include "buffer-uses.h"
#include "phase.h"
#include "uniform-blocks.h"

#include <math.h>

/* Interval arithmetic is exact for affine maps over independent ranges. For others its bound counts only if the largest
 * values of the variables attain it. */
static bool largest(const TgSchedule *schedule, TgExpression expression, const TgInterval *variable, int32_t *most) {
  TgAffine affine;
  const double high = tg_interval_evaluate(schedule, expression, variable).high;
  if (!(high >= 0 && high < INT32_MAX)) return false;
  if (!tg_expression_affine(schedule, expression, &affine)) {
    int64_t last[TG_LOCAL_VARIABLES], value;
    for (int v = 0; v < TG_LOCAL_VARIABLES; v++) last[v] = (int64_t)variable[v].high;
    if (tg_expression_evaluate(schedule, expression, last, &value) != TG_EVALUATION_OK || (double)value != high)
      return false;
  }
  *most = MAX(*most, (int32_t)high + 1);
  return true;
}

static bool count_placement(TgSchedule *schedule, const TgPlacement *placement) {
  TgInterval variable[TG_LOCAL_VARIABLES] = {{0, 0}};
  int64_t unused[TG_LOCAL_VARIABLES] = {0}, count = 1;
  for (int c = 0; c < schedule->dims; c++)
    if (placement->ranges >> c & 1) variable[c].high = schedule->extent[c] - 1;
  if (placement->count) {
    if (tg_expression_variables(schedule, placement->count) & TG_VARIABLES_COORDINATES) return false;
    if (tg_expression_evaluate(schedule, placement->count, unused, &count) != TG_EVALUATION_OK || count < 1)
      return false;
    variable[TG_VARIABLE_LOOP].high = (double)count - 1;
  }
  int32_t *blocks = schedule->blocks[placement->matrix];
  return largest(schedule, placement->row, variable, &blocks[0]) &&
         largest(schedule, placement->column, variable, &blocks[1]);
}

bool tg_plan_count_blocks(TgSchedule *schedule, const TgScheduleNames *names, const TgBindings *bindings) {
  bool counted = true;
  for (int m = 0; m < TG_MATRICES; m++) schedule->blocks[m][0] = schedule->blocks[m][1] = 0;
  for (int p = 0; p < schedule->placements && counted; p++)
    counted = count_placement(schedule, &schedule->placement[p]);
  if (!counted) return tg_schedule_bind(schedule, names, bindings, NULL);
  const int32_t *a = schedule->blocks[TG_MATRIX_A], *b = schedule->blocks[TG_MATRIX_B],
                *c = schedule->blocks[TG_MATRIX_C];
  schedule->inner = a[1];
  return a[0] > 0 && a[1] > 0 && a[1] == b[0] && a[0] == c[0] && b[1] == c[1] && c[1] > 0;
}

enum {
  FOLLOWED = 1 << 17,        /* executed statements that are followed to see what buffers hold */
  SLOTS = 1 << 10,           /* evaluations of slot numbers, to count the slots that a statement fills */
  COUNTED = 1 << 17,         /* evaluations to count the executions of one statement */
  EACH_ASKED = 1 << 10,      /* up to so many processors are always asked each */
  PROCESSORS_ASKED = 1 << 15 /* times processors: where a move is not the same at every repetition */
};

/* --- executions --------------------------------------------------------------------------------------------------- */

typedef struct TgCounting {
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  const TgStatement *statement;
  const TgStatement *repeat[TG_MAX_NESTING]; /* around the statement */
  int repeats;
  uint32_t matters; /* loop variables that its `where` or a repeat asks for, a bit each … */
  uint32_t sizes;   /* … and those of a repeat alone */
  bool everywhere;  /* its `where` is counted elsewhere */
  int64_t variable[TG_LOCAL_VARIABLES];
  int64_t left; /* of COUNTED */
  bool asks;    /* processors are asked who moves */
  double moved;
} TgCounting;

static void find_repeats(TgCounting *counting, int statement) {
  const TgSchedule *schedule = counting->schedule;
  for (int r = 0; r < statement; r++)
    if (schedule->statement[r].op == TG_OP_REPEAT && schedule->statement[r].end > statement)
      counting->repeat[counting->repeats++] = &schedule->statement[r];
  for (int r = 0; r < counting->repeats; r++)
    counting->sizes |= tg_expression_variables(schedule, counting->repeat[r]->value);
  counting->matters = counting->sizes;
  if (counting->statement->where) counting->matters |= tg_expression_variables(schedule, counting->statement->where);
}

static bool evaluate(const TgCounting *counting, TgExpression expression, int64_t *value) {
  return tg_expression_evaluate(counting->schedule, expression, counting->variable, value) == TG_EVALUATION_OK;
}

/* A `where` that asks for coordinates counts as met: somebody may take part. */
static double count_here(TgCounting *counting) {
  TgExpression where = counting->statement->where;
  int64_t holds = 1;
  if (where && !counting->everywhere &&
      !(tg_expression_variables(counting->schedule, where) & TG_VARIABLES_COORDINATES) &&
      !evaluate(counting, where, &holds))
    return 0;
  return holds != 0;
}

/* For how many values of one loop variable, from `begin` to before `end`, its `where` holds, which asks for no other.
 * Halves where it holds always or never need not be looked into. */
static double count_where(TgCounting *counting, int loop, int64_t begin, int64_t end) {
  TgInterval variable[TG_LOCAL_VARIABLES] = {{0, 0}};
  if (end - begin == 1) {
    counting->variable[loop] = begin;
    return count_here(counting);
  }
  if (--counting->left < 0) return 0;
  variable[loop] = (TgInterval){(double)begin, (double)(end - 1)};
  const TgInterval holds = tg_interval_evaluate(counting->schedule, counting->statement->where, variable);
  if (holds.low > 0) return (double)(end - begin);
  if (holds.high <= 0) return 0;
  const int64_t middle = begin + (end - begin) / 2;
  return count_where(counting, loop, begin, middle) + count_where(counting, loop, middle, end);
}

/* Whether the loop matters only because the `where` asks for it, and for nothing else. */
static bool is_alone(const TgCounting *counting, int loop) {
  const TgExpression where = counting->statement->where;
  return where && !counting->everywhere && !(counting->sizes >> loop & 1) &&
         (tg_expression_variables(counting->schedule, where) & (TG_VARIABLES_COORDINATES | TG_VARIABLES_LOOPS)) ==
             UINT32_C(1) << loop;
}

static double count_from(TgCounting *counting, int level) {
  int64_t times;
  if (--counting->left < 0) return 0;
  if (level == counting->repeats) return count_here(counting);
  if (!evaluate(counting, counting->repeat[level]->value, &times) || times <= 0) return 0;
  int loop = TG_VARIABLE_LOOP + counting->repeat[level]->depth;
  counting->variable[loop] = 0;
  if (!(counting->matters >> loop & 1)) return (double)times * count_from(counting, level + 1);
  if (is_alone(counting, loop)) {
    const double held = count_where(counting, loop, 0, times);
    counting->everywhere = true;
    const double within = count_from(counting, level + 1);
    counting->everywhere = false;
    return held * within;
  }
  double count = 0;
  for (int64_t t = 0; t < times && counting->left >= 0; t++) {
    counting->variable[loop] = t;
    count += count_from(counting, level + 1);
  }
  return count;
}

/* --- who moves ---------------------------------------------------------------------------------------------------- */

/* Shifted by a constant: everybody moves, unless the constant is a multiple of the extent. */
static bool is_shift(const TgSchedule *schedule, const TgStatement *statement, bool *moves) {
  *moves = false;
  for (int c = 0; c < schedule->dims; c++) {
    TgAffine affine;
    if (!tg_expression_affine(schedule, statement->to[c], &affine)) return false;
    for (int v = 0; v < TG_LOCAL_VARIABLES; v++)
      if (affine.factor[v] != (v == c)) return false;
    if (tg_floor_remainder(affine.constant, schedule->extent[c])) *moves = true;
  }
  return true;
}

/* The part of the processors that a move takes along coordinate `c`, at least. How far is an affine function of the
 * coordinates; where one of these is in it once, and takes each value equally often modulo the extent, the block stays
 * on one line in so many. 0 where the move is no such function. */
static double moves_along(const TgSchedule *schedule, const TgStatement *statement, int c) {
  const int32_t extent = schedule->extent[c];
  TgAffine affine;
  if (!tg_expression_affine(schedule, statement->to[c], &affine)) return 0;
  affine.factor[c]--;
  for (int v = 0; v < schedule->dims; v++)
    if ((affine.factor[v] == 1 || affine.factor[v] == -1) && schedule->extent[v] % extent == 0) return 1 - 1.0 / extent;
  return 0;
}

/* Parts of the processors whose block goes elsewhere, and that get one from elsewhere, where both are the same at every
 * repetition. 0, which is never too much, where that cannot be told quickly. */
static void find_moving(const TgCounting *counting, bool constant, bool quick, double *moving, double *receiving) {
  const TgSchedule *schedule = counting->schedule;
  const TgStatement *statement = counting->statement;
  const int64_t processors = tg_schedule_processors(schedule);
  int64_t senders = 0, receivers = 0;
  bool moves;
  *moving = *receiving = 0;
  if (statement->where && (tg_expression_variables(schedule, statement->where) & TG_VARIABLES_COORDINATES)) return;
  if (is_shift(schedule, statement, &moves)) {
    *moving = *receiving = moves;
    return;
  }
  if (!constant || processors > PROCESSORS_ASKED) return;
  for (int c = 0; c < schedule->dims && quick; c++) *moving = fmax(*moving, moves_along(schedule, statement, c));
  if (*moving > 0) return;
  g_autofree uint8_t *receives = g_new0(uint8_t, (gsize)processors);
  for (int64_t p = 0; p < processors; p++) {
    const int64_t to = tg_statement_receiver(schedule, statement, p);
    if (to < 0) return;
    if (to == p) continue;
    senders++;
    receivers += !receives[to];
    receives[to] = 1;
  }
  *moving = (double)senders / (double)processors;
  *receiving = (double)receivers / (double)processors;
}

/* `quick`: of many processors not each is asked where it sends its block; how many receive one is left open then. */
static void find_executions(const TgSchedule *schedule, const TgScheduleNames *names, bool quick, TgPlanFacts *facts) {
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    if (tg_op_traits(statement->op)->is_block) continue;
    TgCounting counting = {.schedule = schedule, .names = names, .statement = statement, .left = COUNTED};
    find_repeats(&counting, s);
    double executions = count_from(&counting, 0);
    facts->endless = facts->endless || counting.left < 0 || executions > TG_MAX_EXECUTED;
    facts->executions[s] = executions;
    facts->proof_s += executions * (double)facts->processors * 0.8e-6;
    facts->constant[s] = tg_statement_is_constant(schedule, statement);
    if (tg_op_traits(statement->op)->is_direct)
      find_moving(&counting, facts->constant[s], quick, &facts->moving[s], &facts->receiving[s]);
  }
}

/* --- blocks and memory -------------------------------------------------------------------------------------------- */

static void matrix_extents(const TgPlanRequest *request, int matrix, int64_t *rows, int64_t *columns) {
  *rows = matrix == TG_MATRIX_B ? request->k : request->m;
  *columns = matrix == TG_MATRIX_A ? request->k : request->n;
}

/* What statements read, where buffers hold blocks of several matrices one after another. */
static void find_read(const TgSchedule *schedule, const TgScheduleNames *names, const double low[TG_MATRICES],
                      TgPlanFacts *facts) {
  int matrix[TG_MAX_STATEMENTS];
  double executions = 0;
  for (int s = 0; s < schedule->statements; s++) executions += facts->executions[s];
  bool followed = names && facts->unclear && executions <= FOLLOWED && tg_held_matrices(schedule, names, matrix);
  for (int s = 0; s < schedule->statements; s++)
    facts->read_low[s] = !followed       ? facts->elements_low[schedule->statement[s].source.buffer]
                         : matrix[s] < 0 ? 0
                                         : low[matrix[s]];
  facts->unclear = facts->unclear && !followed;
  facts->by_name = facts->by_name || facts->unclear;
}

static void find_blocks(const TgPlanRequest *request, const TgSchedule *schedule, const TgScheduleNames *names,
                        const uint32_t held[TG_MAX_BUFFERS], TgPlanFacts *facts) {
  double low[TG_MATRICES], high[TG_MATRICES];
  for (int m = 0; m < TG_MATRICES; m++) {
    int64_t rows, columns;
    const int32_t *blocks = schedule->blocks[m];
    matrix_extents(request, m, &rows, &columns);
    low[m] = (double)(rows / blocks[0]) * (double)(columns / blocks[1]);
    high[m] = ceil((double)rows / blocks[0]) * ceil((double)columns / blocks[1]);
    facts->by_name = facts->by_name || rows % blocks[0] || columns % blocks[1];
  }
  for (int b = 0; b < TG_MAX_BUFFERS; b++) {
    for (int m = 0; m < TG_MATRICES; m++) {
      if (!(held[b] >> m & 1)) continue;
      bool first = !(held[b] & ((1u << m) - 1));
      facts->elements_low[b] = first ? low[m] : fmin(facts->elements_low[b], low[m]);
      facts->elements_high[b] = fmax(facts->elements_high[b], high[m]);
    }
    facts->unclear = facts->unclear || (held[b] & (held[b] - 1));
  }
  find_read(schedule, names, low, facts);
}

/* After a product its two factors and the sum are there. */
static double product_elements(const TgSchedule *schedule, const TgPlanFacts *facts) {
  double most = 0;
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    int a = statement->source.buffer, b = statement->other.buffer, c = statement->target.buffer;
    if (statement->op != TG_OP_MULTIPLY || facts->executions[s] == 0 || a == b || b == c || a == c) continue;
    most = fmax(most, facts->elements_low[a] + facts->elements_low[b] + facts->elements_low[c]);
  }
  return most;
}

/* Buffers, a bit each, that may come to hold an empty slot, or an empty sum, where a block was: what is zeroed, what
 * collectives that add take or leave, and where a copy of these goes. */
static uint32_t emptied_buffers(const TgSchedule *schedule) {
  uint32_t emptied = 0, before;
  do {
    before = emptied;
    for (int s = 0; s < schedule->statements; s++) {
      const TgStatement *statement = &schedule->statement[s];
      const TgOpTraits *traits = tg_op_traits(statement->op);
      const uint32_t source = UINT32_C(1) << statement->source.buffer, target = UINT32_C(1) << statement->target.buffer;
      if (traits->is_block || statement->op == TG_OP_MULTIPLY) continue;
      if (statement->op == TG_OP_ZERO || (traits->is_collective && traits->adds))
        emptied |= source | target;
      else if (emptied & source)
        emptied |= target;
    }
  } while (emptied != before);
  return emptied;
}

static bool is_target(const TgSchedule *schedule, int buffer) {
  for (int s = 0; s < schedule->statements; s++)
    if (!tg_op_traits(schedule->statement[s].op)->is_block && schedule->statement[s].target.buffer == buffer)
      return true;
  return false;
}

/* The numbers of the slots that the statement fills, with repetitions. */
static void collect_slots(TgCounting *counting, int level, GArray *slots) {
  const TgExpression index = counting->statement->target.index;
  int64_t times, slot = 0;
  if (--counting->left < 0) return;
  if (level == counting->repeats) {
    if (!index || evaluate(counting, index, &slot)) g_array_append_val(slots, slot);
    return;
  }
  if (!evaluate(counting, counting->repeat[level]->value, &times)) return;
  const int loop = TG_VARIABLE_LOOP + counting->repeat[level]->depth;
  if (!(counting->matters >> loop & 1)) times = MIN(times, 1);
  for (int64_t t = 0; t < times && counting->left >= 0; t++) {
    counting->variable[loop] = t;
    collect_slots(counting, level + 1, slots);
  }
}

static int compare_slots(gconstpointer a, gconstpointer b) {
  const int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
  return (first > second) - (first < second);
}

/* A lower bound on the slots of the buffer that local statements fill on every processor. */
static double filled_slots(const TgSchedule *schedule, const TgPlanFacts *facts, int buffer) {
  g_autoptr(GArray) slots = g_array_new(FALSE, FALSE, sizeof(int64_t));
  double count = 0;
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    const bool local = statement->op == TG_OP_MULTIPLY || statement->op == TG_OP_COPY;
    if (!local || statement->where || statement->target.buffer != buffer || facts->executions[s] == 0) continue;
    TgCounting counting = {.schedule = schedule, .statement = statement, .left = SLOTS};
    find_repeats(&counting, s);
    if (statement->target.index) counting.matters |= tg_expression_variables(schedule, statement->target.index);
    if (counting.matters & TG_VARIABLES_COORDINATES) continue; /* not the same slots on every processor */
    collect_slots(&counting, 0, slots);
  }
  g_array_sort(slots, compare_slots);
  for (guint i = 0; i < slots->len; i++)
    count += i == 0 || g_array_index(slots, int64_t, i) != g_array_index(slots, int64_t, i - 1);
  return count;
}

/* What the fullest processor holds at the end, at least. What local statements filled on every processor is still there
 * where nothing empties it. On average so is what was placed where nothing is written. C is in place by then. */
static double kept_elements(const TgPlanRequest *request, const TgSchedule *schedule, const TgPlanFacts *facts) {
  const uint32_t emptied = emptied_buffers(schedule);
  double sum = 0, filled[TG_MAX_BUFFERS] = {0};
  bool placed[TG_MATRICES] = {false}, apart[TG_MATRICES] = {true, true, true};
  for (int b = 0; b < TG_MAX_BUFFERS; b++) {
    if (!(emptied >> b & 1)) filled[b] = filled_slots(schedule, facts, b);
    sum += filled[b] * facts->elements_low[b];
  }
  for (int p = 0; p < schedule->placements; p++) {
    const TgPlacement *placement = &schedule->placement[p];
    const int m = placement->matrix, b = placement->buffer;
    const bool stays = !is_target(schedule, b) && !(emptied >> b & 1);
    placed[m] = true;
    apart[m] = apart[m] && (m == TG_MATRIX_C ? filled[b] == 0 && !stays : stays);
  }
  for (int m = 0; m < TG_MATRICES; m++) {
    int64_t rows, columns;
    matrix_extents(request, m, &rows, &columns);
    if (placed[m] && apart[m]) sum += (double)rows * (double)columns / (double)facts->processors;
  }
  return sum;
}

/* What transfers fill while products read. */
static double places_bytes(const TgPlanRequest *request, const TgSchedule *schedule) {
  bool travels[TG_MAX_STATEMENTS];
  tg_statements_travel(schedule, travels);
  const TgPlacesHeld held = tg_places_held(schedule, travels, tg_cost_places(request->overlap, request->buffers),
                                           request->m, request->n, request->k);
  return held.elements * (double)request->element_bytes;
}

static void find_memory(const TgPlanRequest *request, const TgSchedule *schedule, TgPlanFacts *facts) {
  TgInterval slots[TG_MAX_BUFFERS]; /* a processor holds no more than all that are ever filled */
  double m = (double)request->m, n = (double)request->n, k = (double)request->k, p = (double)facts->processors;
  double high = 0, low = fmax((m * k + k * n) / p, m * n / p);
  tg_interval_slots(schedule, slots);
  for (int b = 0; b < TG_MAX_BUFFERS; b++)
    if (slots[b].high >= slots[b].low) high += (slots[b].high - slots[b].low + 1) * facts->elements_high[b];
  low = fmax(low, product_elements(schedule, facts));
  facts->places_bytes = places_bytes(request, schedule);
  const double high_bytes = high * (double)request->element_bytes + facts->places_bytes;
  if (high_bytes > request->memory_bytes) low = fmax(low, kept_elements(request, schedule, facts));
  facts->memory_low_bytes = low * (double)request->element_bytes + facts->places_bytes;
  facts->memory_high_bytes = fmax(high_bytes, facts->memory_low_bytes);
}

double tg_plan_least_s(const TgPlanRequest *request, int64_t processors) {
  return 2.0 * (double)request->m * (double)request->n * (double)request->k /
         ((double)processors * tg_machine_best_flops_per_s(request->machine)) * (1 - 1e-9);
}

/* Rows of all blocks of C together, or columns, each block with its tiles whole. */
static double tiled(double (*of)(const TgMachine *machine, int64_t extent), const TgMachine *machine, int64_t extent,
                    int32_t blocks) {
  const int64_t longer = extent % blocks;
  return (double)longer * of(machine, extent / blocks + 1) + (double)(blocks - longer) * of(machine, extent / blocks);
}

/* The quickest rate of the products that there are, of blocks that differ by a row, a column or an inner element; for
 * whole tiles, which are counted apart. */
static double block_rate(const TgPlanRequest *request, const TgSchedule *schedule) {
  const int32_t *c = schedule->blocks[TG_MATRIX_C];
  double best = 0;
  for (int longer = 0; longer < 8; longer++) {
    const bool i = longer & 1, j = longer & 2, l = longer & 4;
    if ((i && request->m % c[0] == 0) || (j && request->n % c[1] == 0) || (l && request->k % schedule->inner == 0))
      continue;
    const int64_t m = request->m / c[0] + i, n = request->n / c[1] + j, k = request->k / schedule->inner + l;
    if (m == 0 || n == 0 || k == 0) continue; /* more blocks than elements: these are empty */
    const double tiles = tg_machine_tiled_elements(request->machine, m, n) / ((double)m * (double)n);
    best = fmax(best, tiles * tg_machine_flops_per_s(request->machine, m, n, k));
  }
  return best;
}

static void find_compute(const TgPlanRequest *request, const TgSchedule *schedule, TgPlanFacts *facts) {
  const int32_t *c = schedule->blocks[TG_MATRIX_C];
  const TgMachine *machine = request->machine;
  const bool whole = request->m % c[0] == 0 && request->n % c[1] == 0 && request->k % schedule->inner == 0;
  double rate = block_rate(request, schedule);
  double elements = tiled(tg_machine_tiled_rows, machine, request->m, c[0]) *
                    tiled(tg_machine_tiled_columns, machine, request->n, c[1]);
  if (whole && (!facts->by_name || facts->unclear)) {
    rate = tg_machine_flops_per_s(machine, request->m / c[0], request->n / c[1], request->k / schedule->inner);
    elements = (double)request->m * (double)request->n;
  }
  facts->product_s =
      2.0 * (double)(request->m / c[0]) * (double)(request->n / c[1]) * (double)(request->k / schedule->inner) / rate;
  const double processors = (double)facts->processors;
  const double most_products = ceil((double)c[0] * (double)c[1] * (double)schedule->inner / processors);
  facts->compute_s =
      fmax(2.0 * elements * (double)request->k / (processors * rate), most_products * facts->product_s);
}

static const double room_byte_s = 4e-10; /* seconds per byte of memory touched for the first time, measured */

void tg_plan_find_facts(const TgPlanRequest *request, const TgSchedule *schedule, const TgScheduleNames *names,
                        TgPlanFacts *facts) {
  uint32_t held[TG_MAX_BUFFERS];
  *facts = (TgPlanFacts){.processors = tg_schedule_processors(schedule),
                         .on_arrival = tg_cost_receives_on_arrival(request->model, request->machine)};
  tg_phase_held(schedule, held);
  const TgPorts ports = (TgPorts)request->machine->port.ports;
  const bool receivers_count = ports == TG_PORTS_FETCH || /* see plan-bound.c */
                               (request->model == TG_COST_LOGGP && ports == TG_PORTS_ALL);
  if (request->network) facts->idle_nodes = (double)(request->network->nodes - facts->processors);
  find_executions(schedule, names, !receivers_count && facts->processors > EACH_ASKED, facts);
  find_blocks(request, schedule, names, held, facts);
  find_memory(request, schedule, facts);
  find_compute(request, schedule, facts);
  if (names) facts->room_s = tg_state_need_bytes(schedule) * room_byte_s;
  facts->proof_s += facts->room_s;
}
