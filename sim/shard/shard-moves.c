/* What takes a matrix from one sharding to the next, as statements. */
#include "shard-writer.h"

/* A part that is cut along `dim`: the slot of block (row, column) of piece t, which has `size` blocks along it. */
static const char *slot_in_cut(TgShardWriter *writer, const TgShardView *whole, int dim, int64_t size, const char *t,
                               const char *row, const char *column) {
  const char *at = tg_shard_times(writer, t, size);
  return tg_shard_slot(writer, whole, dim == 0 ? tg_shard_plus(writer, at, row) : row,
                       dim == 1 ? tg_shard_plus(writer, at, column) : column);
}

static void write_copy(TgShardWriter *writer, const char *from, const char *to) {
  tg_shard_line(writer, "copy %s into %s", from, tg_shard_into(writer, from, to));
}

static void write_gather(TgShardWriter *writer, const TgShardStep *step, const TgShardView *from,
                         const TgShardView *to) {
  const int64_t p = writer->problem->extent[step->axis];
  const char *axis = tg_shard_axis_name(writer, step->axis);
  if (tg_shard_blocks_of(from) == 1) {
    tg_shard_line(writer, "allgather %s along %s into %s", tg_shard_slot_of(writer, from, "0"), axis, to->buffer);
    return;
  }
  const char *parts = tg_shard_scratch(writer, &writer->parts, "T");
  const char *row = tg_shard_loop(writer, from->count[0]), *column = tg_shard_loop(writer, from->count[1]);
  tg_shard_line(writer, "allgather %s along %s into %s", tg_shard_slot(writer, from, row, column), axis, parts);
  const char *t = tg_shard_loop(writer, p);
  write_copy(writer, tg_shard_keep(writer, g_strdup_printf("%s[%s]", parts, t)),
             slot_in_cut(writer, to, step->dim, from->count[step->dim], t, row, column));
  tg_shard_end_loop(writer, p);
  tg_shard_end_loop(writer, from->count[1]);
  tg_shard_end_loop(writer, from->count[0]);
}

/* Copies what goes to each processor of the line into slots 0, 1, … of a buffer, and returns its name: `from` itself
 * where they are there already. */
static const char *line_up(TgShardWriter *writer, const TgShardView *from, int dim, int64_t p, const char *row,
                           const char *column) {
  if (tg_shard_blocks_of(from) == p && tg_shard_is_whole(from)) return from->buffer;
  const char *parts = tg_shard_scratch(writer, &writer->parts, "T"), *t = tg_shard_loop(writer, p);
  tg_shard_line(writer, "copy %s into %s[%s]", slot_in_cut(writer, from, dim, from->count[dim] / p, t, row, column),
                parts, t);
  tg_shard_end_loop(writer, p);
  return parts;
}

static void write_exchange(TgShardWriter *writer, const TgShardStep *step, const TgShardView *from,
                           const TgShardView *to) {
  const int64_t p = writer->problem->extent[step->axis];
  const int given = step->dim, cut = !step->dim; /* what is whole there now is cut, and comes together along `given` */
  const int64_t count[2] = {given == 0 ? from->count[0] : to->count[0], given == 1 ? from->count[1] : to->count[1]};
  const char *axis = tg_shard_axis_name(writer, step->axis);
  const char *row = tg_shard_loop(writer, count[0]), *column = tg_shard_loop(writer, count[1]);
  const char *parts = line_up(writer, from, cut, p, row, column);
  if (count[0] * count[1] == 1) {
    tg_shard_line(writer, "alltoall %s along %s into %s", parts, axis, to->buffer);
  } else {
    const char *arrived = tg_shard_scratch(writer, &writer->arrived, "U");
    tg_shard_line(writer, "alltoall %s along %s into %s", parts, axis, arrived);
    const char *t = tg_shard_loop(writer, p);
    write_copy(writer, tg_shard_keep(writer, g_strdup_printf("%s[%s]", arrived, t)),
               slot_in_cut(writer, to, given, count[given], t, row, column));
    tg_shard_end_loop(writer, p);
  }
  tg_shard_end_loop(writer, count[1]);
  tg_shard_end_loop(writer, count[0]);
}

static void write_scatter(TgShardWriter *writer, const TgShardStep *step, const TgShardView *from,
                          const TgShardView *to) {
  const int64_t p = writer->problem->extent[step->axis];
  const char *row = tg_shard_loop(writer, to->count[0]), *column = tg_shard_loop(writer, to->count[1]);
  const char *parts = line_up(writer, from, step->dim, p, row, column);
  tg_shard_line(writer, "reducescatter %s along %s into %s", parts, tg_shard_axis_name(writer, step->axis),
                tg_shard_slot(writer, to, row, column));
  tg_shard_end_loop(writer, to->count[1]);
  tg_shard_end_loop(writer, to->count[0]);
}

