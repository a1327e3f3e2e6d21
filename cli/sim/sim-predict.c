/* The proof before a prediction, the prediction, and what follows from it: memory, efficiency. */
#include "memory-limit.h"
#include "sim-trace.h"
#include "sim.h"

#include "prove.h"
#include "sum.h"

#include <math.h>

void tg_sim_clear(TgSimRun *run) {
  tg_formula_free(run->formula);
  g_free(run->closed_form_why);
  g_free(run->rank);
  g_free(run->node_group);
}

/** Blocks and words by processor. */
typedef struct TgHeld {
  int64_t blocks, words;
} TgHeld;

static void add_block(const TgSimRun *run, const TgPlaced *placed, TgHeld *held) {
  const TgShape *shape = &run->shape;
  const int32_t *blocks = run->problem->schedule.blocks[placed->matrix];
  int64_t rows = tg_block_begin(shape->rows[placed->matrix], blocks[0], placed->row + 1) -
                 tg_block_begin(shape->rows[placed->matrix], blocks[0], placed->row);
  int64_t columns = tg_block_begin(shape->columns[placed->matrix], blocks[1], placed->column + 1) -
                    tg_block_begin(shape->columns[placed->matrix], blocks[1], placed->column);
  held[placed->processor].blocks++;
  held[placed->processor].words = tg_sum(held[placed->processor].words, rows * columns);
}

/* No buffer has C after the last step and A or B before the first. */
static bool lies_apart(const TgSchedule *schedule) {
  uint32_t before = 0, after = 0;
  for (int i = 0; i < schedule->placements; i++) {
    const TgPlacement *placement = &schedule->placement[i];
    *(placement->matrix == TG_MATRIX_C ? &after : &before) |= 1u << placement->buffer;
  }
  return !(before & after);
}

/* What the placements alone say: the blocks of A and B before the first step, and those of C after the last, which lie
 * in buffers of their own; where they take the place of A's or B's, the more of both. The proof, which follows every
 * block, can only find more. */
static void count_placed(TgSimRun *run) {
  const TgSchedule *schedule = &run->problem->schedule;
  int64_t processors = tg_schedule_processors(schedule);
  g_autofree TgHeld *begin = g_new0(TgHeld, processors), *end = g_new0(TgHeld, processors);
  TgPlacing placing;
  TgPlaced placed;
  TgError error;
  tg_placing_init(&placing, schedule);
  while (tg_placing_next(&placing, &run->problem->names, &placed, &error) > 0)
    add_block(run, &placed, placed.matrix == TG_MATRIX_C ? end : begin);
  const bool apart = lies_apart(schedule);
  for (int64_t p = 0; p < processors; p++) {
    const TgHeld both = {begin[p].blocks + end[p].blocks, tg_sum(begin[p].words, end[p].words)};
    run->memory.blocks = MAX(run->memory.blocks, apart ? both.blocks : MAX(begin[p].blocks, end[p].blocks));
    run->memory.words = MAX(run->memory.words, apart ? both.words : MAX(begin[p].words, end[p].words));
  }
  run->memory.at_least = true;
}

static int64_t fullest_node(const TgSimRun *run) {
  g_autofree int64_t *count = g_new0(int64_t, run->network.nodes);
  int64_t most = 0;
  for (int64_t p = 0; p < tg_schedule_processors(&run->problem->schedule); p++) {
    const int64_t now = ++count[tg_embedding_node(&run->embedding, p)];
    most = MAX(most, now);
  }
  return most;
}

/* Which processor each node is, where no node has two. */
static void name_nodes(TgSimRun *run) {
  g_clear_pointer(&run->rank, g_free);
  if (run->memory.processors > 1) return;
  run->rank = g_new(int32_t, run->network.nodes);
  for (int64_t n = 0; n < run->network.nodes; n++) run->rank[n] = -1;
  for (int64_t p = 0; p < tg_schedule_processors(&run->problem->schedule); p++)
    run->rank[tg_embedding_node(&run->embedding, p)] = (int32_t)p;
}

/* Blocks of several sizes are followed by name. */
static bool all_alike(const TgSimRun *run) {
  bool alike = true;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    const int32_t *blocks = run->problem->schedule.blocks[matrix];
    alike = alike && (blocks[0] == 0 ||
                      (run->shape.rows[matrix] % blocks[0] == 0 && run->shape.columns[matrix] % blocks[1] == 0));
  }
  return alike;
}

/* Of the events of a trace: its text, in a buffer that grows by doubling. */
static double trace_bytes(const TgCli *cli, const TgSimRun *run) {
  enum { EVENT_BYTES = 400, EVENTS_AT_ONCE = 8 }; /* of a processor in a statement */
  const double at_work = (double)run->statements * (double)tg_schedule_processors(&run->problem->schedule);
  return cli->options.trace ? fmin(EVENTS_AT_ONCE * at_work, TG_SIM_TRACE_EVENTS) * EVENT_BYTES : 0;
}

