/* What a campaign shows: its figures, the cases that were predicted worst, a document, and a plot. */
#include "campaign.h"
#include "output-files.h"
#include "output.h"
#include "plot-file.h"

#include "atomic-file.h"
#include "chart.h"
#include "text-units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 10 };

/* --- to people ---------------------------------------------------------------------------------------------------- */

static void add_percent(TgTable *table, const char *name, double part, const char *words) {
  g_autofree char *number = g_strdup_printf("%.1f %%", 100 * part);
  tg_table_add_fact(table, name, number, "%s", words);
}

static void add_count(TgTable *table, const char *name, int count, const char *words) {
  g_autofree char *number = g_strdup_printf("%d", count);
  tg_table_add_fact(table, name, number, "%s", words);
}

static void add_problems(TgTable *table, const TgCampaignSummary *summary) {
  const int count = summary->problems;
  g_autofree char *regret =
      g_strdup_printf("of the case predicted to be fastest, median of %d size%s; largest %.1f %%; at most 5 %% for %d",
                      count, count == 1 ? "" : "s", 100 * summary->most_regret, summary->regret_small);
  g_autofree char *number = g_strdup_printf("%.2f", summary->median_tau);
  if (count == 0) return;
  if (!isnan(summary->median_tau))
    tg_table_add_fact(table, "order", number, "Kendall's tau-b of the cases of each size, median; lowest %.2f",
                      summary->least_tau);
  add_percent(table, "regret", summary->median_regret, regret);
}

/* What is left, and the figures of it that matter most. */
static void print_undisturbed(TgCli *cli, const TgCampaignSummary *summary, const TgCampaignSummary *undisturbed) {
  g_autoptr(GString) words = g_string_new("disturbed: ");
  g_string_append_printf(words,
                         "%d case%s ran when the machine was over 10 %% faster or slower than in the calibration",
                         summary->disturbed, summary->disturbed == 1 ? "" : "s");
  if (tg_campaign_is_outdated(summary)) g_string_append(words, ": calibrate again");
  if (undisturbed->completed)
    g_string_append_printf(words, "; without them the median error is %.1f %%, the 90th percentile %.1f %%",
                           100 * undisturbed->median_error, 100 * undisturbed->p90_error);
  if (undisturbed->problems)
    g_string_append_printf(words, ", and the regret at most 5 %% for %d of %d size%s", undisturbed->regret_small,
                           undisturbed->problems, undisturbed->problems == 1 ? "" : "s");
  tg_print_wrapped(cli, words->str, 2, 0);
}

static void print_summary(TgCli *cli, const TgCampaignSummary *summary, const TgCampaignSummary *undisturbed) {
  g_autoptr(TgTable) table = tg_table_new("lrl");
  g_autofree char *error = g_strdup_printf("absolute, median; 90th percentile %.1f %%, largest %.1f %%",
                                           100 * summary->p90_error, 100 * summary->most_error);
  g_autofree char *closed =
      g_strdup_printf("absolute error of the closed form, median of %d cases; 90th percentile %.1f %%",
                      summary->closed_forms, 100 * summary->closed_p90_error);
  g_autofree char *within = g_strdup_printf("of %d cases lie within their interval", summary->with_interval);
  add_count(table, "cases", summary->total, summary->completed == summary->total ? "all measured" : "");
  if (summary->completed < summary->total) add_count(table, "measured", summary->completed, "");
  if (summary->failed) add_count(table, "failed", summary->failed, "");
  if (summary->completed) {
    add_percent(table, "error", summary->median_error, error);
    if (summary->closed_forms) add_percent(table, "closed form", summary->closed_median_error, closed);
    if (summary->with_interval) add_count(table, "within", summary->within, within);
    if (!isnan(summary->noise))
      add_percent(table, "noise", summary->noise, "standard deviation of a case's runs, median of the cases");
    add_problems(table, summary);
  }
  tg_table_print(cli, table, 2, false);
  if (summary->disturbed) print_undisturbed(cli, summary, undisturbed);
}

static int compare_errors(const void *one, const void *other) {
  const double a = fabs(tg_campaign_error(*(TgCampaignCase *const *)one)),
               b = fabs(tg_campaign_error(*(TgCampaignCase *const *)other));
  return (a < b) - (a > b);
}

