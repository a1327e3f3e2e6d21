/** @file text-table.h
 * Columns of text. */
#ifndef TG_TEXT_TABLE_H
#define TG_TEXT_TABLE_H

#include "base.h"

#include <glib.h>

TG_BEGIN_DECLS

typedef struct TgTable TgTable;

/** `align`: a letter a column, l or r. */
TgTable *tg_table_new(const char *align);
void tg_table_free(TgTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgTable, tg_table_free)
/** Appends a cell; cells fill rows. */
void tg_table_add(TgTable *table, const char *format, ...) TG_PRINTF(2, 3);
/** Appends cells, "kernel|types|since". */
void tg_table_add_row(TgTable *table, const char *cells);
/** Appends a cell as tg_time_text() has it. */
void tg_table_add_time(TgTable *table, double seconds);
/** Appends a row of three columns: what it is, how much, and what that means. */
void tg_table_add_fact(TgTable *table, const char *name, const char *value, const char *format, ...) TG_PRINTF(4, 5);
/** The rows as lines without line ends, cells padded to their columns. Free with g_strfreev(). */
char **tg_table_lines(const TgTable *table);

TG_END_DECLS

#endif
