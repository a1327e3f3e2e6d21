/* topogemm draw: schedules as pictures. */
#include "algo.h"
#include "cli.h"
#include "draw-file.h"
#include "interrupt.h"
#include "machine-option.h"
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"
#include "sim.h"

#include "page.h"
#include "prove.h"
#include "walk.h"

#include <string.h>

enum { SCHEDULES = 4 };

/* --- the page: which schedules stand on it, with their settings --------------------------------------------------- */

typedef struct TgOnPage {
  TgAlgo algo;
  const char *network_text; /* that is named, or the machine's own; NULL: the grid's */
  TgTopology network;
  TgEmbedding embedding;
  TgDrawOptions options;
  TgText grid;
  GPtrArray *set; /* those of --set that it takes */
} TgOnPage;

static void on_page_clear(TgOnPage *one) {
  tg_algo_clear(&one->algo);
  g_clear_pointer(&one->set, g_ptr_array_unref);
}

static TgExit open_network(const TgCli *cli, TgOnPage *one, const TgMachine *machine) {
  one->network_text = cli->options.network;
  if (!one->network_text)
    one->network_text = tg_machine_own_network(machine, tg_schedule_processors(&one->algo.schedule));
  return tg_network_option(cli, one->network_text, &one->algo.schedule, &one->network, &one->embedding);
}

static TgExit open_one(const TgCli *cli, TgOnPage *one, const char *name, const TgMachine *machine, bool several) {
  TgExit status = tg_sim_bind(cli, &one->algo, name, several);
  if (!status) status = open_network(cli, one, machine);
  if (!status) status = tg_collective_option(cli, &one->options.collective);
  if (!status) status = tg_draw_heat_option(cli, &one->options.heat);
  if (status) return status;
  one->options.topology = &one->network;
  one->options.embedding = &one->embedding;
  status = tg_memory_check(cli, "a page on this network", tg_draw_need_bytes(&one->algo.schedule, &one->options));
  if (status) return status;
  one->grid = tg_schedule_grid_text(&one->algo.schedule);
  one->set = g_ptr_array_new();
  for (char **text = cli->options.set; text && *text; text++)
    if (tg_sim_takes(&one->algo, *text)) g_ptr_array_add(one->set, *text);
  g_ptr_array_add(one->set, NULL);
  return TG_EXIT_DONE;
}

static TgExit page_options(const TgCli *cli, TgPageOptions *options, TgMachine *machine, char **text) {
  bool given;
  TgElement element;
  TgExit status = tg_machine_option(cli, machine, text);
  options->m = options->n = options->k = 4096;
  if (!status) status = tg_sizes_parse(cli, &options->m, &options->n, &options->k, &given);
  if (!status) status = tg_type_option(cli, &element);
  if (!status) options->element_bytes = (int32_t)tg_element_bytes(element);
  options->machine = *text;
  return status;
}

/* One of the steps of the longest. */
static TgExit step_option(const TgCli *cli, const TgOnPage *on, int count, int64_t *step) {
  int64_t last = 0;
  if (!cli->options.step) return TG_EXIT_DONE;
  for (int i = 0; i < count; i++) {
    TgError error = {0};
    const int64_t steps = tg_walk_count_steps(&on[i].algo.schedule, &on[i].algo.names, &error);
    if (steps < 0) return tg_algo_report(cli, &on[i].algo, &error);
    last = MAX(last, steps);
  }
  return tg_number_parse(cli, "--step", cli->options.step, 0, last, step);
}

static TgExit write_page(TgCli *cli, TgOnPage *on, int count, const TgPageOptions *options) {
  TgPageSchedule schedules[SCHEDULES];
  GError *error = NULL;
  for (int i = 0; i < count; i++)
    schedules[i] = (TgPageSchedule){.schedule = &on[i].algo.schedule,
                                    .names = &on[i].algo.names,
                                    .options = &on[i].options,
                                    .text = on[i].algo.source.text,
                                    .length = on[i].algo.source.length,
                                    .grid = on[i].grid.s,
                                    .network = on[i].network_text,
                                    .embedding = cli->options.embed,
                                    .heat = cli->options.heat,
                                    .set = (const char *const *)on[i].set->pdata};
  g_autoptr(GBytes) file = tg_page_html(schedules, count, options, &error);
  if (!file || !tg_draw_file_write(cli->options.output, file, &error)) return tg_report_error(cli, error);
  if (!cli->options.quiet) tg_print_line(cli, "%s", cli->options.output);
  return TG_EXIT_DONE;
}

