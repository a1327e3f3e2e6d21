#include "prove.h"

#include "sum.h"

#include <stdlib.h>
#include <string.h>

typedef struct TgReceived {
  TgState *state;
  int64_t *words; /* by processor */
} TgReceived;

static void receive(void *user, const TgMessage *message, TgValueId value) {
  TgReceived *received = user;
  int64_t rows, columns;
  tg_state_value_shape(received->state, value, &rows, &columns);
  int64_t *to = &received->words[message->to];
  *to = tg_sum(*to, tg_block_size(rows * columns, message->pieces, message->piece));
}

void tg_proof_sizes(const TgSchedule *schedule, int64_t *m, int64_t *n, int64_t *k) {
  int64_t rows = schedule->blocks[TG_MATRIX_C][0], columns = schedule->blocks[TG_MATRIX_C][1], inner = schedule->inner;
  int64_t size = rows / tg_common_divisor(rows, columns) * columns;
  size = size / tg_common_divisor(size, inner) * inner;
  bool square = size <= 1 << 20;
  *m = square ? size : rows;
  *n = square ? size : columns;
  *k = square ? size : inner;
}

static void find_busiest(const TgReceived *received, TgProof *proof) {
  proof->busiest = -1;
  for (int64_t p = 0; p < proof->processors; p++) {
    proof->words_received = tg_sum(proof->words_received, received->words[p]);
    if (received->words[p] <= proof->words_received_max) continue;
    proof->words_received_max = received->words[p];
    proof->busiest = p;
  }
}

/* The schedule is right; what is not are counts that do not fit. */
static void check_counts(TgProof *proof) {
  if (!tg_sum_is_full(proof->words_received_max) && !tg_sum_is_full(proof->counts.words_per_processor_max)) return;
  proof->ok = false;
  proof->failure =
      (TgError){.cause = TG_CAUSE_MEMORY,
                .statement = -1,
                .processor = -1,
                .message = "a processor receives or holds more elements than a 64-bit count can hold (2^63-1); "
                           "use smaller matrices"};
}

static void run(TgReceived *received, TgProof *proof) {
  TgProgress progress;
  tg_state_measure(received->state, proof->m, proof->n, proof->k);
  while ((progress = tg_state_next(received->state, &proof->failure)) == TG_PROGRESS_MORE) {
  }
  proof->ok = progress == TG_PROGRESS_END && tg_state_finish(received->state, &proof->failure);
  proof->steps = tg_state_step(received->state);
  proof->counts = *tg_state_counts(received->state);
  if (proof->ok) proof->unread_count = tg_state_unread(received->state, proof->unread, TG_MAX_STATEMENTS);
  find_busiest(received, proof);
  if (proof->ok) check_counts(proof);
}

bool tg_prove(const TgSchedule *schedule, const TgScheduleNames *names, TgCollective collective, int64_t m, int64_t n,
              int64_t k, TgProof *proof) {
  return tg_prove_watched(schedule, names, collective, m, n, k, NULL, proof);
}

bool tg_prove_watched(const TgSchedule *schedule, const TgScheduleNames *names, TgCollective collective, int64_t m,
                      int64_t n, int64_t k, const TgWatch *watch, TgProof *proof) {
  memset(proof, 0, sizeof *proof);
  proof->processors = tg_schedule_processors(schedule);
  proof->m = m;
  proof->n = n;
  proof->k = k;
  proof->busiest = -1;
  TgReceived received = {.words = calloc((size_t)proof->processors, sizeof(int64_t))};
  TgStateHooks hooks = {.user = &received, .message = receive, .watch = watch};
  if (!received.words) {
    proof->failure = (TgError){.cause = TG_CAUSE_MEMORY, .statement = -1, .processor = -1, .message = "out of memory"};
    return false;
  }
  received.state = tg_state_new(schedule, names, collective, &hooks, &proof->failure);
  if (received.state) run(&received, proof);
  tg_state_free(received.state);
  free(received.words);
  return proof->ok;
}
