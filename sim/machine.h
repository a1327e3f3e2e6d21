/** @file machine.h
 * What a network's links, ports and processors cost: the numbers of a machine file, read from its text.
 *
 * A machine file is lines of `key = value` under `[section]`; `#` begins a comment. Each key names its unit, each value
 * is a plain number in that unit; docs/reference/machines.md has them all. A value is refused where it could be
 * misread: an unknown key or section, a value with a unit of its own, a rate of zero, a negative time, NaN, a key given
 * twice.
 */
#ifndef TG_MACHINE_H
#define TG_MACHINE_H

#include "topology.h"

#include <glib.h>

TG_BEGIN_DECLS

enum {
  TG_MACHINE_NAME_BYTES = 64,    /**< with the terminating 0 */
  TG_MACHINE_SOURCE_BYTES = 256, /**< likewise */
  TG_MACHINE_AXES = 32,          /**< axes of a network that can have rates of their own */
  TG_MACHINE_RATES = 32,         /**< rows of the table of rates */
  TG_MACHINE_DEEP = 8,           /**< times as many inner elements as rows and columns: the products of deep_rate */
  TG_MACHINE_PROTOCOLS = 8,      /**< of a link, by size of the message */
  TG_MACHINE_RESTS = 6,          /**< pieces of 1, 2, 4, … rows */
  TG_MACHINE_FEWER = 12,         /**< numbers of cores or ranks at work: 1, 2, 4, … */
  TG_MACHINE_WORD_BYTES = 32     /**< of names in [executor], with the terminating 0 */
};

typedef enum TgDuplex {
  TG_DUPLEX_FULL, /**< both directions of a cable at once, each at the full bandwidth */
  TG_DUPLEX_HALF  /**< one direction of a cable at a time */
} TgDuplex;

typedef enum TgPorts {
  TG_PORTS_ONE,  /**< a processor sends one message and receives one at a time */
  TG_PORTS_ALL,  /**< as many as it has links */
  TG_PORTS_FETCH /**< it receives one at a time and does the work; who sends is not held up. Model hockney alone */
} TgPorts;

/** When a processor receives a message, in the model loggp. */
typedef enum TgReceives {
  TG_RECEIVES_ENTERED, /**< when it has entered the statement, in the order of its program */
  TG_RECEIVES_ARRIVAL  /**< when it is there and the processor is free, even before it has entered the statement */
} TgReceives;

/** Memory outside the processor. */
typedef enum TgTierKind {
  TG_TIER_DISK,
  TG_TIER_CACHE,  /**< the operating system's cache of the disk */
  TG_TIER_DEVICE, /**< an accelerator's memory: written is host to device, read is device to host */
  TG_TIER_KINDS
} TgTierKind;

/* In each struct below, bit i of `given` is set if the file gives the i-th key of the struct's section, in the order of
 * docs/reference/machines.md; what it does not give has its default. */

/** Costs of messages of at least `from_bytes` bytes. */
typedef struct TgMachineProtocol {
  double from_bytes;
  double latency_s;
  double bandwidth_bytes_per_s; /**< may be INFINITY */
} TgMachineProtocol;

/** Protocols by size, as eager and rendezvous of MPI. */
typedef struct TgMachineProtocols {
  int32_t rows;
  int32_t reserved;                            /**< 0 */
  TgMachineProtocol row[TG_MACHINE_PROTOCOLS]; /**< bytes increase */
} TgMachineProtocols;

/** Links. From [link], [level.N] and [link.N]; read it through tg_machine_link(). */
typedef struct TgMachineLink {
  int32_t given;
  int32_t duplex;   /**< a TgDuplex */
  double latency_s; /**< of a message below the first of `protocols`; see tg_link_protocol() */
  double per_hop_s;
  double bandwidth_bytes_per_s; /**< likewise; may be INFINITY */
  TgMachineProtocols protocols;
} TgMachineLink;

/** How messages leave and enter a processor. */
typedef struct TgMachinePort {
  int32_t given;
  int32_t ports; /**< a TgPorts */
  double overhead_s;
  double gap_s;
  int32_t receives; /**< a TgReceives */
} TgMachinePort;

/** Floating-point rate of a product of two size x size matrices. */
typedef struct TgMachineRate {
  double size;
  double flops_per_s;
} TgMachineRate;

