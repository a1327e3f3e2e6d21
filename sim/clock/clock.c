#include "clock.h"

#include "counter-random.h"

#include <math.h>
#include <string.h>

double tg_random_unit(uint64_t seed, uint64_t count) {
  return (double)(tg_random_at(seed, count) >> 11) * 0x1p-53;
}

void tg_clocks_init(TgClocks *clocks, int64_t nodes, const TgSchedule *schedule, const TgMachine *machine,
                    const TgCostOptions *options) {
  TgBufferUses uses;
  *clocks = (TgClocks){.nodes = nodes,
                       .overlap = options->overlap,
                       .all_ports = machine->port.ports == TG_PORTS_ALL,
                       .fetch = machine->port.ports == TG_PORTS_FETCH,
                       .jitter = options->jitter,
                       .straggler = options->straggler,
                       .straggler_factor = options->straggler_factor,
                       .seed = options->seed,
                       .group_statement = -1};
  clocks->level = options->skew_s == 0 && options->jitter == 0 && options->straggler < 0;
  double **arrays[] = {&clocks->port,  &clocks->enter, &clocks->cpu,    &clocks->compute,
                       &clocks->begun, &clocks->send,  &clocks->receive};
  for (gsize i = 0; i < G_N_ELEMENTS(arrays); i++) *arrays[i] = g_new0(double, nodes);
  tg_buffer_uses(schedule, NULL, &uses);
  tg_buffer_times_init(&clocks->buffers, &uses, tg_cost_places(options->overlap, options->buffers), nodes);
  if (options->skew_s > 0)
    for (int64_t n = 0; n < nodes; n++)
      clocks->port[n] = clocks->cpu[n] = options->skew_s * tg_random_unit(~options->seed, (uint64_t)n);
}

void tg_clocks_clear(TgClocks *clocks) {
  double *arrays[] = {clocks->port,  clocks->enter, clocks->cpu,    clocks->compute,
                      clocks->begun, clocks->send,  clocks->receive};
  for (gsize i = 0; i < G_N_ELEMENTS(arrays); i++) g_free(arrays[i]);
  tg_buffer_times_clear(&clocks->buffers);
}

void tg_clocks_widen_array(double **array, const int32_t *from, int64_t nodes, bool level) {
  if (!*array) return;
  double *wider = g_new0(double, nodes);
  for (int64_t n = 0; n < (level ? 1 : nodes); n++) wider[n] = (*array)[from[n]];
  g_free(*array);
  *array = wider;
}

void tg_clocks_widen(TgClocks *clocks, const int32_t *from, int64_t nodes) {
  double **arrays[] = {&clocks->port,  &clocks->enter, &clocks->cpu,    &clocks->compute,
                       &clocks->begun, &clocks->send,  &clocks->receive};
  for (gsize i = 0; i < G_N_ELEMENTS(arrays); i++) tg_clocks_widen_array(arrays[i], from, nodes, clocks->level);
  tg_buffer_times_widen(&clocks->buffers, clocks->level ? NULL : from, nodes);
  clocks->nodes = nodes;
}

static void spread_array(double *array, int64_t nodes) {
  if (!array) return;
  for (int64_t n = 1; n < nodes; n++) array[n] = array[0];
}

/* From here on every node has its own time. */
static void spread(TgClocks *clocks) {
  if (!clocks->level) return;
  clocks->level = false;
  spread_array(clocks->port, clocks->nodes);
  spread_array(clocks->enter, clocks->nodes);
  spread_array(clocks->cpu, clocks->nodes);
  spread_array(clocks->compute, clocks->nodes);
  spread_array(clocks->begun, clocks->nodes);
  for (int64_t n = 1; n < clocks->nodes; n++) tg_buffer_times_copy(&clocks->buffers, 0, n);
}

static bool is_flat(const double *array, int64_t nodes) {
  for (int64_t n = 1; array && n < nodes; n++)
    if (array[n] != array[0]) return false;
  return true;
}

/* Back to one number where all nodes have come to the same time. */
static void settle(TgClocks *clocks) {
  if (clocks->jitter > 0 || clocks->straggler >= 0 || !is_flat(clocks->port, clocks->nodes)) return;
  if (!is_flat(clocks->cpu, clocks->nodes) || !is_flat(clocks->compute, clocks->nodes)) return;
  if (clocks->all_ports && !is_flat(clocks->enter, clocks->nodes)) return;
  clocks->level = tg_buffer_times_flat(&clocks->buffers, clocks->nodes);
}

static int64_t active(const TgClocks *clocks) {
  return clocks->level ? 1 : clocks->nodes;
}

