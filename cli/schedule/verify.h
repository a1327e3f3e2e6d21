/** @file verify.h
 * What `topogemm verify` found out about one schedule, at one size or over ranges. */
#ifndef TG_VERIFY_H
#define TG_VERIFY_H

#include "algo.h"
#include "progress.h"

#include "prove.h"

/** `--for q=1..32,c=1..4`: ranges of parameters, and their combinations one after another. */
typedef struct TgRange {
  char name[TG_NAME_LENGTH];
  int64_t low, high, now;
} TgRange;

/** The last range is the fastest. */
typedef struct TgRanges {
  TgRange range[TG_MAX_PARAMETERS];
  int count;
} TgRanges;

/** Lower bounds in words (elements); `apply` is false where they are not about what the schedule computes. At or below
 * 0 a bound gives nothing. */
typedef struct TgBounds {
  bool apply;
  double independent, dependent; /**< received by the busiest processor */
  double memory;                 /**< held by the fullest processor */
} TgBounds;

/** One size that was checked. */
typedef struct TgVerdict {
  int64_t value[TG_MAX_PARAMETERS]; /**< of the ranges */
  TgText grid;
  int64_t processors, steps, m, n, k;
  TgStateCounts counts;
  int64_t words_received_max;
  int64_t busiest;
  TgText busiest_text; /**< "(0, 1)" */
  TgBounds bounds;
} TgVerdict;

/** Sizes that do not meet what the schedule requires, by reason. */
typedef struct TgSkipped {
  char *reason;
  bool required; /**< the reason is the text of a `require`; else a whole sentence */
  int64_t sizes;
} TgSkipped;

typedef struct TgVerification {
  TgAlgo algo;
  TgCollective collective;
  TgRanges ranges;
  bool range;    /**< --for was given */
  TgWatch watch; /**< told sizes that are done, or the statements of a single one */
  int64_t done;  /**< sizes */
  bool ok;
  GArray *verdicts;    /**< TgVerdict, of sizes that are right */
  GArray *skipped;     /**< TgSkipped */
  GPtrArray *warnings; /**< char * */
  uint64_t warned;     /**< bit s: there is a warning for statement s */
  TgError failure;     /**< unless ok */
  TgVerdict failed;    /**< the size at which it failed */
  char *failed_at;     /**< "q = 3", NULL without ranges */
} TgVerification;

/** "checked for q = 1 to 32 (32 sizes; 5 more do not meet `require q % c == 0`)". Free with g_free(). */
char *tg_verification_scope(const TgVerification *verification);
/** "q = 1 to 32, c = 1 to 4"; with `now`, the present values: "q = 4, c = 2". Free with g_free(). */
char *tg_ranges_text(const TgRanges *ranges, bool now);
/** The larger of the two bounds on words received where one gives something, otherwise 0. */
double tg_bounds_received(const TgBounds *bounds);

/** On standard output, for people. */
void tg_verification_print(TgCli *cli, const TgVerification *verification);
/** A line for each of several schedules: columns with their heading, rows, and what the columns mean. A row is of the
 * last size that was right, usually the largest. */
struct TgTable *tg_verification_table(void);
void tg_verification_add(struct TgTable *table, const TgVerification *verification);
void tg_verification_print_table(TgCli *cli, const struct TgTable *table);
/** One JSON object. */
void tg_verification_write(TgJson *json, const TgVerification *verification);
/** On standard error, where it failed. */
TgExit tg_verification_report(const TgCli *cli, const TgVerification *verification);

#endif
