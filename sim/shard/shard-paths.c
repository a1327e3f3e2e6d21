/* The ways between shardings: which collectives take a matrix from one to another and receive least. */
#include "shard-private.h"

#include <float.h>
#include <string.h>

int64_t tg_shard_extent(const TgShardProblem *problem, const TgShardAxes *axes) {
  int64_t extent = 1;
  for (int i = 0; i < axes->count; i++) extent *= problem->extent[axes->axis[i]];
  return extent;
}

static unsigned used_by(const TgShardAxes *axes) {
  unsigned used = 0;
  for (int i = 0; i < axes->count; i++) used |= 1u << axes->axis[i];
  return used;
}

unsigned tg_shard_used(const TgSharding *sharding) {
  return used_by(&sharding->dim[0]) | used_by(&sharding->dim[1]);
}

/* --- one step ----------------------------------------------------------------------------------------------------- */

static bool same_axes(const TgShardAxes *a, const TgShardAxes *b) {
  return a->count == b->count && memcmp(a->axis, b->axis, sizeof a->axis) == 0;
}

static bool same(const TgSharding *a, const TgSharding *b) {
  return a->partial == b->partial && same_axes(&a->dim[0], &b->dim[0]) && same_axes(&a->dim[1], &b->dim[1]);
}

/* `longer` is `shorter` and one more axis, the minor one. */
static bool extends(const TgShardAxes *shorter, const TgShardAxes *longer) {
  return longer->count == shorter->count + 1 && memcmp(longer->axis, shorter->axis, (size_t)shorter->count) == 0;
}

static int minor(const TgShardAxes *axes) {
  return axes->axis[axes->count - 1];
}

static bool differs_in_minor(const TgShardAxes *a, const TgShardAxes *b) {
  return a->count == b->count && a->count > 0 && minor(a) != minor(b) &&
         memcmp(a->axis, b->axis, (size_t)a->count - 1) == 0;
}

static bool is_permutation(const TgShardProblem *problem, const TgSharding *from, const TgSharding *to) {
  for (int d = 0; d < 2; d++)
    if (tg_shard_extent(problem, &from->dim[d]) != tg_shard_extent(problem, &to->dim[d])) return false;
  return tg_shard_used(from) == tg_shard_used(to);
}

static TgShardStep step_of(TgShardMove move, int dim, int axis) {
  return (TgShardStep){.move = move, .dim = dim, .axis = axis};
}

/* What dimension `d` alone has to do with it; the other one is unchanged. */
static TgShardStep step_in(const TgShardProblem *problem, const TgSharding *from, const TgSharding *to, int d) {
  const TgShardAxes *before = &from->dim[d], *after = &to->dim[d];
  if (from->partial != to->partial) {
    const bool scatter = extends(before, after) && from->partial == (to->partial | 1u << minor(after));
    return step_of(scatter ? TG_SHARD_SCATTER : TG_SHARD_NONE, d, scatter ? minor(after) : 0);
  }
  if (extends(before, after)) return step_of(TG_SHARD_SLICE, d, minor(after));
  if (extends(after, before)) return step_of(TG_SHARD_GATHER, d, minor(before));
  if (differs_in_minor(before, after) && problem->extent[minor(before)] == problem->extent[minor(after)] &&
      !(tg_shard_used(from) >> minor(after) & 1)) {
    TgShardStep step = step_of(TG_SHARD_BROADCAST, d, minor(before));
    step.other = minor(after);
    return step;
  }
  return step_of(TG_SHARD_NONE, 0, 0);
}

static TgShardStep step_between(const TgShardProblem *problem, const TgSharding *from, const TgSharding *to) {
  TgShardStep step = step_of(TG_SHARD_NONE, 0, 0);
  for (int d = 0; d < 2 && !step.move; d++) {
    if (same_axes(&from->dim[!d], &to->dim[!d]))
      step = step_in(problem, from, to, d);
    else if (from->partial == to->partial && extends(&to->dim[d], &from->dim[d]) &&
             extends(&from->dim[!d], &to->dim[!d]) && minor(&from->dim[d]) == minor(&to->dim[!d]))
      step = step_of(TG_SHARD_EXCHANGE, d, minor(&from->dim[d]));
  }
  if (!step.move && from->partial == to->partial && is_permutation(problem, from, to))
    step = step_of(TG_SHARD_PERMUTE, 0, 0);
  step.before = *from;
  step.after = *to;
  return step;
}

