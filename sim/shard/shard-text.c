/* A candidate as the text of a schedule.
 *
 * Each dimension is cut into as many pieces as the finest sharding on the way has parts, so that every part is a number
 * of whole pieces. A processor's part of a matrix is then `rows` x `columns` blocks, in slots of one buffer row by row.
 */
#include "shard-writer.h"

#include <string.h>

/* --- products ----------------------------------------------------------------------------------------------------- */

/* C[i,j] += A[i,k] * B[k,j] over all pieces that the views have. `first[d]` is where dimension d begins. */
static void write_products(TgShardWriter *writer, const TgShardView view[TG_MATRICES],
                           const char *const first[TG_SHARD_DIMS], const int64_t count[TG_SHARD_DIMS], bool replace) {
  const char *i = tg_shard_loop(writer, count[TG_SHARD_I]), *j = tg_shard_loop(writer, count[TG_SHARD_J]);
  const char *k = tg_shard_loop(writer, count[TG_SHARD_K]);
  const char *index[TG_SHARD_DIMS] = {i, j, k};
  const char *slots[TG_MATRICES];
  for (int m = 0; m < TG_MATRICES; m++) {
    const char *at[2];
    for (int d = 0; d < 2; d++) {
      const int dim = tg_shard_dim_of((TgMatrixName)m, d);
      /* a view that has only the part needs no beginning of it */
      at[d] = view[m].count[d] > count[dim] ? tg_shard_plus(writer, first[dim], index[dim]) : index[dim];
    }
    slots[m] = tg_shard_slot(writer, &view[m], at[0], at[1]);
  }
  tg_shard_line(writer, "%s %s %s * %s", slots[TG_MATRIX_C], replace ? "=" : "+=", slots[TG_MATRIX_A],
                slots[TG_MATRIX_B]);
  for (int d = TG_SHARD_DIMS; d-- > 0;) tg_shard_end_loop(writer, count[d]);
}

static void count_pieces(const TgShardWriter *writer, int64_t count[TG_SHARD_DIMS]) {
  for (int d = 0; d < TG_SHARD_DIMS; d++)
    count[d] = writer->pieces[d] / tg_shard_extent(writer->problem, &writer->candidate->products[d]);
}

/* "(x, y-1)": the neighbour along `axis`; the processor itself where `by` is 0. */
static const char *neighbour(TgShardWriter *writer, int axis, int by) {
  GString *text = g_string_new("(");
  for (int a = 0; a < writer->problem->axes; a++) {
    g_string_append_printf(text, "%s%s", a ? ", " : "", tg_shard_axis_name(writer, a));
    if (a == axis && by) g_string_append_printf(text, "%+d", by);
  }
  g_string_append_c(text, ')');
  return tg_shard_keep(writer, g_string_free(text, FALSE));
}

static const char *const no_beginning[TG_SHARD_DIMS] = {"0", "0", "0"};

/* Parts of A or B go round while the products with those that are there are computed. */
static void write_input_ring(TgShardWriter *writer) {
  const TgMatrixName matrix = (TgMatrixName)writer->candidate->ring;
  const TgShardPath *path = &writer->candidate->path[matrix];
  const TgShardStep *gather = &path->step[path->count - 1];
  const int64_t p = writer->problem->extent[gather->axis];
  const TgShardView *held = &writer->view[matrix];
  const int dim = tg_shard_dim_of(matrix, gather->dim);
  const char *axis = tg_shard_axis_name(writer, gather->axis), *first[TG_SHARD_DIMS] = {"0", "0", "0"};
  int64_t count[TG_SHARD_DIMS];
  count_pieces(writer, count);
  count[dim] /= p;
  const char *t = tg_shard_loop(writer, p);
  first[dim] = tg_shard_times(writer, tg_shard_keep(writer, g_strdup_printf("(%s+%s)%%%" G_GINT64_FORMAT, axis, t, p)),
                              count[dim]);
  tg_shard_line(writer, "step \"multiply and pass on\"");
  writer->depth++;
  write_products(writer, writer->view, first, count, false);
  const int64_t blocks = tg_shard_blocks_of(held);
  const char *block = tg_shard_loop(writer, blocks);
  tg_shard_line(writer, "move %s to %s where %s < %" G_GINT64_FORMAT, tg_shard_slot_of(writer, held, block),
                neighbour(writer, gather->axis, -1), t, p - 1);
  tg_shard_end_loop(writer, blocks);
  writer->depth--;
  tg_shard_end_loop(writer, p);
}

/* Partial sums of C go round, and each processor adds its term. Two of them are kept, one that is computed and one that
 * is on its way. */