/* Writes the page of the command's ALGO, and of those of --beside. */
static TgExit draw_page(TgCli *cli) {
  TgOnPage on[SCHEDULES] = {0};
  TgPageOptions options = {0};
  TgMachine machine;
  g_autofree char *text = NULL;
  g_auto(GStrv) beside = g_strsplit(cli->options.beside ? cli->options.beside : "", ",", -1);
  const int count = 1 + (int)g_strv_length(beside);
  const char *lacks = tg_page_lacks();
  if (lacks) return tg_report(cli, TG_EXIT_MISSING, "-o %s: this build has no page: %s", cli->options.output, lacks);
  if (cli->options.beside && !*cli->options.beside)
    return tg_report(cli, TG_EXIT_USAGE, "--beside: expected the names of schedules");
  if (count > SCHEDULES)
    return tg_report(cli, TG_EXIT_USAGE, "--beside %s: one page can show at most %d schedules", cli->options.beside,
                     SCHEDULES);
  TgExit status = page_options(cli, &options, &machine, &text);
  for (int i = 0; i < count && !status; i++)
    status = open_one(cli, &on[i], i ? beside[i - 1] : cli->options.arguments[0], &machine, count > 1);
  if (!status) status = step_option(cli, on, count, &options.step);
  if (!status) status = write_page(cli, on, count, &options);
  for (int i = 0; i < count; i++) on_page_clear(&on[i]);
  return status;
}

/* --- pictures of steps -------------------------------------------------------------------------------------------- */

typedef struct TgDrawing {
  TgAlgo algo;
  TgTopology network;
  TgEmbedding embedding;
  TgDrawOptions options;
  const char *path;   /**< may have a %d, which stands for the step's number */
  const char *format; /**< the suffix of it */
  int64_t steps;
  TgError failure;   /* of a step that was drawn */
  bool plain_digits; /* some picture has A01 for A₀₁ */
} TgDrawing;

static TgExit check_options(const TgCli *cli, TgDrawing *drawing) {
  const TgOptions *options = &cli->options;
  if (!options->output) return tg_report(cli, TG_EXIT_USAGE, "draw: expected -o FILE, as in -o step.svg");
  drawing->path = options->output;
  g_autofree char *formats = g_strdup_printf("%s, gif, html", tg_draw_formats());
  TgExit status = tg_draw_file_format(cli, formats, &drawing->format);
  if (!status && strcmp(drawing->format, "gif") == 0 && (options->step || strstr(options->output, "%d")))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: a GIF has all steps in one file; for single steps, draw %s",
                     options->output, tg_draw_formats());
  return status ? status : tg_draw_heat_option(cli, &drawing->options.heat);
}

static TgExit open_drawing(const TgCli *cli, TgDrawing *drawing) {
  TgAlgo *algo = &drawing->algo;
  TgError error = {0};
  TgExit status = check_options(cli, drawing);
  if (!status) status = tg_algo_open(cli, algo);
  if (!status)
    status = tg_network_option(cli, cli->options.network, &algo->schedule, &drawing->network, &drawing->embedding);
  if (!status) status = tg_collective_option(cli, &drawing->options.collective);
  if (status) return status;
  drawing->options.topology = &drawing->network;
  drawing->options.embedding = &drawing->embedding;
  drawing->options.to_the_error = true;
  drawing->options.failure = &drawing->failure;
  drawing->options.plain_digits = &drawing->plain_digits;
  const double frames = tg_draw_need_bytes(&algo->schedule, &drawing->options);
  if ((status = tg_memory_check_proof(cli, algo, frames))) return status;
  drawing->options.memory_limit_bytes = tg_memory_limit_beside(cli, algo, frames);
  drawing->steps = tg_walk_count_steps(&algo->schedule, &algo->names, &error);
  return drawing->steps < 0 ? tg_algo_report(cli, algo, &error) : TG_EXIT_DONE;
}

/* What went wrong: the schedule, at its line, or the drawing. Where not even the blocks could be placed, the proof says
 * why. */
static TgExit report(const TgCli *cli, TgDrawing *drawing, GError *error) {
  const TgAlgo *algo = &drawing->algo;
  TgError *failure = &drawing->failure;
  if (tg_interrupted()) {
    g_clear_error(&error);
    return TG_EXIT_FAILED;
  }
  if (error && !g_error_matches(error, TG_DRAW_ERROR, TG_DRAW_ERROR_SCHEDULE)) return tg_report_error(cli, error);
  if (error && failure->cause == TG_CAUSE_NONE) {
    TgProof proof;
    int64_t m, n, k;
    tg_proof_sizes(&algo->schedule, &m, &n, &k);
    tg_prove(&algo->schedule, &algo->names, drawing->options.collective, m, n, k, &proof);
    *failure = proof.failure;
  }
  g_autofree char *message = g_strconcat(failure->message, error ? "; nothing after it can be drawn" : "", NULL);
  g_clear_error(&error);
  if (failure->cause == TG_CAUSE_NONE) return TG_EXIT_DONE;
  if (failure->cause == TG_CAUSE_MEMORY) return tg_report(cli, TG_EXIT_USAGE, "%s: %s", algo->source.name, message);
  return tg_report_at(cli, TG_EXIT_WRONG, &algo->source, failure->line, failure->column, message);
}

