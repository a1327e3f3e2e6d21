"""Generates the C source of topogemm._native, the cffi module through which Python calls the library, from the declarations
below.

Usage: declarations.py OUTPUT.c
"""
import sys

import cffi

# Structures that end in `...` have further members: the C compiler fills in offsets and sizes.
DECLARATIONS = """
void g_free(void *);
typedef struct { int code; char *message; ...; } GError;
void g_error_free(GError *);
typedef struct { char *data; unsigned len; ...; } GArray;
typedef struct _GBytes GBytes;
const void *g_bytes_get_data(GBytes *, size_t *);
void g_bytes_unref(GBytes *);

typedef struct { char s[64]; } TgText;
typedef struct { int32_t line, column; int64_t step, processor; char message[504]; ...; } TgError;
typedef enum { TG_F32, TG_F64, ... } TgElement;

typedef struct { const char *name, *text; size_t length; } TgLibraryEntry;
const TgLibraryEntry *tg_library_list(size_t *);
const TgLibraryEntry *tg_library_find(const char *);
typedef struct { const char *name, *text; size_t length; } TgMachineEntry;
const TgMachineEntry *tg_machine_library_list(size_t *);
const TgMachineEntry *tg_machine_library_find(const char *);

typedef enum { TG_COLLECTIVE_WHOLE, TG_COLLECTIVE_AUTO, ... } TgCollective;
bool tg_collective_parse(const char *, TgCollective *, TgError *);
typedef int... TgEmbeddingKind;
const char *tg_embedding_name(int);
bool tg_embedding_kind_parse(TgEmbeddingKind *, const char *, TgError *);
typedef struct { ...; } TgEmbedding;
typedef struct { ...; } TgTopology;
bool tg_topology_parse(TgTopology *, const char *, TgError *);
bool tg_topology_for_grid(TgTopology *, const char *, int, const int32_t *, TgError *);
int tg_topology_format(const TgTopology *, char *, size_t);
typedef int... TgNetworkKind;
bool tg_network_kind_parse(const char *, TgNetworkKind *);
bool tg_embedding_init(TgEmbedding *, TgEmbeddingKind, int, const int32_t *, const TgTopology *, TgError *);

typedef struct { uint8_t left, left_transposed, right, right_transposed; } TgComputes;
TgText tg_computes_text(const TgComputes *);
typedef struct { uint8_t dims, buffers, bound; int32_t extent[4]; int32_t blocks[3][2]; TgComputes computes; ...; } TgSchedule;
typedef struct { uint16_t title, display, citation; uint16_t buffer[]; ...; } TgScheduleNames;
const char *tg_name(const TgScheduleNames *, uint16_t);
int64_t tg_schedule_processors(const TgSchedule *);
TgText tg_schedule_grid_text(const TgSchedule *);

typedef struct { int64_t m, n, k; int64_t rows[3], columns[3]; } TgShape;
bool tg_shape_from_matrices(TgShape *, const TgComputes *, int64_t, int64_t, int64_t, int64_t, GError **);
typedef struct { const void *data; int64_t rows, columns, row_stride, column_stride; } TgBlock;

typedef struct { int64_t products, messages, blocks_per_processor_max, words_per_processor_max; ...; } TgStateCounts;
typedef struct { bool ok; TgError failure; TgStateCounts counts; int64_t processors, steps, m, n, k, words_received_max, words_received; ...; } TgProof;
void tg_proof_sizes(const TgSchedule *, int64_t *, int64_t *, int64_t *);
bool tg_prove(const TgSchedule *, const TgScheduleNames *, TgCollective, int64_t, int64_t, int64_t, TgProof *);
double tg_bound_memory_independent(double, double, double, double);

typedef struct { double memory_bytes; ...; } TgMachineProcessor;
typedef struct { char name[]; TgMachineProcessor processor; ...; } TgMachine;
const char *tg_machine_own_network(const TgMachine *, int64_t);
bool tg_machine_parse(TgMachine *, const char *, size_t, TgError *);
double tg_machine_error(const TgMachine *);

typedef struct TgProblem TgProblem;
const char *tg_version(void);
TgProblem *tg_problem_new(const char *, size_t, TgError *);
void tg_problem_free(TgProblem *);
bool tg_problem_bind(TgProblem *, const char *, const char *, TgError *);
bool tg_problem_set_sizes(TgProblem *, int64_t, int64_t, int64_t, TgElement, GError **);
bool tg_problem_set_network(TgProblem *, const char *, TgEmbeddingKind, TgError *);
bool tg_problem_set_machine(TgProblem *, const char *, size_t, TgError *);
const TgSchedule *tg_problem_schedule(const TgProblem *);
const TgScheduleNames *tg_problem_names(const TgProblem *);
const TgTopology *tg_problem_network(const TgProblem *);
const TgMachine *tg_problem_machine(const TgProblem *);

typedef enum { TG_PROGRESS_MORE, TG_PROGRESS_END, TG_PROGRESS_ERROR, ... } TgProgress;
typedef struct TgStepper TgStepper;
typedef struct { TgCollective collective; bool keep_history; ...; } TgStepperOptions;
typedef struct { int64_t messages, bytes, hops, hop_bytes, products; } TgStepperCounts;
TgStepper *tg_problem_step(const TgProblem *, const TgStepperOptions *, const void *, const void *, GError **);
void tg_stepper_free(TgStepper *);
TgProgress tg_stepper_next(TgStepper *, GError **);
TgProgress tg_stepper_back(TgStepper *, GError **);
bool tg_stepper_seek(TgStepper *, int64_t, GError **);
const TgError *tg_stepper_failure(const TgStepper *);
int64_t tg_stepper_position(const TgStepper *);
int64_t tg_stepper_steps(const TgStepper *);
const char *tg_stepper_label(const TgStepper *);
const TgStepperCounts *tg_stepper_counts(const TgStepper *);
bool tg_stepper_slot(const TgStepper *, int64_t, int, int32_t, TgBlock *);
bool tg_stepper_result(TgStepper *, void *, int, GError **);

typedef int... TgCostModel;
bool tg_cost_model_parse(const char *, TgCostModel *, TgError *);
typedef struct { const char *label; int64_t index, messages, bytes, hop_bytes, products; double start_s, end_s; } TgTraceStep;
typedef struct { TgTraceStep *step; int64_t steps; ...; } TgTrace;
typedef struct { TgCostModel model; TgCollective collective; bool overlap; double straggler_factor; int64_t straggler; int64_t element_bytes; ...; } TgCostOptions;
typedef struct { double time_s, compute_s, communication_s; int64_t nodes, messages, bytes, hop_bytes, max_link_bytes; double flops; TgTrace trace; TgError failure; ...; } TgCost;
bool tg_problem_predict(const TgProblem *, const TgCostOptions *, TgCost *, GError **);
void tg_cost_clear(TgCost *);
char *tg_cost_collectives_text(const TgCost *, const TgScheduleNames *);

typedef struct { const TgSchedule *schedule; const TgScheduleNames *names; const char *name; bool proved; } TgPlanSource;
typedef struct {
  int64_t m, n, k, element_bytes, processors; const TgMachine *machine; const TgTopology *network; TgNetworkKind network_kind;
  double memory_bytes; TgCostModel model; bool overlap; int top; double budget_s; ...;
} TgPlanRequest;
typedef struct {
  const TgPlanSource *source; char grid[48]; char topology[]; char *parameters, *collectives; TgEmbeddingKind embedding;
  int64_t processors; double predicted_s, compute_s, communication_s; int64_t messages, bytes; double efficiency, bytes_per_processor;
  bool tie, certain; char *why; ...;
} TgPlanPlace;
typedef struct { char *reason; ...; } TgPlanReject;
typedef struct { GArray *ranked, *rejected; int64_t considered, predicted, too_long, open, rounded, unseen; double least_s, least_bytes; ...; } TgPlan;
bool tg_plan(const TgPlanRequest *, const TgPlanSource *, int, TgPlan *, GError **);
void tg_plan_clear(TgPlan *);

typedef struct { const TgTopology *topology; const TgEmbedding *embedding; TgCollective collective; bool to_the_error; ...; } TgDrawOptions;
GBytes *tg_draw_step(const TgSchedule *, const TgScheduleNames *, const TgDrawOptions *, int64_t, const char *, GError **);
GBytes *tg_draw_animation(const TgSchedule *, const TgScheduleNames *, const TgDrawOptions *, const char *, GError **);
typedef struct {
  const TgSchedule *schedule; const TgScheduleNames *names; const TgDrawOptions *options; const char *text; size_t length;
  const char *grid, *network, *embedding, *heat; const char *const *set; ...;
} TgPageSchedule;
typedef struct { int64_t step, m, n, k; int32_t element_bytes; const char *machine; } TgPageOptions;
GBytes *tg_page_html(const TgPageSchedule *, int, const TgPageOptions *, GError **);
"""

HEADERS = ["algo-library", "bounds", "draw", "embedding", "machine-library", "page", "plan", "problem", "prove"]


def main():
    """Writes the file named by the first argument."""
    builder = cffi.FFI()
    builder.cdef(DECLARATIONS)
    builder.set_source("topogemm._native", "\n".join(f'#include "{name}.h"' for name in HEADERS))
    builder.emit_c_code(sys.argv[1])


if __name__ == "__main__":
    main()