static void write_sum_ring(TgShardWriter *writer) {
  const TgShardStep *scatter = &writer->candidate->path[TG_MATRIX_C].step[0];
  const int64_t p = writer->problem->extent[scatter->axis];
  const char *axis = tg_shard_axis_name(writer, scatter->axis), *first[TG_SHARD_DIMS] = {"0", "0", "0"};
  const int dim = tg_shard_dim_of(TG_MATRIX_C, scatter->dim);
  TgShardView view[TG_MATRICES] = {
      writer->view[TG_MATRIX_A], writer->view[TG_MATRIX_B],
      tg_shard_view_of(writer, TG_MATRIX_C, &scatter->after, tg_shard_new_buffer(writer, "S"))};
  TgShardView *sums = &view[TG_MATRIX_C], arrived = tg_shard_view_of(writer, TG_MATRIX_C, &scatter->after,
                                                                     tg_shard_scratch(writer, &writer->arrived, "U"));
  int64_t count[TG_SHARD_DIMS];
  count_pieces(writer, count);
  count[dim] /= p;
  const bool replace = count[TG_SHARD_K] == 1;
  const char *t = tg_shard_loop(writer, p);
  first[dim] = tg_shard_times(
      writer,
      tg_shard_keep(writer, g_strdup_printf("(%s+%" G_GINT64_FORMAT "-%s)%%%" G_GINT64_FORMAT, axis, p - 1, t, p)),
      count[dim]);
  sums->first[0] = (char *)tg_shard_times(writer, tg_shard_keep(writer, g_strdup_printf("%s%%2", t)), sums->count[0]);
  TgShardView other = *sums;
  other.first[0] =
      (char *)tg_shard_times(writer, tg_shard_keep(writer, g_strdup_printf("(%s+1)%%2", t)), sums->count[0]);
  tg_shard_line(writer, "step \"multiply and pass on\"");
  writer->depth++;
  const int64_t blocks = tg_shard_blocks_of(sums);
  if (!replace) {
    const char *block = tg_shard_loop(writer, blocks);
    tg_shard_line(writer, "zero %s", tg_shard_slot_of(writer, sums, block));
    tg_shard_end_loop(writer, blocks);
  }
  write_products(writer, view, first, count, replace);
  const char *block = tg_shard_loop(writer, blocks);
  const char *passed = tg_shard_slot_of(writer, &other, block), *got = tg_shard_slot_of(writer, &arrived, block);
  tg_shard_line(writer, "move %s to %s into %s where %s > 0", passed, neighbour(writer, scatter->axis, 1),
                tg_shard_into(writer, passed, got), t);
  tg_shard_line(writer, "add %s to %s into %s where %s > 0", got, neighbour(writer, scatter->axis, 0),
                tg_shard_slot_of(writer, sums, block), t);
  tg_shard_end_loop(writer, blocks);
  writer->depth--;
  tg_shard_end_loop(writer, p);
  sums->first[0] = (char *)tg_shard_number(writer, (p - 1) % 2 * sums->count[0]);
  writer->view[TG_MATRIX_C] = *sums;
}

