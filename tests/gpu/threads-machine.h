/** @file threads-machine.h
 * For tests: a machine that executes a program of executor `threads` on the CPU, in f64, tile by tile and panel by
 * panel, the threads of a level in random order. Where a thread touches in one level what another one writes there, it
 * stops: such a program would race on a GPU. */
#ifndef TG_TEST_THREADS_MACHINE_H
#define TG_TEST_THREADS_MACHINE_H

#include "threads-compiler.h"

#include <string.h>

enum { NOBODY = -1, SEVERAL = -2 };

typedef struct ThreadsMachine {
  const TgThreadsProgram *program;
  const TgThreadsTiling *tiling;
  GRand *random;
  double *memory, *sums;
  int32_t *writer, *reader; /* of each element in this level */
  int32_t *order;           /* of the threads */
} ThreadsMachine;

static inline ThreadsMachine *threads_machine_new(const TgThreadsProgram *program, const TgThreadsTiling *tiling,
                                                  guint32 seed) {
  ThreadsMachine *machine = g_new0(ThreadsMachine, 1);
  const gsize elements = (gsize)program->elements;
  machine->program = program;
  machine->tiling = tiling;
  machine->random = g_rand_new_with_seed(seed);
  machine->memory = g_new(double, elements);
  machine->sums = g_new(double, (gsize)(tiling->tile[0] * tiling->tile[1]));
  machine->writer = g_new(int32_t, elements);
  machine->reader = g_new(int32_t, elements);
  machine->order = g_new(int32_t, (gsize)program->processors);
  for (int32_t t = 0; t < program->processors; t++) machine->order[t] = t;
  memset(machine->memory, 0xff, elements * sizeof(double));
  return machine;
}

static inline void threads_machine_free(ThreadsMachine *machine) {
  g_rand_free(machine->random);
  g_free(machine->memory);
  g_free(machine->sums);
  g_free(machine->writer);
  g_free(machine->reader);
  g_free(machine->order);
  g_free(machine);
}

static inline double read_element(ThreadsMachine *machine, int32_t thread, uint16_t element) {
  g_assert_cmpint(element, <, machine->program->elements);
  g_assert_true(machine->writer[element] == NOBODY || machine->writer[element] == thread);
  int32_t *reader = &machine->reader[element];
  *reader = *reader == NOBODY || *reader == thread ? thread : SEVERAL;
  return machine->memory[element];
}

static inline void write_element(ThreadsMachine *machine, int32_t thread, uint16_t element, double value) {
  g_assert_cmpint(element, <, machine->program->elements);
  g_assert_true(machine->writer[element] == NOBODY || machine->writer[element] == thread);
  g_assert_true(machine->reader[element] == NOBODY || machine->reader[element] == thread);
  machine->writer[element] = thread;
  machine->memory[element] = value;
}

static inline void execute_one(ThreadsMachine *machine, int32_t thread, const TgThreadsInstruction *x) {
  double left = 0, right = 0, value = 0;
  if (x->operation == TG_THREADS_NOTHING) return;
  if (x->operation != TG_THREADS_ZERO) left = read_element(machine, thread, x->left);
  if (x->operation >= TG_THREADS_ADD) right = read_element(machine, thread, x->right);
  if (x->operation == TG_THREADS_COPY) value = left;
  if (x->operation == TG_THREADS_ADD) value = left + right;
  if (x->operation >= TG_THREADS_MULTIPLY) value = left * right;
  if (x->operation == TG_THREADS_MULTIPLY_ADD) value += read_element(machine, thread, x->target);
  write_element(machine, thread, x->target, value);
}

static inline void shuffle(ThreadsMachine *machine) {
  for (int32_t t = machine->program->processors - 1; t > 0; t--) {
    const int32_t other = g_rand_int_range(machine->random, 0, t + 1), kept = machine->order[t];
    machine->order[t] = machine->order[other];
    machine->order[other] = kept;
  }
}

static inline void execute_level(ThreadsMachine *machine, int64_t level) {
  const TgThreadsProgram *program = machine->program;
  for (int64_t e = 0; e < program->elements; e++) machine->writer[e] = machine->reader[e] = NOBODY;
  shuffle(machine);
  for (int32_t t = 0; t < program->processors; t++) {
    const int32_t thread = machine->order[t], lane = thread % TG_THREADS_WARP;
    const int32_t *row = &program->level_row[thread / TG_THREADS_WARP * program->levels + level];
    for (int32_t r = row[0]; r < row[1]; r++)
      execute_one(machine, thread, &program->instruction[(int64_t)r * TG_THREADS_WARP + lane]);
  }
}

static inline void load_panel(ThreadsMachine *machine, const double *const factor[2], const int64_t *at) {
  const TgThreadsProgram *program = machine->program;
  for (int64_t i = 0; i < program->inputs; i++) {
    const TgThreadsInput *input = &program->input[i];
    const int64_t place = tg_threads_place(&machine->tiling->role[input->role], input, at);
    machine->memory[input->target] = place < 0 ? 0 : factor[input->role][place];
  }
}

static inline void run_instance(ThreadsMachine *machine, const double *const factor[2], double *c, int64_t instance) {
  const TgThreadsProgram *program = machine->program;
  const int64_t elements = machine->tiling->tile[0] * machine->tiling->tile[1];
  int64_t at[TG_THREADS_NUMBERS] = {0};
  for (int64_t panel = 0; panel < machine->tiling->panels; panel++) {
    tg_threads_origin(machine->tiling, instance, panel, at);
    load_panel(machine, factor, at);
    for (int64_t level = 0; level < program->levels; level++) execute_level(machine, level);
    for (int64_t e = 0; e < elements; e++)
      machine->sums[e] = (panel ? machine->sums[e] : 0) + machine->memory[program->result[e]];
  }
  for (int64_t e = 0; e < elements; e++) {
    const int64_t place = tg_threads_c_place(machine->tiling, e, at);
    if (place >= 0) c[place] = machine->sums[e];
  }
}

#endif
