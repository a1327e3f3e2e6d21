#include "font.h"

#include <fontconfig/fontconfig.h>
#include <glib.h>

/* As Pango looks for fonts: those that it can scale. */
static bool is_there(void) {
  FcPattern *pattern = FcPatternCreate();
  FcCharSet *letters = FcCharSetCreate();
  FcObjectSet *family = FcObjectSetBuild(FC_FAMILY, NULL);
  for (FcChar32 letter = 0x2080; letter <= 0x2089; letter++) FcCharSetAddChar(letters, letter);
  FcPatternAddCharSet(pattern, FC_CHARSET, letters);
  FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
  FcFontSet *fonts = FcFontList(NULL, pattern, family);
  const bool found = fonts != NULL && fonts->nfont > 0;
  if (fonts != NULL) FcFontSetDestroy(fonts);
  FcObjectSetDestroy(family);
  FcCharSetDestroy(letters);
  FcPatternDestroy(pattern);
  return found;
}

bool tg_font_has_subscripts(void) {
  static gsize known; /* 1: no, 2: yes */
  if (g_once_init_enter(&known)) g_once_init_leave(&known, is_there() ? 2 : 1);
  return known == 2;
}
