/* The language: what is refused and where, what expressions mean, how parameters are bound. */
#include "expression.h"
#include "../schedule-text.h"

#define HEAD "schedule t\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\n"

typedef struct Refusal {
  const char *what, *text;
  int line, column;
  const char *message;
} Refusal;

static const Refusal refusals[] = {
    {"empty", "", 1, 1, "expected `schedule NAME`"},
    {"only-comments", "# nothing\n\n", 3, 1, "the end of the text"},
    {"zero-byte", HEAD "mo\x01ve A to (i,j)\n", 4, 3, "0x01"},
    {"delete", "schedule t # \x7f\n", 1, 14, "0x7f"},
    {"high-byte", HEAD "move \xc3\xa4 to (i,j)\n", 4, 6, "unexpected `\xc3\xa4`"},
    {"broken-utf8", "schedule t # \xc3(\n", 1, 14, "0xc3"},
    {"noncharacter", "schedule t\n  \"\xef\xbf\xbe\"\n", 2, 4, "0xef"},
    {"empty-display-name", "schedule t \"\"\ngrid i:q\n", 1, 12, "a name for pictures"},
    {"two-display-names", "schedule t \"T\" \"U\"\ngrid i:q\n", 1, 16, "the end of the line"},
    {"bare-display-name", "schedule t T\ngrid i:q\n", 1, 12, "the end of the line"},
    {"open-display-name", "schedule t \"T\ngrid i:q\n", 1, 12, "without its end"},
    {"no-grid", "schedule t\nplace A(i,j) on (i,j)\n", 2, 1, "expected `grid` first"},
    {"two-grids", "schedule t\ngrid i:q\ngrid j:q\n", 3, 6, "a second `grid`"},
    {"five-coordinates", "schedule t\ngrid a:1, b:1, c:1, d:1, e:1\n", 2, 26, "more than 4 coordinates"},
    {"extent-zero", "schedule t\ngrid i:0\n", 2, 8, "at least 1"},
    {"extent-huge", "schedule t\ngrid i:1000000000\n", 2, 8, "at most 16777216"},
    {"number-overflow", HEAD "move A to (i, 99999999999999999999)\n", 4, 15, "64 bits"},
    {"undeclared", HEAD "move A to (i, x)\n", 4, 15, "found `x`"},
    {"unknown-axis", HEAD "broadcast A along k from 0\n", 4, 19, "a coordinate of the grid"},
    {"few-coordinates", HEAD "move A to (i)\n", 4, 13, "1 more of the grid's 2"},
    {"many-coordinates", HEAD "move A to (i,j,0)\n", 4, 15, "more coordinates than the grid's 2"},
    {"no-comparison", HEAD "move A to (i,j) where i\n", 4, 24, "a comparison"},
    {"trailing", HEAD "move A to (i,j) now\n", 4, 17, "the end of the line"},
    {"tab", HEAD "step \"a\"\n\tmove A to (i,j)\n", 5, 1, "tab"},
    {"no-body", HEAD "repeat s in q\nmove A to (i,j)\n", 5, 1, "indented statement under `repeat`"},
    {"ragged", HEAD "repeat s in q\n    move A to (i,j)\n  move B to (i,j)\n", 6, 3, "indentation"},
    {"too-deep-line", HEAD "move A to (i,j)\n  move B to (i,j)\n", 5, 3, "unexpected indentation"},
    {"step-in-step", HEAD "step \"a\"\n  step \"b\"\n    move A to (i,j)\n", 5, 3, "a step inside a step"},
    {"open-string", HEAD "step \"a\n  move A to (i,j)\n", 4, 6, "without its end"},
    {"never-filled", HEAD "C += P * B\n", 4, 6, "nothing ever puts a block into `P`"},
    {"root-on-axis", HEAD "broadcast A along j from j\n", 4, 26, "the root depends on j"},
    {"where-on-axis", HEAD "broadcast A along j from 0 where j == 0\n", 4, 34, "`where` depends on j"},
    {"into-missing", HEAD "allgather A along j\n", 4, 20, "`into`"},
    {"reserved", "schedule t\ngrid step:q\n", 2, 6, "not a keyword"},
    {"name-twice", "schedule t\ngrid i:q, i:q\n", 2, 11, "not used yet"},
    {"parameter-on-coordinate", "schedule t\ngrid i:q\nparam r = i\n", 3, 12, "depends on a coordinate"},
    {"loop-in-use", HEAD "repeat s in 2\n  repeat s in 2\n    move A to (i,j)\n", 5, 10, "not in use here"},
    {"loop-shadows", HEAD "repeat i in 2\n  move A to (i,j)\n", 4, 8, "no coordinate or parameter has"},
    {"loop-shadows-parameter", HEAD "repeat q in 2\n  move A to (i,j)\n", 4, 8, "no coordinate or parameter has"},
    {"misspelt", HEAD "mvoe A to (i,j)\n", 4, 1, "found `mvoe`"},
    {"note-outside", HEAD "note \"why\"\nmove A to (i,j)\n", 4, 1, "a note without a step"},
    {"count-on-coordinate", HEAD "repeat s in i\n  move A to (i,j)\n", 4, 14, "all processors share"},
    {"meant-move", HEAD "mov A to (i,j)\n", 4, 1, "found `mov`; did you mean `move`?"},
    {"meant-step", HEAD "stpe \"a\"\n  move A to (i,j)\n", 4, 1, "found `stpe`; did you mean `step`?"},
    {"meant-note", HEAD "step \"a\"\n  noet \"why\"\n  move A to (i,j)\n", 5, 3, "did you mean `note`?"},
    {"meant-repeat", HEAD "for s in q: # all\n  C += A * B\n", 4, 1, "found `for`; did you mean `repeat s in q`?"},
    {"meant-repeat-of-what", HEAD "for\n", 4, 1, "found `for`; did you mean `repeat`?"},
    {"meant-to-send", HEAD "send A to (i,j-1)\n", 4, 1, "found `send`; did you mean `move A to (i,j-1)`?"},
    {"meant-where", HEAD "move A to (i,j) wher i > 0\n", 4, 17, "found `wher`; did you mean `where`?"},
    {"meant-where-too", HEAD "move A to (i,j) if i > 0\n", 4, 17, "found `if`; did you mean `where`?"},
    {"meant-into", HEAD "move A to (i,j) inot X\n", 4, 17, "found `inot`; did you mean `into`?"},
    {"meant-grid", "schedule t\ngird i:q\n", 2, 1, "found `gird`; did you mean `grid`?"},
    {"meant-param", "schedule t\nparma b\ngrid i:q\n", 2, 1, "found `parma`; did you mean `param`?"},
    {"meant-place", "schedule t\ngrid i:q\nplaec A(i,i) on (i)\n", 3, 1, "found `plaec`; did you mean `place`?"},
    {"meant-place-again", HEAD "plce A(i,j) on (i,j)\n", 4, 1, "found `plce`; did you mean `place`?"},
    {"meant-matrix", "schedule t\ngrid i:q\nplace a(i,i) on (i)\n", 3, 7, "found `a`; did you mean `A`?"},
    {"meant-axis",
     "schedule t\ngrid row:q, column:q\nplace A(row,column), B(row,column), C(row,column) on (row,column)\n"
     "broadcast A along colum from 0\n",
     4, 19, "found `colum`; did you mean `column`?"},
    {"meant-index", "schedule t\ngrid row:q, column:q\nplace A(row,colunm) on (row,column)\n", 3, 13,
     "found `colunm`; did you mean `column`?"},
    {"meant-loop", HEAD "repeat round in q\n  move A to (i, j-rond)\n", 5, 19, "found `rond`; did you mean `round`?"},
    {"meant-parameter", HEAD "move A to (i, Q)\n", 4, 15, "found `Q`; did you mean `q`?"},
    {"known-names", HEAD "repeat s in q\n  move A to (i, x)\n", 5, 17,
     "expected a number or a name declared above: s, i, j, q"},
    {"known-axes", HEAD "broadcast A along k from 0\n", 4, 19, "a coordinate of the grid: i, j"},
    {"meant-buffer", HEAD "C += AA * B\n", 4, 6, "nothing ever puts a block into `AA`; did you mean `A`?"},
    {"known-buffer", HEAD "A B * C\n", 4, 3, "found `B`, expected `+=` or `=`"},
    {"reserved-first", HEAD "to (i,j)\n", 4, 1, "found `to`, expected a product"},
    {"late-declaration", HEAD "move A to (i,j)\nparam x\n", 5, 1, "above the first statement"},
};

