/* What ranks send each other is enough: whatever a rank reads, where its host's ranks share it or where messages bring
 * it, is what the owner had written last, even if each message arrives as early as it may; and no block is written
 * again while a message of it may still be under way. */
#include "blocks-planner.h"
#include "own-schedules.h"
#include "rank-messages.h"

#include <string.h>

static const char *const grids[] = {"1",   "2",   "5",     "6",     "1x1",   "2x2",  "3x3",
                                    "4x4", "2x3", "2x2x2", "3x3x3", "4x4x2", "2x3x4"};

typedef struct Part {
  int64_t block, begin, end;
} Part;

static int find_read(const TgBlocksInstruction *at, Part read[3]) {
  const int64_t rows = at->rows, columns = at->columns, inner = at->inner;
  int count = 0;
  const bool adds = at->operation == TG_BLOCKS_ADD, copies = at->operation == TG_BLOCKS_COPY;
  if (adds || copies) read[count++] = (Part){at->left, at->begin, at->end};
  if (adds) read[count++] = (Part){at->addend, at->begin, at->end};
  if (at->operation == TG_BLOCKS_TRANSPOSE) read[count++] = (Part){at->left, 0, rows * columns};
  if (at->operation != TG_BLOCKS_MULTIPLY) return count;
  read[count++] = (Part){at->left, 0, rows * inner};
  read[count++] = (Part){at->right, 0, inner * columns};
  if (at->addend >= 0) read[count++] = (Part){at->addend, 0, rows * columns};
  return count;
}

static Part find_written(const TgBlocksInstruction *at) {
  const bool whole = at->operation == TG_BLOCKS_MULTIPLY || at->operation == TG_BLOCKS_TRANSPOSE;
  return whole ? (Part){at->target, 0, (int64_t)at->rows * at->columns} : (Part){at->target, at->begin, at->end};
}

/** Of each element, the number of the instruction that wrote it, from 1; 0: it was there from the beginning. */
typedef int64_t *Stamps;

/* By the order of a single processor: what each message carries, and what each instruction reads. */
static void run_alone(const TgBlocksPlan *plan, const TgRankMessages *messages, const int32_t *rank_of,
                      GPtrArray *carried, GPtrArray *expected) {
  g_autofree int64_t *stamps = g_new0(int64_t, (gsize)plan->elements + 1),
                     *at = g_new(int64_t, (gsize)plan->instructions + 1);
  g_autofree int64_t *place = g_new0(int64_t, (gsize)messages->ranks);
  for (int64_t i = 0; i < plan->instructions; i++) at[plan->instruction[i].order] = i;
  g_ptr_array_set_size(carried, (gint)messages->message->len);
  g_ptr_array_set_size(expected, (gint)(3 * plan->instructions));
  for (int64_t order = -1; order < plan->instructions; order++) {
    const TgBlocksInstruction *instruction = order < 0 ? NULL : &plan->instruction[at[order]];
    const int32_t rank = instruction ? rank_of[instruction->processor] : -1;
    if (instruction) {
      Part read[3], written = find_written(instruction);
      for (int r = find_read(instruction, read) - 1; r >= 0; r--)
        expected->pdata[3 * at[order] + r] =
            g_memdup2(&stamps[read[r].block + read[r].begin], (gsize)(read[r].end - read[r].begin) * sizeof *stamps);
      for (int64_t e = written.begin; e < written.end; e++) stamps[written.block + e] = order + 1;
    }
    for (guint m = 0; m < messages->message->len; m++) {
      const TgRankMessage *message = &g_array_index(messages->message, TgRankMessage, m);
      const bool now = instruction ? message->from == rank && message->written == place[rank] : message->written < 0;
      if (now)
        carried->pdata[m] = g_memdup2(&stamps[message->block + message->begin],
                                      (gsize)(message->end - message->begin) * sizeof *stamps);
    }
    if (instruction) place[rank]++;
  }
}

