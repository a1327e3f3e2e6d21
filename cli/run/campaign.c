/* topogemm compare --campaign: reads a list of cases, predicts all, writes the predictions, and then runs one case
 * after another. What has been run before is taken from the file of -o. */
#include "campaign.h"
#include "compare-command.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"
#include "sim.h"

#include "input-bytes.h"

#include <math.h>
#include <string.h>

enum { LIMIT_BYTES = 16 << 20, MOST_CASES = 10000 };

/** A line of the list. */
typedef struct Line {
  int number; /* in the file, from 1 */
  TgOptions own;
} Line;

static void free_line(gpointer data) {
  Line *line = data;
  tg_options_clear(&line->own);
  g_free(line);
}

static void free_case(gpointer data) {
  TgCampaignCase *one = data;
  g_free(one->algorithm);
  g_free(one->grid);
  g_free(one->parameters);
  g_free(one->collective);
  g_free(one->failure);
  g_free(one);
}

static void clear_campaign(TgCampaign *campaign) {
  g_clear_pointer(&campaign->lines, g_ptr_array_unref);
  g_clear_pointer(&campaign->cases, g_ptr_array_unref);
  tg_environment_clear(&campaign->environment);
  tg_campaign_unlock(campaign);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgCampaign, clear_campaign)

/* --- the list: a line has words of `compare` ---------------------------------------------------------------------- */

static const char *const accepted[] = {"grid", "set", "n", "size", "collective", NULL};

static TgExit refuse_line(const TgCli *cli, int number, const char *message) {
  return tg_report(cli, TG_EXIT_USAGE, "%s:%d: %s", cli->options.campaign, number, message);
}

static TgExit read_line(const TgCli *cli, const TgCampaign *campaign, const char *text, int number) {
  g_autoptr(GError) error = NULL;
  g_auto(GStrv) words = NULL;
  g_autofree char *command = g_strconcat("compare ", text, NULL);
  if (!g_shell_parse_argv(command, NULL, &words, &error)) return refuse_line(cli, number, error->message);
  if (!words[1] || words[1][0] == '#') return TG_EXIT_DONE;
  Line *line = g_new0(Line, 1);
  line->number = number;
  g_ptr_array_add(campaign->lines, line);
  g_autofree char **given = g_memdup2(words, (g_strv_length(words) + 1) * sizeof *words); /* options are taken out */
  if (!tg_options_parse(&line->own, accepted, (int)g_strv_length(words), given, &error))
    return refuse_line(cli, number, error->message);
  if (line->own.help || line->own.color || !line->own.arguments)
    return refuse_line(cli, number, "expected ALGO… and no options but --grid, --set, -n, --size and --collective");
  if (!line->own.set) line->own.set = g_strdupv(cli->options.set);
  return TG_EXIT_DONE;
}

static TgExit read_list(const TgCli *cli, const TgCampaign *campaign) {
  GError *error = NULL;
  g_autoptr(GBytes) bytes = tg_input_bytes_read(cli->options.campaign, LIMIT_BYTES, &error);
  TgExit status = bytes ? TG_EXIT_DONE : tg_report_error(cli, error);
  if (status) return status;
  static const char mark[] = "\xEF\xBB\xBF"; /* U+FEFF, which some editors begin a text with */
  gsize length;
  const char *data = g_bytes_get_data(bytes, &length);
  g_autofree char *text = g_strndup(data ? data : "", length);
  if (strlen(text) != length)
    return tg_report(cli, TG_EXIT_USAGE, "%s: it is no text: it has a zero byte", cli->options.campaign);
  g_auto(GStrv) lines = g_strsplit(g_str_has_prefix(text, mark) ? text + strlen(mark) : text, "\n", -1);
  for (int l = 0; lines[l] && !status; l++) status = read_line(cli, campaign, g_strchomp(lines[l]), l + 1);
  if (!status && campaign->lines->len == 0)
    status = tg_report(cli, TG_EXIT_USAGE, "%s: no cases in it; write lines such as `cannon summa --grid 4x4 -n 500`",
                       cli->options.campaign);
  return status;
}

/* The schedules that the list names are inputs, too. */
static TgExit check_distinct(const TgCli *cli, const TgCampaign *campaign) {
  TgCli all = *cli;
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint l = 0; l < campaign->lines->len; l++)
    for (char **name = ((const Line *)campaign->lines->pdata[l])->own.arguments; *name; name++)
      g_ptr_array_add(names, *name);
  g_ptr_array_add(names, NULL);
  all.options.arguments = (char **)names->pdata;
  return tg_output_files_distinct(&all, NULL);
}

