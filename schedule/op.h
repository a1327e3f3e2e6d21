/** @file op.h
 * The operations of the language, and what each does with blocks: one row an operation, which its readers ask. */
#ifndef TG_OP_H
#define TG_OP_H

#include "base.h"

TG_BEGIN_DECLS

typedef enum TgOp {
  TG_OP_STEP,   /**< groups the statements up to `end` */
  TG_OP_REPEAT, /**< runs the statements up to `end` for loop variable `depth` in 0 … value-1 */
  TG_OP_MOVE,
  TG_OP_ADD,
  TG_OP_BROADCAST,
  TG_OP_REDUCE,
  TG_OP_ALLGATHER,
  TG_OP_REDUCESCATTER,
  TG_OP_ALLTOALL,
  TG_OP_SCATTER,
  TG_OP_GATHER,
  TG_OP_MULTIPLY, /**< target (+)= source * other */
  TG_OP_COPY,
  TG_OP_ZERO,
  TG_OP_TRANSPOSE,
  TG_OPS
} TgOp;

typedef struct TgOpTraits {
  const char *word;   /**< in the language, which writes a product as C += A * B */
  bool is_block;      /**< groups or repeats the statements in it */
  bool is_direct;     /**< each processor sends to one other */
  bool is_collective; /**< runs along the lines of one coordinate */
  bool from_root;     /**< one processor of the line is the only sender */
  bool to_root;       /**< one processor of the line is the only receiver */
  bool splits;        /**< a sender has a block for every receiver: X[0], X[1], … */
  bool fills;         /**< a receiver gets a block from every sender: Y[0], Y[1], … */
  bool adds;          /**< what arrives is added up */
  bool makes;         /**< what it writes is new, not a block that it was given */
} TgOpTraits;

/** The row of TgOp `op`. */
const TgOpTraits *tg_op_traits(int op);
/** True for what sends blocks to other processors. */
bool tg_op_travels(int op);
/** How many different blocks a collective moves along a line of `length` processors. */
int64_t tg_op_items(int op, int64_t length);
/** Which of them goes from position `from` of the line to position `to`. */
int64_t tg_op_item(int op, int64_t length, int64_t from, int64_t to);

TG_END_DECLS

#endif
