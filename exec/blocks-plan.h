/** @file blocks-plan.h
 * A bound schedule as one list of instructions for every processor, made on the host by the walker, so that what runs
 * on the device knows five operations on blocks and nothing of the language. One list serves every schedule: moves with
 * any map, `where`, arrays, nested repeats, and collectives in any expansion. The walker could run on the device too,
 * but who reads a block, who sends to a slot when the map has no inverse, and which memory is free again would then be
 * found anew by every processor at every statement; here it is settled once, and the memory is known before the run.
 *
 * Instructions are made in the order in which a single processor would execute all of them. Only the owner of a block
 * writes it; others read it in place. Each processor counts the instructions that it has finished, and an instruction
 * waits until the counters of others have reached given numbers: the writer of what it reads (the block is ready), the
 * readers of what it overwrites (they acknowledge). All waits are for instructions made earlier, so the earliest
 * unfinished one can always proceed: no schedule deadlocks while all processors are resident.
 *
 * A block is never overwritten while anything still names it: a statement that replaces a slot writes elsewhere and
 * renames. So a shift needs no buffer of its own, `copy` costs nothing, and by TG_TRANSPORT_PULL nor does `move`.
 * The blocks that were placed are never overwritten, so that a run can be repeated.
 *
 * Blocks are padded with zeros to the largest of their matrix, rows and columns to multiples of what the layout asks
 * for. Where it asks for panels, the blocks of A lie as their transposes, cut into panels, and so do all copies of
 * them. */
#ifndef TG_BLOCKS_PLAN_H
#define TG_BLOCKS_PLAN_H

#include "base.h"
#include "schedule.h"

TG_BEGIN_DECLS

enum {
  TG_BLOCKS_MOST = 1 << 25, /**< instructions, and waits, of one plan */
  TG_PLAN_WAITING = 4       /**< see TgBlocksLayout */
};

/** How blocks are stored in memory. */
typedef struct TgBlocksLayout {
  int32_t pad;   /**< elements that rows and columns are padded to multiples of; 4 are 16 bytes of f32 */
  int32_t align; /**< elements: where blocks begin */
  int32_t panel; /**< not 0: factors of products lie with their inner index slowest, as their transposes if need be, cut
                      into panels of so many elements of the other index: a panel is a piece of its own, so that the
                    part of it that one tile needs for some steps lies in one piece. 0: all blocks lie row by row */
  int32_t inner; /**< with panels: what the inner index is padded to multiples of, beyond `pad` */
  int32_t late_reuse;  /**< 1: what is free is used again in a later step, and so waits for no reader of this one; costs
                            memory for TG_PLAN_WAITING blocks of each size on a processor, at most */
  uint64_t plan_bytes; /**< of the host's memory that the plan may take while it is made; 0: no limit */
} TgBlocksLayout;

typedef enum TgBlocksOperation {
  TG_BLOCKS_ZERO,      /**< target = 0 */
  TG_BLOCKS_COPY,      /**< target = left */
  TG_BLOCKS_ADD,       /**< target = addend + left */
  TG_BLOCKS_TRANSPOSE, /**< target = left', left being rows x columns */
  TG_BLOCKS_MULTIPLY,  /**< target (rows x columns) = addend + left * right, inner terms, factors transposed or not */
  TG_BLOCKS_OPERATIONS
} TgBlocksOperation;

/** Blocks are element offsets in the memory of all processors together; -1 where there is none. */
typedef struct TgBlocksInstruction {
  int32_t operation;  /**< TgBlocksOperation */
  int32_t statement;  /**< index in the schedule */
  int32_t step;       /**< from 1 */
  int32_t waits;      /**< how many … */
  int64_t first_wait; /**< … and where they begin */
  int64_t target, addend, left, right;
  int64_t begin, end; /**< zero, copy, add: these elements of the blocks, multiples of the layout's padding */
  int32_t rows, columns, inner;
  int32_t left_transposed, right_transposed; /**< as they are stored, whatever the schedule calls them */
  int32_t processor;                         /**< that executes it */
  int64_t order;       /**< of all processors' instructions, as a single processor would execute them: from 0 */
} TgBlocksInstruction; /* no padding: programs of a job compare its bytes */

/** Bits of the factors that an instruction reads. */
enum { TG_BLOCKS_READS_LEFT = 1, TG_BLOCKS_READS_RIGHT = 2 };

/** Until `processor` has finished `count` instructions. */
typedef struct TgBlocksWait {
  int32_t processor, count;
} TgBlocksWait;

/** A block of A, B or C and where it begins (A, B) or ends (C). */
typedef struct TgBlocksPlaced {
  int32_t matrix, row, column;
  int32_t processor;
  int64_t offset;
} TgBlocksPlaced;

typedef struct TgBlocksPlan {
  int64_t processors, steps;
  int64_t elements;       /**< of all blocks */
  int64_t input_elements; /**< of those placed, which come first */
  int64_t instructions, waits, placed;
  TgBlocksInstruction *instruction; /**< processor by processor, in order */
  int64_t *first;                   /**< of each processor, and one more */
  TgBlocksWait *wait;
  TgBlocksPlaced *place;
  int64_t rows[TG_MATRICES], columns[TG_MATRICES];               /**< of the whole matrices */
  int64_t padded_rows[TG_MATRICES], padded_columns[TG_MATRICES]; /**< of a block */
  TgBlocksLayout layout;
  bool transposed[TG_MATRICES]; /**< blocks of this matrix are stored as their transposes */
  bool paneled[TG_MATRICES];    /**< … and in panels */
} TgBlocksPlan;

/** Where element (row, column) of a matrix of so many rows lies that is cut into panels of columns. */
static inline int64_t tg_blocks_panel_offset(int64_t rows, int64_t columns, int64_t panel, int64_t row,
                                             int64_t column) {
  const int64_t first = column / panel * panel, width = columns - first < panel ? columns - first : panel;
  return first * rows + row * width + column - first;
}

TG_END_DECLS

#endif