/* The command line as if it were that of this line alone. */
static TgCli cli_of(const TgCli *cli, const Line *line) {
  TgCli one = *cli;
  const TgOptions *own = &line->own;
  one.options.arguments = own->arguments;
  one.options.quiet = true; /* what takes long is the campaign */
  if (own->grid) one.options.grid = own->grid;
  if (own->set) one.options.set = own->set;
  if (own->collective) one.options.collective = own->collective;
  if (!own->n && !own->size) return one;
  one.options.n = own->n;
  one.options.size = own->size;
  return one;
}

/* --- predicting --------------------------------------------------------------------------------------------------- */

/* Kept in a row of its own line. */
static void fail(TgCampaignCase *one, TgExit status, const char *reason) {
  one->status = status;
  one->time = (TgMeasurement){.min_s = NAN, .median_s = NAN, .stddev_s = NAN};
  g_free(one->failure);
  one->failure = g_strdup(reason);
  g_strdelimit(one->failure, "\r\n", ' ');
  one->done = true;
}

static void take_prediction(const TgCampaign *campaign, TgCampaignCase *one, const TgRunEntry *entry,
                            const TgExpectedRun *expected) {
  const double part = tg_machine_error(campaign->machine);
  g_autoptr(TgFormula) formula = tg_algo_formula(&entry->algo);
  g_auto(TgEstimate) estimate = {0};
  tg_compare_estimate(campaign->machine, entry, campaign->element, expected, formula, &estimate);
  tg_estimate_closed_form(&estimate);
  one->doubts = tg_compare_doubts(campaign->machine, campaign->kind, entry, &expected->shape);
  one->at_once = entry->run.facts.at_once;
  one->predicted_s = expected->time_s;
  if (one->at_once == 0 || one->at_once >= one->processors) /* closed forms know of no turns */
    one->closed_form_s = (double)expected->passes * estimate.closed_form_s + expected->overhead_s;
  if (!tg_machine_is_measured(campaign->machine)) return;
  one->least_s = expected->time_s * (1 - part);
  one->most_s = expected->time_s * (1 + part);
}

static TgCampaignCase *new_case(const TgCampaign *campaign, const TgRunCommand *run, guint line, guint entry) {
  const TgAlgo *algo = &tg_run_entry(run, entry)->algo;
  const TgOptions *own = &((const Line *)campaign->lines->pdata[line])->own;
  const char *name = own->arguments[entry]; /* there is one transport */
  TgCampaignCase *one = g_new(TgCampaignCase, 1);
  *one = (TgCampaignCase){.line = line,
                          .entry = entry,
                          .algorithm = g_strdup(tg_algo_is_path(name) ? name : tg_algo_name(algo)),
                          .computes = tg_computes_text(&algo->schedule.computes),
                          .grid = g_strdup(tg_schedule_grid_text(&algo->schedule).s),
                          .parameters = own->set ? g_strjoinv(" ", own->set) : g_strdup(""),
                          .collective = g_strdup(tg_collective_name(run->options.collective)),
                          .shape = run->input.shape,
                          .processors = tg_schedule_processors(&algo->schedule),
                          .predicted_s = NAN,
                          .closed_form_s = NAN,
                          .least_s = NAN,
                          .most_s = NAN,
                          .time = {.min_s = NAN, .median_s = NAN, .stddev_s = NAN},
                          .drift = NAN};
  g_ptr_array_add(campaign->cases, one);
  return one;
}

static void predict_case(TgCli *cli, const TgCampaign *campaign, TgRunCommand *run, guint line, guint entry) {
  g_autoptr(GError) error = NULL;
  TgRunEntry *of = run->results->pdata[entry];
  TgCampaignCase *one = new_case(campaign, run, line, entry);
  g_auto(TgExpectedRun) expected = {0};
  if (tg_run_predict(cli, run, of, campaign->machine, &expected, &error))
    take_prediction(campaign, one, of, &expected);
  else
    fail(one, tg_error_status(error), error->message);
}

/* An error in a line ends the campaign before anything runs. */
static TgExit open_line(TgCli *cli, const TgCampaign *campaign, guint line, TgRunCommand *run) {
  const Line *at = campaign->lines->pdata[line];
  g_autofree char *where = g_strdup_printf("%s:%d", cli->options.campaign, at->number);
  cli->where = where;
  TgExit status = tg_run_begin(cli, "compare", run);
  if (!status) status = tg_run_open(cli, run);
  cli->where = NULL;
  return status;
}

