#include "export-goal.h"

#include "elements.h"
#include "export-run.h"
#include "text-units.h"

#include <math.h>

/* Tags from 2^31 on are no tags: LogGOPSim prints them as negative numbers and takes 2^32-1 for any tag. */
static const int64_t phases_max = INT64_C(1) << 31;
static const uint32_t none = UINT32_MAX;

typedef enum OperationKind { SEND, RECEIVE, PRODUCT } OperationKind;

/* A phase is a statement's execution, or a round of an expanded collective. Its number is the tag of its messages, so
 * that between two processors a receive matches the one send that is meant. What a processor does in a phase waits for
 * all that it did in its phase before, and for nothing else. */
typedef struct Operation {
  int64_t amount; /* bytes; of a product ns */
  uint32_t next;  /* of the same processor */
  uint32_t phase;
  uint32_t peer : 24;
  uint32_t kind : 8;
} Operation;

typedef struct Lane {
  uint32_t first, last; /* operations of one processor */
} Lane;

typedef struct Goal {
  Operation *operation;
  size_t operations, capacity;
  Lane *lane; /* by rank */
  int64_t phase, rounds;
  double ns_per_flop;
  uint64_t limit_bytes;                   /* 0: none */
  bool out_of_memory, overflow, too_slow; /* overflow: of the bytes of a message; too_slow: of the ns of a product */
} Goal;

static bool make_room(Goal *goal) {
  if (goal->operations < goal->capacity) return true;
  size_t capacity = goal->capacity ? 2 * goal->capacity : 1024;
  bool allowed = capacity < none && (!goal->limit_bytes || capacity <= goal->limit_bytes / sizeof(Operation));
  Operation *wider = allowed ? g_try_realloc_n(goal->operation, capacity, sizeof *wider) : NULL;
  if (!wider) return false;
  goal->operation = wider;
  goal->capacity = capacity;
  return true;
}

static void append(Goal *goal, int64_t processor, OperationKind kind, int64_t peer, int64_t phase, int64_t amount) {
  goal->out_of_memory = goal->out_of_memory || !make_room(goal);
  if (goal->out_of_memory) return;
  uint32_t at = (uint32_t)goal->operations++;
  Lane *lane = &goal->lane[processor];
  *(lane->last == none ? &lane->first : &goal->operation[lane->last].next) = at;
  lane->last = at;
  goal->operation[at] =
      (Operation){.amount = amount, .next = none, .phase = (uint32_t)phase, .peer = peer & 0xffffff, .kind = kind & 3};
}

static void join(Goal *goal, int64_t processor, int64_t bytes) {
  if (goal->out_of_memory) return;
  int64_t *amount = &goal->operation[goal->lane[processor].last].amount;
  if (__builtin_add_overflow(*amount, bytes, amount)) goal->overflow = true;
}

static void see_message(void *user, const TgExportMessage *seen) {
  Goal *goal = user;
  const TgMessage *message = seen->message;
  goal->rounds = MAX(goal->rounds, message->round + 1);
  if (seen->joined) {
    join(goal, message->from, seen->bytes);
    join(goal, message->to, seen->bytes);
  } else {
    append(goal, message->from, SEND, message->to, goal->phase + message->round, seen->bytes);
    append(goal, message->to, RECEIVE, message->from, goal->phase + message->round, seen->bytes);
  }
}

static void see_product(void *user, const TgExportProduct *seen) {
  Goal *goal = user;
  double duration_ns = round((double)seen->flops * goal->ns_per_flop);
  bool fits = duration_ns < (double)INT64_MAX; /* not so for 0/0 either */
  if (!fits) goal->too_slow = true;
  append(goal, seen->processor, PRODUCT, 0, goal->phase, fits ? (int64_t)duration_ns : 0);
}

static bool refuse_operations(const Goal *goal, GError **error) {
  const double need_bytes = 2.0 * (double)goal->capacity * sizeof(Operation), limit_bytes = (double)goal->limit_bytes;
  const bool limited = goal->limit_bytes && limit_bytes < need_bytes;
  return TG_IO_FAIL(error, TOO_LARGE,
                    "more than %zu sends, receives and products need %s of memory, but %s %s available; a .json file "
                    "is written without holding them in memory",
                    goal->operations, tg_bytes_text(need_bytes).s, limited ? tg_bytes_text(limit_bytes).s : "less",
                    limited ? "are" : "is");
}

static bool end_statement(void *user, GError **error) {
  Goal *goal = user;
  goal->phase += MAX(goal->rounds, 1);
  goal->rounds = 0;
  if (goal->out_of_memory) return refuse_operations(goal, error);
  const char *problem = goal->overflow              ? "a message of more than 2^63-1 bytes; use smaller matrices"
                        : goal->too_slow            ? "a product takes more than 2^63-1 ns; give a higher --flops-per-s"
                        : goal->phase >= phases_max ? "more than 2^31 statements and rounds"
                                                    : NULL;
  if (problem) g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE, "%s", problem);
  return !problem;
}

/* Labels first … first + count - 1 of one processor. */
typedef struct Group {
  uint32_t first, count;
} Group;

static bool print_waiting(uint32_t label, Group before, FILE *stream) {
  bool good = true;
  for (uint32_t i = 0; i < before.count; i++) good = fprintf(stream, "l%u requires l%u\n", label, before.first + i) > 0;
  return good;
}