static void test_refusal(gconstpointer data) {
  const Refusal *refusal = data;
  Bound bound;
  g_assert_false(bound_from(&bound, refusal->text, "4x4", NULL));
  g_test_message("%d:%d: %s", bound.error.line, bound.error.column, bound.error.message);
  g_assert_nonnull(strstr(bound.error.message, refusal->message));
  g_assert_cmpint(bound.error.line, ==, refusal->line);
  g_assert_cmpint(bound.error.column, ==, refusal->column);
}

typedef struct Value {
  const char *text;
  gint64 value;
} Value;

static const Value values[] = {
    {"7/2", 3},
    {"-7/2", -4},
    {"7/-2", -4},
    {"-7%4", 1},
    {"7%-4", -1},
    {"(3-4)%5", 4},
    {"2**3**2", 512},
    {"-2**2", -4},
    {"(-2)**2", 4},
    {"2*3+4", 10},
    {"2+3*4", 14},
    {"10-3-2", 5},
    {"6 xor 3", 5},
    {"1+1 xor 1", 3},
    {"log2(64)", 6},
    {"--5", 5},
    {"2**0", 1},
    {"100", 100},
    {"9223372036854775807", INT64_MAX},
    {"-9223372036854775807-1", INT64_MIN},
    {"12/5*5+12%5", 12},
};

