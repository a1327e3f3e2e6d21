/* Pictures as they are laid out, before Graphviz sees them: no text over other text, none cut off, arrows that end
 * where processors begin, flows that carry what the messages carry. */
#include <math.h>
#include <stdlib.h>

#include "../frames-of.h"
#include "flow.h"
#include "frame-network.h"
#include "picture.h"
#include "scene-private.h"
#include "text-width.h"
#include "topology-network.h"

typedef struct Subject {
  const char *name, *grid, *network;
  TgEmbeddingKind embedding;
  TgCollective collective;
} Subject;

static const Subject subjects[] = {
    {"cannon", "4x4", "torus:4x4", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cannon", "4x4", "mesh:4x4", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cannon", "5x5", "torus:5x5", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cannon", "8x8", "torus:8x8", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cannon", "16x16", "torus:16x16", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cannon", "40x40", "torus:40x40", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"summa", "4x4", "torus:4x4", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"summa", "4x4", "torus:4x4", TG_ROWMAJOR, TG_COLLECTIVE_BINOMIAL},
    {"summa", "4x4", NULL, TG_ROWMAJOR, TG_COLLECTIVE_CHAIN},
    {"fox", "4x4", "torus:4x4", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"allgather", "4x4", "torus:4x4", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"transpose", "4x4", "torus:4x4", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"ring", "6", "ring:6", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"ring", "20", "ring:20", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"mmt", "5", "ring:5", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"pegmm", "6", "ring:6", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"pegmm", "6", "ring:6", TG_ROWMAJOR, TG_COLLECTIVE_BINOMIAL},
    {"dns", "4x4x4", "torus:4x4x4", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cannon25d", "4x4x2", "torus:4x4x2", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cube3d", "3x3x3", "torus:3x3x3", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"berntsen", "2x2x2", "torus:2x2x2", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"agarwal3d", "2x2x2", "torus:2x2x2", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"dns-rounds", "2x2x2", "hypercube:3", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"dns-rounds", "4x4x4", "hypercube:6", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cannon-gray", "4x4", "hypercube:4", TG_GRAY, TG_COLLECTIVE_WHOLE},
    {"cannon-gray", "4x4", "torus:4x4", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cannon", "12x12", "torus:3x4", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cannon", "6x6", "switch:6*ring:6", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cannon-gray", "16x16", "hypercube:8", TG_GRAY, TG_COLLECTIVE_WHOLE},
    {"cannon25d", "8x8x2", "torus:8x8x2", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"cannon", "1x1", "torus:1x1", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"ring", "1", "ring:1", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"ring", "2", "ring:2", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"ring", "9", "line:9", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"mmt", "16", "ring:16", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"mmt", "29", "line:29", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"allgather", "4x4", "torus:4x4", TG_ROWMAJOR, TG_COLLECTIVE_RING},
    {"allgather", "8x8", "torus:8x8", TG_ROWMAJOR, TG_COLLECTIVE_RECURSIVE_DOUBLING},
    {"dns", "3x3x3", "mesh:3x3x3", TG_ROWMAJOR, TG_COLLECTIVE_SCATTER_ALLGATHER},
    {"cube3d", "4x4x4", "full:64", TG_ROWMAJOR, TG_COLLECTIVE_BINOMIAL},
    {"cube3d", "8x8x8", "torus:8x8x8", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"agarwal3d", "2x3x4", "torus:2x3x4", TG_ROWMAJOR, TG_COLLECTIVE_AUTO},
    {"dimma", "2x3", "torus:2x3", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"summa-panels", "4x6", "torus:4x6", TG_ROWMAJOR, TG_COLLECTIVE_CHAIN},
    {"transpose", "8x8", "torus:8x8", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
    {"transpose", "16x16", "torus:16x16", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE},
};

/* Goes on, so that one run tells all. */
static void complain(const char *format, ...) G_GNUC_PRINTF(1, 2);
static void complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_test_message("%s", text);
  g_test_fail();
}

typedef void (*Check)(const TgFrame *frame, const TgScene *scene);

static void for_all_pictures(Check check) {
  for (gsize s = 0; s < G_N_ELEMENTS(subjects); s++) {
    Laid laid;
    const Subject *subject = &subjects[s];
    lay(&laid, subject->name, subject->grid, subject->network, subject->embedding, subject->collective);
    g_autoptr(TgFrames) frames = frames_of(&laid);
    for (gint64 step = 0; step <= MIN(tg_frames_steps(frames), 6); step++) {
      const TgFrame *frame = tg_frames_seek(frames, step, NULL);
      g_autoptr(TgScene) scene = tg_picture_new(frame, TG_HEAT_AUTO, NULL);
      check(frame, scene);
    }
  }
}

typedef struct Box {
  double left, right, top, bottom;
  const char *text;
} Box;

/* What the letters of a mark cover: from the foot of the digits to the top of the capitals. */
static Box text_box(const TgMark *mark) {
  double width = tg_text_width(mark->text, mark->size) * (mark->bold ? 1.05 : 1);
  return (Box){mark->x - width / 2, mark->x + width / 2, mark->y - mark->size * 0.37, mark->y + mark->size * 0.37,
               mark->text};
}

static GArray *text_boxes(const TgScene *scene) {
  GArray *boxes = g_array_new(FALSE, FALSE, sizeof(Box));
  for (guint m = 0; m < scene->marks->len; m++) {
    const TgMark *mark = &g_array_index(scene->marks, TgMark, m);
    if (mark->text == NULL || *mark->text == '\0') continue;
    Box box = text_box(mark);
    g_array_append_val(boxes, box);
  }
  for (guint s = 0; s < scene->strokes->len; s++) {
    const TgStroke *stroke = &g_array_index(scene->strokes, TgStroke, s);
    TgMark label = {
        .x = stroke->label_at.x, .y = stroke->label_at.y, .text = stroke->label, .size = stroke->label_size};
    if (stroke->label == NULL) continue;
    Box box = text_box(&label);
    g_array_append_val(boxes, box);
  }
  return boxes;
}

static void check_texts(const TgFrame *frame, const TgScene *scene) {
  (void)frame;
  g_autoptr(GArray) boxes = text_boxes(scene);
  for (guint i = 0; i < boxes->len; i++) {
    const Box *a = &g_array_index(boxes, Box, i);
    if (a->left < 0 || a->top < 0 || a->right > scene->width || a->bottom > scene->height)
      complain("'%s' leaves the picture '%s'", a->text, scene->title);
    for (guint j = i + 1; j < boxes->len; j++) {
      const Box *b = &g_array_index(boxes, Box, j);
      if (a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom)
        complain("'%s' and '%s' overlap at (%.0f, %.0f) in '%s'", a->text, b->text, a->left, a->top, scene->title);
    }
  }
}

static void test_texts(void) {
  for_all_pictures(check_texts);
}

/* Texts in boxes fit between their borders. */
static void check_boxes(const TgFrame *frame, const TgScene *scene) {
  (void)frame;
  for (guint m = 0; m < scene->marks->len; m++) {
    const TgMark *mark = &g_array_index(scene->marks, TgMark, m);
    if (mark->shape != TG_OUTLINE_BOX || mark->text == NULL) continue;
    if (tg_text_width(mark->text, mark->size) > mark->width)
      complain("'%s' is wider than its box in '%s'", mark->text, scene->title);
  }
}

static void test_boxes(void) {
  for_all_pictures(check_boxes);
}

static const TgMark *find_mark(const TgScene *scene, const char *id) {
  for (guint m = 0; m < scene->marks->len; m++)
    if (g_str_equal(g_array_index(scene->marks, TgMark, m).id, id)) return &g_array_index(scene->marks, TgMark, m);
  return NULL;
}

static double from_border(const TgMark *mark, TgPoint point) {
  double x = fabs(point.x - mark->x) - mark->width / 2, y = fabs(point.y - mark->y) - mark->height / 2;
  return x > 0 || y > 0 ? hypot(MAX(x, 0), MAX(y, 0)) : fmin(fabs(x), fabs(y));
}

/* A message leaves the border of one processor and ends at the border of the other. */
static void check_ends(const TgFrame *frame, const TgScene *scene) {
  (void)frame;
  for (guint s = 0; s < scene->strokes->len; s++) {
    const TgStroke *stroke = &g_array_index(scene->strokes, TgStroke, s);
    const TgPoint *first = stroke->point[0], *last = first + stroke->points[0] + stroke->points[1] - 1;
    const TgMark *from = find_mark(scene, stroke->from), *to = find_mark(scene, stroke->to);
    bool message = stroke->head == TG_HEAD_ARROW && !g_str_equal(stroke->from, "canvas");
    if (message && (from == NULL || from_border(from, *first) > 0.5))
      complain("%s begins beside %s in '%s'", stroke->id, stroke->from, scene->title);
    if (message && (to == NULL || from_border(to, *last) > 0.5))
      complain("%s ends beside %s in '%s'", stroke->id, stroke->to, scene->title);
  }
}

static void test_ends(void) {
  for_all_pictures(check_ends);
}

static void check_ids(const TgFrame *frame, const TgScene *scene) {
  g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint m = 0; m < scene->marks->len; m++)
    if (!g_hash_table_add(ids, (gpointer)g_array_index(scene->marks, TgMark, m).id))
      complain("two marks %s in '%s'", g_array_index(scene->marks, TgMark, m).id, scene->title);
  for (guint s = 0; s < scene->strokes->len; s++)
    if (!g_hash_table_add(ids, (gpointer)g_array_index(scene->strokes, TgStroke, s).id))
      complain("two strokes %s in '%s'", g_array_index(scene->strokes, TgStroke, s).id, scene->title);
  for (gint64 p = 0; p < frame->processors; p++) {
    g_autoptr(GString) id = g_string_new(NULL);
    tg_processor_id_append(id, frame->schedule, p);
    g_assert_true(g_hash_table_contains(ids, id->str));
  }
}

static void test_ids(void) {
  for_all_pictures(check_ids);
}

/* The widths that all of this leans on: those of Helvetica, which Liberation Sans shares. */
static void test_text_width(void) {
  g_assert_cmpfloat_with_epsilon(tg_text_width("HELLO", 10), 32.79, 1e-9);
  g_assert_cmpfloat_with_epsilon(tg_text_width("P(0,1)", 10), 27.23, 1e-9);
  g_auto(GStrv) lines = tg_text_wrap("one two three four five six", 10, 80);
  g_assert_cmpuint(g_strv_length(lines), ==, 2);
  g_assert_cmpstr(lines[0], ==, "one two three");
}

/* Every message of a small grid has its own arrow, under its own number. */
static void test_message_ids(void) {
  Laid laid;
  lay(&laid, "cannon", "4x4", "torus:4x4", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  for (gint64 step = 1; step <= 5; step++) {
    const TgFrame *frame = tg_frames_seek(frames, step, NULL);
    g_autoptr(TgScene) scene = tg_picture_new(frame, TG_HEAT_AUTO, NULL);
    g_autoptr(GHashTable) titles = tg_scene_titles(scene);
    for (gint64 m = 0; m < frame->messages; m++) {
      g_autofree char *id = g_strdup_printf("m-%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, step, m);
      g_autoptr(GString) title = g_string_new(NULL);
      tg_block_name_append(title, &frame->message[m].block);
      g_string_append(title, ": ");
      tg_processor_append(title, frame->schedule, frame->message[m].from);
      g_string_append(title, " → ");
      tg_processor_append(title, frame->schedule, frame->message[m].to);
      g_assert_cmpstr(g_hash_table_lookup(titles, id), ==, title->str);
    }
  }
}

static double sum_blocks(const TgFrame *frame, const TgFlowRules *rules) {
  g_autoptr(GArray) flows = tg_flows_new(frame, rules);
  double sum = 0;
  for (guint f = 0; f < flows->len; f++) sum += g_array_index(flows, TgFlow, f).blocks;
  return sum;
}

/* Link by link, flows carry every block over every link of its shortest way; as arrows, every block once. */
static void test_flows(void) {
  Laid laid;
  lay(&laid, "cannon", "8x8", "torus:8x8", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  const TgFrame *frame = tg_frames_seek(frames, 1, NULL);
  double hops = 0;
  for (gint64 m = 0; m < frame->messages; m++)
    hops += (double)tg_topology_distance(&laid.topology, frame->message[m].from, frame->message[m].to);
  g_assert_cmpfloat(sum_blocks(frame, &(TgFlowRules){.goes_round = true, .far_hops = 2}), ==, hops);
  g_assert_cmpfloat(sum_blocks(frame, &(TgFlowRules){.goes_round = true, .far_hops = INT32_MAX}), ==,
                    (double)frame->messages);
}

/* Along a line of six: a scatter from its end crosses 5, 4, 3, 2 and 1 blocks, a broadcast one everywhere. */
static void test_spread(void) {
  Laid laid;
  lay(&laid, "pegmm", "6", "ring:6", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  g_autoptr(GArray) flows = tg_flows_new(tg_frames_seek(frames, 1, NULL), &(TgFlowRules){true, INT32_MAX});
  g_assert_cmpuint(flows->len, ==, 10);
  for (guint f = 0; f < flows->len; f++) {
    const TgFlow *flow = &g_array_index(flows, TgFlow, f);
    g_assert_cmpint(flow->to, ==, flow->from + 1);
    g_assert_cmpfloat(flow->blocks, ==, flow->matrix == TG_MATRIX_A ? 5.0 - (double)flow->from : 1);
  }
}

/* The room that fits steps 0 to `last`. */
static TgRoom room_of(TgFrames *frames, gint64 last) {
  TgRoom room = {0};
  for (gint64 step = 0; step <= last; step++) {
    const TgRoom own = tg_picture_measure(tg_frames_seek(frames, step, NULL), TG_HEAT_AUTO);
    tg_room_grow(&room, &own);
  }
  return room;
}

/* Processors, slots, planes and tiles: what stays from step to step. */
static bool stays(const TgMark *mark) {
  return g_str_has_prefix(mark->id, "p-") || g_str_has_prefix(mark->id, "plane-") ||
         g_str_has_prefix(mark->id, "tile-") || g_str_equal(mark->id, "title");
}

static void check_places(const TgScene *first, const TgScene *scene) {
  if (scene->width != first->width || scene->height != first->height)
    complain("'%s' is on another canvas than '%s'", scene->title, first->title);
  for (guint m = 0; m < first->marks->len; m++) {
    const TgMark *mark = &g_array_index(first->marks, TgMark, m);
    if (!stays(mark)) continue;
    const TgMark *now = find_mark(scene, mark->id);
    if (now == NULL)
      complain("%s is not in '%s'", mark->id, scene->title);
    else if (fabs(now->x - mark->x) + fabs(now->y - mark->y) + fabs(now->width - mark->width) +
                 fabs(now->height - mark->height) >
             1e-6)
      complain("%s is elsewhere in '%s' than in '%s'", mark->id, scene->title, first->title);
  }
}

/* Nothing that stays moves from one step to the next, in any layout. */
static void test_one_place(void) {
  for (gsize s = 0; s < G_N_ELEMENTS(subjects); s++) {
    Laid laid;
    const Subject *subject = &subjects[s];
    lay(&laid, subject->name, subject->grid, subject->network, subject->embedding, subject->collective);
    g_autoptr(TgFrames) frames = frames_of(&laid);
    const gint64 last = MIN(tg_frames_steps(frames), 6);
    const TgRoom room = room_of(frames, last);
    g_autoptr(TgScene) first = tg_picture_new(tg_frames_seek(frames, 0, NULL), TG_HEAT_AUTO, &room);
    for (gint64 step = 1; step <= last; step++) {
      g_autoptr(TgScene) scene = tg_picture_new(tg_frames_seek(frames, step, NULL), TG_HEAT_AUTO, &room);
      check_places(first, scene);
    }
  }
}

/* Four coordinates: planes side by side, all blocks between two of them as one arrow. */
static void test_four_coordinates(void) {
  static const char text[] = "schedule four\ngrid i:a, j:b, k:c, l:d\nplace A(i,j), B(i,j), C(i,j) on (i,j,0,0)\n"
                             "step \"spread\"\n  broadcast A along k from 0 where l == 0\n"
                             "  broadcast B along k from 0 where l == 0\n"
                             "step \"spread\"\n  broadcast A along l from 0\n"
                             "step \"over\"\n  move A to (i, j, k+1, l)\n  move A to (i, j, k, l+1)\n";
  Bound bound;
  g_assert_true(bound_from(&bound, text, "2x2x2x3", NULL));
  TgFrameOptions options = {.collective = TG_COLLECTIVE_WHOLE};
  g_autoptr(TgFrames) frames = tg_frames_new(&bound.schedule, &bound.names, &options, NULL);
  for (gint64 step = 0; step <= 3; step++) {
    const TgFrame *frame = tg_frames_seek(frames, step, NULL);
    g_autoptr(TgScene) scene = tg_picture_new(frame, TG_HEAT_AUTO, NULL);
    check_texts(frame, scene);
    check_ids(frame, scene);
    int arrows = 0;
    for (guint s = 0; s < scene->strokes->len; s++) {
      const TgStroke *stroke = &g_array_index(scene->strokes, TgStroke, s);
      arrows += stroke->head == TG_HEAD_ARROW && !g_str_equal(stroke->from, "canvas");
    }
    g_assert_cmpint(arrows, ==, step == 0 ? 0 : step == 1 ? 2 : step == 2 ? 4 : 12);
  }
}

static bool is_inside(const TgMark *mark, TgPoint point) {
  return fabs(point.x - mark->x) < mark->width / 2 - 0.5 && fabs(point.y - mark->y) < mark->height / 2 - 0.5;
}

static TgPoint on_curve(const TgPoint *p, double t) {
  const double a = (1 - t) * (1 - t) * (1 - t), b = 3 * t * (1 - t) * (1 - t), c = 3 * t * t * (1 - t), d = t * t * t;
  return (TgPoint){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                   a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

/* How many of the points of a cable are in a box, and how many there are. */
static int count_inside(const TgStroke *stroke, const TgMark *box, int *all) {
  enum { PARTS = 50 };
  int inside = 0;
  *all = 0;
  for (int p = 0; p + 3 < stroke->points[0]; p += 3)
    for (int part = 0; part <= PARTS; part++, ++*all)
      inside += is_inside(box, on_curve(stroke->point[0] + p, part / (double)PARTS));
  return inside;
}

/* A cable is wholly inside the box of a group or wholly outside, and runs behind no node or switch but its own. */
static void check_cable(const TgScene *scene, const TgStroke *stroke) {
  for (guint m = 0; m < scene->marks->len; m++) {
    const TgMark *mark = &g_array_index(scene->marks, TgMark, m);
    const bool own = g_str_equal(mark->id, stroke->from) || g_str_equal(mark->id, stroke->to);
    const bool outline = mark->shape == TG_OUTLINE_ROUNDED && mark->fill == NULL;
    int all, inside = count_inside(stroke, mark, &all);
    if (mark->shape == TG_OUTLINE_TEXT || own) continue;
    if (inside != 0 && (!outline || inside != all))
      complain("%s runs through %s in '%s'", stroke->id, mark->id, scene->title);
  }
}

static void test_cables(void) {
  static const char *const rows[] = {
      "switch:16*switch:4",           "switch:4*switch:12", "switch:8*switch:40", "ring:3*switch:9",
      "switch:4*torus:2x4",           "switch:2*ring:3",    "full:4*switch:3",    "mesh:2x3*switch:20",
      "switch:2*switch:3*switch:10",  "switch:4*spine:8x2", "spine:12x3",         "switch:4*spine:20x3",
      "switch:2*spine:2x2*spine:4x2", "spine:3x2*ecmp:3x4"};
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    TgTopology topology;
    g_assert_true(tg_topology_parse(&topology, rows[r], NULL));
    g_autoptr(TgScene) scene = tg_topology_scene(&topology);
    for (guint s = 0; s < scene->strokes->len; s++) check_cable(scene, &g_array_index(scene->strokes, TgStroke, s));
  }
}

static bool is_group(const TgMark *mark) {
  return mark->shape == TG_OUTLINE_ROUNDED && mark->fill == NULL;
}

static void check_groups_apart(const TgScene *scene) {
  for (guint a = 0; a < scene->marks->len; a++)
    for (guint b = 0; b < a; b++) {
      const TgMark *one = &g_array_index(scene->marks, TgMark, a), *other = &g_array_index(scene->marks, TgMark, b);
      if (!is_group(one) || !is_group(other)) continue;
      const double x = fabs(one->x - other->x) - (one->width + other->width) / 2;
      const double y = fabs(one->y - other->y) - (one->height + other->height) / 2;
      if (MAX(x, y) < 12) complain("two boxes are %.0f apart in '%s'", MAX(x, y), scene->title);
    }
}

/* Boxes round a circle do not overlap, and the cables between them are visible. */
static void test_circles_of_groups(void) {
  static const char *const rows[] = {"mesh:3x3*ring:4", "mesh:4x4*ring:4",    "torus:3x3*full:4", "switch:4*full:5",
                                     "mesh:3x3*full:6", "hypercube:3*ring:5", "mesh:2x2*ring:6",  "line:8*full:7",
                                     "line:12*ring:9",  "ring:3*ring:2",      "full:3*full:1",    "mesh:4x1*full:12"};
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    TgTopology topology;
    g_assert_true(tg_topology_parse(&topology, rows[r], NULL));
    g_autoptr(TgScene) scene = tg_topology_scene(&topology);
    check_groups_apart(scene);
    for (guint s = 0; s < scene->strokes->len; s++) {
      const TgStroke *stroke = &g_array_index(scene->strokes, TgStroke, s);
      if (stroke->pen > 1.5 && !g_str_equal(stroke->style, "dashed")) check_cable(scene, stroke);
      g_assert_cmpfloat(
          hypot(stroke->point[0][0].x - stroke->point[0][3].x, stroke->point[0][0].y - stroke->point[0][3].y), >=, 12);
    }
  }
}

/* The routers of a dragonfly do not overlap, whatever the cables between its groups pass. */
static void test_dragonflies(void) {
  static const char *const rows[] = {"switch:2*dragonfly:9x4", "switch:4*dragonfly:2x2", "switch:3*dragonfly:1x5",
                                     "switch:2*dragonfly:6x1", "mesh:2x2*dragonfly:3x7"};
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    TgTopology topology;
    g_assert_true(tg_topology_parse(&topology, rows[r], NULL));
    g_autoptr(TgScene) scene = tg_topology_scene(&topology);
    check_groups_apart(scene);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/picture/texts", test_texts);
  g_test_add_func("/picture/boxes", test_boxes);
  g_test_add_func("/picture/ends", test_ends);
  g_test_add_func("/picture/ids", test_ids);
  g_test_add_func("/picture/text-width", test_text_width);
  g_test_add_func("/picture/message-ids", test_message_ids);
  g_test_add_func("/picture/flows", test_flows);
  g_test_add_func("/picture/spread", test_spread);
  g_test_add_func("/picture/one-place", test_one_place);
  g_test_add_func("/picture/four-coordinates", test_four_coordinates);
  g_test_add_func("/picture/cables", test_cables);
  g_test_add_func("/picture/circles-of-groups", test_circles_of_groups);
  g_test_add_func("/picture/dragonflies", test_dragonflies);
  return g_test_run();
}
