/** @file output.h
 * Standard output: text, styles and aligned tables. A reader that has gone (`| head`) is no error; a full disk is. */
#ifndef TG_OUTPUT_H
#define TG_OUTPUT_H

#include "cli.h"

#include "json-writer.h"
#include "text-table.h"

typedef enum TgStyle { TG_STYLE_PLAIN, TG_STYLE_HEADING, TG_STYLE_GOOD, TG_STYLE_BAD, TG_STYLE_FAINT } TgStyle;

/** Settles where colours may be used. False where `--color` has another value than auto, always, never. */
bool tg_output_init(TgCli *cli);

/** Whether a character may be printed: no control character, none that changes text direction, none that XML forbids.
 */
bool tg_is_printable(uint32_t character);

/** A copy for a terminal: unprintable characters and invalid UTF-8 are written as \xNN, except characters in `kept`.
 * Free with g_free(). */
char *tg_printable(const char *text, const char *kept);

/** Prints lines, as tg_printable() has them. */
void tg_print(TgCli *cli, const char *format, ...) TG_PRINTF(2, 3);
/** Prints one line and its newline; a newline in a file's name makes no other one. */
void tg_print_line(TgCli *cli, const char *format, ...) TG_PRINTF(2, 3);
/** Prints a complete document. */
void tg_print_json(TgCli *cli, TgJson *json);
/** Prints bytes as they are: a text without control characters that a terminal obeys. */
void tg_print_bytes(TgCli *cli, const char *bytes, size_t length);
/** As tg_print(), in a style, where standard output may have colours. */
void tg_print_styled(TgCli *cli, TgStyle style, const char *format, ...) TG_PRINTF(3, 4);
/** True once nobody reads standard output any more: what is only printed need not be computed. */
bool tg_output_gone(const TgCli *cli);
/** Flushes everything; reports a failure and changes TG_EXIT_DONE to TG_EXIT_FAILED. */
TgExit tg_output_finish(TgCli *cli, TgExit status);

/** Escape sequences of a style, "" without colours. */
const char *tg_style_begin(TgStyle style, bool colour);
const char *tg_style_end(TgStyle style, bool colour);

/** Prints all rows, `indent` spaces in; the first one as a heading if asked. */
void tg_table_print(TgCli *cli, const TgTable *table, int indent, bool heading);

/** Prints `text` in lines of at most 100 columns, each after `indent` spaces; the first as many fewer as are there
 * already. */
void tg_print_wrapped(TgCli *cli, const char *text, int indent, int already);
/** The same in lines of at most `columns`. */
void tg_print_wrapped_within(TgCli *cli, const char *text, int indent, int already, int columns);

#endif
