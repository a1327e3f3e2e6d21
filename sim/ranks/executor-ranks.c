/* The executor ranks: each rank of an MPI job executes the instructions of its processors. Blocks of its host's ranks
 * it reads where they are, after waiting for their counters, as on cores; those of others come in messages
 * (rank-messages.h). */
#include "executors-cpu.h"

#include "blas.h"
#include "blocks-execute.h"
#include "blocks-planner.h"
#include "ranks-private.h"

#include <inttypes.h>
#include <string.h>

enum {
  MOST_PROCESSORS = 4096, /* the planner's tables are its square */
  ALIGNMENT = 64          /* bytes: where blocks begin */
};

/* Rank 0's. */
static double agree(const TgExecutor *executor, double value) {
  static const TgRanks usual;
  const TgRanks *ranks = executor ? (const TgRanks *)executor : &usual;
  tg_ranks_broadcast(tg_ranks_job(NULL), &value, sizeof value, 0, deadline_of(ranks));
  return value;
}

/* --- A and B, and C ----------------------------------------------------------------------------------------------- */

static int32_t rank_of(const TgRanks *ranks, int64_t processor) {
  const TgExecutorFacts *facts = &ranks->base.facts;
  int32_t rank = (int32_t)((double)processor * (double)facts->at_once / (double)facts->processors);
  while (tg_executor_first_in_place(facts, rank) > processor) rank--;
  while (tg_executor_first_in_place(facts, rank + 1) <= processor) rank++;
  return rank;
}

static bool load_ranks(TgExecutor *executor, const void *a, const void *b, GError **error) {
  TgRanks *ranks = (TgRanks *)executor;
  const void *const given[] = {a, b};
  (void)error;
  for (int64_t i = 0; i < ranks->plan->placed; i++) {
    const TgBlocksPlaced *placed = &ranks->plan->place[i];
    if (placed->matrix != TG_MATRIX_C && ranks->rank_of[placed->processor] == ranks->job->rank)
      tg_blocks_load(&ranks->base, ranks->plan, placed, given[placed->matrix], ranks->memory.blocks);
  }
  return true;
}

/* By TG_TRANSPORT_PULL a block of C stays with the rank that wrote it, whatever processor it belongs to at the end. */
static void find_homes(TgRanks *ranks) {
  const TgBlocksPlan *plan = ranks->plan;
  g_autoptr(GHashTable) writer = g_hash_table_new(g_int64_hash, g_int64_equal);
  for (int64_t i = 0; i < plan->placed; i++)
    if (plan->place[i].matrix != TG_MATRIX_C)
      g_hash_table_insert(writer, &plan->place[i].offset, &plan->place[i].processor);
  for (int64_t i = 0; i < plan->instructions; i++)
    g_hash_table_insert(writer, &plan->instruction[i].target, &plan->instruction[i].processor);
  ranks->home = g_new(int32_t, (gsize)MAX(plan->placed, 1));
  for (int64_t i = 0; i < plan->placed; i++) {
    const TgBlocksPlaced *placed = &plan->place[i];
    const int32_t *processor = placed->matrix == TG_MATRIX_C ? g_hash_table_lookup(writer, &placed->offset) : NULL;
    ranks->home[i] = ranks->rank_of[processor ? *processor : placed->processor];
  }
}

static void store_own(const TgRanks *ranks, void *c) {
  for (int64_t i = 0; i < ranks->plan->placed; i++) {
    const TgBlocksPlaced *placed = &ranks->plan->place[i];
    if (placed->matrix == TG_MATRIX_C && ranks->home[i] == ranks->job->rank)
      tg_blocks_store(&ranks->base, ranks->plan, placed, c, ranks->memory.blocks);
  }
}

