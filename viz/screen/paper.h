/** @file paper.h
 * Rows of a text screen: words with a look, cut to a width, with or without escape sequences. */
#ifndef TG_PAPER_H
#define TG_PAPER_H

#include "block-text.h"

G_BEGIN_DECLS

/** What a screen may show by means other than letters. */
typedef enum TgPaperKind {
  TG_PAPER_PLAIN,      /**< no escape sequence at all */
  TG_PAPER_ATTRIBUTES, /**< bold, underlined and reversed, without colours */
  TG_PAPER_256,        /**< the colour cube of xterm */
  TG_PAPER_TRUE        /**< 24 bits */
} TgPaperKind;

typedef struct TgPaper {
  TgPaperKind kind;
  bool unicode; /**< else ASCII: A01 for A₀₁, > for → */
} TgPaper;

/** The looks of words. A block has that of its matrix, TG_LOOK_A + TgMatrixName. */
typedef enum TgLook {
  TG_LOOK_PLAIN,
  TG_LOOK_A,
  TG_LOOK_B,
  TG_LOOK_C,
  TG_LOOK_TITLE,
  TG_LOOK_FAINT,
  TG_LOOK_BAD,
  TG_LOOKS,
  TG_LOOK_NEW = 16,     /**< flag: came in this step */
  TG_LOOK_FOLLOWED = 32 /**< flag */
} TgLook;

/** A row of the screen. */
typedef struct TgRow {
  GString *text;
  int width; /**< columns that it takes */
} TgRow;

TgRow tg_row_new(void);
void tg_row_clear(TgRow *row);
/** An array of TgRow that clears its elements. */
GArray *tg_rows_new(void);
/** Appends an empty row, to be filled before the next call. */
TgRow *tg_rows_add(GArray *rows);
/** Appends what fits into `columns` of them; the last one becomes "…" where something is cut. Control characters become
 * question marks. */
void tg_row_add(TgRow *row, const TgPaper *paper, unsigned look, int columns, const char *text);
void tg_row_printf(TgRow *row, const TgPaper *paper, unsigned look, int columns, const char *format, ...)
    G_GNUC_PRINTF(5, 6);
/** Fills up with spaces. */
void tg_row_pad(TgRow *row, int columns);

/** A word for a row, kept until it is known where it goes. */
typedef struct TgWord {
  char text[44];
  unsigned look;
  bool joined; /**< no space before it, and on the same row as the word before */
} TgWord;

/** Appends a word to an array of TgWord. */
void tg_word_add(GArray *words, unsigned look, bool joined, const char *text);
/** Breaks words into rows of `columns`; see tg_rows_new(). */
GArray *tg_words_wrap(const GArray *words, const TgPaper *paper, int columns);
/** Breaks a text at spaces; free with g_strfreev(). */
char **tg_text_rows(const char *text, int columns);

/** Columns that a text takes on a terminal. */
int tg_text_columns(const char *text);

/** Appends "(0,1)". */
void tg_paper_processor(GString *text, const TgSchedule *schedule, int64_t processor);
/** Appends "A₀₁", or "A01" on paper without Unicode. */
void tg_paper_block(const TgPaper *paper, GString *text, const TgBlockName *block);
/** Reads a block's name as a person types it: "A01", "a0,12", "A₀₁". */
bool tg_block_name_read(const char *text, TgBlockName *block);
/** True where both are the same block, transposed or not, with whatever terms. */
bool tg_block_name_follows(const TgBlockName *block, const TgBlockName *followed);

G_END_DECLS

#endif
