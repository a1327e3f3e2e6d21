/* Why a place was won: what tells it from its neighbour in the ranking, in words. */
#include "plan-private.h"

#include <inttypes.h>
#include <math.h>

/* Where the time goes, per processor, as far as it can be told from totals. */
typedef struct TgShares {
  double compute_s, latency_s, bytes_s, rest_s;
} TgShares;

static TgShares shares_of(const TgPlanRequest *request, const TgPlanPlace *place) {
  TgTopology network;
  TgShares shares = {.compute_s = place->compute_s};
  TgMachineLink link = request->machine->link;
  if (tg_topology_parse(&network, place->topology, NULL)) link = tg_machine_link(request->machine, &network, 0, 0);
  double processors = (double)place->processors;
  const TgMachineProtocol protocol = tg_link_protocol(&link, (double)place->bytes / fmax((double)place->messages, 1));
  shares.latency_s = (double)place->messages / processors * protocol.latency_s;
  shares.bytes_s = (double)place->bytes / processors / protocol.bandwidth_bytes_per_s;
  shares.rest_s = place->communication_s - shares.latency_s - shares.bytes_s;
  return shares;
}

static char *name_of(const TgPlanPlace *place) {
  return g_strdup_printf("%s on %s", place->source->name, place->grid);
}

static void quantity_text(double quantity, const char *unit, char *text, size_t size) {
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  int p = 0;
  while (quantity >= 999.5 && p + 1 < (int)G_N_ELEMENTS(prefixes)) {
    quantity /= 1000;
    p++;
  }
  g_snprintf(text, size, "%.3g%s%s%s", quantity, *unit ? " " : "", prefixes[p], unit);
}

/* "fewer bytes (3.1 MB a processor, 4.2 MB with another on 4x4)" */
static char *compare(const char *what, double here, double there, const char *unit, const char *of, const char *other) {
  char first[32], second[32];
  quantity_text(here, unit, first, sizeof first);
  quantity_text(there, unit, second, sizeof second);
  return g_strdup_printf("%s (%s %s, %s with %s)", what, first, of, second, other);
}

static char *compute_words(const TgPlanPlace *place, const TgPlanPlace *other, const char *name, bool wins) {
  if (place->processors != other->processors)
    return g_strdup_printf("%s processors (%" PRId64 ", %" PRId64 " with %s)", wins ? "more" : "fewer",
                           place->processors, other->processors, name);
  if (fabs(place->balance - other->balance) > 0.005)
    return g_strdup_printf("%s balance of the products (mean over maximum %.2f, %.2f with %s)",
                           wins ? "better" : "worse", place->balance, other->balance, name);
  return g_strdup_printf("%s products (%.4g s, %.4g s with %s)", wins ? "faster" : "slower", place->compute_s,
                         other->compute_s, name);
}

static char *rest_words(const TgPlanRequest *request, const TgPlanPlace *place, const TgPlanPlace *other,
                        const char *name, bool wins) {
  bool shared = request->model == TG_COST_FORWARD || request->model == TG_COST_FLOW;
  if (shared && place->max_link_bytes != other->max_link_bytes &&
      (place->max_link_bytes < other->max_link_bytes) == wins)
    return compare(wins ? "less contention" : "more contention", (double)place->max_link_bytes,
                   (double)other->max_link_bytes, "B", "over the busiest link", name);
  return g_strdup_printf("%s time in transfers that no product hides, and waiting (%.4g s, %.4g s with %s)",
                         wins ? "less" : "more", place->communication_s, other->communication_s, name);
}

/* The largest part of the difference; `wins`: of what `place` has less of. */
static char *difference(const TgPlanRequest *request, const TgPlanPlace *place, const TgPlanPlace *other, bool wins) {
  TgShares here = shares_of(request, place), there = shares_of(request, other);
  const double sign = wins ? 1 : -1, processors = (double)place->processors;
  const double gain[] = {sign * (there.compute_s - here.compute_s), sign * (there.latency_s - here.latency_s),
                         sign * (there.bytes_s - here.bytes_s), sign * (there.rest_s - here.rest_s)};
  g_autofree char *name = name_of(other);
  int largest = 0;
  for (int i = 1; i < 4; i++)
    if (gain[i] > gain[largest]) largest = i;
  if (largest == 0) return compute_words(place, other, name, wins);
  if (largest == 1)
    return compare(wins ? "fewer messages" : "more messages", (double)place->messages / processors,
                   (double)other->messages / (double)other->processors, "", "per processor", name);
  if (largest == 2)
    return compare(wins ? "fewer bytes" : "more bytes", (double)place->bytes / processors,
                   (double)other->bytes / (double)other->processors, "B", "per processor", name);
  return rest_words(request, place, other, name, wins);
}