/* Every rank gets all of C. */
static void store_all(const TgRanks *ranks, void *c) {
  const TgBlocksPlan *plan = ranks->plan;
  const int64_t bytes = plan->padded_rows[TG_MATRIX_C] * plan->padded_columns[TG_MATRIX_C] * element_bytes(ranks);
  g_autofree char *room = g_malloc((gsize)bytes);
  for (int64_t i = 0; i < plan->placed; i++) {
    const TgBlocksPlaced *placed = &plan->place[i];
    if (placed->matrix != TG_MATRIX_C) continue;
    const int32_t owner = ranks->home[i];
    const bool far = owner != ranks->job->rank; /* with whom it may be shared, nobody writes into */
    char *at = far ? room : ranks->memory.blocks + placed->offset * element_bytes(ranks);
    tg_ranks_broadcast(ranks->job, at, bytes, owner, deadline_of(ranks));
    tg_blocks_store(&ranks->base, plan, placed, c, at - placed->offset * element_bytes(ranks));
  }
}

static bool gather_ranks(TgExecutor *executor, void *c, GError **error) {
  (void)error;
  (executor->options.parts ? store_own : store_all)((const TgRanks *)executor, c);
  return true;
}

/* --- parts of the matrices ---------------------------------------------------------------------------------------- */

/* By block of the matrix, row by row: 1 + the first of those placed that is this block. */
static int64_t *first_placed(const TgRanks *ranks, TgMatrixName matrix) {
  const int32_t *blocks = ranks->base.schedule->blocks[matrix];
  int64_t *first = g_new0(int64_t, (gsize)blocks[0] * (gsize)blocks[1]);
  for (int64_t i = ranks->plan->placed; i-- > 0;) {
    const TgBlocksPlaced *placed = &ranks->plan->place[i];
    if (placed->matrix == (int32_t)matrix) first[(int64_t)placed->row * blocks[1] + placed->column] = i + 1;
  }
  return first;
}

static GArray *parts_of(const TgExecutor *executor, TgMatrixName matrix) {
  const TgRanks *ranks = (const TgRanks *)executor;
  GArray *parts = g_array_new(FALSE, FALSE, sizeof(TgMatrixPart));
  g_autofree int64_t *first = first_placed(ranks, matrix);
  for (int64_t i = 0; i < ranks->plan->placed; i++) {
    const TgBlocksPlaced *placed = &ranks->plan->place[i];
    if (placed->matrix != (int32_t)matrix || ranks->home[i] != ranks->job->rank) continue;
    const TgBlocksExtent extent = tg_blocks_extent(ranks->plan, executor->schedule, placed);
    const int64_t block = (int64_t)placed->row * executor->schedule->blocks[matrix][1] + placed->column;
    const TgMatrixPart part = {extent.row, extent.column, extent.rows, extent.columns, first[block] == i + 1};
    g_array_append_val(parts, part);
  }
  return parts;
}

/* Some ranks wait for others to read, or to go through, their parts: another deadline for each 64 MB. */
static double patient_deadline_of(const TgRanks *ranks) {
  static const double bytes_within = 64e6;
  const int64_t *rows = ranks->plan->rows, *columns = ranks->plan->columns;
  double bytes = 0;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++)
    bytes += (double)rows[matrix] * (double)columns[matrix] * (double)element_bytes(ranks);
  return deadline_of(ranks) * (1 + bytes / bytes_within);
}

static bool all_took(const TgExecutor *executor, GError *own, GError **error) {
  const TgRanks *ranks = (const TgRanks *)executor;
  GError *bad_input = own ? g_error_new_literal(TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_BAD_INPUT, own->message) : NULL;
  g_clear_error(&own);
  return tg_ranks_agree(ranks->job, bad_input, error, patient_deadline_of(ranks));
}

static void sum(const TgExecutor *executor, double *values, int64_t count) {
  const TgRanks *ranks = (const TgRanks *)executor;
  enum { PIECE = 1 << 24 };
  for (int64_t at = 0; at < count; at += PIECE)
    tg_ranks_reduce(ranks->job, values + at, (int)MIN(count - at, PIECE), 2, patient_deadline_of(ranks));
}

static void wait_for_rows(const TgRanks *ranks, int other, bool sends) {
  if (tg_ranks_wait(ranks->job, 0, deadline_of(ranks))) return;
  g_autofree char *words =
      g_strdup_printf("waited more than %g s for rank %d on %s to %s rows of C", deadline_of(ranks), other,
                      tg_ranks_host(ranks->job, other), sends ? "receive" : "send");
  tg_ranks_abort(ranks->job, words);
}

