/** @file font.h
 * What the fonts of this machine have, where letters become dots or curves here: in PNG, GIF and PDF. Private to viz/.
 */
#ifndef TG_FONT_H
#define TG_FONT_H

#include <stdbool.h>

/** True where an installed font has the digits ₀ to ₉, U+2080 to U+2089. libgvc takes them from any that has. */
bool tg_font_has_subscripts(void);

#endif
