#include "expected-plan.h"

#include "blocks-plan.h"

#include <math.h>

/** A block as a place used it last. */
typedef struct Use {
  int64_t writes; /* of the block by then */
  int64_t number; /* among the place's uses, from 1; 0: it has not used the block yet */
  double bytes;
} Use;

/** What a place used last: each block counts once, at the number of its last use. */
typedef struct Recent {
  int64_t uses, most;
  double *sum_bytes; /* a Fenwick tree over the numbers 1 … most */
} Recent;

/** A block with memory. */
typedef struct Block {
  int64_t at;     /* where it begins */
  int64_t place;  /* of its owner */
  int64_t writes; /* so far, from 1: as it was placed */
  Use *used;      /* by place */
} Block;

/** The plan under way. */
typedef struct PlanClock {
  const TgBlocksPlan *plan;
  const uint8_t *arrives; /* TgExecutorFacts */
  const TgMachine *machine;
  const int32_t *host;           /* TgExecutorFacts */
  bool shares_host;              /* likewise */
  bool moves;                    /* links were measured with copies, and copies within a place were, too */
  TgMachineLink within, between; /* hosts */
  double *sharing;               /* by first place of a host: places that share its link; NULL: links are all alike */
  double element_bytes;
  int64_t places;
  GHashTable *blocks; /* Block, by where it begins */
  Recent *recent;     /* of each place */
  double *end_s;      /* of each instruction */
  double *place_s;    /* until when each place is busy */
  double *inside_s;   /* [place * steps + step - 1]: time in the step; negative while there is none */
} PlanClock;

/* --- what a place used last --------------------------------------------------------------------------------------- */

/* Source: P. M. Fenwick, A New Data Structure for Cumulative Frequency Tables, Software: Practice and Experience 24(3),
 * 1994. */
static void add_recent(Recent *recent, int64_t number, double bytes) {
  for (; number <= recent->most; number += number & -number) recent->sum_bytes[number] += bytes;
}

/* Of the blocks that were last used at the numbers up to this one. */
static double recent_bytes(const Recent *recent, int64_t number) {
  double bytes = 0;
  for (; number > 0; number -= number & -number) bytes += recent->sum_bytes[number];
  return bytes;
}

/* Bytes of other blocks that the place has used since. */
static double bytes_since(const Recent *recent, const Use *used) {
  return recent_bytes(recent, recent->uses) - recent_bytes(recent, used->number);
}

/* --- where operands come from ------------------------------------------------------------------------------------- */

/** Where an operand comes from. */
typedef struct Source {
  const TgMachineLink *link; /* NULL: it is in the place's own memory, or cache */
  double sharing;            /* messages on the link at once */
  bool in_memory;            /* it is read in memory that both share, and comes in no message */
  double behind_bytes;       /* of such a block: what its owner has used since it used it */
} Source;

/* Of a block that this place has. */
static double copied_s(const PlanClock *clock, double elements) {
  const TgMachineProcessor *processor = &clock->machine->processor;
  const double bytes = elements * clock->element_bytes;
  if (processor->copy_bytes_per_s == 0) return tg_link_s(&clock->within, bytes);
  return processor->copy_s + bytes / processor->copy_bytes_per_s;
}

/* A block that is moved in shared memory takes time twice: when it is read, and when its owner writes it again and its
 * cache takes it back from the reader's. A calibration's moves do both, so the link's time is that of both. This is the
 * first part, measured on a 4th-generation AMD EPYC: 0.03 to 0.07 for blocks of 16 kB to 1 MB. */
static const double reading_part = 0.1;

/* If the owner has used many bytes since it used the block, only part of the block is still in its cache: it comes at
 * the rate of a block of that many bytes. */
static double shared_memory_s(const PlanClock *clock, Source from, double elements) {
  const double bytes = elements * clock->element_bytes, behind_bytes = fmax(from.behind_bytes, bytes);
  const double latency_s = tg_link_protocol(from.link, 0).latency_s;
  const double behind_s = fmax(tg_link_s(from.link, behind_bytes) - latency_s, 0);
  return latency_s + (bytes > 0 ? behind_s * bytes / behind_bytes : 0);
}

/* Of a block that another place has written since this one read it; it comes into this one's memory, whether it is
 * copied there or only read. */
static double fetched_s(const PlanClock *clock, Source from, double elements) {
  if (!from.in_memory) return tg_link_shared_s(from.link, elements * clock->element_bytes, from.sharing);
  const double all_s = shared_memory_s(clock, from, elements);
  return clock->moves ? fmax(copied_s(clock, elements), reading_part * all_s) : all_s;
}

