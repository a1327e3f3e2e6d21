/** @file clusters-machine.h
 * For tests: a machine that executes the streams of executor `clusters` on the CPU, a tile an element, in f64.
 * Producers, warps and the copy engine take turns at random; barriers count as mbarriers do. So a wait that is missing,
 * that waits for another phase than is meant, or waits in a circle, shows without a GPU. */
#ifndef TG_TEST_CLUSTERS_MACHINE_H
#define TG_TEST_CLUSTERS_MACHINE_H

#include "clusters-planner.h"
#include "executors-cuda.h"

#include <math.h>
#include <string.h>

/** As PTX has them: a phase ends when `count` arrivals and all expected bytes have come. */
typedef struct Barrier {
  int32_t count, pending, bytes, phase;
} Barrier;

enum { MACHINE_WARPS = 3 };

typedef struct Copy {
  int32_t from, from_slot; /**< from: -1 for a load */
  int32_t to, to_slot;
  double value; /**< of a load */
} Copy;

typedef struct Processor {
  int32_t panel, op, product[MACHINE_WARPS], product_panel[MACHINE_WARPS];
  Barrier full[TG_CLUSTER_SLOTS], free[TG_CLUSTER_SLOTS], ready[TG_CLUSTER_CHANNELS];
  int32_t armed[TG_CLUSTER_SLOTS], sent[TG_CLUSTER_CHANNELS]; /**< fillings and uses so far */
  int32_t read[MACHINE_WARPS][TG_CLUSTER_SLOTS];              /**< the filling that a warp read last */
  double slot[TG_CLUSTER_SLOTS];
  bool owes[TG_CLUSTER_SLOTS]; /**< an arrival for the block that it receives … */
  int32_t owed_to[TG_CLUSTER_SLOTS], owed_slot[TG_CLUSTER_SLOTS];
  double registers, *sum;
} Processor;

typedef struct ClusterMachine {
  const TgClusterPlan *plan;
  GRand *random;
  const double *left, *right; /**< op(A): rows x (panels * inner); op(B): (panels * inner) x columns */
  int32_t panels;
  Processor *processor;
  GArray *copies; /**< Copy, on their way */
} ClusterMachine;

static inline void end_phase(Barrier *barrier) {
  g_assert_cmpint(barrier->pending, >=, 0);
  if (barrier->pending > 0 || barrier->bytes != 0) return;
  barrier->phase++;
  barrier->pending = barrier->count;
}

static inline void arrive(Barrier *barrier, int32_t arrivals, int32_t bytes) {
  barrier->bytes += bytes;
  barrier->pending -= arrivals;
  end_phase(barrier);
}

/** What the hardware answers for a parity, which must be what is true of the phase that is meant. */
static inline bool passed(const Barrier *barrier, int32_t parity, int32_t phase) {
  const bool answer = (barrier->phase & 1) != parity;
  g_assert_cmpint(parity, ==, phase & 1);
  g_assert_true(answer == (barrier->phase > phase));
  return answer;
}

static inline int32_t parity_of(int32_t parity, int32_t odd, int32_t unit) {
  return (parity + odd * unit) & 1;
}

static inline bool settle(ClusterMachine *machine, Processor *processor, int32_t slot) {
  if (!processor->owes[slot] ||
      !passed(&processor->full[slot], (processor->armed[slot] - 1) & 1, processor->armed[slot] - 1))
    return false;
  processor->owes[slot] = false;
  arrive(&machine->processor[processor->owed_to[slot]].free[processor->owed_slot[slot]], 1, 0);
  return true;
}

