/** @file json-fields.h
 * Writes members of a struct as members of a JSON object, from a table: a row has the key, type and place of a member.
 */
#ifndef TG_JSON_FIELDS_H
#define TG_JSON_FIELDS_H

#include "json-writer.h"

#include <stddef.h>

TG_BEGIN_DECLS

typedef enum TgJsonType {
  TG_JSON_NO_TYPE, /**< a type that is not among these: stops the program when it is written */
  TG_JSON_STRING,  /**< const char *; NULL becomes null */
  TG_JSON_TEXT,    /**< char [], or TgText */
  TG_JSON_BOOL,
  TG_JSON_INT32,
  TG_JSON_INT64,
  TG_JSON_UINT64,
  TG_JSON_DOUBLE, /**< NaN and the infinities become null */
  TG_JSON_OBJECT  /**< some of its members, by a table of their own */
} TgJsonType;

/** A table of these ends with a row whose key is NULL. */
typedef struct TgJsonField {
  const char *key;
  TgJsonType type;
  size_t offset;                    /**< of the member in its struct */
  const struct TgJsonField *fields; /**< of an object */
} TgJsonField;

#ifndef __cplusplus
/* Of an array &member is a pointer to an array, whatever its size. */
#define TG_JSON_TYPE(member)                                                                                           \
  _Generic(&(member),                                                                                                  \
      const char **: TG_JSON_STRING,                                                                                   \
      char **: TG_JSON_STRING,                                                                                         \
      bool *: TG_JSON_BOOL,                                                                                            \
      int32_t *: TG_JSON_INT32,                                                                                        \
      int64_t *: TG_JSON_INT64,                                                                                        \
      uint64_t *: TG_JSON_UINT64,                                                                                      \
      double *: TG_JSON_DOUBLE,                                                                                        \
      TgText *: TG_JSON_TEXT,                                                                                          \
      default: _Generic((member), char *: TG_JSON_TEXT, default: TG_JSON_NO_TYPE))

/** A row for a member of the struct `record`; the type is the member's. */
#define TG_FIELD_AS(record, member, key)                                                                               \
  { key, TG_JSON_TYPE(((record *)0)->member), offsetof(record, member), NULL }
/** … whose key is its name; of a member of a member, `counts.messages`, the name after the last dot. */
#define TG_FIELD(record, member) TG_FIELD_AS(record, member, #member)
/** A row for an object, in one line, of members of the same struct. */
#define TG_FIELD_GROUP(key, table)                                                                                     \
  { key, TG_JSON_OBJECT, 0, table }
/** A table with these rows. */
#define TG_FIELD_TABLE(name, ...) static const TgJsonField name[] = {__VA_ARGS__, {NULL, TG_JSON_NO_TYPE, 0, NULL}}
#endif

/** Writes the members into an object that is open. */
void tg_json_members(TgJson *json, const TgJsonField *fields, const void *record);
/** Writes an object with these members; in an object its key comes before. */
void tg_json_object(TgJson *json, TgJsonLayout layout, const TgJsonField *fields, const void *record);
/** A key, and an array with an object a line for each of `count` structs of `size` bytes. */
void tg_json_member_rows(TgJson *json, const char *key, const TgJsonField *fields, const void *records, size_t count,
                         size_t size);

/** A key, and an array or an object that begins. */
void tg_json_member_array(TgJson *json, const char *key, TgJsonLayout layout);
void tg_json_member_object(TgJson *json, const char *key, TgJsonLayout layout);

/** Begins a document, or a part of one that could be a document of its own: an object with the members `format`,
 * "topogemm-NAME", and `version`. docs/schema/ has its schema. */
void tg_json_begin_document(TgJson *json, const char *name);

TG_END_DECLS

#endif
