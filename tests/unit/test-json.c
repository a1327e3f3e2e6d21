/* The JSON writer's text, and that wrong use stops the program. */
#include "json-fields.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void test_layout(void) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_string(json, "grid", "4x4");
  tg_json_member_bool(json, "ok", true);
  tg_json_key(json, "processor");
  tg_json_begin_array(json, TG_JSON_ROW);
  tg_json_integer(json, 1);
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_null(json, "x");
  tg_json_member_double(json, "y", 0.5);
  tg_json_end_object(json);
  tg_json_end_array(json);
  tg_json_key(json, "empty");
  tg_json_begin_array(json, TG_JSON_LINES);
  tg_json_end_array(json);
  tg_json_key(json, "steps");
  tg_json_begin_array(json, TG_JSON_LINES);
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_end_object(json);
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_integer(json, "index", INT64_MIN);
  tg_json_end_object(json);
  tg_json_end_array(json);
  tg_json_end_object(json);
  size_t length = 0;
  const char *text = tg_json_text(json, &length);
  g_assert_cmpstr(text, ==,
                  "{\n"
                  "  \"grid\": \"4x4\",\n"
                  "  \"ok\": true,\n"
                  "  \"processor\": [1, {\"x\": null, \"y\": 0.5}],\n"
                  "  \"empty\": [],\n"
                  "  \"steps\": [\n"
                  "    {},\n"
                  "    {\n"
                  "      \"index\": -9223372036854775808\n"
                  "    }\n"
                  "  ]\n"
                  "}\n");
  g_assert_cmpuint(length, ==, strlen(text));
}

typedef struct Inner {
  int32_t rows;
  double rate;
} Inner;

typedef struct Record {
  const char *label;
  char *title;
  char grid[8], one[1];
  bool ok;
  int32_t width;
  int64_t extent[2];
  uint64_t seed;
  double time_s;
  Inner inner;
  TgJsonLayout layout;
} Record;

TG_FIELD_TABLE(inner_fields, TG_FIELD(Inner, rows), TG_FIELD(Inner, rate));
TG_FIELD_TABLE(within_fields, TG_FIELD(Record, inner.rows), TG_FIELD(Record, inner.rate));
TG_FIELD_TABLE(record_fields, TG_FIELD(Record, label), TG_FIELD(Record, title), TG_FIELD(Record, grid),
               TG_FIELD(Record, one), TG_FIELD(Record, ok), TG_FIELD(Record, width), TG_FIELD(Record, seed),
               TG_FIELD_AS(Record, extent[1], "n"), TG_FIELD(Record, time_s), TG_FIELD_GROUP("within", within_fields),
               TG_FIELD(Record, inner.rows));

/* One member of each type, under its own name or another one. */
static void test_fields(void) {
  const Record record[] = {{.label = "a",
                            .grid = "2x2",
                            .ok = true,
                            .width = INT32_MIN,
                            .extent = {1, INT64_MAX},
                            .seed = 5,
                            .time_s = NAN,
                            .inner = {3, 0.5}},
                           {.title = (char[]){"b"}, .time_s = 2}};
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "test");
  tg_json_members(json, inner_fields, &record[0].inner);
  tg_json_member_rows(json, "none", record_fields, record, 0, sizeof *record);
  tg_json_member_rows(json, "rows", record_fields, record, 2, sizeof *record);
  tg_json_end_object(json);
  g_assert_cmpstr(tg_json_text(json, NULL), ==,
                  "{\n"
                  "  \"format\": \"topogemm-test\",\n"
                  "  \"version\": 1,\n"
                  "  \"rows\": 3,\n"
                  "  \"rate\": 0.5,\n"
                  "  \"none\": [],\n"
                  "  \"rows\": [\n"
                  "    {\"label\": \"a\", \"title\": null, \"grid\": \"2x2\", \"one\": \"\", \"ok\": true, "
                  "\"width\": -2147483648, \"seed\": 5, \"n\": 9223372036854775807, \"time_s\": null, "
                  "\"within\": {\"rows\": 3, \"rate\": 0.5}, \"rows\": 3},\n"
                  "    {\"label\": null, \"title\": \"b\", \"grid\": \"\", \"one\": \"\", \"ok\": false, "
                  "\"width\": 0, \"seed\": 0, \"n\": 0, \"time_s\": 2, "
                  "\"within\": {\"rows\": 0, \"rate\": 0}, \"rows\": 0}\n"
                  "  ]\n"
                  "}\n");
}

static void check_string(const char *string, const char *expected) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_string(json, string);
  g_assert_cmpstr(tg_json_text(json, NULL), ==, expected);
}

