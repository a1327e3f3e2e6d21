/** @file campaign.h
 * `topogemm compare --campaign`: many comparisons, all predicted before the first one runs. */
#ifndef TG_CAMPAIGN_H
#define TG_CAMPAIGN_H

#include "json-writer.h"
#include "run-command.h"

/** One schedule at one size. */
typedef struct TgCampaignCase {
  guint line, entry; /**< its line in the list, from 0, and its place there */
  char *algorithm, *grid, *parameters, *collective;
  TgText computes; /**< its product */
  TgShape shape;
  int64_t processors, at_once;       /**< at_once as in TgExecutorFacts */
  double predicted_s, closed_form_s; /**< NaN where there is none */
  double least_s, most_s;            /**< within which it should lie by tg_machine_error(); NaN likewise */
  bool done;                         /**< it was run, or cannot be */
  TgMeasurement time;                /**< NaN until then */
  double drift;                      /**< of tg_calibration_drift() before and after, the one further from 1; or NaN */
  char *failure;                     /**< why it has no time, or a wrong product; NULL: nothing is wrong */
  TgExit status;                     /**< of the failure */
  unsigned doubts;                   /**< of its prediction: TgCompareDoubt */
} TgCampaignCase;

typedef struct TgCampaign {
  const TgExecutorKind *kind;
  const TgMachine *machine;
  TgTransport transport;
  TgElement element;
  GPtrArray *lines; /**< of the list that have cases */
  GPtrArray *cases; /**< TgCampaignCase, in the order of the list */
  TgEnvironment environment;
  int lock; /**< a descriptor of the file of -o, by which it is locked; -1: there is none yet */
} TgCampaign;

/** How well the predictions did, over all cases with a time, or those of them that were not disturbed. Shares are from
 * 0 to 1; NaN where there is nothing. */
typedef struct TgCampaignSummary {
  int total, completed, failed; /**< cases */
  int disturbed;                /**< … of those completed: beside them the machine's speed was another */
  double median_error, p90_error, most_error; /**< absolute, of (predicted - measured) / measured; nearest ranks */
  int with_interval, within;                  /**< cases that have an interval, and that lie in it */
  int closed_forms;                           /**< cases that have one */
  double closed_median_error, closed_p90_error;
  double noise;                      /**< standard deviation over median, the median of the cases */
  int problems;                      /**< sizes at which two cases or more were measured … */
  double median_tau, least_tau;      /**< … of those with three or more */
  double median_regret, most_regret; /**< by how much the predicted fastest was slower than the fastest */
  int regret_small;                  /**< problems where that is at most 5 % */
} TgCampaignSummary;

/** Runs the list of --campaign. Of `run` the executor, the transport and the type are taken. */
TgExit tg_campaign(TgCli *cli, const TgRunCommand *run, const TgMachine *machine);

/** Takes from the file of -o, where it exists, what was run before. Refuses one of another list, machine or job, and
 * one that another campaign is writing. `same`: the file is as it would be written now. */
TgExit tg_campaign_resume(const TgCli *cli, TgCampaign *campaign, bool *same);
/** Writes the file of -o, if there is one. Refuses to where the file has been replaced since. */
TgExit tg_campaign_save(const TgCli *cli, TgCampaign *campaign);
/** Releases the lock on the file of -o. */
void tg_campaign_unlock(TgCampaign *campaign);

/** Absolute errors of the measured cases, ascending: of their predictions, or of the closed forms that they have. Free
 * with g_array_unref(). */
GArray *tg_campaign_errors(const TgCampaign *campaign, bool closed_form, bool with_disturbed);
TgCampaignSummary tg_campaign_summary(const TgCampaign *campaign, bool with_disturbed);
void tg_campaign_print(TgCli *cli, const TgCampaign *campaign);
/** The document. */
void tg_campaign_write(TgJson *json, const TgCampaign *campaign);
/** Refuses names of -o and --plot whose suffix is no good. */
TgExit tg_campaign_files_check(const TgCli *cli);
/** Writes --plot. */
TgExit tg_campaign_plot(TgCli *cli, const TgCampaign *campaign);

static inline TgCampaignCase *tg_campaign_case(const TgCampaign *campaign, guint c) {
  return campaign->cases->pdata[c];
}

static inline bool tg_campaign_is_measured(const TgCampaignCase *one) {
  return one->done && !one->failure;
}

/** Whether so many cases are disturbed that the calibration must be another machine's. */
static inline bool tg_campaign_is_outdated(const TgCampaignSummary *summary) {
  return 2 * summary->disturbed > summary->completed;
}

static inline bool tg_campaign_is_disturbed(const TgCampaignCase *one) {
  return tg_campaign_is_measured(one) && tg_drift_is_notable(one->drift);
}

/** Whether a summary has it. */
static inline bool tg_campaign_counts(const TgCampaignCase *one, bool with_disturbed) {
  return tg_campaign_is_measured(one) && (with_disturbed || !tg_campaign_is_disturbed(one));
}

/** Of one that was measured: (predicted - measured) / measured. */
static inline double tg_campaign_error(const TgCampaignCase *one) {
  return (one->predicted_s - one->time.median_s) / one->time.median_s;
}

#endif
