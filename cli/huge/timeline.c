#include "timeline.h"

#include "plot-file.h"
#include "trace-file.h"

#include "text-units.h"

#include <inttypes.h>

enum { SIDES = 8 }; /* spans of a stage that are shown side by side, at most */

TgExit tg_timeline_begin(const TgCli *cli, TgTimeline *timeline) {
  const TgExit status = tg_plot_file_check(cli);
  if (!status && (cli->options.plot || cli->options.trace))
    timeline->spans = g_array_new(FALSE, FALSE, sizeof(TgHugeSpan));
  return status;
}

void tg_timeline_clear(TgTimeline *timeline) {
  if (timeline->spans) g_array_unref(timeline->spans);
}

static const TgHugeSpan *span_at(const TgTimeline *timeline, guint number) {
  return &g_array_index(timeline->spans, TgHugeSpan, number);
}

/* When each track is free again. A track is one side of one stage of one rank. */
static double *tracks_new(const TgTimeline *timeline) {
  return g_new0(double, (gsize)timeline->ranks *TG_HUGE_STAGES *SIDES);
}

/* A lane is one stage of one rank. */
static int lane_of(const TgHugeSpan *span) {
  return span->rank * TG_HUGE_STAGES + (int)span->stage;
}

/* Finds the first free side for a span, and marks it as used until the span ends. */
static int take_side(const TgHugeSpan *span, double *free_s) {
  double *const sides = &free_s[lane_of(span) * SIDES];
  int side = 0;
  while (side < SIDES - 1 && sides[side] > span->begin_s) side++;
  sides[side] = span->end_s;
  return side;
}

/* "read A", or with several ranks "rank 1 read A". */
static char *lane_name(const TgTimeline *timeline, int lane) {
  const char *stage = tg_huge_stage_name((TgHugeStage)(lane % TG_HUGE_STAGES));
  return timeline->ranks > 1 ? g_strdup_printf("rank %d %s", lane / TG_HUGE_STAGES, stage) : g_strdup(stage);
}

/* --- the trace ---------------------------------------------------------------------------------------------------- */

static int arguments_of(TgHugeStage stage) {
  if (stage == TG_HUGE_SEND || stage == TG_HUGE_RECEIVE) return 0;
  if (stage == TG_HUGE_READ_A || stage == TG_HUGE_MULTIPLY) return 3;
  return stage == TG_HUGE_READ_B ? 2 : 1;
}

static TgExit write_trace(TgCli *cli, const TgTimeline *timeline) {
  g_autofree double *free_s = tracks_new(timeline);
  g_autofree bool *named = g_new0(bool, (gsize)timeline->ranks *TG_HUGE_STAGES *SIDES);
  g_auto(TgTraceFile) file = {.process = TG_TRACE_MEASURED};
  tg_trace_begin(
      &file, (const char *const[]){"algorithm", timeline->algorithm, "from", timeline->from, "io", timeline->io}, 3);
  tg_trace_name(&file, "process_name", 0, "huge");
  for (guint i = 0; i < timeline->spans->len; i++) {
    const TgHugeSpan *span = span_at(timeline, i);
    const TgTraceArgument about[] = {{"panel", NULL, (double)span->panel + 1},
                                     {"step", NULL, (double)span->step + 1},
                                     {"chunk", NULL, (double)span->chunk + 1}};
    const int track = lane_of(span) * SIDES + take_side(span, free_s);
    g_autofree char *name = lane_name(timeline, lane_of(span));
    if (!named[track]) tg_trace_name(&file, "thread_name", track, name);
    named[track] = true;
    tg_trace_slice(&file, &(TgTraceSlice){.track = track,
                                          .name = tg_huge_stage_name(span->stage),
                                          .kind = "huge",
                                          .start_s = span->begin_s,
                                          .end_s = span->end_s,
                                          .argument = about,
                                          .arguments = arguments_of(span->stage)});
  }
  return tg_trace_end(cli, &file, NULL);
}

/* --- the picture -------------------------------------------------------------------------------------------------- */

enum { WIDTH = 1000, ROW = 22, MARGINS = 110, MOST_BARS = 1500 /* in a row; gaps too small to see are closed */ };

/* The picture has a row for each track that is used. Returns the first row of each lane, and at the end the number of
 * rows. */
static int *find_rows(const TgTimeline *timeline) {
  const int lanes = timeline->ranks * TG_HUGE_STAGES;
  g_autofree double *free_s = tracks_new(timeline);
  int *rows = g_new0(int, (gsize)lanes + 1);
  for (guint i = 0; i < timeline->spans->len; i++) {
    const TgHugeSpan *span = span_at(timeline, i);
    const int side = take_side(span, free_s);
    rows[lane_of(span) + 1] = MAX(rows[lane_of(span) + 1], side + 1);
  }
  for (int lane = 0; lane < lanes; lane++) rows[lane + 1] += rows[lane];
  return rows;
}