/* Whether few nodes take part, so that it is quicker to look at these alone. With all ports the next statement may
 * belong to the group, and nodes that come in with it. */
static bool is_sparse(const TgClocks *clocks, const TgLane *lane) {
  enum { MANY = 4 };
  return !clocks->level && !clocks->all_ports && MANY * lane->transfers < clocks->nodes;
}

/* With all ports, transfers of consecutive statements that do not need each other begin together. */
static void enter_group(TgClocks *clocks, const TgLane *lane, int32_t statement) {
  const TgPhase *phase = lane->phase;
  bool joins = clocks->all_ports && clocks->group_statement >= 0 && clocks->group_statement != statement &&
               tg_uses_apart(phase->reads, phase->writes, clocks->group_reads, clocks->group_writes);
  clocks->group_statement = statement;
  if (joins) {
    clocks->group_reads |= phase->reads;
    clocks->group_writes |= phase->writes;
    return;
  }
  clocks->group_reads = phase->reads;
  clocks->group_writes = phase->writes;
  if (!is_sparse(clocks, lane)) {
    memcpy(clocks->enter, clocks->port, (size_t)active(clocks) * sizeof(double));
    return;
  }
  for (int64_t t = 0; t < lane->transfers; t++) {
    clocks->enter[lane->from[t]] = clocks->port[lane->from[t]];
    clocks->enter[lane->to[t]] = clocks->port[lane->to[t]];
  }
}

double tg_clocks_jitter(TgClocks *clocks) {
  return clocks->jitter > 0 ? 1 + clocks->jitter * tg_random_unit(clocks->seed, clocks->draws++) : 1;
}

static inline double lane_cost_s(const TgLane *lane, int64_t transfer) {
  return lane->cost_s ? lane->cost_s[transfer] : lane->uniform_cost_s;
}

static double cost_of(TgTransferRun *run, int64_t transfer) {
  return lane_cost_s(run->lane, transfer) * tg_clocks_jitter(run->clocks);
}

static double begin_of(const TgTransferRun *run, int32_t from, int32_t to) {
  return tg_later(tg_clocks_can_send(run, from), tg_clocks_can_receive(run, to));
}

/* A transfer takes its block away, or brings it. */
static inline void move_block(TgTransferRun *run, int64_t from, int64_t to, double end) {
  if (!run->buffers) return;
  tg_buffer_times_leave(&run->clocks->buffers, run->lane->phase, from, end);
  tg_buffer_times_arrive(&run->clocks->buffers, run->lane->phase, to, end);
}

/* A transfer of the node whose time is accounted for. */
static void account_for(const TgTransferRun *run, int64_t t, double begin, double end) {
  TgAccount *account = run->clocks->account;
  const TgLane *lane = run->lane;
  const int64_t bytes = tg_lane_bytes(lane, t);
  const double cost_s = lane_cost_s(lane, t), scale = cost_s > 0 ? (end - begin) / cost_s : 0; /* of jitter */
  TgWay way = tg_lanes_way(run->clocks->lanes, lane->from[t], lane->to[t], bytes, account->each_hop);
  way = (TgWay){scale * way.latency_s, scale * way.bytes_s};
  tg_account_message(account, begin, end, &way);
}

static inline void note(const TgTransferRun *run, int64_t t, double begin, double end) {
  const TgClocks *clocks = run->clocks;
  const TgLane *lane = run->lane;
  if (!clocks->account) return;
  const int64_t node = clocks->account->node;
  if (lane->to[t] != node && (lane->from[t] != node || clocks->fetch)) return;
  account_for(run, t, begin, end);
}

/* Where every node sends and receives once, all at one cost: what the node sends stands for both. */
static void note_exchange(const TgTransferRun *run, double begin, double end) {
  const TgLane *lane = run->lane;
  if (!run->clocks->account) return;
  const int64_t node = run->clocks->account->node;
  int64_t t = node;
  if (lane->from[t] != node)
    for (t = 0; lane->from[t] != node;) t++;
  account_for(run, t, begin, end);
}

static void complete(TgTransferRun *run, int64_t t, double begin, double end) {
  TgClocks *clocks = run->clocks;
  const int32_t from = run->lane->from[t], to = run->lane->to[t];
  note(run, t, begin, end);
  move_block(run, from, to, end);
  if (!clocks->fetch) clocks->port[from] = tg_later(clocks->port[from], end);
  clocks->port[to] = tg_later(clocks->port[to], end);
}