static void test_value(gconstpointer data) {
  const Value *value = data;
  Bound bound;
  g_autofree char *text =
      g_strdup_printf("schedule t\ngrid i:1, j:1\nparam v = %s\nplace A(i,j), B(i,j), C(i,j) on (i,j)\n"
                      "C = A * B\n",
                      value->text);
  g_assert_true(bound_from(&bound, text, NULL, NULL));
  g_assert_cmpint(bound.schedule.parameter[0], ==, value->value);
}

static const struct {
  const char *expression, *message;
} failures[] = {{"1/0", "divides by zero"},           {"1%0", "divides by zero"},
                {"2**(0-1)", "negative exponent"},    {"log2(3)", "not a power of two"},
                {"log2(0)", "not a power of two"},    {"2**64", "64 bits"},
                {"9223372036854775807+1", "64 bits"}, {"-(-9223372036854775807-1)", "64 bits"}};

static void test_evaluation_failures(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(failures); i++) {
    Bound bound;
    g_autofree char *text = g_strdup_printf("schedule t\ngrid i:1, j:1\nparam v = %s\nplace A(i,j), B(i,j), C(i,j) on "
                                            "(i,j)\nC = A * B\n",
                                            failures[i].expression);
    g_assert_false(bound_from(&bound, text, NULL, NULL));
    g_assert_nonnull(strstr(bound.error.message, failures[i].message));
    g_assert_cmpint(bound.schedule.bound, ==, TG_BOUND_UNMET);
  }
}

static void test_limits(void) {
  Bound bound;
  g_autofree char *parentheses = g_strnfill(33, '('), *spaces = g_strnfill(TG_MAX_LINE, ' ');
  g_autofree char *deep = g_strconcat(HEAD "move A to (i, ", parentheses, "j\n", NULL);
  g_assert_false(bound_from(&bound, deep, "2x2", NULL));
  g_assert_nonnull(strstr(bound.error.message, "32 nested parentheses"));
  g_autofree char *line = g_strconcat(HEAD "move A to (i, j)", spaces, "#\n", NULL);
  g_assert_false(bound_from(&bound, line, "2x2", NULL));
  g_assert_nonnull(strstr(bound.error.message, "at most 1000"));
  g_autoptr(GString) statements = g_string_new(HEAD), nested = g_string_new(HEAD);
  for (int i = 0; i <= TG_MAX_STATEMENTS; i++) g_string_append(statements, "move A to (i,j)\n");
  g_assert_false(bound_from(&bound, statements->str, "2x2", NULL));
  g_assert_nonnull(strstr(bound.error.message, "more than 64 statements"));
  g_assert_cmpint(bound.error.line, ==, 4 + TG_MAX_STATEMENTS);
  for (int i = 0; i <= TG_MAX_NESTING; i++) g_string_append_printf(nested, "%*srepeat s%d in 1\n", i, "", i);
  g_assert_false(bound_from(&bound, nested->str, "2x2", NULL));
  g_assert_nonnull(strstr(bound.error.message, "more than 8 nested repeats"));
  g_assert_cmpuint(sizeof(TgSchedule), <, 4096);
}

