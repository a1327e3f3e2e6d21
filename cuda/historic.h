/** @file historic.h
 * The kernels of published papers, as they were described: products, products with the own transpose, transposes. A
 * stated defect is corrected; where it is instructive, there are two kernels, with the suffixes -as-printed and
 * -corrected. What a kernel is, takes and moves is known without CUDA; running it needs it.
 *
 * Matrices are row-major and without gaps. A paper is one .c file with its table and the shapes of its launches; a
 * family of kernels is one .cu file. */
#ifndef TG_HISTORIC_H
#define TG_HISTORIC_H

#include "base.h"

TG_BEGIN_DECLS

/** What a kernel computes. */
typedef enum TgHistoricKind {
  TG_HISTORIC_PRODUCT,   /**< C (m x n) = A (m x k) · B (k x n) */
  TG_HISTORIC_SYMMETRIC, /**< C (m x m) = A (m x k) · A'; n is m */
  TG_HISTORIC_TRANSPOSE, /**< C (n x m) = A' of A (m x n); k is 1 */
  TG_HISTORIC_COPY,      /**< C = A, m x n; k is 1 */
  TG_HISTORIC_NOTHING,   /**< reads and writes nothing: what a launch alone takes */
  TG_HISTORIC_KINDS
} TgHistoricKind;

/** What an element is: both have four bytes. */
typedef enum TgHistoricType { TG_HISTORIC_F32, TG_HISTORIC_I32, TG_HISTORIC_TYPES } TgHistoricType;

enum { TG_HISTORIC_ELEMENT_BYTES = 4, TG_HISTORIC_WIDTHS = 8 };

/** "f32" or "i32". */
const char *tg_historic_type_name(TgHistoricType type);

/** What to run. Pointers are to device memory. */
typedef struct TgHistoricRun {
  int32_t type;    /**< a TgHistoricType */
  int32_t width;   /**< of tiles or blocks; 0: the paper's, the first of the kernel's list */
  int32_t split;   /**< blocks that share the inner extent of a tile of C; 0: as the paper has it */
  int32_t repeats; /**< how often the kernel moves its data within one launch (transposes, copies); 0: once */
  int32_t adverse; /**< 1: threads that the card may run in any order run in the one that shows the defect */
  int64_t m, n, k;
  const void *a, *b;
  void *c;
  void *stream; /**< cudaStream_t */
} TgHistoricRun;

/** What a launch is, and what it asks of the card. */
typedef struct TgHistoricShape {
  int64_t grid[3];
  int32_t block[3];
  int32_t shared_bytes;  /**< of a block, all of it */
  int32_t dynamic_bytes; /**< the part of it that the launch asks for */
  int64_t split;         /**< blocks that share the inner extent of a tile of C: they add to it where there are more */
  int64_t rounds;        /**< tiles that a block loads one after another; 0: none */
  int64_t terms;         /**< products that a thread adds one after another */
  int32_t sum_steps;     /**< in which a block then adds up the sums of its threads */
  int32_t bank_ways;     /**< accesses to shared memory that wait for each other, at worst; 0: none is made */
  double flops;          /**< executed, on padding too */
  double read_bytes;     /**< that threads ask of global memory, before any cache */
  double written_bytes;  /**< likewise; an atomic addition counts as a store */
  double atomics;        /**< additions among them */
} TgHistoricShape;

/** Where the defect of a kernel as printed shows: on whole numbers its result is not the product. */
typedef struct TgHistoricShown {
  int64_t m, n, k;
  int32_t width, adverse;
} TgHistoricShown;

/** What a kernel is and takes. */
typedef struct TgHistoric {
  const char *name;                   /**< PAPER-KERNEL */
  const char *where;                  /**< in the paper */
  const char *idea;                   /**< one line */
  const char *defect;                 /**< of a kernel as printed, one sentence; NULL: none is kept */
  const char *corrected;              /**< the name of the kernel without it; NULL likewise */
  int32_t kind;                       /**< a TgHistoricKind */
  int32_t types;                      /**< bit TgHistoricType: types it takes */
  int32_t printed;                    /**< 1: as printed, with its defect */
  int32_t transposed_b;               /**< 1: takes B as its transpose, n x k */
  int32_t splits;                     /**< 1: takes `split` */
  int32_t repeats;                    /**< 1: takes `repeats` */
  int32_t square;                     /**< 1: m, n and k must be one number */
  int32_t whole;                      /**< 1: m, n and k must be multiples of the width */
  int32_t widths[TG_HISTORIC_WIDTHS]; /**< that it takes, the paper's first, ended by 0; none: it has no width */
  int64_t most[3];                    /**< greatest m, n and k; 0: any */
  int64_t exactly;                    /**< m, n and k must be this; 0: any */
  TgHistoricShown shown;              /**< of a kernel as printed */
  /** Fills a shape of zeros from a run that the rest of this row allows, with its width and repeats filled in. */
  void (*shape)(const TgHistoricRun *run, TgHistoricShape *shape);
} TgHistoric;

/** A line of a table that a paper prints: times of a square product. */
typedef struct TgHistoricFigure {
  int32_t table;     /**< its number in the paper */
  const char *title; /**< what the paper calls the method */
  const char *kernel;
  int64_t n;
  int32_t width;  /**< of the kernel; 0: it has none, or the paper's */
  int32_t trials; /**< 0: not stated; likewise NaN below */
  double min_us, max_us, mean_us, stddev_us;
} TgHistoricFigure;

/** A paper and its kernels. */
typedef struct TgHistoricPaper {
  const char *name;    /**< that its kernels' names begin with */
  const char *source;  /**< author, title, place */
  const char *machine; /**< that its figures are from; NULL: it has none */
  const TgHistoric *kernels;
  size_t count;
  const TgHistoricFigure *figures; /**< as its tables have them; may be NULL */
  size_t figure_count;
} TgHistoricPaper;

extern const TgHistoricPaper tg_historic_oneil, tg_historic_essay, tg_historic_mmt, tg_historic_dobravec;

/** All papers. */
const TgHistoricPaper *const *tg_historic_papers(size_t *count);
/** The kernel of this name; NULL where there is none. */
const TgHistoric *tg_historic_find(const char *name);

/** Fills in what `run` leaves to the kernel (width, repeats), checks it against the table, and fills in what the launch
 * will be. Needs no device and looks at no pointer. Errors: what the kernel does not take, in words. */
bool tg_historic_prepare(const TgHistoric *kernel, TgHistoricRun *run, TgHistoricShape *shape, TgError *error);

/** Whether this build holds the kernel's code. */
bool tg_historic_built(const TgHistoric *kernel);
/** Starts the kernel on the stream, with what belongs to it (zeroing C before additions to it). It may still be running
 * on return; what goes wrong later shows at the next synchronisation. Errors: those of tg_historic_prepare(); the
 * launch was refused; the build has no CUDA. */
bool tg_historic_start(const TgHistoric *kernel, const TgHistoricRun *run, TgError *error);

/** Where `tiles` of the inner extent are shared by run->split blocks, or by as many as there are tiles: how many blocks
 * have work, and how many rounds. */
void tg_historic_share(const TgHistoricRun *run, int64_t tiles, TgHistoricShape *shape);

/** ceil(a / b). */
static inline int64_t tg_historic_parts(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

TG_END_DECLS

#endif
