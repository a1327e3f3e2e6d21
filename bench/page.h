/** @file page.h
 * An experiment's report for people: paragraphs and tables, for the caller to print. */
#ifndef TG_PAGE_H
#define TG_PAGE_H

#include "text-table.h"

TG_BEGIN_DECLS

typedef struct TgPage TgPage;

/** A part of a page, in their order: a text with its line ends, or a table whose first row is its heading. */
typedef struct TgPagePart {
  char *text;
  TgTable *table; /**< NULL for a text */
  int indent;     /**< spaces before each row */
} TgPagePart;

TgPage *tg_page_new(void);
void tg_page_free(TgPage *page);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgPage, tg_page_free)

/** Appends text as it is. */
void tg_page_add(TgPage *page, const char *format, ...) TG_PRINTF(2, 3);
/** Appends a paragraph, in lines of at most 100 columns, each after `indent` spaces. */
void tg_page_paragraph(TgPage *page, int indent, const char *format, ...) TG_PRINTF(3, 4);
/** Appends a table, to be filled; it belongs to the page. `align` as in tg_table_new(), `heads` a row of as many. */
TgTable *tg_page_table(TgPage *page, const char *align, int indent, const char *const *heads);
/** The same for a table of `columns` right-aligned columns after the first one. The caller adds their headings. */
TgTable *tg_page_wide_table(TgPage *page, char align, const char *head, guint columns);
/** Appends a number as a cell: "-" where it is not finite. */
void tg_page_number(TgTable *table, const char *format, ...) TG_PRINTF(2, 3);

const TgPagePart *tg_page_parts(const TgPage *page, guint *count);
/** All of it as plain text. Free with g_free(). */
char *tg_page_text(const TgPage *page);

TG_END_DECLS

#endif
