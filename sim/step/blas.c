#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/** Values of the C interface of BLAS (BLAST Forum Standard, 2001, appendix B). */
enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111, TRANSPOSED = 112 };

typedef void (*GemmF32)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a,
                        int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void (*GemmF64)(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha, const double *a,
                        int lda, const double *b, int ldb, double beta, double *c, int ldc);

/** What is called of OpenBLAS, or why it is not here. */
typedef struct OpenBlas {
  GemmF32 gemm_f32;
  GemmF64 gemm_f64;
  char *(*config)(void);
  char *(*core_name)(void);
  int (*threads)(void);
  void (*set_threads)(int threads);
  bool in_turn; /* see tg_blas_is_in_turn() */
  GError *error;
} OpenBlas;

enum { MOST_THREADS = 1024 };
/** One thread is worth waking for about 0.1 ms of multiply-adds. */
static const double products_per_thread = 1 << 21;

/* --- loading ------------------------------------------------------------------------------------------------------ */

/** Address space of OpenBLAS 0.3: the library, a buffer of 128 MiB for each thread and, in 0.3.29 but not in 0.3.21,
 * one more for whoever calls it, and stacks. What it does not get it asks for again, for ever, so that it must fit
 * before the library is loaded: its threads start then. */
static const uint64_t library_bytes = UINT64_C(64) << 20, thread_bytes = UINT64_C(136) << 20;

static bool is_limited(void) {
  struct rlimit space, data;
  return (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) ||
         (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY);
}

static uint64_t bytes_of_threads(int threads) {
  struct rlimit stack;
  const bool known = getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY;
  const uint64_t stack_bytes = known ? (uint64_t)stack.rlim_cur : UINT64_C(8) << 20;
  return library_bytes + (uint64_t)(threads + 1) * thread_bytes + (uint64_t)(threads - 1) * stack_bytes;
}

/** As many threads as the system has processors for, or as the user asks for. */
static int threads_wanted(void) {
  const char *asked = g_getenv("OPENBLAS_NUM_THREADS");
  const int most = (int)CLAMP(sysconf(_SC_NPROCESSORS_ONLN), 1, MOST_THREADS), wanted = asked ? atoi(asked) : 0;
  return wanted > 0 ? MIN(wanted, most) : most;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *pass_gate(void *nothing) {
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  return nothing;
}

/** As many of `threads` as the system lets this process have at once (ulimit -u, control groups). OpenBLAS ends the
 * process by SIGINT where it cannot start one. They take no memory: a thread that does may keep 64 MiB of address
 * space (an arena of glibc's malloc). */
static int threads_allowed(int threads) {
  pthread_t sleeping[MOST_THREADS];
  int started = 0;
  pthread_mutex_lock(&gate);
  while (started < threads - 1 && pthread_create(&sleeping[started], NULL, pass_gate, NULL) == 0) started++;
  pthread_mutex_unlock(&gate);
  for (int t = 0; t < started; t++) pthread_join(sleeping[t], NULL);
  return started + 1;
}

/** As many of `threads` as the address space holds; 0 where it does not hold one. Mapped, because malloc makes an arena
 * where it cannot grow the first. */
static int threads_that_fit(int threads) {
  for (; threads > 0; threads--) {
    const size_t bytes = bytes_of_threads(threads);
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) continue;
    munmap(room, bytes);
    return threads;
  }
  return 0;
}

static bool find_all(OpenBlas *blas, void *library) {
  const struct {
    const char *name;
    void *place;
  } functions[] = {{"cblas_sgemm", &blas->gemm_f32},
                   {"cblas_dgemm", &blas->gemm_f64},
                   {"openblas_get_config", &blas->config},
                   {"openblas_get_corename", &blas->core_name},
                   {"openblas_get_num_threads", &blas->threads},
                   {"openblas_set_num_threads", &blas->set_threads}};
  for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
    void *function = dlsym(library, functions[i].name);
    if (!function) return false;
    memcpy(functions[i].place, &function, sizeof function);
  }
  return true;
}

/* Never closed: its threads run until the process ends. */
static void open_library(OpenBlas *blas) {
  static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};
  g_autofree char *reason = NULL;
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library && find_all(blas, library)) return;
    if (!reason) reason = g_strdup(dlerror());
  }
  g_set_error(&blas->error, TG_SIM_ERROR, TG_SIM_ERROR_MISSING,
              "blocks are multiplied by OpenBLAS, whose library cannot be loaded (%s); install it (Debian, Ubuntu: apt "
              "install libopenblas0)",
              reason);
}

/** A product that occupies all threads: each has its buffer then, whatever else takes the rest of the address space. */
static void occupy_buffers(const OpenBlas *blas) {
  enum { ROWS = 1024, INNER = 64 };
  g_autofree float *factor = g_try_new0(float, ROWS *INNER), *c = g_try_new0(float, ROWS *ROWS);
  if (!factor || !c) return;
  blas->gemm_f32(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, ROWS, ROWS, INNER, 1, factor, INNER, factor, ROWS, 0, c,
                 ROWS);
}

/* OpenBLAS's buffers are new memory, and its kernels prefetch beyond the data packed there. On a page that was never
 * touched every prefetch searches the page tables in vain: with the kernels for Haswell and Zen small products take up
 * to three times as long, until a larger one has touched the pages. */
static void touch_buffers(const OpenBlas *blas) {
  enum { ROWS = 256 /* for each thread */, COLUMNS = 128, INNER = 384 };
  const int rows = ROWS * blas->threads();
  g_autofree double *a = g_try_new0(double, rows *INNER), *b = g_try_new0(double, COLUMNS *INNER);
  g_autofree double *c = g_try_new0(double, rows *COLUMNS);
  if (!a || !b || !c) return;
  blas->gemm_f64(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, rows, COLUMNS, INNER, 1, a, INNER, b, COLUMNS, 0, c,
                 COLUMNS);
}

