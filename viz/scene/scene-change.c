#include "scene-change.h"

#include <string.h>

#include "scene-private.h"

enum { LINES_MOST = 10 }; /* numbered by a digit */

/* A group of a scene: either is NULL. */
typedef struct Group {
  const TgMark *mark;
  const TgStroke *stroke;
  const char *id, *title;
} Group;

static Group *groups_of(const TgScene *scene) {
  Group *groups = g_new0(Group, scene->strokes->len + scene->marks->len);
  for (guint s = 0; s < scene->strokes->len; s++) {
    const TgStroke *stroke = &g_array_index(scene->strokes, TgStroke, s);
    groups[s] = (Group){.stroke = stroke, .id = stroke->id, .title = stroke->title};
  }
  for (guint m = 0; m < scene->marks->len; m++) {
    const TgMark *mark = &g_array_index(scene->marks, TgMark, m);
    groups[scene->strokes->len + m] = (Group){.mark = mark, .id = mark->id, .title = mark->title};
  }
  return groups;
}

static guint count_groups(const TgScene *scene) {
  return scene->strokes->len + scene->marks->len;
}

/* --- what two groups must share for one to become the other ------------------------------------------------------- */

static int lines_of(const char *text) {
  if (text == NULL || *text == '\0') return 0;
  int lines = 1;
  for (const char *c = text; *c; c++) lines += *c == '\n';
  return lines;
}

