/* Which grids there are to choose from. Nothing here knows a schedule by name: the extents' parameters, their number
 * and `require` say which grids a schedule takes. */
#include "plan-private.h"

#include <inttypes.h>
#include <math.h>

enum {
  BELOW = 64,  /* how far below a number of processors a grid of several free extents is looked for */
  TRIES = 2048 /* values of a single free extent, from the largest down */
};

void tg_plan_extents(const TgSchedule *schedule, TgPlanExtents *extents) {
  extents->count = 0;
  for (int c = 0; c < schedule->dims; c++) {
    uint8_t code = schedule->code[schedule->extent_value[c]];
    int parameter = code >= TG_CODE_VARIABLE ? code - TG_CODE_VARIABLE - TG_VARIABLE_PARAMETER : -1;
    if (parameter < 0 || schedule->parameter_kind[parameter] == TG_PARAMETER_DERIVED) continue;
    int e = 0;
    while (e < extents->count && extents->parameter[e] != parameter) e++;
    if (e == extents->count) {
      extents->parameter[extents->count] = parameter;
      extents->power[extents->count++] = 0;
    }
    extents->power[e]++;
  }
}

/* The whole root, or 0 where there is none. */
static int64_t root_of(int64_t number, int power) {
  int64_t root = llround(pow((double)number, 1.0 / power)), check = 1;
  for (int i = 0; i < power; i++) check *= root;
  return check == number ? root : 0;
}

static int by_value(gconstpointer a, gconstpointer b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Numbers whose `power` divides `number`, ascending. */
static GArray *divisors_of(int64_t number, int power) {
  GArray *divisors = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (int64_t d = 1; pow((double)d, MAX(power, 2)) <= (double)number; d++) {
    int64_t product = 1, other = number / d;
    for (int i = 0; i < power; i++) product *= d;
    if (number % product) continue;
    g_array_append_val(divisors, d);
    if (power == 1 && other != d) g_array_append_val(divisors, other);
  }
  g_array_sort(divisors, by_value);
  return divisors;
}

/* All factorisations of `left` over the extents from number `e` on. */
static bool factorise(TgPlanSearch *search, int source, TgPlanExtents *extents, int e, int64_t left) {
  bool found = false;
  if (e == extents->count - 1) {
    extents->value[e] = root_of(left, extents->power[e]);
    return extents->value[e] > 0 && tg_plan_try_grid(search, source, extents);
  }
  g_autoptr(GArray) divisors = divisors_of(left, extents->power[e]);
  for (guint d = 0; d < divisors->len; d++) {
    int64_t product = 1;
    extents->value[e] = g_array_index(divisors, int64_t, d);
    for (int i = 0; i < extents->power[e]; i++) product *= extents->value[e];
    found = factorise(search, source, extents, e + 1, left / product) || found;
  }
  return found;
}

/* One free extent: its largest value that the schedule takes, with `least` to `most` processors. */
static bool descend(TgPlanSearch *search, int source, TgPlanExtents *extents, int64_t most, int64_t least) {
  int64_t value = (int64_t)floor(pow((double)most, 1.0 / extents->power[0]) + 1e-9);
  for (int tries = 0; value >= 1 && tries < TRIES; value--, tries++) {
    if (pow((double)value, extents->power[0]) < (double)least) return false;
    extents->value[0] = value;
    if (tg_plan_try_grid(search, source, extents)) return true;
  }
  return false;
}

static bool find_below(TgPlanSearch *search, int source, TgPlanExtents *extents, int64_t most, int64_t least) {
  if (extents->count == 1) return descend(search, source, extents, most, least);
  search->thin = false;
  for (int64_t p = most; p >= least && p > most - BELOW; p--) {
    if (factorise(search, source, extents, 0, p)) return true;
    if (search->thin) return false; /* a few processors less would not make blocks larger */
  }
  return false;
}

/* True where `left` has `count` factors from `low` to `high`, the largest at most twice the smallest. */
static bool is_compact(int64_t left, int count, int64_t low, int64_t high) {
  if (count == 1) return left >= low && left <= high;
  int64_t root = (int64_t)ceil(pow((double)left, 1.0 / count));
  for (int64_t value = MAX(low, root / 2); value <= MIN(high, root); value++)
    if (value > 0 && left % value == 0 && is_compact(left / value, count - 1, value, MIN(high, 2 * value))) return true;
  return false;
}

/* 13 processors have only lines, 26 only long rectangles: the next number below with a grid nearly square, or cubic, is
 * worth a look. */
static void find_compact(TgPlanSearch *search, int source, TgPlanExtents *extents) {
  int64_t processors = search->request->processors;
  for (int e = 0; e < extents->count; e++)
    if (extents->power[e] > 1) return;
  for (int64_t p = processors; p > processors / 2 && p > processors - BELOW; p--) {
    if (!is_compact(p, extents->count, 1, p)) continue;
    if (p < processors) factorise(search, source, extents, 0, p);
    return;
  }
}

/* "i:q, j:q" */
static char *extents_text(const TgPlanSource *source) {
  GString *text = g_string_new(NULL);
  for (int c = 0; c < source->schedule->dims; c++) {
    uint8_t code = source->schedule->code[source->schedule->extent_value[c]];
    const char *name = tg_name(source->names, source->names->axis[c]);
    g_string_append_printf(text, "%s%s", c ? ", " : "", name);
    if (code >= TG_CODE_VARIABLE)
      g_string_append_printf(
          text, ":%s",
          tg_name(source->names, source->names->parameter[code - TG_CODE_VARIABLE - TG_VARIABLE_PARAMETER]));
  }
  return g_string_free(text, FALSE);
}

/* Says that as many processors as asked for make no grid of this schedule, unless a reason stands there already. */
static void note_none(TgPlanSearch *search, int source, guint rejected, guint grids) {
  if (search->plan->rejected->len > rejected) return;
  const TgPlanSource *from = &search->sources[source];
  g_autofree char *extents = extents_text(from), *processors = g_strdup_printf("%" PRId64, search->request->processors);
  const char *below = search->grids->len > grids ? g_array_index(search->grids, TgPlanGrid, grids).text : NULL;
  tg_plan_reject(
      search, source, TG_PLAN_REQUIRE, processors,
      below ? g_strdup_printf("no grid (%s) has %s processors; tried instead: %s and below", extents, processors, below)
            : g_strdup_printf("no grid (%s) has %s processors or fewer", extents, processors));
}

void tg_plan_find_grids(TgPlanSearch *search, int source) {
  TgPlanExtents extents;
  int64_t processors = search->request->processors;
  guint grids = search->grids->len, rejected = search->plan->rejected->len;
  tg_plan_extents(search->sources[source].schedule, &extents);
  search->exact = false;
  if (extents.count == 0) { /* a grid of numbers alone */
    tg_plan_try_grid(search, source, &extents);
  } else {
    for (int64_t most = processors; most >= 1; most /= 2) find_below(search, source, &extents, most, most / 2 + 1);
    if (extents.count > 1) find_compact(search, source, &extents);
  }
  if (!search->exact) note_none(search, source, rejected, grids);
}
