/* Executes a schedule with blocks on disk on the ranks of an MPI job. Each rank executes the tasks of its own
 * processors, while a second thread sends and receives blocks. */
#include "disk-run.h"

#include "blas.h"
#include "blocks-planner.h"
#include "checksum.h"
#include "matrix.h"
#include "sim-error.h"
#include "tiles.h"
#include "trials.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double agree_s = 600; /* deadline for the ranks to agree, which includes opening files */

/* --- waiting for others ------------------------------------------------------------------------------------------- */

/* Waits for all ranks, however long they compute. */
static bool wait_for_all(const TgDiskRun *run, GError **error) {
  const struct timespec pause = {0, 1000000};
  run->job->mpi->barrier();
  while (!run->job->mpi->together()) {
    if (!tg_watch_go_on(&run->options.watch, run->tasks_done)) return TG_SIM_FAIL(error, STOPPED, "stopped");
    nanosleep(&pause, NULL);
  }
  return true;
}

/* Whether `can` succeeds on all ranks. If not, all ranks have the same error. */
static bool all_can(TgDiskRun *run, bool (*can)(TgDiskRun *run, GError **error), GError **error) {
  GError *own = NULL;
  can(run, &own);
  return tg_ranks_agree(run->job, own, error, agree_s);
}

/* --- the program -------------------------------------------------------------------------------------------------- */

/* Each block needs at least one tile. */
static bool check_blocks(const TgDiskRun *run, const int64_t units[3], GError **error) {
  static const char *const extents[] = {"rows of C", "columns of C", "columns of A"};
  static const int which[TG_MATRICES][2] = {{0, 2}, {2, 1}, {0, 1}};
  for (int matrix = 0; matrix < TG_MATRICES; matrix++)
    for (int side = 0; side < 2; side++) {
      const int64_t blocks = run->schedule->schedule->blocks[matrix][side], tiles = units[which[matrix][side]];
      if (blocks > tiles)
        return TG_SIM_FAIL(error, BAD_INPUT,
                           "the schedule cuts the %s into %" PRId64 " blocks, but the boundaries of the files' tiles "
                           "allow only %" PRId64 "; use files with smaller tiles, of the same size in A and B",
                           extents[which[matrix][side]], blocks, tiles);
    }
  return true;
}

static bool make_plan(TgDiskRun *run, GError **error) {
  const TgTiling *a = &run->inputs.all.a.tiling, *b = &run->inputs.all.b.tiling;
  const TgBlocksLayout layout = {.pad = 1, .align = 1, .late_reuse = 1};
  run->unit = tg_disk_product_unit(&run->inputs.all);
  const int64_t units[] = {tg_divide_up(a->rows, run->unit.x), tg_divide_up(b->columns, run->unit.z),
                           tg_divide_up(a->columns, run->unit.y)};
  const TgExecutorOptions options = {.m = units[0],
                                     .n = units[1],
                                     .k = units[2],
                                     .element = a->type,
                                     .collective = run->schedule->collective,
                                     .transport = run->schedule->transport};
  if (!check_blocks(run, units, error)) return false;
  run->plan = tg_blocks_plan_new(run->schedule->schedule, run->schedule->names, &options, &layout, error);
  if (!run->plan) return false;
  const TgDiskProgramJob job = {.schedule = run->schedule->schedule,
                                .plan = run->plan,
                                .unit = run->unit,
                                .inputs = &run->inputs,
                                .ranks = run->job->ranks,
                                .host_of = run->schedule->transport == TG_TRANSPORT_MESSAGE ? NULL : run->job->leader};
  return tg_disk_program_make(&run->program, &job, error);
}

static bool open_inputs(TgDiskRun *run, GError **error) {
  if (!run->job->mpi->has_threads())
    return TG_SIM_FAIL(error, BAD_INPUT,
                       "this MPI library does not allow calls from a second thread (MPI_THREAD_SERIALIZED)");
  if (!tg_huge_inputs_open(&run->inputs, &run->options, error) || !tg_blas_load(error)) return false;
  const TgTiling c = tg_disk_product_tiling(&run->inputs.all);
  return tg_tiling_check(&c, error) && make_plan(run, error);
}

