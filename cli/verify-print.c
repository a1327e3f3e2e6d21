/* What `verify` says to people. */
#include "output.h"
#include "verify.h"

#include "shape.h"

#include <string.h>

enum { ROWS = 64 }; /* of a table of sizes; beyond, as many spread evenly */

static const char al_daas[] = "H. Al Daas et al., Tight Memory-Independent Parallel Matrix Multiplication Communication "
                              "Lower Bounds, SPAA 2022";
static const char smith[] = "T. M. Smith et al., A Tight I/O Lower Bound for Matrix Multiplication, arXiv 1702.02017: "
                            "2mnk/(p sqrt(M)) - 2M, M the memory";

char *tg_verification_scope(const TgVerification *verification) {
  g_autofree char *ranges = tg_ranges_text(&verification->ranges, false);
  GString *text = g_string_new(NULL);
  guint checked = verification->verdicts->len;
  g_string_append_printf(text, "checked for %s (%u size%s", ranges, checked, checked == 1 ? "" : "s");
  for (guint i = 0; i < verification->skipped->len; i++) {
    const TgSkipped *skipped = &g_array_index(verification->skipped, TgSkipped, i);
    g_string_append_printf(text, "; %" PRId64 " more %s", skipped->sizes, skipped->reason);
  }
  g_string_append_c(text, ')');
  return g_string_free(text, FALSE);
}

static void add_bound(TgTable *table, const char *what, int64_t measured, const TgBounds *bounds, double bound,
                      const char *source) {
  tg_table_add(table, "%s", what);
  tg_table_add(table, "%" PRId64, measured);
  if (!bounds->apply || bound <= 1e-6) {
    tg_table_add(table, "-");
    tg_table_add(table, "-");
    tg_table_add(table, "%s", bounds->apply ? "says nothing here" : "");
  } else {
    tg_table_add(table, "%.4g", bound);
    tg_table_add(table, "%.2f", (double)measured / bound);
    tg_table_add(table, "%s", "");
  }
  tg_table_add(table, "%s", source);
}

static void print_bounds(TgCli *cli, const TgVerdict *verdict) {
  g_autoptr(TgTable) table = tg_table_new("lrrrll");
  const char *const head[] = {"", "here", "at least", "ratio", "", "lower bound"};
  for (size_t i = 0; i < G_N_ELEMENTS(head); i++) tg_table_add(table, "%s", head[i]);
  const TgBounds *bounds = &verdict->bounds;
  add_bound(table, "words received by the busiest", verdict->words_received_max, bounds, bounds->independent,
            "memory-independent [1]");
  add_bound(table, "", verdict->words_received_max, bounds, bounds->dependent, "memory-dependent [2]");
  add_bound(table, "words of memory of the fullest", verdict->counts.words_per_processor_max, bounds, bounds->memory,
            "one copy of A, B and C, spread evenly");
  tg_table_print(cli, table, 2, true);
  tg_print_wrapped(cli, al_daas, 6, tg_print_label(cli, "  [1]"));
  tg_print_wrapped(cli, smith, 6, tg_print_label(cli, "  [2]"));
}