static const struct {
  const char *text, *grid, *settings, *message;
  TgBound bound;
} bindings[] = {
    {HEAD "C = A * B\n", NULL, NULL, "`q` has no value", TG_BOUND_NO},
    {HEAD "C = A * B\n", "2x3", NULL, "both 2 and 3", TG_BOUND_NO},
    {HEAD "C = A * B\n", "2x2x2", NULL, "the grid has 3 extents", TG_BOUND_NO},
    {HEAD "C = A * B\n", "2x2", "r=3", "no parameter `r`; it has q", TG_BOUND_NO},
    {HEAD "C = A * B\n", NULL, "q=0", "extent 0", TG_BOUND_NO},
    {HEAD "C = A * B\n", NULL, "q=100000", "expected 1 or more", TG_BOUND_NO},
    {"schedule t\ngrid i:q\nrequire q > 2\nplace A(i,0), C(i,0) on (i)\nplace B(0,0) on (0)\nC = A * B\n", "2", NULL,
     "require q > 2 does not hold (with q = 2)", TG_BOUND_UNMET},
    {"schedule t\ngrid i:q\nparam r = q/2\nplace A(i,0), C(i,0) on (i)\nplace B(0,0) on (0)\nC = A * B\n", "2", "r=3",
     "cannot be set", TG_BOUND_NO},
    {"schedule t\ngrid i:q\nplace A(i,0) on (i)\nplace C(i,0) on (i)\nC = A * A\n", "2", NULL,
     "B is not placed anywhere", TG_BOUND_NO},
    {"schedule t\ngrid i:q\nplace A(i,0) on (i)\nplace B(i,0) on (i)\nplace C(i,0) on (i)\nC = A * B\n", "2", NULL,
     "expected equal numbers", TG_BOUND_NO},
    {"schedule t\ngrid i:q\nplace A(i,0) on (i)\nplace B(0,0) on (0)\nplace C(0,0) on (i)\nC = A * B\n", "2", NULL,
     "C is placed as 1×1 blocks", TG_BOUND_NO},
    {"schedule t\ngrid i:q\nplace A(i-1,0) on (i)\nplace B(0,0) on (0)\nplace C(i,0) on (i)\nC = A * B\n", "2", NULL,
     "row -1", TG_BOUND_NO},
    {"schedule t\ngrid i:q\nplace A(2*i,0) on (i)\nplace B(0,0) on (0)\nplace C(2*i,0) on (i)\nC = A * B\n", "2", NULL,
     "A(1, 0) is not placed anywhere", TG_BOUND_NO},
};

static void test_bindings(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(bindings); i++) {
    Bound bound;
    g_assert_false(bound_from(&bound, bindings[i].text, bindings[i].grid, bindings[i].settings));
    if (!strstr(bound.error.message, bindings[i].message)) g_test_message("%s", bound.error.message);
    g_assert_nonnull(strstr(bound.error.message, bindings[i].message));
    g_assert_cmpint(bound.schedule.bound, ==, bindings[i].bound);
  }
}

static void test_default_parameter(void) {
  const char *text =
      "schedule t\ngrid i:q\nparam b default q+1\nplace A(i,0), C(i,0) on (i)\nplace B(0,0) on (0)\nC = A * B\n";
  Bound bound;
  g_assert_true(bound_from(&bound, text, "3", NULL));
  g_assert_cmpint(bound.schedule.parameter[1], ==, 4);
  g_assert_true(bound_from(&bound, text, "3", "b=9"));
  g_assert_cmpint(bound.schedule.parameter[1], ==, 9);
}

static const char *const bad_grids[] = {"",     "x",         "4x",         "x4",  "0x4",
                                        "4x-1", "4x4x4x4x4", "1000000000", "4 4", "99999999999999999999"};

static void test_grids(void) {
  TgError error;
  for (gsize i = 0; i < G_N_ELEMENTS(bad_grids); i++) {
    TgBindings b = {0};
    g_assert_false(tg_bindings_grid(&b, bad_grids[i], &error));
  }
  TgBindings b = {0};
  g_assert_true(tg_bindings_grid(&b, "4x5x6", &error));
  g_assert_cmpint(b.dims, ==, 3);
  g_assert_cmpint(b.grid[2], ==, 6);
}

static const struct {
  const char *text, *message;
} bad_settings[] = {
    {"", "a parameter and its value"},
    {"c", "a parameter and its value"},
    {"=2", "a parameter and its value"},
    {"c=", "expected a whole number after ="},
    {"c=x", "expected a whole number after ="},
    {"c= 2", "expected a whole number after ="},
    {"c=2x", "`c=2x`: expected a whole number after ="},
    {"c=9223372036854775808", "too large or too small"},
    {"a_name_of_more_than_thirty_one_characters=2", "expected 1 to 31 characters"},
};