/* All ranks have the same limit. */
static void choose_memory(TgDiskRun *run) {
  const double part = 0.5;
  int32_t sharing = 0;
  for (int32_t r = 0; r < run->job->ranks; r++) sharing += run->job->leader[r] == run->job->leader[run->job->rank];
  double bytes = part * (double)tg_memory_available_bytes() / sharing;
  tg_ranks_reduce(run->job, &bytes, 1, 0, agree_s);
  if (run->options.memory_bytes <= 0) run->options.memory_bytes = bytes;
}

/* --- C, and the folder of blocks ---------------------------------------------------------------------------------- */

/* Identifies the product and the program. */
static uint64_t identity_of(const TgDiskRun *run) {
  const uint64_t both[] = {tg_huge_inputs_identity(&run->inputs), tg_disk_program_identity(&run->program)};
  return tg_checksum(both, sizeof both, 0);
}

/* Removes what runs for other products left in the folder. None of them is active, because this run has C. */
static void remove_others(const TgDiskRun *run) {
  g_autofree char *own = g_strdup_printf("%016" PRIx64 "-", run->store.identity);
  GDir *folder = g_dir_open(run->store.folder, 0, NULL);
  const char *name;
  while (folder && (name = g_dir_read_name(folder))) {
    g_autofree char *path = g_build_filename(run->store.folder, name, NULL);
    const bool is_block = g_str_has_suffix(name, ".tg") || g_str_has_suffix(name, ".tg.part");
    if ((is_block && !g_str_has_prefix(name, own)) || g_str_has_suffix(name, ".pulse")) unlink(path);
  }
  if (folder) g_dir_close(folder);
}

static bool open_c(TgDiskRun *run, GError **error) {
  const TgTiling c = tg_disk_product_tiling(&run->inputs.all);
  TgTiledJob job = {run->store.identity, (uint64_t)run->options.memory_bytes};
  const bool fine = run->job->rank == 0 ? tg_unfinished_open(&run->part, run->options.c, &c, &job, error)
                                        : tg_unfinished_join(&run->part, run->options.c, &job, error);
  run->planned_bytes = (double)job.memory;
  return fine;
}

static bool begin_c(TgDiskRun *run, GError **error) {
  return run->job->rank > 0 || open_c(run, error);
}

static bool join_c(TgDiskRun *run, GError **error) {
  if (run->job->rank > 0 && !open_c(run, error)) return false;
  tg_tiled_file_share(run->part.file);
  const int descriptor = tg_disk_open_tiles(run->part.path, run->options.cached, true, &run->inputs.direct, error);
  const TgStreamFile c = tg_stream_file(run->part.file, descriptor);
  tg_disk_store_use_c(&run->store, &c);
  run->store.folder = g_strconcat(run->part.target, ".blocks", NULL);
  if (descriptor < 0) return false;
  if (g_mkdir_with_parents(run->store.folder, 0777) != 0)
    return TG_IO_FAIL(error, CANNOT_WRITE, "%s: cannot create this folder: %s", run->store.folder, g_strerror(errno));
  if (run->job->rank == 0) remove_others(run);
  return true;
}

static bool begin_pulse(TgDiskRun *run, GError **error) {
  const double deadline_s = run->schedule->deadline_s > 0 ? run->schedule->deadline_s : TG_HUGE_DEADLINE_S;
  run->pulse = tg_disk_pulse_begin(run->store.folder, run->job, deadline_s, error);
  return run->pulse != NULL;
}

/* --- what is still to be done ------------------------------------------------------------------------------------- */

static void find_todo(TgDiskRun *run) {
  const int count = (int)run->program.blocks->len;
  g_autofree double *available = g_new0(double, (gsize)count + 1);
  tg_disk_store_look(&run->store, available, run->result);
  tg_ranks_reduce(run->job, available, count, 1, agree_s);
  run->todo = tg_disk_program_todo(&run->program, available);
  g_autoptr(GArray) from = g_array_new(FALSE, FALSE, sizeof(int32_t));
  for (int32_t b = 0; b < count; b++) {
    const TgDiskBlock *block = tg_disk_block(&run->program, b);
    g_array_set_size(from, 0);
    if (run->todo[b]) tg_disk_made_from(&run->program, b, from);
    for (guint i = 0; i < from->len; i++) {
      const int32_t number = g_array_index(from, int32_t, i);
      const TgDiskBlock *user = block->kind == TG_DISK_RECEIVED ? tg_disk_block(&run->program, number) : block;
      if (user->rank == run->job->rank) run->store.stored[number].uses++;
    }
  }
}

