/* The results of a campaign as a table in CSV (RFC 4180): a row a case, from the moment when it is predicted. */
#include "campaign.h"

#include "atomic-file.h"
#include "input-bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIMIT_BYTES = 64 << 20 };

static const char heading[] = "algorithm,grid,set,collective,on,transport,type,m,n,k,processors,at_once,"
                              "closed_form_s,predicted_s,least_s,most_s,"
                              "measured_s,min_s,stddev_s,trials,drift,error,failure\n";

static void add_text(GString *row, const char *text) {
  g_auto(GStrv) parts = g_strsplit(text, "\"", -1);
  g_autofree char *doubled = g_strjoinv("\"\"", parts);
  const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";
  g_string_append_printf(row, "%s%s%s,", quote, doubled, quote);
}

static void add_rounded(GString *row, const char *format, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  if (!isnan(number)) g_string_append(row, g_ascii_formatd(digits, sizeof digits, format, number));
  g_string_append_c(row, ',');
}

static void add_number(GString *row, double number) {
  add_rounded(row, "%.9g", number);
}

/* Which case it is. */
static void add_identity(GString *row, const TgCampaign *campaign, const TgCampaignCase *one) {
  const int64_t counts[] = {one->shape.m, one->shape.n, one->shape.k, one->processors};
  const char *const names[] = {one->algorithm,
                               one->grid,
                               one->parameters,
                               one->collective,
                               campaign->kind->name,
                               tg_transport_name(campaign->transport),
                               tg_element_name(campaign->element)};
  for (size_t n = 0; n < G_N_ELEMENTS(names); n++) add_text(row, names[n]);
  for (size_t n = 0; n < G_N_ELEMENTS(counts); n++) g_string_append_printf(row, "%" PRId64 ",", counts[n]);
}

/* What is known before it runs. */
static void add_prediction(GString *row, const TgCampaignCase *one) {
  const double times_s[] = {one->closed_form_s, one->predicted_s, one->least_s, one->most_s};
  g_string_append_printf(row, "%" PRId64 ",", one->at_once);
  for (size_t n = 0; n < G_N_ELEMENTS(times_s); n++) add_number(row, times_s[n]);
}

static void add_measurement(GString *row, const TgCampaignCase *one) {
  const TgMeasurement *time = &one->time;
  const double times_s[] = {time->median_s, time->min_s, time->stddev_s};
  for (size_t n = 0; n < G_N_ELEMENTS(times_s); n++) add_number(row, times_s[n]);
  if (tg_campaign_is_measured(one)) g_string_append_printf(row, "%d", time->trials);
  g_string_append_c(row, ',');
  add_rounded(row, "%.4g", one->drift);
  add_rounded(row, "%.5g", tg_campaign_error(one));
  add_text(row, one->failure ? one->failure : "");
  g_string_truncate(row, row->len - 1);
}

/* The file of -o as it is now. Free with g_free(). */
static char *csv_of(const TgCampaign *campaign) {
  GString *text = g_string_new(heading);
  for (guint c = 0; c < campaign->cases->len; c++) {
    add_identity(text, campaign, tg_campaign_case(campaign, c));
    add_prediction(text, tg_campaign_case(campaign, c));
    add_measurement(text, tg_campaign_case(campaign, c));
    g_string_append_c(text, '\n');
  }
  return g_string_free(text, FALSE);
}

/* --- one campaign at a time --------------------------------------------------------------------------------------- */

/* Whether the path names an existing file other than the open one (descriptor -1: any file). */
static bool is_another(const char *path, int descriptor) {
  struct stat named, own;
  if (stat(path, &named) != 0) return false;
  return descriptor < 0 || fstat(descriptor, &own) != 0 || named.st_dev != own.st_dev || named.st_ino != own.st_ino;
}

/* Saving replaces the file. Another campaign may do that between open() and flock(): then once more. */
static TgExit lock_file(const TgCli *cli, TgCampaign *campaign) {
  const char *path = cli->options.output;
  bool locked;
  do {
    tg_campaign_unlock(campaign);
    campaign->lock = open(path, O_RDWR | O_CLOEXEC);
    if (campaign->lock < 0) return tg_report(cli, TG_EXIT_FAILED, "-o %s: cannot write: %s", path, g_strerror(errno));
    locked = flock(campaign->lock, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno == EWOULDBLOCK)
      return tg_report(cli, TG_EXIT_USAGE,
                       "-o %s: another campaign is writing this file; wait until it ends, or give -o a new name", path);
  } while (is_another(path, campaign->lock)); /* without locks, tg_campaign_save() still notices another campaign */
  return TG_EXIT_DONE;
}

void tg_campaign_unlock(TgCampaign *campaign) {
  if (campaign->lock >= 0) close(campaign->lock);
  campaign->lock = -1;
}

/* Locks the new file before it gets its name, and keeps the old one locked until then: whichever of them another
 * campaign opens, it cannot lock it. */
