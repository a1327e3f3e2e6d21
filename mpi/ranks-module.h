/** @file ranks-module.h
 * The MPI library that the job was started with, for sim/ranks and disk/blocks. */
#ifndef TG_RANKS_MODULE_H
#define TG_RANKS_MODULE_H

#include "ranks-library.h"

#include <glib.h>

enum { TG_RANKS_TOGETHER = -1 };

/** This program's place in the job. */
typedef struct TgRanksJob {
  const TgRanksLibrary *mpi;
  int32_t rank, ranks, hosts;
  int32_t *leader;     /**< by rank: the first rank of its host */
  int32_t threads;     /**< of this rank: the cores it may use, divided among the ranks that may use the same */
  int32_t *threads_of; /**< by rank */
  int32_t threads_least, threads_most; /**< of all ranks */
  char library[128];
} TgRanksJob;

/** Whether there is a module to load. */
bool tg_ranks_built(void);
/** Loads MPI and starts it, once in a process. From then on only rank 0 prints. NULL where there is none, or ranks run
 * different programs: DEVICE, with what to do. */
const TgRanksJob *tg_ranks_job(GError **error);
/** Until the request is complete, or what all ranks do together (TG_RANKS_TOGETHER); false where that takes longer. */
bool tg_ranks_wait(const TgRanksJob *job, int64_t request, double deadline_s);
/** Name of a rank's host. */
const char *tg_ranks_host(const TgRanksJob *job, int rank);
/** The CPUs that a rank may use, as "0-3,8"; "" where that is not known. */
const char *tg_ranks_cpus(const TgRanksJob *job, int rank);
/** Until all ranks are here, but no longer than so many seconds: then the job ends. */
void tg_ranks_barrier(const TgRanksJob *job, double deadline_s);
/** … all have the root's data, … */
void tg_ranks_broadcast(const TgRanksJob *job, void *data, int64_t bytes, int root, double deadline_s);
/** … or the least (0), most (1) or sum (2) of each value over the ranks. */
void tg_ranks_reduce(const TgRanksJob *job, double *values, int count, int operation, double deadline_s);
/** Whether the data are those of rank 0. All ranks together. */
bool tg_ranks_same(const TgRanksJob *job, const void *data, gsize bytes, double deadline_s);
/** Whether all ranks can go on: `own` is why this one cannot, or NULL, and is freed. Otherwise all have the error of
 * the first that cannot, with its rank and host unless none can. */
bool tg_ranks_agree(const TgRanksJob *job, GError *own, GError **error, double deadline_s);
/** Waits for the other ranks and ends MPI. Where this one failed and the others go on, ends the whole job with its
 * status. What a rank said of an error is printed where rank 0 had none. */
void tg_ranks_end(int status);
/** Prints one line, whichever rank this is, and ends the whole job with status 1. */
void tg_ranks_abort(const TgRanksJob *job, const char *message) G_GNUC_NORETURN;

#endif