static TgExit predict_line(TgCli *cli, TgCampaign *campaign, guint line) {
  g_auto(TgRunCommand) run = {0};
  TgCli one = cli_of(cli, campaign->lines->pdata[line]);
  const TgExit status = open_line(&one, campaign, line, &run);
  for (guint e = 0; !status && e < run.results->len; e++) predict_case(&one, campaign, &run, line, e);
  if (status || campaign->environment.processor) return status;
  campaign->environment = run.environment;
  run.environment = (TgEnvironment){0};
  tg_compare_warn_of_device(cli, campaign->machine, &campaign->environment);
  return TG_EXIT_DONE;
}

static TgExit predict_all(TgCli *cli, TgCampaign *campaign) {
  TgProgressLine progress;
  TgExit status = TG_EXIT_DONE;
  tg_progress_begin(&progress, cli, "predict", campaign->lines->len);
  for (guint l = 0; l < campaign->lines->len && !status; l++) {
    status = predict_line(cli, campaign, l);
    if (!status && campaign->cases->len > MOST_CASES)
      status = tg_report(cli, TG_EXIT_USAGE, "%s: it has more than %d cases", cli->options.campaign, MOST_CASES);
    tg_progress_at(&progress, l + 1);
  }
  tg_progress_end(cli);
  return status;
}

/* --- running ------------------------------------------------------------------------------------------------------ */

/* Only the first rank of a job reads the file of -o. */
static bool first_says(const TgCampaign *campaign, bool says) {
  return (campaign->kind->agree ? campaign->kind->agree(NULL, says) : says) > 0;
}

static bool is_wanted(const TgCampaignCase *one, bool again) {
  return again ? tg_campaign_is_disturbed(one) : !one->done;
}

/* The one further from 1. */
static double further(double one, double other) {
  return isnan(one) || fabs(log(other)) > fabs(log(one)) ? other : one;
}

/* A repeated case keeps the time beside which the machine was more like the calibrated one. */
static void run_case(TgCli *cli, const TgCampaign *campaign, TgRunCommand *run, TgCampaignCase *one) {
  g_autoptr(GError) error = NULL;
  g_auto(TgComparison) comparison = {0};
  TgRunEntry *entry = run->results->pdata[one->entry];
  if (!tg_run_try(cli, run, entry, campaign->machine, &comparison, &error)) {
    fail(one, tg_error_status(error), error->message);
    return;
  }
  const double drift = further(comparison.drift_before, comparison.drift_after);
  if (!one->done || isnan(drift) || further(drift, one->drift) == one->drift) {
    one->time = entry->run.time;
    one->drift = drift;
  }
  one->done = true;
  if (!entry->run.check.ok) fail(one, TG_EXIT_WRONG, entry->run.check.text);
}

static TgExit run_line(TgCli *cli, TgCampaign *campaign, guint line, bool again, TgProgressLine *progress) {
  g_auto(TgRunCommand) run = {0};
  TgCli own = cli_of(cli, campaign->lines->pdata[line]);
  TgExit status = TG_EXIT_DONE;
  for (guint c = 0; c < campaign->cases->len && !status; c++) {
    TgCampaignCase *one = tg_campaign_case(campaign, c);
    if (one->line != line || !first_says(campaign, is_wanted(one, again))) continue;
    if (!run.results) status = open_line(&own, campaign, line, &run);
    if (status) break;
    run_case(&own, campaign, &run, one);
    status = tg_campaign_save(cli, campaign);
    tg_progress_at(progress, c + 1);
  }
  return status;
}

static TgExit run_all(TgCli *cli, TgCampaign *campaign, bool again) {
  TgProgressLine progress;
  TgExit status = TG_EXIT_DONE;
  tg_progress_begin(&progress, cli, again ? "rerun disturbed cases" : "campaign", campaign->cases->len);
  for (guint l = 0; l < campaign->lines->len && !status; l++) status = run_line(cli, campaign, l, again, &progress);
  tg_progress_end(cli);
  return status;
}