/* Of the whole matrix, received by a processor. */
static double share_of(const TgShardProblem *problem, const TgShardStep *step) {
  const double held =
      1.0 / (double)(tg_shard_extent(problem, &step->before.dim[0]) * tg_shard_extent(problem, &step->before.dim[1]));
  const double p = problem->extent[step->axis];
  switch (step->move) {
  case TG_SHARD_GATHER:
    return (p - 1) * held;
  case TG_SHARD_EXCHANGE:
  case TG_SHARD_SCATTER:
    return (p - 1) / p * held;
  case TG_SHARD_BROADCAST:
  case TG_SHARD_PERMUTE:
    return held;
  case TG_SHARD_NONE:
  case TG_SHARD_SLICE:
    break;
  }
  return 0;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

typedef struct Node {
  TgSharding sharding;
  double share;
  int next; /* on the way; -1 at its end */
  bool done;
} Node;

struct TgShardPaths {
  const TgShardProblem *problem;
  GArray *nodes;
  bool backwards;
};

/* Every sharding of a matrix: axis by axis, to any place in the lists of either dimension, to the sums, or nowhere. */
static void list_shardings(TgShardPaths *paths, TgSharding sharding, int axis, bool sums) {
  if (axis == paths->problem->axes) {
    const Node node = {.sharding = sharding, .share = DBL_MAX, .next = -1};
    g_array_append_val(paths->nodes, node);
    return;
  }
  list_shardings(paths, sharding, axis + 1, sums);
  if (paths->problem->extent[axis] == 1) return;
  for (int d = 0; d < 2; d++)
    for (int at = 0; at <= sharding.dim[d].count; at++) {
      TgSharding more = sharding;
      TgShardAxes *axes = &more.dim[d];
      memmove(axes->axis + at + 1, axes->axis + at, (size_t)(axes->count - at));
      axes->axis[at] = (int8_t)axis;
      axes->count++;
      list_shardings(paths, more, axis + 1, sums);
    }
  if (!sums) return;
  sharding.partial |= (uint8_t)(1u << axis);
  list_shardings(paths, sharding, axis + 1, sums);
}

static int find_node(const TgShardPaths *paths, const TgSharding *sharding) {
  for (guint n = 0; n < paths->nodes->len; n++)
    if (same(&g_array_index(paths->nodes, Node, n).sharding, sharding)) return (int)n;
  g_assert_not_reached();
}

static TgShardStep step_along(const TgShardPaths *paths, const Node *near, const Node *far) {
  return paths->backwards ? step_between(paths->problem, &far->sharding, &near->sharding)
                          : step_between(paths->problem, &near->sharding, &far->sharding);
}

static int nearest(const GArray *nodes) {
  int found = -1;
  for (guint n = 0; n < nodes->len; n++) {
    const Node *node = &g_array_index(nodes, Node, n);
    if (node->done || node->share == DBL_MAX) continue;
    if (found < 0 || node->share < g_array_index(nodes, Node, found).share) found = (int)n;
  }
  return found;
}

/* Dijkstra's algorithm. Of ways that receive as much, that of fewest steps. */
static void walk(TgShardPaths *paths) {
  const double a_step = 1e-9;
  int at;
  while ((at = nearest(paths->nodes)) >= 0) {
    Node *near = &g_array_index(paths->nodes, Node, at);
    near->done = true;
    for (guint n = 0; n < paths->nodes->len; n++) {
      Node *far = &g_array_index(paths->nodes, Node, n);
      if (far->done) continue;
      const TgShardStep step = step_along(paths, near, far);
      const double share = near->share + share_of(paths->problem, &step) + a_step;
      if (!step.move || share >= far->share) continue;
      far->share = share;
      far->next = at;
    }
  }
}

TgShardPaths *tg_shard_paths_new(const TgShardProblem *problem, const TgSharding *from, bool backwards) {
  TgShardPaths *paths = g_new0(TgShardPaths, 1);
  paths->problem = problem;
  paths->nodes = g_array_new(FALSE, FALSE, sizeof(Node));
  paths->backwards = backwards;
  list_shardings(paths, (TgSharding){0}, 0, backwards);
  g_array_index(paths->nodes, Node, find_node(paths, from)).share = 0;
  walk(paths);
  return paths;
}

void tg_shard_paths_free(TgShardPaths *paths) {
  if (!paths) return;
  g_array_unref(paths->nodes);
  g_free(paths);
}

void tg_shard_paths_to(const TgShardPaths *paths, const TgSharding *to, TgShardPath *path) {
  int at = find_node(paths, to);
  *path = (TgShardPath){.share = g_array_index(paths->nodes, Node, at).share};
  for (int next; (next = g_array_index(paths->nodes, Node, at).next) >= 0; at = next) {
    g_assert(path->count < TG_SHARD_MOST_STEPS);
    path->step[path->count++] =
        step_along(paths, &g_array_index(paths->nodes, Node, next), &g_array_index(paths->nodes, Node, at));
  }
  for (int i = 0; !paths->backwards && i < path->count / 2; i++) {
    const TgShardStep step = path->step[i];
    path->step[i] = path->step[path->count - 1 - i];
    path->step[path->count - 1 - i] = step;
  }
}
