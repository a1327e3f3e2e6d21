#include "problem.h"

#include "algo-library.h"
#include "machine-library.h"

struct TgProblem {
  TgSchedule schedule;
  TgScheduleNames names;
  TgShape shape; /**< m is 0 until sizes are set */
  TgElement element;
  TgMachine machine;
  TgTopology network;
  TgEmbeddingKind embedding;
  bool has_network; /**< it was set */
};

static const char usual_machine[] = "commodity-cluster";

const char *tg_version(void) {
  return TG_VERSION;
}

/* --- made of what ------------------------------------------------------------------------------------------------- */

TgProblem *tg_problem_new(const char *text, size_t length, TgError *error) {
  g_autoptr(TgProblem) problem = g_new0(TgProblem, 1);
  const TgMachineEntry *machine = tg_machine_library_find(usual_machine);
  if (!tg_schedule_parse(&problem->schedule, &problem->names, text, length, error)) return NULL;
  if (!tg_machine_parse(&problem->machine, machine->text, machine->length, error)) return NULL;
  return g_steal_pointer(&problem);
}

TgProblem *tg_problem_from_library(const char *name, TgError *error) {
  const TgLibraryEntry *entry = tg_library_find(name);
  if (entry) return tg_problem_new(entry->text, entry->length, error);
  tg_error_set(error, 0, 0, "no schedule `%s` in the library", name);
  return NULL;
}

void tg_problem_free(TgProblem *problem) {
  g_free(problem);
}

/* Unless one was set: the machine's own, or the torus of the grid. */
static bool choose_network(TgProblem *problem, TgError *error) {
  const TgSchedule *schedule = &problem->schedule;
  TgTopology *network = &problem->network;
  if (problem->has_network || schedule->bound != TG_BOUND_YES) return true;
  problem->embedding = TG_ROWMAJOR;
  const char *own = tg_machine_own_network(&problem->machine, tg_schedule_processors(schedule));
  return tg_topology_for_grid(network, own, schedule->dims, schedule->extent, error);
}

bool tg_problem_bind(TgProblem *problem, const char *grid, const char *parameters, TgError *error) {
  TgBindings bindings = {0};
  g_auto(GStrv) texts = g_strsplit(parameters ? parameters : "", ",", -1);
  if (grid && !tg_bindings_grid(&bindings, grid, error)) return false;
  for (char **text = texts; *text; text++)
    if (!tg_bindings_parse(&bindings, *text, error)) return false;
  problem->shape = (TgShape){0};
  problem->has_network = false;
  return tg_schedule_bind(&problem->schedule, &problem->names, &bindings, error) && choose_network(problem, error);
}

bool tg_problem_set_sizes(TgProblem *problem, int64_t m, int64_t n, int64_t k, TgElement element, GError **error) {
  problem->element = element;
  return tg_shape_init(&problem->shape, &problem->schedule.computes, m, n, k, error);
}

bool tg_problem_set_network(TgProblem *problem, const char *network, TgEmbeddingKind embedding, TgError *error) {
  const TgSchedule *schedule = &problem->schedule;
  TgTopology wanted;
  TgEmbedding unused;
  if (!network) {
    problem->has_network = false;
    return choose_network(problem, error);
  }
  if (!tg_topology_for_grid(&wanted, network, schedule->dims, schedule->extent, error) ||
      !tg_embedding_init(&unused, embedding, schedule->dims, schedule->extent, &wanted, error))
    return false;
  problem->has_network = true;
  problem->network = wanted;
  problem->embedding = embedding;
  return true;
}

bool tg_problem_set_machine(TgProblem *problem, const char *text, size_t length, TgError *error) {
  TgMachine machine;
  if (!tg_machine_parse(&machine, text, length, error)) return false;
  problem->machine = machine;
  return choose_network(problem, error);
}

void tg_problem_take_machine(TgProblem *problem, const TgMachine *machine) {
  TgError unused;
  problem->machine = *machine;
  choose_network(problem, &unused); /* what a grid is bound to has a network */
}

const TgSchedule *tg_problem_schedule(const TgProblem *problem) {
  return &problem->schedule;
}

const TgScheduleNames *tg_problem_names(const TgProblem *problem) {
  return &problem->names;
}

const TgShape *tg_problem_shape(const TgProblem *problem) {
  return &problem->shape;
}

TgElement tg_problem_element(const TgProblem *problem) {
  return problem->element;
}

const TgTopology *tg_problem_network(const TgProblem *problem) {
  return &problem->network;
}

TgEmbeddingKind tg_problem_embedding(const TgProblem *problem) {
  return problem->embedding;
}

const TgMachine *tg_problem_machine(const TgProblem *problem) {
  return &problem->machine;
}

/* --- its readers -------------------------------------------------------------------------------------------------- */

static bool is_sized(const TgProblem *problem, GError **error) {
  if (problem->shape.m > 0) return true;
  return TG_SIM_FAIL(error, BAD_INPUT, "the problem has no grid or no sizes yet");
}

bool tg_problem_prove(const TgProblem *problem, TgProof *proof) {
  int64_t m = problem->shape.m, n = problem->shape.n, k = problem->shape.k;
  if (m == 0) tg_proof_sizes(&problem->schedule, &m, &n, &k);
  return tg_prove(&problem->schedule, &problem->names, TG_COLLECTIVE_WHOLE, m, n, k, proof);
}

TgStepper *tg_problem_step(const TgProblem *problem, const TgStepperOptions *options, const void *a, const void *b,
                           GError **error) {
  TgStepperOptions own = options ? *options : (TgStepperOptions){0};
  if (!is_sized(problem, error)) return NULL;
  own.m = problem->shape.m;
  own.n = problem->shape.n;
  own.k = problem->shape.k;
  own.element = problem->element;
  own.network = &problem->network;
  own.embedding = problem->embedding;
  return tg_stepper_new(&problem->schedule, &problem->names, &own, a, b, error);
}

bool tg_problem_predict(const TgProblem *problem, const TgCostOptions *options, TgCost *cost, GError **error) {
  TgCostOptions own = options ? *options : (TgCostOptions){.overlap = true, .straggler = -1};
  if (!is_sized(problem, error)) return false;
  own.element_bytes = tg_element_bytes(problem->element);
  return tg_cost_predict(&problem->schedule, &problem->names, &problem->shape, &problem->network, problem->embedding,
                         &problem->machine, &own, cost, error);
}

TgExecutor *tg_problem_open(const TgProblem *problem, const TgExecutorKind *kind, const TgExecutorOptions *options,
                            GError **error) {
  TgExecutorOptions own = options ? *options : (TgExecutorOptions){0};
  if (!is_sized(problem, error)) return NULL;
  own.m = problem->shape.m;
  own.n = problem->shape.n;
  own.k = problem->shape.k;
  own.element = problem->element;
  return tg_executor_open(kind, &problem->schedule, &problem->names, &own, error);
}