static void write_broadcast(TgShardWriter *writer, const TgShardStep *step, const TgShardView *from,
                            const TgShardView *to) {
  const int64_t blocks = tg_shard_blocks_of(from);
  const char *block = tg_shard_loop(writer, blocks);
  const char *given = tg_shard_slot_of(writer, from, block);
  tg_shard_line(writer, "broadcast %s along %s from %s into %s", given, tg_shard_axis_name(writer, step->axis),
                tg_shard_axis_name(writer, step->other),
                tg_shard_into(writer, given, tg_shard_slot_of(writer, to, block)));
  tg_shard_end_loop(writer, blocks);
}

/* The coordinates of the processor that needs what this one has. */
static const char *receiver(TgShardWriter *writer, const TgShardStep *step) {
  GString *text = g_string_new(NULL);
  for (int a = 0; a < writer->problem->axes; a++) {
    const char *coordinate = tg_shard_axis_name(writer, a);
    for (int d = 0; d < 2; d++) {
      const TgShardAxes *after = &step->after.dim[d];
      int64_t below = 1; /* processors along the axes that are minor to this one */
      for (int i = after->count; i-- > 0;) {
        if (after->axis[i] == a) {
          const char *index = tg_shard_over(writer, tg_shard_index_of(writer, &step->before.dim[d]), below);
          coordinate = i == 0 ? index : tg_shard_modulo(writer, index, writer->problem->extent[a]);
        }
        below *= writer->problem->extent[after->axis[i]];
      }
    }
    g_string_append_printf(text, "%s%s", a ? ", " : "", coordinate);
  }
  return tg_shard_keep(writer, g_string_free(text, FALSE));
}

static void write_permutation(TgShardWriter *writer, const TgShardStep *step, const TgShardView *from,
                              const TgShardView *to) {
  const int64_t blocks = tg_shard_blocks_of(from);
  const char *block = tg_shard_loop(writer, blocks);
  const char *given = tg_shard_slot_of(writer, from, block);
  tg_shard_line(writer, "move %s to (%s) into %s", given, receiver(writer, step),
                tg_shard_into(writer, given, tg_shard_slot_of(writer, to, block)));
  tg_shard_end_loop(writer, blocks);
}

static void slice(TgShardWriter *writer, TgShardView *view, const TgShardStep *step) {
  view->count[step->dim] /= writer->problem->extent[step->axis];
  const char *at = tg_shard_times(writer, tg_shard_axis_name(writer, step->axis), view->count[step->dim]);
  view->first[step->dim] = (char *)tg_shard_plus(writer, view->first[step->dim], at);
}

char *tg_shard_step_words(const TgShardProblem *problem, const TgShardStep *step, TgMatrixName matrix) {
  const char *axis = problem->axis[step->axis];
  const char m = "ABC"[matrix];
  switch (step->move) {
  case TG_SHARD_GATHER:
    return g_strdup_printf("allgather %c along %s", m, axis);
  case TG_SHARD_EXCHANGE:
    return g_strdup_printf("alltoall %c along %s", m, axis);
  case TG_SHARD_SCATTER:
    return g_strdup_printf("reducescatter %c along %s", m, axis);
  case TG_SHARD_BROADCAST:
    return g_strdup_printf("broadcast %c along %s", m, axis);
  case TG_SHARD_PERMUTE:
    return g_strdup_printf("move %c to other processors", m);
  case TG_SHARD_NONE:
  case TG_SHARD_SLICE:
    break;
  }
  return NULL;
}

static void write_step(TgShardWriter *writer, TgMatrixName matrix, const TgShardStep *step, const char *buffer) {
  static void (*const writes[])(TgShardWriter *, const TgShardStep *, const TgShardView *, const TgShardView *) = {
      [TG_SHARD_GATHER] = write_gather,       [TG_SHARD_EXCHANGE] = write_exchange,
      [TG_SHARD_SCATTER] = write_scatter,     [TG_SHARD_BROADCAST] = write_broadcast,
      [TG_SHARD_PERMUTE] = write_permutation,
  };
  TgShardView *view = &writer->view[matrix];
  if (step->move == TG_SHARD_SLICE) {
    slice(writer, view, step);
    return;
  }
  g_autofree char *label = tg_shard_step_words(writer->problem, step, matrix);
  const TgShardView to = tg_shard_view_of(writer, matrix, &step->after, buffer);
  tg_shard_line(writer, "step \"%s\"", label);
  writer->depth++;
  writes[step->move](writer, step, view, &to);
  writer->depth--;
  *view = to;
}

/* Steps `begin` to `end` of the matrix's way. */
void tg_shard_write_path(TgShardWriter *writer, TgMatrixName matrix, int begin, int end) {
  static const char *const names[] = {"A", "B", "C"};
  const TgShardPath *path = &writer->candidate->path[matrix];
  for (int i = begin; i < end; i++) {
    const bool slices = path->step[i].move == TG_SHARD_SLICE;
    write_step(writer, matrix, &path->step[i], slices ? NULL : tg_shard_new_buffer(writer, names[matrix]));
  }
}
