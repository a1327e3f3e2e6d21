/** @file palette.h
 * Colours. Matrices: Okabe and Ito, Color Universal Design, 2008; heat: cividis (Nuñez, Anderton, Renslow, PLoS ONE 13,
 * 2018). Both stay apart for people who do not see all colours; dashes carry the same meaning as colours. */
#ifndef TG_PALETTE_H
#define TG_PALETTE_H

#include "schedule.h"

/** How a matrix is drawn, everywhere. */
typedef struct TgMatrixStyle {
  const char *name; /**< "A" */
  const char *line; /**< colour of arrows */
  const char *dash; /**< Graphviz style of arrows */
  const char *ink;  /**< text on white and on `tint`, and the fill behind white text: contrast at least 4.5 */
  const char *tint; /**< light fill */
} TgMatrixStyle;

extern const TgMatrixStyle tg_matrix_style[TG_MATRICES];

#define TG_COLOUR_INK "#1a1a1a"      /**< titles, names */
#define TG_COLOUR_INK_SOFT "#595959" /**< secondary text */
#define TG_COLOUR_INK_FAINT "#767676" /**< letters of empty slots; 4.5:1 on white */
#define TG_COLOUR_LINE "#4d4d4d"     /**< borders */
#define TG_COLOUR_IDLE "#bdbdbd"     /**< links that carry nothing, empty slots */
#define TG_COLOUR_HEADER "#f2f2f2"   /**< behind a processor's name */
#define TG_COLOUR_WRONG "#a3001b"    /**< round the processor where a schedule fails */

/** Writes the colour for `value` in [0, 1] as "#rrggbb". */
void tg_cividis(double value, char colour[8]);

#endif