static Block *block_at(const PlanClock *clock, int64_t at) {
  return g_hash_table_lookup(clock->blocks, &at);
}

/* To other hosts all of a host's places send at once, as they did when it was measured. */
static Source other_host(const PlanClock *clock, int64_t from, int64_t to) {
  if (!clock->sharing) return (Source){.link = &clock->between, .sharing = 1};
  return (Source){.link = &clock->between,
                  .sharing = fmax(clock->sharing[clock->host[from]], clock->sharing[clock->host[to]])};
}

static bool is_far(const PlanClock *clock, int64_t one, int64_t other) {
  return clock->host && clock->host[one] != clock->host[other];
}

/* They have no memory that both read. */
static bool sends_messages(const PlanClock *clock, int64_t one, int64_t other) {
  return clock->arrives && (is_far(clock, one, other) || !clock->shares_host);
}

/* Where the operand, one of TG_BLOCKS_READS_LEFT …, must be fetched from. A block that was read before stays in the
 * reader's cache until it is written again; messages come in every run. */
static Source source_of(const PlanClock *clock, int64_t place, const TgBlocksInstruction *instruction, int reads) {
  const int64_t block = reads == TG_BLOCKS_READS_LEFT ? instruction->left : instruction->right;
  const Block *read = block_at(clock, block);
  if (!read || read->place == place) return (Source){0};
  const bool far = is_far(clock, read->place, place), in_message = sends_messages(clock, read->place, place);
  const bool comes = in_message ? (clock->arrives[instruction - clock->plan->instruction] & reads) != 0
                                : read->used[place].writes != read->writes;
  if (!comes) return (Source){0};
  if (far) return other_host(clock, read->place, place);
  if (in_message) return (Source){.link = &clock->within, .sharing = 1};
  return (Source){.link = &clock->within,
                  .in_memory = true,
                  .behind_bytes = bytes_since(&clock->recent[read->place], &read->used[read->place])};
}

static double moved_s(const PlanClock *clock, Source from, double elements) {
  return from.link ? fetched_s(clock, from, elements) : copied_s(clock, elements);
}

/* What is added is read where it is, and not copied first. */
static double added_s(const PlanClock *clock, Source from, double elements) {
  if (clock->machine->processor.additions_per_s == 0) return moved_s(clock, from, elements);
  const double further_s = from.link ? fetched_s(clock, from, elements) - copied_s(clock, elements) : 0;
  return tg_machine_sum_s(clock->machine, elements) + fmax(further_s, 0);
}

/* Before anything is added to a sum in place, it is filled with zeros, or with what it begins with. */
static double begun_s(const PlanClock *clock, const TgBlocksInstruction *instruction, double elements) {
  return instruction->addend == instruction->target ? 0 : copied_s(clock, elements);
}

/* Factors are read where they are. */
static double multiplied_s(const PlanClock *clock, int64_t place, const TgBlocksInstruction *instruction) {
  const double rows = instruction->rows, columns = instruction->columns, inner = instruction->inner;
  const Source left = source_of(clock, place, instruction, TG_BLOCKS_READS_LEFT);
  const Source right = source_of(clock, place, instruction, TG_BLOCKS_READS_RIGHT);
  const double left_s = left.link ? fetched_s(clock, left, rows * inner) : 0;
  const double right_s = right.link ? fetched_s(clock, right, inner * columns) : 0;
  return left_s + right_s + begun_s(clock, instruction, rows * columns) +
         tg_machine_product_s(clock->machine, instruction->rows, instruction->columns, instruction->inner);
}

/* --- what no longer is in the cache ----------------------------------------------------------------------------- */

/* Returns what it takes that the block has to come from further away; what `comes` is in the time of the link. */
static double use(PlanClock *clock, int64_t place, int64_t at, double elements, bool comes) {
  if (at < 0) return 0;
  Block *block = block_at(clock, at);
  Use *used = &block->used[place];
  Recent *recent = &clock->recent[place];
  const double bytes = elements * clock->element_bytes;
  const double miss_s = comes ? 0 : tg_machine_miss_s(clock->machine, bytes_since(recent, used), bytes);
  if (used->number) add_recent(recent, used->number, -used->bytes);
  *used = (Use){block->writes, ++recent->uses, bytes};
  add_recent(recent, used->number, bytes);
  return miss_s;
}

static double written_elements(const TgBlocksInstruction *instruction) {
  return instruction->operation == TG_BLOCKS_MULTIPLY || instruction->operation == TG_BLOCKS_TRANSPOSE
             ? (double)instruction->rows * instruction->columns
             : (double)(instruction->end - instruction->begin);
}

