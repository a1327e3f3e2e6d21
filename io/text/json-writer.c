#include "json-writer.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct Level {
  char closing; /**< of the object or array; '\0' for the document itself */
  bool row;
  bool named; /**< a key waits for its value */
  size_t values;
} Level;

struct TgJson {
  GString *text;
  GArray *levels; /**< of Level, the document first */
};

static Level *top(const TgJson *json) {
  return &g_array_index(json->levels, Level, json->levels->len - 1);
}

static void push(TgJson *json, char closing, bool row) {
  const Level level = {.closing = closing, .row = row};
  g_array_append_val(json->levels, level);
}

TgJson *tg_json_new(void) {
  TgJson *json = g_new(TgJson, 1);
  json->text = g_string_new(NULL);
  json->levels = g_array_new(FALSE, FALSE, sizeof(Level));
  push(json, '\0', false);
  return json;
}

void tg_json_free(TgJson *json) {
  if (!json) return;
  g_string_free(json->text, TRUE);
  g_array_unref(json->levels);
  g_free(json);
}

static void break_line(TgJson *json) {
  g_string_append_c(json->text, '\n');
  for (guint depth = 1; depth < json->levels->len; depth++) g_string_append(json->text, "  ");
}

/** The comma and the white space before a value of an array or before a key. */
static void separate(TgJson *json) {
  Level *level = top(json);
  if (level->values++) g_string_append(json->text, level->row ? ", " : ",");
  if (!level->row && level->closing) break_line(json);
}

/** Every value begins here. */
static void begin_value(TgJson *json) {
  Level *level = top(json);
  g_assert(level->closing || level->values == 0); /* one value a document */
  g_assert(level->closing != '}' || level->named);
  if (level->closing != '}') separate(json);
  level->named = false;
}

static void begin(TgJson *json, char opening, char closing, TgJsonLayout layout) {
  begin_value(json);
  g_string_append_c(json->text, opening);
  push(json, closing, layout == TG_JSON_ROW || top(json)->row);
}

static void end(TgJson *json, char closing) {
  const Level level = *top(json);
  g_assert(level.closing == closing && !level.named);
  g_array_set_size(json->levels, json->levels->len - 1);
  if (level.values && !level.row) break_line(json);
  g_string_append_c(json->text, closing);
}

void tg_json_begin_object(TgJson *json, TgJsonLayout layout) {
  begin(json, '{', '}', layout);
}
void tg_json_end_object(TgJson *json) {
  end(json, '}');
}
void tg_json_begin_array(TgJson *json, TgJsonLayout layout) {
  begin(json, '[', ']', layout);
}
void tg_json_end_array(TgJson *json) {
  end(json, ']');
}

static void append_escaped(GString *text, unsigned char byte) {
  static const char short_escapes[][3] = {
      ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\"};
  const bool is_short = byte < G_N_ELEMENTS(short_escapes) && short_escapes[byte][0];
  if (is_short)
    g_string_append(text, short_escapes[byte]);
  else if (byte < 0x20 || byte == 0x7f)
    g_string_append_printf(text, "\\u%04x", byte);
  else
    g_string_append_c(text, (char)byte);
}

/** The control characters U+0080 to U+009F, among them one that begins escape sequences of a terminal: their two bytes.
 */
static bool is_high_control(const char *at) {
  return (unsigned char)at[0] == 0xc2 && (unsigned char)at[1] >= 0x80 && (unsigned char)at[1] < 0xa0;
}

/** Valid UTF-8 from `at` to `stop`. */
static void append_valid(GString *text, const char *at, const char *stop) {
  for (; at < stop; at++) {
    if (is_high_control(at))
      g_string_append_printf(text, "\\u%04x", (unsigned char)*++at);
    else
      append_escaped(text, (unsigned char)*at);
  }
}

static void append_string(GString *text, const char *string) {
  static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
  g_string_append_c(text, '"');
  for (const char *stop = string; *stop; string = stop) {
    g_utf8_validate(string, -1, &stop);
    append_valid(text, string, stop);
    if (*stop) {
      g_string_append(text, replacement);
      stop++;
    }
  }
  g_string_append_c(text, '"');
}

void tg_json_key(TgJson *json, const char *key) {
  g_assert(top(json)->closing == '}' && !top(json)->named);
  separate(json);
  append_string(json->text, key);
  g_string_append(json->text, ": ");
  top(json)->named = true;
}

void tg_json_string(TgJson *json, const char *text) {
  begin_value(json);
  if (text)
    append_string(json->text, text);
  else
    g_string_append(json->text, "null");
}

void tg_json_integer(TgJson *json, int64_t value) {
  begin_value(json);
  g_string_append_printf(json->text, "%" G_GINT64_FORMAT, value);
}

/** A normal double of up to 15 digits comes back from %.15g, which drops the zeros at its end; a subnormal one has
 * fewer digits and is tried from 1 on. */
static void append_double(GString *text, double value) {
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
    char format[8];
    g_snprintf(format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd(number, sizeof number, format, value);
    if (!(g_ascii_strtod(number, NULL) != value)) break;
  }
  g_string_append(text, number);
}

void tg_json_double(TgJson *json, double value) {
  begin_value(json);
  if (isfinite(value))
    append_double(json->text, value);
  else
    g_string_append(json->text, "null");
}

void tg_json_bool(TgJson *json, bool value) {
  begin_value(json);
  g_string_append(json->text, value ? "true" : "false");
}

void tg_json_null(TgJson *json) {
  tg_json_string(json, NULL);
}

void tg_json_member_string(TgJson *json, const char *key, const char *text) {
  tg_json_key(json, key);
  tg_json_string(json, text);
}

void tg_json_member_integer(TgJson *json, const char *key, int64_t value) {
  tg_json_key(json, key);
  tg_json_integer(json, value);
}

void tg_json_member_double(TgJson *json, const char *key, double value) {
  tg_json_key(json, key);
  tg_json_double(json, value);
}

void tg_json_member_bool(TgJson *json, const char *key, bool value) {
  tg_json_key(json, key);
  tg_json_bool(json, value);
}

void tg_json_member_null(TgJson *json, const char *key) {
  tg_json_key(json, key);
  tg_json_null(json);
}

bool tg_json_flush(TgJson *json, FILE *stream, size_t bytes) {
  if (json->text->len < bytes) return true;
  const bool good = fwrite(json->text->str, 1, json->text->len, stream) == json->text->len;
  g_string_truncate(json->text, 0);
  return good;
}

const char *tg_json_text(TgJson *json, size_t *length) {
  g_assert(json->levels->len == 1 && top(json)->values == 1);
  if (!g_str_has_suffix(json->text->str, "\n")) g_string_append_c(json->text, '\n');
  if (length) *length = json->text->len;
  return json->text->str;
}
