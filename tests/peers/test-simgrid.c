/* The model `flow` compared with SimGrid, on the same platform and with the same transfers. */
#include "../schedule-text.h"
#include "clock.h"
#include "cost.h"
#include "simgrid-run.h"
#include "phase.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 32, ELEMENT_BYTES = 8, LARGE = 8000 }; /* blocks of 8192 bytes */

static const PeerLinks links = {.latency_s = 1e-6, .bandwidth_bytes_per_s = 1.25e9};

/* They differ by rounding alone. The most that is asked of them is 1%. */
static const double agreement = 1e-6;

typedef struct Peer {
  const char *schedule; /* of the library, or cannon-q-shifts: that text after the library's alignment */
  int side, dims;       /* of the grid of processors */
  const char *network;  /* NULL: the torus of the grid */
  double skew_s;
  TgCollective collective;
  int odd;              /* added to n, so that blocks differ in size */
  const char *fat_tree; /* the parameters of the same network as SimGrid's own; NULL: with the routes of topo/ */
  double large_part;    /* of the bandwidth, for messages of at least LARGE bytes; 0: all of it */
} Peer;

static const Peer peers[] = {
    {"cannon-q-shifts", 4, 2, NULL, 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"cannon-q-shifts", 8, 2, NULL, 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"cannon-q-shifts", 16, 2, NULL, 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"cannon-q-shifts", 32, 2, NULL, 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"summa", 4, 2, NULL, 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"summa", 8, 2, NULL, 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"summa", 16, 2, NULL, 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"dns", 2, 3, NULL, 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"dns", 4, 3, NULL, 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"dns", 8, 3, NULL, 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"cannon-q-shifts", 9, 2, NULL, 1e-5, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"cannon-q-shifts", 32, 2, NULL, 1e-5, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"cannon", 7, 2, NULL, 1e-5, TG_COLLECTIVE_AUTO, 5, NULL, 0},
    {"cannon", 8, 2, "mesh:8x8", 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"cannon", 8, 2, "hypercube:6", 1e-6, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"cannon", 8, 2, "switch:8*ring:8", 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"cannon", 8, 2, "switch:4*spine:16x3", 0, TG_COLLECTIVE_AUTO, 0, "2;4,16;1,3;1,1", 0},
    {"summa", 8, 2, "switch:4*spine:4x2*spine:4x2", 0, TG_COLLECTIVE_AUTO, 0, "3;4,4,4;1,2,2;1,1,1", 0},
    {"transpose", 8, 2, "switch:2*spine:4x3*spine:8x2", 1e-6, TG_COLLECTIVE_AUTO, 0, "3;2,4,8;1,3,2;1,1,1", 0},
    {"dns", 4, 3, "switch:8*spine:8x4", 0, TG_COLLECTIVE_AUTO, 1, "2;8,8;1,4;1,1", 0},
    {"cannon", 8, 2, "switch:4*ecmp:16x4", 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"dns", 4, 3, "switch:2*dragonfly:8x4", 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"cannon", 9, 2, "mesh:81", 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"summa", 6, 2, "mesh:6x6", 1e-6, TG_COLLECTIVE_PAIRWISE, 1, NULL, 0},
    {"dns", 4, 3, "torus:8x8", 0, TG_COLLECTIVE_AUTO, 0, NULL, 0},
    {"dns", 5, 3, NULL, 1e-5, TG_COLLECTIVE_AUTO, 3, NULL, 0},
    {"cannon", 9, 2, "mesh:81", 0, TG_COLLECTIVE_AUTO, 0, NULL, 0.4},
    {"cannon", 8, 2, NULL, 1e-6, TG_COLLECTIVE_AUTO, 3, NULL, 0.3},
    {"dns", 4, 3, "torus:8x8", 0, TG_COLLECTIVE_AUTO, 0, NULL, 0.7},
};

/* The alignment goes before the loop of the text, and the blocks begin where they do in the library's. */
static char *with_alignment(const char *text) {
  g_auto(GStrv) parts = g_strsplit(text, "repeat s in q", 2);
  g_assert_nonnull(parts[1]);
  return g_strconcat("schedule cannon-aligned\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nstep \"align\"\n"
                     "  move A to (i, j-i)\n  move B to (i-j, j)\nrepeat s in q",
                     parts[1], NULL);
}

static char *text_of(const char *name) {
  const TgLibraryEntry *entry = tg_library_find(name);
  if (entry) return g_strndup(entry->text, entry->length);
  g_autofree char *file = g_strconcat(name, ".sched", NULL);
  g_autofree char *path = g_build_filename(g_getenv("TG_TEST_SCHEDULES"), file, NULL);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  return with_alignment(text);
}

typedef struct Problem {
  Bound bound;
  TgShape shape;
  TgTopology network;
  TgMachine machine;
  TgCostOptions options;
} Problem;

static void set_network(Problem *problem, const Peer *peer) {
  TgError failure;
  int32_t extents[3] = {peer->side, peer->side, peer->side};
  if (peer->network)
    g_assert_true(tg_topology_parse(&problem->network, peer->network, &failure));
  else
    g_assert_true(tg_topology_init(&problem->network, TG_TORUS, peer->dims, extents, &failure));
}

