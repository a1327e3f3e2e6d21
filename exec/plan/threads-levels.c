/* Waits become levels, and instructions go into the rows of their warps. See threads-program.h. */
#include "threads-compiler-private.h"

static bool too_many(GError **error, const char *what, int64_t count) {
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE, "the program has %lld %s, at most %d are made",
              (long long)count, what, TG_THREADS_MOST_ENTRIES);
  return false;
}

/* The level after those of other threads that it waits for. */
static int32_t level_after_waits(const TgThreadsCompiler *compiler, const TgBlocksInstruction *x, int32_t least) {
  const TgBlocksPlan *plan = compiler->plan;
  int32_t level = least;
  for (int32_t w = 0; w < x->waits; w++) {
    const TgBlocksWait *wait = &plan->wait[x->first_wait + w];
    level = MAX(level, compiler->level[plan->first[wait->processor] + wait->count - 1] + 1);
  }
  return level;
}

/* All waits are for instructions earlier in the order, whose levels are known. */
static void find_levels(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  TgThreadsProgram *program = compiler->program;
  g_autofree int32_t *last = g_new0(int32_t, (gsize)plan->processors);
  int32_t levels = 0, floor = 0;
  int64_t steps = 0;
  for (int64_t i = 0; i < plan->instructions; i++) {
    const int64_t number = compiler->in_order[i];
    const TgBlocksInstruction *x = &plan->instruction[number];
    if (x->step > steps) floor = levels;
    while (steps < x->step) program->step_level[steps++] = floor;
    const int32_t level = level_after_waits(compiler, x, MAX(floor, last[x->processor]));
    compiler->level[number] = last[x->processor] = level;
    levels = MAX(levels, level + 1);
  }
  while (steps <= plan->steps) program->step_level[steps++] = levels;
  program->levels = levels;
}

static int64_t cell_of(const TgThreadsCompiler *compiler, int64_t processor, int64_t instruction) {
  return processor / TG_THREADS_WARP * compiler->program->levels + compiler->level[instruction];
}

/* A sum under two names is copied before something is added to one of them. */
static bool copies_first(const TgBlocksInstruction *x) {
  return x->operation == TG_BLOCKS_MULTIPLY && x->addend >= 0 && x->addend != x->target;
}

static int32_t count_entries(const TgThreadsCompiler *compiler, int64_t number) {
  const int32_t both = compiler->versions[number] == (TG_THREADS_STRAIGHT | TG_THREADS_CROSSED);
  return (1 + both) << copies_first(&compiler->plan->instruction[number]);
}

static bool count_rows(TgThreadsCompiler *compiler, GError **error) {
  const TgBlocksPlan *plan = compiler->plan;
  TgThreadsProgram *program = compiler->program;
  const int64_t cells = program->levels * program->warps;
  if (cells > TG_THREADS_MOST_ENTRIES) return too_many(error, "levels of a warp", cells);
  program->level_row = g_new0(int32_t, (gsize)cells + 2);
  for (int64_t p = 0; p < plan->processors; p++) {
    int32_t entries = 0;
    for (int64_t i = plan->first[p]; i < plan->first[p + 1]; i++) {
      if (i > plan->first[p] && compiler->level[i] != compiler->level[i - 1]) entries = 0;
      entries += count_entries(compiler, i);
      int32_t *rows = &program->level_row[cell_of(compiler, p, i)];
      *rows = MAX(*rows, entries);
    }
  }
  for (int64_t cell = 0; cell < cells + 2; cell++) {
    const int32_t rows = program->level_row[cell];
    program->level_row[cell] = (int32_t)program->rows;
    program->rows += rows;
    if (program->rows > TG_THREADS_MOST_ENTRIES / TG_THREADS_WARP)
      return too_many(error, "instructions or more", program->rows * TG_THREADS_WARP);
  }
  return true;
}

/* The instruction in one version. Returns how many it has become. */
static int32_t compress(const TgThreadsCompiler *compiler, int64_t number, int version, TgThreadsInstruction made[2]) {
  static const uint16_t operations[TG_BLOCKS_OPERATIONS] = {[TG_BLOCKS_ZERO] = TG_THREADS_ZERO,
                                                            [TG_BLOCKS_COPY] = TG_THREADS_COPY,
                                                            [TG_BLOCKS_ADD] = TG_THREADS_ADD,
                                                            [TG_BLOCKS_TRANSPOSE] = TG_THREADS_COPY,
                                                            [TG_BLOCKS_MULTIPLY] = TG_THREADS_MULTIPLY};
  const TgBlocksInstruction *x = &compiler->plan->instruction[number];
  const int64_t plane = compiler->plan->elements, here = version * plane;
  const int64_t there = compiler->program->planes == 2 ? plane - here : 0;
  const uint16_t target = (uint16_t)(x->target + here);
  TgThreadsInstruction one = {.operation = operations[x->operation], .target = target};
  int32_t count = 0;
  if (x->left >= 0) one.left = (uint16_t)(x->left + (compiler->crosses[number] ? there : here));
  if (x->operation == TG_BLOCKS_ADD) one.right = (uint16_t)(x->addend + here);
  if (x->operation == TG_BLOCKS_MULTIPLY) one.right = (uint16_t)(x->right + there);
  if (x->operation == TG_BLOCKS_MULTIPLY && x->addend >= 0) one.operation = TG_THREADS_MULTIPLY_ADD;
  if (copies_first(x)) made[count++] = (TgThreadsInstruction){TG_THREADS_COPY, target, (uint16_t)(x->addend + here), 0};
  made[count++] = one;
  return count;
}

static void fill_rows(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  TgThreadsProgram *program = compiler->program;
  program->instruction = g_new0(TgThreadsInstruction, (gsize)(program->rows + 1) * TG_THREADS_WARP);
  for (int64_t p = 0; p < plan->processors; p++) {
    int64_t row = 0;
    for (int64_t i = plan->first[p]; i < plan->first[p + 1]; i++) {
      const bool first = i == plan->first[p] || compiler->level[i] != compiler->level[i - 1];
      if (first) row = program->level_row[cell_of(compiler, p, i)];
      for (int version = 0; version < TG_THREADS_PLANES_MOST; version++) {
        TgThreadsInstruction made[2];
        if (!(compiler->versions[i] >> version & 1)) continue;
        const int32_t count = compress(compiler, i, version, made);
        for (int32_t c = 0; c < count; c++)
          program->instruction[row++ * TG_THREADS_WARP + p % TG_THREADS_WARP] = made[c];
      }
    }
  }
}

bool tg_threads_lay_levels(TgThreadsCompiler *compiler, GError **error) {
  find_levels(compiler);
  if (!count_rows(compiler, error)) return false;
  fill_rows(compiler);
  return true;
}