static double use_all(PlanClock *clock, int64_t place, const TgBlocksInstruction *instruction) {
  const double rows = instruction->rows, columns = instruction->columns, inner = instruction->inner;
  const double written = written_elements(instruction);
  const bool multiplies = instruction->operation == TG_BLOCKS_MULTIPLY;
  const Source left = source_of(clock, place, instruction, TG_BLOCKS_READS_LEFT);
  const Source right = source_of(clock, place, instruction, TG_BLOCKS_READS_RIGHT);
  double miss_s = use(clock, place, instruction->left, multiplies ? rows * inner : written, left.link);
  if (multiplies) miss_s += use(clock, place, instruction->right, inner * columns, right.link);
  if (instruction->addend != instruction->target) miss_s += use(clock, place, instruction->addend, written, false);
  use(clock, place, instruction->target, written, false); /* nobody waits for a write to memory */
  block_at(clock, instruction->target)->writes++;
  return miss_s;
}

/* --- time ------------------------------------------------------------------------------------------------------- */

static double duration_s(const PlanClock *clock, int64_t place, const TgBlocksInstruction *instruction) {
  const double part = (double)(instruction->end - instruction->begin);
  const Source from = source_of(clock, place, instruction, TG_BLOCKS_READS_LEFT);
  switch ((TgBlocksOperation)instruction->operation) {
  case TG_BLOCKS_MULTIPLY:
    return multiplied_s(clock, place, instruction);
  case TG_BLOCKS_TRANSPOSE:
    return moved_s(clock, from, (double)instruction->rows * instruction->columns);
  case TG_BLOCKS_ADD:
    return begun_s(clock, instruction, part) + added_s(clock, from, part);
  case TG_BLOCKS_COPY:
    return moved_s(clock, from, part);
  case TG_BLOCKS_ZERO:
    return copied_s(clock, part);
  case TG_BLOCKS_OPERATIONS:
    break;
  }
  g_assert_not_reached();
}

/* The time to take a block back that the place writes, where others have read it since it was written last. */
static double taken_back_s(const PlanClock *clock, int64_t place, const TgBlocksInstruction *instruction) {
  const Block *block = block_at(clock, instruction->target);
  for (int64_t other = 0; clock->moves && other < clock->places; other++) {
    if (other != place && !sends_messages(clock, place, other) && block->used[other].writes == block->writes)
      return (1 - reading_part) * tg_link_s(&clock->within, written_elements(instruction) * clock->element_bytes);
  }
  return 0;
}

static double ready_s(const PlanClock *clock, const TgBlocksInstruction *instruction) {
  double latest_s = 0;
  for (int32_t w = 0; w < instruction->waits; w++) {
    const TgBlocksWait *wait = &clock->plan->wait[instruction->first_wait + w];
    latest_s = fmax(latest_s, clock->end_s[clock->plan->first[wait->processor] + wait->count - 1]);
  }
  return latest_s;
}

static void execute(PlanClock *clock, int64_t number, int64_t place) {
  const TgBlocksInstruction *instruction = &clock->plan->instruction[number];
  const double before_s = clock->place_s[place];
  const double takes_s = duration_s(clock, place, instruction) + taken_back_s(clock, place, instruction);
  const double misses_s = use_all(clock, place, instruction); /* from here on the blocks are used */
  const double end_s = fmax(before_s, ready_s(clock, instruction)) + takes_s + misses_s;
  double *inside_s = &clock->inside_s[place * clock->plan->steps + instruction->step - 1];
  *inside_s = fmax(*inside_s, 0) + end_s - before_s;
  clock->place_s[place] = clock->end_s[number] = end_s;
}

/* Over all places, or over those that take part: as the executor sums up what it measures. */
static double mean_of_step(const PlanClock *clock, const TgExecutorFacts *facts, int64_t places, int64_t s) {
  double sum_s = 0;
  int64_t took_part = 0;
  for (int64_t place = 0; place < places; place++) {
    const double inside_s = clock->inside_s[place * clock->plan->steps + s];
    sum_s += fmax(inside_s, 0);
    took_part += inside_s >= 0;
  }
  return sum_s / (double)(facts->at_once ? places : MAX(took_part, 1));
}

static void free_block(gpointer data) {
  g_free(((Block *)data)->used);
  g_free(data);
}

static void note_block(PlanClock *clock, int64_t at, int64_t place) {
  if (block_at(clock, at)) return;
  Block *own = g_new(Block, 1);
  *own = (Block){.at = at, .place = place, .writes = 1, .used = g_new0(Use, (gsize)clock->places)};
  g_hash_table_insert(clock->blocks, &own->at, own);
}

