/** @file clusters-machine.h
 * For tests: a machine that executes the streams of executor `clusters` on the CPU, a tile an element, in f64.
 * Fillers, senders, confirmers, warps and the copy engine take turns at random; barriers count as mbarriers do. So a
 * wait that is missing, that waits for another phase than is meant, or waits in a circle, shows without a GPU. */
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

enum { MACHINE_WARPS = 3, FILLER = 0, SENDER, CONFIRMER, AGENTS };

typedef struct Copy {
  int32_t from, from_slot; /**< from: -1 for a load */
  int32_t to, to_slot;
  double value; /**< of a load */
} Copy;

/** What a warp does next at its product. */
typedef enum Phase { WAIT_LEFT, WAIT_RIGHT, FINISH } Phase;

typedef struct Warp {
  int32_t product; /**< of all panels */
  Phase phase;
  double factor[TG_ROLES];
} Warp;

/** The filler, the sender or the confirmer. */
typedef struct Agent {
  int32_t product, op, left; /**< of all panels, -1 before the first; next operation; those left at this product */
} Agent;

typedef struct Processor {
  Warp warp[MACHINE_WARPS];
  Agent agent[AGENTS];
  Barrier full[TG_CLUSTER_SLOTS], free[TG_CLUSTER_SLOTS], ready[TG_CLUSTER_CHANNELS];
  int32_t armed[TG_CLUSTER_SLOTS], sent[TG_CLUSTER_CHANNELS]; /**< fillings and uses so far */
  int32_t note[TG_CLUSTER_SLOTS];                             /**< of the filling armed last, as the filler leaves it */
  double slot[TG_CLUSTER_SLOTS];
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

static inline int32_t note_of(const TgStreamOp *op, int32_t unit) {
  return op->filling << 1 | (unit & 1);
}

static inline bool fill(ClusterMachine *machine, Processor *processor, const TgStreamOp *op, int32_t panel,
                        int32_t unit) {
  const int32_t filling = processor->armed[op->slot], parity = parity_of(op->parity, op->odd, unit);
  g_assert_cmpint(parity, ==, filling & 1);
  if (filling > 0 && !passed(&processor->free[op->slot], parity ^ 1, filling - 1)) return false;
  processor->armed[op->slot]++;
  processor->slot[op->slot] = NAN;
  arrive(&processor->full[op->slot], 1, 1);
  processor->note[op->slot] = note_of(op, unit);
  if (op->spare) arrive(&processor->free[op->slot], op->spare, 0);
  const int32_t self = (int32_t)(processor - machine->processor), all = machine->panels * machine->plan->inner;
  if (op->operation == TG_STREAM_RECEIVE) {
    arrive(&machine->processor[op->peer].ready[op->channel], 1, 0);
    return true;
  }
  const int32_t k = panel * machine->plan->inner + op->inner;
  const Copy copy = {-1, 0, self, op->slot,
                     op->role == TG_ROLE_LEFT ? machine->left[op->across * all + k]
                                              : machine->right[k * machine->plan->columns + op->across]};
  g_array_append_val(machine->copies, copy);
  return true;
}

static inline bool send_block(ClusterMachine *machine, Processor *processor, const TgStreamOp *op, int32_t unit) {
  const int32_t use = processor->sent[op->channel], filling = processor->armed[op->slot] - 1;
  if (processor->note[op->slot] != note_of(op, unit)) return false;
  if (!passed(&processor->full[op->slot], parity_of(op->parity, op->odd, unit), filling)) return false;
  if (!passed(&processor->ready[op->channel], parity_of(op->channel_parity, op->channel_odd, unit), use)) return false;
  processor->sent[op->channel]++;
  const Copy copy = {(int32_t)(processor - machine->processor), op->slot, op->peer, op->peer_slot, 0};
  g_array_append_val(machine->copies, copy);
  return true;
}

static inline bool confirm(ClusterMachine *machine, Processor *processor, const TgStreamOp *op, int32_t unit) {
  if (processor->note[op->slot] != note_of(op, unit)) return false;
  if (!passed(&processor->full[op->slot], parity_of(op->parity, op->odd, unit), processor->armed[op->slot] - 1))
    return false;
  arrive(&machine->processor[op->peer].free[op->peer_slot], 1, 0);
  arrive(&processor->free[op->slot], 1, 0);
  return true;
}

/** The one of the three that executes this. */
static inline int32_t agent_of(const TgStreamOp *op) {
  return op->operation == TG_STREAM_SEND ? SENDER : op->operation == TG_STREAM_CONFIRM ? CONFIRMER : FILLER;
}

static inline bool operate(ClusterMachine *machine, Processor *processor, const TgStreamOp *op, int32_t panel) {
  const int32_t unit = panel / machine->plan->unit + op->wraps;
  if (panel + op->ahead >= machine->panels) return true;
  if (op->operation == TG_STREAM_SEND) return send_block(machine, processor, op, unit);
  if (op->operation == TG_STREAM_CONFIRM) return confirm(machine, processor, op, unit);
  return fill(machine, processor, op, panel + op->ahead, unit);
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

static inline const TgStreamProduct *product_of(const ClusterMachine *machine, int32_t processor, int32_t product) {
  const TgStreamProcessor *about = &machine->plan->processor[processor];
  return &machine->plan->product[about->product_first + product % (about->products * machine->plan->unit)];
}

static inline int32_t panel_of(const ClusterMachine *machine, int32_t processor, int32_t product) {
  return product / machine->plan->processor[processor].products;
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

/** A warp sees that a factor is there: of the last filling of its slot, which is not read to its end. */
static inline bool take_factor(ClusterMachine *machine, Processor *processor, int32_t warp, int role) {
  const int32_t self = (int32_t)(processor - machine->processor);
  Warp *of = &processor->warp[warp];
  const TgStreamProduct *product = product_of(machine, self, of->product);
  const int32_t slot = product->slot[role], unit = panel_of(machine, self, of->product) / machine->plan->unit;
  const int32_t parity = parity_of(product->parity[role], product->odd[role], unit);
  const Barrier *full = &processor->full[slot];
  if ((full->phase & 1) == parity) return false;
  g_assert_cmpint((full->phase - 1) & 1, ==, parity);
  g_assert_cmpint(full->phase, ==, processor->armed[slot]);
  of->factor[role] = processor->slot[slot];
  g_assert_false(isnan(of->factor[role]));
  return true;
}

static inline void finish_product(ClusterMachine *machine, Processor *processor, int32_t warp) {
  const int32_t self = (int32_t)(processor - machine->processor);
  Warp *of = &processor->warp[warp];
  const TgStreamProduct *product = product_of(machine, self, of->product);
  if (warp == 0)
    add_product(machine, processor, product, panel_of(machine, self, of->product), of->factor[0] * of->factor[1]);
  for (int role = 0; role < TG_ROLES; role++) {
    g_assert_cmpfloat(of->factor[role], ==, processor->slot[product->slot[role]]); /* nobody has written over it */
    arrive(&processor->free[product->slot[role]], 1, 0);
  }
}

/** To the next product, with the operations there. False after the last one. */
static inline bool next_product(const ClusterMachine *machine, int32_t self, Agent *agent) {
  const TgStreamProcessor *about = &machine->plan->processor[self];
  if ((agent->product + 1) / about->products >= machine->panels) return false;
  const TgStreamProduct *product = product_of(machine, self, ++agent->product);
  if (agent->product % (about->products * machine->plan->unit) == 0) agent->op = about->begin_ops;
  agent->left = product->ops;
  return true;
}

/** Past operations of the other agents, to this one's next. False after the last one. */
static inline bool find_op(const ClusterMachine *machine, int32_t self, int32_t number, Agent *agent) {
  const TgStreamProcessor *about = &machine->plan->processor[self];
  for (;;) {
    for (; agent->left > 0; agent->left--, agent->op++)
      if (agent_of(&machine->plan->op[about->op_first + agent->op]) == number) return true;
    if (!next_product(machine, self, agent)) return false;
  }
}

/** An agent's next operation; false where it waits, or has done all. */
static inline bool act_agent(ClusterMachine *machine, Processor *processor, int32_t number) {
  const int32_t self = (int32_t)(processor - machine->processor);
  Agent *agent = &processor->agent[number];
  if (!find_op(machine, self, number, agent)) return false;
  const TgStreamOp *op = &machine->plan->op[machine->plan->processor[self].op_first + agent->op];
  if (!operate(machine, processor, op, panel_of(machine, self, MAX(agent->product, 0)))) return false;
  agent->left--;
  agent->op++;
  return true;
}

/** One thing that a warp does; false where it waits, or has done all. */
static inline bool act(ClusterMachine *machine, Processor *processor, int32_t warp) {
  const int32_t self = (int32_t)(processor - machine->processor);
  Warp *of = &processor->warp[warp];
  if (panel_of(machine, self, of->product) >= machine->panels) return false;
  const bool none = product_of(machine, self, of->product)->flags & TG_PRODUCT_NONE;
  if (!none && of->phase != FINISH) {
    if (!take_factor(machine, processor, warp, of->phase - WAIT_LEFT)) return false;
    of->phase++;
    return true;
  }
  if (!none) finish_product(machine, processor, warp);
  of->product++;
  of->phase = WAIT_LEFT;
  return true;
}

static inline bool anyone(ClusterMachine *machine) {
  const int32_t actors = MACHINE_WARPS + AGENTS + 1, all = machine->plan->processors * actors;
  const int32_t begin = g_rand_int_range(machine->random, 0, all);
  for (int32_t tried = 0; tried < all; tried++) {
    const int32_t actor = (begin + tried) % all, part = actor % actors;
    Processor *processor = &machine->processor[actor / actors];
    if (part < MACHINE_WARPS            ? act(machine, processor, part)
        : part < MACHINE_WARPS + AGENTS ? act_agent(machine, processor, part - MACHINE_WARPS)
                                        : bring(machine))
      return true;
  }
  return false;
}

static inline bool is_done(const ClusterMachine *machine) {
  bool done = machine->copies->len == 0;
  for (int32_t p = 0; p < machine->plan->processors; p++) {
    for (int w = 0; w < MACHINE_WARPS; w++)
      done = done && panel_of(machine, p, machine->processor[p].warp[w].product) == machine->panels;
    for (int a = 0; a < AGENTS; a++) done = done && !find_op(machine, p, a, &machine->processor[p].agent[a]);
  }
  return done;
}

static inline void begin_processor(const TgStreamProcessor *about, int32_t slots, int32_t sums, Processor *processor) {
  for (int32_t s = 0; s < slots; s++) {
    processor->full[s] = (Barrier){.count = 1, .pending = 1};
    processor->free[s] = (Barrier){.count = about->arrivals[s], .pending = about->arrivals[s]};
  }
  for (int a = 0; a < AGENTS; a++) processor->agent[a] = (Agent){.product = -1, .left = about->begin_ops};
  for (int32_t s = 0; s < slots; s++) processor->note[s] = -1;
  for (int32_t c = 0; c < about->channels; c++) processor->ready[c] = (Barrier){.count = 1, .pending = 1};
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
