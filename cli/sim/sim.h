/** @file sim.h
 * What `topogemm sim` predicts, and how its parts hang together. */
#ifndef TG_SIM_H
#define TG_SIM_H

#include "algo.h"

#include "estimate.h"
#include "json-writer.h"
#include "text-table.h"
#include "text-units.h"

enum {
  TG_SIM_FEW_NODES = 16,   /**< up to here the table of nodes has them all */
  TG_SIM_LINKS = 10,       /**< busiest links that are shown */
  TG_SIM_JSON_NODES = 4096 /**< nodes in JSON; of more, those that end last */
};

struct TgRunCommand;

/** A prediction with what it owns. Zero it before use. */
typedef struct TgSimRun {
  TgAlgo algo;
  TgCost cost;
  TgEstimate estimate;
} TgSimRun;

void tg_sim_clear(TgSimRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgSimRun, tg_sim_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgCost, tg_cost_clear)

/** Takes --set and, where `grids` is true, --grid: the grid with as many extents as the schedule has coordinates.
 * `several`: values of --set that belong to other schedules are left out. */
TgExit tg_sim_bindings(const TgCli *cli, const TgAlgo *algo, bool several, bool grids, TgBindings *bindings);
/** Reads the schedule and binds it to these. */
TgExit tg_sim_bind(const TgCli *cli, TgAlgo *algo, const char *name, bool several);
/** True where `set` ("c=2") is about one of the schedule's parameters, or is no such text. */
bool tg_sim_takes(const TgAlgo *algo, const char *set);
/** All ALGOs compute the same, none is standard input, and each --set is for one of them at least. Reports what is not
 * so; `command` names the subcommand in errors. */
TgExit tg_algorithms_check(const TgCli *cli, const char *command);
/** Takes --model, --fair and --overlap. */
TgExit tg_sim_model(const TgCli *cli, TgCostOptions *cost);
/** Takes the options that no schedule plays a part in: --type, --machine, --model and those of noise and tiers. */
TgExit tg_sim_settings(const TgCli *cli, TgMachine *machine, TgElement *element, TgCostOptions *options);
/** Takes --from and what belongs to it, but for the buffers; --memory sets the processors' memory in `machine`. */
TgExit tg_sim_tiers(const TgCli *cli, TgMachine *machine, TgElement element, TgCostOptions *options);
/** Takes --in-memory and --by-rows. */
TgExit tg_sim_buffers(const TgCli *cli, const TgAlgo *algo, uint32_t *in_memory, uint32_t *by_rows);
/** Reads, binds and places the schedule `name`; `several` as in tg_sim_bind(). Takes all options. */
TgExit tg_sim_open(TgCli *cli, TgSimRun *run, const char *name, bool several);
/** Proves the schedule where that is quick, and finds what a processor holds; where it fails says so as `verify`
 * does. */
TgExit tg_sim_prove(TgCli *cli, TgSimRun *run);
/** Predicts. */
TgExit tg_sim_predict(TgCli *cli, TgSimRun *run);
/** The error of an estimate, at its place in the schedule where it has one. Frees it. */
TgExit tg_sim_failed(TgCli *cli, const TgAlgo *algo, const TgEstimateFault *fault, GError *error);
/** Says on standard error that the machine's memory is too small, where it is. */
void tg_sim_warn_memory(const TgCli *cli, const TgEstimate *run);
/** Seconds in which the busiest link can carry its bytes, at least. */
double tg_sim_busiest_link_s(const TgEstimate *run);

/** The schedule's name. */
static inline const char *tg_sim_name(const TgEstimate *run) {
  return tg_name(run->names, run->names->title);
}

/** "off" for 0 places, "on", "on with 3 buffers". */
typedef struct TgSimOverlapText {
  char s[32];
} TgSimOverlapText;
TgSimOverlapText tg_sim_overlap_text(int32_t places);
/** "buffers": their number, null for 0. */
void tg_sim_write_buffers(TgJson *json, int32_t places);

/** "model hockney, collectives auto, overlap on, skew 1 ms, seed 1, blocks from disk": all that a prediction depends on
 * beside schedule, machine and network. Free with g_free(). */
char *tg_sim_settings_text(const TgCli *cli, const TgCostOptions *options);
/** Skew, jitter, straggler, seed and the place of the blocks, as members. */
void tg_sim_write_settings(TgJson *json, const TgCostOptions *options);

/** The closed form of a schedule of the library; NULL where there is none. Free with tg_formula_free(). */
TgFormula *tg_algo_formula(const TgAlgo *algo);
/** Takes --symbols. */
TgExit tg_sim_symbols(const TgCli *cli, TgFormulaSymbols *symbols);
/** `--formula`: the closed form, its source, and why the prediction is another one. */
TgExit tg_sim_print_formula(TgCli *cli, const TgEstimate *run);

void tg_sim_print(TgCli *cli, const TgEstimate *run);
/** The links with the most bytes, most first; returns how many there are. */
int tg_sim_busiest_links(const TgEstimate *run, int64_t links[TG_SIM_LINKS]);
/** A processor, "(0, 1)"; a node that has none or several, "node (0, 1)"; "switch 2". */
TgText tg_sim_vertex_text(const TgEstimate *run, int64_t vertex);
/** Node numbers in order of when they are done, those without a processor first; free with g_free(). */
int64_t *tg_sim_nodes_by_time(const TgEstimate *run);
/** What the tiers do, where they are used. */
void tg_sim_print_tiers(TgCli *cli, const TgEstimate *run);
void tg_sim_write_tiers(TgJson *json, const TgEstimate *run);
/** Products and communication of the node that finishes last, and the parts of these where the prediction has them. */
void tg_sim_add_parts(TgTable *table, const TgEstimate *run);
/** The parts by step. */
void tg_sim_print_parts(TgCli *cli, const TgEstimate *run);
/** "products 4.2 us, latency 11 us, bytes 184 us". Free with g_free(). */
char *tg_sim_parts_text(const TgCost *cost);
void tg_sim_write_parts(TgJson *json, const TgEstimate *run);
void tg_sim_write_step_parts(TgJson *json, const TgCost *cost, int64_t step);
/** The document. */
void tg_sim_write(TgJson *json, const TgEstimate *run);
void tg_sim_print_json(TgCli *cli, const TgEstimate *run);

/** Decides, before the prediction, what it must keep for --trace. */
TgExit tg_sim_trace_prepare(const TgCli *cli, TgSimRun *run);
/** `--trace`: the prediction as Chrome trace events. */
TgExit tg_sim_trace_write(TgCli *cli, const TgSimRun *run);
/** The same, alone in a command of its own, with what was measured beside it; NULL: nothing was. */
TgExit tg_sim_trace_beside(TgCli *cli, const TgSimRun *run, const struct TgRunCommand *measured);

#endif