/* What lies in these rows of a block of C: from its owner to the first rank. */
static void pass_rows(const TgRanks *ranks, const TgBlocksPlaced *placed, const void *c, int64_t row, int64_t rows,
                      char *to) {
  const TgBlocksExtent extent = tg_blocks_extent(ranks->plan, ranks->base.schedule, placed);
  const int64_t begin = MAX(row, extent.row), end = MIN(row + rows, extent.row + extent.rows);
  const int64_t pitch = ranks->base.options.n * element_bytes(ranks), bytes = extent.columns * element_bytes(ranks);
  const int32_t owner = ranks->home[placed - ranks->plan->place];
  const bool sends = owner == ranks->job->rank, receives = ranks->job->rank == 0;
  if (begin >= end || (!sends && !receives)) return;
  g_autofree char *room = g_malloc((gsize)((end - begin) * bytes));
  const char *from = (const char *)c + extent.column * element_bytes(ranks);
  for (int64_t r = begin; sends && r < end; r++) memcpy(room + (r - begin) * bytes, from + r * pitch, (size_t)bytes);
  const int64_t count = (end - begin) * extent.columns;
  const TgRanksLibrary *mpi = ranks->job->mpi;
  if (sends && !receives) mpi->send(0, room, count, (int)element_bytes(ranks), 0, 0);
  if (receives && !sends) mpi->receive(0, room, count, (int)element_bytes(ranks), owner, 0);
  if (sends != receives) wait_for_rows(ranks, sends ? 0 : owner, sends);
  for (int64_t r = begin; receives && r < end; r++)
    memcpy(to + (r - row) * pitch + extent.column * element_bytes(ranks), room + (r - begin) * bytes, (size_t)bytes);
}

static void rows_of(const TgExecutor *executor, const void *c, int64_t row, int64_t rows, void *to) {
  const TgRanks *ranks = (const TgRanks *)executor;
  const int32_t *blocks = executor->schedule->blocks[TG_MATRIX_C];
  g_autofree int64_t *first = first_placed(ranks, TG_MATRIX_C);
  tg_ranks_barrier(ranks->job, deadline_of(ranks)); /* the first has written those before */
  for (int64_t block = 0; block < (int64_t)blocks[0] * blocks[1]; block++)
    if (first[block]) pass_rows(ranks, &ranks->plan->place[first[block] - 1], c, row, rows, to);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static void close_ranks(TgExecutor *executor) {
  TgRanks *ranks = (TgRanks *)executor;
  tg_ranks_clear_turns(ranks);
  tg_ranks_memory_clear(&ranks->memory);
  g_free(ranks->rank_of);
  g_free(ranks->home);
  tg_blocks_plan_free(ranks->plan);
  g_free(ranks->times);
  g_free(ranks->base.steps);
  g_free((char *)ranks->base.facts.kernel);
  g_free(ranks);
}

static bool allocate(TgRanks *ranks, GError **error) {
  const TgExecutorOptions *options = &ranks->base.options;
  const int64_t processors = ranks->base.facts.processors;
  const bool share = options->transport != TG_TRANSPORT_MESSAGE && ranks->job->hosts < ranks->job->ranks;
  ranks->rank_of = g_new(int32_t, (gsize)processors);
  for (int64_t p = 0; p < processors; p++) ranks->rank_of[p] = rank_of(ranks, p);
  find_homes(ranks);
  if (!options->no_times) ranks->times = g_new(TgRankTime, (gsize)ranks->plan->steps + 1);
  return tg_ranks_memory_init(&ranks->memory, ranks->job, ranks->plan->elements * element_bytes(ranks), processors,
                              share, deadline_of(ranks), error);
}

/* Of its parts of A, B and C. */
static double parts_bytes(const TgRanks *ranks) {
  double bytes = 0;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    g_autoptr(GArray) parts = parts_of(&ranks->base, (TgMatrixName)matrix);
    for (guint p = 0; p < parts->len; p++) {
      const TgMatrixPart *part = &g_array_index(parts, TgMatrixPart, p);
      bytes += (double)part->rows * (double)part->columns * (double)element_bytes(ranks);
    }
  }
  return bytes;
}