/* A block is written by its owner alone. */
static void find_owners(PlanClock *clock, const int64_t *place_of) {
  const TgBlocksPlan *plan = clock->plan;
  for (int64_t i = 0; i < plan->placed; i++)
    note_block(clock, plan->place[i].offset, place_of[plan->place[i].processor]);
  for (int64_t i = 0; i < plan->instructions; i++)
    note_block(clock, plan->instruction[i].target, place_of[plan->instruction[i].processor]);
}

enum { RUNS = 2 /* the first one fills the caches */, BLOCKS = 4 /* of an instruction */ };

static void make_recent(PlanClock *clock, const int64_t *place_of) {
  const TgBlocksPlan *plan = clock->plan;
  for (int64_t i = 0; i < plan->instructions; i++)
    clock->recent[place_of[plan->instruction[i].processor]].most += RUNS * BLOCKS;
  for (int64_t place = 0; place < clock->places; place++)
    clock->recent[place].sum_bytes = g_new0(double, (gsize)clock->recent[place].most + 1);
}

static void follow(PlanClock *clock, const TgExecutorFacts *facts, int64_t places) {
  const TgBlocksPlan *plan = clock->plan;
  g_autofree int64_t *at = g_new(int64_t, (gsize)MAX(plan->instructions, 1)); /* by order */
  g_autofree int64_t *place_of = g_new(int64_t, (gsize)plan->processors);
  for (int64_t i = 0; i < plan->instructions; i++) at[plan->instruction[i].order] = i;
  for (int64_t place = 0; place < places; place++)
    for (int64_t p = tg_block_begin(facts->processors, places, place);
         p < tg_block_begin(facts->processors, places, place + 1); p++)
      place_of[p] = place;
  find_owners(clock, place_of);
  make_recent(clock, place_of);
  for (int run = 0; run < RUNS; run++) {
    for (int64_t place = 0; place < places; place++) clock->place_s[place] = 0;
    for (int64_t i = 0; i < places * plan->steps; i++) clock->inside_s[i] = -1;
    for (int64_t order = 0; order < plan->instructions; order++)
      execute(clock, at[order], place_of[plan->instruction[at[order]].processor]);
  }
}

/* What the machine's file says of hosts. */
static void find_links(PlanClock *clock, const TgExecutorFacts *facts) {
  TgTopology network;
  clock->within = clock->between = clock->machine->link;
  if (!tg_topology_parse(&network, clock->machine->network, NULL) || network.levels < 2) return;
  clock->within = tg_machine_link(clock->machine, &network, 0, 0);
  clock->between = tg_machine_link(clock->machine, &network, 1, 0);
  if (!facts->host) return;
  clock->sharing = g_new0(double, (gsize)clock->places);
  for (int64_t place = 0; place < clock->places; place++) clock->sharing[facts->host[place]]++;
}

double *tg_expected_plan(const TgExecutorFacts *facts, const TgMachine *machine, TgTransport transport,
                         int64_t element_bytes, double *pass_s) {
  const TgBlocksPlan *plan = facts->plan;
  const int64_t places = facts->at_once ? facts->at_once : facts->processors;
  g_autofree double *end_s = g_new(double, (gsize)MAX(plan->instructions, 1));
  g_autofree double *place_s = g_new0(double, (gsize)places);
  g_autofree Recent *recent = g_new0(Recent, (gsize)places);
  g_autofree double *inside_s = g_new(double, (gsize)MAX(places * plan->steps, 1));
  PlanClock clock = {.plan = plan,
                     .arrives = facts->arrives,
                     .host = facts->host,
                     .shares_host = facts->shares_host,
                     .moves = transport == TG_TRANSPORT_COPY && machine->processor.copy_bytes_per_s > 0,
                     .machine = machine,
                     .element_bytes = (double)element_bytes,
                     .places = places,
                     .blocks = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_block),
                     .recent = recent,
                     .end_s = end_s,
                     .place_s = place_s,
                     .inside_s = inside_s};
  find_links(&clock, facts);
  follow(&clock, facts, places);
  g_hash_table_unref(clock.blocks);
  for (int64_t place = 0; place < places; place++) g_free(recent[place].sum_bytes);
  g_free(clock.sharing);
  double *step_s = g_new(double, (gsize)MAX(plan->steps, 1));
  for (int64_t s = 0; s < plan->steps; s++) step_s[s] = mean_of_step(&clock, facts, places, s);
  *pass_s = 0;
  for (int64_t place = 0; place < places; place++) *pass_s = fmax(*pass_s, place_s[place]);
  return step_s;
}