/** Rates by size. */
typedef struct TgMachineRates {
  int32_t rows;                        /**< 0 where the rate is constant */
  int32_t reserved;                    /**< 0 */
  TgMachineRate row[TG_MACHINE_RATES]; /**< sizes increase */
} TgMachineRates;

/** A kernel takes 2^pieces rows or columns of C at a time, and what is left in pieces of 1, 2, 4, …: each takes as long
 * as so many rows or columns. */
typedef struct TgMachineRests {
  int32_t pieces;   /**< 0: none is given, and each row takes as long as the others */
  int32_t reserved; /**< 0 */
  double takes[TG_MACHINE_RESTS];
} TgMachineRests;

/** A processor; read its rate through tg_machine_flops_per_s(). */
typedef struct TgMachineProcessor {
  int32_t given;
  int32_t reserved;    /**< 0 */
  double flops_per_s;  /**< where there is no table, of products that fill their tiles; may be INFINITY */
  double memory_bytes; /**< INFINITY where the file sets no limit */
  TgMachineRates rate; /**< likewise */
  TgMachineRates deep_rate; /**< of products with TG_MACHINE_DEEP times as many inner elements as rows, and as columns;
                               no rows: the file has none, and they are as quick as others */
  double tile_rows;         /**< of C that the processor multiplies at a time; 0: the file has no tiles, as 1 */
  double tile_columns;
  double additions_per_s; /**< of elements, where blocks are summed up; 0: the file gives none, and they take no time */
  double cache_bytes;     /**< what may be used of other blocks in between before a block is no longer near the
                                    processor; 0: the file gives none, and all stay … */
  double miss_bytes_per_s; /**< … and what comes from further away in addition takes this … */
  double miss_most_bytes;  /**< … but no more than so many of a block; 0: the file gives none, and all of it */
  double copy_s;           /**< of a block to another place in the processor's own memory: latency … */
  double copy_bytes_per_s; /**< … and rate; 0: the file gives none, as a message */
  double product_s;        /**< that every product takes beside its operations: a kernel's launch, a call */
  double a_elements_per_s; /**< of the blocks of a product beyond those of a cubic one of as many operations … */
  double b_elements_per_s;
  double c_elements_per_s;     /**< … 0: the file gives none, and they take no time */
  TgMachineRests rest_rows;    /**< not beside tile_rows … */
  TgMachineRests rest_columns; /**< … nor beside tile_columns */
} TgMachineProcessor;

/** A tier of memory; `given` is 0 where the machine has none. */
typedef struct TgMachineTier {
  int32_t given;
  int32_t reserved; /**< 0 */
  double read_bytes_per_s;
  double write_bytes_per_s;
  double latency_s;
  double capacity_bytes; /**< INFINITY where the file sets no limit */
} TgMachineTier;

/** A row of speedup_with_fewer. */
typedef struct TgMachineSpeedup {
  double at_once; /**< cores or ranks at work */
  double speedup; /**< times as fast as at_once of [executor] */
} TgMachineSpeedup;

/** How many times as fast each processor multiplies and adds while fewer are at work than in the rest of the file: they
 * share caches, memory and the power of the chip. */
typedef struct TgMachineFewer {
  int32_t rows;                           /**< 0: not known, and taken as 1 */
  int32_t reserved;                       /**< 0 */
  TgMachineSpeedup row[TG_MACHINE_FEWER]; /**< numbers increase */
} TgMachineFewer;

/** The executor that the numbers were measured with, and what a run on it costs outside its steps. A run is `rounds` of
 * instances, one after another, each of `panels` passes through the schedule. `given` is 0 where the file has no
 * [executor]. */
typedef struct TgMachineExecutor {
  int32_t given;
  int32_t reserved;               /**< 0 */
  char on[TG_MACHINE_WORD_BYTES]; /**< as `--on` takes it */
  char transport[TG_MACHINE_WORD_BYTES];
  char type[TG_MACHINE_WORD_BYTES]; /**< of the elements */
  char device[TG_MACHINE_NAME_BYTES];
  double processors; /**< that were busy at once in one instance */
  double at_once;    /**< of these on the CPU: cores or ranks at work, see TgExecutorFacts; 0: unknown */
  TgMachineFewer speedup_with_fewer;
  double launch_s; /**< of a run, once */
  double round_s;  /**< of each round of instances */
  double pass_s;   /**< of each pass through the schedule */
} TgMachineExecutor;