static void add_bar(GString *script, double begin_s, double end_s, int row) {
  const double half = 0.36; /* of a row's height */
  const double values[] = {(begin_s + end_s) / 2, row, begin_s, end_s, row - half, row + half};
  for (size_t i = 0; i < G_N_ELEMENTS(values); i++) tg_plot_add_number(script, values[i]);
  g_string_append_c(script, '\n');
}

/* The bars of one stage, for all ranks. */
static void add_bars(GString *script, const TgTimeline *timeline, const int *rows, TgHugeStage stage, double all_s) {
  g_autofree double *free_s = tracks_new(timeline), *begin_s = tracks_new(timeline), *end_s = tracks_new(timeline);
  const int tracks = timeline->ranks * TG_HUGE_STAGES * SIDES;
  g_string_append_printf(script, "$stage_%d << EOD\n", (int)stage);
  for (guint i = 0; i < timeline->spans->len; i++) {
    const TgHugeSpan *span = span_at(timeline, i);
    if (span->stage != stage) continue;
    const int track = lane_of(span) * SIDES + take_side(span, free_s);
    if (span->begin_s - end_s[track] > all_s / MOST_BARS) {
      if (end_s[track] > 0) add_bar(script, begin_s[track], end_s[track], rows[track / SIDES] + track % SIDES);
      begin_s[track] = span->begin_s;
    }
    end_s[track] = span->end_s;
  }
  for (int track = 0; track < tracks; track++)
    if (end_s[track] > 0) add_bar(script, begin_s[track], end_s[track], rows[track / SIDES] + track % SIDES);
  g_string_append(script, "EOD\n");
}

static void add_names(GString *script, const TgTimeline *timeline, const int *rows) {
  const char *before = "";
  g_string_append(script, "set ytics scale 0 (");
  for (int lane = 0; lane < timeline->ranks * TG_HUGE_STAGES; lane++) {
    g_autofree char *name = lane_name(timeline, lane);
    if (rows[lane] == rows[lane + 1]) continue;
    g_string_append_printf(script, "%s'%s'", before, name);
    tg_plot_add_number(script, (rows[lane] + rows[lane + 1] - 1) / 2.0);
    before = ", ";
  }
  g_string_append(script, ")\n");
}

static char *make_script(const void *data, const TgPlotFormat *format) {
  const TgTimeline *timeline = data;
  const int lanes = timeline->ranks * TG_HUGE_STAGES;
  g_autofree int *rows = find_rows(timeline);
  double all_s = 0;
  for (guint i = 0; i < timeline->spans->len; i++) all_s = MAX(all_s, span_at(timeline, i)->end_s);
  GString *script = tg_plot_script_new(format, WIDTH, MARGINS + ROW * MAX(rows[lanes], 1));
  g_autofree char *title = g_strdup_printf("huge %s, from %s", timeline->algorithm, timeline->from),
                  *quoted = tg_plot_quoted(title);
  tg_plot_add_styles(script, TG_HUGE_STAGES);
  g_string_append_printf(script,
                         "set title %s noenhanced\nset xlabel 'time, s'\nunset key\nset style fill solid noborder\n"
                         "set grid xtics\nset tics nomirror\nset border 1\nset lmargin %d\nset xrange [0:%g]\n"
                         "set yrange [%d.5:-0.5]\n",
                         quoted, timeline->ranks > 1 ? 19 : 12, all_s > 0 ? all_s : 1, MAX(rows[lanes], 1) - 1);
  add_names(script, timeline, rows);
  for (int stage = 0; stage < TG_HUGE_STAGES; stage++) add_bars(script, timeline, rows, (TgHugeStage)stage, all_s);
  g_string_append(script, "plot NaN");
  for (int stage = 0; stage < TG_HUGE_STAGES; stage++) {
    bool any = false;
    for (guint i = 0; i < timeline->spans->len && !any; i++) any = (int)span_at(timeline, i)->stage == stage;
    if (any)
      g_string_append_printf(script, ", $stage_%d using 1:2:3:4:5:6 with boxxyerror linetype %d", stage, stage + 1);
  }
  g_string_append_c(script, '\n');
  return g_string_free(script, FALSE);
}

TgExit tg_timeline_write(TgCli *cli, TgTimeline *timeline) {
  const TgExit status = cli->options.trace ? write_trace(cli, timeline) : TG_EXIT_DONE;
  return status ? status : tg_plot_file_write(cli, make_script, timeline);
}
