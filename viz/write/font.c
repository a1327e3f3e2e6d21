#include "font.h"

#include <fontconfig/fontconfig.h>
#include <glib.h>
#include <pthread.h>

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

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool known;

static void find_out(void) {
  known = is_there();
}

bool tg_font_has_subscripts(void) {
  pthread_once(&once, find_out);
  return known;
}
