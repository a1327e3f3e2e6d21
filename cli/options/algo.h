/** @file algo.h
 * What a subcommand works on: a schedule from the library or a file, and the values that the command line gives it. */
#ifndef TG_ALGO_H
#define TG_ALGO_H

#include "report.h"

#include "collective.h"
#include "element.h"
#include "embedding.h"
#include "json-fields.h"
#include "pipeline.h"
#include "prove.h"
#include "schedule.h"

/** An ALGO of the command line: a schedule with its text. Zero it before use. */
typedef struct TgAlgo {
  TgSchedule schedule;
  TgScheduleNames names;
  TgSource source; /**< the library's own texts are called algo/NAME.sched */
  GBytes *bytes;   /**< NULL for a text of the library */
  char *path;
} TgAlgo;

void tg_algo_clear(TgAlgo *algo);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgAlgo, tg_algo_clear)

/** Whether `name` is a path: it has a `/` or ends in `.sched`. */
bool tg_algo_is_path(const char *name);
/** Reads and parses. */
TgExit tg_algo_parse(const TgCli *cli, TgAlgo *algo, const char *name);
/** Applies `--grid` and `--set`. */
TgExit tg_algo_bindings(const TgCli *cli, TgBindings *bindings);
/** Takes one `--set`, "c=2". */
TgExit tg_set_option(const TgCli *cli, TgBindings *bindings, const char *text);
/** Reads, parses and binds the command's first argument with `--grid` and `--set`. Refuses one whose proof needs more
 * memory than there is. */
TgExit tg_algo_open(const TgCli *cli, TgAlgo *algo);
/** The schedule's own name. */
const char *tg_algo_name(const TgAlgo *algo);
/** The name in pictures. */
const char *tg_algo_display_name(const TgAlgo *algo);

/** Reports an error of topo/ or schedule/ at its place in the schedule's text, or without one. */
TgExit tg_algo_report(const TgCli *cli, const TgAlgo *algo, const TgError *error);

/** Reports a proof that failed, as `verify` does: at the statement where it failed. With `--json` also prints the
 * document `topogemm-failure`. */
TgExit tg_algo_report_failure(TgCli *cli, const TgAlgo *algo, const TgError *failure);

/** Writes the member `parameters`: an object with a number for each. */
void tg_parameters_write(TgJson *json, const TgBindings *parameters);
/** Writes the members of a bound schedule: algorithm, computes, grid, parameters. */
void tg_algo_write(TgJson *json, const TgSchedule *schedule, const TgScheduleNames *names);
/** Writes the members of a failed proof or run: step, statement, line, processor, message. */
void tg_failure_write(TgJson *json, const TgSchedule *schedule, const TgError *failure);

/** Reads a whole number from `low` to `high`; `option` names it in the error. Where `text` is NULL, leaves `number`
 * alone. */
TgExit tg_number_parse(const TgCli *cli, const char *option, const char *text, int64_t low, int64_t high,
                       int64_t *number);
/** Reads a finite number in decimal digits; false where it is none. */
bool tg_real_read(const char *text, double *value);
/** Likewise, of at least `least`; where `text` is NULL, leaves `value` alone. */
TgExit tg_real_parse(const TgCli *cli, const char *option, const char *text, double least, double *value);
/** Takes `-n` or `--size`; `*given` is false where there is neither, and the sizes are left alone. */
TgExit tg_sizes_parse(const TgCli *cli, int64_t *m, int64_t *n, int64_t *k, bool *given);
/** The same, where they must be given; `command` names the subcommand in the error. */
TgExit tg_sizes_require(const TgCli *cli, const char *command, int64_t *m, int64_t *n, int64_t *k);
/** Reads the value of `--tiles`, auto (zeros) or XxYxZ; left alone where `text` is NULL. */
TgExit tg_tiles_parse(const TgCli *cli, const char *text, TgProductBlocks *blocks);
/** Takes `--seed` (default: 1). */
TgExit tg_seed_option(const TgCli *cli, uint64_t *seed);
/** Takes `--embed` (default: rowmajor). */
TgExit tg_embed_option(const TgCli *cli, TgEmbeddingKind *embedding);
/** Takes `--type` (default: f32). */
TgExit tg_type_option(const TgCli *cli, TgElement *element);
/** Takes `--collective`. */
TgExit tg_collective_option(const TgCli *cli, TgCollective *collective);
/** Takes the network `name`, that of `--network` mostly, and `--embed`: a torus of the grid's extents where `name` is
 * NULL. Checks that the grid fits it. */
TgExit tg_network_option(const TgCli *cli, const char *name, const TgSchedule *schedule, TgTopology *network,
                         TgEmbedding *embedding);

#endif
