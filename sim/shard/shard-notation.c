/* The notation of shardings: meshes, named dimensions with axes, and placements by axis. */
#include "shard-private.h"

#include "sim-error.h"

#include <string.h>

typedef struct Cursor {
  TgShardProblem *problem;
  const char *at;
  TgMatrixName matrix; /* that is read */
  GError **error;
} Cursor;

#define FAIL(cursor, ...) TG_SIM_FAIL((cursor)->error, BAD_INPUT, __VA_ARGS__)

static void skip_space(Cursor *cursor) {
  while (g_ascii_isspace(*cursor->at)) cursor->at++;
}

static bool take(Cursor *cursor, const char *text) {
  skip_space(cursor);
  if (!g_str_has_prefix(cursor->at, text)) return false;
  cursor->at += strlen(text);
  return true;
}

static bool take_any(Cursor *cursor, const char *const *texts) {
  for (int i = 0; texts[i]; i++)
    if (take(cursor, texts[i])) return true;
  return false;
}

/* Letters and digits. */
static bool take_name(Cursor *cursor, char name[TG_NAME_LENGTH]) {
  size_t length = 0;
  skip_space(cursor);
  while (g_ascii_isalnum(cursor->at[length])) length++;
  if (length == 0 || length >= TG_NAME_LENGTH || g_ascii_isdigit(*cursor->at)) return false;
  g_strlcpy(name, cursor->at, length + 1);
  cursor->at += length;
  return true;
}

/* What stands at the cursor, for messages. */
static TgText found(Cursor *cursor) {
  TgText text = {""};
  skip_space(cursor);
  if (!*cursor->at)
    g_strlcpy(text.s, "the end", sizeof text.s);
  else
    g_snprintf(text.s, sizeof text.s, "`%.*s`", tg_text_fit(cursor->at, 20), cursor->at);
  return text;
}

static bool expected(Cursor *cursor, const char *what) {
  return FAIL(cursor, "found %s, expected %s", found(cursor).s, what);
}

static char letter(const Cursor *cursor) {
  return "ABC"[cursor->matrix];
}

/* --- meshes ------------------------------------------------------------------------------------------------------- */

static int find_axis(const TgShardProblem *problem, const char *name, size_t length) {
  for (int a = 0; a < problem->axes; a++)
    if (strlen(problem->axis[a]) == length && g_ascii_strncasecmp(problem->axis[a], name, length) == 0) return a;
  return -1;
}

static bool read_extent(Cursor *cursor, int32_t *extent) {
  char *end;
  skip_space(cursor);
  const gint64 value = g_ascii_isdigit(*cursor->at) ? g_ascii_strtoll(cursor->at, &end, 10) : 0;
  if (value < 1 || value > TG_MAX_PROCESSORS) return expected(cursor, "a number of processors, as in x=4");
  cursor->at = end;
  *extent = (int32_t)value;
  return true;
}

static bool read_mesh_axis(Cursor *cursor) {
  TgShardProblem *problem = cursor->problem;
  char name[TG_NAME_LENGTH];
  if (problem->axes == TG_MAX_DIMS) return FAIL(cursor, "a mesh has at most %d axes", TG_MAX_DIMS);
  if (!take_name(cursor, name))
    return expected(cursor, "the name of an axis, as in x=4 (at most 31 letters and digits)");
  if (find_axis(problem, name, strlen(name)) >= 0)
    return FAIL(cursor, "two axes are named `%s`; small and capital letters are the same", name);
  if (!take(cursor, "=")) return expected(cursor, "`=` and the number of processors along the axis, as in x=4");
  if (!read_extent(cursor, &problem->extent[problem->axes])) return false;
  g_strlcpy(problem->axis[problem->axes++], name, TG_NAME_LENGTH);
  return true;
}

bool tg_shard_mesh_parse(TgShardProblem *problem, const char *text, GError **error) {
  Cursor cursor = {.problem = problem, .at = text, .error = error};
  gint64 processors = 1;
  problem->axes = 0;
  do {
    if (!read_mesh_axis(&cursor)) return false;
    processors *= problem->extent[problem->axes - 1];
    if (processors > TG_MAX_PROCESSORS) return FAIL(&cursor, "the mesh has more than %d processors", TG_MAX_PROCESSORS);
  } while (take(&cursor, ","));
  skip_space(&cursor);
  return *cursor.at ? expected(&cursor, "`,` and a further axis, or the end") : true;
}

/* --- axes of a dimension ------------------------------------------------------------------------------------------ */

static char *axes_text(const TgShardProblem *problem) {
  GString *text = g_string_new(NULL);
  for (int a = 0; a < problem->axes; a++) g_string_append_printf(text, "%s%s", a ? ", " : "", problem->axis[a]);
  return g_string_free(text, FALSE);
}

