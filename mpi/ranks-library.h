/** @file ranks-library.h
 * An MPI library as a table of functions. What is compiled against one lies in a module of its own (ranks-mpi.c), which
 * is loaded when ranks are asked for: nothing else loads MPI. */
#ifndef TG_RANKS_LIBRARY_H
#define TG_RANKS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TG_RANKS_LIBRARY_VERSION = 5, TG_RANKS_CPUS = 512 };

/** Requests are numbered by the caller from 0; tags may be any number of 0 or more. */
typedef struct TgRanksLibrary {
  int version; /**< TG_RANKS_LIBRARY_VERSION of what the module was compiled with */
  /** Starts MPI, once in a process, and tells all other ranks which CPUs this one may use, as `find_cpus` writes it:
   * some libraries bind a rank as they start. False: `text` says why. */
  bool (*begin)(int *rank, int *ranks, void (*find_cpus)(char cpus[TG_RANKS_CPUS]), char *text, size_t room);
  bool (*has_threads)(void); /**< whether any thread may call MPI, one at a time */
  void (*end)(void);
  void (*abort)(int status);
  void (*describe)(char *library, size_t room);
  const char *(*host_of)(int rank);
  const char *(*cpus_of)(int rank);
  int (*leader_of)(int rank);        /**< the first rank on the same host */
  bool (*reserve)(int64_t requests); /**< room for so many at a time; false: no memory */
  void (*send)(int64_t request, const void *data, int64_t count, int element_bytes, int to, int64_t tag);
  void (*receive)(int64_t request, void *data, int64_t count, int element_bytes, int from, int64_t tag);
  bool (*test)(int64_t request); /**< whether it is complete */
  void (*poll)(void);            /**< lets messages under way go on */
  /* All ranks together; one at a time, until together() says that it is complete: */
  void (*barrier)(void);
  void (*broadcast)(void *data, int count, int root);       /**< bytes */
  void (*reduce)(double *values, int count, int operation); /**< of all ranks, to all: 0 least, 1 most, 2 sum */
  bool (*together)(void);
  /* The same, whatever else is under way, before end(): the least value. */
  void (*leave)(double *value);
  bool (*left)(void);
  /* For use before abort(), since other ranks may be about to abort, too: announce() tells all higher ranks,
   * lower_announced() whether a lower rank has announced. */
  void (*announce)(int rank, int ranks);
  bool (*lower_announced)(void);
} TgRanksLibrary;

/** Name of the module's function that returns the table. */
#define TG_RANKS_LIBRARY_SYMBOL "tg_ranks_library"

#endif