static inline bool fill(ClusterMachine *machine, Processor *processor, const TgStreamOp *op, int32_t unit) {
  const int32_t filling = processor->armed[op->slot], parity = parity_of(op->parity, op->odd, unit);
  g_assert_cmpint(parity, ==, filling & 1);
  if (filling > 0 && !passed(&processor->free[op->slot], parity ^ 1, filling - 1)) return false;
  settle(machine, processor, op->slot);
  g_assert_false(processor->owes[op->slot]);
  processor->armed[op->slot]++;
  processor->slot[op->slot] = NAN;
  arrive(&processor->full[op->slot], 1, 1);
  if (op->spare) arrive(&processor->free[op->slot], op->spare, 0);
  const int32_t self = (int32_t)(processor - machine->processor), all = machine->panels * machine->plan->inner;
  if (op->operation == TG_STREAM_RECEIVE) {
    processor->owes[op->slot] = true;
    processor->owed_to[op->slot] = op->peer;
    processor->owed_slot[op->slot] = op->peer_slot;
    arrive(&machine->processor[op->peer].ready[op->channel], 1, 0);
    return true;
  }
  const int32_t k = processor->panel * machine->plan->inner + op->inner;
  const Copy copy = {-1, 0, self, op->slot,
                     op->role == TG_ROLE_LEFT ? machine->left[op->across * all + k]
                                              : machine->right[k * machine->plan->columns + op->across]};
  g_array_append_val(machine->copies, copy);
  return true;
}

static inline bool send_block(ClusterMachine *machine, Processor *processor, const TgStreamOp *op, int32_t unit) {
  const int32_t use = processor->sent[op->channel], filling = processor->armed[op->slot] - 1;
  if (!passed(&processor->full[op->slot], parity_of(op->parity, op->odd, unit), filling)) return false;
  if (!passed(&processor->ready[op->channel], parity_of(op->channel_parity, op->channel_odd, unit), use)) return false;
  processor->sent[op->channel]++;
  const Copy copy = {(int32_t)(processor - machine->processor), op->slot, op->peer, op->peer_slot, 0};
  g_array_append_val(machine->copies, copy);
  return true;
}

/** One operation of a producer; false where it waits. */
static inline bool produce(ClusterMachine *machine, Processor *processor) {
  const TgClusterPlan *plan = machine->plan;
  const TgStreamProcessor *about = &plan->processor[processor - machine->processor];
  bool settled = false;
  for (int32_t s = 0; s < plan->slots; s++) settled = settle(machine, processor, s) || settled;
  while (processor->panel < machine->panels && processor->op == about->op_first[processor->panel % plan->unit + 1]) {
    processor->panel++;
    processor->op = about->op_first[processor->panel % plan->unit];
  }
  if (settled || processor->panel == machine->panels) return settled;
  const TgStreamOp *op = &plan->op[processor->op];
  const int32_t unit = processor->panel / plan->unit;
  if (!(op->operation == TG_STREAM_SEND ? send_block(machine, processor, op, unit)
                                        : fill(machine, processor, op, unit)))
    return false;
  processor->op++;
  return true;
}

/** The copy engine brings one block. */
static inline bool bring(ClusterMachine *machine) {
  if (machine->copies->len == 0) return false;
  const guint at = (guint)g_rand_int_range(machine->random, 0, (gint32)machine->copies->len);
  const Copy copy = g_array_index(machine->copies, Copy, at);
  Processor *to = &machine->processor[copy.to];
  to->slot[copy.to_slot] = copy.from < 0 ? copy.value : machine->processor[copy.from].slot[copy.from_slot];
  g_assert_false(isnan(to->slot[copy.to_slot]));
  g_array_remove_index_fast(machine->copies, at);
  arrive(&to->full[copy.to_slot], 0, -1);
  return true;
}

static inline void add_product(const ClusterMachine *machine, Processor *processor, const TgStreamProduct *product,
                               int32_t panel, double value) {
  const bool several = machine->plan->sums > 1;
  if (!several && panel == 0 && (product->flags & TG_PRODUCT_FIRST)) processor->registers = 0;
  if (several && (product->flags & TG_PRODUCT_FETCH))
    processor->registers = product->flags & TG_PRODUCT_FIRST && panel == 0 ? 0 : processor->sum[product->sum];
  processor->registers += value;
  if (!several || (product->flags & TG_PRODUCT_STORE)) processor->sum[product->sum] = processor->registers;
}