/* Every node sends at most once and receives at most once: nothing queues. */
static void run_permutation(TgTransferRun *run) {
  const TgLane *lane = run->lane;
  for (int64_t t = 0; t < lane->transfers; t++) {
    const double begin = begin_of(run, lane->from[t], lane->to[t]);
    complete(run, t, begin, begin + cost_of(run, t));
  }
}

/* One port: a node's sends go one after another, and so do its receives, in the order of the list. */
static void run_queued(TgTransferRun *run) {
  TgClocks *clocks = run->clocks;
  const TgLane *lane = run->lane;
  for (int64_t t = 0; t < lane->transfers; t++) clocks->send[lane->from[t]] = clocks->receive[lane->to[t]] = 0;
  for (int64_t t = 0; t < lane->transfers; t++) {
    int32_t from = lane->from[t], to = lane->to[t];
    double begin = begin_of(run, from, to);
    if (!clocks->all_ports) begin = tg_later(begin, clocks->receive[to]);
    if (!clocks->all_ports && !clocks->fetch) begin = tg_later(begin, clocks->send[from]);
    double end = begin + cost_of(run, t);
    clocks->send[from] = clocks->receive[to] = end;
    complete(run, t, begin, end);
  }
}

/* Every node sends and receives once, at one cost, and waits for nothing but its two partners: when it is done follows
 * from when the three of them could begin, so that a pass over the nodes makes new times of the old ones. */
static bool is_exchange(const TgTransferRun *run) {
  const TgClocks *clocks = run->clocks;
  return run->lane->receiver && !clocks->all_ports && !clocks->fetch && clocks->jitter == 0;
}

static void exchange(TgTransferRun *run, const double *enter, double *port) {
  const int32_t *receiver = run->lane->receiver, *sender = run->lane->sender;
  const double cost = run->lane->uniform_cost_s;
  for (int64_t n = 0; n < run->clocks->nodes; n++)
    port[n] = tg_later(enter[n], tg_later(enter[receiver[n]], enter[sender[n]])) + cost;
}

/* What it sends may have to wait for a product, and what it receives for room. */
static void exchange_blocks(TgTransferRun *run, double *port) {
  TgClocks *clocks = run->clocks;
  const int32_t *receiver = run->lane->receiver, *sender = run->lane->sender;
  const double cost = run->lane->uniform_cost_s;
  for (int64_t n = 0; n < clocks->nodes; n++) {
    const double sent = begin_of(run, (int32_t)n, receiver[n]) + cost;
    const double received = begin_of(run, sender[n], (int32_t)n) + cost;
    port[n] = tg_later(sent, received);
    tg_buffer_times_leave(&clocks->buffers, run->lane->phase, n, sent);
    tg_buffer_times_arrive(&clocks->buffers, run->lane->phase, n, received);
  }
}

static void run_exchange(TgTransferRun *run) {
  TgClocks *clocks = run->clocks;
  double cost = run->lane->uniform_cost_s, *port = clocks->enter, *enter = clocks->port;
  clocks->enter = enter;
  clocks->port = port;
  if (run->buffers)
    exchange_blocks(run, port);
  else
    exchange(run, enter, port);
  if (clocks->account) note_exchange(run, port[clocks->account->node] - cost, port[clocks->account->node]);
}

static void run_level(TgTransferRun *run) {
  TgClocks *clocks = run->clocks;
  const double begin = begin_of(run, 0, 0), end = begin + run->lane->uniform_cost_s;
  note_exchange(run, begin, end);
  move_block(run, 0, 0, end);
  clocks->port[0] = tg_later(clocks->port[0], end);
}

static void prepare(TgTransferRun *run, TgClocks *clocks, const TgLane *lane, bool alike) {
  if (!alike) spread(clocks);
  *run = (TgTransferRun){clocks, lane, tg_buffer_times_matter(&clocks->buffers, lane->phase)};
}

void tg_clocks_open(TgTransferRun *run, TgClocks *clocks, const TgLane *lane, int32_t statement, bool alike) {
  prepare(run, clocks, lane, alike);
  enter_group(clocks, lane, statement);
}

void tg_clocks_close(TgTransferRun *run, bool alike) {
  TgClocks *clocks = run->clocks;
  const TgLane *lane = run->lane;
  if (!clocks->overlap && !is_sparse(clocks, lane))
    memcpy(clocks->cpu, clocks->port, (size_t)active(clocks) * sizeof(double));
  for (int64_t t = 0; !clocks->overlap && is_sparse(clocks, lane) && t < lane->transfers; t++) {
    clocks->cpu[lane->from[t]] = clocks->port[lane->from[t]];
    clocks->cpu[lane->to[t]] = clocks->port[lane->to[t]];
  }
  if (!clocks->level && alike) settle(clocks);
}

