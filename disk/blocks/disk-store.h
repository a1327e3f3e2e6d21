/** @file disk-store.h
 * Private to disk/blocks: the blocks of one rank in files, which two threads read and write. */
#ifndef TG_DISK_STORE_H
#define TG_DISK_STORE_H

#include "disk-program.h"
#include "unfinished.h"

/** A block as this rank knows it. */
typedef struct TgDiskStored {
  TgStreamFile file; /**< of an input, or of C, a part of it */
  TgUnfinished part; /**< while it is written */
  bool ready;
  int32_t uses; /**< by tasks and messages of this rank that are still to come */
} TgDiskStored;

typedef struct TgDiskStore {
  const TgDiskProgram *program;
  const TgHugeOptions *options;
  const TgHugeInputs *inputs;
  int32_t rank;
  char *folder;      /**< for blocks that are not parts of C */
  uint64_t identity; /**< of the product and the program: in the files' names */
  TgStreamFile c;    /**< all of C */
  TgDiskStored *stored;
  bool direct; /**< past the operating system's cache */
  GMutex mutex;
  GCond changed;
  bool stop;
  GError *problem;                                           /**< the first */
  void (*tell)(void *to, TgHugeStage stage, double begin_s); /**< of what ends now, from either thread; may be NULL */
  void *tell_to;
} TgDiskStore;

void tg_disk_store_init(TgDiskStore *store);
/** Of the blocks that are left, removes those that the rank has made where `finished`. */
void tg_disk_store_clear(TgDiskStore *store, bool finished);

/** Which of this rank's blocks are there from an earlier run: 1, else 0. Adds what it reads to `result`. */
void tg_disk_store_look(TgDiskStore *store, double *available, TgHugeResult *result);

/** Begins a block, or goes on with it. Errors: those of tg_unfinished_open(). */
bool tg_disk_store_begin(TgDiskStore *store, int32_t number, GError **error);
/** It is complete, and will survive. */
bool tg_disk_store_finish(TgDiskStore *store, int32_t number, GError **error);
/** Whether this rank has completed it. */
bool tg_disk_store_has(TgDiskStore *store, int32_t number);
/** Whether it is complete, here or on a rank that shares it: then it is open. False with an error where it cannot be
 * opened. */
bool tg_disk_store_is_there(TgDiskStore *store, int32_t number, GError **error);
/** Waits until it is. False where the other thread has stopped. */
bool tg_disk_store_wait(TgDiskStore *store, int32_t number, GError **error);
/** One use less; after the last one its file is removed. */
void tg_disk_store_used(TgDiskStore *store, int32_t number);

bool tg_disk_store_is_stopped(TgDiskStore *store);
/** Stops both threads, with the first problem, which is taken. */
void tg_disk_store_stop(TgDiskStore *store, GError *problem);

#endif
