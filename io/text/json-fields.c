#include "json-fields.h"

#include <string.h>

/** Of all documents; one whose members change their meaning gets a number of its own. */
enum { DOCUMENT_VERSION = 1 };

static void write_value(TgJson *json, const TgJsonField *field, const void *at) {
  switch (field->type) {
  case TG_JSON_STRING:
    tg_json_string(json, *(const char *const *)at);
    return;
  case TG_JSON_TEXT:
    tg_json_string(json, at);
    return;
  case TG_JSON_BOOL:
    tg_json_bool(json, *(const bool *)at);
    return;
  case TG_JSON_INT32:
    tg_json_integer(json, *(const int32_t *)at);
    return;
  case TG_JSON_INT64:
    tg_json_integer(json, *(const int64_t *)at);
    return;
  case TG_JSON_UINT64:
    tg_json_integer(json, (int64_t) * (const uint64_t *)at);
    return;
  case TG_JSON_DOUBLE:
    tg_json_double(json, *(const double *)at);
    return;
  case TG_JSON_OBJECT:
    tg_json_object(json, TG_JSON_ROW, field->fields, at);
    return;
  case TG_JSON_NO_TYPE:
    break;
  }
  g_assert_not_reached();
}

void tg_json_members(TgJson *json, const TgJsonField *fields, const void *record) {
  for (; fields->key; fields++) {
    const char *dot = strrchr(fields->key, '.');
    tg_json_key(json, dot ? dot + 1 : fields->key);
    write_value(json, fields, (const char *)record + fields->offset);
  }
}

void tg_json_object(TgJson *json, TgJsonLayout layout, const TgJsonField *fields, const void *record) {
  tg_json_begin_object(json, layout);
  tg_json_members(json, fields, record);
  tg_json_end_object(json);
}

void tg_json_member_rows(TgJson *json, const char *key, const TgJsonField *fields, const void *records, size_t count,
                         size_t size) {
  tg_json_key(json, key);
  tg_json_begin_array(json, TG_JSON_LINES);
  for (size_t r = 0; r < count; r++) tg_json_object(json, TG_JSON_ROW, fields, (const char *)records + r * size);
  tg_json_end_array(json);
}

void tg_json_begin_document(TgJson *json, const char *name) {
  g_autofree char *format = g_strdup_printf("topogemm-%s", name);
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_string(json, "format", format);
  tg_json_member_integer(json, "version", DOCUMENT_VERSION);
}

void tg_json_member_array(TgJson *json, const char *key, TgJsonLayout layout) {
  tg_json_key(json, key);
  tg_json_begin_array(json, layout);
}

void tg_json_member_object(TgJson *json, const char *key, TgJsonLayout layout) {
  tg_json_key(json, key);
  tg_json_begin_object(json, layout);
}