/** A machine. Plain bytes without pointers: may be sent in a message. */
typedef struct TgMachine {
  int32_t given;
  int32_t reserved; /**< 0 */
  char name[TG_MACHINE_NAME_BYTES];
  char source[TG_MACHINE_SOURCE_BYTES];
  char network[TG_TOPOLOGY_TEXT_BYTES]; /**< the network that the numbers describe, as tg_topology_parse() reads it */
  double residual; /**< relative error of predictions: tg_machine_error(). 0 where the file gives none */
  double spread;   /**< of calibrate: by how much the same measurement, made again, differed; 0 where there is none */
  TgMachineLink link;                  /**< of all links without numbers of their own */
  TgMachineLink level[TG_MAX_LEVELS];  /**< innermost first */
  TgMachineLink axis[TG_MACHINE_AXES]; /**< as tg_machine_axis() numbers them */
  TgMachinePort port;
  TgMachineProcessor processor;
  TgMachineTier tier[TG_TIER_KINDS];
  TgMachineExecutor executor;
} TgMachine;

/** Reads the text of a machine file, UTF-8, `length` bytes.
 * @param text may be NULL where `length` is 0
 * @param error the line and column, what is wrong and what to write instead. `*machine` is then undefined. */
bool tg_machine_parse(TgMachine *machine, const char *text, size_t length, TgError *error);

/** The text that tg_machine_parse() reads back to the same bytes, without comments; free with g_free(). */
char *tg_machine_text(const TgMachine *machine);

/** The machine's own network, where it has a node for each of so many processors; else NULL. */
const char *tg_machine_own_network(const TgMachine *machine, int64_t processors);

/** Whether the machine's file speaks of levels or axes that the network does not have, as a file for a composition does
 * on a network of one level. Returns false then, with what to do about it in `error` (without a place).
 * To be asked once, before tg_machine_link(). */
bool tg_machine_fits(const TgMachine *machine, const TgTopology *topology, TgError *error);

/** The number of an axis in [link.N]: the axes of the whole network counted from 0, outermost level first, as
 * tg_topology_coordinates() orders coordinates. `level` and `axis` are as in TgLink. A hypercube has an axis a bit,
 * lowest first; a full network or a switch has one. */
int tg_machine_axis(const TgTopology *topology, int level, int axis);

/** The numbers of the links of one axis of one level, both as in TgLink. Each key is that of [link.N] for the axis,
 * where the file gives it there, else that of [level.N], else that of [link]. */
TgMachineLink tg_machine_link(const TgMachine *machine, const TgTopology *topology, int level, int axis);

/** Latency and bandwidth of a message of so many bytes on the link. */
static inline TgMachineProtocol tg_link_protocol(const TgMachineLink *link, double bytes) {
  TgMachineProtocol protocol = {0, link->latency_s, link->bandwidth_bytes_per_s};
  for (int32_t r = 0; r < link->protocols.rows && link->protocols.row[r].from_bytes <= bytes; r++)
    protocol = link->protocols.row[r];
  return protocol;
}
/** Seconds that each of `sharing` messages of `bytes` bytes takes, all on the link at once. */
static inline double tg_link_shared_s(const TgMachineLink *link, double bytes, double sharing) {
  const TgMachineProtocol protocol = tg_link_protocol(link, bytes);
  return protocol.latency_s + sharing * bytes / protocol.bandwidth_bytes_per_s;
}
/** Seconds that a message of `bytes` bytes takes alone on the link. */
static inline double tg_link_s(const TgMachineLink *link, double bytes) {
  return tg_link_shared_s(link, bytes, 1);
}
/** Bandwidth that simultaneous messages share, in bytes per second: the largest finite one; INFINITY if none is. */
double tg_link_capacity(const TgMachineLink *link);
/** The least latency, and the largest bandwidth, of messages of at least so many bytes. */
TgMachineProtocol tg_link_best(const TgMachineLink *link, double bytes);

/** Whether some axis of the network has protocols. */
bool tg_machine_has_protocols(const TgMachine *machine, const TgTopology *topology);
/** Whether all links of the network have the same latency, time of a hop and bandwidth, whatever the size of a message.
 */
bool tg_machine_has_one_link(const TgMachine *machine, const TgTopology *topology);

