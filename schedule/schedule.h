/** @file schedule.h
 * A parallel matrix multiplication as data: the plain struct that the parser fills and everything else reads.
 *
 * TgSchedule holds no pointer and only fixed-width members, so the same bytes serve on the CPU, in CUDA constant memory
 * and in an MPI broadcast. What only people read (names, labels, notes) is in TgScheduleNames.
 * Maps on coordinates and loop variables are postfix programs in TgSchedule::code; see expression.h. */
#ifndef TG_SCHEDULE_H
#define TG_SCHEDULE_H

#include "base.h"
#include "op.h"

TG_BEGIN_DECLS

enum {
  TG_MAX_STATEMENTS = 64,
  TG_MAX_NESTING = 8, /**< repeats inside one another */
  TG_MAX_PARAMETERS = 16,
  TG_MAX_PLACEMENTS = 12,
  TG_MAX_REQUIRES = 8,
  TG_MAX_BUFFERS = 16,
  TG_MAX_CODE = 1024,
  TG_MAX_TEXT = 8192,     /**< bytes of all names, labels and notes together */
  TG_MAX_LINE = 1000,     /**< bytes of one source line */
  TG_MAX_ARRAY = 1 << 20, /**< slots X[0] … of one buffer on one processor */
  TG_NAME_LENGTH = 32
};

/** Variables of an expression: coordinates first, then loop variables by depth, then parameters. */
enum {
  TG_VARIABLE_COORDINATE = 0,
  TG_VARIABLE_LOOP = TG_MAX_DIMS,
  TG_VARIABLE_PARAMETER = TG_MAX_DIMS + TG_MAX_NESTING,
  TG_LOCAL_VARIABLES = TG_VARIABLE_PARAMETER, /**< coordinates and loop variables: what a walker fills */
  TG_MAX_VARIABLES = TG_VARIABLE_PARAMETER + TG_MAX_PARAMETERS
};

/** An expression: offset of its postfix program in TgSchedule::code; 0 where there is none. */
typedef uint16_t TgExpression;

typedef enum TgMatrixName { TG_MATRIX_A, TG_MATRIX_B, TG_MATRIX_C, TG_MATRICES } TgMatrixName;

/** A slot of the processor that executes a statement: a buffer, its index (absent means 0), and whether it is read
 * transposed (products only). */
typedef struct TgSlot {
  uint8_t buffer;
  uint8_t transposed;
  TgExpression index;
} TgSlot;

typedef struct TgStatement {
  uint8_t op;         /**< TgOp */
  uint8_t axis;       /**< collectives: the coordinate they run along */
  uint8_t replace;    /**< products: 1 for `=`, 0 for `+=` */
  uint8_t depth;      /**< repeats enclosing it; of a repeat: number of its loop variable */
  uint16_t line;      /**< source line, from 1 */
  uint16_t end;       /**< step, repeat: index of the first statement after the body */
  uint8_t collective; /**< collectives: the TgCollective that TG_COLLECTIVE_AUTO stands for; 0: the usual one */
  uint16_t pieces;    /**< collectives: pieces of a block in a pipelined chain; 0: as many as the line is long */
  TgExpression where;
  TgExpression value; /**< repeat: the count; rooted collectives: the root's coordinate */
  TgSlot source;
  TgSlot other;
  TgSlot target;
  TgExpression to[TG_MAX_DIMS]; /**< move, add: the receiver's coordinates, before wrapping */
} TgStatement;

/** Where blocks (row, column) of one matrix live before step 0 (A, B) or must end (C). */
typedef struct TgPlacement {
  uint8_t matrix; /**< TgMatrixName */
  uint8_t buffer;
  uint8_t ranges; /**< bit c set: coordinate c is named and ranges over its extent */
  uint8_t unused;
  uint16_t line;
  TgExpression row, column;
  TgExpression index;
  TgExpression count; /**< `for t in count`: loop variable 0 ranges over it */
  TgExpression at[TG_MAX_DIMS];
} TgPlacement;

