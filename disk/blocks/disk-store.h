/** @file disk-store.h
 * Private to disk/blocks: the blocks of one rank in files, which two threads read and write. */
#ifndef TG_DISK_STORE_H
#define TG_DISK_STORE_H

#include "disk-program.h"
#include "unfinished.h"

/** What this rank knows of a block. */
typedef struct TgDiskStored {
  TgStreamFile file; /**< of inputs and parts of C: a part of that file */
  TgUnfinished part; /**< the file while it is being written */
  bool ready;
  int32_t uses; /**< how many tasks and messages of this rank still need it */
} TgDiskStored;

typedef struct TgDiskStore {
  const TgDiskProgram *program;
  const TgHugeOptions *options;
  const TgHugeInputs *inputs;
  int32_t rank;
  char *folder;      /**< for blocks that are not parts of C */
  uint64_t identity; /**< of the product and the program; part of the files' names */
  TgStreamFile c;    /**< all of C */
  TgDiskStored *stored;
  bool direct; /**< past the operating system's cache */
  GMutex mutex;
  GCond changed;
  bool stop;
  GError *problem;                                           /**< the first */
  void (*tell)(void *to, TgHugeStage stage, double begin_s); /**< a stage ends now, in either thread; may be NULL */
  void *tell_to;
} TgDiskStore;

void tg_disk_store_init(TgDiskStore *store);
/** All of C, once there is a file for it: before a block is begun. */
void tg_disk_store_use_c(TgDiskStore *store, const TgStreamFile *c);
/** If `finished`, removes those of the remaining blocks that this rank has made. */
void tg_disk_store_clear(TgDiskStore *store, bool finished);

/** Sets `available` to 1 for this rank's blocks that an earlier run completed, and to 0 for its others. Adds the bytes
 * that it verifies to `result`. */
void tg_disk_store_look(TgDiskStore *store, double *available, TgHugeResult *result);

/** Begins a block, or resumes it. Errors: those of tg_unfinished_open(). */
bool tg_disk_store_begin(TgDiskStore *store, int32_t number, GError **error);
/** Finishes a complete block, which then survives if the run ends early. */
bool tg_disk_store_finish(TgDiskStore *store, int32_t number, GError **error);
/** Whether this rank has completed the block. */
bool tg_disk_store_has(TgDiskStore *store, int32_t number);
/** Whether the block is complete, on this rank or on one that shares it; if so, its file is open. False with an error
 * if it cannot be opened. */
bool tg_disk_store_is_there(TgDiskStore *store, int32_t number, GError **error);
/** Waits until tg_disk_store_is_there(). False if the other thread has stopped, or on an error. */
bool tg_disk_store_wait(TgDiskStore *store, int32_t number, GError **error);
/** Counts down the uses. After the last one the file is removed, unless other ranks read it, too. */
void tg_disk_store_used(TgDiskStore *store, int32_t number);

bool tg_disk_store_is_stopped(TgDiskStore *store);
/** Stops both threads. Takes `problem`; the first one is kept. */
void tg_disk_store_stop(TgDiskStore *store, GError *problem);

#endif
