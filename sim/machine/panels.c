#include "pipeline.h"

#include "sim-error.h"

#include <inttypes.h>
#include <math.h>

enum {
  MOST_UNITS = 2048, /* of a direction; more are taken together */
  THICK = 1024,      /* the inner dimension beyond which products gain nothing */
  LONG = 8192        /* rows of A at a time beyond which they gain little */
};

/* One way to cut C: into strips of columns (`across`) or of rows, each then cut into panels. */
typedef struct Cut {
  const TgPanelsJob *job;
  bool across;
  int64_t step, chunk;
  int64_t unit_rows, unit_columns; /* multiples of the job's */
  int64_t down, wide;              /* units of C in both directions */
} Cut;

static int64_t multiple_up(int64_t value, int64_t unit) {
  return tg_divide_up(value, unit) * unit;
}

/* Thicker units where there are too many of them to try all. */
static int64_t thick_unit(int64_t extent, int64_t unit) {
  while (tg_divide_up(extent, unit) > MOST_UNITS) unit *= 2;
  return unit;
}

static Cut cut_of(const TgPanelsJob *job, int64_t step, int64_t chunk, bool across) {
  Cut cut = {.job = job, .across = across, .step = step, .chunk = chunk};
  cut.unit_rows = thick_unit(job->m, job->unit.x);
  cut.unit_columns = thick_unit(job->n, job->unit.z);
  cut.down = tg_divide_up(job->m, cut.unit_rows);
  cut.wide = tg_divide_up(job->n, cut.unit_columns);
  return cut;
}

/* Memory for A and B with a panel of so many columns. */
static double stream_bytes(const Cut *cut, int64_t columns) {
  const TgPanelsJob *job = cut->job;
  return (double)job->element_bytes * (double)cut->step *
         ((double)job->a_buffers * (double)cut->chunk + (double)job->b_buffers * (double)columns);
}

/* The least number of parts into which a strip of `units` in the first direction is cut in the other; 0: none fits. */
static int64_t parts_of(const Cut *cut, int64_t units) {
  const TgPanelsJob *job = cut->job;
  const double e = (double)job->element_bytes;
  double most;
  if (cut->across) {
    const int64_t columns = MIN(units * cut->unit_columns, job->n);
    const double for_each = (double)job->c_buffers * (double)columns * e;
    most = (job->memory_bytes - stream_bytes(cut, columns)) / for_each / (double)cut->unit_rows;
  } else {
    const int64_t rows = MIN(units * cut->unit_rows, job->m);
    const double for_each = ((double)(job->c_buffers * rows) + (double)(job->b_buffers * cut->step)) * e;
    most = (job->memory_bytes - stream_bytes(cut, 0)) / for_each / (double)cut->unit_columns;
  }
  const int64_t length = cut->across ? cut->down : cut->wide;
  if (!(most >= 1))
    return most * (double)(cut->across ? cut->unit_rows : cut->unit_columns) >= (double)(cut->across ? job->m : job->n)
               ? 1
               : 0;
  return most >= (double)length ? 1 : tg_divide_up(length, (int64_t)most);
}

/* Elements that a strip reads, over k: the other matrix once, and its own part once for each part. */
static double strip_reads(const Cut *cut, int64_t units, int64_t parts) {
  const TgPanelsJob *job = cut->job;
  const int64_t other = cut->across ? job->m : job->n;
  const int64_t own = cut->across ? MIN(units * cut->unit_columns, job->n) : MIN(units * cut->unit_rows, job->m);
  return (double)other + (double)parts * (double)own;
}

/* The strips that read least: strip[i] is the last one of the first i units, [0] unused. Returns what all read, over k;
 * INFINITY where there is no way. Of ways that read the same, the one with the fewest strips. */
static double best_strips(const Cut *cut, int64_t *strip) {
  const int64_t length = cut->across ? cut->wide : cut->down;
  g_autofree double *least = g_new(double, length + 1);
  g_autofree int64_t *parts = g_new(int64_t, length + 1);
  for (int64_t units = 1; units <= length; units++) parts[units] = parts_of(cut, units);
  least[0] = 0;
  for (int64_t end = 1; end <= length; end++) {
    least[end] = INFINITY;
    for (int64_t units = end; units >= 1; units--) {
      if (!parts[units]) continue;
      const double reads = least[end - units] + strip_reads(cut, units, parts[units]);
      if (reads >= least[end]) continue;
      least[end] = reads;
      strip[end] = units;
    }
  }
  return least[length];
}

