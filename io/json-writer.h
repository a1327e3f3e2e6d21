/** @file json-writer.h
 * Writes one JSON document (RFC 8259) as text. Wrong use, such as a value without a key inside an object, is a bug in
 * the caller and stops the program. */
#ifndef TG_JSON_WRITER_H
#define TG_JSON_WRITER_H

#include "base.h"

#include <glib.h>
#include <stdio.h>

TG_BEGIN_DECLS

typedef struct TgJson TgJson;

/** How the members of an object or an array lie. */
typedef enum TgJsonLayout {
  TG_JSON_LINES, /**< a line each, indented by two spaces a level */
  TG_JSON_ROW    /**< all on one line, and so is everything within */
} TgJsonLayout;

/** An empty document, which takes exactly one value. */
TgJson *tg_json_new(void);

void tg_json_free(TgJson *json);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgJson, tg_json_free)

void tg_json_begin_object(TgJson *json, TgJsonLayout layout);
void tg_json_end_object(TgJson *json);
void tg_json_begin_array(TgJson *json, TgJsonLayout layout);
void tg_json_end_array(TgJson *json);

/** Names the value that follows; only, and always, inside an object. */
void tg_json_key(TgJson *json, const char *key);

/** Text in UTF-8; each byte that is not becomes U+FFFD. NULL becomes null. */
void tg_json_string(TgJson *json, const char *text);
void tg_json_integer(TgJson *json, int64_t value);

/** The fewest digits that give the same double back; NaN and the infinities become null. */
void tg_json_double(TgJson *json, double value);
void tg_json_bool(TgJson *json, bool value);
void tg_json_null(TgJson *json);

/** A key and its value at once. */
void tg_json_member_string(TgJson *json, const char *key, const char *text);
void tg_json_member_integer(TgJson *json, const char *key, int64_t value);
void tg_json_member_double(TgJson *json, const char *key, double value);
void tg_json_member_bool(TgJson *json, const char *key, bool value);
void tg_json_member_null(TgJson *json, const char *key);

/** Writes what there is so far, once it is `bytes` or more, and forgets it: for documents that need not be in memory
 * as a whole. Returns false where the stream refuses. */
bool tg_json_flush(TgJson *json, FILE *stream, size_t bytes);

/** The text of the complete document, less what was flushed, ended by a line end; it belongs to `json`. `length` may be
 * NULL. */
const char *tg_json_text(TgJson *json, size_t *length);

TG_END_DECLS

#endif
