/** @file disk-program.h
 * Private to disk/blocks: a program that executes a schedule with blocks on disk, in files. A task makes a block from
 * other blocks. If these are on another rank, they are first received in messages; each copy is a block of its own. A
 * block is written once and never changed, so a resumed run can use those that are complete. All ranks make the same
 * program. */
#ifndef TG_DISK_PROGRAM_H
#define TG_DISK_PROGRAM_H

#include "blocks-plan.h"
#include "inputs.h"

enum { TG_DISK_NONE = -1 }; /* no block, which stands for zeros */

typedef enum TgDiskBlockKind {
  TG_DISK_INPUT,   /**< part of A or B */
  TG_DISK_RESULT,  /**< made by a task */
  TG_DISK_RECEIVED /**< a copy of another rank's block */
} TgDiskBlockKind;

typedef struct TgDiskBlock {
  TgDiskBlockKind kind;
  int32_t rank;                       /**< the rank on whose disk it is */
  TgMatrixName matrix;                /**< its tiles are like those of this matrix */
  int64_t row, column, rows, columns; /**< in elements; row, column: where an input or a part of C begins */
  int32_t source;                     /**< of a received block: the block that it is a copy of */
  int32_t task;                       /**< of a result: the task that makes it */
  bool is_final;                      /**< it is part of C, and written to the file of C */
  bool is_shared;                     /**< other ranks of the host read it in place */
} TgDiskBlock;

/** target = addend + left · right, or addend + left if there is no right. Products whose sum is one block are executed
 * as one task, which reads and writes C once: the first product, with the others chained to it by `next`. */
typedef struct TgDiskTask {
  int32_t rank;
  int32_t target, addend, left, right; /**< blocks: the rank's own, or those that another rank shares */
  int32_t before;                      /**< blocks before this one in the program are sent before the task begins */
  int32_t next;                        /**< the next task whose product is added; TG_DISK_NONE: none */
  bool follows;                        /**< another task's `next` is this one */
} TgDiskTask;

typedef struct TgDiskProgram {
  GArray *blocks; /**< TgDiskBlock; each comes after the blocks that it is made from */
  GArray *tasks;  /**< TgDiskTask, in the order in which one processor would execute them */
} TgDiskProgram;

typedef struct TgDiskProgramJob {
  const TgSchedule *schedule;
  const TgBlocksPlan *plan; /**< its elements are units: whole tiles */
  TgProductBlocks unit;     /**< extents of a unit, in elements */
  const TgHugeInputs *inputs;
  int32_t ranks;
  const int32_t *host_of; /**< by rank: ranks of one host read each other's blocks in place; NULL: no rank does */
} TgDiskProgramJob;

/** Errors: of TG_SIM_ERROR, BAD_INPUT for instructions that are impossible with blocks on disk. */
bool tg_disk_program_make(TgDiskProgram *program, const TgDiskProgramJob *job, GError **error);
void tg_disk_program_clear(TgDiskProgram *program);

static inline TgDiskBlock *tg_disk_block(const TgDiskProgram *program, int32_t number) {
  return &g_array_index(program->blocks, TgDiskBlock, number);
}

static inline const TgDiskTask *tg_disk_task(const TgDiskProgram *program, int32_t number) {
  return &g_array_index(program->tasks, TgDiskTask, number);
}

/** Appends to `from` the blocks (int32_t) that a block is made from. */
void tg_disk_made_from(const TgDiskProgram *program, int32_t number, GArray *from);

/** For each block: whether it must still be made, given the blocks that are `available` (1; 0: not). */
bool *tg_disk_program_todo(const TgDiskProgram *program, const double *available);

/** A checksum that identifies the program. */
uint64_t tg_disk_program_identity(const TgDiskProgram *program);

#endif