static void arrive(const TgRankMessages *messages, const GPtrArray *carried, int32_t rank, int64_t free,
                   Stamps stamps) {
  for (guint m = 0; m < messages->message->len; m++) {
    const TgRankMessage *message = &g_array_index(messages->message, TgRankMessage, m);
    if (message->to != rank || message->free != free) continue;
    g_assert_nonnull(carried->pdata[m]);
    memcpy(&stamps[message->block + message->begin], carried->pdata[m],
           (gsize)(message->end - message->begin) * sizeof *stamps);
  }
}

/** Of one host: what its ranks share, and what messages bring to each. */
typedef struct Host {
  Stamps shared, *brought;
  GHashTable *owned; /* blocks that ranks of this host write, or that were placed with them */
} Host;

/* Blocks of this host's ranks are read where they are, others where messages bring them. */
static const int64_t *stamps_at(const Host *host, int32_t rank, const Part *part) {
  const Stamps stamps = g_hash_table_contains(host->owned, &part->block) ? host->shared : host->brought[rank];
  return &stamps[part->block + part->begin];
}

static void place_inputs(const TgBlocksPlan *plan, const int32_t *rank_of, const int32_t *host_of, int32_t number,
                         Host *host) {
  for (int64_t i = 0; i < plan->placed; i++) {
    const TgBlocksPlaced *placed = &plan->place[i];
    const int64_t elements = plan->padded_rows[placed->matrix] * plan->padded_columns[placed->matrix];
    if (placed->matrix == TG_MATRIX_C || host_of[rank_of[placed->processor]] != number) continue;
    memset(&host->shared[placed->offset], 0, (gsize)elements * sizeof(int64_t));
    g_hash_table_add(host->owned, g_memdup2(&placed->offset, sizeof placed->offset));
  }
  for (int64_t i = 0; i < plan->instructions; i++)
    if (host_of[rank_of[plan->instruction[i].processor]] == number)
      g_hash_table_add(host->owned, g_memdup2(&plan->instruction[i].target, sizeof(int64_t)));
}

/* The host's ranks in the order of a single processor, which waits keep between them. */
static void run_host(const TgBlocksPlan *plan, const TgRankMessages *messages, const GPtrArray *carried,
                     const GPtrArray *expected, const int32_t *rank_of, const int32_t *host_of, int32_t number) {
  const gsize bytes = (gsize)(plan->elements + 1) * sizeof(int64_t);
  g_autofree int64_t *at = g_new(int64_t, (gsize)plan->instructions + 1),
                     *places = g_new0(int64_t, (gsize)messages->ranks);
  Host host = {g_malloc(bytes), g_new(Stamps, (gsize)messages->ranks),
               g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL)};
  memset(host.shared, 0xff, bytes);
  place_inputs(plan, rank_of, host_of, number, &host);
  for (int32_t rank = 0; rank < messages->ranks; rank++) {
    host.brought[rank] = g_malloc(bytes);
    memset(host.brought[rank], 0xff, bytes);
    if (host_of[rank] == number) arrive(messages, carried, rank, -1, host.brought[rank]);
  }
  for (int64_t i = 0; i < plan->instructions; i++) at[plan->instruction[i].order] = i;
  for (int64_t order = 0; order < plan->instructions; order++) {
    const TgBlocksInstruction *instruction = &plan->instruction[at[order]];
    const int32_t rank = rank_of[instruction->processor];
    Part read[3], written = find_written(instruction);
    if (host_of[rank] != number) continue;
    const int64_t place = places[rank]++;
    g_assert_cmpint(messages->turn[messages->first[rank] + place], ==, at[order]);
    for (int r = find_read(instruction, read) - 1; r >= 0; r--)
      g_assert_cmpint(memcmp(stamps_at(&host, rank, &read[r]), expected->pdata[3 * at[order] + r],
                             (gsize)(read[r].end - read[r].begin) * sizeof(int64_t)),
                      ==, 0);
    for (int64_t e = written.begin; e < written.end; e++) host.shared[written.block + e] = order + 1;
    for (guint m = 0; m < messages->message->len; m++) { /* nothing that may be under way is written again */
      const TgRankMessage *message = &g_array_index(messages->message, TgRankMessage, m);
      const bool overlaps = message->begin < written.end && written.begin < message->end;
      if (message->from == rank && message->block == written.block && overlaps && message->written < place)
        g_assert_cmpint(message->rewritten, <=, place);
    }
    arrive(messages, carried, rank, place, host.brought[rank]);
  }
  for (int32_t rank = 0; rank < messages->ranks; rank++) g_free(host.brought[rank]);
  g_free(host.brought);
  g_free(host.shared);
  g_hash_table_unref(host.owned);
}