static bool print_operation(uint32_t label, const Operation *operation, FILE *stream) {
  const char *const words[][2] = {[SEND] = {"send", "to"}, [RECEIVE] = {"recv", "from"}};
  if (operation->kind == PRODUCT)
    return fprintf(stream, "l%u: calc %" G_GINT64_FORMAT "\n", label, operation->amount) > 0;
  /* LogGOPSim charges for bytes - 1 in unsigned arithmetic, so that a message of no bytes has to be written as one of a
   * byte: that costs its latency alone. */
  return fprintf(stream, "l%u: %s %" G_GINT64_FORMAT "b %s %u tag %u\n", label, words[operation->kind][0],
                 MAX(operation->amount, 1), words[operation->kind][1], operation->peer, operation->phase) > 0;
}

/* Every one of `count` operations waits for every one of `before`. Where those are many pairs, all of them wait for one
 * operation of no duration instead. */
static bool print_barrier(Group *before, uint32_t count, FILE *stream) {
  if (before->count < 2 || count < 2 || (uint64_t)(before->count - 1) * (count - 1) <= 1) return true;
  uint32_t label = before->first + before->count;
  bool good = fprintf(stream, "l%u: calc 0\n", label) > 0 && print_waiting(label, *before, stream);
  *before = (Group){.first = label, .count = 1};
  return good;
}

static uint32_t count_phase(const Goal *goal, uint32_t at) {
  uint32_t count = 0, phase = goal->operation[at].phase;
  for (; at != none && goal->operation[at].phase == phase; at = goal->operation[at].next) count++;
  return count;
}

/* No blanks before a line's first word: txt2bin takes them for an error. */
static bool print_rank(const Goal *goal, int64_t rank, FILE *stream) {
  Group before = {.first = 1, .count = 0};
  bool good = fprintf(stream, "\nrank %" G_GINT64_FORMAT " {\n", rank) > 0;
  for (uint32_t at = goal->lane[rank].first; good && at != none;) {
    uint32_t count = count_phase(goal, at);
    good = print_barrier(&before, count, stream);
    Group group = {.first = before.first + before.count, .count = count};
    for (uint32_t i = 0; good && i < count; i++, at = goal->operation[at].next)
      good = print_operation(group.first + i, &goal->operation[at], stream) &&
             print_waiting(group.first + i, before, stream);
    before = group;
  }
  return good && fputs("}\n", stream) >= 0;
}

static bool print_heading(const TgExportJob *job, double flops_per_s, FILE *stream) {
  char rate[G_ASCII_DTOSTR_BUF_SIZE];
  return fprintf(stream,
                 "// %s on %s, C of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " with inner dimension %" G_GINT64_FORMAT
                 ", %s, collectives: %s\n",
                 tg_name(job->names, job->names->title), tg_schedule_grid_text(job->schedule).s, job->m, job->n, job->k,
                 tg_element_name(job->element), tg_collective_name(job->collective)) > 0 &&
         fprintf(
             stream,
             "// %s\n"
             "// a tag is the number of a statement or round; calc is in ns, at %s flop/s; an empty block goes as 1b\n"
             "num_ranks %" G_GINT64_FORMAT "\n",
             tg_name(job->names, job->names->citation), g_ascii_formatd(rate, sizeof rate, "%.15g", flops_per_s),
             tg_schedule_processors(job->schedule)) > 0;
}

static bool start(Goal *goal, const TgExportJob *job, GError **error) {
  size_t processors = (size_t)tg_schedule_processors(job->schedule);
  goal->lane = g_try_new(Lane, processors);
  if (!goal->lane) return TG_IO_FAIL(error, TOO_LARGE, "no memory for %zu processors", processors);
  for (size_t p = 0; p < processors; p++) goal->lane[p] = (Lane){none, none};
  return true;
}

/* Half of the work is done, and as much is left. */
static bool print_ranks(const Goal *goal, const TgExportJob *job, FILE *stream, GError **error) {
  const int64_t ranks = tg_schedule_processors(job->schedule);
  const int64_t statements = tg_walk_count_statements(job->schedule, job->names);
  bool printed = true;
  for (int64_t rank = 0; printed && rank < ranks; rank++) {
    const int64_t done = statements + (int64_t)((double)statements * (double)rank / (double)ranks);
    if (!tg_watch_go_on(job->watch, done)) {
      g_set_error_literal(error, TG_EXPORT_ERROR, TG_EXPORT_ERROR_STOPPED, "stopped");
      return false;
    }
    printed = print_rank(goal, rank, stream);
  }
  return tg_stream_accepted(printed, error);
}

bool tg_export_goal(const TgExportJob *job, FILE *stream, TgExported *exported, TgError *failure, GError **error) {
  double flops_per_s = job->flops_per_s != 0 ? job->flops_per_s : 1e9;
  Goal goal = {.ns_per_flop = 1e9 / flops_per_s, .limit_bytes = job->memory_limit_bytes};
  TgExportVisitor visitor = {.user = &goal, .message = see_message, .product = see_product, .end = end_statement};
  bool good = start(&goal, job, error) && tg_export_run(job, &visitor, exported, failure, error);
  good = good && tg_stream_accepted(print_heading(job, flops_per_s, stream), error) &&
         print_ranks(&goal, job, stream, error);
  g_free(goal.operation);
  g_free(goal.lane);
  return good;
}