void tg_clocks_transfer(TgClocks *clocks, const TgLane *lane, int32_t statement) {
  TgTransferRun run;
  if (lane->transfers == 0) { /* all stays on its nodes; what comes later may still need it */
    enter_group(clocks, lane, statement);
    return;
  }
  prepare(&run, clocks, lane, lane->complete);
  if (!clocks->level && is_exchange(&run)) {
    run_exchange(&run);
  } else {
    enter_group(clocks, lane, statement);
    if (clocks->level)
      run_level(&run);
    else if (lane->permutation)
      run_permutation(&run);
    else
      run_queued(&run);
  }
  tg_clocks_close(&run, lane->complete);
}

static void compute(TgClocks *clocks, const TgPhase *phase, int64_t node, double seconds) {
  clocks->begun[node] = tg_clocks_can_multiply(clocks, phase, node);
  clocks->cpu[node] = clocks->begun[node] + seconds;
  clocks->compute[node] += seconds;
  if (clocks->overlap)
    tg_buffer_times_multiply(&clocks->buffers, phase, node, clocks->cpu[node]);
  else
    clocks->port[node] = clocks->cpu[node];
}

static double multiply_alike(TgClocks *clocks, const TgLane *lane) {
  const double time = lane->uniform_product_s;
  for (int64_t n = 0; time > 0 && n < active(clocks); n++) compute(clocks, lane->phase, n, time);
  return time;
}

static double multiply_each(TgClocks *clocks, const TgLane *lane) {
  double longest = 0;
  for (int64_t n = 0; n < active(clocks); n++) {
    double time = lane->product_s ? lane->product_s[n] : lane->uniform_product_s;
    time *= tg_clocks_jitter(clocks);
    if (n == clocks->straggler) time *= clocks->straggler_factor;
    if (time == 0) continue; /* the node has none, or they are left out */
    compute(clocks, lane->phase, n, time);
    longest = tg_later(longest, time);
  }
  return longest;
}

double tg_clocks_multiply(TgClocks *clocks, const TgLane *lane) {
  if (lane->product_s) spread(clocks);
  clocks->group_statement = -1;
  bool alike = !lane->product_s && clocks->jitter == 0 && clocks->straggler < 0;
  TgAccount *account = clocks->account;
  const int64_t entry = account && !clocks->level ? account->node : 0;
  const double before_s = clocks->compute[entry];
  const double longest = (alike ? multiply_alike : multiply_each)(clocks, lane);
  if (account && clocks->compute[entry] > before_s)
    tg_account_products(account, lane->phase->sums, clocks->begun[entry], clocks->cpu[entry]);
  return longest;
}

void tg_clocks_range(const TgClocks *clocks, double *first, double *last) {
  *first = INFINITY;
  *last = 0;
  for (int64_t n = 0; n < active(clocks); n++) {
    if (clocks->idle && clocks->idle[n] && !clocks->level) continue;
    double time = tg_later(clocks->port[n], clocks->cpu[n]);
    *first = time < *first ? time : *first;
    *last = tg_later(*last, time);
  }
}

/* The last node, and its time in products: of nodes that end at the same time, but for rounding, one that multiplies
 * longest. */
static void find_last(const TgClocks *clocks, double time_s, double *compute_s, int64_t *node) {
  *compute_s = 0;
  *node = 0;
  for (int64_t n = 0; n < clocks->nodes; n++) {
    const int64_t entry = clocks->level ? 0 : n;
    if (clocks->idle && clocks->idle[n]) continue;
    if (tg_clocks_at(clocks, n) < time_s * (1 - TG_ACCOUNT_ROUNDING) || clocks->compute[entry] < *compute_s) continue;
    *compute_s = clocks->compute[entry];
    *node = n;
  }
}

void tg_clocks_take(const TgClocks *clocks, TgCost *cost) {
  cost->time_s = 0;
  for (int64_t n = 0; n < clocks->nodes; n++)
    if (!clocks->idle || !clocks->idle[n]) cost->time_s = tg_later(cost->time_s, tg_clocks_at(clocks, n));
  find_last(clocks, cost->time_s, &cost->compute_s, &cost->last_node);
  cost->node_time_s = g_new(double, clocks->nodes);
  cost->node_compute_s = g_new(double, clocks->nodes);
  for (int64_t n = 0; n < clocks->nodes; n++) {
    int64_t entry = clocks->level ? 0 : n;
    cost->node_time_s[n] = MAX(clocks->port[entry], clocks->cpu[entry]);
    cost->node_compute_s[n] = clocks->compute[entry];
  }
}