static bool make_messages(TgDiskRun *run, GError **error) {
  run->messages = tg_disk_messages_new(&run->store, run->job, run->todo, run->piece_bytes, error);
  return run->messages != NULL;
}

/* --- spans -------------------------------------------------------------------------------------------------------- */

static void take_message(void *to, TgHugeStage stage, double begin_s) {
  TgDiskRun *run = to;
  tg_disk_run_add_span(run, &(TgHugeSpan){.stage = stage,
                                          .rank = run->job->rank,
                                          .begin_s = begin_s - run->begun_s,
                                          .end_s = tg_now_s() - run->begun_s});
}

/* Passes on the spans of all ranks, on rank 0. Each rank's times count from when all were ready. */
static void tell_spans(const TgDiskRun *run) {
  for (int32_t r = 0; run->spans && r < run->job->ranks; r++) {
    double count = r == run->job->rank ? run->spans->len : 0;
    tg_ranks_reduce(run->job, &count, 1, 1, agree_s);
    g_autofree TgHugeSpan *spans = g_new0(TgHugeSpan, (gsize)count + 1);
    if (r == run->job->rank && count > 0) memcpy(spans, run->spans->data, (gsize)count * sizeof *spans);
    tg_ranks_broadcast(run->job, spans, (int64_t)count * (int64_t)sizeof *spans, r, agree_s);
    for (gsize i = 0; run->job->rank == 0 && i < (gsize)count; i++)
      run->options.spans(run->options.spans_to, &spans[i]);
  }
}

/* --- both threads ---------------------------------------------------------------------------------------------- */

static bool execute_all(TgDiskRun *run, GError **error) {
  for (int32_t t = 0; t < (int32_t)run->program.tasks->len; t++) {
    const TgDiskTask *task = tg_disk_task(&run->program, t);
    if (tg_disk_run_has(run, task) && !tg_disk_run_execute(run, task, error)) return false;
  }
  return true;
}

static void tell_tasks(const TgDiskRun *run) {
  int64_t tasks = 0;
  for (int32_t t = 0; t < (int32_t)run->program.tasks->len; t++) {
    const TgDiskTask *task = tg_disk_task(&run->program, t);
    tasks += tg_disk_run_has(run, task);
  }
  if (run->options.begins) run->options.begins(run->options.tells, tasks);
}

/* Runs both threads: tasks here, messages in the other. */
static bool work(TgDiskRun *run, GError **error) {
  GError *own = NULL;
  GThread *thread = g_thread_new("messages", tg_disk_messages_run, run->messages);
  if (!execute_all(run, &own)) tg_disk_store_stop(&run->store, own);
  g_thread_join(thread);
  tg_disk_messages_note(run->messages, run->result);
  if (run->store.problem) g_propagate_error(error, g_steal_pointer(&run->store.problem));
  return !run->store.stop;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void sum_up(TgDiskRun *run) {
  TgHugeResult *result = run->result;
  double *const sums[] = {&result->disk_read_bytes,
                          &result->disk_written_bytes,
                          &result->model_read_bytes,
                          &result->model_written_bytes,
                          &result->verified_bytes,
                          &result->sent_bytes,
                          &result->flops};
  double *const most[] = {&result->disk_s, &result->compute_s, &result->buffer_bytes, &result->peak_rss_bytes};
  int64_t *const counts[] = {&result->panels, &result->panels_resumed};
  double values[16];
  result->peak_rss_bytes = (double)tg_memory_peak_bytes();
  for (size_t i = 0; i < G_N_ELEMENTS(sums); i++) values[i] = *sums[i];
  for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) values[G_N_ELEMENTS(sums) + i] = (double)*counts[i];
  tg_ranks_reduce(run->job, values, G_N_ELEMENTS(sums) + G_N_ELEMENTS(counts), 2, agree_s);
  for (size_t i = 0; i < G_N_ELEMENTS(sums); i++) *sums[i] = values[i];
  for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) *counts[i] = (int64_t)values[G_N_ELEMENTS(sums) + i];
  for (size_t i = 0; i < G_N_ELEMENTS(most); i++) values[i] = *most[i];
  tg_ranks_reduce(run->job, values, G_N_ELEMENTS(most), 1, agree_s);
  for (size_t i = 0; i < G_N_ELEMENTS(most); i++) *most[i] = values[i];
}