static void print_worst(TgCli *cli, const TgCampaign *campaign) {
  g_autoptr(GPtrArray) measured = g_ptr_array_new();
  g_autoptr(TgTable) table = tg_table_new("lllrrr");
  for (guint c = 0; c < campaign->cases->len; c++)
    if (tg_campaign_is_measured(tg_campaign_case(campaign, c)))
      g_ptr_array_add(measured, tg_campaign_case(campaign, c));
  if (measured->len == 0) return;
  qsort(measured->pdata, measured->len, sizeof *measured->pdata, compare_errors);
  tg_table_add_row(table, "|grid|size|predicted|measured|error");
  for (guint m = 0; m < MIN(measured->len, WORST); m++) {
    const TgCampaignCase *one = measured->pdata[m];
    tg_table_add(table, "%s", one->algorithm);
    tg_table_add(table, "%s", one->grid);
    tg_table_add(table, "%" PRId64 "x%" PRId64 "x%" PRId64, one->shape.m, one->shape.n, one->shape.k);
    tg_table_add_time(table, one->predicted_s);
    tg_table_add_time(table, one->time.median_s);
    tg_table_add(table, "%+.1f %%", 100 * tg_campaign_error(one));
  }
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  if (measured->len > WORST)
    tg_print(cli, "  the %d of %u cases with the largest errors; -o and --json list all\n", WORST, measured->len);
}

void tg_campaign_print(TgCli *cli, const TgCampaign *campaign) {
  const TgCampaignSummary summary = tg_campaign_summary(campaign, true);
  const TgCampaignSummary undisturbed = tg_campaign_summary(campaign, false);
  tg_print_styled(cli, TG_STYLE_HEADING, "%s, predicted%s on %s", cli->options.campaign,
                  summary.completed ? " and executed" : "", campaign->kind->name);
  tg_print(cli, ": %s, transport %s\nmachine: %s\n\n", tg_element_name(campaign->element),
           tg_transport_name(campaign->transport), campaign->machine->name);
  print_summary(cli, &summary, &undisturbed);
  print_worst(cli, campaign);
  g_autofree char *environment = tg_environment_text(&campaign->environment);
  if (summary.completed) tg_print(cli, "executed by %s\n", environment);
}

/* --- to programs -------------------------------------------------------------------------------------------------- */

TG_FIELD_TABLE(case_fields, TG_FIELD(TgCampaignCase, processors), TG_FIELD(TgCampaignCase, at_once),
               TG_FIELD(TgCampaignCase, closed_form_s), TG_FIELD(TgCampaignCase, predicted_s),
               TG_FIELD(TgCampaignCase, least_s), TG_FIELD(TgCampaignCase, most_s),
               TG_FIELD_AS(TgCampaignCase, time.median_s, "measured_s"),
               TG_FIELD_AS(TgCampaignCase, time.min_s, "min_s"), TG_FIELD_AS(TgCampaignCase, time.stddev_s, "stddev_s"),
               TG_FIELD_AS(TgCampaignCase, time.trials, "trials"), TG_FIELD(TgCampaignCase, drift));

TG_FIELD_TABLE(summary_fields, TG_FIELD(TgCampaignSummary, total), TG_FIELD(TgCampaignSummary, completed),
               TG_FIELD(TgCampaignSummary, failed), TG_FIELD(TgCampaignSummary, disturbed),
               TG_FIELD(TgCampaignSummary, median_error), TG_FIELD(TgCampaignSummary, p90_error),
               TG_FIELD(TgCampaignSummary, most_error), TG_FIELD(TgCampaignSummary, with_interval),
               TG_FIELD(TgCampaignSummary, within), TG_FIELD(TgCampaignSummary, closed_forms),
               TG_FIELD(TgCampaignSummary, closed_median_error), TG_FIELD(TgCampaignSummary, closed_p90_error),
               TG_FIELD(TgCampaignSummary, noise), TG_FIELD(TgCampaignSummary, problems),
               TG_FIELD(TgCampaignSummary, median_tau), TG_FIELD(TgCampaignSummary, least_tau),
               TG_FIELD(TgCampaignSummary, median_regret), TG_FIELD(TgCampaignSummary, most_regret),
               TG_FIELD(TgCampaignSummary, regret_small));

