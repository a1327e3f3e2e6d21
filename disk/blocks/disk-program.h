/** @file disk-program.h
 * Private to disk/blocks: a schedule whose blocks lie on disks, as files that are written once. A task makes a block
 * from others; a block of another rank first comes in a message, and is a block of its own. No block is ever changed,
 * so that a run that was ended goes on with those that are there. All ranks make the same program. */
#ifndef TG_DISK_PROGRAM_H
#define TG_DISK_PROGRAM_H

#include "blocks-plan.h"
#include "inputs.h"

enum { TG_DISK_NONE = -1 }; /* no block: zeros */

typedef enum TgDiskBlockKind {
  TG_DISK_INPUT,   /**< part of A or B */
  TG_DISK_RESULT,  /**< of a task */
  TG_DISK_RECEIVED /**< a copy of another rank's */
} TgDiskBlockKind;

typedef struct TgDiskBlock {
  TgDiskBlockKind kind;
  int32_t rank;                       /**< whose disk has it */
  TgMatrixName matrix;                /**< whose tiles it has */
  int64_t row, column, rows, columns; /**< of elements; where an input begins, or a part of C */
  int32_t source;                     /**< of a received one: the block that it is a copy of */
  int32_t task;                       /**< of a result: what makes it */
  bool is_final;                      /**< it is part of C, and written there */
  bool is_shared;                     /**< other ranks of the host read it where it is */
} TgDiskBlock;

/** target = addend + left · right, or addend + left where there is no right. Products whose sum is one block are one
 * task, which reads and writes C once: the first of them, with the others behind it. */
typedef struct TgDiskTask {
  int32_t rank, step;
  int32_t target, addend, left, right; /**< blocks; the rank's own, unless it shares another's */
  int32_t before;                      /**< what comes before this block in the program is sent before the task */
  int32_t next;                        /**< the task whose product is added, too; TG_DISK_NONE: no other */
  bool follows;                        /**< it is such a one */
} TgDiskTask;

typedef struct TgDiskProgram {
  GArray *blocks; /**< TgDiskBlock; each after those that it is made from */
  GArray *tasks;  /**< TgDiskTask, in the order of a single processor */
} TgDiskProgram;

typedef struct TgDiskProgramJob {
  const TgSchedule *schedule;
  const TgBlocksPlan *plan; /**< of matrices whose elements are units, whole tiles */
  TgProductBlocks unit;     /**< elements of one */
  const TgHugeInputs *inputs;
  int32_t ranks;
  const int32_t *host_of; /**< by rank: ranks of one host read each other's blocks where they are; NULL: none does */
} TgDiskProgramJob;

/** Errors: of TG_SIM_ERROR, BAD_INPUT for what cannot be done with blocks on a disk. */
bool tg_disk_program_make(TgDiskProgram *program, const TgDiskProgramJob *job, GError **error);
void tg_disk_program_clear(TgDiskProgram *program);

static inline TgDiskBlock *tg_disk_block(const TgDiskProgram *program, int32_t number) {
  return &g_array_index(program->blocks, TgDiskBlock, number);
}

static inline const TgDiskTask *tg_disk_task(const TgDiskProgram *program, int32_t number) {
  return &g_array_index(program->tasks, TgDiskTask, number);
}

/** Appends the blocks (int32_t) that a block is made from. */
void tg_disk_made_from(const TgDiskProgram *program, int32_t number, GArray *from);

/** By block: whether it is still to be made, where those that are `available` are not. */
bool *tg_disk_program_todo(const TgDiskProgram *program, const double *available);

/** A number that differs for other programs. */
uint64_t tg_disk_program_identity(const TgDiskProgram *program);

#endif
