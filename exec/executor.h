/** @file executor.h
 * Executors run a bound schedule for real. Each is a row of one table (cli/options/executors.c): what its processor is,
 * and five functions. The order is open, load, then run and gather as often as wanted, close; a run begins from A and B
 * as they were loaded.
 *
 * An executor whose processors have little memory tiles a larger problem around the schedule: many instances of it,
 * each for a tile of C, each run once for every panel of K, and the panels' results summed up. TgExecutorFacts has the
 * numbers.
 *
 * Matrices are row-major and contiguous, of the extents in tg_schedule_matrix_shape(). */
#ifndef TG_EXECUTOR_H
#define TG_EXECUTOR_H

#include "collective.h"
#include "element.h"
#include "matrix-part.h"
#include "schedule.h"
#include "watch.h"

#include <glib.h>

TG_BEGIN_DECLS

typedef enum TgExecutorError {
  TG_EXECUTOR_ERROR_BAD_INPUT, /**< sizes, options or matrices that do not fit the schedule */
  TG_EXECUTOR_ERROR_TOO_LARGE, /**< more processors, memory or instructions than there can be: with both numbers */
  TG_EXECUTOR_ERROR_SCHEDULE,  /**< the schedule is wrong at this grid: with the proof's message */
  TG_EXECUTOR_ERROR_DEVICE,    /**< no such device, or no code for it in this build */
  TG_EXECUTOR_ERROR_FAILED     /**< the run itself: a wait past its deadline, a device lost */
} TgExecutorError;