static TgExit check_memory(const TgCli *cli, const TgSimRun *run) {
  const TgProblem *problem = run->problem;
  const double cost =
      tg_cost_need_bytes(&problem->schedule, &problem->names, &run->network, &run->options) + trace_bytes(cli, run);
  if (run->proved || !all_alike(run)) return tg_memory_check_proof(cli, problem, cost);
  g_autofree char *what = g_strdup_printf("the prediction of %s on %s", tg_problem_name(problem), run->network_text);
  return tg_memory_check(cli, what, cost);
}

TgExit tg_sim_set_words(const TgCli *cli, TgSimRun *run, int64_t words) {
  TgSimMemory *memory = &run->memory;
  if (tg_sum_is_full(tg_sum_times(words, run->options.element_bytes)))
    return tg_report(cli, TG_EXIT_USAGE,
                     "%s: a processor holds more bytes than a 64-bit count can hold (9.2 EB); use smaller "
                     "matrices",
                     tg_problem_name(run->problem));
  memory->words = words;
  memory->node_bytes = (double)words * (double)run->options.element_bytes * (double)memory->processors;
  memory->fits = memory->node_bytes <= run->machine.processor.memory_bytes;
  return TG_EXIT_DONE;
}

TgExit tg_sim_prove(const TgCli *cli, TgSimRun *run) {
  const TgProblem *problem = run->problem;
  TgError endless = {0};
  TgProof proof = {0};
  TgSimMemory *memory = &run->memory;
  if (!tg_walk_ends(&problem->schedule, &problem->names, &endless)) return tg_problem_report(cli, problem, &endless);
  run->statements = tg_walk_count_statements(&problem->schedule, &problem->names);
  run->proved = run->statements <= TG_SIM_PROOF_LIMIT / tg_schedule_processors(&problem->schedule);
  TgExit status = check_memory(cli, run);
  if (status) return status;
  *memory = (TgSimMemory){.processors = fullest_node(run)};
  name_nodes(run);
  if (run->proved) {
    if (!tg_prove(&problem->schedule, &problem->names, run->options.collective, run->shape.m, run->shape.n,
                  run->shape.k, &proof))
      return tg_problem_report_failure(cli, problem, &proof.failure);
    memory->blocks = proof.counts.blocks_per_processor_max;
    memory->words = proof.counts.words_per_processor_max;
  } else {
    count_placed(run);
  }
  return tg_sim_set_words(cli, run, memory->words);
}

void tg_sim_warn_memory(const TgCli *cli, const TgSimRun *run) {
  const TgSimMemory *memory = &run->memory;
  char need[32], has[32], grid[48];
  if (memory->fits || run->options.tiers.used) return;
  tg_bytes_text(memory->node_bytes, need, sizeof need);
  tg_bytes_text(run->machine.processor.memory_bytes, has, sizeof has);
  tg_schedule_grid_text(&run->problem->schedule, grid, sizeof grid);
  tg_report(cli, TG_EXIT_DONE,
            "warning: %s on %s does not fit: a node needs %s%s for its blocks and has %s; take more processors or "
            "smaller matrices",
            tg_problem_name(run->problem), grid,
            memory->at_least         ? "at least "
            : memory->processors > 1 ? "up to "
                                     : "",
            need, has);
}

double tg_sim_serial_s(const TgSimRun *run, const TgShape *shape) {
  if (run->problem->schedule.computes.right == TG_MATRICES) return NAN;
  double seconds = tg_machine_product_s(&run->machine, shape->m, shape->n, shape->k);
  return seconds > 0 ? seconds : NAN;
}

bool tg_sim_cost(const TgSimRun *run, const TgShape *shape, const TgCostOptions *options, TgCost *cost,
                 GError **error) {
  return tg_cost_predict(&run->problem->schedule, &run->problem->names, shape, &run->network,
                         (TgEmbeddingKind)run->embedding.kind, &run->machine, options, cost, error);
}

TgExit tg_sim_failed(const TgCli *cli, const TgSimRun *run, const TgError *failure, GError *error) {
  const bool known = failure->cause != TG_CAUSE_NONE && g_error_matches(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE);
  if (!known) return tg_report_error(cli, error);
  g_error_free(error);
  return tg_problem_report_failure(cli, run->problem, failure);
}

TgExit tg_sim_predict(const TgCli *cli, TgSimRun *run, TgCost *cost) {
  GError *error = NULL;
  run->cost = cost;
  if (!tg_sim_cost(run, &run->shape, &run->options, cost, &error))
    return tg_sim_failed(cli, run, &run->cost->failure, error);
  run->workers = MIN(tg_schedule_processors(&run->problem->schedule), run->cost->nodes);
  run->serial_s = tg_sim_serial_s(run, &run->shape);
  run->efficiency = run->cost->time_s > 0 ? run->serial_s / ((double)run->workers * run->cost->time_s) : NAN;
  return TG_EXIT_DONE;
}
