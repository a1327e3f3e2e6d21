/* Which schedules go on which grids. Nothing here knows one by name: their own grids and requirements say so. */
#include "shapes-private.h"

#include "algo-library.h"

#include <math.h>
#include <string.h>

static bool is_product(const TgSchedule *schedule) {
  const TgComputes *computes = &schedule->computes;
  return computes->left == TG_MATRIX_A && computes->right == TG_MATRIX_B && !computes->left_transposed &&
         !computes->right_transposed;
}

static bool parse(const TgLibraryEntry *entry, TgSchedule *schedule, TgScheduleNames *names) {
  TgError unused;
  return tg_schedule_parse(schedule, names, entry->text, entry->length, &unused) && is_product(schedule);
}

static bool is_schedule(const char *name) {
  g_autofree TgSchedule *schedule = g_new(TgSchedule, 1);
  g_autofree TgScheduleNames *names = g_new(TgScheduleNames, 1);
  const TgLibraryEntry *entry = tg_library_find(name);
  return entry && parse(entry, schedule, names);
}

static bool is_place(const TgShapesPlace *places, size_t count, const char *name) {
  for (size_t p = 0; p < count; p++)
    if (strcmp(places[p].kind->name, name) == 0) return true;
  return false;
}

bool tg_shapes_names_check(const TgShapesPlace *places, size_t count, char **names, GError **error) {
  for (char **name = names; name && *name; name++) {
    if (is_place(places, count, *name) || is_schedule(*name)) continue;
    g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE,
                "--kernels %s: bench shapes takes executors (%s%s%s) and schedules of the library that compute "
                "C = A * B",
                *name, places[0].kind->name, count > 1 ? ", " : "", count > 1 ? places[1].kind->name : "");
    return false;
  }
  return true;
}

/* Where executors are named, these; where schedules are, these. */
static bool is_wanted(const TgShapesPlan *plan, bool of_place, const char *name) {
  bool any = false;
  for (char **given = plan->options->kernels; given && *given; given++) {
    if (is_place(plan->places, plan->place_count, *given) != of_place) continue;
    if (strcmp(*given, name) == 0) return true;
    any = true;
  }
  return !any;
}

static bool bind(TgShapesCase *one, const char *grid) {
  TgBindings bindings = {0};
  TgError unused;
  if (!tg_bindings_grid(&bindings, grid, &unused) || bindings.dims != one->schedule.dims) return false;
  return tg_schedule_bind(&one->schedule, &one->names, &bindings, &unused);
}

/* On one processor every schedule is the same product: one is tried. */
static bool is_new(const TgSweep *sweep, const TgShapesCase *one) {
  if (tg_schedule_processors(&one->schedule) > 1) return true;
  for (guint c = 0; c < sweep->cases->len; c++) {
    const TgShapesCase *other = sweep->cases->pdata[c];
    if (other->place == one->place && tg_schedule_processors(&other->schedule) == 1) return false;
  }
  return true;
}

static void add_cases(TgSweep *sweep, size_t place, const char *grid) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t e = 0; e < count; e++) {
    g_autofree TgShapesCase *one = g_new0(TgShapesCase, 1);
    *one = (TgShapesCase){.place = place, .schedule_name = entries[e].name, .best_s = INFINITY};
    if (!is_wanted(sweep->plan, false, one->schedule_name) || !parse(&entries[e], &one->schedule, &one->names) ||
        !bind(one, grid) || !is_new(sweep, one))
      continue;
    tg_schedule_grid_text(&one->schedule, one->grid, sizeof one->grid);
    g_ptr_array_add(sweep->cases, g_steal_pointer(&one));
  }
}

void tg_shapes_find_cases(TgSweep *sweep) {
  const TgShapesPlan *plan = sweep->plan;
  for (size_t p = 0; p < plan->place_count; p++) {
    if (!is_wanted(plan, true, plan->places[p].kind->name)) continue;
    g_auto(GStrv) grids = g_strsplit(plan->places[p].grids, " ", -1);
    for (char **grid = grids; *grid; grid++) add_cases(sweep, p, *grid);
  }
}
