#include "svg-text.h"

#include <string.h>

#include "scene-private.h"

char *tg_text_replace(const char *text, const char *from, const char *to) {
  GString *out = g_string_sized_new(strlen(text) + 64);
  for (const char *found; (found = strstr(text, from)) != NULL; text = found + strlen(from)) {
    g_string_append_len(out, text, found - text);
    g_string_append(out, to);
  }
  return g_string_free(g_string_append(out, text), FALSE);
}

void tg_svg_element(GString *svg, const char *name, const char *text) {
  g_autofree char *escaped = g_markup_escape_text(text, -1);
  g_string_append_printf(svg, "<%s>%s</%s>\n", name, escaped, name);
}

/* Without width and height: the picture is as large as what it stands in, whatever that is, in its own proportions. */
void tg_svg_open(GString *svg, double width, double height, const char *title, const char *description) {
  g_string_append_printf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %.0f %.0f\">\n",
                         width, height);
  tg_svg_element(svg, "title", title);
  tg_svg_element(svg, "desc", description);
}

/* What libgvc writes differently from SVG 1.1; and every hyphen, which libgvc writes as a character reference. */
static const struct {
  const char *from, *to;
} replacements[] = {{"&#45;", "-"}, {"\"transparent\"", "\"none\""}, {TG_SCENE_BOLD "\"", "\" font-weight=\"bold\""}};

static char *replace_all(const char *text, gsize length) {
  char *out = g_strndup(text, length);
  for (gsize r = 0; r < G_N_ELEMENTS(replacements); r++) {
    char *next = tg_text_replace(out, replacements[r].from, replacements[r].to);
    g_free(out);
    out = next;
  }
  return out;
}

/* The id="…" of a line; NULL where there is none. */
static char *id_of(const char *line, gsize length) {
  const char *begin = g_strstr_len(line, (gssize)length, " id=\"");
  if (begin == NULL) return NULL;
  begin += 5;
  const char *end = memchr(begin, '"', length - (gsize)(begin - line));
  return end != NULL ? g_strndup(begin, (gsize)(end - begin)) : NULL;
}

/* The words that take the place of <title>name</title> for the mark or stroke of this id; nothing where it has none. */
static void append_title(GString *svg, GHashTable *titles, const char *id) {
  const char *title = id != NULL ? g_hash_table_lookup(titles, id) : NULL;
  if (title != NULL) tg_svg_element(svg, "title", title);
}

/* libgvc writes an element a line; a title, which may hold a line's end, comes from the scene. */
static void append_line(GString *svg, GHashTable *titles, const char *line, gsize length, char **id) {
  if (g_str_has_prefix(line, "<!--")) return;
  if (g_str_has_prefix(line, "<title>")) {
    append_title(svg, titles, *id);
    return;
  }
  if (g_str_has_prefix(line, "<g ")) {
    g_free(*id);
    *id = id_of(line, length);
  }
  g_string_append_len(svg, line, (gssize)length);
  g_string_append_c(svg, '\n');
}

GString *tg_svg_finish(const TgScene *scene, const char *svg, gsize length) {
  GString *out = g_string_sized_new(length);
  g_autofree char *text = replace_all(svg, length);
  g_autoptr(GHashTable) titles = tg_scene_titles(scene);
  g_autofree char *id = NULL;
  const char *at = strstr(text, "<g id=\"graph0\""), *end = text + strlen(text);
  g_string_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  tg_svg_open(out, scene->width, scene->height, scene->title, scene->description);
  while (at != NULL && at < end) {
    const char *stop = memchr(at, '\n', (gsize)(end - at));
    if (stop == NULL) stop = end;
    append_line(out, titles, at, (gsize)(stop - at), &id);
    at = stop + 1;
  }
  return out;
}

char *tg_svg_body(const char *svg) {
  const char *begin = strstr(svg, "<g id=\"graph0\""), *end = g_strrstr(svg, "</svg>");
  g_return_val_if_fail(begin != NULL && end != NULL, NULL);
  return g_strndup(begin, (gsize)(end - begin));
}
