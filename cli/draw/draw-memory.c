/* draw --memory: what processors hold in each step. */
#include "draw-file.h"
#include "memory-limit.h"
#include "progress.h"
#include "sim.h"

#include "memory.h"

/* A schedule, what its processors hold, and the words for it. */
typedef struct TgHeldRun {
  TgAlgo algo;
  TgMemory memory;
  char *name, *words;
  TgText peak, who;
} TgHeldRun;

/* What --size says; all 0 without it. */
typedef struct TgSizes {
  int64_t m, n, k, element_bytes;
  const char *type;
} TgSizes;

static void run_clear(TgHeldRun *run) {
  tg_algo_clear(&run->algo);
  tg_memory_clear(&run->memory);
  g_free(run->name);
  g_free(run->words);
}

static TgExit sizes_option(const TgCli *cli, TgSizes *sizes) {
  bool given;
  TgElement element;
  TgExit status = tg_sizes_parse(cli, &sizes->m, &sizes->n, &sizes->k, &given);
  if (status) return status;
  if (cli->options.type && !given)
    return tg_report(cli, TG_EXIT_USAGE, "--type needs -n or --size: without them, only blocks are counted");
  if (!given) return TG_EXIT_DONE;
  status = tg_type_option(cli, &element);
  if (status) return status;
  sizes->element_bytes = tg_element_bytes(element);
  sizes->type = tg_element_name(element);
  return TG_EXIT_DONE;
}

/* Where a schedule fails, the proof says at which line. */
static TgExit report(TgCli *cli, const TgHeldRun *run, TgCollective collective, GError *error) {
  const TgAlgo *algo = &run->algo;
  TgProof proof;
  int64_t m, n, k;
  tg_proof_sizes(&algo->schedule, &m, &n, &k);
  if (tg_prove(&algo->schedule, &algo->names, collective, m, n, k, &proof)) return tg_report_error(cli, error);
  g_error_free(error);
  return tg_algo_report_failure(cli, algo, &proof.failure);
}

static const TgMemoryLevel *peak_of(const TgMemory *memory, TgMemoryUnit unit) {
  return &memory->step[memory->peak_step[unit]].level[unit];
}

/* In bytes the picture has the bytes, and the words below its name the blocks. */
static void find_words(TgHeldRun *run, const TgSizes *sizes) {
  const TgMemory *memory = &run->memory;
  const TgMemoryUnit unit = sizes->element_bytes ? TG_MEMORY_WORDS : TG_MEMORY_BLOCKS;
  const int64_t blocks = peak_of(memory, TG_MEMORY_BLOCKS)->largest;
  g_snprintf(run->peak.s, sizeof run->peak.s, "%" PRId64 " block%s", blocks, blocks == 1 ? "" : "s");
  run->who = tg_schedule_processor_text(&run->algo.schedule, peak_of(memory, unit)->processor);
  run->name =
      g_strdup_printf("%s on %s", tg_algo_display_name(&run->algo), tg_schedule_grid_text(&run->algo.schedule).s);
  if (unit == TG_MEMORY_BLOCKS) {
    run->words = g_strdup_printf("%" PRId64 " processors", memory->processors);
    return;
  }
  run->words = g_strdup_printf(
      "%" PRId64 " processors, at most %s at once on one; one copy of A, B and C takes %s of each", memory->processors,
      run->peak.s, tg_bytes_text(memory->once_words * (double)sizes->element_bytes).s);
  run->peak = tg_bytes_text((double)peak_of(memory, unit)->largest * (double)sizes->element_bytes);
}

static TgExit open_run(TgCli *cli, TgHeldRun *run, const char *name, bool several, const TgSizes *sizes) {
  TgCollective collective = TG_COLLECTIVE_WHOLE;
  TgShape shape;
  TgProgressLine line;
  GError *error = NULL;
  TgExit status = tg_sim_bind(cli, &run->algo, name, several);
  if (!status) status = tg_collective_option(cli, &collective);
  if (!status) status = tg_memory_check_proof(cli, &run->algo, 0);
  if (status) return status;
  if (sizes->m && !tg_shape_init(&shape, &run->algo.schedule.computes, sizes->m, sizes->n, sizes->k, &error))
    return tg_report_error(cli, error);
  tg_progress_begin(&line, cli, "draw", tg_walk_count_statements(&run->algo.schedule, &run->algo.names));
  const bool fine = tg_memory_measure(&run->memory, &run->algo.schedule, &run->algo.names, collective, sizes->m,
                                      sizes->n, sizes->k, &line.watch, &error);
  tg_progress_end(cli);
  if (!fine) return report(cli, run, collective, error);
  find_words(run, sizes);
  return TG_EXIT_DONE;
}

static char *note_of(const TgSizes *sizes) {
  if (!sizes->element_bytes) return g_strdup("blocks at once on a processor, after any statement of the step");
  return g_strdup_printf("C %" PRId64 "×%" PRId64 ", inner dimension %" PRId64
                         ", %s; bytes at once on a processor, after any statement of the step",
                         sizes->m, sizes->n, sizes->k, sizes->type);
}

static TgExit draw(TgCli *cli, const TgHeldRun *runs, int count, const TgSizes *sizes, const char *format) {
  g_autofree TgMemoryRun *charts = g_new(TgMemoryRun, count);
  g_autofree const char **names = g_new(const char *, count);
  GError *error = NULL;
  for (int r = 0; r < count; r++) {
    names[r] = runs[r].name;
    charts[r] = (TgMemoryRun){.name = runs[r].name,
                              .peak = runs[r].peak.s,
                              .who = runs[r].who.s,
                              .words = runs[r].words,
                              .memory = &runs[r].memory};
  }
  g_autofree char *title = tg_draw_chart_title("memory of processors, step by step", names, count);
  g_autofree char *note = note_of(sizes);
  const TgMemoryChart chart = {.title = title,
                               .note = note,
                               .run = charts,
                               .runs = count,
                               .element_bytes = sizes->element_bytes,
                               .memory_limit_bytes = tg_memory_limit(cli)};
  g_autoptr(GBytes) file = tg_draw_memory(&chart, format, &error);
  return tg_draw_chart_write(cli, file, error);
}

TgExit tg_draw_memory_chart(TgCli *cli, const char *format) {
  const int count = (int)g_strv_length(cli->options.arguments);
  g_autofree TgHeldRun *runs = g_new0(TgHeldRun, count);
  TgSizes sizes = {0};
  TgExit status = sizes_option(cli, &sizes);
  for (int r = 0; r < count && !status; r++)
    status = open_run(cli, &runs[r], cli->options.arguments[r], count > 1, &sizes);
  if (!status) status = draw(cli, runs, count, &sizes, format);
  for (int r = 0; r < count; r++) run_clear(&runs[r]);
  return status;
}