/** What is proved: C = left * right, or C = left where `right` is TG_MATRICES (a transpose or a copy). */
typedef struct TgComputes {
  uint8_t left, left_transposed;
  uint8_t right, right_transposed;
} TgComputes;

typedef enum TgParameterKind {
  TG_PARAMETER_GRID,    /**< an extent of the grid: bound by --grid or by name */
  TG_PARAMETER_SET,     /**< `param d`: bound by name only */
  TG_PARAMETER_DEFAULT, /**< `param b default 1`: bound by name, or else the default */
  TG_PARAMETER_DERIVED  /**< `param r = q/c` */
} TgParameterKind;

/** What the last tg_schedule_bind() came to. */
typedef enum TgBound {
  TG_BOUND_NO, /**< never bound, or the bindings were wrong */
  TG_BOUND_YES,
  TG_BOUND_UNMET /**< a `require` or a derived parameter rejects these values */
} TgBound;

typedef struct TgSchedule {
  uint32_t version; /**< of this layout; TG_SCHEDULE_VERSION */
  uint8_t dims;
  uint8_t parameters, placements, requires_, buffers, statements;
  uint8_t bound; /**< TgBound */
  uint8_t unmet; /**< with TG_BOUND_UNMET: which `require`, or TG_MAX_REQUIRES + which derived parameter */
  int32_t extent[TG_MAX_DIMS];    /**< once bound; 1 beyond dims */
  int32_t blocks[TG_MATRICES][2]; /**< once bound: block rows and columns of A, B, C */
  int32_t inner;                  /**< once bound: terms of one C block (block columns of the left factor) */
  TgComputes computes;
  uint8_t parameter_kind[TG_MAX_PARAMETERS]; /**< TgParameterKind */
  TgExpression parameter_value[TG_MAX_PARAMETERS];
  int64_t parameter[TG_MAX_PARAMETERS]; /**< once bound */
  TgExpression extent_value[TG_MAX_DIMS];
  TgExpression require[TG_MAX_REQUIRES];
  uint16_t code_length;
  TgPlacement placement[TG_MAX_PLACEMENTS];
  TgStatement statement[TG_MAX_STATEMENTS];
  uint8_t code[TG_MAX_CODE];
} TgSchedule;

enum { TG_SCHEDULE_VERSION = 1 };

/** Names, labels and notes of a schedule: offsets into `text`, 0 where there is none. */
typedef struct TgScheduleNames {
  uint16_t title;   /**< the name that programs use: `summa` */
  uint16_t display; /**< the name in pictures, "SUMMA"; that of `title` where the text gives none */
  uint16_t citation;
  uint16_t grid; /**< the words after `grid`: "i: q, j: q" */
  uint16_t axis[TG_MAX_DIMS];
  uint16_t parameter[TG_MAX_PARAMETERS];
  uint16_t buffer[TG_MAX_BUFFERS];
  uint16_t label[TG_MAX_STATEMENTS];  /**< steps */
  uint16_t note[TG_MAX_STATEMENTS];   /**< steps */
  uint16_t source[TG_MAX_STATEMENTS]; /**< the statement's own words, comment and indentation removed */
  uint16_t require[TG_MAX_REQUIRES];
  uint16_t code_line[TG_MAX_CODE];
  uint16_t code_column[TG_MAX_CODE];
  uint16_t text_length;
  char text[TG_MAX_TEXT];
} TgScheduleNames;

/** Values for a schedule's parameters: `--grid 4x4` in order of the coordinates, `--set c=2` by name. */
typedef struct TgBindings {
  int32_t dims;
  int32_t count;
  int64_t grid[TG_MAX_DIMS];
  struct {
    char name[TG_NAME_LENGTH];
    int64_t value;
  } set[TG_MAX_PARAMETERS];
} TgBindings;