/** One product by one warp; false where it waits. */
static inline bool multiply_once(ClusterMachine *machine, Processor *processor, int32_t warp) {
  const TgClusterPlan *plan = machine->plan;
  const TgStreamProcessor *about = &plan->processor[processor - machine->processor];
  int32_t *panel = &processor->product_panel[warp], *at = &processor->product[warp];
  while (*panel < machine->panels && *at == about->product_first[*panel % plan->unit + 1])
    *at = about->product_first[++*panel % plan->unit];
  if (*panel == machine->panels) return false;
  const TgStreamProduct *product = &plan->product[*at];
  double factor[TG_ROLES];
  for (int role = 0; role < TG_ROLES; role++) {
    const int32_t slot = product->slot[role];
    const int32_t parity = parity_of(product->parity[role], product->odd[role], *panel / plan->unit);
    const Barrier *full = &processor->full[slot];
    if ((full->phase & 1) == parity) return false;
    g_assert_cmpint((full->phase - 1) & 1, ==,
                    parity); /* of the last filling that came, which is not read to its end */
    g_assert_cmpint(full->phase, ==, processor->armed[slot]);
    factor[role] = processor->slot[slot];
    g_assert_false(isnan(factor[role]));
  }
  if (warp == 0) add_product(machine, processor, product, *panel, factor[0] * factor[1]);
  for (int role = 0; role < TG_ROLES; role++) arrive(&processor->free[product->slot[role]], 1, 0);
  ++*at;
  return true;
}

static inline bool anyone(ClusterMachine *machine) {
  const int32_t actors = MACHINE_WARPS + 2, all = machine->plan->processors * actors;
  const int32_t begin = g_rand_int_range(machine->random, 0, all);
  for (int32_t tried = 0; tried < all; tried++) {
    const int32_t actor = (begin + tried) % all;
    Processor *processor = &machine->processor[actor / actors];
    const int32_t part = actor % actors;
    if (part < MACHINE_WARPS    ? multiply_once(machine, processor, part)
        : part == MACHINE_WARPS ? produce(machine, processor)
                                : bring(machine))
      return true;
  }
  return false;
}

static inline bool is_done(const ClusterMachine *machine) {
  bool done = machine->copies->len == 0;
  for (int32_t p = 0; p < machine->plan->processors; p++) {
    const Processor *processor = &machine->processor[p];
    done = done && processor->panel == machine->panels;
    for (int w = 0; w < MACHINE_WARPS; w++) done = done && processor->product_panel[w] == machine->panels;
    for (int s = 0; s < machine->plan->slots; s++) done = done && !processor->owes[s];
  }
  return done;
}

static inline void begin_processor(const TgStreamProcessor *about, int32_t slots, int32_t sums, Processor *processor) {
  for (int32_t s = 0; s < slots; s++) {
    processor->full[s] = (Barrier){.count = 1, .pending = 1};
    processor->free[s] = (Barrier){.count = about->arrivals[s], .pending = about->arrivals[s]};
  }
  for (int32_t c = 0; c < about->channels; c++) processor->ready[c] = (Barrier){.count = 1, .pending = 1};
  processor->op = about->op_first[0];
  for (int w = 0; w < MACHINE_WARPS; w++) processor->product[w] = about->product_first[0];
  processor->sum = g_new0(double, (gsize)MAX(sums, 1));
}

/** Runs all panels of one instance and writes C, rows x columns. */
static inline void run_streams(ClusterMachine *machine, double *c) {
  const TgClusterPlan *plan = machine->plan;
  machine->processor = g_new0(Processor, (gsize)plan->processors);
  machine->copies = g_array_new(FALSE, FALSE, sizeof(Copy));
  for (int32_t p = 0; p < plan->processors; p++)
    begin_processor(&plan->processor[p], plan->slots, plan->sums, &machine->processor[p]);
  while (anyone(machine)) continue;
  g_assert_true(is_done(machine)); /* else every actor waits for another */
  for (int64_t o = 0; o < plan->outputs; o++) {
    const TgStreamOutput *output = &plan->output[o];
    double value = 0;
    for (int32_t t = 0; t < output->terms; t++) {
      const TgStreamTerm *term = &plan->term[output->first + t];
      value += machine->processor[term->processor].sum[term->sum];
    }
    c[output->row * plan->columns + output->column] = value;
  }
  for (int32_t p = 0; p < plan->processors; p++) g_free(machine->processor[p].sum);
  g_array_unref(machine->copies);
  g_free(machine->processor);
}

#endif