static bool add_axis(Cursor *cursor, int dim, int axis) {
  TgSharding *sharding = &cursor->problem->matrix[cursor->matrix];
  TgShardAxes *axes = &sharding->dim[dim];
  if (tg_shard_used(sharding) >> axis & 1)
    return FAIL(cursor, "%c is sharded over axis `%s` twice; an axis can share out only one dimension of a matrix",
                letter(cursor), cursor->problem->axis[axis]);
  axes->axis[axes->count++] = (int8_t)axis;
  return true;
}

/* "xy": the longest names first. */
static bool read_axis_names(Cursor *cursor, int dim) {
  skip_space(cursor);
  if (!g_ascii_isalnum(*cursor->at)) return expected(cursor, "an axis of the mesh");
  while (g_ascii_isalnum(*cursor->at)) {
    int axis = -1;
    size_t length = strspn(cursor->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    const size_t all = length;
    while (length > 0 && (axis = find_axis(cursor->problem, cursor->at, length)) < 0) length--;
    if (axis < 0) {
      g_autofree char *known = axes_text(cursor->problem);
      return FAIL(cursor, "the mesh has no axis `%.*s`; it has %s", (int)MIN(all, 40), cursor->at, known);
    }
    if (!add_axis(cursor, dim, axis)) return false;
    cursor->at += length;
  }
  return true;
}

static bool read_axes(Cursor *cursor, int dim) {
  const char *close = take(cursor, "{") ? "}" : take(cursor, "(") ? ")" : NULL;
  do {
    if (!read_axis_names(cursor, dim)) return false;
    if (close) take(cursor, ",");
  } while (close && !take(cursor, close));
  return true;
}

/* --- matrices ----------------------------------------------------------------------------------------------------- */

static bool refuse_partial(Cursor *cursor) {
  if (cursor->matrix == TG_MATRIX_C)
    return FAIL(cursor, "C would be left as terms to be added up; a schedule is proved to end with the whole product. "
                        "Replicate C or shard it over that axis");
  return FAIL(cursor, "%c is given as terms to be added up, which is not a product of two matrices. Add them up first",
              letter(cursor));
}

TgShardDim tg_shard_dim_of(TgMatrixName matrix, int dim) {
  static const TgShardDim dims[TG_MATRICES][2] = {
      {TG_SHARD_I, TG_SHARD_K}, {TG_SHARD_K, TG_SHARD_J}, {TG_SHARD_I, TG_SHARD_J}};
  return dims[matrix][dim];
}

static bool name_dim(Cursor *cursor, int dim, const char *name) {
  char *known = cursor->problem->dim[tg_shard_dim_of(cursor->matrix, dim)];
  if (!*known) {
    g_strlcpy(known, name, TG_NAME_LENGTH);
    return true;
  }
  if (strcmp(known, name) == 0) return true;
  static const char *const rules[TG_MATRICES] = {"", "the columns of A and the rows of B are what is summed over",
                                                 "C has the rows of A and the columns of B"};
  return FAIL(cursor, "dimension %d of %c is `%s`, expected `%s`: %s", dim + 1, letter(cursor), name, known,
              rules[cursor->matrix]);
}

static bool read_dim(Cursor *cursor, int dim) {
  char name[TG_NAME_LENGTH];
  if (!take_name(cursor, name)) return expected(cursor, "a dimension, as in I or I:x");
  if (!name_dim(cursor, dim, name)) return false;
  return take(cursor, ":") || take(cursor, "_") ? read_axes(cursor, dim) : true;
}

static bool read_named(Cursor *cursor) {
  int dims = 0;
  do {
    if (dims == 2)
      return FAIL(cursor, "%c has more than two dimensions; fold the others into its rows or columns", letter(cursor));
    if (!read_dim(cursor, dims++)) return false;
  } while (take(cursor, ","));
  if (!take(cursor, "]")) return expected(cursor, "`,` or `]`");
  if (dims < 2)
    return FAIL(cursor, "%c has one dimension, expected two, as in %c[I:x,K]", letter(cursor), letter(cursor));
  return take(cursor, "{") ? refuse_partial(cursor) : true;
}

static void take_argument(Cursor *cursor) {
  const char *end = take(cursor, "(") ? strchr(cursor->at, ')') : NULL;
  if (end) cursor->at = end + 1;
}

static bool read_placement(Cursor *cursor, int axis) {
  if (take(cursor, "Shard") || take(cursor, "S")) {
    if (!take(cursor, "(")) return expected(cursor, "`(` and a dimension, as in Shard(0)");
    take(cursor, "dim");
    take(cursor, "=");
    const int dim = take(cursor, "0") || take(cursor, "-2") ? 0 : take(cursor, "1") || take(cursor, "-1") ? 1 : -1;
    if (dim < 0 || !take(cursor, ")")) return expected(cursor, "dimension 0 or 1 of a matrix, as in Shard(0)");
    return add_axis(cursor, dim, axis);
  }
  if (take(cursor, "Partial") || take(cursor, "P")) return refuse_partial(cursor);
  if (!take(cursor, "Replicate") && !take(cursor, "R")) return expected(cursor, "Shard(0), Shard(1) or Replicate()");
  take_argument(cursor);
  return true;
}

static bool read_placements(Cursor *cursor, const char *close) {
  for (int axis = 0; axis < cursor->problem->axes; axis++) {
    if (axis && !take(cursor, ",")) return expected(cursor, "`,`: a placement for each axis of the mesh");
    if (!read_placement(cursor, axis)) return false;
  }
  return take(cursor, close) ? true : expected(cursor, "the end of the placements, one for each axis of the mesh");
}

static bool is_placement(Cursor *cursor) {
  static const char *const words[] = {"Shard(", "Replicate", "Partial", NULL};
  skip_space(cursor);
  for (int i = 0; words[i]; i++)
    if (g_str_has_prefix(cursor->at, words[i])) return true;
  return false;
}

static bool read_matrix(Cursor *cursor, TgMatrixName matrix) {
  char name[TG_NAME_LENGTH];
  cursor->matrix = matrix;
  if (!take_name(cursor, name)) return expected(cursor, "a matrix, as in A[I:x,K]");
  if (take(cursor, "(")) return read_placements(cursor, ")");
  if (!take(cursor, "[")) return expected(cursor, "`[`, as in A[I:x,K], or `(`, as in A(Shard(0))");
  return is_placement(cursor) ? read_placements(cursor, "]") : read_named(cursor);
}

bool tg_shard_parse(TgShardProblem *problem, const char *text, GError **error) {
  static const char *const times[] = {"*", "@", "·", "⋅", "∙", "×", NULL}, *const arrows[] = {"->", "→", NULL};
  static const char *const usual[TG_SHARD_DIMS] = {"I", "J", "K"};
  Cursor cursor = {.problem = problem, .at = text, .error = error};
  memset(problem->dim, 0, sizeof problem->dim);
  memset(problem->matrix, 0, sizeof problem->matrix);
  if (!read_matrix(&cursor, TG_MATRIX_A)) return false;
  if (!take_any(&cursor, times)) return expected(&cursor, "`*` and the matrix B");
  if (!read_matrix(&cursor, TG_MATRIX_B)) return false;
  if (!take_any(&cursor, arrows)) return expected(&cursor, "`->` and the matrix C");
  if (!read_matrix(&cursor, TG_MATRIX_C)) return false;
  skip_space(&cursor);
  if (*cursor.at) return expected(&cursor, "the end");
  for (int d = 0; d < TG_SHARD_DIMS; d++)
    if (!*problem->dim[d]) g_strlcpy(problem->dim[d], usual[d], TG_NAME_LENGTH);
  for (int d = 0; d < TG_SHARD_DIMS; d++)
    if (strcmp(problem->dim[d], problem->dim[(d + 1) % TG_SHARD_DIMS]) == 0)
      return FAIL(&cursor, "two of the dimensions are named `%s`; rows, columns and inner dimension need three names",
                  problem->dim[d]);
  return true;
}

/* --- back to text ------------------------------------------------------------------------------------------------- */

static bool has_long_names(const TgShardProblem *problem) {
  for (int a = 0; a < problem->axes; a++)
    if (problem->axis[a][1]) return true;
  return false;
}

static void append_dim(GString *text, const TgShardProblem *problem, const char *name, const TgShardAxes *axes) {
  const bool list = axes->count > 1 && has_long_names(problem);
  g_string_append_printf(text, "%s%s%s", name, axes->count ? ":" : "", list ? "(" : "");
  for (int i = 0; i < axes->count; i++)
    g_string_append_printf(text, "%s%s", list && i ? "," : "", problem->axis[axes->axis[i]]);
  if (list) g_string_append_c(text, ')');
}

char *tg_shard_text(const TgShardProblem *problem) {
  static const char *const before[TG_MATRICES] = {"", " * ", " -> "};
  GString *text = g_string_new(NULL);
  for (int m = 0; m < TG_MATRICES; m++) {
    g_string_append_printf(text, "%s%c[", before[m], "ABC"[m]);
    for (int d = 0; d < 2; d++) {
      if (d) g_string_append_c(text, ',');
      append_dim(text, problem, problem->dim[tg_shard_dim_of((TgMatrixName)m, d)], &problem->matrix[m].dim[d]);
    }
    g_string_append_c(text, ']');
  }
  return g_string_free(text, FALSE);
}
