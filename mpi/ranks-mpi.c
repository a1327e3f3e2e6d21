/* The module: ranks-library.h by MPI. */
#include "ranks-library.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const TgRanksLibrary *tg_ranks_library(void);

static MPI_Request *request_at, all_ranks = MPI_REQUEST_NULL, leaving = MPI_REQUEST_NULL;
static MPI_Comm leaving_ranks;
static int tag_most, provided;

/** Of a rank. */
typedef struct Place {
  int leader;
  char host[MPI_MAX_PROCESSOR_NAME];
  char cpus[TG_RANKS_CPUS];
} Place;

static Place *place_of; /* by rank */

/* Ranks that can share memory are on one host. */
static bool find_places(int rank, int ranks, void (*find_cpus)(char cpus[TG_RANKS_CPUS])) {
  MPI_Comm host;
  Place own = {.leader = rank};
  int length;
  place_of = malloc((size_t)ranks * sizeof *place_of);
  if (!place_of) return false;
  MPI_Get_processor_name(own.host, &length);
  find_cpus(own.cpus);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Bcast(&own.leader, 1, MPI_INT, 0, host);
  MPI_Comm_free(&host);
  MPI_Allgather(&own, sizeof own, MPI_BYTE, place_of, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  return true;
}

static bool begin(int *rank, int *ranks, void (*find_cpus)(char cpus[TG_RANKS_CPUS]), char *text, size_t room) {
  int *most, given;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
    strncpy(text, "MPI_Init_thread failed", room);
    return false;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, ranks);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &given);
  tag_most = given ? *most : 32767;
  MPI_Comm_dup(MPI_COMM_WORLD, &leaving_ranks);
  if (find_places(*rank, *ranks, find_cpus)) return true;
  strncpy(text, "out of memory", room);
  return false;
}

static bool has_threads(void) {
  return provided >= MPI_THREAD_SERIALIZED;
}

static void end(void) {
  free(request_at);
  free(place_of);
  request_at = NULL;
  place_of = NULL;
  MPI_Comm_free(&leaving_ranks);
  MPI_Finalize();
}

/* Open MPI 4's mpirun may crash on what MPI_Abort tells it: one of its threads frees the text while another copies it
 * (orte_rml_oob_send_buffer_nb). It also ends all ranks where one leaves early. */
static bool has_crashing_mpirun(void) {
#if defined OPEN_MPI && OMPI_MAJOR_VERSION == 4
  return getenv("OMPI_COMM_WORLD_SIZE") != NULL; /* not started by another launcher, such as srun */
#else
  return false;
#endif
}

static void abort_all(int status) {
  if (has_crashing_mpirun()) _exit(status);
  MPI_Abort(MPI_COMM_WORLD, status);
}

static void describe(char *library, size_t room) {
  char name[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(name, &length);
  strncpy(library, name, room - 1);
  library[room - 1] = '\0';
  library[strcspn(library, "\n,")] = '\0';
  for (char *c = library; *c; c++)
    if (*c == '\t') *c = ' '; /* MPICH has one */
}

static const char *host_of(int rank) {
  return place_of[rank].host;
}

static const char *cpus_of(int rank) {
  return place_of[rank].cpus;
}

static int leader_of(int rank) {
  return place_of[rank].leader;
}

static bool reserve(int64_t requests) {
  MPI_Request *more = realloc(request_at, (size_t)(requests + 1) * sizeof *more);
  if (!more) return false;
  for (int64_t r = 0; r <= requests; r++) more[r] = MPI_REQUEST_NULL;
  request_at = more;
  return true;
}

static MPI_Datatype type_of(int element_bytes) {
  return element_bytes == 8 ? MPI_DOUBLE : MPI_FLOAT;
}

/* Messages of a pair whose tags are the same come in the order in which they were sent: there are so many tags that
 * such ones are never under way at once. */
static int tag_of(int64_t tag) {
  return (int)(tag % tag_most);
}

static void send(int64_t request, const void *data, int64_t count, int element_bytes, int to, int64_t tag) {
  MPI_Isend(data, (int)count, type_of(element_bytes), to, tag_of(tag), MPI_COMM_WORLD, &request_at[request]);
}

static void receive(int64_t request, void *data, int64_t count, int element_bytes, int from, int64_t tag) {
  MPI_Irecv(data, (int)count, type_of(element_bytes), from, tag_of(tag), MPI_COMM_WORLD, &request_at[request]);
}

static bool test(int64_t request) {
  int done;
  MPI_Test(&request_at[request], &done, MPI_STATUS_IGNORE);
  return done;
}

static void poll(void) {
  int found;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static void barrier(void) {
  MPI_Ibarrier(MPI_COMM_WORLD, &all_ranks);
}

static void broadcast(void *data, int count, int root) {
  MPI_Ibcast(data, count, MPI_BYTE, root, MPI_COMM_WORLD, &all_ranks);
}

static void reduce(double *values, int count, int operation) {
  const MPI_Op operations[] = {MPI_MIN, MPI_MAX, MPI_SUM};
  MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, operations[operation], MPI_COMM_WORLD, &all_ranks);
}

static bool together(void) {
  int done;
  MPI_Test(&all_ranks, &done, MPI_STATUS_IGNORE);
  return done;
}

static void leave(double *value) {
  MPI_Iallreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_MIN, leaving_ranks, &leaving);
}

static bool left(void) {
  int done;
  MPI_Test(&leaving, &done, MPI_STATUS_IGNORE);
  return done;
}

/* These messages are never received: the job is ending. */
static void announce(int rank, int ranks) {
  MPI_Request request;
  for (int to = rank + 1; to < ranks; to++) MPI_Isend(NULL, 0, MPI_BYTE, to, 0, leaving_ranks, &request);
}

static bool lower_announced(void) {
  int found;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, leaving_ranks, &found, MPI_STATUS_IGNORE);
  return found;
}

const TgRanksLibrary *tg_ranks_library(void) {
  static const TgRanksLibrary library = {TG_RANKS_LIBRARY_VERSION,
                                         begin,
                                         has_threads,
                                         end,
                                         abort_all,
                                         describe,
                                         host_of,
                                         cpus_of,
                                         leader_of,
                                         reserve,
                                         send,
                                         receive,
                                         test,
                                         poll,
                                         barrier,
                                         broadcast,
                                         reduce,
                                         together,
                                         leave,
                                         left,
                                         announce,
                                         lower_announced};
  return &library;
}
