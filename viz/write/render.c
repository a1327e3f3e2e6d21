#include "render.h"

#include <fontconfig/fontconfig.h>
#include <glib.h>
#include <gvc.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>

#include "scene-private.h"
#include "svg-text.h"

/* As Pango looks for fonts: those that it can scale. */
static bool font_has(FcChar32 first, FcChar32 last) {
  FcPattern *pattern = FcPatternCreate();
  FcCharSet *letters = FcCharSetCreate();
  FcObjectSet *family = FcObjectSetBuild(FC_FAMILY, NULL);
  for (FcChar32 letter = first; letter <= last; letter++) FcCharSetAddChar(letters, letter);
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

typedef struct Fonts {
  bool subscripts; /* an installed font has the digits ₀ to ₉, U+2080 to U+2089 */
  bool letters;
} Fonts;

static Fonts fonts;

/* libgvc takes a character from any installed font that has it. */
static void look_at_fonts(void) {
  fonts = (Fonts){.subscripts = font_has(0x2080, 0x2089), .letters = font_has('A', 'Z')};
}

static const Fonts *installed_fonts(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look_at_fonts);
  return &fonts;
}

/* libgvc is one for the process: it reports through one function without user data, its plug-ins keep static pointers
 * to fonts of a context after that context was freed (Graphviz 2.43, textlayout of the pango plug-in), and it is not
 * made for threads. So there is one context, made when first needed and kept, and one lock: of POSIX, which
 * ThreadSanitizer knows. */
static pthread_mutex_t gvc_mutex = PTHREAD_MUTEX_INITIALIZER;
static GVC_t *gvc_context;
static GString *gvc_messages;

static int on_gvc_message(char *message) {
  if (gvc_messages != NULL) g_string_append(gvc_messages, message);
  return 0;
}

static GBytes *finish_svg(const TgScene *scene, const char *data, gsize length) {
  return g_string_free_to_bytes(tg_svg_finish(scene, data, length));
}

static GBytes *finish_copy(const TgScene *scene, const char *data, gsize length) {
  (void)scene;
  return g_bytes_new(data, length);
}

/* One row a format: what libgvc calls it (NULL: the text that `write` makes), dots per inch (NULL: libgvc's), whether
 * it is text whose letters who shows it draws, what is still done, and the bytes of memory that a mark, its words, a
 * stroke and a square point take, from the scene to the file: the most of pictures of 1,000 to 100,000 marks and
 * strokes, with Graphviz 2.43, rounded up. */
typedef struct TgRenderFormat {
  const char *suffix, *gvc_name, *dpi;
  GString *(*write)(const TgScene *scene);
  bool is_text;
  GBytes *(*finish)(const TgScene *scene, const char *data, gsize length);
  double mark, text, stroke, area;
} TgRenderFormat;

static const TgRenderFormat formats[] = {
    {"dot", NULL, NULL, tg_scene_dot, true, NULL, 600, 200, 800, 0},
    {"tex", NULL, NULL, tg_scene_tikz, true, NULL, 900, 400, 1200, 0},
    {TG_RENDER_TIKZ_BODY, NULL, NULL, tg_scene_tikz_body, true, NULL, 900, 400, 1200, 0},
    {"svg", "svg", NULL, NULL, true, finish_svg, 1800, 5500, 2300, 0},
    {"png", "png", "144", NULL, false, finish_copy, 1800, 5500, 2300, 17},
    {"pdf", "pdf", NULL, NULL, false, finish_copy, 3000, 8000, 2900, 0},
    {TG_RENDER_SCREEN_PNG, "png", "96", NULL, false, finish_copy, 1800, 5500, 2300, 8},
};

/* What libgvc and its plug-ins take whatever they draw: of memory, and with what they map, of address space. */
static const double base_bytes = 32 << 20, base_space_bytes = 256 << 20;

const char *tg_render_formats(void) {
  return "dot, svg, png, pdf, tex";
}

static const TgRenderFormat *find_format(const char *suffix, GError **error) {
  for (gsize f = 0; f < G_N_ELEMENTS(formats); f++)
    if (g_ascii_strcasecmp(formats[f].suffix, suffix) == 0) return &formats[f];
  g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_FORMAT, "unknown picture format '%s': use one of %s", suffix,
              tg_render_formats());
  return NULL;
}

gboolean tg_render_knows(const char *format, GError **error) {
  return find_format(format, error) != NULL;
}

/* U+2080 to U+2089 in UTF-8. */
static bool is_subscript(const char *at) {
  return at[0] == '\xe2' && at[1] == '\x82' && (guchar)at[2] >= 0x80 && (guchar)at[2] <= 0x89;
}

static bool has_subscript(const char *text) {
  for (; text && *text; text++)
    if (is_subscript(text)) return true;
  return false;
}

static bool scene_has_subscript(const TgScene *scene) {
  for (guint m = 0; m < scene->marks->len; m++)
    if (has_subscript(g_array_index(scene->marks, TgMark, m).text)) return true;
  for (guint s = 0; s < scene->strokes->len; s++)
    if (has_subscript(g_array_index(scene->strokes, TgStroke, s).label)) return true;
  return false;
}

gboolean tg_render_has_plain_digits(const TgScene *scene, const char *format) {
  const TgRenderFormat *row = find_format(format, NULL);
  return !(row && row->is_text) && !installed_fonts()->subscripts && scene_has_subscript(scene);
}