static void test_settings(void) {
  TgBindings b = {0};
  TgError error;
  for (gsize i = 0; i < G_N_ELEMENTS(bad_settings); i++) {
    g_assert_false(tg_bindings_parse(&b, bad_settings[i].text, &error));
    g_assert_nonnull(strstr(error.message, bad_settings[i].message));
  }
  g_assert_cmpint(b.count, ==, 0);
  g_assert_true(tg_bindings_parse(&b, "c=-9223372036854775807", &error) && tg_bindings_parse(&b, "b=3", &error));
  g_assert_false(tg_bindings_parse(&b, "b=4", &error));
  g_assert_cmpstr(error.message, ==, "`b` is set twice; give it one value");
  g_assert_cmpint(b.count, ==, 2);
  g_assert_cmpint(b.set[0].value, ==, -INT64_MAX);
  g_assert_cmpstr(b.set[1].name, ==, "b");
  g_assert_cmpint(b.set[1].value, ==, 3);
}

static void test_blocks_cover(void) {
  for (gint64 size = 0; size < 40; size++)
    for (gint64 parts = 1; parts < 12; parts++) {
      g_assert_cmpint(tg_block_begin(size, parts, 0), ==, 0);
      g_assert_cmpint(tg_block_begin(size, parts, parts), ==, size);
      for (gint64 i = 0; i < parts; i++) g_assert_cmpint(tg_block_begin(size, parts, i), ==, i * size / parts);
    }
}

/* What some editors put before UTF-8 is no part of the text, and columns count from behind it. */
static void test_byte_order_mark(void) {
  Bound bound;
  g_assert_true(bound_from(&bound, "\xef\xbb\xbf" HEAD "C = A * B\n", "1x1", NULL));
  g_assert_false(bound_from(&bound, "\xef\xbb\xbfgrid i:q\n", "1x1", NULL));
  g_assert_cmpint(bound.error.line, ==, 1);
  g_assert_cmpint(bound.error.column, ==, 1);
}

static void test_affine(void) {
  Bound bound;
  TgAffine affine;
  g_assert_true(bound_from(&bound, HEAD "repeat s in q\n  move A to (2*i-j+q-s*3, i xor j)\nC = A * B\n", "4x4", NULL));
  const TgStatement *move = &bound.schedule.statement[1];
  g_assert_true(tg_expression_affine(&bound.schedule, move->to[0], &affine));
  g_assert_cmpint(affine.constant, ==, 4);
  g_assert_cmpint(affine.factor[0], ==, 2);
  g_assert_cmpint(affine.factor[1], ==, -1);
  g_assert_cmpint(affine.factor[TG_VARIABLE_LOOP], ==, -3);
  g_assert_false(tg_expression_affine(&bound.schedule, move->to[1], &affine));
}

/* The string after the name is what pictures call the schedule; it may hold what a name may not. */
static void test_display_name(void) {
  static const char *const rows[][4] = {
      {"schedule t", "t", "t", ""},
      {"schedule t \"2.5D T, \xc3\xa4\"  # comment", "t", "2.5D T, \xc3\xa4", ""},
      {"schedule t-1\"T\"\n  \"who\"", "t-1", "T", "who"},
      {"schedule t\n  \"who\"", "t", "t", "who"},
  };
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    Bound bound;
    g_autofree char *text = g_strconcat(rows[r][0], "\n", strchr(HEAD, '\n') + 1, "C = A * B\n", NULL);
    g_assert_true(bound_from(&bound, text, "1x1", NULL));
    g_assert_cmpstr(tg_name(&bound.names, bound.names.title), ==, rows[r][1]);
    g_assert_cmpstr(tg_name(&bound.names, bound.names.display), ==, rows[r][2]);
    g_assert_cmpstr(tg_name(&bound.names, bound.names.citation), ==, rows[r][3]);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++) {
    g_autofree char *path = g_strdup_printf("/schedule/refusal/%s", refusals[i].what);
    g_test_add_data_func(path, &refusals[i], test_refusal);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
    g_autofree char *path = g_strdup_printf("/schedule/value/%02d", (int)i);
    g_test_add_data_func(path, &values[i], test_value);
  }
  g_test_add_func("/schedule/evaluation-failures", test_evaluation_failures);
  g_test_add_func("/schedule/display-name", test_display_name);
  g_test_add_func("/schedule/limits", test_limits);
  g_test_add_func("/schedule/bindings", test_bindings);
  g_test_add_func("/schedule/settings", test_settings);
  g_test_add_func("/schedule/default-parameter", test_default_parameter);
  g_test_add_func("/schedule/grids", test_grids);
  g_test_add_func("/schedule/blocks-cover", test_blocks_cover);
  g_test_add_func("/schedule/byte-order-mark", test_byte_order_mark);
  g_test_add_func("/schedule/affine", test_affine);
  return g_test_run();
}
