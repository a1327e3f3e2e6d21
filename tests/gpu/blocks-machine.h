/** @file blocks-machine.h
 * For tests: a machine that executes a plan of executor `blocks` on the CPU, in f64, its processors taking turns at
 * random. So a wait that is missing, or waits in a circle, show without a GPU. */
#ifndef TG_TEST_BLOCKS_MACHINE_H
#define TG_TEST_BLOCKS_MACHINE_H

#include "blocks-planner.h"
#include "executors-cuda.h"

typedef struct Machine {
  const TgBlocksPlan *plan;
  double *memory;
  int32_t *done;
} Machine;

static inline bool is_ready(const Machine *machine, int64_t processor) {
  const TgBlocksPlan *plan = machine->plan;
  const int64_t at = plan->first[processor] + machine->done[processor];
  if (at == plan->first[processor + 1]) return false;
  for (int32_t w = 0; w < plan->instruction[at].waits; w++) {
    const TgBlocksWait *wait = &plan->wait[plan->instruction[at].first_wait + w];
    if (machine->done[wait->processor] < wait->count) return false;
  }
  return true;
}

/** Element (row, column) of a factor as it lies, rows x columns. */
static inline double factor(const Machine *machine, int64_t at, int64_t rows, int64_t columns, int64_t row,
                            int64_t column) {
  const int64_t panel = machine->plan->layout.panel;
  return machine
      ->memory[at + (panel ? tg_blocks_panel_offset(rows, columns, panel, row, column) : row * columns + column)];
}

static inline void multiply(const Machine *machine, const TgBlocksInstruction *x) {
  if (machine->plan->layout.panel) g_assert_true(x->left_transposed && !x->right_transposed);
  for (int64_t i = 0; i < x->rows; i++) {
    for (int64_t j = 0; j < x->columns; j++) {
      double sum = x->addend < 0 ? 0 : machine->memory[x->addend + i * x->columns + j];
      for (int64_t t = 0; t < x->inner; t++)
        sum += (x->left_transposed ? factor(machine, x->left, x->inner, x->rows, t, i)
                                   : factor(machine, x->left, x->rows, x->inner, i, t)) *
               (x->right_transposed ? factor(machine, x->right, x->columns, x->inner, j, t)
                                    : factor(machine, x->right, x->inner, x->columns, t, j));
      machine->memory[x->target + i * x->columns + j] = sum;
    }
  }
}

static inline void execute(const Machine *machine, const TgBlocksInstruction *x) {
  double *memory = machine->memory;
  if (x->operation == TG_BLOCKS_MULTIPLY) {
    multiply(machine, x);
  } else if (x->operation == TG_BLOCKS_TRANSPOSE) {
    for (int64_t i = 0; i < x->rows; i++)
      for (int64_t j = 0; j < x->columns; j++)
        memory[x->target + j * x->rows + i] = memory[x->left + i * x->columns + j];
  } else {
    for (int64_t e = x->begin; e < x->end; e++)
      memory[x->target + e] = (x->addend < 0 ? 0 : memory[x->addend + e]) + (x->left < 0 ? 0 : memory[x->left + e]);
  }
}

/** Whoever comes next in a random order and is ready executes one instruction, or as many as it can. */
static inline void run_plan(Machine *machine, GRand *random, bool in_bursts) {
  const TgBlocksPlan *plan = machine->plan;
  for (int64_t left = plan->instructions; left > 0;) {
    const int64_t begin = g_rand_int_range(random, 0, (gint32)plan->processors);
    int64_t tried = 0, processor = begin;
    while (tried < plan->processors && !is_ready(machine, processor)) {
      processor = (processor + 1) % plan->processors;
      tried++;
    }
    g_assert_cmpint(tried, <, plan->processors); /* else every processor waits for another */
    do {
      execute(machine, &plan->instruction[plan->first[processor] + machine->done[processor]++]);
      left--;
    } while (in_bursts && is_ready(machine, processor));
  }
}

#endif
