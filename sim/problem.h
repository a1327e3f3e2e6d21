/** @file problem.h
 * A problem: a schedule on a grid, with the sizes of the matrices, the network and the machine. What programs begin
 * with; everything else reads it. */
#ifndef TG_PROBLEM_H
#define TG_PROBLEM_H

#include "cost.h"
#include "executor.h"
#include "prove.h"
#include "stepper.h"

TG_BEGIN_DECLS

/** The version of the library, "0.1.0". */
const char *tg_version(void);

typedef struct TgProblem TgProblem;

/** Reads a schedule's text, `length` bytes of UTF-8, which is copied. Errors: line, column, what was expected. */
TgProblem *tg_problem_new(const char *text, size_t length, TgError *error);
/** The same of a schedule of the library (algo-library.h). */
TgProblem *tg_problem_from_library(const char *name, TgError *error);
void tg_problem_free(TgProblem *problem);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgProblem, tg_problem_free)

/** Binds it to a grid ("4x4"; NULL where the parameters give its extents) with values of parameters ("c=2,b=8"; NULL:
 * no others than their defaults). May be done again with other values; what follows is then set anew. Errors: which
 * parameter or requirement, in the schedule's own words. */
bool tg_problem_bind(TgProblem *problem, const char *grid, const char *parameters, TgError *error);

/** C is m x n, the inner dimension k; each from 1 to 2^31-1. Once it is bound. Errors: as tg_shape_init(). */
bool tg_problem_set_sizes(TgProblem *problem, int64_t m, int64_t n, int64_t k, TgElement element, GError **error);

/** A network such as "torus:4x4" with at least as many nodes as the grid has processors, or a kind alone ("hypercube"),
 * and where the processors are on it.
 * NULL is the default: the machine's own network where that has a node for each processor, else a torus of the grid's
 * extents. Once it is bound. */
bool tg_problem_set_network(TgProblem *problem, const char *network, TgEmbeddingKind embedding, TgError *error);

/** A machine: the text of a machine file (machine.h), or of one of the library (machine-library.h), where
 * commodity-cluster is the default. */
bool tg_problem_set_machine(TgProblem *problem, const char *text, size_t length, TgError *error);
/** The same as it was measured (calibration.h); copied. */
void tg_problem_take_machine(TgProblem *problem, const TgMachine *machine);

const TgSchedule *tg_problem_schedule(const TgProblem *problem);
const TgScheduleNames *tg_problem_names(const TgProblem *problem);
/** Its sizes; of extents 0 before they are set. */
const TgShape *tg_problem_shape(const TgProblem *problem);
TgElement tg_problem_element(const TgProblem *problem);
const TgTopology *tg_problem_network(const TgProblem *problem);
TgEmbeddingKind tg_problem_embedding(const TgProblem *problem);
const TgMachine *tg_problem_machine(const TgProblem *problem);

/** Proves that the schedule computes its product, at its sizes or, where none are set, at the least that are counted
 * well (prove.h). False, with proof->failure, where it does not. */
bool tg_problem_prove(const TgProblem *problem, TgProof *proof);

/** Steps on A and B, as tg_stepper_new(), with the problem's sizes, type and network. `options` may be NULL. The
 * problem must outlive the stepper, unchanged. */
TgStepper *tg_problem_step(const TgProblem *problem, const TgStepperOptions *options, const void *a, const void *b,
                           GError **error);

/** Predicts a run of it on the machine, as tg_cost_predict(). `options` may be NULL: hockney, overlap, no noise. */
bool tg_problem_predict(const TgProblem *problem, const TgCostOptions *options, TgCost *cost, GError **error);

/** Opens an executor on it, as tg_executor_open(), with its sizes and type. `options` may be NULL. The problem must
 * outlive the executor. */
TgExecutor *tg_problem_open(const TgProblem *problem, const TgExecutorKind *kind, const TgExecutorOptions *options,
                            GError **error);

TG_END_DECLS

#endif
