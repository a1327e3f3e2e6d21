/** @file shard-writer.h
 * A text that is being written: its expressions, slots and lines. */
#ifndef TG_SHARD_WRITER_H
#define TG_SHARD_WRITER_H

#include "shard-private.h"

/* Where a processor has its part of a matrix. */
typedef struct TgShardView {
  const char *buffer;
  int64_t count[2]; /* blocks along each dimension */
  int64_t stride;   /* slots from one row of blocks to the next */
  char *first[2];   /* of a part within what the buffer holds; "0" */
} TgShardView;

typedef struct TgShardWriter {
  const TgShardProblem *problem;
  const TgShardCandidate *candidate;
  GString *text;
  GPtrArray *expressions; /* freed with the writer */
  GPtrArray *buffers;
  int64_t pieces[TG_SHARD_DIMS];
  int depth;                   /* of the lines' indentation … */
  int loops;                   /* … and the loops that are open */
  const char *parts, *arrived; /* buffers of a collective; NULL before the first */
  TgShardView view[TG_MATRICES];
} TgShardWriter;

/** Keeps a new text with the writer. */
const char *tg_shard_keep(TgShardWriter *writer, char *text);

/** Sums, products and so on of expressions, in the fewest words. */
const char *tg_shard_number(TgShardWriter *writer, int64_t value);
bool tg_shard_is_zero(const char *text);
const char *tg_shard_plus(TgShardWriter *writer, const char *a, const char *b);
const char *tg_shard_times(TgShardWriter *writer, const char *a, int64_t by);
const char *tg_shard_over(TgShardWriter *writer, const char *a, int64_t by);
const char *tg_shard_modulo(TgShardWriter *writer, const char *a, int64_t by);
const char *tg_shard_axis_name(const TgShardWriter *writer, int axis);
/** A processor's number along these axes together. */
const char *tg_shard_index_of(TgShardWriter *writer, const TgShardAxes *axes);

/** A processor's part of a matrix, in slots of its own from 0 on. */
TgShardView tg_shard_view_of(const TgShardWriter *writer, TgMatrixName matrix, const TgSharding *sharding,
                             const char *buffer);
int64_t tg_shard_blocks_of(const TgShardView *view);
/** Whether it is all that the buffer holds. */
bool tg_shard_is_whole(const TgShardView *view);
/** "A[u*4+v]"; "A" for slot 0. */
const char *tg_shard_slot(TgShardWriter *writer, const TgShardView *view, const char *row, const char *column);
/** The same of a block that is counted row by row. */
const char *tg_shard_slot_of(TgShardWriter *writer, const TgShardView *view, const char *block);
/** `to` as it is written after `into`. */
const char *tg_shard_into(TgShardWriter *writer, const char *from, const char *to);
/** A name that is no axis of the mesh and no other buffer. */
const char *tg_shard_new_buffer(TgShardWriter *writer, const char *wish);
/** The buffer of `name`, made when it is first asked for. */
const char *tg_shard_scratch(TgShardWriter *writer, const char **name, const char *wish);

void tg_shard_line(TgShardWriter *writer, const char *format, ...) TG_PRINTF(2, 3);
/** A variable that no axis and no loop around has. */
const char *tg_shard_variable(const TgShardWriter *writer);
/** A loop, and its variable; "0" and no loop where it would be run once. */
const char *tg_shard_loop(TgShardWriter *writer, int64_t count);
void tg_shard_end_loop(TgShardWriter *writer, int64_t count);

/** "allgather A along y"; NULL for a slice. Free with g_free(). */
char *tg_shard_step_words(const TgShardProblem *problem, const TgShardStep *step, TgMatrixName matrix);
/** Steps `begin` to `end` of the matrix's way. */
void tg_shard_write_path(TgShardWriter *writer, TgMatrixName matrix, int begin, int end);

#endif
