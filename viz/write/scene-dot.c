#include "scene-private.h"

#include <math.h>

/* Graphviz has y upwards. */
static void append_point(GString *dot, double x, double y) {
  tg_scene_append_number(dot, x);
  g_string_append_c(dot, ',');
  tg_scene_append_number(dot, -y);
}

/* In labels Graphviz also reads escapes and character entities. */
static void append_label(GString *dot, const char *text) {
  for (; *text; text++) {
    if (*text == '&')
      g_string_append(dot, "&amp;");
    else if (*text == '\n')
      g_string_append(dot, "\\n");
    else if (*text == '"' || *text == '\\')
      g_string_append_printf(dot, "\\%c", *text);
    else
      g_string_append_c(dot, *text);
  }
}

static void append_attribute(GString *dot, const char *name, const char *value) {
  g_string_append_printf(dot, " %s=\"", name);
  append_label(dot, value);
  g_string_append_c(dot, '"');
}

static void append_number(GString *dot, const char *name, double value) {
  g_string_append_printf(dot, " %s=", name);
  tg_scene_append_number(dot, value);
}

/* In inches. */
static void append_size(GString *dot, double width, double height) {
  append_number(dot, "width", width / 72);
  append_number(dot, "height", height / 72);
}

static void append_text(GString *dot, const TgMark *mark) {
  if (mark->text == NULL || *mark->text == '\0') return;
  append_attribute(dot, "label", mark->text);
  append_number(dot, "fontsize", mark->size);
  if (mark->ink != NULL) append_attribute(dot, "fontcolor", mark->ink);
  if (mark->bold) append_attribute(dot, "fontname", TG_SCENE_FONT TG_SCENE_BOLD);
}

static const char *const shape_name[] = {
    [TG_OUTLINE_TEXT] = "none", [TG_OUTLINE_BOX] = "box", [TG_OUTLINE_ROUNDED] = "box", [TG_OUTLINE_CIRCLE] = "circle"};

/* Boxes are filled unless they say otherwise. */
static void append_style(GString *dot, const TgMark *mark) {
  bool rounded = mark->shape == TG_OUTLINE_ROUNDED;
  if (mark->fill != NULL && !rounded && !mark->dashed) return;
  g_string_append(dot, " style=\"");
  if (rounded) g_string_append(dot, "rounded");
  if (mark->fill != NULL) g_string_append(dot, rounded ? ",filled" : "filled");
  if (mark->dashed) g_string_append(dot, rounded || mark->fill != NULL ? ",dashed" : "dashed");
  g_string_append_c(dot, '"');
}

static void append_border(GString *dot, const TgMark *mark) {
  if (mark->shape == TG_OUTLINE_TEXT) g_string_append(dot, " style=\"\"");
  if (mark->shape == TG_OUTLINE_TEXT) return;
  append_size(dot, mark->width, mark->height);
  append_style(dot, mark);
  if (mark->fill != NULL) append_attribute(dot, "fillcolor", mark->fill);
  if (mark->line == NULL || !g_str_equal(mark->line, TG_SCENE_LINE))
    append_attribute(dot, "color", mark->line != NULL ? mark->line : "transparent");
  if (fabs(mark->pen - TG_SCENE_PEN) > 1e-3) append_number(dot, "penwidth", tg_scene_pen(mark));
}

static void append_mark(GString *dot, const TgMark *mark) {
  g_string_append_printf(dot, "  \"%s\" [pos=\"", mark->id);
  append_point(dot, mark->x, mark->y);
  g_string_append_c(dot, '"');
  if (mark->shape != TG_OUTLINE_BOX) append_attribute(dot, "shape", shape_name[mark->shape]);
  append_border(dot, mark);
  append_text(dot, mark);
  g_string_append(dot, "]\n");
}

/* With a head the spline ends where the head begins: Graphviz draws the head between there and `e`. The border of the
 * head, as wide as the pen, makes its point reach 1.5 pens too far. The last control point goes back as far as the end
 * does, so that the spline keeps its direction. */
