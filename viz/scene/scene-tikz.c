#include "scene-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of TikZ are bp, 1/72 inch, and y is upwards: the picture's options turn it. */
static void append_point(GString *tikz, double x, double y) {
  g_string_append_c(tikz, '(');
  tg_scene_append_number(tikz, x);
  g_string_append_c(tikz, ',');
  tg_scene_append_number(tikz, y);
  g_string_append_c(tikz, ')');
}

/* `, key=3bp` */
static void append_length(GString *tikz, const char *key, double value) {
  g_string_append_printf(tikz, ", %s=", key);
  tg_scene_append_number(tikz, value);
  g_string_append(tikz, "bp");
}

/* "#0072B2", or a name that xcolor has, too. */
static void append_colour(GString *tikz, const char *key, const char *colour) {
  unsigned value = 0;
  if (*colour != '#') {
    g_string_append_printf(tikz, ", %s=%s", key, colour);
    return;
  }
  value = (unsigned)strtoul(colour + 1, NULL, 16);
  g_string_append_printf(tikz, ", %s={rgb,255:red,%u;green,%u;blue,%u}", key, value >> 16 & 255, value >> 8 & 255,
                         value & 255);
}

static void append_dashes(GString *tikz, const char *style) {
  if (style && strcmp(style, "dashed") == 0) g_string_append(tikz, ", dash pattern=on 5bp off 2bp");
  if (style && strcmp(style, "dotted") == 0) g_string_append(tikz, ", dash pattern=on 1bp off 5bp");
}

/* What TeX would take for something else, and characters that its fonts do not have. */
static const struct {
  gunichar letter;
  const char *tex;
} letters[] = {{'\\', "\\textbackslash{}"},
               {'{', "\\{"},
               {'}', "\\}"},
               {'$', "\\$"},
               {'&', "\\&"},
               {'#', "\\#"},
               {'%', "\\%"},
               {'_', "\\_"},
               {'~', "\\textasciitilde{}"},
               {'^', "\\textasciicircum{}"},
               {'<', "\\textless{}"},
               {'>', "\\textgreater{}"},
               {0x00b7, "$\\cdot$"},
               {0x00d7, "$\\times$"},
               {0x2013, "--"},
               {0x2014, "---"},
               {0x2026, "\\ldots{}"},
               {0x2190, "$\\leftarrow$"},
               {0x2191, "$\\uparrow$"},
               {0x2192, "$\\rightarrow$"},
               {0x2193, "$\\downarrow$"},
               {0x2212, "$-$"},
               {0x2264, "$\\le$"},
               {0x2265, "$\\ge$"}};

static void append_letter(GString *tikz, gunichar letter) {
  for (gsize i = 0; i < G_N_ELEMENTS(letters); i++)
    if (letters[i].letter == letter) {
      g_string_append(tikz, letters[i].tex);
      return;
    }
  g_string_append_unichar(tikz, letter);
}

/* A₀₁ is A with 01 as an index. */
static void append_line(GString *tikz, const char *text, const char *end) {
  while (text < end) {
    const char *at = text;
    for (; at < end && g_utf8_get_char(at) >= 0x2080 && g_utf8_get_char(at) <= 0x2089; at = g_utf8_next_char(at))
      g_string_append_printf(tikz, "%s%c", at == text ? "\\textsubscript{" : "",
                             '0' + (int)(g_utf8_get_char(at) - 0x2080));
    if (at > text) {
      g_string_append_c(tikz, '}');
      text = at;
      continue;
    }
    append_letter(tikz, g_utf8_get_char(text));
    text = g_utf8_next_char(text);
  }
}

static void append_text(GString *tikz, const TgMark *mark) {
  if (mark->text == NULL || *mark->text == '\0') return;
  int number = 0;
  for (const char *line = mark->text, *end; line != NULL; line = *end ? end + 1 : NULL, number++) {
    end = strchr(line, '\n');
    if (end == NULL) end = line + strlen(line);
    g_string_append(tikz, "  \\node[anchor=base, inner sep=0pt, font=\\sffamily");
    if (mark->bold) g_string_append(tikz, "\\bfseries");
    g_string_append(tikz, "\\fontsize{");
    tg_scene_append_number(tikz, mark->size);
    g_string_append(tikz, "bp}{");
    tg_scene_append_number(tikz, 1.2 * mark->size);
    g_string_append(tikz, "bp}\\selectfont");
    if (mark->ink) append_colour(tikz, "text", mark->ink);
    g_string_append(tikz, "] at ");
    append_point(tikz, mark->x, tg_scene_line_y(mark, number));
    g_string_append(tikz, " {");
    append_line(tikz, line, end);
    g_string_append(tikz, "};\n");
  }
}