static void write_all_products(TgShardWriter *writer) {
  const int ring = writer->candidate->ring;
  const TgSharding computed = {
      .dim = {writer->candidate->products[TG_SHARD_I], writer->candidate->products[TG_SHARD_J]}};
  int64_t count[TG_SHARD_DIMS];
  if (ring == TG_MATRIX_C) {
    write_sum_ring(writer);
    return;
  }
  writer->view[TG_MATRIX_C] = tg_shard_view_of(writer, TG_MATRIX_C, &computed, tg_shard_new_buffer(writer, "C"));
  if (ring < TG_MATRIX_C) {
    write_input_ring(writer);
    return;
  }
  count_pieces(writer, count);
  tg_shard_line(writer, "step \"multiply\"");
  writer->depth++;
  write_products(writer, writer->view, no_beginning, count, false);
  writer->depth--;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static int64_t least_common_multiple(int64_t a, int64_t b) {
  int64_t x = a, y = b;
  while (y) {
    const int64_t rest = x % y;
    x = y;
    y = rest;
  }
  return a / x * b;
}

static void refine(TgShardWriter *writer, TgMatrixName matrix, const TgSharding *sharding) {
  for (int d = 0; d < 2; d++) {
    int64_t *pieces = &writer->pieces[tg_shard_dim_of(matrix, d)];
    *pieces = least_common_multiple(*pieces, tg_shard_extent(writer->problem, &sharding->dim[d]));
  }
}

static void find_pieces(TgShardWriter *writer) {
  for (int d = 0; d < TG_SHARD_DIMS; d++)
    writer->pieces[d] = tg_shard_extent(writer->problem, &writer->candidate->products[d]);
  for (int m = 0; m < TG_MATRICES; m++) {
    const TgShardPath *path = &writer->candidate->path[m];
    refine(writer, (TgMatrixName)m, &writer->problem->matrix[m]);
    for (int i = 0; i < path->count; i++) {
      refine(writer, (TgMatrixName)m, &path->step[i].before);
      refine(writer, (TgMatrixName)m, &path->step[i].after);
    }
  }
}

static void append_place(TgShardWriter *writer, GString *text, TgMatrixName matrix, const TgShardView *view) {
  const TgSharding *sharding = &writer->problem->matrix[matrix];
  const int64_t blocks = tg_shard_blocks_of(view);
  const char *t = blocks == 1 ? "0" : tg_shard_variable(writer), *index[2];
  const char *within[2] = {view->count[1] == 1   ? t
                           : view->count[0] == 1 ? "0"
                                                 : tg_shard_over(writer, t, view->count[1]),
                           view->count[0] == 1 ? t : tg_shard_modulo(writer, t, view->count[1])};
  if (view->count[1] == 1) within[1] = "0";
  for (int d = 0; d < 2; d++)
    index[d] = tg_shard_plus(
        writer, tg_shard_times(writer, tg_shard_index_of(writer, &sharding->dim[d]), view->count[d]), within[d]);
  const char name[] = {"ABC"[matrix], '\0'}, *place = tg_shard_slot_of(writer, view, t);
  g_string_append_printf(text, "place %s(%s, %s) on %s", name, index[0], index[1], neighbour(writer, -1, 0));
  if (strcmp(place, name) != 0) g_string_append_printf(text, " as %s", place);
  if (blocks > 1) g_string_append_printf(text, " for %s in %" G_GINT64_FORMAT, t, blocks);
  g_string_append_c(text, '\n');
}

static char *split_words(const TgShardProblem *problem, const TgShardCandidate *candidate) {
  GString *text = g_string_new(NULL);
  for (int d = 0; d < TG_SHARD_DIMS; d++) {
    const TgShardAxes *axes = &candidate->products[d];
    if (!axes->count) continue;
    g_string_append_printf(text, "%s%s over ", text->len ? ", " : "", problem->dim[d]);
    for (int i = 0; i < axes->count; i++)
      g_string_append_printf(text, "%s%s", i ? "," : "", problem->axis[axes->axis[i]]);
  }
  if (!text->len) g_string_append(text, "all on every processor");
  return g_string_free(text, FALSE);
}

/* The text that comes before all statements. */
static char *head_of(TgShardWriter *writer, const char *name, const TgShardView given[TG_MATRICES]) {
  g_autofree char *sharding = tg_shard_text(writer->problem);
  g_autofree char *split = split_words(writer->problem, writer->candidate);
  GString *head = g_string_new(NULL);
  g_string_append_printf(head, "schedule %s \"%s\"\n  \"topogemm shard, %s\"\n\ngrid ", name, sharding, split);
  for (int a = 0; a < writer->problem->axes; a++)
    g_string_append_printf(head, "%s%s:%d", a ? ", " : "", tg_shard_axis_name(writer, a), writer->problem->extent[a]);
  g_string_append_c(head, '\n');
  append_place(writer, head, TG_MATRIX_A, &given[TG_MATRIX_A]);
  append_place(writer, head, TG_MATRIX_B, &given[TG_MATRIX_B]);
  append_place(writer, head, TG_MATRIX_C, &writer->view[TG_MATRIX_C]);
  g_string_append_c(head, '\n');
  return g_string_free(head, FALSE);
}

char *tg_shard_schedule(const TgShardProblem *problem, const TgShardCandidate *candidate, const char *name) {
  TgShardWriter writer = {.problem = problem,
                          .candidate = candidate,
                          .text = g_string_new(NULL),
                          .expressions = g_ptr_array_new_with_free_func(g_free),
                          .buffers = g_ptr_array_new_with_free_func(g_free)};
  TgShardView given[TG_MATRICES];
  find_pieces(&writer);
  for (int m = 0; m < TG_MATRIX_C; m++) {
    static const char *const names[] = {"A", "B"};
    given[m] = tg_shard_view_of(&writer, (TgMatrixName)m, &problem->matrix[m], tg_shard_new_buffer(&writer, names[m]));
    writer.view[m] = given[m];
  }
  for (int m = 0; m < TG_MATRIX_C; m++) {
    const int count = candidate->path[m].count;
    tg_shard_write_path(&writer, (TgMatrixName)m, 0, candidate->ring == m ? count - 1 : count);
  }
  write_all_products(&writer);
  tg_shard_write_path(&writer, TG_MATRIX_C, candidate->ring == TG_MATRIX_C ? 1 : 0, candidate->path[TG_MATRIX_C].count);
  g_autofree char *head = head_of(&writer, name, given);
  g_string_prepend(writer.text, head);
  g_ptr_array_unref(writer.expressions);
  g_ptr_array_unref(writer.buffers);
  return g_string_free(writer.text, FALSE);
}

char *tg_shard_split(const TgShardProblem *problem, const TgShardCandidate *candidate) {
  return split_words(problem, candidate);
}

char *tg_shard_words(const TgShardProblem *problem, const TgShardCandidate *candidate) {
  GString *text = g_string_new(NULL);
  for (int m = 0; m < TG_MATRICES; m++)
    for (int i = 0; i < candidate->path[m].count; i++) {
      const int round = m == TG_MATRIX_C ? 0 : candidate->path[m].count - 1;
      g_autofree char *words = tg_shard_step_words(problem, &candidate->path[m].step[i], (TgMatrixName)m);
      if (!words) continue;
      g_string_append_printf(text, "%s%s%s", text->len ? ", " : "", words,
                             candidate->ring == m && i == round ? " in a ring" : "");
    }
  if (!text->len) g_string_append(text, "none");
  return g_string_free(text, FALSE);
}
