/** @file sim.h
 * What `topogemm sim` predicts, and how its parts hang together. */
#ifndef TG_SIM_H
#define TG_SIM_H

#include "algo.h"

#include "cost.h"
#include "element.h"
#include "formula.h"
#include "json-writer.h"
#include "text-units.h"

enum {
  TG_SIM_PROOF_LIMIT = 1 << 18, /**< processors times statements that are proved first; about 0.1 s */
  TG_SIM_FEW_NODES = 16,        /**< up to here the table of nodes has them all */
  TG_SIM_LINKS = 10,            /**< busiest links that are shown */
  TG_SIM_JSON_NODES = 4096      /**< nodes in JSON; of more, those that end last */
};

struct TgRunCommand;

/** What a processor holds at most. */
typedef struct TgSimMemory {
  int64_t blocks;     /**< at once on the fullest processor … */
  int64_t words;      /**< … and the elements in them */
  int64_t processors; /**< that share the fullest node */
  double node_bytes;  /**< what these hold together at most */
  bool at_least;      /**< not proved: counted are the blocks before the first step and after the last alone */
  bool fits;          /**< in the machine's memory_bytes */
} TgSimMemory;

typedef struct TgSimRun {
  const TgProblem *problem; /**< the caller's */
  TgTopology network;
  char network_text[TG_TOPOLOGY_TEXT_BYTES];
  bool own_network; /**< it is the machine's own */
  TgMachine machine;
  TgShape shape;
  TgElement element;
  TgEmbedding embedding;
  TgCostOptions options;
  const TgCost *cost;      /**< the caller's; set by tg_sim_predict() */
  int32_t *node_group;     /**< of the options; NULL where all nodes' steps are kept, or none … */
  int64_t places_of_group; /**< … else how many processors, or nodes where these have several, are one group */
  int32_t *rank;           /**< by node: its processor, -1 none; NULL where a node has several */
  bool proved;
  int64_t statements; /**< executed, repetitions counted */
  TgSimMemory memory;
  double serial_s;    /**< of the products on one processor; NaN where there are none */
  double efficiency;  /**< serial_s over processors times time_s; NaN likewise */
  int64_t workers;    /**< nodes that have a processor */
  TgFormula *formula; /**< NULL where the literature has none for this schedule */
  double closed_form_communication_s, closed_form_compute_s,
      closed_form_s;     /**< NaN where there is none, or it does not apply */
  char *closed_form_why; /**< why it does not apply, or NULL */
} TgSimRun;

void tg_sim_clear(TgSimRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgSimRun, tg_sim_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgCost, tg_cost_clear)

/** Reads the schedule and binds it: to the grid of `--grid` with as many extents as it has coordinates; where
 * `processors` is not 0, to the squarest grid of so many. `*why` (free with g_free()) tells why there is none of so
 * many ("its grid is i:q, j:q"), which is no error; it may be NULL only where `processors` is 0. `several`: values of
 * --set that belong to other schedules are left out. */
TgExit tg_sim_bind(const TgCli *cli, TgProblem *problem, const char *algo, int64_t processors, bool several,
                   char **why);
/** True where `set` ("c=2") is about one of the schedule's parameters, or is no such text. */
bool tg_sim_takes(const TgProblem *problem, const char *set);
/** All ALGOs compute the same, none is standard input, and each --set is for one of them at least. Reports what is not
 * so; `command` names the subcommand in errors. */
TgExit tg_algorithms_check(const TgCli *cli, const char *command);
/** Takes all other options for the bound schedule but the sizes. */
TgExit tg_sim_options(const TgCli *cli, TgSimRun *run);
/** Takes -n or --size. */
TgExit tg_sim_sizes(const TgCli *cli, TgSimRun *run);
TgExit tg_sim_set_sizes(const TgCli *cli, TgSimRun *run, int64_t m, int64_t n, int64_t k);
/** Proves the schedule where that is quick, and finds what a processor holds; where it fails reports it as `verify`
 * does. */
TgExit tg_sim_prove(const TgCli *cli, TgSimRun *run);
/** Predicts: `cost` is the run's from here on. */
TgExit tg_sim_predict(const TgCli *cli, TgSimRun *run, TgCost *cost);
/** The same at another size and with other options, without reporting; the cost is the caller's. */
bool tg_sim_cost(const TgSimRun *run, const TgShape *shape, const TgCostOptions *options, TgCost *cost, GError **error);
/** The error of a prediction, at its place in the schedule where it has one. Frees it. */
TgExit tg_sim_failed(const TgCli *cli, const TgSimRun *run, const TgError *failure, GError *error);
/** Time of the products of this shape on one processor of the machine; NaN where there are none. */
double tg_sim_serial_s(const TgSimRun *run, const TgShape *shape);
/** Takes the words that the fullest processor holds. Refuses more bytes than 64 bits count. */
TgExit tg_sim_set_words(const TgCli *cli, TgSimRun *run, int64_t words);
/** Says on standard error that the machine's memory is too small, where it is. */
void tg_sim_warn_memory(const TgCli *cli, const TgSimRun *run);

/** "model hockney, collectives auto, overlap on, skew 1 ms, seed 1, blocks from disk": all that a prediction depends on
 * in addition to schedule, machine and network. Free with g_free(). */
char *tg_sim_settings_text(const TgCli *cli, const TgSimRun *run);
/** Skew, jitter, straggler, seed and the place of the blocks, as members. */
void tg_sim_write_settings(TgJson *json, const TgCostOptions *options);

/** Finds the schedule's closed form and its value on the machine. */
void tg_sim_closed_form(TgSimRun *run);
/** Takes --symbols. */
TgExit tg_sim_symbols(const TgCli *cli, TgFormulaSymbols *symbols);
/** `--formula`: the closed form, its source, and why the prediction is another one. */
TgExit tg_sim_print_formula(TgCli *cli, const TgSimRun *run);

void tg_sim_print(TgCli *cli, const TgSimRun *run);
/** The links with the most bytes, most first; returns how many there are. */
int tg_sim_busiest_links(const TgSimRun *run, int64_t links[TG_SIM_LINKS]);
/** A processor, "(0, 1)"; a node that has none or several, "node (0, 1)"; "switch 2". */
void tg_sim_vertex_text(const TgSimRun *run, int64_t vertex, char *text, size_t size);
/** Node numbers in order of when they are done, those without a processor first; free with g_free(). */
int64_t *tg_sim_nodes_by_time(const TgSimRun *run);
/** Takes --from and what belongs to it. */
TgExit tg_sim_tiers(const TgCli *cli, TgSimRun *run);
/** What the tiers do, where they are used. */
void tg_sim_print_tiers(TgCli *cli, const TgSimRun *run);
void tg_sim_write_tiers(TgJson *json, const TgSimRun *run);
/** The document. */
void tg_sim_write(TgJson *json, const TgSimRun *run);
void tg_sim_print_json(TgCli *cli, const TgSimRun *run);

/** Decides, before the prediction, what it must keep for --trace. */
TgExit tg_sim_trace_prepare(const TgCli *cli, TgSimRun *run);
/** `--trace`: the prediction as Chrome trace events. */
TgExit tg_sim_trace_write(TgCli *cli, const TgSimRun *run);
/** The same, alone in a command of its own, with what was measured for comparison; NULL: nothing was. */
TgExit tg_sim_trace_beside(TgCli *cli, const TgSimRun *run, const struct TgRunCommand *measured);

#endif