static GString *dot_of(const TgScene *scene, const TgRenderFormat *format) {
  GString *dot = tg_scene_dot(scene);
  if (!tg_render_has_plain_digits(scene, format->suffix)) return dot;
  GString *plain = g_string_sized_new(dot->len);
  for (const char *at = dot->str; *at; at++) {
    const bool subscript = is_subscript(at);
    g_string_append_c(plain, subscript ? (char)('0' + (at[2] & 0x0f)) : *at);
    if (subscript) at += 2;
  }
  g_string_free(dot, TRUE);
  return plain;
}

static GBytes *render_graph(const TgScene *scene, Agraph_t *graph, const TgRenderFormat *format) {
  char *data = NULL, gvc_name[16];
  TgGvcLength length = 0;
  g_strlcpy(gvc_name, format->gvc_name, sizeof gvc_name);
  if (format->dpi != NULL) agsafeset(graph, "dpi", (char *)format->dpi, "");
  GBytes *bytes = NULL;
  if (gvLayout(gvc_context, graph, "nop2") == 0) {
    if (gvRenderData(gvc_context, graph, gvc_name, &data, &length) == 0 && data != NULL && length > 0)
      bytes = format->finish(scene, data, length);
    if (data != NULL) gvFreeRenderData(data);
    gvFreeLayout(gvc_context, graph);
  }
  return bytes;
}

static GBytes *render_locked(const TgScene *scene, const TgRenderFormat *format, const char *dot) {
  if (gvc_context == NULL) gvc_context = gvContext();
  Agraph_t *graph = gvc_context ? agmemread(dot) : NULL;
  if (graph == NULL) return NULL;
  GBytes *bytes = render_graph(scene, graph, format);
  agclose(graph);
  return bytes;
}

static void set_render_error(GError **error, const char *suffix, GString *messages) {
  g_strdelimit(g_strchomp(messages->str), "\n", ' ');
  g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_RENDER, "Graphviz cannot draw this as %s: %s", suffix,
              *messages->str ? messages->str : "no reason given");
}

/* libgvc does not check what it allocates; what is too little for it is found out before. */
static gboolean has_space(const TgRenderFormat *format, double bytes) {
  if (format->write != NULL) return TRUE;
  void *room = g_try_malloc((gsize)(bytes - base_bytes + base_space_bytes));
  g_free(room);
  return room != NULL;
}

/* libgvc scales a larger bitmap down to this, with a message of its own on the terminal (Graphviz 2.43, plug-in cairo).
 */
static gboolean check_pixels(const TgSceneSize *size, const TgRenderFormat *format, GError **error) {
  enum { MOST_PIXELS = 32766, POINTS = 72 };
  const double pixels =
      ceil(MAX(size->width, size->height) * (format->dpi ? g_ascii_strtod(format->dpi, NULL) / POINTS : 0));
  return pixels <= MOST_PIXELS ||
         TG_DRAW_FAIL(error, TOO_BIG, "the picture is about %.0f pixels %s, but a bitmap has at most %d; draw an .svg",
                      pixels, size->width < size->height ? "high" : "wide", MOST_PIXELS);
}

gboolean tg_render_has_room(const TgSceneSize *size, const char *format, uint64_t limit_bytes, GError **error) {
  const TgRenderFormat *row = find_format(format, NULL);
  if (row == NULL) return TRUE; /* tg_render() reports it */
  if (!check_pixels(size, row, error)) return FALSE;
  const double bytes = (row->write ? 0 : base_bytes) + size->marks * row->mark + size->texts * row->text +
                       size->strokes * row->stroke + size->width * size->height * row->area;
  const gboolean allowed = limit_bytes == 0 || bytes <= (double)limit_bytes;
  if (allowed && has_space(row, bytes)) return TRUE;
  if (allowed)
    return TG_DRAW_FAIL(error, TOO_BIG,
                        "Graphviz needs about %.0f MB of memory for this picture and another %.0f MB of address space, "
                        "but the limit leaves less; raise it (ulimit -v, ulimit -d), or draw .dot",
                        bytes / 1e6, (base_space_bytes - base_bytes) / 1e6);
  return TG_DRAW_FAIL(
      error, MEMORY,
      "a picture of %.0f marks and %.0f lines needs about %.0f MB of memory as %s, but %.0f MB are available",
      size->marks, size->strokes, bytes / 1e6, row->suffix, (double)limit_bytes / 1e6);
}

GBytes *tg_render(const TgScene *scene, const char *format, uint64_t limit_bytes, GError **error) {
  const TgRenderFormat *row = find_format(format, error);
  if (row == NULL) return NULL;
  const TgSceneSize size = tg_scene_size(scene);
  if (!tg_render_has_room(&size, format, limit_bytes, error)) return NULL;
  if (!row->is_text && !installed_fonts()->letters) {
    g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_PROGRAM,
                "no font is installed, so every letter would be a box: install the package fonts-dejavu-core, or draw "
                "an .svg");
    return NULL;
  }
  if (row->write != NULL) return g_string_free_to_bytes(row->write(scene));
  GString *dot = dot_of(scene, row);
  g_autoptr(GString) messages = g_string_new(NULL);
  pthread_mutex_lock(&gvc_mutex);
  gvc_messages = messages;
  agusererrf before = agseterrf(on_gvc_message);
  GBytes *bytes = render_locked(scene, row, dot->str);
  agseterrf(before);
  gvc_messages = NULL;
  pthread_mutex_unlock(&gvc_mutex);
  g_string_free(dot, TRUE);
  if (bytes != NULL && messages->len > 0) g_clear_pointer(&bytes, g_bytes_unref);
  if (bytes == NULL) set_render_error(error, row->suffix, messages);
  return bytes;
}