static bool is_same_text(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same_mark(const TgMark *a, const TgMark *b) {
  const int lines = lines_of(a->text);
  return a->x == b->x && a->y == b->y && a->width == b->width && a->height == b->height && a->shape == b->shape &&
         a->dashed == b->dashed && a->bold == b->bold && !a->line == !b->line && !a->ink == !b->ink &&
         lines == lines_of(b->text) && lines <= LINES_MOST;
}

static bool is_same_stroke(const TgStroke *s, const TgStroke *t) {
  const int points = s->points[0] + s->points[1];
  return s->points[0] == t->points[0] && s->points[1] == t->points[1] && s->head == t->head && s->pen == t->pen &&
         !s->label == !t->label && is_same_text(s->colour, t->colour) && is_same_text(s->style, t->style) &&
         (!s->label ||
          (s->label_at.x == t->label_at.x && s->label_at.y == t->label_at.y && s->label_size == t->label_size &&
           is_same_text(s->ink, t->ink) && lines_of(s->label) == 1 && lines_of(t->label) == 1)) &&
         memcmp(s->point[0], t->point[0], (gsize)points * sizeof(TgPoint)) == 0;
}

static bool is_same_look(const Group *a, const Group *b) {
  if (!a->mark != !b->mark || !a->title != !b->title) return false;
  return a->mark ? is_same_mark(a->mark, b->mark) : is_same_stroke(a->stroke, b->stroke);
}

/* Of groups of the same look the same: by where they are. */
static guint hash_of(const Group *group) {
  const TgPoint at = group->mark ? (TgPoint){group->mark->x, group->mark->y} : *group->stroke->point[0];
  guint64 x, y;
  memcpy(&x, &at.x, sizeof x);
  memcpy(&y, &at.y, sizeof y);
  return (guint)((x * 0x9e3779b97f4a7c15u ^ y) * 0xff51afd7ed558ccdu >> 40);
}

/* --- which becomes which ------------------------------------------------------------------------------------------ */

/* Groups of the scene before that nothing is made from yet, by their hash, in their order. */
typedef struct Spare {
  guint mask;
  gint32 *first, *next; /* by hash; by group */
} Spare;

static void spare_clear(Spare *spare) {
  g_free(spare->first);
  g_free(spare->next);
}

static void spare_fill(Spare *spare, const Group *before, guint count, const bool *used) {
  guint size = 16;
  while (size < count) size *= 2;
  spare->mask = size - 1;
  spare->first = g_new(gint32, size);
  spare->next = g_new(gint32, count + 1);
  for (guint h = 0; h < size; h++) spare->first[h] = -1;
  for (guint g = count; g-- > 0;) {
    if (used[g]) continue;
    gint32 *first = &spare->first[hash_of(&before[g]) & spare->mask];
    spare->next[g] = *first;
    *first = (gint32)g;
  }
}

static gint32 spare_take(Spare *spare, const Group *before, const Group *wanted) {
  gint32 *at = &spare->first[hash_of(wanted) & spare->mask];
  while (*at >= 0 && !is_same_look(&before[*at], wanted)) at = &spare->next[*at];
  const gint32 found = *at;
  if (found >= 0) *at = spare->next[found];
  return found;
}

/* For each group the one that it is made from, or -1: that in its place where it can, else the first that can. */
static gint32 *match(const Group *before, guint count_before, const Group *now, guint count) {
  gint32 *from = g_new(gint32, count + 1);
  bool *used = g_new0(bool, count_before + 1);
  guint matched = 0;
  for (guint g = 0; g < count; g++) {
    const bool same = g < count_before && is_same_look(&before[g], &now[g]);
    from[g] = same ? (gint32)g : -1;
    if (same) used[g] = true;
    matched += same;
  }
  if (matched < count && matched < count_before) {
    Spare spare;
    spare_fill(&spare, before, count_before, used);
    for (guint g = 0; g < count; g++)
      if (from[g] < 0) from[g] = spare_take(&spare, before, &now[g]);
    spare_clear(&spare);
  }
  g_free(used);
  return from;
}

/* --- what is said of it ------------------------------------------------------------------------------------------- */

/* Records, and the run of groups that look as they did. */
typedef struct Records {
  GString *text, *names;
  const char *prefix;
  gint32 first, count;   /* the run */
  bool changes, renames; /* the group under way */
} Records;

static void end_run(Records *records) {
  if (records->count > 0)
    g_string_append_printf(records->text, TG_SCENE_RECORD "=%d,%d", records->first, records->count);
  records->count = 0;
}

/* Begins a field of the group that is made from group `from`; `line` of its text, or -1. */
static void field(Records *records, gint32 from, char what, int line) {
  if (!records->changes) {
    end_run(records);
    g_string_append_printf(records->text, TG_SCENE_RECORD "~%d", from);
    records->changes = true;
  }
  g_string_append(records->text, TG_SCENE_FIELD);
  g_string_append_c(records->text, what);
  if (line >= 0) g_string_append_c(records->text, (char)('0' + line));
}

static void change_name(Records *records, gint32 number, char what, const char *before, const char *now) {
  if (is_same_text(before, now)) return;
  if (!records->renames) g_string_append_printf(records->names, TG_SCENE_RECORD "~%d", number);
  records->renames = true;
  g_string_append(records->names, TG_SCENE_FIELD);
  g_string_append_c(records->names, what);
  if (what == 'i') g_string_append(records->names, records->prefix);
  g_string_append(records->names, now);
}

static void change_text(Records *records, gint32 from, char what, int line, const char *before, const char *now) {
  if (is_same_text(before, now)) return;
  field(records, from, what, line);
  g_string_append(records->text, now);
}

static void change_number(Records *records, gint32 from, char what, int line, double before, double now) {
  if (before == now) return;
  field(records, from, what, line);
  tg_scene_append_number(records->text, now);
}

static void change_line(Records *records, gint32 from, int line, const TgMark *before, const TgMark *now,
                        const char *words_before, const char *words) {
  const gsize length_before = strcspn(words_before, "\n"), length = strcspn(words, "\n");
  if (length != length_before || memcmp(words, words_before, length) != 0) {
    field(records, from, 'd', line);
    g_string_append_len(records->text, words, (gssize)length);
  }
  change_number(records, from, 'y', line, tg_scene_line_y(before, line), tg_scene_line_y(now, line));
  change_number(records, from, 'z', line, before->size, now->size);
  change_text(records, from, 'k', line, before->ink, now->ink);
}

static void change_mark(Records *records, gint32 from, const TgMark *before, const TgMark *now) {
  if (now->shape != TG_OUTLINE_TEXT) {
    change_text(records, from, 'f', -1, tg_scene_fill(before), tg_scene_fill(now));
    change_text(records, from, 's', -1, tg_scene_border(before), tg_scene_border(now));
    if (now->line) change_number(records, from, 'w', -1, tg_scene_pen(before), tg_scene_pen(now));
  }
  const char *words_before = before->text, *words = now->text;
  for (int line = 0, lines = lines_of(words); line < lines; line++) {
    change_line(records, from, line, before, now, words_before, words);
    words_before += strcspn(words_before, "\n") + 1;
    words += strcspn(words, "\n") + 1;
  }
}

static void write_group(Records *records, gint32 from, const Group *before, gint32 number, const Group *now) {
  if (from < 0) {
    end_run(records);
    g_string_append(records->text, TG_SCENE_RECORD);
    if (now->mark)
      tg_scene_svg_mark(records->text, now->mark, records->prefix);
    else
      tg_scene_svg_stroke(records->text, now->stroke, records->prefix);
    return;
  }
  records->changes = records->renames = false;
  change_name(records, number, 'i', before[from].id, now->id);
  change_name(records, number, 't', before[from].title, now->title);
  if (now->mark)
    change_mark(records, from, before[from].mark, now->mark);
  else if (now->stroke->label)
    change_text(records, from, 'd', 0, before[from].stroke->label, now->stroke->label);
  if (records->changes) return;
  if (records->count > 0 && from != records->first + records->count) end_run(records);
  if (records->count++ == 0) records->first = from;
}

static void write_whole(GString *text, const TgScene *before, const TgScene *now) {
  if (before->width != now->width || before->height != now->height) {
    g_string_append(text, TG_SCENE_RECORD "!");
    tg_scene_append_number(text, now->width);
    g_string_append_c(text, ' ');
    tg_scene_append_number(text, now->height);
  }
  if (is_same_text(before->title, now->title)) return;
  g_string_append(text, TG_SCENE_RECORD "@");
  g_string_append(text, now->title);
}

GString *tg_scene_change(const TgScene *before, const TgScene *now, const char *prefix, GString *names) {
  const guint count = count_groups(now);
  Group *groups_before = groups_of(before), *groups = groups_of(now);
  gint32 *from = match(groups_before, count_groups(before), groups, count);
  Records records = {.text = g_string_sized_new(1 << 16), .names = names, .prefix = prefix};
  write_whole(records.text, before, now);
  for (guint g = 0; g < count; g++) write_group(&records, from[g], groups_before, (gint32)g, &groups[g]);
  end_run(&records);
  g_free(from);
  g_free(groups);
  g_free(groups_before);
  return records.text;
}
