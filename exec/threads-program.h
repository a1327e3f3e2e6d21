/** @file threads-program.h
 * A plan of blocks of one element (blocks-plan.h) as a program for the threads of one thread block: what the executor
 * `threads` runs.
 *
 * The threads wait for each other at barriers of all of them, so the plan's waits become levels: an instruction is one
 * level behind the instructions of other threads that it waits for. Between two levels there is a barrier; within one,
 * a thread executes its instructions in order, and no thread touches an element that another one writes. A step begins
 * with a level of its own, so that its time is its own.
 *
 * The program is a table of rows of 32 instructions, one for each thread of a warp, so that a warp reads a row in one
 * go. A level has as many rows for a warp as the thread of that warp with the most instructions needs.
 *
 * A larger problem is cut into tiles of C, each an instance of the schedule, and K into panels; an instance runs the
 * program once a panel, from empty slots, and adds what it finds in the places of C to sums of its own.
 *
 * Where one matrix is on both sides (C = A * A'), an instance off the diagonal of C needs other rows of A for left
 * factors than for right ones. Then the memory has two planes, and every block as many versions as are read: A as a
 * left factor reads it in plane 0 and as a right factor reads it in plane 1. A sum that ends in C is made of left
 * factors of plane 0 and right ones of plane 1, and lies in plane 0; one that is transposed on its way there is made
 * the other way round, (X Y')' = Y X', and lies in plane 1. */
#ifndef TG_THREADS_PROGRAM_H
#define TG_THREADS_PROGRAM_H

#include "base.h"

TG_BEGIN_DECLS

enum {
  TG_THREADS_WARP = 32,
  TG_THREADS_MOST_PROCESSORS = 1024,  /**< threads of a block */
  TG_THREADS_MOST_ELEMENTS = 1 << 16, /**< that 16 bits can number */
  TG_THREADS_MOST_ENTRIES = 1 << 26   /**< of the tables of a program */
};

typedef enum TgThreadsOperation {
  TG_THREADS_NOTHING,
  TG_THREADS_ZERO,        /**< target = 0 */
  TG_THREADS_COPY,        /**< target = left */
  TG_THREADS_ADD,         /**< target = left + right */
  TG_THREADS_MULTIPLY,    /**< target = left * right */
  TG_THREADS_MULTIPLY_ADD /**< target = target + left * right */
} TgThreadsOperation;

/** Elements of the block's shared memory, by number. A thread reads all of it at once. */
typedef struct __attribute__((aligned(8))) TgThreadsInstruction {
  uint16_t operation; /**< TgThreadsOperation */
  uint16_t target, left, right;
} TgThreadsInstruction;

/** A block of A or B on its place: an element of the panel that a factor shows to an instance. */
typedef struct __attribute__((aligned(8))) TgThreadsInput {
  uint16_t target; /**< in shared memory */
  uint16_t role;   /**< 0: of the left factor, 1: of the right one */
  uint16_t row, column;
} TgThreadsInput;

/** Which of an instance's three numbers, times the tile's extent, an index of a matrix counts from. */
enum { TG_THREADS_TILE_ROW, TG_THREADS_TILE_COLUMN, TG_THREADS_PANEL, TG_THREADS_NUMBERS };

/** A factor, as it is stored. */
typedef struct TgThreadsRole {
  int64_t rows, columns;
  int32_t row_from, column_from; /**< TG_THREADS_TILE_ROW … */
} TgThreadsRole;

/** How a problem is tiled around the schedule. */
typedef struct TgThreadsTiling {
  int64_t m, n;                     /**< of C */
  int64_t tile[TG_THREADS_NUMBERS]; /**< rows and columns of C of an instance, inner elements of a panel */
  int64_t tile_rows, tile_columns;  /**< of tiles in C: instances are numbered row by row */
  int64_t panels;
  TgThreadsRole role[2]; /**< where C is one matrix alone, only the first */
} TgThreadsTiling;

typedef struct TgThreadsProgram {
  int32_t processors, warps;
  int32_t planes;              /**< 2 where a matrix is on both sides */
  int64_t elements;            /**< of shared memory, without the sums; in all planes */
  int64_t steps, levels, rows; /**< rows: of TG_THREADS_WARP instructions, over all warps and levels */
  int64_t instructions, waits; /**< as planned */
  int64_t inputs;              /**< sorted by role, row and column */
  int32_t *step_level;         /**< [step - 1]: its first level; and one more */
  int32_t *level_row;          /**< [warp * levels + level]: its first row, a warp's rows are adjacent; and two more */
  TgThreadsInstruction
      *instruction; /**< [row * TG_THREADS_WARP + thread % TG_THREADS_WARP]; and one more row, of nothing */
  TgThreadsInput *input;
  uint16_t *result; /**< [row * tile columns + column]: where the element of C is */
} TgThreadsProgram;

/** at[number], without an index that would send the three to a kernel's local memory. */
TG_SHARED static inline int64_t tg_threads_number(const int64_t *at, int32_t number) {
  return number == TG_THREADS_TILE_ROW ? at[0] : number == TG_THREADS_TILE_COLUMN ? at[1] : at[2];
}

/** Element number of an input in the stored matrix, `at` being the instance's numbers times the tile's extents; -1
 * where it lies beyond an edge, and is zero. */
TG_SHARED static inline int64_t tg_threads_place(const TgThreadsRole *role, const TgThreadsInput *input,
                                                 const int64_t *at) {
  const int64_t row = tg_threads_number(at, role->row_from) + input->row;
  const int64_t column = tg_threads_number(at, role->column_from) + input->column;
  return row < role->rows && column < role->columns ? row * role->columns + column : -1;
}

/** Element number in C of element `e` of a tile, row by row; -1 beyond an edge. */
TG_SHARED static inline int64_t tg_threads_c_place(const TgThreadsTiling *tiling, int64_t e, const int64_t *at) {
  const int64_t row = at[TG_THREADS_TILE_ROW] + e / tiling->tile[TG_THREADS_TILE_COLUMN];
  const int64_t column = at[TG_THREADS_TILE_COLUMN] + e % tiling->tile[TG_THREADS_TILE_COLUMN];
  return row < tiling->m && column < tiling->n ? row * tiling->n + column : -1;
}

/** What instance `instance` counts from in panel `panel`. */
TG_SHARED static inline void tg_threads_origin(const TgThreadsTiling *tiling, int64_t instance, int64_t panel,
                                               int64_t *at) {
  at[TG_THREADS_TILE_ROW] = instance / tiling->tile_columns * tiling->tile[TG_THREADS_TILE_ROW];
  at[TG_THREADS_TILE_COLUMN] = instance % tiling->tile_columns * tiling->tile[TG_THREADS_TILE_COLUMN];
  at[TG_THREADS_PANEL] = panel * tiling->tile[TG_THREADS_PANEL];
}

TG_END_DECLS

#endif