static void append_outline(GString *tikz, const TgMark *mark) {
  if (mark->shape == TG_OUTLINE_TEXT || (mark->fill == NULL && mark->line == NULL)) return;
  g_string_append_printf(tikz, "  \\path[line join=miter");
  if (mark->fill) append_colour(tikz, "fill", mark->fill);
  if (mark->line) append_colour(tikz, "draw", mark->line);
  if (mark->line) append_length(tikz, "line width", tg_scene_pen(mark));
  if (mark->dashed) append_dashes(tikz, "dashed");
  if (mark->shape == TG_OUTLINE_ROUNDED) append_length(tikz, "rounded corners", 8);
  g_string_append(tikz, "] ");
  if (mark->shape == TG_OUTLINE_CIRCLE) {
    append_point(tikz, mark->x, mark->y);
    g_string_append(tikz, " circle[radius=");
    tg_scene_append_number(tikz, mark->width / 2);
    g_string_append(tikz, "];\n");
    return;
  }
  append_point(tikz, mark->x - mark->width / 2, mark->y - mark->height / 2);
  g_string_append(tikz, " rectangle ");
  append_point(tikz, mark->x + mark->width / 2, mark->y + mark->height / 2);
  g_string_append(tikz, ";\n");
}

/* The line ends where the head begins, as in SVG. */
static void append_piece(GString *tikz, const TgStroke *stroke, int piece) {
  const TgPoint *point = stroke->point[piece];
  const int points = stroke->points[piece];
  TgPoint end = point[points - 1], control = point[points - 2];
  double dx = end.x - control.x, dy = end.y - control.y, length = MAX(hypot(dx, dy), 1e-6);
  const double head = stroke->head == TG_HEAD_ARROW ? TG_HEAD_POINTS * tg_stroke_head_scale(stroke) : 0;
  const double half = 0.35 * head;
  dx /= length;
  dy /= length;
  g_string_append(tikz, "  \\path[line cap=butt");
  append_colour(tikz, "draw", stroke->colour);
  append_length(tikz, "line width", stroke->pen);
  append_dashes(tikz, stroke->style);
  g_string_append(tikz, "] ");
  for (int p = 0; p < points; p++) {
    const double back = p >= points - 2 ? head : 0;
    g_string_append(tikz, p == 0 ? "" : p % 3 == 1 ? " .. controls " : p % 3 == 2 ? " and " : " .. ");
    append_point(tikz, point[p].x - dx * back, point[p].y - dy * back);
  }
  g_string_append(tikz, ";\n");
  if (stroke->head != TG_HEAD_ARROW) return;
  const double foot_x = end.x - dx * head, foot_y = end.y - dy * head;
  g_string_append(tikz, "  \\path[line join=miter");
  append_colour(tikz, "fill", stroke->colour);
  g_string_append(tikz, "] ");
  append_point(tikz, foot_x - dy * half, foot_y + dx * half);
  g_string_append(tikz, " -- ");
  append_point(tikz, end.x, end.y);
  g_string_append(tikz, " -- ");
  append_point(tikz, foot_x + dy * half, foot_y - dx * half);
  g_string_append(tikz, " -- cycle;\n");
}

static void append_stroke(GString *tikz, const TgStroke *stroke) {
  append_piece(tikz, stroke, 0);
  if (stroke->points[1] > 0) append_piece(tikz, stroke, 1);
  if (stroke->label == NULL) return;
  const TgMark label = {.x = stroke->label_at.x,
                        .y = stroke->label_at.y,
                        .text = stroke->label,
                        .size = stroke->label_size,
                        .ink = stroke->ink};
  append_text(tikz, &label);
}

void tg_scene_tikz_open(GString *tikz, double width, double height, const char *title) {
  g_string_append(tikz, "% ");
  for (; *title; title++) g_string_append_c(tikz, *title == '\n' ? ' ' : *title);
  g_string_append(tikz, "\n% \\usepackage{tikz,lmodern}, then \\input this file.\n"
                        "\\begin{tikzpicture}[x=1bp, y=-1bp]\n  \\useasboundingbox (0,0) rectangle ");
  append_point(tikz, width, height);
  g_string_append(tikz, ";\n");
}

void tg_scene_tikz_close(GString *tikz) {
  g_string_append(tikz, "\\end{tikzpicture}\n");
}

/* Strokes lie under marks. */
static void append_all(GString *tikz, const TgScene *scene) {
  for (guint s = 0; s < scene->strokes->len; s++) append_stroke(tikz, &g_array_index(scene->strokes, TgStroke, s));
  for (guint m = 0; m < scene->marks->len; m++) {
    const TgMark *mark = &g_array_index(scene->marks, TgMark, m);
    append_outline(tikz, mark);
    append_text(tikz, mark);
  }
}

GString *tg_scene_tikz(const TgScene *scene) {
  GString *tikz = g_string_new(NULL);
  tg_scene_tikz_open(tikz, scene->width, scene->height, scene->title);
  append_all(tikz, scene);
  tg_scene_tikz_close(tikz);
  return tikz;
}

GString *tg_scene_tikz_body(const TgScene *scene) {
  GString *tikz = g_string_new(NULL);
  append_all(tikz, scene);
  return tikz;
}