static void test_strings(void) {
  check_string("", "\"\"\n");
  check_string(NULL, "null\n");
  check_string("a\"b\\c/", "\"a\\\"b\\\\c/\"\n");
  check_string("\b\t\n\f\r\x01\x1f\x7f", "\"\\b\\t\\n\\f\\r\\u0001\\u001f\\u007f\"\n");
  check_string("\xc2\x80x\xc2\x9b 31m\xc2\x9f\xc2\xa0", "\"\\u0080x\\u009b 31m\\u009f\xc2\xa0\"\n");
  check_string("A\xc2\xb7"
               "B \xf0\x9f\x98\x80",
               "\"A\xc2\xb7"
               "B \xf0\x9f\x98\x80\"\n");
  check_string("x\xff\xfey", "\"x\xef\xbf\xbd\xef\xbf\xbdy\"\n");
  check_string("cut\xe2\x82", "\"cut\xef\xbf\xbd\xef\xbf\xbd\"\n");
}

static void check_double(double value, const char *expected) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_double(json, value);
  g_autofree char *line = g_strconcat(expected, "\n", NULL);
  g_assert_cmpstr(tg_json_text(json, NULL), ==, line);
}

static void test_doubles(void) {
  check_double(0, "0");
  check_double(-0.0, "-0");
  check_double(1, "1");
  check_double(0.1, "0.1");
  check_double(0.1 + 0.2, "0.30000000000000004");
  check_double(1.0 / 3, "0.3333333333333333");
  check_double(1e-6, "1e-06");
  check_double(1e22, "1e+22");
  check_double(DBL_MAX, "1.7976931348623157e+308");
  check_double(DBL_TRUE_MIN, "5e-324");
  check_double(NAN, "null");
  check_double(INFINITY, "null");
  check_double(-INFINITY, "null");
}

static void test_doubles_come_back(void) {
  for (int i = 0; i < 20000; i++) {
    const guint64 bits = (guint64)g_test_rand_int() << 32 | (guint32)g_test_rand_int();
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    g_autoptr(TgJson) json = tg_json_new();
    tg_json_double(json, value);
    g_assert_cmpfloat(g_ascii_strtod(tg_json_text(json, NULL), NULL), ==, value);
  }
}

static void misuse_value_without_key(TgJson *json) {
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_integer(json, 1);
}

static void misuse_key_in_array(TgJson *json) {
  tg_json_begin_array(json, TG_JSON_LINES);
  tg_json_key(json, "k");
}

static void misuse_two_documents(TgJson *json) {
  tg_json_null(json);
  tg_json_null(json);
}

static void misuse_wrong_end(TgJson *json) {
  tg_json_begin_array(json, TG_JSON_LINES);
  tg_json_end_object(json);
}

static void misuse_key_without_value(TgJson *json) {
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_key(json, "k");
  tg_json_end_object(json);
}

static void misuse_unfinished(TgJson *json) {
  tg_json_begin_array(json, TG_JSON_LINES);
  tg_json_null(json);
  tg_json_text(json, NULL);
}

static void misuse_empty(TgJson *json) {
  tg_json_text(json, NULL);
}

/* An enumeration has no type of its own in a document: its name is what is written. */
static void misuse_member_without_type(TgJson *json) {
  TG_FIELD_TABLE(fields, TG_FIELD(Record, layout));
  tg_json_object(json, TG_JSON_ROW, fields, &(Record){.layout = TG_JSON_ROW});
}

typedef void (*Misuse)(TgJson *json);
static const Misuse misuses[] = {
    misuse_value_without_key, misuse_key_in_array, misuse_two_documents, misuse_wrong_end,
    misuse_key_without_value, misuse_unfinished,   misuse_empty,         misuse_member_without_type};

static void test_misuse(gconstpointer which) {
  if (g_test_subprocess()) {
    TgJson *json = tg_json_new();
    misuses[GPOINTER_TO_SIZE(which)](json);
    tg_json_free(json);
    return;
  }
  g_test_trap_subprocess(NULL, 0, 0);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr("*ERROR:*json-*.c*");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/json/layout", test_layout);
  g_test_add_func("/json/fields", test_fields);
  g_test_add_func("/json/strings", test_strings);
  g_test_add_func("/json/doubles", test_doubles);
  g_test_add_func("/json/doubles-come-back", test_doubles_come_back);
  for (size_t i = 0; i < G_N_ELEMENTS(misuses); i++) {
    g_autofree char *path = g_strdup_printf("/json/misuse/%zu", i);
    g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_misuse);
  }
  return g_test_run();
}