static void check_hosts(const TgBlocksPlan *plan, int32_t ranks, const int32_t *rank_of, bool share) {
  g_autofree int32_t *host_of = g_new(int32_t, (gsize)ranks);
  g_autoptr(GPtrArray) carried = g_ptr_array_new_with_free_func(g_free),
                       expected = g_ptr_array_new_with_free_func(g_free);
  for (int32_t r = 0; r < ranks; r++) host_of[r] = share ? g_test_rand_int_range(0, ranks) : r;
  TgRankMessages *messages = tg_rank_messages_new(plan, ranks, rank_of, share ? host_of : NULL);
  for (guint m = 0; m < messages->message->len; m++) {
    const TgRankMessage *message = &g_array_index(messages->message, TgRankMessage, m);
    g_assert_cmpint(host_of[message->from], !=, host_of[message->to]);
  }
  run_alone(plan, messages, rank_of, carried, expected);
  for (int32_t host = 0; host < ranks; host++) run_host(plan, messages, carried, expected, rank_of, host_of, host);
  tg_rank_messages_free(messages);
}

static void check_plan(const TgBlocksPlan *plan, int32_t ranks) {
  g_autofree int32_t *rank_of = g_new(int32_t, (gsize)plan->processors);
  for (int64_t p = 0; p < plan->processors; p++) rank_of[p] = (int32_t)(p * ranks / plan->processors);
  check_hosts(plan, ranks, rank_of, false);
  check_hosts(plan, ranks, rank_of, true);
}

static int check_schedule(const TgLibraryEntry *entry, const char *grid) {
  TgSchedule schedule;
  TgScheduleNames names;
  TgBindings bindings = {0};
  TgError unused;
  g_assert_true(tg_schedule_parse(&schedule, &names, entry->text, entry->length, &unused));
  g_assert_true(tg_bindings_grid(&bindings, grid, &unused));
  if (!tg_schedule_bind(&schedule, &names, &bindings, &unused)) return 0;
  for (int transport = TG_TRANSPORT_COPY; transport <= TG_TRANSPORT_PULL; transport++) {
    const TgExecutorOptions options = {.m = g_test_rand_int_range(1, 12),
                                       .n = g_test_rand_int_range(1, 12),
                                       .k = g_test_rand_int_range(1, 12),
                                       .transport = (TgTransport)transport,
                                       .collective = (TgCollective)g_test_rand_int_range(0, TG_COLLECTIVES)};
    const TgBlocksLayout layout = {.pad = 1, .align = 8, .late_reuse = g_test_rand_int_range(0, 2)};
    TgExecutorOptions own = options;
    if (schedule.computes.left == schedule.computes.right) own.n = own.m; /* A * A' */
    g_autoptr(TgBlocksPlan) plan = tg_blocks_plan_new(&schedule, &names, &own, &layout, NULL);
    if (plan) check_plan(plan, g_test_rand_int_range(1, (int)plan->processors + 1));
  }
  return 1;
}

static void every_schedule(void) {
  int bound = 0;
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t g = 0; g < G_N_ELEMENTS(grids); g++) {
    for (size_t e = 0; e < count; e++) bound += check_schedule(&entries[e], grids[g]);
    for (size_t e = 0; e < G_N_ELEMENTS(own_schedules); e++) bound += check_schedule(&own_schedules[e], grids[g]);
  }
  g_test_message("%d schedules", bound);
  g_assert_cmpint(bound, >, 60);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rank-messages/every-schedule", every_schedule);
  return g_test_run();
}
