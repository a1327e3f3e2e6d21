/** @file pipeline.h
 * The time of a local product of m x k by k x n whose operands are not all in the memory that multiplies: they stream
 * through it in blocks, A in x*y, B in y*z, while a block of C of x*z stays until its sum is complete. The order is
 * that of EGMM (Ryu and Kim, IPDPSW 2018, Fig. 1): for each block of C, all blocks of its row of A and of its column of
 * B.
 *
 * Each stage (disk, page cache, host to device, device to host, multiply) is a resource: bytes / rate + requests *
 * latency, a block being one request. With pipelining the stages overlap and the slowest decides;
 * without, their times add up. docs/reference/models.md has the equations. */
#ifndef TG_PIPELINE_H
#define TG_PIPELINE_H

#include "machine.h"

TG_BEGIN_DECLS

/** Where an operand is kept, furthest first. */
typedef enum TgPlace {
  TG_PLACE_DISK,   /**< every read and every write goes to the disk, past the operating system's cache */
  TG_PLACE_CACHE,  /**< on the disk, behind that cache: what was read before and still fits is not read again */
  TG_PLACE_HOST,   /**< in the processor's memory */
  TG_PLACE_DEVICE, /**< in the accelerator's */
  TG_PLACES
} TgPlace;

/** "disk", "cache", "host", "device". */
const char *tg_place_name(TgPlace place);
bool tg_place_parse(const char *text, TgPlace *place, TgError *error);

typedef enum TgTierStage {
  TG_TIER_STAGE_DISK_READ,
  TG_TIER_STAGE_DISK_WRITE,
  TG_TIER_STAGE_CACHE,       /**< reads from the page cache */
  TG_TIER_STAGE_TO_DEVICE,   /**< host to device */
  TG_TIER_STAGE_FROM_DEVICE, /**< device to host */
  TG_TIER_STAGE_MULTIPLY,
  TG_TIER_STAGES
} TgTierStage;

/** What serves one stage at a time: a disk has one arm for reads and writes, a bus has two directions. */
typedef enum TgTierResource {
  TG_TIER_RESOURCE_DISK,
  TG_TIER_RESOURCE_CACHE,
  TG_TIER_RESOURCE_TO_DEVICE,
  TG_TIER_RESOURCE_FROM_DEVICE,
  TG_TIER_RESOURCE_MULTIPLY,
  TG_TIER_RESOURCES
} TgTierResource;

const char *tg_tier_stage_name(TgTierStage stage);
const char *tg_tier_resource_name(TgTierResource resource);

/** Block sizes in elements: A in x*y, B in y*z, C in x*z. */
typedef struct TgProductBlocks {
  int64_t x, y, z;
} TgProductBlocks;

/** A product to be predicted. */
typedef struct TgPipelineJob {
  int64_t m, n, k;        /**< at least 1 */
  TgProductBlocks blocks; /**< what exceeds the product's extents is cut to them; all 0: tg_panels_plan() chooses … */
  TgProductBlocks unit;   /**< … multiples of this, the tiles of the files; all 0: of about 1/256 of each extent */
  int64_t element_bytes;
  TgPlace a, b, c;
  bool adds;    /**< C holds a sum already that must be read, too */
  bool c_stays; /**< C stays in the multiplying memory: it is neither read nor written. Needs x >= m and z >= n */
  bool warm_a, warm_b; /**< written or read just before: where the page cache holds A and B, even the first read is
                          from there */
  bool by_rows_a, by_rows_b; /**< A, B lie on the disk row by row, not block by block: a block is then as many requests
                                as it has rows, or is read together with what lies between them, whichever is less */
  bool pipelined;            /**< A and B have two buffers, and the stages overlap */
  bool double_c;             /**< … and C has two: a block is written while the next one is computed */
  double memory_bytes;       /**< for the blocks; 0: the device's, or the processor's where the machine has no device */
} TgPipelineJob;

/** What it takes. */
typedef struct TgPipeline {
  TgProductBlocks blocks; /**< where planned: rows of the tallest panel, the step, columns of the widest panel */
  int64_t panels;         /**< of C */
  double block_bytes;     /**< memory for the blocks, all buffers together … */
  double memory_bytes;    /**< … of this much */
  double read_bytes;                    /**< of A, B and, where it adds, C into the multiplying memory */
  double write_bytes;                   /**< of C out of it */
  double bound_bytes;                   /**< least reads of A and B with this memory */
  double bytes[TG_TIER_STAGES];         /**< of each stage; of MULTIPLY flops */
  double stage_s[TG_TIER_STAGES];       /**< time of each stage alone */
  double resource_s[TG_TIER_RESOURCES]; /**< … and of each resource: the stages that it serves */
  double fill_s;                        /**< first item to the slowest resource, last one from there */
  double time_s;                        /**< pipelined: fill_s + the slowest resource's; else the sum of the stages */
  TgTierResource slowest;               /**< that decides */
} TgPipeline;