static void open_limited(OpenBlas *blas, int allowed) {
  const int threads = is_limited() ? threads_that_fit(allowed) : allowed;
  if (threads == 0) {
    g_set_error(&blas->error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE,
                "out of memory: OpenBLAS, which multiplies blocks, needs %" G_GUINT64_FORMAT
                " MB of address space, and the limit leaves less; raise it (ulimit -v, ulimit -d)",
                bytes_of_threads(1) / 1000000);
    return;
  }
  g_autofree char *before = g_strdup(g_getenv("OPENBLAS_NUM_THREADS"));
  g_autofree char *number = g_strdup_printf("%d", threads);
  g_setenv("OPENBLAS_NUM_THREADS", number, true);
  open_library(blas);
  if (before)
    g_setenv("OPENBLAS_NUM_THREADS", before, true);
  else
    g_unsetenv("OPENBLAS_NUM_THREADS");
  blas->in_turn = is_limited();
  if (!blas->error && blas->in_turn) occupy_buffers(blas);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic(const OpenBlas *) loaded_blas;

static void load(void) {
  OpenBlas *blas = g_new0(OpenBlas, 1);
  const int wanted = threads_wanted(), allowed = threads_allowed(wanted);
  if (is_limited() || allowed < wanted)
    open_limited(blas, allowed);
  else
    open_library(blas);
  if (!blas->error) touch_buffers(blas);
  loaded_blas = blas;
}

static const OpenBlas *open_blas(void) {
  pthread_once(&once, load);
  return loaded_blas;
}

bool tg_blas_load(GError **error) {
  const OpenBlas *blas = open_blas();
  if (blas->error && error) *error = g_error_copy(blas->error);
  return !blas->error;
}

/** NULL until it is loaded. */
static const OpenBlas *loaded(void) {
  const OpenBlas *blas = loaded_blas;
  return blas && !blas->error ? blas : NULL;
}

void tg_blas_touch_buffer(void) {
  const OpenBlas *blas = loaded();
  if (blas && !blas->in_turn) touch_buffers(blas);
}

/* --- multiplying -------------------------------------------------------------------------------------------------- */

typedef struct Factor {
  int transpose, leading;
} Factor;

/** A block with neighbouring elements in its rows is read as it is; otherwise its transpose lies so in memory. Where
 * both strides are 1 (one row or one column) BLAS must be given the reading in which a row's length fits the stride. */
static Factor factor_of(const TgBlock *block) {
  if (block->column_stride == 1 && block->row_stride >= block->columns)
    return (Factor){NOT_TRANSPOSED, (int)block->row_stride};
  return (Factor){TRANSPOSED, (int)block->column_stride};
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

#define DEFINE_MULTIPLY_ADD(NAME, GEMM)                                                                                \
  void NAME(void *c, const TgBlock *left, const TgBlock *right) {                                                      \
    const OpenBlas *blas = open_blas();                                                                                \
    const Factor l = factor_of(left), r = factor_of(right);                                                            \
    const int m = (int)left->rows, n = (int)right->columns, k = (int)left->columns;                                    \
    if (blas->in_turn) pthread_mutex_lock(&turn);                                                                      \
    blas->GEMM(ROW_MAJOR, l.transpose, r.transpose, m, n, k, 1, left->data, l.leading, right->data, r.leading, 1, c,   \
               n);                                                                                                     \
    if (blas->in_turn) pthread_mutex_unlock(&turn);                                                                    \
  }

DEFINE_MULTIPLY_ADD(tg_blas_multiply_add_f32, gemm_f32)
DEFINE_MULTIPLY_ADD(tg_blas_multiply_add_f64, gemm_f64)

char *tg_blas_name(void) {
  const OpenBlas *blas = open_blas();
  if (blas->error) return g_strdup_printf("none: %s", blas->error->message);
  g_autofree char *config = g_strstrip(g_strdup(blas->config()));
  return g_strdup_printf("%s, running as %s", config, blas->core_name());
}

char *tg_blas_description(void) {
  const OpenBlas *blas = open_blas();
  g_autofree char *name = tg_blas_name();
  if (blas->error) return g_steal_pointer(&name);
  const int threads = blas->threads();
  return g_strdup_printf("%s, %d thread%s", name, threads, threads == 1 ? "" : "s");
}

bool tg_blas_is_in_turn(void) {
  const OpenBlas *blas = loaded();
  return blas && blas->in_turn;
}

int tg_blas_threads_most(void) {
  return loaded()->threads();
}

/** The number of threads is a setting of the process. */
static pthread_mutex_t threads_mutex = PTHREAD_MUTEX_INITIALIZER;

int tg_blas_threads_begin(int64_t m, int64_t n, int64_t k, int most) {
  const OpenBlas *blas = loaded();
  if (!blas) return 0;
  pthread_mutex_lock(&threads_mutex);
  const int before = blas->threads();
  const double worth = (double)m * (double)n * (double)k / products_per_thread;
  const int allowed = most > 0 ? MIN(most, before) : before;
  if (worth < before || allowed < before) blas->set_threads((int)CLAMP(worth, 1, allowed));
  return before;
}

void tg_blas_threads_end(int threads) {
  const OpenBlas *blas = threads > 0 ? loaded() : NULL;
  if (!blas) return;
  if (threads != blas->threads()) blas->set_threads(threads);
  pthread_mutex_unlock(&threads_mutex);
}