/* Of this rank; all of them together are in the facts. */
static bool check_memory(TgRanks *ranks, GError **error) {
  const uint64_t limit = tg_executor_memory_limit(&ranks->base.options);
  const double blocks = tg_ranks_touched_bytes(ranks), parts = ranks->base.options.parts ? parts_bytes(ranks) : 0;
  const double need = blocks + parts + (double)tg_blocks_plan_bytes(ranks->plan);
  double sum = need - parts;
  tg_ranks_reduce(ranks->job, &sum, 1, 2, deadline_of(ranks));
  ranks->base.facts.memory_bytes = (int64_t)sum;
  if (need <= (double)limit) return true;
  return TG_EXECUTOR_FAIL(
      error, TOO_LARGE, "rank %d needs %.0f bytes%s, %.0f of them for blocks; the limit is %" PRIu64 " bytes",
      ranks->job->rank, need, parts > 0 ? " with its parts of A, B and C" : " besides A, B and C", blocks, limit);
}

static const char *describe_transport(const TgRanks *ranks) {
  if (ranks->job->ranks == 1) return "all blocks are its own";
  if (!ranks->memory.shared) return "blocks go in messages";
  return ranks->job->hosts > 1 ? "blocks lie in memory that a host's ranks share, and go to other hosts in messages"
                               : "blocks lie in memory that the ranks share";
}

/* "one thread", "8 threads", "2 to 4 threads" */
static char *describe_threads(const TgRanksJob *job) {
  if (job->threads_most == 1) return g_strdup("one thread");
  if (job->threads_least == job->threads_most) return g_strdup_printf("%d threads", job->threads_most);
  return g_strdup_printf("%d to %d threads", job->threads_least, job->threads_most);
}

static void fill_facts(TgRanks *ranks) {
  TgExecutorFacts *facts = &ranks->base.facts;
  g_autofree char *blas = tg_blas_name();
  facts->processors_max = MOST_PROCESSORS;
  g_autofree char *threads = describe_threads(ranks->job);
  facts->kernel = g_strdup_printf("%s%s of %s; %s", threads, ranks->job->ranks > 1 ? " each" : "", blas,
                                  describe_transport(ranks));
  tg_blocks_fill_facts(&ranks->base, ranks->plan);
}

static bool prepare(TgRanks *ranks, GError **error) {
  TgExecutor *base = &ranks->base;
  const TgBlocksLayout layout = {.pad = 1,
                                 .align = ALIGNMENT / (int32_t)element_bytes(ranks),
                                 .late_reuse = 1,
                                 .plan_bytes = tg_executor_memory_limit(&base->options)};
  base->facts.processors = tg_schedule_processors(base->schedule);
  if (!tg_executor_has_one_variant(base, error) || !tg_executor_has_no_waits(&base->options, error)) return false;
  if (base->facts.processors > MOST_PROCESSORS)
    return TG_EXECUTOR_FAIL(error, TOO_LARGE, "grid %s has %" PRId64 " processors; ranks has room for at most %d",
                            tg_schedule_grid_text(base->schedule).s, base->facts.processors, MOST_PROCESSORS);
  g_autoptr(GError) reason = NULL;
  if (!tg_blas_load(&reason)) return TG_EXECUTOR_FAIL(error, DEVICE, "%s", reason->message);
  base->facts.at_once = MIN(base->facts.processors, ranks->job->ranks);
  ranks->plan = tg_blocks_plan_new(base->schedule, base->names, &base->options, &layout, error);
  return ranks->plan;
}

/* Ranks that were given different schedules would wait for each other in vain. */
static bool same_plan(TgRanks *ranks, GError **error) {
  const gsize bytes = (gsize)ranks->plan->instructions * sizeof *ranks->plan->instruction;
  if (tg_ranks_same(ranks->job, ranks->plan->instruction, bytes, deadline_of(ranks))) return true;
  return TG_EXECUTOR_FAIL(error, BAD_INPUT, "it was given another schedule, grid or size than rank 0");
}

