/* Where the time of the node that finishes last goes: in total, and by step. */
#include "output.h"
#include "sim.h"

#include <string.h>

/** The parts, as they are shown. */
typedef struct Part {
  const char *name, *words;
  gsize at;
} Part;

#define PART(field, name, words)                                                                                       \
  { name, words, offsetof(TgTimeParts, field) }

static const Part parts[] = {
    PART(products_s, "products", "on the node that finishes last"),
    PART(additions_s, "additions", "of blocks that arrive to those that are there"),
    PART(latency_s, "latency", "of messages, where nothing hides them"),
    PART(bytes_s, "bytes", "of these messages, at the bandwidth of the links"),
    PART(contention_s, "contention", "what they take longer because other messages use the same links or receiver"),
    PART(waiting_s, "waiting", "for a partner that is not ready"),
    PART(skew_s, "skew", "its late start (--skew)"),
};

enum { FIRST_TRAVELLING = 2, MOST_ROWS = 24 };

static double *part_of(TgTimeParts *of, const Part *part) {
  return (double *)(void *)((char *)of + part->at);
}

static void add_fact(TgTable *table, const Part *part, TgTimeParts *sum, const char *indent) {
  g_autofree char *name = g_strconcat(indent, part->name, NULL);
  tg_table_add_fact(table, name, tg_time_text(*part_of(sum, part)).s, "%s", part->words);
}

void tg_sim_add_parts(TgTable *table, const TgEstimate *run) {
  const TgCost *cost = run->cost;
  if (!cost->parts) {
    tg_table_add_fact(table, "products", tg_time_text(cost->compute_s).s, "%s", parts[0].words);
    tg_table_add_fact(table, "communication", tg_time_text(cost->communication_s).s,
                      "the rest of its time: transfers that no product hides, and waiting");
    return;
  }
  TgTimeParts sum = tg_cost_parts(cost);
  add_fact(table, &parts[0], &sum, "");
  if (sum.additions_s > 0) add_fact(table, &parts[1], &sum, "");
  tg_table_add_fact(table, "communication", tg_time_text(cost->communication_s).s, "the rest of its time");
  for (gsize p = FIRST_TRAVELLING; p < G_N_ELEMENTS(parts); p++)
    if (*part_of(&sum, &parts[p]) > 0) add_fact(table, &parts[p], &sum, "  ");
}

char *tg_sim_parts_text(const TgCost *cost) {
  GString *text = g_string_new(NULL);
  TgTimeParts sum = cost->parts ? tg_cost_parts(cost) : (TgTimeParts){.products_s = cost->compute_s};
  for (gsize p = 0; p < G_N_ELEMENTS(parts); p++)
    if (*part_of(&sum, &parts[p]) > 0)
      g_string_append_printf(text, "%s%s %s", text->len ? ", " : "", parts[p].name,
                             tg_time_text(*part_of(&sum, &parts[p])).s);
  return g_string_free(text, FALSE);
}

/* --- by step ------------------------------------------------------------------------------------------------------ */

/* Steps in a row with one label. */
typedef struct Row {
  int64_t first, last; /* the schedule's numbers of them */
  const char *label;
  TgTimeParts sum;
} Row;

static GArray *find_rows(const TgCost *cost) {
  GArray *rows = g_array_new(FALSE, TRUE, sizeof(Row));
  for (int64_t s = 0; s < cost->trace.steps; s++) {
    const TgTraceStep *step = &cost->trace.step[s];
    Row *row = rows->len ? &g_array_index(rows, Row, rows->len - 1) : NULL;
    if (!row || strcmp(row->label, step->label) != 0) {
      const Row next = {.first = step->index, .label = step->label};
      g_array_append_val(rows, next);
      row = &g_array_index(rows, Row, rows->len - 1);
    }
    row->last = step->index;
    for (gsize p = 0; p < G_N_ELEMENTS(parts); p++)
      *part_of(&row->sum, &parts[p]) += *part_of(&cost->parts[s], &parts[p]);
  }
  return rows;
}

static void add_row(TgTable *table, const Row *row, TgTimeParts *total) {
  TgTimeParts sum = row->sum;
  if (row->first == row->last)
    tg_table_add(table, "%" PRId64, row->first);
  else
    tg_table_add(table, "%" PRId64 "-%" PRId64, row->first, row->last);
  tg_table_add(table, "%s", row->label);
  for (gsize p = 0; p < G_N_ELEMENTS(parts); p++)
    if (*part_of(total, &parts[p]) > 0) tg_table_add_time(table, *part_of(&sum, &parts[p]));
}

void tg_sim_print_parts(TgCli *cli, const TgEstimate *run) {
  if (!run->cost->parts) return;
  TgTimeParts total = tg_cost_parts(run->cost);
  g_autoptr(GArray) rows = find_rows(run->cost);
  g_autoptr(TgTable) table = NULL;
  g_autoptr(GString) columns = g_string_new("rl");
  if (rows->len < 2) return; /* the total has it all */
  for (gsize p = 0; p < G_N_ELEMENTS(parts); p++)
    if (*part_of(&total, &parts[p]) > 0) g_string_append_c(columns, 'r');
  table = tg_table_new(columns->str);
  tg_table_add_row(table, "step|label");
  for (gsize p = 0; p < G_N_ELEMENTS(parts); p++)
    if (*part_of(&total, &parts[p]) > 0) tg_table_add(table, "%s", parts[p].name);
  for (guint r = 0; r < MIN(rows->len, MOST_ROWS); r++) add_row(table, &g_array_index(rows, Row, r), &total);
  tg_print(cli, "\n  where the time of %s, which finishes last, goes\n",
           tg_sim_vertex_text(run, run->cost->last_node).s);
  tg_table_print(cli, table, 2, true);
  if (rows->len > MOST_ROWS) tg_print(cli, "  … and %u more rows; --json prints every step\n", rows->len - MOST_ROWS);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

TG_FIELD_TABLE(part_fields, TG_FIELD(TgTimeParts, products_s), TG_FIELD(TgTimeParts, additions_s),
               TG_FIELD(TgTimeParts, latency_s), TG_FIELD(TgTimeParts, bytes_s), TG_FIELD(TgTimeParts, contention_s),
               TG_FIELD(TgTimeParts, waiting_s), TG_FIELD(TgTimeParts, skew_s));

static void write_parts(TgJson *json, const TgTimeParts *of) {
  tg_json_member_object(json, "parts", TG_JSON_ROW);
  tg_json_members(json, part_fields, of);
  tg_json_end_object(json);
}

void tg_sim_write_parts(TgJson *json, const TgEstimate *run) {
  if (!run->cost->parts) return;
  const TgTimeParts sum = tg_cost_parts(run->cost);
  write_parts(json, &sum);
}

void tg_sim_write_step_parts(TgJson *json, const TgCost *cost, int64_t step) {
  if (cost->parts) write_parts(json, &cost->parts[step]);
}