#define TG_EXECUTOR_ERROR (tg_executor_error_quark())
GQuark tg_executor_error_quark(void);
/** Sets the error and is false: `return TG_EXECUTOR_FAIL(error, BAD_INPUT, "%d bytes", bytes);` */
#define TG_EXECUTOR_FAIL(error, code, ...)                                                                             \
  (g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_##code, __VA_ARGS__), false)

/** How a block gets to another processor. */
typedef enum TgTransport {
  TG_TRANSPORT_COPY,    /**< it is copied into the receiver's memory */
  TG_TRANSPORT_PULL,    /**< it stays where it was written, and its holder reads it there */
  TG_TRANSPORT_LOAD,    /**< of A and B: nothing is sent, each processor reads what it needs from the device's memory */
  TG_TRANSPORT_MESSAGE, /**< as copy, but always in a message, even where processors share memory */
  TG_TRANSPORTS
} TgTransport;

/** "copy", "pull", "load", "message". */
const char *tg_transport_name(TgTransport transport);

/** How to run. All zero is valid but for m, n, k. */
typedef struct TgExecutorOptions {
  int64_t m, n, k; /**< C is m x n, the inner dimension k; from 1 to 2^31-1 */
  TgElement element;
  TgCollective collective; /**< TG_COLLECTIVE_WHOLE: every receiver reads from the owner */
  TgTransport transport;
  int32_t variant;            /**< 1 + number of the executor's kernel, where it has several; 0: chosen */
  int32_t device;             /**< number of the GPU */
  int64_t memory_limit_bytes; /**< of device memory; 0: what the device has */
  double deadline_s;          /**< longest wait of one processor for another; 0: 20 s; barriers have none */
  bool no_times;              /**< do not take times inside the run */
  bool parts;                 /**< of a kind that has them: of A and B only its own parts need be there to load, and
                                 gather() writes those of C */
  bool no_overlap;            /**< of a kind whose traits are messages: they do not go on during products */
  const TgWatch *watch;       /**< told the statements of a proof and, on the CPU, of each run, from 0 in each, and can
                                 stop it; outlives the executor; NULL: nobody */
  /* For tests. */
  bool poison;         /**< fill all device memory with 0xff bytes before use */
  int32_t delay_ns;    /**< before each instruction a processor sleeps up to this long, at random … */
  uint32_t delay_seed; /**< … from this seed and the number of the run */
  int32_t stalled;     /**< 1 + rank of a processor that does nothing at all; 0: none */
} TgExecutorOptions;

/** One step of the last run, by the device's own clock; all times count from the earliest beginning of any processor.
 * NaN for a step in which no processor has anything to do, as a move that costs nothing. Of a step that runs many
 * times, once for every instance and panel, busy_s and waited_s are sums over all its runs that follow one another;
 * begin_s and end_s are those of its first run, or of a mean one. Where processors take turns (at_once), means are over
 * the places that they share instead. */
typedef struct TgExecutorStep {
  int64_t index;     /**< from 1 */
  int64_t runs;      /**< how often it runs, one after another; 0 where it costs nothing */
  const char *label; /**< "" where it has none */
  double begin_s;    /**< of the processor that began it first */
  double end_s;      /**< of the one that ended it last */
  double busy_s;     /**< from begin to end, waits taken out: mean over the processors that took part */
  double waited_s;   /**< for other processors: mean over those that took part */
} TgExecutorStep;

/** One process of a parallel job. */
typedef struct TgExecutorPlace {
  const char *host, *cpus;   /**< where it runs, and what it may use there, as "0-3,8"; "" where that is not known */
  int32_t first_there;       /**< lowest rank on this host; identifies the host, as names may repeat */
  int32_t threads;           /**< threads it multiplies with */
  int64_t first, processors; /**< its first processor's rank, and how many it has */
  TgExecutorStep *steps;     /**< of the last run, facts.steps of them, on one clock for all; NULL: none were timed */
} TgExecutorPlace;

/** What an executor needs and has, known from open() on. */
typedef struct TgExecutorFacts {
  int64_t processors, processors_max; /**< of the schedule, and how many this executor has room for */
  int64_t at_once;                    /**< processors that work at the same time, where others then take their turn; 0:
                                         all of them */
  int64_t memory_bytes;               /**< of the device */
  int64_t shared_bytes;               /**< of shared memory, of one block */
  const char *kernel;                 /**< what multiplies on a processor, in words; static, or the executor's own */
  int32_t variant, variants;          /**< 1 + number of the kernel that runs, and how many there are to choose from */
  int64_t instructions, waits;        /**< over all processors */
  const struct TgBlocksPlan *plan; /**< they, where the run follows such a plan (blocks-plan.h); the executor's own */
  const uint8_t *arrives; /**< by instruction of the plan: bits TG_BLOCKS_READS_LEFT … of what comes in a message for
                             it; other places' blocks that it reads besides are there already. NULL: it fetches each of
                             them */
  const int32_t *host;    /**< host[place]: the first place on the same host; NULL if all are on one host */
  bool shares_host;       /**< places of one host fetch from each other: `arrives` is of other hosts alone */
  int64_t steps;
  int32_t tile[2];     /**< rows and columns of C that a processor multiplies at a time */
  int64_t instance[3]; /**< m, n and k of one instance in one panel; the whole problem where it is not tiled */
  int64_t instances;   /**< over C */
  int64_t resident;    /**< instances that run at once, at most */
  int64_t panels;      /**< of K */
  int64_t rounds;      /**< instances that follow one another; parts of them where the last are divided over K */
  int64_t passes;      /**< through the schedule that follow one another: as many as rounds times panels, or fewer */
} TgExecutorFacts;

/** How many processors take their turns one after another; 1 where all work at the same time. */
static inline int64_t tg_executor_turns(const TgExecutorFacts *facts) {
  return facts->at_once ? tg_divide_up(facts->processors, facts->at_once) : 1;
}

/** The first of the processors that take turns in place `place` of at_once: neighbours in rank. */
static inline int64_t tg_executor_first_in_place(const TgExecutorFacts *facts, int64_t place) {
  return tg_block_begin(facts->processors, facts->at_once, place);
}

typedef struct TgExecutor TgExecutor;

/** How an executor works through a schedule, as far as a prediction must know. */
typedef struct TgExecutorTraits {
  bool overlaps; /**< moves overlap with products */
  bool fetches;  /**< the receiver of a block does the work, one block after another; its sender is not held up */
  bool messages; /**< blocks are sent by a protocol that depends on their size */
  bool folds;    /**< a block that moves before it is used is loaded where it is needed, and sums of products are
                      added up once at the end: neither costs anything in a pass */
} TgExecutorTraits;

/** A row of the table: everything that is particular to one executor. */
typedef struct TgExecutorKind {
  const char *name;      /**< as `--on` takes it */
  const char *processor; /**< what a processor is, in words */
  const char *link;      /**< what a link is */
  bool on_gpu;           /**< it needs a GPU */
  bool has_deadline;     /**< its processors wait for each other, and deadline_s limits that */
  int32_t transports;    /**< bit TgTransport: those it has */
  bool times_apart;      /**< runs that take times of steps are slower: time others as a whole */
  TgExecutorTraits traits;
  const char *unlike_sim; /**< what it does that `sim` does not suppose of a machine; NULL: nothing */
  const char *grid,
      *sizes;          /**< to calibrate with: what fills it as users do; see TgCalibrationPlan. NULL: it cannot be */
  bool (*built)(void); /**< whether this build has it; NULL: yes, or if on_gpu, where there is CUDA */
  char *(*job)(void);  /**< once begun, what runs the job, in words; free with g_free(); NULL: this processor alone */
  bool (*begin)(bool *first, GError **error); /**< before anything else, where several programs run a job: whether this
                                                 is the first of them; NULL: there is one */
  void (*end)(int status);                    /**< after all else, with the program's exit status */
  /** What only the first program can read, such as standard input: `read` is called there, and all get its bytes or its
   * error. NULL: there is one program. */
  GBytes *(*share)(GBytes *(*read)(GError **error), GError **error);
  TgExecutor *(*open)(const TgSchedule *schedule, const TgScheduleNames *names, const TgExecutorOptions *options,
                      GError **error);
  bool (*load)(TgExecutor *executor, const void *a, const void *b, GError **error);
  bool (*run)(TgExecutor *executor, double *seconds, GError **error);
  bool (*gather)(TgExecutor *executor, void *c, GError **error);
  void (*close)(TgExecutor *executor);
  /* Of a kind whose job several programs may run together, NULL where one has all; all programs call these together: */
  /** One value for all, the first one's; `executor` is NULL where none is open. */
  double (*agree)(const TgExecutor *executor, double value);
  /** The sums over all programs. */
  void (*sum)(const TgExecutor *executor, double *values, int64_t count);
  /** TgMatrixPart: what this program loads of A or B, or gathers of C; free with g_array_unref(). */
  GArray *(*parts)(const TgExecutor *executor, TgMatrixName matrix);
  /** For the first: rows of C from all programs' gathered parts, into `to`, which only the first one needs. */
  void (*rows)(const TgExecutor *executor, const void *c, int64_t row, int64_t rows, void *to);
  /** Whether all have taken their parts of A and B: `own` is why this one could not, or NULL, and is freed. Otherwise
   * all have the same error. */
  bool (*all_took)(const TgExecutor *executor, GError *own, GError **error);
  /** TgExecutorPlace of each program; free with g_array_unref(). `clock_error_s`: largest error of a corrected clock,
   * relative to the first program's. */
  GArray *(*places)(const TgExecutor *executor, double *clock_error_s);
} TgExecutorKind;

/** Whether a wait for a CPU says that other programs run: not where threads or programs of its own take turns. */
static inline bool tg_executor_is_alone(const TgExecutorKind *kind) {
  return !kind->on_gpu && !kind->has_deadline;
}

/** Proves the schedule at its grid, plans the run, and takes the memory for it. Schedule and names must outlive the
 * executor. Errors: all but FAILED. */
TgExecutor *tg_executor_open(const TgExecutorKind *kind, const TgSchedule *schedule, const TgScheduleNames *names,
                             const TgExecutorOptions *options, GError **error);
/** Takes in A and B (NULL where the schedule does not read it); may be called again. */
bool tg_executor_load(TgExecutor *executor, const void *a, const void *b, GError **error);
/** Runs the whole schedule once. `seconds` (may be NULL): from start to end, by the device's clock, the launch in it.
 * After an error FAILED only close() is left. */
bool tg_executor_run(TgExecutor *executor, double *seconds, GError **error);
/** Whether the next runs take times of steps, as they do unless the options set no_times: only for a kind with
 * times_apart. */
void tg_executor_take_times(TgExecutor *executor, bool take);
/** Writes C, m x n, as the last run left it. */
bool tg_executor_gather(TgExecutor *executor, void *c, GError **error);
/** Where several programs run a job together: one value for all of them, such as how long a run took. Otherwise
 * `seconds`. */
double tg_executor_agree(const TgExecutor *executor, double seconds);
void tg_executor_close(TgExecutor *executor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgExecutor, tg_executor_close)

const TgExecutorFacts *tg_executor_facts(const TgExecutor *executor);
/** The steps of the last run, facts->steps of them; NULL before the first run, and where no times were taken. */
const TgExecutorStep *tg_executor_steps(const TgExecutor *executor);

TG_END_DECLS

#endif