static bool write_file(TgCli *cli, const char *path, GBytes *file, GError **error) {
  if (!tg_draw_file_write(path, file, error)) return false;
  if (!cli->options.quiet) tg_print_line(cli, "%s", path);
  return true;
}

static int digits_of(const TgDrawing *drawing) {
  return g_snprintf(NULL, 0, "%" PRId64, drawing->steps);
}

/* The path of one step: %d becomes its number, with as many digits as the last one, so that names sort. */
static char *path_of(const TgDrawing *drawing, int64_t step) {
  const char *mark = strstr(drawing->path, "%d");
  if (!mark) return g_strdup(drawing->path);
  return g_strdup_printf("%.*s%0*" PRId64 "%s", (int)(mark - drawing->path), drawing->path, digits_of(drawing), step,
                         mark + 2);
}

/* The step from `first` to `last` whose path has this name where the %d is, else -1. */
static int64_t step_of(const TgDrawing *drawing, const char *before, const char *after, const char *name, int64_t first,
                       int64_t last) {
  const gsize digits = (gsize)digits_of(drawing);
  guint64 step;
  if (strlen(name) != strlen(before) + digits + strlen(after)) return -1;
  if (!g_str_has_prefix(name, before) || !g_str_has_suffix(name, after)) return -1;
  g_autofree char *number = g_strndup(name + strlen(before), digits);
  return g_ascii_string_to_unsigned(number, 10, (guint64)first, (guint64)last, &step, NULL) ? (int64_t)step : -1;
}

/* Whether the paths of these steps are distinct, and no inputs. Of any number of them only those that are there now can
 * fail, so the folder is asked rather than every step. */
static TgExit check_paths(const TgCli *cli, const TgDrawing *drawing, int64_t first, int64_t last) {
  const char *mark = strstr(drawing->path, "%d");
  if (!mark) return TG_EXIT_DONE;
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *start = g_strndup(drawing->path, (gsize)(mark - drawing->path));
  g_autofree char *folder = g_path_get_dirname(start), *after = g_strndup(mark + 2, strcspn(mark + 2, "/"));
  const char *slash = strrchr(start, '/');
  g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
  for (const char *name; files && (name = g_dir_read_name(files));) {
    const int64_t step = step_of(drawing, slash ? slash + 1 : start, after, name, first, last);
    if (step >= 0) g_ptr_array_add(paths, path_of(drawing, step));
  }
  g_ptr_array_add(paths, NULL);
  return tg_output_files_distinct(cli, (const char *const *)paths->pdata);
}

static TgExit draw_one(TgCli *cli, TgDrawing *drawing) {
  int64_t step = MIN(1, drawing->steps);
  GError *error = NULL;
  TgExit status = tg_number_parse(cli, "--step", cli->options.step, 0, drawing->steps, &step);
  if (!status) status = check_paths(cli, drawing, step, step);
  if (status) return status;
  const TgAlgo *algo = &drawing->algo;
  const double statements = (double)tg_walk_count_statements(&algo->schedule, &algo->names);
  TgProgressLine line;
  tg_progress_begin(&line, cli, "draw", (int64_t)(statements * (1 + (double)step / (double)MAX(drawing->steps, 1))));
  drawing->options.watch = &line.watch;
  g_autoptr(GBytes) file =
      tg_draw_step(&algo->schedule, &algo->names, &drawing->options, step, drawing->format, &error);
  drawing->options.watch = NULL;
  tg_progress_end(cli);
  g_autofree char *path = path_of(drawing, step);
  if (file) write_file(cli, path, file, &error);
  return report(cli, drawing, error);
}

typedef struct TgSeries {
  TgCli *cli;
  const TgDrawing *drawing;
  TgProgressLine line;
} TgSeries;

static gboolean take_frame(int64_t step, int64_t steps, GBytes *file, gpointer user, GError **error) {
  TgSeries *series = user;
  g_autofree char *path = path_of(series->drawing, step);
  (void)steps;
  return write_file(series->cli, path, file, error);
}

static TgExit draw_series(TgCli *cli, TgDrawing *drawing) {
  TgSeries series = {.cli = cli, .drawing = drawing};
  GError *error = NULL;
  const TgExit status = check_paths(cli, drawing, 0, drawing->steps);
  if (status) return status;
  tg_progress_begin(&series.line, cli, "draw", drawing->steps + 1);
  const TgWatch watch = tg_progress_watch(&series.line);
  drawing->options.watch = &watch;
  tg_draw_all(&drawing->algo.schedule, &drawing->algo.names, &drawing->options, drawing->format, take_frame, &series,
              &error);
  drawing->options.watch = NULL;
  tg_progress_end(cli);
  return report(cli, drawing, error);
}