/* All ranks together. */
static bool set_up(TgRanks *ranks, GError **error) {
  TgShape shape;
  const TgExecutorOptions *options = &ranks->base.options;
  fill_facts(ranks);
  tg_ranks_find_turns(ranks);
  if (!tg_shape_init(&shape, &ranks->base.schedule->computes, options->m, options->n, options->k, error)) return false;
  ranks->largest = tg_largest_product(ranks->base.schedule, &shape);
  if (!check_memory(ranks, error)) return false;
  if (ranks->base.options.poison) tg_ranks_poison(ranks);
  return ranks->base.options.no_times || tg_executor_make_steps(&ranks->base, error);
}

static char *describe_job(void) {
  const TgRanksJob *job = tg_ranks_job(NULL);
  g_autofree char *hosts = job->hosts > 1 ? g_strdup_printf(" on %d hosts", job->hosts) : g_strdup("");
  g_autofree char *threads = describe_threads(job);
  return g_strdup_printf("%d rank%s of %s%s%s%s", job->ranks, job->ranks == 1 ? "" : "s", job->library, hosts,
                         job->threads_most == 1 ? ""
                         : job->ranks > 1       ? ", each with "
                                                : ", with ",
                         job->threads_most == 1 ? "" : threads);
}

static bool begin_ranks(bool *first, GError **error) {
  const TgRanksJob *job = tg_ranks_job(error);
  *first = job && job->rank == 0;
  return job != NULL;
}

/* mpirun gives standard input to rank 0 alone. It may come from a slow program. */
static GBytes *share(GBytes *(*read)(GError **error), GError **error) {
  static const double patience_s = 600;
  const TgRanksJob *job = tg_ranks_job(error);
  GError *own = NULL;
  if (!job) return NULL;
  g_autoptr(GBytes) bytes = job->rank == 0 ? read(&own) : NULL;
  if (!tg_ranks_agree(job, own, error, patience_s)) return NULL;
  gsize size = 0;
  const void *first = bytes ? g_bytes_get_data(bytes, &size) : NULL;
  tg_ranks_broadcast(job, &size, sizeof size, 0, patience_s);
  g_autofree char *copy = g_malloc(size + 1);
  if (size && first) memcpy(copy, first, size);
  tg_ranks_broadcast(job, copy, (int64_t)size, 0, patience_s);
  return g_bytes_new_take(g_steal_pointer(&copy), size);
}

/* Whether all ranks can; else all have the same error. */
static bool all_can(TgRanks *ranks, bool (*can)(TgRanks *ranks, GError **error), GError **error) {
  GError *own = NULL;
  can(ranks, &own);
  return tg_ranks_agree(ranks->job, own, error, deadline_of(ranks));
}

static TgExecutor *open_ranks(const TgSchedule *schedule, const TgScheduleNames *names,
                              const TgExecutorOptions *options, GError **error) {
  const TgRanksJob *job = tg_ranks_job(error);
  if (!job) return NULL;
  TgRanks *ranks = g_new0(TgRanks, 1);
  ranks->base = (TgExecutor){.kind = &tg_executor_ranks, .schedule = schedule, .names = names, .options = *options};
  ranks->job = job;
  if (all_can(ranks, prepare, error) && all_can(ranks, same_plan, error) && all_can(ranks, allocate, error) &&
      all_can(ranks, set_up, error))
    return &ranks->base;
  close_ranks(&ranks->base);
  return NULL;
}

const TgExecutorKind tg_executor_ranks = {
    .name = "ranks",
    .processor = "a rank of an MPI job (mpirun); where there are too few, several share one",
    .link = "memory that the ranks of a host share, or a message",
    .has_deadline = true,
    .transports = 1 << TG_TRANSPORT_COPY | 1 << TG_TRANSPORT_PULL | 1 << TG_TRANSPORT_MESSAGE,
    .traits = {.fetches = true, .messages = true},
    .unlike_sim = "whose ranks share cores in turn; here all work at the same time",
    .grid = "4x4",
    .sizes = "16,24,32,48,80,112,144,208,272,400",
    .built = tg_ranks_built,
    .job = describe_job,
    .begin = begin_ranks,
    .end = tg_ranks_end,
    .share = share,
    .open = open_ranks,
    .load = load_ranks,
    .run = tg_ranks_run,
    .gather = gather_ranks,
    .agree = agree,
    .sum = sum,
    .parts = parts_of,
    .rows = rows_of,
    .all_took = all_took,
    .places = tg_ranks_places,
    .close = close_ranks};
