#include "render.h"

#include <gvc.h>
#include <string.h>

#include "svg-text.h"

struct TgRenderer {
  GVC_t *context;
};

/* libgvc reports through one function of the whole process and without user data, and is not made for threads. The lock
 * serves both. */
static GMutex gvc_mutex;
static GString *gvc_messages;

static int on_gvc_message(char *message) {
  if (gvc_messages != NULL) g_string_append(gvc_messages, message);
  return 0;
}

TgRenderer *tg_renderer_new(void) {
  TgRenderer *renderer = g_new0(TgRenderer, 1);
  g_mutex_lock(&gvc_mutex);
  agusererrf before = agseterrf(on_gvc_message);
  renderer->context = gvContext();
  agseterrf(before);
  g_mutex_unlock(&gvc_mutex);
  return renderer;
}

void tg_renderer_free(TgRenderer *renderer) {
  if (renderer->context != NULL) gvFreeContext(renderer->context);
  g_free(renderer);
}

static GBytes *finish_svg(const TgScene *scene, const char *data, gsize length) {
  return g_string_free_to_bytes(tg_svg_finish(scene, data, length));
}

static GBytes *finish_copy(const TgScene *scene, const char *data, gsize length) {
  (void)scene;
  return g_bytes_new(data, length);
}

/* One row a format: what libgvc calls it (NULL: the graph itself), dots per inch (0: libgvc's), and what is still done.
 */
typedef struct TgRenderFormat {
  const char *suffix, *gvc_name, *dpi;
  GBytes *(*finish)(const TgScene *scene, const char *data, gsize length);
} TgRenderFormat;

static const TgRenderFormat formats[] = {
    {"dot", NULL, NULL, NULL},
    {"svg", "svg", NULL, finish_svg},
    {"png", "png", "144", finish_copy},
    {"pdf", "pdf", NULL, finish_copy},
    {TG_RENDER_SCREEN_PNG, "png", "96", finish_copy},
};

const char *tg_render_formats(void) {
  return "dot, svg, png, pdf";
}

static const TgRenderFormat *find_format(const char *suffix) {
  for (gsize f = 0; f < G_N_ELEMENTS(formats); f++)
    if (g_ascii_strcasecmp(formats[f].suffix, suffix) == 0) return &formats[f];
  return NULL;
}

gboolean tg_render_knows(const char *format) {
  return find_format(format) != NULL;
}

static GBytes *render_graph(TgRenderer *renderer, const TgScene *scene, Agraph_t *graph, const TgRenderFormat *format) {
  char *data = NULL, gvc_name[16];
  TgGvcLength length = 0;
  g_strlcpy(gvc_name, format->gvc_name, sizeof gvc_name);
  if (format->dpi != NULL) agsafeset(graph, "dpi", (char *)format->dpi, "");
  GBytes *bytes = NULL;
  if (gvLayout(renderer->context, graph, "nop2") == 0) {
    if (gvRenderData(renderer->context, graph, gvc_name, &data, &length) == 0 && data != NULL && length > 0)
      bytes = format->finish(scene, data, length);
    if (data != NULL) gvFreeRenderData(data);
    gvFreeLayout(renderer->context, graph);
  }
  return bytes;
}

static GBytes *render_locked(TgRenderer *renderer, const TgScene *scene, const TgRenderFormat *format,
                             const char *dot) {
  Agraph_t *graph = agmemread(dot);
  if (graph == NULL) return NULL;
  GBytes *bytes = render_graph(renderer, scene, graph, format);
  agclose(graph);
  return bytes;
}

static void set_render_error(GError **error, const char *suffix, GString *messages) {
  g_strdelimit(g_strchomp(messages->str), "\n", ' ');
  g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_RENDER, "Graphviz does not draw this as %s: %s", suffix,
              *messages->str ? messages->str : "it does not say why");
}

GBytes *tg_render(TgRenderer *renderer, const TgScene *scene, const char *format, GError **error) {
  const TgRenderFormat *row = find_format(format);
  if (row == NULL) {
    g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_FORMAT, "unknown picture format '%s': use one of %s", format,
                tg_render_formats());
    return NULL;
  }
  GString *dot = tg_scene_dot(scene);
  if (row->gvc_name == NULL) return g_string_free_to_bytes(dot);
  g_autoptr(GString) messages = g_string_new(NULL);
  g_mutex_lock(&gvc_mutex);
  gvc_messages = messages;
  agusererrf before = agseterrf(on_gvc_message);
  GBytes *bytes = render_locked(renderer, scene, row, dot->str);
  agseterrf(before);
  gvc_messages = NULL;
  g_mutex_unlock(&gvc_mutex);
  g_string_free(dot, TRUE);
  if (bytes != NULL && messages->len > 0) g_clear_pointer(&bytes, g_bytes_unref);
  if (bytes == NULL) set_render_error(error, row->suffix, messages);
  return bytes;
}
