#include "blocks-execute.h"

#include "block.h"
#include "blocks-planner.h"

#include <glib.h>
#include <string.h>

/** Where an instruction finds its blocks. */
typedef struct Memory {
  TgElement element;
  char *at;
  void (*between)(void *data);
  void *data;
} Memory;

static int64_t element_bytes(const Memory *memory) {
  return tg_element_bytes(memory->element);
}

static char *block_at(const Memory *memory, int64_t offset) {
  return memory->at + offset * element_bytes(memory);
}

/** What is multiplied at a time: so many rows of C, so many terms of each element. */
typedef struct Piece {
  int64_t rows, inner;
} Piece;

/* A few milliseconds where something is to be done in between. A BLAS copies both factors into its own layout. Along
 * the inner index it does so in parts of some hundreds, so that cuts there cost little; every cut between rows copies
 * the right factor once more. */
static Piece piece_of(const Memory *memory, int64_t rows, int64_t columns, int64_t inner) {
  static const double most = 1 << 28; /* multiply-adds */
  enum { INNER = 384, LEAST_ROWS = 256 };
  if (!memory->between) return (Piece){rows, inner};
  return (Piece){MAX((int64_t)(most / ((double)columns * INNER)), LEAST_ROWS), INNER};
}

static void multiply(const Memory *memory, const TgBlocksInstruction *instruction) {
  const int64_t rows = instruction->rows, columns = instruction->columns, inner = instruction->inner;
  const char *left = block_at(memory, instruction->left), *right = block_at(memory, instruction->right);
  const TgBlock l = instruction->left_transposed ? tg_block_transposed(tg_block_of(left, inner, rows))
                                                 : tg_block_of(left, rows, inner);
  const TgBlock r = instruction->right_transposed ? tg_block_transposed(tg_block_of(right, columns, inner))
                                                  : tg_block_of(right, inner, columns);
  char *target = block_at(memory, instruction->target);
  const size_t bytes = (size_t)(rows * columns * element_bytes(memory));
  if (instruction->addend < 0)
    memset(target, 0, bytes);
  else if (instruction->addend != instruction->target)
    memcpy(target, block_at(memory, instruction->addend), bytes);
  const Piece piece = piece_of(memory, rows, columns, inner);
  for (int64_t k = 0; k < inner; k += piece.inner)
    for (int64_t row = 0; row < rows; row += piece.rows) {
      const int64_t terms = MIN(piece.inner, inner - k);
      const TgBlock a = tg_block_part(memory->element, &l, row, k, MIN(piece.rows, rows - row), terms);
      const TgBlock b = tg_block_part(memory->element, &r, k, 0, terms, columns);
      if (row > 0 || k > 0) memory->between(memory->data);
      tg_block_multiply_add(memory->element, target + row * columns * element_bytes(memory), NULL, &a, &b);
    }
}

static void transpose(const Memory *memory, const TgBlocksInstruction *instruction) {
  const TgBlock from = tg_block_of(block_at(memory, instruction->left), instruction->rows, instruction->columns);
  const TgBlock turned = tg_block_transposed(from);
  tg_block_copy(memory->element, block_at(memory, instruction->target), instruction->rows, &turned);
}

static void add(const Memory *memory, const TgBlocksInstruction *instruction) {
  const int64_t begin = instruction->begin, end = instruction->end, bytes = element_bytes(memory);
  char *target = block_at(memory, instruction->target);
  if (instruction->addend != instruction->target)
    memcpy(target + begin * bytes, block_at(memory, instruction->addend) + begin * bytes,
           (size_t)((end - begin) * bytes));
  tg_block_add(memory->element, target, NULL, block_at(memory, instruction->left), NULL, begin, end);
}

void tg_blocks_execute(TgElement element, char *memory, const TgBlocksInstruction *instruction,
                       void (*between)(void *data), void *data) {
  const Memory own = {element, memory, between, data};
  const int64_t begin = instruction->begin * element_bytes(&own);
  const size_t bytes = (size_t)(instruction->end * element_bytes(&own) - begin);
  char *target = block_at(&own, instruction->target);
  switch ((TgBlocksOperation)instruction->operation) {
  case TG_BLOCKS_ZERO:
    memset(target + begin, 0, bytes);
    break;
  case TG_BLOCKS_COPY:
    memcpy(target + begin, block_at(&own, instruction->left) + begin, bytes);
    break;
  case TG_BLOCKS_ADD:
    add(&own, instruction);
    break;
  case TG_BLOCKS_TRANSPOSE:
    transpose(&own, instruction);
    break;
  case TG_BLOCKS_MULTIPLY:
    multiply(&own, instruction);
    break;
  case TG_BLOCKS_OPERATIONS:
    g_assert_not_reached();
  }
}

/* The rows of a block in memory are as long as the longest. */
void tg_blocks_load(const TgExecutor *executor, const TgBlocksPlan *plan, const TgBlocksPlaced *placed,
                    const void *from, char *memory) {
  const TgBlocksExtent extent = tg_blocks_extent(plan, executor->schedule, placed);
  const int64_t bytes = tg_element_bytes(executor->options.element), pitch = plan->padded_columns[placed->matrix];
  const int64_t columns = plan->columns[placed->matrix];
  const char *first = (const char *)from + (extent.row * columns + extent.column) * bytes;
  char *to = memory + placed->offset * bytes;
  memset(to, 0, (size_t)(plan->padded_rows[placed->matrix] * pitch * bytes));
  for (int64_t r = 0; r < extent.rows; r++)
    memcpy(to + r * pitch * bytes, first + r * columns * bytes, (size_t)(extent.columns * bytes));
}

void tg_blocks_store(const TgExecutor *executor, const TgBlocksPlan *plan, const TgBlocksPlaced *placed, void *to,
                     const char *memory) {
  const TgBlocksExtent extent = tg_blocks_extent(plan, executor->schedule, placed);
  const int64_t bytes = tg_element_bytes(executor->options.element), pitch = plan->padded_columns[placed->matrix];
  const char *from = memory + placed->offset * bytes;
  for (int64_t r = 0; r < extent.rows; r++)
    memcpy((char *)to + ((extent.row + r) * plan->columns[placed->matrix] + extent.column) * bytes,
           from + r * pitch * bytes, (size_t)(extent.columns * bytes));
}

void tg_blocks_fill_facts(TgExecutor *executor, const TgBlocksPlan *plan) {
  TgExecutorFacts *facts = &executor->facts;
  facts->instructions = plan->instructions;
  facts->waits = plan->waits;
  facts->steps = plan->steps;
  facts->instance[0] = executor->options.m;
  facts->instance[1] = executor->options.n;
  facts->instance[2] = executor->options.k;
  facts->instances = facts->resident = facts->panels = 1;
}