/* --- in words ----------------------------------------------------------------------------------------------------- */

/* Below it a difference is not worth a word: 0.0 percent. */
static const double alike = 5e-4;

/* From here on a factor says more than a percentage. */
static const double twice = 2;

static void factor_text(double factor, char *text, size_t size) {
  g_snprintf(text, size, factor < 100 ? "%.1f" : factor < 1e6 ? "%.0f" : "%.3g", factor);
}

static char *words_of_first(const TgPlanPlace *first, const TgPlanPlace *next) {
  char factor[32];
  g_autofree char *name = name_of(next);
  if (first->predicted_s == 0) return g_strdup_printf("takes 0 s, %s %.4g s", name, next->predicted_s);
  if (next->predicted_s < twice * first->predicted_s)
    return g_strdup_printf("%.1f %% less time than %s", 100 * (1 - first->predicted_s / next->predicted_s), name);
  factor_text(next->predicted_s / first->predicted_s, factor, sizeof factor);
  return g_strdup_printf("%s times as fast as %s", factor, name);
}

/* The first is compared with the next place that is not as quick, among those that are sure to be next. */
static char *explain_first(const TgPlanRequest *request, const GArray *ranked) {
  const TgPlanPlace *first = &g_array_index(ranked, TgPlanPlace, 0), *next = NULL;
  const guint places = MIN(ranked->len, (guint)MAX(request->top, 2));
  for (guint i = 1; i < places && !next; i++) {
    const TgPlanPlace *place = &g_array_index(ranked, TgPlanPlace, i);
    if (place->predicted_s > first->predicted_s * (1 + alike)) next = place;
  }
  if (next) {
    g_autofree char *words = words_of_first(first, next), *why = difference(request, first, next, true);
    return g_strdup_printf("%s: %s", words, why);
  }
  if (places == 1) return g_strdup("no other candidate");
  if (first->predicted_s == 0) return g_strdup("takes 0 s, like all others here");
  g_autofree char *name = name_of(&g_array_index(ranked, TgPlanPlace, 1));
  return g_strdup_printf("as fast as %s%s", name, places > 2 ? " and all others here" : "");
}

static char *words_behind(const TgPlanPlace *place, const TgPlanPlace *best) {
  char factor[32];
  if (best->predicted_s == 0) return g_strdup_printf("takes %.4g s, the first 0 s", place->predicted_s);
  if (place->predicted_s < twice * best->predicted_s)
    return g_strdup_printf("%.1f %% more time than the first", 100 * (place->predicted_s / best->predicted_s - 1));
  factor_text(place->predicted_s / best->predicted_s, factor, sizeof factor);
  return g_strdup_printf("%s times the time of the first", factor);
}

static char *explain_behind(const TgPlanRequest *request, const TgPlanPlace *place, const TgPlanPlace *best) {
  if (place->predicted_s <= best->predicted_s * (1 + alike)) {
    g_autofree char *name = name_of(best);
    return g_strdup_printf("as fast as %s%s", name,
                           place->bytes > best->bytes             ? ", with more bytes sent"
                           : place->processors > best->processors ? ", with more processors"
                                                                  : "");
  }
  g_autofree char *words = words_behind(place, best), *why = difference(request, place, best, false);
  return g_strdup_printf("%s: %s", words, why);
}

/* What was not predicted, or only at rounded sizes, may be faster than the first. */
static void add_doubt(const TgPlanSearch *search, TgPlanPlace *first) {
  const int64_t open = search->plan->open + search->plan->rounded;
  if (open == 0) return;
  char *why = g_strdup_printf("%s; not certain, since %" PRId64 " combination%s may be faster", first->why, open,
                              open == 1 ? "" : "s");
  g_free(first->why);
  first->why = why;
}

void tg_plan_explain(const TgPlanSearch *search, GArray *ranked) {
  const TgPlanRequest *request = search->request;
  for (guint i = 0; i < ranked->len && i < (guint)request->top; i++) {
    TgPlanPlace *place = &g_array_index(ranked, TgPlanPlace, i);
    TgPlanPlace *first = &g_array_index(ranked, TgPlanPlace, 0);
    place->why = i > 0 ? explain_behind(request, place, first) : explain_first(request, ranked);
  }
  if (ranked->len) add_doubt(search, &g_array_index(ranked, TgPlanPlace, 0));
}