/* --- the panels of a way to cut ----------------------------------------------------------------------------------- */

/* Room for them is doubled: there are 2^n - 1 places. */
static bool is_full(int64_t count) {
  return (count & (count + 1)) == 0;
}

static void add_panel(TgPanels *panels, const TgPanelsJob *job, const TgPanel *panel) {
  const double e = (double)job->element_bytes;
  if (is_full(panels->count)) panels->panel = g_renew(TgPanel, panels->panel, 2 * panels->count + 1);
  panels->panel[panels->count++] = *panel;
  panels->panel_bytes =
      fmax(panels->panel_bytes, (double)job->c_buffers * (double)panel->rows * (double)panel->columns * e);
  panels->b_bytes = fmax(panels->b_bytes, (double)(job->b_buffers * panels->step) * (double)panel->columns * e);
  panels->read_elements += (double)job->k * ((double)panel->rows + (double)panel->columns);
}

/* Part `part` of `parts` of `length` units, as even as they come: its first unit. */
static int64_t first_of(int64_t part, int64_t parts, int64_t length) {
  return part * (length / parts) + MIN(part, length % parts);
}

static void add_strip(TgPanels *panels, const Cut *cut, int64_t begin, int64_t end) {
  const TgPanelsJob *job = cut->job;
  const int64_t length = cut->across ? cut->down : cut->wide;
  const int64_t parts = parts_of(cut, end - begin);
  for (int64_t p = 0; p < parts; p++) {
    const int64_t from = first_of(p, parts, length), to = first_of(p + 1, parts, length);
    const int64_t top = cut->across ? from : begin, bottom = cut->across ? to : end;
    const int64_t left = cut->across ? begin : from, right = cut->across ? end : to;
    TgPanel panel = {.row = top * cut->unit_rows, .column = left * cut->unit_columns};
    panel.rows = MIN(bottom * cut->unit_rows, job->m) - panel.row;
    panel.columns = MIN(right * cut->unit_columns, job->n) - panel.column;
    add_panel(panels, job, &panel);
  }
}

static void add_strips(TgPanels *panels, const Cut *cut, const int64_t *strip, int64_t end) {
  if (end == 0) return;
  add_strips(panels, cut, strip, end - strip[end]);
  add_strip(panels, cut, end - strip[end], end);
}

static double bound_elements(const TgPanelsJob *job) {
  return tg_pipeline_bound(job->m, job->n, job->k, job->memory_bytes / (double)job->element_bytes);
}

/* Starts an empty plan for this cut. */
static void begin(TgPanels *panels, const Cut *cut) {
  const TgPanelsJob *job = cut->job;
  tg_panels_clear(panels);
  panels->step = cut->step;
  panels->chunk = cut->chunk;
  panels->a_bytes = (double)job->element_bytes * (double)(job->a_buffers * cut->chunk) * (double)cut->step;
  panels->bound_elements = bound_elements(job);
}

void tg_panels_clear(TgPanels *panels) {
  g_free(panels->panel);
  *panels = (TgPanels){0};
}

/* How many times as long products take, and how much longer reads are waited for, than with chunks and steps of any
 * size: BLAS first copies parts of both factors, once for each chunk of A and each step; the first step of B must be in
 * memory before anything is multiplied. Measured with OpenBLAS 0.3.21 on 2 cores, f32, on panels of 7168 columns: 1024
 * rows are 10 % slower than 2048, 128 columns of A 9 % slower than 256. Reads are taken to last half as long as
 * products. */
static double slowness(const TgPanelsJob *job, int64_t step, int64_t chunk) {
  const double for_rows = 160, for_inner = 26, reads = 0.5;
  const double rows = (double)MIN(chunk, job->m), inner = (double)MIN(step, job->k);
  return (1 + for_rows / rows) * (1 + for_inner / inner) * (1 + reads * inner / (double)job->k);
}

/* What a plan is chosen by: a tenth more reads is as bad as products that take a fifth longer, since a disk may be
 * slow. */
static double cost_of(const TgPanelsJob *job, double reads, int64_t step, int64_t chunk) {
  return reads * reads * slowness(job, step, chunk);
}

