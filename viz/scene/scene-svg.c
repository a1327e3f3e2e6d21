#include <math.h>
#include <string.h>

#include "scene-private.h"

static void append_point(GString *svg, double x, double y) {
  tg_scene_append_number(svg, x);
  g_string_append_c(svg, ',');
  tg_scene_append_number(svg, y);
}

static void append_length(GString *svg, const char *name, double value) {
  g_string_append_printf(svg, " %s=\"", name);
  tg_scene_append_number(svg, value);
  g_string_append_c(svg, '"');
}

static void append_attribute(GString *svg, const char *name, const char *value) {
  g_string_append_printf(svg, " %s=\"%s\"", name, value);
}

/* A group is one line of the file, whatever its words hold. */
static void append_escaped(GString *svg, const char *text, gsize length) {
  g_autofree char *escaped = g_markup_escape_text(text, (gssize)length);
  for (const char *c = escaped; *c; c++) {
    if (*c == '\n')
      g_string_append(svg, "&#10;");
    else
      g_string_append_c(svg, *c);
  }
}

static void open_group(GString *svg, const char *prefix, const char *id, const char *kind, const char *title) {
  g_string_append_printf(svg, "<g id=\"%s", prefix);
  append_escaped(svg, id, strlen(id));
  g_string_append_printf(svg, "\" class=\"%s\">", kind);
  if (title == NULL) return;
  g_string_append(svg, "<title>");
  append_escaped(svg, title, strlen(title));
  g_string_append(svg, "</title>");
}

static void append_outline(GString *svg, const TgMark *mark) {
  if (mark->shape == TG_OUTLINE_CIRCLE) {
    g_string_append(svg, "<circle");
    append_length(svg, "cx", mark->x);
    append_length(svg, "cy", mark->y);
    append_length(svg, "r", mark->width / 2);
  } else {
    g_string_append(svg, "<rect");
    append_length(svg, "x", mark->x - mark->width / 2);
    append_length(svg, "y", mark->y - mark->height / 2);
    append_length(svg, "width", mark->width);
    append_length(svg, "height", mark->height);
    if (mark->shape == TG_OUTLINE_ROUNDED) append_length(svg, "rx", 8);
  }
  append_attribute(svg, "fill", tg_scene_fill(mark));
  append_attribute(svg, "stroke", tg_scene_border(mark));
  if (mark->line) append_length(svg, "stroke-width", tg_scene_pen(mark));
  if (mark->dashed) append_attribute(svg, "stroke-dasharray", "5,2");
  g_string_append(svg, "/>");
}

static void append_text(GString *svg, const TgMark *mark) {
  if (mark->text == NULL || *mark->text == '\0') return;
  int number = 0;
  for (const char *line = mark->text, *end; line != NULL; line = *end ? end + 1 : NULL, number++) {
    end = strchr(line, '\n');
    if (end == NULL) end = line + strlen(line);
    g_string_append(svg, "<text text-anchor=\"middle\"");
    append_length(svg, "x", mark->x);
    append_length(svg, "y", tg_scene_line_y(mark, number));
    append_length(svg, "font-size", mark->size);
    if (mark->bold) append_attribute(svg, "font-weight", "bold");
    if (mark->ink) append_attribute(svg, "fill", mark->ink);
    g_string_append_c(svg, '>');
    append_escaped(svg, line, (gsize)(end - line));
    g_string_append(svg, "</text>");
  }
}

void tg_scene_svg_mark(GString *svg, const TgMark *mark, const char *prefix) {
  open_group(svg, prefix, mark->id, "node", mark->title);
  if (mark->shape != TG_OUTLINE_TEXT) append_outline(svg, mark);
  append_text(svg, mark);
  g_string_append(svg, "</g>\n");
}

/* The line ends where the head begins; the head's border, as wide as the pen, makes its point reach further. */
static void append_piece(GString *svg, const TgStroke *stroke, int piece) {
  const TgPoint *point = stroke->point[piece];
  const int points = stroke->points[piece];
  TgPoint end = point[points - 1], control = point[points - 2];
  double dx = end.x - control.x, dy = end.y - control.y, length = MAX(hypot(dx, dy), 1e-6);
  double tip = 1.5 * stroke->pen, head = TG_HEAD_POINTS * tg_stroke_head_scale(stroke), half = 0.35 * head;
  double back = stroke->head == TG_HEAD_ARROW ? tip + head : 0;
  dx /= length;
  dy /= length;
  g_string_append(svg, "<path fill=\"none\"");
  append_attribute(svg, "stroke", stroke->colour);
  append_length(svg, "stroke-width", stroke->pen);
  if (stroke->style && strcmp(stroke->style, "dashed") == 0) append_attribute(svg, "stroke-dasharray", "5,2");
  if (stroke->style && strcmp(stroke->style, "dotted") == 0) append_attribute(svg, "stroke-dasharray", "1,5");
  g_string_append(svg, " d=\"");
  for (int p = 0; p < points; p++) {
    double shift = p >= points - 2 ? back : 0;
    g_string_append_c(svg, p == 0 ? 'M' : p == 1 ? 'C' : ' ');
    append_point(svg, point[p].x - dx * shift, point[p].y - dy * shift);
  }
  g_string_append(svg, "\"/>");
  if (stroke->head != TG_HEAD_ARROW) return;
  double x = end.x - dx * tip, y = end.y - dy * tip, foot_x = x - dx * head, foot_y = y - dy * head;
  g_string_append(svg, "<polygon");
  append_attribute(svg, "fill", stroke->colour);
  append_attribute(svg, "stroke", stroke->colour);
  append_length(svg, "stroke-width", stroke->pen);
  g_string_append(svg, " points=\"");
  append_point(svg, foot_x - dy * half, foot_y + dx * half);
  g_string_append_c(svg, ' ');
  append_point(svg, x, y);
  g_string_append_c(svg, ' ');
  append_point(svg, foot_x + dy * half, foot_y - dx * half);
  g_string_append(svg, "\"/>");
}

void tg_scene_svg_stroke(GString *svg, const TgStroke *stroke, const char *prefix) {
  open_group(svg, prefix, stroke->id, "edge", stroke->title);
  append_piece(svg, stroke, 0);
  if (stroke->points[1] > 0) append_piece(svg, stroke, 1);
  if (stroke->label) {
    TgMark label = {.x = stroke->label_at.x,
                    .y = stroke->label_at.y,
                    .text = stroke->label,
                    .size = stroke->label_size,
                    .ink = stroke->ink};
    append_text(svg, &label);
  }
  g_string_append(svg, "</g>\n");
}

GString *tg_scene_svg(const TgScene *scene, const char *prefix) {
  GString *svg = g_string_sized_new(1 << 16);
  g_string_append(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" font-family=\"" TG_SCENE_FONT
                       "\" viewBox=\"0 0 ");
  tg_scene_append_number(svg, scene->width);
  g_string_append_c(svg, ' ');
  tg_scene_append_number(svg, scene->height);
  g_string_append(svg, "\"");
  append_length(svg, "width", scene->width);
  append_length(svg, "height", scene->height);
  g_string_append(svg, " aria-label=\"");
  append_escaped(svg, scene->title, strlen(scene->title));
  g_string_append(svg, "\">\n");
  for (guint s = 0; s < scene->strokes->len; s++)
    tg_scene_svg_stroke(svg, &g_array_index(scene->strokes, TgStroke, s), prefix);
  for (guint m = 0; m < scene->marks->len; m++) tg_scene_svg_mark(svg, &g_array_index(scene->marks, TgMark, m), prefix);
  g_string_append(svg, "</svg>");
  return svg;
}