static void append_spline(GString *dot, const TgStroke *stroke, int piece) {
  const TgPoint *point = stroke->point[piece];
  const int points = stroke->points[piece];
  TgPoint end = point[points - 1], control = point[points - 2];
  double dx = end.x - control.x, dy = end.y - control.y, length = MAX(hypot(dx, dy), 1e-6);
  const bool arrow = stroke->head == TG_HEAD_ARROW;
  double tip = 1.5 * stroke->pen, head = arrow ? tip + TG_HEAD_POINTS * tg_stroke_head_scale(stroke) : 0;
  if (arrow) {
    g_string_append(dot, "e,");
    append_point(dot, end.x - dx / length * tip, end.y - dy / length * tip);
    g_string_append_c(dot, ' ');
  }
  for (int p = 0; p < points; p++) {
    double back = p >= points - 2 ? head : 0;
    if (p > 0) g_string_append_c(dot, ' ');
    append_point(dot, point[p].x - dx / length * back, point[p].y - dy / length * back);
  }
}

static void append_stroke_label(GString *dot, const TgStroke *stroke) {
  if (stroke->label == NULL) return;
  append_attribute(dot, "label", stroke->label);
  g_string_append(dot, " lp=\"");
  append_point(dot, stroke->label_at.x, stroke->label_at.y);
  g_string_append_c(dot, '"');
  append_number(dot, "fontsize", stroke->label_size);
  append_attribute(dot, "fontcolor", stroke->ink);
}

static void append_stroke(GString *dot, const TgStroke *stroke) {
  g_string_append_printf(dot, "  \"%s\" -> \"%s\" [id=\"%s\" pos=\"", stroke->from, stroke->to, stroke->id);
  append_spline(dot, stroke, 0);
  if (stroke->points[1] > 0) {
    g_string_append_c(dot, ';');
    append_spline(dot, stroke, 1);
  }
  g_string_append_c(dot, '"');
  if (stroke->head == TG_HEAD_NONE) g_string_append(dot, " arrowhead=none");
  append_attribute(dot, "color", stroke->colour);
  if (stroke->style != NULL) append_attribute(dot, "style", stroke->style);
  append_number(dot, "penwidth", stroke->pen);
  if (stroke->head == TG_HEAD_ARROW) append_number(dot, "arrowsize", tg_stroke_head_scale(stroke));
  append_stroke_label(dot, stroke);
  g_string_append(dot, "]\n");
}

static void append_header(GString *dot, const TgScene *scene) {
  g_string_append(dot, "digraph \"");
  append_label(dot, scene->title);
  g_string_append(dot, "\" {\n  graph [layout=nop2 outputorder=edgesfirst bgcolor=white pad=0 charset=\"UTF-8\"]\n"
                       "  node [id=\"\\N\" shape=box fixedsize=shape label=\"\" style=filled color=\"" TG_SCENE_LINE
                       "\" penwidth=0.8 "
                       "fontname=\"" TG_SCENE_FONT "\"]\n"
                       "  edge [fontname=\"" TG_SCENE_FONT "\"]\n"
                       "  \"canvas\" [style=invis pos=\"");
  append_point(dot, scene->width / 2, scene->height / 2);
  g_string_append_c(dot, '"');
  append_size(dot, scene->width, scene->height);
  g_string_append(dot, "]\n");
}

GString *tg_scene_dot(const TgScene *scene) {
  GString *dot = g_string_new(NULL);
  append_header(dot, scene);
  for (guint m = 0; m < scene->marks->len; m++) append_mark(dot, &g_array_index(scene->marks, TgMark, m));
  for (guint s = 0; s < scene->strokes->len; s++) append_stroke(dot, &g_array_index(scene->strokes, TgStroke, s));
  g_string_append(dot, "}\n");
  return dot;
}