static double cost_of_best(const TgPanelsJob *job, const TgPanels *best) {
  return best->panel ? cost_of(job, best->read_elements, best->step, best->chunk) : INFINITY;
}

/* Replaces the panels where these ones cost less. */
static void try_cut(TgPanels *panels, const TgPanelsJob *job, int64_t step, int64_t chunk, bool across) {
  const Cut cut = cut_of(job, step, chunk, across);
  const double least = (double)(job->m + job->n) * (double)job->k, cost = cost_of_best(job, panels);
  if (cost_of(job, least, step, chunk) >= cost) return; /* whatever the cut */
  g_autofree int64_t *strip = g_new0(int64_t, MAX(cut.down, cut.wide) + 1);
  const double reads = best_strips(&cut, strip) * (double)job->k;
  if (!isfinite(reads) || cost_of(job, reads, step, chunk) >= cost) return;
  begin(panels, &cut);
  add_strips(panels, &cut, strip, across ? cut.wide : cut.down);
}

/* About 3/4 of it, a multiple of the unit. */
static int64_t shorter(int64_t length, int64_t unit) {
  return MIN(multiple_up(length * 3 / 4, unit), length - unit);
}

/* Steps from THICK and chunks from LONG down to one tile: what is thinner or shorter leaves more room for C. */
static bool find_panels(TgPanels *panels, const TgPanelsJob *job) {
  const int64_t all = multiple_up(job->k, job->unit.y), rows = multiple_up(job->m, job->unit.x);
  for (int64_t step = MIN(multiple_up(THICK, job->unit.y), all);; step = multiple_up(step / 2, job->unit.y)) {
    for (int64_t chunk = MIN(multiple_up(LONG, job->unit.x), rows);; chunk = shorter(chunk, job->unit.x)) {
      try_cut(panels, job, step, chunk, true);
      try_cut(panels, job, step, chunk, false);
      if (chunk <= job->unit.x) break;
    }
    if (step <= job->unit.y) return panels->panel != NULL;
  }
}

/* Panels of x rows and z columns. */
static void add_uniform(TgPanels *panels, const Cut *cut, int64_t x, int64_t z) {
  const TgPanelsJob *job = cut->job;
  begin(panels, cut);
  for (int64_t row = 0; row < job->m; row += x)
    for (int64_t column = 0; column < job->n; column += z) {
      const TgPanel panel = {row, column, MIN(x, job->m - row), MIN(z, job->n - column)};
      add_panel(panels, job, &panel);
    }
}

/* Replaces the panels by equal ones, with the same step and chunk, where these read less. */
static void try_uniform(TgPanels *panels, const TgPanelsJob *job) {
  const Cut cut = {.job = job, .step = panels->step, .chunk = panels->chunk};
  const double e = (double)job->element_bytes;
  double least = panels->read_elements;
  int64_t best_x = 0, best_z = 0;
  for (int64_t x = job->unit.x; x < job->m + job->unit.x; x += job->unit.x) {
    const double rows = (double)MIN(x, job->m);
    const double columns = (job->memory_bytes - stream_bytes(&cut, 0)) /
                           (e * ((double)job->c_buffers * rows + (double)(job->b_buffers * cut.step)));
    const int64_t z = columns >= (double)job->n ? job->n : (int64_t)columns / job->unit.z * job->unit.z;
    if (z <= 0) break;
    const double reads = (double)job->k * ((double)job->m * (double)tg_divide_up(job->n, z) +
                                           (double)job->n * (double)tg_divide_up(job->m, x));
    if (reads >= least) continue;
    least = reads;
    best_x = x;
    best_z = z;
  }
  if (best_x > 0) add_uniform(panels, &cut, best_x, best_z);
}

/* The buffers serve all panels: the tallest may need more for C than the widest, and less for B. */
static double buffer_bytes(const TgPanels *panels) {
  return panels->panel_bytes + panels->a_bytes + panels->b_bytes;
}

/* Longer chunks in the memory that is left, which cost nothing; not beyond the tallest panel. */
static void lengthen_chunks(TgPanels *panels, const TgPanelsJob *job) {
  const double row_bytes = panels->a_bytes / (double)panels->chunk;
  const int64_t rows = panels->chunk + (int64_t)((job->memory_bytes - buffer_bytes(panels)) / row_bytes);
  int64_t tallest = 0;
  for (int64_t p = 0; p < panels->count; p++) tallest = MAX(tallest, panels->panel[p].rows);
  const int64_t most = MIN(multiple_up(LONG, job->unit.x), multiple_up(tallest, job->unit.x));
  panels->chunk = MAX(panels->chunk, MIN(rows / job->unit.x * job->unit.x, most));
  panels->a_bytes = row_bytes * (double)panels->chunk;
}