static void write_case(TgJson *json, const TgCampaignCase *one) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "algorithm", one->algorithm);
  tg_json_member_string(json, "grid", one->grid);
  tg_json_member_string(json, "set", one->parameters);
  tg_json_member_string(json, "collective", one->collective);
  tg_json_member_integer(json, "m", one->shape.m);
  tg_json_member_integer(json, "n", one->shape.n);
  tg_json_member_integer(json, "k", one->shape.k);
  tg_json_members(json, case_fields, one);
  tg_json_member_double(json, "error", tg_campaign_error(one));
  tg_json_member_string(json, "failure", one->failure);
  tg_json_end_object(json);
}

void tg_campaign_write(TgJson *json, const TgCampaign *campaign) {
  const TgCampaignSummary summary = tg_campaign_summary(campaign, true);
  const TgCampaignSummary undisturbed = tg_campaign_summary(campaign, false);
  tg_json_begin_document(json, "campaign");
  tg_json_member_bool(json, "ok", summary.failed == 0);
  tg_json_member_string(json, "on", campaign->kind->name);
  tg_json_member_string(json, "transport", tg_transport_name(campaign->transport));
  tg_json_member_string(json, "type", tg_element_name(campaign->element));
  tg_json_member_string(json, "machine", campaign->machine->name);
  tg_json_member_object(json, "overall", TG_JSON_LINES);
  tg_json_members(json, summary_fields, &summary);
  tg_json_end_object(json);
  tg_json_member_object(json, "undisturbed", TG_JSON_LINES);
  tg_json_members(json, summary_fields, &undisturbed);
  tg_json_end_object(json);
  tg_json_member_array(json, "cases", TG_JSON_LINES);
  for (guint c = 0; c < campaign->cases->len; c++) write_case(json, tg_campaign_case(campaign, c));
  tg_json_end_array(json);
  tg_environment_write(json, &campaign->environment);
  tg_json_end_object(json);
}

/* --- the plot ------------------------------------------------------------------------------------------------------*/

TgExit tg_campaign_files_check(const TgCli *cli) {
  const char *results = cli->options.output;
  if (results && !g_str_has_suffix(results, ".csv"))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: with --campaign, expected a name that ends in .csv", results);
  const TgExit status = tg_plot_file_check(cli);
  return status ? status : tg_output_files_check(cli);
}

static void add_errors(TgPanel *panel, const char *curve, const GArray *errors) {
  for (guint e = 0; e < errors->len; e++)
    tg_panel_point(panel, curve, 100 * g_array_index(errors, double, e), 100.0 * (e + 1) / errors->len);
}

static char *make_script(const void *data, const TgPlotFormat *format) {
  const TgCampaign *campaign = data;
  g_autoptr(GArray) errors = tg_campaign_errors(campaign, false, true),
                    closed = tg_campaign_errors(campaign, true, true);
  g_autofree char *title =
      g_strdup_printf("Predicted and measured on %s, %s", campaign->kind->name, tg_element_name(campaign->element));
  g_autofree char *note = g_strdup_printf("machine: %s", campaign->machine->name);
  g_autoptr(TgChart) chart = tg_chart_new(title, note);
  TgPanel *parity = tg_chart_panel(chart, "each case", "measured", "predicted");
  tg_panel_parity(parity);
  for (guint c = 0; c < campaign->cases->len; c++) {
    const TgCampaignCase *one = tg_campaign_case(campaign, c);
    if (tg_campaign_is_measured(one)) tg_panel_point(parity, one->algorithm, one->time.median_s, one->predicted_s);
  }
  TgPanel *distribution =
      tg_chart_panel(chart, "errors", "absolute error, % of the measured time", "cases with at most this error, %");
  tg_panel_linear(distribution);
  add_errors(distribution, "prediction", errors);
  add_errors(distribution, "closed form", closed);
  return tg_chart_script(chart, format);
}

TgExit tg_campaign_plot(TgCli *cli, const TgCampaign *campaign) {
  return tg_plot_file_write(cli, make_script, campaign);
}