/** Parses `length` bytes of text. On failure fills `error` with line, column, what was found and what was expected. */
bool tg_schedule_parse(TgSchedule *schedule, TgScheduleNames *names, const char *text, size_t length, TgError *error);

/** Gives the parameters values: extents, derived parameters, requirements and placements are checked. A schedule may be
 * bound again with other values. On failure `error` names the parameter or requirement, in the schedule's own words,
 * and schedule->bound tells an unmet requirement from wrong bindings. */
bool tg_schedule_bind(TgSchedule *schedule, const TgScheduleNames *names, const TgBindings *bindings, TgError *error);

/** The part of it that costs no more at a million processors than at one: extents, parameters and requirements, without
 * the placements. The schedule is not bound then: its blocks are not counted. */
bool tg_schedule_bind_values(TgSchedule *schedule, const TgScheduleNames *names, const TgBindings *bindings,
                             TgError *error);

/** Adds `text` ("4x4", "8x8x2") to the bindings. */
bool tg_bindings_grid(TgBindings *bindings, const char *text, TgError *error);
/** Adds name = value; the last value of a name holds. */
bool tg_bindings_set(TgBindings *bindings, const char *name, int64_t value, TgError *error);
/** The same from `text` ("c=2"); an error where the name has a value already. */
bool tg_bindings_parse(TgBindings *bindings, const char *text, TgError *error);

/** Processors of the bound grid. */
int64_t tg_schedule_processors(const TgSchedule *schedule);
/** The grid as "4x4x4". */
TgText tg_schedule_grid_text(const TgSchedule *schedule);
/** Processor `rank` as "(1, 2)". */
TgText tg_schedule_processor_text(const TgSchedule *schedule, int64_t rank);

/** Shape of a whole matrix when C is m×n with inner dimension k; 0×0 for a matrix that does not occur. Where C is A
 * alone (a copy or a transpose) k plays no part. */
void tg_schedule_matrix_shape(const TgSchedule *schedule, TgMatrixName matrix, int64_t m, int64_t n, int64_t k,
                              int64_t *rows, int64_t *columns);

/** One block on its place. */
typedef struct TgPlaced {
  int32_t matrix, row, column;
  int32_t buffer, index;
  int64_t processor;
} TgPlaced;

/** Enumerates the blocks of a bound schedule's placements. */
typedef struct TgPlacing {
  const TgSchedule *schedule;
  int32_t placement;
  bool inside;
  int64_t count; /**< of `for t in count` */
  int64_t variable[TG_LOCAL_VARIABLES];
} TgPlacing;

void tg_placing_init(TgPlacing *placing, const TgSchedule *schedule);
/** The next block: 1; 0 after the last; -1 and `error` where an expression fails or an index is out of range. */
int tg_placing_next(TgPlacing *placing, const TgScheduleNames *names, TgPlaced *placed, TgError *error);

/** The name at `offset`, "" where there is none. */
static inline const char *tg_name(const TgScheduleNames *names, uint16_t offset) {
  return names->text + offset;
}

/** Coordinates of processor `rank`, row-major: the last coordinate is the fastest. */
TG_SHARED static inline void tg_schedule_coordinates(const TgSchedule *schedule, int64_t rank, int64_t *coordinate) {
  for (int c = schedule->dims - 1; c >= 0; c--) {
    coordinate[c] = rank % schedule->extent[c];
    rank /= schedule->extent[c];
  }
}

/** Block i of `parts` of a dimension of `size` elements is [i*size/parts, (i+1)*size/parts): no divisibility needed. */
TG_SHARED static inline int64_t tg_block_begin(int64_t size, int64_t parts, int64_t i) {
  return size / parts * i + size % parts * i / parts;
}

/** Its elements. */
TG_SHARED static inline int64_t tg_block_size(int64_t size, int64_t parts, int64_t i) {
  return tg_block_begin(size, parts, i + 1) - tg_block_begin(size, parts, i);
}

TG_END_DECLS

#endif
