/* The tasks of a run. */
#include "disk-run.h"

#include "sim-error.h"
#include "tiles.h"
#include "trials.h"

#include <string.h>

enum {
  PIECE_PART = 512,   /* one part in so many of the memory is for a piece of a message */
  MPI_BYTES = 4 << 20 /* memory that MPI takes once there are messages */
};

void tg_disk_run_add_span(TgDiskRun *run, const TgHugeSpan *span) {
  g_mutex_lock(&run->telling);
  g_array_append_val(run->spans, *span);
  g_mutex_unlock(&run->telling);
}

/* Takes a span of the current product. */
static void take_span(void *to, const TgHugeSpan *span) {
  TgDiskRun *run = to;
  TgHugeSpan taken = *span;
  taken.rank = run->job->rank;
  taken.begin_s += run->product_s;
  taken.end_s += run->product_s;
  tg_disk_run_add_span(run, &taken);
}

static const TgStreamFile *file_at(const TgDiskRun *run, int32_t number) {
  static const TgStreamFile none;
  return number == TG_DISK_NONE ? &none : &run->store.stored[number].file;
}

/* Progress is counted in tasks, but a signal may arrive at any time. */
static bool goes_on(void *user, int64_t done) {
  const TgDiskRun *run = user;
  (void)done;
  return tg_watch_go_on(&run->options.watch, run->tasks_done);
}

/* The products of a sum. */
typedef struct Sum {
  TgDiskRun *run;
  GArray *left, *right;     /* int32_t: blocks */
  TgStreamFactors *factors; /* their files, valid once the blocks are complete */
} Sum;

static void find_factors(Sum *sum, const TgDiskTask *task) {
  for (const TgDiskTask *one = task;; one = tg_disk_task(&sum->run->program, one->next)) {
    g_array_append_val(sum->left, one->left);
    g_array_append_val(sum->right, one->right);
    if (one->next == TG_DISK_NONE) break;
  }
  sum->factors = g_new(TgStreamFactors, sum->left->len);
  for (guint f = 0; f < sum->left->len; f++)
    sum->factors[f] = (TgStreamFactors){*file_at(sum->run, g_array_index(sum->left, int32_t, f)),
                                        *file_at(sum->run, g_array_index(sum->right, int32_t, f))};
}

static bool are_there(void *of, int64_t number, GError **error) {
  Sum *sum = of;
  TgDiskStore *store = &sum->run->store;
  const int32_t left = g_array_index(sum->left, int32_t, number), right = g_array_index(sum->right, int32_t, number);
  if (!tg_disk_store_is_there(store, left, error) || !tg_disk_store_is_there(store, right, error))
    return (tg_disk_store_is_stopped(store) && TG_SIM_FAIL(error, STOPPED, "stopped"));
  sum->factors[number] = (TgStreamFactors){store->stored[left].file, store->stored[right].file};
  return true;
}

static bool multiply_sum(TgDiskRun *run, const TgDiskTask *task, Sum *sum, GError **error) {
  TgHugeOptions options = run->options;
  options.watch = (TgWatch){goes_on, run};
  options.spans = run->spans ? take_span : NULL;
  options.spans_to = run;
  TgDiskProduct product = {.options = &options,
                           .factors = sum->factors,
                           .count = sum->left->len,
                           .c = *file_at(run, task->target),
                           .addend = *file_at(run, task->addend),
                           .program_bytes = run->program_bytes};
  bool fine = tg_disk_product_plan_again(&product, run->planned_bytes, options.memory_bytes, error);
  if (fine) tg_disk_product_note(&product, run->result);
  fine = fine && tg_disk_product_drop_finished(&product, run->result, error);
  if (fine) {
    tg_disk_product_count(&product, run->result);
    TgStreamJob job = tg_disk_product_job(&product);
    job.are_there = are_there;
    job.are_there_of = sum;
    run->product_s = tg_now_s() - run->begun_s;
    fine = product.panels.count == 0 || tg_stream_multiply(&job, run->result, error);
  }
  tg_disk_product_clear(&product);
  return fine;
}

static Sum sum_new(TgDiskRun *run, const TgDiskTask *task) {
  Sum sum = {.run = run,
             .left = g_array_new(FALSE, FALSE, sizeof(int32_t)),
             .right = g_array_new(FALSE, FALSE, sizeof(int32_t))};
  find_factors(&sum, task);
  return sum;
}

static void sum_clear(Sum *sum) {
  g_array_unref(sum->left);
  g_array_unref(sum->right);
  g_free(sum->factors);
}

static bool multiply(TgDiskRun *run, const TgDiskTask *task, GError **error) {
  Sum sum = sum_new(run, task);
  const bool fine = multiply_sum(run, task, &sum, error);
  sum_clear(&sum);
  return fine;
}

/* Whether memory suffices for the first product of this rank; asked before any file is created. The other products are
 * at most a tile larger. */