/** The smallest size above `bytes`, in bytes, from which some axis of the network takes messages by another protocol;
 * INFINITY where there is none. */
double tg_machine_next_protocol(const TgMachine *machine, const TgTopology *topology, double bytes);

/** Whether some axis of the network has half-duplex links. */
bool tg_machine_has_half_duplex(const TgMachine *machine, const TgTopology *topology);

/** Whether its numbers, the residual among them, were measured by topogemm calibrate; otherwise the residual is a
 * guess.
 */
static inline bool tg_machine_is_measured(const TgMachine *machine) {
  return machine->executor.given != 0;
}

/** Half the width of the interval that a prediction carries, as a part of its time: twice the residual and the spread
 * together where they were measured, else the residual. Below 1. */
double tg_machine_error(const TgMachine *machine);

/** Whether two predictions are a tie: the interval of their difference has 0 in it, if their errors do not depend on
 * each other. Source: N. Schenker and J. F. Gentleman, On Judging the Significance of Differences by Examining the
 * Overlap Between Confidence Intervals, The American Statistician 55(3), 2001. */
bool tg_machine_is_tie(const TgMachine *machine, double first_s, double second_s);

/** Rows of C that a processor computes for m of them: its tiles are always whole. */
double tg_machine_tiled_rows(const TgMachine *machine, int64_t m);
/** … and columns for n of them. */
double tg_machine_tiled_columns(const TgMachine *machine, int64_t n);
/** … and elements for m x n. */
double tg_machine_tiled_elements(const TgMachine *machine, int64_t m, int64_t n);

/** Rate of a local product of m x k by k x n: the constant one, or that of the table at the size (m n k)^(1/3),
 * linear in the size between two rows, and that of the first or last row beyond them. If k > max(m, n) and the machine
 * has a deep_rate, times (deep_rate / rate)^d, d = min(1, log(k / max(m, n)) / log(TG_MACHINE_DEEP)). Where the machine
 * has tiles, that of m x n filled up to whole ones, times the part of them that is m x n. m, n, k at least 1. */
double tg_machine_flops_per_s(const TgMachine *machine, int64_t m, int64_t n, int64_t k);
/** No product has a higher rate. */
double tg_machine_best_flops_per_s(const TgMachine *machine);

/** Elements of A, B and C in a product of m x k by k x n, beyond the s² of a cubic one of as many operations, s³ = m n
 * k; negative where it has fewer. */
void tg_machine_thin_elements(int64_t m, int64_t n, int64_t k, double elements[3]);
/** What a product takes beside its operations: product_s, and the sum of tg_machine_thin_elements() over their rates,
 * where it is above 0. */
double tg_machine_beside_s(const TgMachine *machine, int64_t m, int64_t n, int64_t k);
/** Time of a local product of m x k by k x n: tg_machine_beside_s() + 2 m n k / tg_machine_flops_per_s(); 0 where a
 * size is 0. */
double tg_machine_product_s(const TgMachine *machine, int64_t m, int64_t n, int64_t k);
/** Additional time for a block of so many bytes that a processor used last before it used `between_bytes` of
 * others: at half of its cache none, at twice of it all of them come from further away. Of a large block the end comes
 * while the begin is in use: no more than miss_most_bytes take time. */
double tg_machine_miss_s(const TgMachine *machine, double between_bytes, double bytes);
/** How many times as fast processors multiply and add while `at_once` are at work, by speedup_with_fewer of [executor]:
 * between its rows linear in the logarithm of the number, below the first as in the first; 1 where nothing is known. */
double tg_machine_speedup(const TgMachine *machine, double at_once);
/** Multiplies the rates of products and additions. */
void tg_machine_scale_rates(TgMachine *machine, double speedup);
/** Multiplies the times of a link's messages. */
void tg_machine_stretch_link(TgMachineLink *link, double times);
/** Scales the rates of products and additions to `at_once` processors at work. */
void tg_machine_set_at_once(TgMachine *machine, double at_once);
/** Time in which a processor adds a block of so many elements to another one. */
double tg_machine_sum_s(const TgMachine *machine, double elements);

/** The tier, NULL where the machine has none of this kind. */
const TgMachineTier *tg_machine_tier(const TgMachine *machine, TgTierKind kind);

TG_END_DECLS

#endif