/* Each panel fits by itself. Where the largest buffers of all do not, panels are planned with as much less memory, or
 * are equal. */
static bool find_fitting_panels(TgPanels *panels, const TgPanelsJob *job) {
  static const double part = 0.25; /* of the excess at a time: panels are whole tiles, which may make up for the rest */
  TgPanelsJob tried = *job;
  while (find_panels(panels, &tried)) {
    const double excess = buffer_bytes(panels) - job->memory_bytes;
    panels->bound_elements = bound_elements(job);
    if (excess <= 0) {
      if (tried.memory_bytes < job->memory_bytes) try_uniform(panels, job);
      lengthen_chunks(panels, job);
      return true;
    }
    tried.memory_bytes -= fmax(part * excess, (double)job->element_bytes);
    tg_panels_clear(panels);
  }
  if (job->memory_bytes < tg_panels_least_bytes(job)) return false;
  *panels = (TgPanels){.step = job->unit.y, .chunk = job->unit.x, .read_elements = INFINITY};
  try_uniform(panels, job);
  if (!panels->panel) return false;
  lengthen_chunks(panels, job);
  return true;
}

/* --- given panels ----------------------------------------------------------------------------------------------- */

static bool check_blocks(const TgPanelsJob *job, GError **error) {
  const struct {
    const char *what, *why;
    int64_t size, unit, extent;
  } rows[] = {{"rows of A and C", "the number of rows in a tile of A", job->blocks.x, job->unit.x, job->m},
              {"columns of A and rows of B", "so that blocks end at tile boundaries of both A and B", job->blocks.y,
               job->unit.y, job->k},
              {"columns of B and C", "the number of columns in a tile of B", job->blocks.z, job->unit.z, job->n}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (rows[i].size < rows[i].extent && rows[i].size % rows[i].unit != 0)
      return TG_SIM_FAIL(error, BAD_INPUT, "blocks of %" PRId64 " %s must be a multiple of %" PRId64 ", %s",
                         rows[i].size, rows[i].what, rows[i].unit, rows[i].why);
  return true;
}

static void take_blocks(TgPanels *panels, const TgPanelsJob *job) {
  const int64_t rows = TG_PANELS_CHUNK_BYTES / (job->blocks.y * job->element_bytes);
  const Cut cut = {.job = job,
                   .step = MIN(job->blocks.y, multiple_up(job->k, job->unit.y)),
                   .chunk = MIN(multiple_up(MAX(rows, 1), job->unit.x), multiple_up(job->m, job->unit.x))};
  add_uniform(panels, &cut, job->blocks.x, job->blocks.z);
}

static bool refuse(const TgPanelsJob *job, double least_bytes, GError **error) {
  return TG_SIM_FAIL(error, TOO_LARGE, "the panels need at least %.0f bytes of memory; %.0f are available", least_bytes,
                     fmax(job->memory_bytes, 0));
}

double tg_panels_least_bytes(const TgPanelsJob *job) {
  if (job->blocks.x) {
    TgPanels panels = {0};
    take_blocks(&panels, job);
    const double bytes = buffer_bytes(&panels);
    tg_panels_clear(&panels);
    return bytes;
  }
  const int64_t rows = MIN(job->unit.x, job->m), columns = MIN(job->unit.z, job->n);
  const Cut cut = {.job = job, .step = job->unit.y, .chunk = job->unit.x};
  return stream_bytes(&cut, columns) + (double)(job->c_buffers * job->element_bytes) * (double)rows * (double)columns;
}

bool tg_panels_plan(TgPanels *panels, const TgPanelsJob *job, GError **error) {
  *panels = (TgPanels){0};
  if (!job->blocks.x) return find_fitting_panels(panels, job) || refuse(job, tg_panels_least_bytes(job), error);
  if (!check_blocks(job, error)) return false;
  const double least = tg_panels_least_bytes(job);
  if (least > job->memory_bytes) return refuse(job, least, error);
  take_blocks(panels, job);
  return true;
}