bool tg_disk_run_check_memory(TgDiskRun *run, GError **error) {
  const size_t wanted = (size_t)(run->options.memory_bytes / PIECE_PART) / TG_TILED_ALIGNMENT * TG_TILED_ALIGNMENT;
  const size_t most = 1 << 20, largest = tg_disk_largest_tile(&run->inputs.all);
  bool fine = true;
  run->piece_bytes = MAX(largest, MIN(wanted, most));
  run->program_bytes = tg_disk_program_bytes() + MPI_BYTES + TG_DISK_BUFFERS * (double)run->piece_bytes;
  for (int32_t t = 0; t < (int32_t)run->program.tasks->len; t++) {
    const TgDiskTask *task = tg_disk_task(&run->program, t);
    if (task->rank != run->job->rank || task->follows || task->right == TG_DISK_NONE) continue;
    Sum sum = sum_new(run, task);
    TgDiskProduct product = {
        .options = &run->options, .factors = sum.factors, .count = sum.left->len, .program_bytes = run->program_bytes};
    fine = tg_disk_product_plan(&product, run->options.memory_bytes, error);
    tg_disk_product_clear(&product);
    sum_clear(&sum);
    break;
  }
  return fine;
}

/* For one row of tiles: target = addend + left. A missing term counts as zeros. */
static bool add_tiles(TgDiskRun *run, const TgDiskTask *task, TgTileRow rows[3], char *sum, char *term,
                      GError **error) {
  const TgStreamFile *target = file_at(run, task->target);
  const int32_t terms[] = {task->left, task->addend};
  memset(sum, 0, tg_tiles_bytes(target, &rows[0]));
  for (int i = 0; i < 2; i++) {
    const TgStreamFile *file = file_at(run, terms[i]);
    if (!file->file) continue;
    tg_tiles_next(file, run->piece_bytes, &rows[i + 1]);
    if (!tg_tiles_read(file, &rows[i + 1], term, error)) return false;
    run->result->disk_read_bytes += (double)tg_tiles_bytes(file, &rows[i + 1]);
    tg_tiles_add(file, &rows[i + 1], sum, term);
  }
  run->result->disk_written_bytes += (double)tg_tiles_bytes(target, &rows[0]);
  return tg_tiles_write(target, &rows[0], sum, error);
}

static bool add(TgDiskRun *run, const TgDiskTask *task, GError **error) {
  char *sum = tg_tiles_room((double)run->piece_bytes), *term = tg_tiles_room((double)run->piece_bytes);
  TgTileRow rows[3] = {{0}};
  bool fine = (sum && term) || TG_SIM_FAIL(error, TOO_LARGE, "no memory for tiles");
  while (fine && tg_tiles_next(file_at(run, task->target), run->piece_bytes, &rows[0]))
    fine = add_tiles(run, task, rows, sum, term, error) && (goes_on(run, 0) || TG_SIM_FAIL(error, STOPPED, "stopped"));
  tg_tiles_leave(sum);
  tg_tiles_leave(term);
  for (int i = 0; i < 3; i++) {
    const int32_t blocks[] = {task->target, task->addend, task->left};
    const double bytes = file_at(run, blocks[i])->file ? tg_tiles_all_bytes(file_at(run, blocks[i])) : 0;
    *(i == 0 ? &run->result->model_written_bytes : &run->result->model_read_bytes) += bytes;
  }
  return fine;
}

/* A product waits for its factors by itself, and begins with those that are complete. */
static bool wait_for_terms(TgDiskRun *run, const TgDiskTask *task, GError **error) {
  const bool adds = task->right == TG_DISK_NONE;
  return (task->addend == TG_DISK_NONE || tg_disk_store_wait(&run->store, task->addend, error)) &&
         (!adds || task->left == TG_DISK_NONE || tg_disk_store_wait(&run->store, task->left, error));
}

bool tg_disk_run_execute(TgDiskRun *run, const TgDiskTask *task, GError **error) {
  g_autoptr(GArray) from = g_array_new(FALSE, FALSE, sizeof(int32_t));
  if (!tg_disk_messages_wait(run->messages, task->before) || !wait_for_terms(run, task, error) ||
      !tg_disk_store_begin(&run->store, task->target, error) ||
      !(task->right == TG_DISK_NONE ? add : multiply)(run, task, error) ||
      !tg_disk_store_finish(&run->store, task->target, error))
    return false;
  tg_disk_made_from(&run->program, task->target, from);
  for (guint i = 0; i < from->len; i++) tg_disk_store_used(&run->store, g_array_index(from, int32_t, i));
  run->tasks_done++;
  return true;
}

/* Whether this rank is to execute the task. Tasks that follow another one are executed with it. */
bool tg_disk_run_has(const TgDiskRun *run, const TgDiskTask *task) {
  return task->rank == run->job->rank && !task->follows && run->todo[task->target];
}