/* A disturbance is temporary; if most cases look disturbed, the calibration is out of date. */
static TgExit run_disturbed(TgCli *cli, TgCampaign *campaign) {
  enum { MOST_TIMES = 3 };
  TgExit status = TG_EXIT_DONE;
  for (int time = 0; time < MOST_TIMES && !status; time++) {
    const TgCampaignSummary summary = tg_campaign_summary(campaign, true);
    if (!first_says(campaign, summary.disturbed > 0 && !tg_campaign_is_outdated(&summary))) break;
    status = run_all(cli, campaign, true);
  }
  return status;
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static TgExit say(TgCli *cli, const TgCampaign *campaign) {
  if (cli->options.plot && cli->options.dry_run && tg_campaign_summary(campaign, true).completed == 0)
    return tg_report(cli, TG_EXIT_USAGE, "--plot: nothing has been measured yet, and --dry-run measures nothing");
  if (cli->options.json) {
    g_autoptr(TgJson) json = tg_json_new();
    tg_campaign_write(json, campaign);
    tg_print_json(cli, json);
  } else if (!cli->options.quiet) {
    tg_campaign_print(cli, campaign);
  }
  return tg_campaign_plot(cli, campaign);
}

static TgExit check_failures(const TgCli *cli, const TgCampaign *campaign) {
  guint failed = 0;
  const TgCampaignCase *first = NULL;
  for (guint c = 0; c < campaign->cases->len; c++) {
    const TgCampaignCase *one = tg_campaign_case(campaign, c);
    failed += one->failure != NULL;
    if (one->failure && !first) first = one;
  }
  if (failed == 0) return TG_EXIT_DONE;
  return tg_report(cli, first->status, "compare: %u of %u cases failed; the first is %s on %s (%s:%d): %s", failed,
                   campaign->cases->len, first->algorithm, first->grid, cli->options.campaign,
                   ((const Line *)campaign->lines->pdata[first->line])->number, first->failure);
}

static TgExit check_options(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  const struct {
    const char *name;
    bool given;
  } others[] = {{"--a", options->a != NULL},         {"--b", options->b != NULL},
                {"--trace", options->trace != NULL}, {"--integers", options->integers},
                {"--sizes", options->sizes != NULL}, {"--budget", options->budget != NULL}};
  if (options->arguments)
    return tg_report(cli, TG_EXIT_USAGE, "--campaign: its list says what to run: leave out %s", options->arguments[0]);
  for (size_t o = 0; o < G_N_ELEMENTS(others); o++)
    if (others[o].given) return tg_report(cli, TG_EXIT_USAGE, "--campaign cannot be combined with %s", others[o].name);
  return tg_campaign_files_check(cli);
}

static void warn_of_doubts(const TgCli *cli, const TgCampaign *campaign) {
  static const struct {
    TgCompareDoubt doubt;
    const char *words;
  } doubts[] = {{TG_DOUBT_LINKS, "have several processors, but it was measured with one, so it has no link times"},
                {TG_DOUBT_PROCESSORS, "have another number of processors, which share resources differently"},
                {TG_DOUBT_TILES, "have other tiles than its rates are for"},
                {TG_DOUBT_SIZES, "have products of sizes that its rates do not cover: their time is extrapolated"},
                {TG_DOUBT_AT_ONCE,
                 "have more cores or ranks at work than it was measured with, or fewer than it has speedups for"}};
  for (size_t d = 0; d < G_N_ELEMENTS(doubts); d++) {
    guint count = 0;
    for (guint c = 0; c < campaign->cases->len; c++)
      count += (tg_campaign_case(campaign, c)->doubts & doubts[d].doubt) != 0;
    if (count)
      tg_report(cli, TG_EXIT_DONE, "warning: --machine %s: %u of %u cases %s", cli->options.machine, count,
                campaign->cases->len, doubts[d].words);
  }
}

TgExit tg_campaign(TgCli *cli, const TgRunCommand *run, const TgMachine *machine) {
  g_auto(TgCampaign) campaign = {.kind = run->kind,
                                 .machine = machine,
                                 .transport = run->options.transport,
                                 .element = run->options.element,
                                 .lock = -1,
                                 .lines = g_ptr_array_new_with_free_func(free_line),
                                 .cases = g_ptr_array_new_with_free_func(free_case)};
  TgExit status = check_options(cli);
  bool same = false;
  if (!status) status = read_list(cli, &campaign);
  if (!status) status = check_distinct(cli, &campaign);
  if (!status) status = predict_all(cli, &campaign);
  if (!status) warn_of_doubts(cli, &campaign);
  if (!status) status = tg_campaign_resume(cli, &campaign, &same);
  if (!status && !same) status = tg_campaign_save(cli, &campaign);
  if (!status && !cli->options.dry_run) status = run_all(cli, &campaign, false);
  if (!status && !cli->options.dry_run) status = run_disturbed(cli, &campaign);
  if (status) return status;
  tg_environment_end(&campaign.environment);
  status = say(cli, &campaign);
  return status ? status : check_failures(cli, &campaign);
}
