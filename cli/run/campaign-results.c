/* The results of a campaign as a table in CSV (RFC 4180): a row a case, from the moment when it is predicted. */
#include "campaign.h"

#include "input-bytes.h"

#include <math.h>
#include <string.h>

enum { LIMIT_BYTES = 64 << 20 };

static const char heading[] = "algorithm,grid,set,collective,on,transport,type,m,n,k,processors,at_once,"
                              "closed_form_s,predicted_s,least_s,most_s,"
                              "measured_s,min_s,stddev_s,trials,error,failure\n";

static void add_text(GString *row, const char *text) {
  if (!strpbrk(text, ",\"\r\n")) {
    g_string_append(row, text);
  } else {
    g_autofree char *doubled = NULL;
    g_auto(GStrv) parts = g_strsplit(text, "\"", -1);
    doubled = g_strjoinv("\"\"", parts);
    g_string_append_printf(row, "\"%s\"", doubled);
  }
  g_string_append_c(row, ',');
}

static void add_number(GString *row, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  if (!isnan(number)) g_string_append(row, g_ascii_formatd(digits, sizeof digits, "%.9g", number));
  g_string_append_c(row, ',');
}

/* What is known before it runs. */
static void add_prediction(GString *row, const TgCampaign *campaign, const TgCampaignCase *one) {
  const int64_t counts[] = {one->shape.m, one->shape.n, one->shape.k, one->processors, one->at_once};
  const double times_s[] = {one->closed_form_s, one->predicted_s, one->least_s, one->most_s};
  const char *const names[] = {one->algorithm,
                               one->grid,
                               one->parameters,
                               one->collective,
                               campaign->kind->name,
                               tg_transport_name(campaign->transport),
                               tg_element_name(campaign->element)};
  for (size_t n = 0; n < G_N_ELEMENTS(names); n++) add_text(row, names[n]);
  for (size_t n = 0; n < G_N_ELEMENTS(counts); n++) g_string_append_printf(row, "%" PRId64 ",", counts[n]);
  for (size_t n = 0; n < G_N_ELEMENTS(times_s); n++) add_number(row, times_s[n]);
}

static void add_measurement(GString *row, const TgCampaignCase *one) {
  const TgMeasurement *time = &one->time;
  const bool measured = tg_campaign_is_measured(one);
  const double times_s[] = {time->median_s, time->min_s, time->stddev_s};
  for (size_t n = 0; n < G_N_ELEMENTS(times_s); n++) add_number(row, times_s[n]);
  if (measured) g_string_append_printf(row, "%d", time->trials);
  g_string_append_c(row, ',');
  add_number(row, (one->predicted_s - time->median_s) / time->median_s);
  add_text(row, one->failure ? one->failure : "");
  g_string_truncate(row, row->len - 1);
}

char *tg_campaign_csv(const TgCampaign *campaign) {
  GString *text = g_string_new(heading);
  for (guint c = 0; c < campaign->cases->len; c++) {
    add_prediction(text, campaign, tg_campaign_case(campaign, c));
    add_measurement(text, tg_campaign_case(campaign, c));
    g_string_append_c(text, '\n');
  }
  return g_string_free(text, FALSE);
}

/* --- taking up what was run before -------------------------------------------------------------------------------- */

/* The end of a row in which no text has a comma or a quotation mark but the last. False where it is none. */
static bool take_measurement(const char *text, TgCampaignCase *one) {
  double *const numbers[] = {&one->time.median_s, &one->time.min_s, &one->time.stddev_s, NULL, NULL};
  for (size_t n = 0; n < G_N_ELEMENTS(numbers); n++) {
    const char *comma = strchr(text, ',');
    char *end;
    if (!comma) return false;
    const double number = comma == text ? NAN : g_ascii_strtod(text, &end);
    if (comma != text && end != comma) return false;
    if (numbers[n]) *numbers[n] = number;
    if (n == 3 && !isnan(number)) one->time.trials = (int32_t)CLAMP(number, 0, 1e6);
    text = comma + 1;
  }
  one->done = one->time.median_s > 0;
  return true;
}

static TgExit is_of_another(const TgCli *cli, guint line) {
  return tg_report(cli, TG_EXIT_USAGE,
                   "-o %s: line %u is no row of this campaign: the list, the machine file, the job or the version is "
                   "another one; give -o a new name",
                   cli->options.output, line);
}

/* Cases that failed are tried again. */
static TgExit take_rows(const TgCli *cli, const TgCampaign *campaign, char **line) {
  for (guint c = 0; c < campaign->cases->len; c++) {
    g_autoptr(GString) begin = g_string_new(NULL);
    TgCampaignCase *one = tg_campaign_case(campaign, c);
    add_prediction(begin, campaign, one);
    if (!line[c] || !g_str_has_prefix(line[c], begin->str) || !take_measurement(line[c] + begin->len, one))
      return is_of_another(cli, c + 2);
  }
  const char *more = line[campaign->cases->len];
  return more && *more ? is_of_another(cli, campaign->cases->len + 2) : TG_EXIT_DONE;
}

TgExit tg_campaign_resume(const TgCli *cli, const TgCampaign *campaign) {
  const char *path = cli->options.output;
  GError *error = NULL;
  if (!path || !g_file_test(path, G_FILE_TEST_IS_REGULAR)) return TG_EXIT_DONE;
  g_autoptr(GBytes) bytes = tg_input_bytes_read(path, LIMIT_BYTES, &error);
  if (!bytes) return tg_report_error(cli, error);
  gsize length;
  const char *data = g_bytes_get_data(bytes, &length);
  g_autofree char *text = g_strndup(data ? data : "", length);
  if (!*text) return TG_EXIT_DONE;
  if (!g_str_has_prefix(text, heading)) return is_of_another(cli, 1);
  g_auto(GStrv) line = g_strsplit(text + strlen(heading), "\n", -1);
  return take_rows(cli, campaign, line);
}
