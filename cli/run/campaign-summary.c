/* How well the predictions of a campaign did. */
#include "campaign.h"

#include <math.h>
#include <string.h>

static int compare_numbers(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

/* The smallest number that `part` of all are no larger than; NaN of none. Sorts them. */
static double quantile(GArray *numbers, double part) {
  if (numbers->len == 0) return NAN;
  g_array_sort(numbers, compare_numbers);
  const double place = ceil(part * numbers->len);
  return g_array_index(numbers, double, (guint)fmax(place, 1) - 1);
}

static double median(GArray *numbers) {
  return numbers->len ? tg_measurement_of((double *)(void *)numbers->data, (int32_t)numbers->len, 0).median_s : NAN;
}

static GArray *new_numbers(void) {
  return g_array_new(FALSE, FALSE, sizeof(double));
}

static void add(GArray *numbers, double number) {
  if (!isnan(number)) g_array_append_val(numbers, number);
}

GArray *tg_campaign_errors(const TgCampaign *campaign, bool closed_form, bool with_disturbed) {
  GArray *errors = new_numbers();
  for (guint c = 0; c < campaign->cases->len; c++) {
    const TgCampaignCase *one = tg_campaign_case(campaign, c);
    const double predicted_s = closed_form ? one->closed_form_s : one->predicted_s, median_s = one->time.median_s;
    if (tg_campaign_counts(one, with_disturbed)) add(errors, fabs(predicted_s - median_s) / median_s);
  }
  g_array_sort(errors, compare_numbers);
  return errors;
}

static void sum_up_errors(const TgCampaign *campaign, bool with_disturbed, TgCampaignSummary *summary) {
  g_autoptr(GArray) errors = tg_campaign_errors(campaign, false, with_disturbed),
                    closed = tg_campaign_errors(campaign, true, with_disturbed);
  summary->closed_forms = (int)closed->len;
  summary->median_error = median(errors);
  summary->p90_error = quantile(errors, 0.9);
  summary->most_error = quantile(errors, 1);
  summary->closed_median_error = median(closed);
  summary->closed_p90_error = quantile(closed, 0.9);
}

static void count_cases(const TgCampaign *campaign, bool with_disturbed, TgCampaignSummary *summary) {
  g_autoptr(GArray) noise = new_numbers();
  for (guint c = 0; c < campaign->cases->len; c++) {
    const TgCampaignCase *one = tg_campaign_case(campaign, c);
    const double median_s = one->time.median_s;
    summary->total++;
    summary->failed += one->failure != NULL;
    summary->disturbed += tg_campaign_is_disturbed(one);
    if (!tg_campaign_counts(one, with_disturbed)) continue;
    summary->completed++;
    summary->with_interval += !isnan(one->least_s);
    summary->within += one->least_s <= median_s && median_s <= one->most_s;
    add(noise, one->time.stddev_s / median_s);
  }
  summary->noise = median(noise);
}

static bool same_problem(const TgCampaignCase *one, const TgCampaignCase *other) {
  return one->shape.m == other->shape.m && one->shape.n == other->shape.n && one->shape.k == other->shape.k &&
         strcmp(one->computes.s, other->computes.s) == 0;
}

/* How well its cases are told apart; false where a case before has the same problem, or too few were measured. */
static bool rank_problem(const TgCampaign *campaign, bool with_disturbed, guint first, TgRanking *ranking) {
  const guint count = campaign->cases->len;
  const TgCampaignCase *one = tg_campaign_case(campaign, first);
  g_autofree double *predicted_s = g_new(double, count);
  g_autofree TgMeasurement *measured = g_new(TgMeasurement, count);
  int found = 0;
  if (!tg_campaign_counts(one, with_disturbed)) return false;
  for (guint c = 0; c < count; c++) {
    const TgCampaignCase *other = tg_campaign_case(campaign, c);
    if (!tg_campaign_counts(other, with_disturbed) || !same_problem(one, other)) continue;
    if (c < first) return false;
    predicted_s[found] = other->predicted_s;
    measured[found++] = other->time;
  }
  if (found < 2) return false;
  *ranking = tg_ranking(campaign->machine, predicted_s, measured, found);
  return true;
}

static void sum_up_problems(const TgCampaign *campaign, bool with_disturbed, TgCampaignSummary *summary) {
  static const double small = 0.05;
  g_autoptr(GArray) taus = new_numbers(), regrets = new_numbers();
  for (guint c = 0; c < campaign->cases->len; c++) {
    TgRanking ranking;
    if (!rank_problem(campaign, with_disturbed, c, &ranking)) continue;
    summary->problems++;
    summary->regret_small += ranking.regret <= small;
    if (ranking.pairs > 1) add(taus, ranking.tau);
    add(regrets, ranking.regret);
  }
  summary->median_tau = median(taus);
  summary->least_tau = quantile(taus, 0);
  summary->median_regret = median(regrets);
  summary->most_regret = quantile(regrets, 1);
}

TgCampaignSummary tg_campaign_summary(const TgCampaign *campaign, bool with_disturbed) {
  TgCampaignSummary summary = {0};
  count_cases(campaign, with_disturbed, &summary);
  sum_up_errors(campaign, with_disturbed, &summary);
  sum_up_problems(campaign, with_disturbed, &summary);
  return summary;
}