/* After all ranks have written their parts. */
static bool finish_c(TgDiskRun *run, GError **error) {
  if (run->job->rank > 0) return true;
  return tg_unfinished_refresh(&run->part, error) && tg_unfinished_finish(&run->part, error);
}

static bool run_all(TgDiskRun *run, GError **error) {
  const TgHugeOptions *options = &run->options;
  choose_memory(run);
  if (!all_can(run, open_inputs, error)) return false;
  run->store = (TgDiskStore){.program = &run->program,
                             .options = options,
                             .inputs = &run->inputs,
                             .rank = run->job->rank,
                             .identity = identity_of(run),
                             .tell = run->spans ? take_message : NULL,
                             .tell_to = run};
  tg_disk_store_init(&run->store);
  if (!all_can(run, tg_disk_run_check_memory, error) || !all_can(run, begin_c, error) || !all_can(run, join_c, error))
    return false;
  if (!all_can(run, begin_pulse, error)) return false;
  tg_huge_inputs_note(&run->inputs, options, run->result);
  const double e = (double)tg_element_bytes(run->result->type);
  run->result->bound_read_bytes =
      e * tg_pipeline_bound(run->result->m, run->result->n, run->result->k, options->memory_bytes / e);
  find_todo(run);
  if (!all_can(run, make_messages, error)) return false;
  tell_tasks(run);
  const int threads = tg_blas_threads_begin(run->result->m, run->result->n, run->result->k, run->job->threads);
  if (!wait_for_all(run, error)) return false;
  run->begun_s = tg_now_s();
  const bool fine = work(run, error) && wait_for_all(run, error);
  tg_blas_threads_end(threads);
  run->result->wall_s = tg_now_s() - run->begun_s;
  run->result->direct = run->result->direct && run->store.direct;
  if (!fine) return false;
  sum_up(run);
  tell_spans(run);
  if (!all_can(run, finish_c, error)) return false;
  tg_disk_pulse_end(g_steal_pointer(&run->pulse)); /* it enforces --deadline up to this point */
  tg_disk_store_clear(&run->store, true);
  run->store.stored = NULL;
  rmdir(run->store.folder); /* succeeds only on the last rank to get here */
  return true;
}

static void run_clear(TgDiskRun *run) {
  tg_disk_pulse_end(run->pulse);
  if (run->spans) g_array_unref(run->spans);
  g_mutex_clear(&run->telling);
  tg_disk_messages_free(run->messages);
  tg_disk_store_clear(&run->store, false);
  if (run->store.c.file && run->store.c.descriptor >= 0) close(run->store.c.descriptor);
  g_free(run->store.folder);
  tg_unfinished_clear(&run->part);
  tg_disk_program_clear(&run->program);
  tg_blocks_plan_free(run->plan);
  tg_huge_inputs_clear(&run->inputs);
  g_free(run->todo);
}

bool tg_huge_multiply_by(const TgHugeOptions *options, const TgHugeSchedule *schedule, TgHugeResult *result,
                         GError **error) {
  TgDiskRun run = {
      .options = *options, .schedule = schedule, .result = result, .part.descriptor = -1, .job = tg_ranks_job(error)};
  if (!run.job) return false;
  *result = (TgHugeResult){.rank = run.job->rank, .ranks = run.job->ranks};
  g_mutex_init(&run.telling);
  if (options->spans) run.spans = g_array_new(FALSE, FALSE, sizeof(TgHugeSpan));
  const bool fine = run_all(&run, error);
  run_clear(&run);
  return fine;
}