TgExit tg_campaign_save(const TgCli *cli, TgCampaign *campaign) {
  const char *path = cli->options.output;
  GError *error = NULL;
  if (!path) return TG_EXIT_DONE;
  if (g_file_test(path, G_FILE_TEST_IS_REGULAR) && is_another(path, campaign->lock))
    return tg_report(cli, TG_EXIT_USAGE,
                     "-o %s: this file was replaced while the campaign ran, by another campaign or an editor; repeat "
                     "the command to resume from it, or give -o a new name",
                     path);
  g_autofree char *text = csv_of(campaign);
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin_with(path, text, strlen(text), &error);
  if (!file) return tg_report_error(cli, error);
  const int lock = fcntl(fileno(tg_atomic_file_stream(file)), F_DUPFD_CLOEXEC, 0);
  if (lock >= 0) flock(lock, LOCK_EX | LOCK_NB);
  const bool saved = tg_atomic_file_commit(file, &error);
  tg_campaign_unlock(campaign);
  campaign->lock = lock;
  return saved ? TG_EXIT_DONE : tg_report_error(cli, error);
}

/* --- resuming ----------------------------------------------------------------------------------------------------- */

/* The end of a row: six numbers and no failure. Without a good time the case is yet to be run. False where it is no
 * such end. */
static bool take_measurement(const char *text, TgCampaignCase *one) {
  double number[6];
  for (size_t n = 0; n < G_N_ELEMENTS(number); n++) {
    const char *comma = strchr(text, ',');
    char *end;
    if (!comma) return false;
    number[n] = comma == text ? NAN : g_ascii_strtod(text, &end);
    if (comma != text && end != comma) return false;
    text = comma + 1;
  }
  const bool bad_drift = number[4] <= 0 || isinf(number[4]);
  if (*text || !(number[0] > 0) || isinf(number[0]) || !(number[3] >= 1) || bad_drift) return *text == '\0';
  one->time = (TgMeasurement){
      .median_s = number[0], .min_s = number[1], .stddev_s = number[2], .trials = (int32_t)fmin(number[3], 1e6)};
  one->drift = number[4];
  one->done = true;
  return true;
}

/* Of a row with a failure only the case must be the same: what failed is predicted and run again. */
static bool take_row(const TgCampaign *campaign, TgCampaignCase *one, const char *row) {
  g_autoptr(GString) begin = g_string_new(NULL);
  add_identity(begin, campaign, one);
  if (!g_str_has_prefix(row, begin->str)) return false;
  if (!g_str_has_suffix(row, ",")) return true;
  add_prediction(begin, one);
  return g_str_has_prefix(row, begin->str) && take_measurement(row + begin->len, one);
}

static TgExit refuse(const TgCli *cli, guint line, const char *why) {
  return tg_report(cli, TG_EXIT_USAGE, "-o %s: line %u %s; give -o a new name", cli->options.output, line, why);
}

static TgExit take_rows(const TgCli *cli, const TgCampaign *campaign, char **row) {
  const guint cases = campaign->cases->len;
  for (guint c = 0; c < cases; c++) {
    if (!row[c] || !*row[c]) return refuse(cli, c + 2, "is missing: the list had fewer cases, or the file was cut off");
    if (!take_row(campaign, tg_campaign_case(campaign, c), row[c]))
      return refuse(cli, c + 2,
                    "does not match this campaign: the list, the machine file, the job or the version has changed, or "
                    "the file was edited");
  }
  for (guint c = cases; row[c]; c++)
    if (*row[c]) return refuse(cli, c + 2, "is beyond the cases of this campaign");
  return TG_EXIT_DONE;
}

TgExit tg_campaign_resume(const TgCli *cli, TgCampaign *campaign, bool *same) {
  const char *path = cli->options.output;
  GError *error = NULL;
  *same = false;
  if (!path || !g_file_test(path, G_FILE_TEST_EXISTS)) return TG_EXIT_DONE;
  if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: it is no regular file, from which a campaign could be resumed", path);
  const TgExit locked = lock_file(cli, campaign);
  if (locked) return locked;
  g_autoptr(GBytes) bytes = tg_input_bytes_read(path, LIMIT_BYTES, &error);
  if (!bytes) return tg_report_error(cli, error);
  gsize length;
  const char *data = g_bytes_get_data(bytes, &length);
  g_autofree char *text = g_strndup(data ? data : "", length);
  if (length == 0) return TG_EXIT_DONE;
  if (strlen(text) != length || !g_str_has_prefix(text, heading))
    return refuse(cli, 1, "is not the heading that this version writes");
  g_auto(GStrv) row = g_strsplit(text + strlen(heading), "\n", -1);
  const TgExit status = take_rows(cli, campaign, row);
  g_autofree char *now = csv_of(campaign);
  *same = !status && strcmp(text, now) == 0;
  return status;
}