static void set_problem(Problem *problem, const Peer *peer) {
  const double large = (peer->large_part > 0 ? peer->large_part : 1) * links.bandwidth_bytes_per_s;
  g_autofree char *machine = g_strdup_printf("[machine]\nname = peer\nsource = none\n[link]\nlatency_s = 1e-6\n"
                                             "per_hop_s = 1e-6\nbandwidth_bytes_per_s = 1.25e9\n"
                                             "protocols = %d:1e-6:%g\n[processor]\nflops_per_s = inf\n",
                                             LARGE, large);
  TgError failure;
  GError *error = NULL;
  g_autofree char *text = text_of(peer->schedule);
  g_autofree char *grid = g_strdup_printf(peer->dims == 3 ? "%dx%dx%d" : "%dx%d", peer->side, peer->side, peer->side);
  g_assert_true(bound_from(&problem->bound, text, grid, NULL));
  if (!tg_machine_parse(&problem->machine, machine, strlen(machine), &failure)) g_error("%s", failure.message);
  set_network(problem, peer);
  int64_t n = (int64_t)BLOCK * peer->side + peer->odd;
  tg_shape_init(&problem->shape, &problem->bound.schedule.computes, n, n, n, &error);
  g_assert_no_error(error);
  problem->options = (TgCostOptions){.model = TG_COST_FLOW,
                                     .as_executed = true,
                                     .collective = peer->collective,
                                     .overlap = true,
                                     .skew_s = peer->skew_s,
                                     .straggler = -1,
                                     .seed = 11,
                                     .element_bytes = ELEMENT_BYTES};
}

static double flow_time_s(const Problem *problem, bool fair_equal) {
  TgCost cost;
  GError *error = NULL;
  TgCostOptions options = problem->options;
  options.fair_equal = fair_equal;
  tg_cost_predict(&problem->bound.schedule, &problem->bound.names, &problem->shape, &problem->network, TG_ROWMAJOR,
                  &problem->machine, &options, &cost, &error);
  g_assert_no_error(error);
  double time_s = cost.time_s;
  tg_cost_clear(&cost);
  return time_s;
}

/* Those of the library itself. Row-major on a torus of the grid's own extents, a processor is the node of its number.
 */
static GPtrArray *phases_of(const Problem *problem) {
  TgPhase *phase;
  TgPhaseAt at;
  GError *error = NULL;
  GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)tg_phase_release);
  const TgPhasesOf of = {.schedule = &problem->bound.schedule,
                         .names = &problem->bound.names,
                         .shape = &problem->shape,
                         .element_bytes = ELEMENT_BYTES,
                         .collective = problem->options.collective};
  g_autoptr(TgPhases) phases = tg_phases_new(&of, &error);
  g_assert_no_error(error);
  while (tg_phases_next(phases, &phase, &at, &error) == TG_PROGRESS_MORE) g_ptr_array_add(all, phase);
  g_assert_no_error(error);
  return all;
}

/* SimGrid has one engine a process. */
static double simgrid_in_child_s(const Problem *problem, const Peer *peer) {
  int ends[2], status;
  double time_s = NAN;
  TgClocks clocks;
  g_autoptr(GPtrArray) phases = phases_of(problem);
  tg_clocks_init(&clocks, problem->network.nodes, &problem->bound.schedule, &problem->machine, &problem->options);
  g_assert_cmpint(pipe(ends), ==, 0);
  pid_t child = fork();
  g_assert_cmpint(child, >=, 0);
  if (child == 0) {
    const PeerLinks own = {peer->fat_tree, links.latency_s, links.bandwidth_bytes_per_s, LARGE, peer->large_part};
    time_s = simgrid_time_s(&problem->network, &own, clocks.port, (TgPhase *const *)phases->pdata, phases->len);
    _exit(write(ends[1], &time_s, sizeof time_s) == sizeof time_s ? 0 : 1);
  }
  tg_clocks_clear(&clocks);
  close(ends[1]);
  g_assert_cmpint(read(ends[0], &time_s, sizeof time_s), ==, sizeof time_s);
  close(ends[0]);
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_cmpint(status, ==, 0);
  return time_s;
}

static void test_peer(gconstpointer data) {
  const Peer *peer = data;
  Problem problem;
  char network[TG_TOPOLOGY_TEXT_BYTES];
  set_problem(&problem, peer);
  tg_topology_format(&problem.network, network, sizeof network);
  double ours_s = flow_time_s(&problem, false), theirs_s = simgrid_in_child_s(&problem, peer);
  g_test_message(
      "%s, %d processors, %s%s%s: flow %.4f us, SimGrid %.4f us, difference %.1e%%; with equal shares %.4f us",
      peer->schedule, problem.network.nodes, network, peer->skew_s > 0 ? ", skewed" : "",
      peer->odd ? ", uneven blocks" : "", ours_s * 1e6, theirs_s * 1e6, (ours_s / theirs_s - 1) * 100,
      flow_time_s(&problem, true) * 1e6);
  g_assert_cmpfloat(fabs(ours_s - theirs_s), <=, agreement * theirs_s);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (gsize p = 0; p < G_N_ELEMENTS(peers); p++) {
    g_autofree char *path = g_strdup_printf("/simgrid/%s/%d/%" G_GSIZE_FORMAT, peers[p].schedule, peers[p].side, p);
    g_test_add_data_func(path, &peers[p], test_peer);
  }
  return g_test_run();
}