static TgExit draw_moving(TgCli *cli, TgDrawing *drawing) {
  GError *error = NULL;
  g_auto(GStrv) formats = g_strsplit(tg_draw_animation_formats(), ", ", -1);
  if (!g_strv_contains((const char *const *)formats, drawing->format))
    return tg_report(cli, TG_EXIT_USAGE,
                     "-o %s: one file for all steps is an animation, %s; for one file per step, put %%d in the name, "
                     "as in -o step-%%d.%s",
                     drawing->path, tg_draw_animation_formats(), drawing->format);
  TgProgressLine line;
  tg_progress_begin(&line, cli, "draw", drawing->steps + 1);
  const TgWatch watch = tg_progress_watch(&line);
  drawing->options.watch = &watch;
  g_autoptr(GBytes) file =
      tg_draw_animation(&drawing->algo.schedule, &drawing->algo.names, &drawing->options, drawing->format, &error);
  if (file && !tg_interrupted()) write_file(cli, drawing->path, file, &error);
  drawing->options.watch = NULL;
  tg_progress_end(cli);
  return report(cli, drawing, error);
}

static TgExit run(TgCli *cli) {
  TgDrawing drawing = {0};
  TgExit status = tg_draw_check_options(cli);
  if (status) return status;
  if (cli->options.spacetime || cli->options.memory) return tg_draw_chart(cli);
  if (cli->options.output && g_str_has_suffix(cli->options.output, ".html")) return draw_page(cli);
  status = open_drawing(cli, &drawing);
  bool gif = !status && strcmp(drawing.format, "gif") == 0 && !cli->options.step;
  if (!status && cli->options.all && strstr(drawing.path, "%d"))
    status = draw_series(cli, &drawing);
  else if (!status && (cli->options.all || gif))
    status = draw_moving(cli, &drawing);
  else if (!status)
    status = draw_one(cli, &drawing);
  if (drawing.plain_digits)
    tg_report_note(cli, "no installed font has the digits ₀ to ₉, so A₀₁ is written A01: install the package "
                        "fonts-dejavu-core, or draw an .svg");
  tg_algo_clear(&drawing.algo);
  return status;
}

static const char *const options[] = {
    "grid",         "set",        "step",    "all:draw", "spacetime", "memory", "network",
    "embed",        "collective", "heat",    "beside",   "n",         "size",   "type:calibrate",
    "machine:draw", "model",      "overlap", "buffers",  "straggler", "output", "quiet",
    "memory-limit", NULL};
static const TgExample examples[] = {
    {"draw cannon --grid 4x4 --step 2 -o cannon.svg", "one step"},
    {"draw cannon --grid 4x4 --all -o cannon.svg", "all steps, as an animation (.svg or .gif)"},
    {"draw cannon --grid 4x4 --network hypercube:4 --embed gray -o cube.svg", "the grid mapped onto a hypercube"},
    {"draw dns summa --grid 4x4x4,4x4 --spacetime -n 4096 -o time.svg",
     "processors against predicted time, two schedules on one axis"},
    {"draw cannon25d summa --grid 4x4x2,4x4 --memory -n 4096 -o memory.svg", "what processors hold, step by step"},
    {"draw summa --beside cannon,dns --grid 4x4,4x4x4 -o beside.html", "a page with three schedules side by side"},
    {NULL, NULL},
};

const TgCommand tg_command_draw = {
    .name = "draw",
    .arguments = "ALGO…",
    .summary = "draw the steps of a schedule, or a whole run against time or memory",
    .details = "Draws one step as .dot, .svg, .png, .pdf or .tex (TikZ), or all steps in one animated .svg or .gif, or "
               "in one .tex, one for each overlay of a beamer frame. An .html file "
               "is a self-contained page that steps through the schedule; while you edit the text, it proves the "
               "schedule and predicts its time. Without --step or --all, draws step 1 (a .gif or a page always has all "
               "steps). No matrix size is needed.\n"
               "--spacetime draws what each processor does when, as `topogemm sim` predicts it, with the critical "
               "path; it needs -n or --size. --memory draws how many blocks each processor holds in each step, with "
               "the peak; with -n or --size it counts bytes and adds the minimum, one copy of A, B and C.\n"
               "Both can draw several ALGOs on one axis. Each uses the first grid of --grid 4x4,4x4x4 with as many "
               "extents as the schedule has coordinates. docs/guide/draw.md explains how to read the pictures.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 8,
    .run = run,
};