/** Predicts one product.
 * Errors: BAD_INPUT where the machine has no tier of the kind asked; TOO_LARGE where the blocks, or operands kept in
 * memory, do not fit it, with both numbers. */
bool tg_pipeline_predict(TgPipeline *pipeline, const TgMachine *machine, const TgPipelineJob *job, GError **error);

/** Size of a request where panels are planned: `block`, or more if the latency would exceed 1 % of the time of the
 * transfer, because many requests are in progress at once. */
double tg_pipeline_request_bytes(const TgMachineTier *disk, double block);

/** Elements that any order of the operations must read into a fast memory of `memory_elements`: max(2 m n k / sqrt(M),
 * m k + k n), leading term. Source: T. M. Smith, B. Lowery, J. Langou, R. A. van de Geijn, A Tight I/O Lower Bound for
 * Matrix Multiplication, arXiv 1702.02017, 2017. */
double tg_pipeline_bound(int64_t m, int64_t n, int64_t k, double memory_elements);

/* --- which part of C stays ----------------------------------------------------------------------------------------
 *
 * C is cut into panels. One of h x w reads h rows of A and w columns of B, k(h + w) elements, so that the sum of the
 * half perimeters of all panels decides. Panels of equal shape need not be best: with room for 0.21 of a square C, a
 * column of two panels next to a column of three reads 4.6 k n elements; a 2 x 3 grid of equal ones reads 5 k n. C is
 * cut in one direction first, then each part, by itself, in the other (O. Beaumont, V. Boudet, F. Rastello, Y. Robert,
 * Partitioning a square into rectangles: NP-completeness and approximation algorithms, Algorithmica 34, 2002). The plan
 * is the one that costs least among all such cuts, and among steps of several widths and chunks of several lengths:
 * reads, times how much slower products are with short chunks and thin steps. */

enum {
  TG_PANELS_CHUNK_BYTES = 1 << 20
}; /* of A that is multiplied at a time where blocks are given, at least a tile */

typedef struct TgPanel {
  int64_t row, column, rows, columns; /**< of C */
} TgPanel;

/** What is to be cut. Every extent is a multiple of the unit, except at the lower and right edges. */
typedef struct TgPanelsJob {
  int64_t m, n, k;
  TgProductBlocks unit; /**< of rows of C and A (x), of the inner dimension (y), of columns of C and B (z) */
  int64_t element_bytes;
  double memory_bytes;    /**< for all buffers */
  int64_t a_buffers;      /**< parts of A that memory holds at a time, one that BLAS copies included … */
  int64_t b_buffers;      /**< … and of B */
  int64_t c_buffers;      /**< panels of C in memory at a time */
  TgProductBlocks blocks; /**< uniform panels of x * z, in steps of y; all 0: those that read least */
} TgPanelsJob;

typedef struct TgPanels {
  TgPanel *panel; /**< in their order */
  int64_t count;
  int64_t step;          /**< of the inner dimension: that much of A and B is in memory at a time */
  int64_t chunk;         /**< rows of A that are read, and multiplied, at a time */
  double panel_bytes;    /**< of the largest panel, all its buffers … */
  double a_bytes;        /**< … of the parts of A … */
  double b_bytes;        /**< … and of B, for the widest */
  double read_elements;  /**< of A and B, all panels together */
  double bound_elements; /**< that any order must read with this memory: tg_pipeline_bound() */
} TgPanels;

/** How many parts of A, and of B, tg_huge_multiply() has in memory, with or without overlap of reads and products. */
static inline int64_t tg_panels_a_buffers(bool overlaps) {
  return overlaps ? 3 : 2;
}
static inline int64_t tg_panels_b_buffers(bool overlaps) {
  return overlaps ? 2 : 1;
}

/** Fills `panels`. Errors: BAD_INPUT for blocks that are no multiples of the unit; TOO_LARGE where they do not fit, or
 * no plan does, with the least memory that is enough. */
bool tg_panels_plan(TgPanels *panels, const TgPanelsJob *job, GError **error);
void tg_panels_clear(TgPanels *panels);

/** Least memory with which there is a plan, of these blocks where there are some. */
double tg_panels_least_bytes(const TgPanelsJob *job);

TG_END_DECLS

#endif
