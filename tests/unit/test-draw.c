/* Pictures as files: formats, valid SVG with stable ids, moving pictures, networks, and errors that say what to do. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "../frames-of.h"
#include "render.h"
#include "topology-picture.h"

static GBytes *draw(const char *name, const char *grid, gint64 step, const char *format, GError **error) {
  Laid laid;
  lay(&laid, name, grid, NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  TgDrawOptions options = draw_options_of(&laid);
  return tg_draw_step(&laid.bound.schedule, &laid.bound.names, &options, step, format, error);
}

static GBytes *draw_all(const char *name, const char *grid, const char *format, GError **error) {
  Laid laid;
  lay(&laid, name, grid, NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  TgDrawOptions options = draw_options_of(&laid);
  return tg_draw_animation(&laid.bound.schedule, &laid.bound.names, &options, format, error);
}

static char *text_of(GBytes *file) {
  return g_strndup(g_bytes_get_data(file, NULL), g_bytes_get_size(file));
}

/* The second line of an SVG: its size, which is not in points, so that it fits what it stands in. */
static char *size_of(GBytes *file) {
  g_autofree char *svg = text_of(file);
  g_auto(GStrv) lines = g_strsplit(svg, "\n", 3);
  g_assert_true(g_str_has_prefix(lines[1], "<svg "));
  g_assert_nonnull(strstr(lines[1], " viewBox=\"0 0 "));
  g_assert_null(strstr(lines[1], " width="));
  g_assert_null(strstr(lines[1], " height="));
  return g_strdup(lines[1]);
}

static void assert_begins(GBytes *file, const char *signature) {
  g_assert_nonnull(file);
  g_assert_cmpuint(g_bytes_get_size(file), >, strlen(signature));
  g_assert_cmpint(memcmp(g_bytes_get_data(file, NULL), signature, strlen(signature)), ==, 0);
}

static int count_of(const char *text, const char *word) {
  int count = 0;
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) count++;
  return count;
}

static GBytes *draw_wrong(gint64 step, TgError *failure, GError **error) {
  static const char text[] = "schedule t\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nstep \"one\"\n"
                             "  move A to (i,j-i)\nstep \"two\"\n  C += A * B\nstep \"three\"\n  zero C\n";
  Bound bound;
  g_assert_true(bound_from(&bound, text, "3x3", NULL));
  *failure = (TgError){.cause = TG_CAUSE_NONE};
  const TgDrawOptions options = {.collective = TG_COLLECTIVE_WHOLE, .to_the_error = true, .failure = failure};
  return tg_draw_step(&bound.schedule, &bound.names, &options, step, "svg", error);
}

/* Drawn up to the step that fails, in which the processor and the two factors are marked and words say why; not beyond.
 */
static void test_wrong(void) {
  TgError failure;
  GError *error = NULL;
  g_autoptr(GBytes) first = draw_wrong(1, &failure, &error);
  g_assert_no_error(error);
  g_assert_cmpint(failure.cause, ==, TG_CAUSE_NONE);
  g_autofree char *right = text_of(first);
  g_assert_null(strstr(right, "#a3001b"));
  g_autoptr(GBytes) second = draw_wrong(2, &failure, &error);
  g_assert_no_error(error);
  g_assert_cmpint(failure.line, ==, 7);
  g_assert_cmpint(failure.processor, ==, 1);
  g_autofree char *wrong = text_of(second);
  const char *marked = strstr(wrong, "#a3001b"), *id = strstr(wrong, "<g id=\"p-0-1\"");
  g_assert_nonnull(id);
  g_assert_nonnull(strstr(wrong, "It goes wrong here: step 2 (two)"));
  g_assert_true(marked > id);
  g_assert_cmpint(count_of(wrong, "#a3001b"), ==, 3);
  g_assert_cmpint(count_of(wrong, "the proof fails here"), >=, 2);
  g_assert_null(draw_wrong(3, &failure, &error));
  g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_SCHEDULE);
  g_assert_cmpint(failure.line, ==, 7);
  g_clear_error(&error);
}

static void test_formats(void) {
  static const char *const rows[][2] = {
      {"dot", "digraph \"Cannon"}, {"svg", "<?xml"}, {"png", "\x89PNG"}, {"pdf", "%PDF"}, {"PNG", "\x89PNG"}};
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    GError *error = NULL;
    g_autoptr(GBytes) file = draw("cannon", "3x3", 1, rows[r][0], &error);
    g_assert_no_error(error);
    assert_begins(file, rows[r][1]);
  }
}

/* What a parser sees of an SVG: elements, ids and the title of the whole. */
typedef struct Seen {
  GHashTable *ids;
  GPtrArray *open;
  int titles;
  char *title;
} Seen;

static void on_start(GMarkupParseContext *context, const char *element, const char **names, const char **values,
                     gpointer user, GError **error) {
  Seen *seen = user;
  (void)context, (void)error;
  g_ptr_array_add(seen->open, g_strdup(element));
  for (int i = 0; names[i]; i++) {
    if (!g_str_equal(names[i], "id")) continue;
    if (!g_hash_table_add(seen->ids, g_strdup(values[i]))) g_test_message("twice: %s", values[i]), g_test_fail();
  }
}

static void on_end(GMarkupParseContext *context, const char *element, gpointer user, GError **error) {
  Seen *seen = user;
  (void)context, (void)element, (void)error;
  g_ptr_array_set_size(seen->open, (int)seen->open->len - 1);
}

static void on_text(GMarkupParseContext *context, const char *text, gsize length, gpointer user, GError **error) {
  Seen *seen = user;
  (void)context, (void)error;
  if (seen->open->len == 0 || !g_str_equal(g_ptr_array_index(seen->open, seen->open->len - 1), "title")) return;
  if (seen->titles++ == 0) seen->title = g_strndup(text, length);
}

static void parse_svg(Seen *seen, const char *svg) {
  GMarkupParser parser = {.start_element = on_start, .end_element = on_end, .text = on_text};
  GError *error = NULL;
  *seen = (Seen){.ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                 .open = g_ptr_array_new_with_free_func(g_free)};
  GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, seen, NULL);
  g_assert_true(g_markup_parse_context_parse(context, svg, -1, &error));
  g_assert_no_error(error);
  g_assert_true(g_markup_parse_context_end_parse(context, &error));
  g_markup_parse_context_free(context);
}

static void clear(Seen *seen) {
  g_hash_table_unref(seen->ids);
  g_ptr_array_unref(seen->open);
  g_free(seen->title);
}

static void test_svg(void) {
  g_autoptr(GBytes) file = draw("cannon", "4x4", 2, "svg", NULL);
  g_autofree char *svg = text_of(file);
  Seen seen;
  parse_svg(&seen, svg);
  g_assert_cmpstr(seen.title, ==, "Cannon on a 4×4 grid — step 2 of 5: multiply and shift");
  for (int i = 0; i < 16; i++) {
    g_autofree char *processor = g_strdup_printf("p-%d-%d", i / 4, i % 4), *slot = g_strconcat(processor, "-A", NULL);
    g_assert_true(g_hash_table_contains(seen.ids, processor));
    g_assert_true(g_hash_table_contains(seen.ids, slot));
  }
  for (int m = 0; m < 32; m++) {
    g_autofree char *id = g_strdup_printf("m-2-%d", m);
    g_assert_true(g_hash_table_contains(seen.ids, id));
  }
  g_assert_null(strstr(svg, "<!DOCTYPE"));
  g_assert_null(strstr(svg, "<!--"));
  g_assert_null(strstr(svg, "transparent"));
  g_assert_null(strstr(svg, "xlink"));
  g_assert_nonnull(strstr(svg, "<title>A₀₁: P(0,1) → P(0,0)</title>"));
  g_assert_nonnull(strstr(svg, "<g id=\"title\" class=\"node\">\n<text ")); /* and no box behind it */
  clear(&seen);
}

/* The same run gives the same bytes. */
static void test_same_twice(void) {
  g_autoptr(GBytes) one = draw("dns", "2x2x2", 1, "svg", NULL), two = draw("dns", "2x2x2", 1, "svg", NULL);
  g_assert_true(g_bytes_equal(one, two));
}

static gboolean count_file(gint64 step, gint64 steps, GBytes *file, gpointer user, GError **error) {
  GPtrArray *files = user;
  (void)error;
  g_assert_cmpint(step, ==, files->len);
  g_assert_cmpint(steps, ==, 5);
  g_ptr_array_add(files, g_bytes_ref(file));
  return TRUE;
}

/* A file a step, all on one canvas. */
static void test_all_steps(void) {
  Laid laid;
  GError *error = NULL;
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  lay(&laid, "cannon", "4x4", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  TgDrawOptions options = draw_options_of(&laid);
  g_assert_true(tg_draw_all(&laid.bound.schedule, &laid.bound.names, &options, "svg", count_file, files, &error));
  g_assert_cmpuint(files->len, ==, 6);
  g_autofree char *first = size_of(g_ptr_array_index(files, 0));
  for (guint f = 1; f < files->len; f++) {
    g_autofree char *size = size_of(g_ptr_array_index(files, f));
    g_assert_cmpstr(size, ==, first);
  }
}

static gboolean refuse(gint64 step, gint64 steps, GBytes *file, gpointer user, GError **error) {
  (void)step, (void)steps, (void)file, (void)user;
  g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "disk full");
  return FALSE;
}

static void test_sink_refuses(void) {
  Laid laid;
  GError *error = NULL;
  lay(&laid, "cannon", "2x2", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  TgDrawOptions options = draw_options_of(&laid);
  g_assert_false(tg_draw_all(&laid.bound.schedule, &laid.bound.names, &options, "dot", refuse, NULL, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC);
  g_clear_error(&error);
}

static void test_moving_svg(void) {
  GError *error = NULL;
  g_autoptr(GBytes) file = draw_all("cannon", "3x3", "svg", &error);
  g_assert_no_error(error);
  g_autofree char *svg = text_of(file);
  Seen seen;
  parse_svg(&seen, svg);
  for (int step = 0; step <= 4; step++) {
    g_autofree char *group = g_strdup_printf("step-%d", step), *processor = g_strdup_printf("step-%d-p-2-1", step);
    g_assert_true(g_hash_table_contains(seen.ids, group));
    g_assert_true(g_hash_table_contains(seen.ids, processor));
  }
  g_assert_nonnull(strstr(svg, "prefers-reduced-motion"));
  g_assert_null(strstr(svg, "href"));
  clear(&seen);
}

/* Step 0 of a moving picture is drawn after the schedule has run to its end, and must not show what that left behind.
 */
static void test_moving_begins_empty(void) {
  g_autoptr(GBytes) file = draw_all("cannon", "2x2", "svg", NULL);
  g_autofree char *svg = text_of(file);
  g_assert_nonnull(strstr(svg, "<title>P(0,0), slot C: empty</title>"));
}

static void test_gif(void) {
  GError *error = NULL;
  g_autoptr(GBytes) file = draw_all("cannon", "2x2", "gif", &error);
  if (g_error_matches(error, TG_DRAW_ERROR, TG_DRAW_ERROR_PROGRAM)) {
    g_test_skip("ImageMagick is not installed");
    g_clear_error(&error);
    return;
  }
  g_assert_no_error(error);
  assert_begins(file, "GIF89a");
}

static void test_gif_without_program(void) {
  g_autofree char *path = g_strdup(g_getenv("PATH"));
  GError *error = NULL;
  g_setenv("PATH", "/nonexistent", TRUE);
  GBytes *file = draw_all("cannon", "2x2", "gif", &error);
  g_setenv("PATH", path, TRUE);
  g_assert_null(file);
  g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_PROGRAM);
  g_assert_nonnull(strstr(error->message, "imagemagick"));
  g_clear_error(&error);
}

typedef struct Watched {
  int64_t most, last;
} Watched;

static bool go_on(void *user, int64_t steps) {
  Watched *watched = user;
  g_assert_cmpint(watched->last, <=, steps);
  g_assert_cmpint(watched->last, <=, watched->most); /* not asked again */
  watched->last = steps;
  return steps <= watched->most;
}

/* Told the steps that are drawn, moving pictures stop at any of them, the GIF also while its frames are joined. */
static void test_stopped(void) {
  static const char *const formats[] = {"svg", "gif"};
  Laid laid;
  lay(&laid, "cannon", "2x2", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  TgDrawOptions options = draw_options_of(&laid);
  for (gsize f = 0; f < G_N_ELEMENTS(formats); f++)
    for (int64_t most = -1; most <= 4; most++) {
      Watched watched = {.most = most, .last = -1};
      GError *error = NULL;
      options.watch = &(TgWatch){go_on, &watched};
      g_autoptr(GBytes) file = tg_draw_animation(&laid.bound.schedule, &laid.bound.names, &options, formats[f], &error);
      if (g_error_matches(error, TG_DRAW_ERROR, TG_DRAW_ERROR_PROGRAM)) {
        g_test_skip("ImageMagick is not installed");
        g_clear_error(&error);
        return;
      }
      g_assert_cmpint(file != NULL, ==, most == 4 || (f == 0 && most == 3));
      if (!file) g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_STOPPED);
      g_clear_error(&error);
    }
}

/* TeX would stop at a brace too many or too few, and at a character that means something else to it. */
static void test_tikz(void) {
  g_autoptr(GBytes) file = draw("cannon", "2x2", 2, "tex", NULL);
  g_autofree char *text = text_of(file);
  g_assert_cmpint(count_of(text, "{"), ==, count_of(text, "}"));
  g_assert_cmpint(count_of(text, "\\begin{tikzpicture}"), ==, 1);
  g_assert_true(g_str_has_suffix(text, "\\end{tikzpicture}\n"));
  g_assert_nonnull(strstr(text, "{A\\textsubscript{00}}"));
  g_assert_cmpint(count_of(text, "rectangle"), >=, 1 + 4 * 4); /* the canvas; of a processor the box and three slots */
  for (int digit = 0; digit < 10; digit++)
    g_assert_null(strstr(text, (char[]){'\xe2', '\x82', (char)(0x80 + digit), 0}));
  g_autoptr(GBytes) all = draw_all("cannon", "2x2", "tex", NULL);
  g_autofree char *steps = text_of(all);
  g_assert_cmpint(count_of(steps, "\n\\only<"), ==, 4); /* initial placement, alignment, two products */
  g_assert_cmpint(count_of(steps, "\\begin{tikzpicture}"), ==, 1);
  g_assert_cmpint(count_of(steps, "{"), ==, count_of(steps, "}"));
}

static void test_unknown_formats(void) {
  GError *error = NULL;
  g_assert_null(draw("cannon", "2x2", 0, "bmp", &error));
  g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_FORMAT);
  g_assert_cmpstr(error->message, ==, "unknown picture format 'bmp': use one of dot, svg, png, pdf, tex");
  g_clear_error(&error);
  g_assert_null(draw_all("cannon", "2x2", "png", &error));
  g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_FORMAT);
  g_clear_error(&error);
}

/* What libgvc complains of is the error's text and nothing that is printed. */
static void test_graphviz_complains(void) {
  g_autoptr(TgScene) scene = tg_scene_new();
  g_autofree char *path = NULL, *printed = NULL;
  GError *error = NULL;
  tg_scene_set_canvas(scene, 100, 100);
  tg_scene_mark(scene,
                &(TgMark){.shape = TG_OUTLINE_BOX, .id = "a\" [broken", .x = 50, .y = 50, .width = 10, .height = 10});
  int saved = dup(STDERR_FILENO), file = g_file_open_tmp("topogemm-XXXXXX", &path, NULL);
  dup2(file, STDERR_FILENO);
  GBytes *bytes = tg_render(scene, "svg", 0, &error);
  dup2(saved, STDERR_FILENO);
  close(saved), close(file);
  g_assert_true(g_file_get_contents(path, &printed, NULL, NULL));
  g_remove(path);
  g_assert_null(bytes);
  g_assert_cmpstr(printed, ==, "");
  g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_RENDER);
  g_assert_nonnull(strstr(error->message, "syntax error"));
  g_clear_error(&error);
}

/* Quotation marks, entities, escapes and broken UTF-8 in what people wrote arrive as they are, or not at all. */
static void test_any_text(void) {
  g_autoptr(TgScene) scene = tg_scene_new();
  GError *error = NULL;
  tg_scene_set_canvas(scene, 300, 100);
  tg_scene_describe(scene, "a \"b\" \\N <c> &amp; \xff", "x & y");
  tg_scene_text(scene, 150, 30, 12, "#000000", "q \"r\" \\N <s> &lt; \x01 \xff");
  tg_scene_mark(
      scene, &(TgMark){.shape = TG_OUTLINE_TEXT, .x = 150, .y = 60, .size = 12, .bold = true, .text = "<b> & \"c\""});
  g_autoptr(GBytes) file = tg_render(scene, "svg", 0, &error);
  g_assert_no_error(error);
  g_autofree char *svg = text_of(file);
  Seen seen;
  parse_svg(&seen, svg);
  g_assert_cmpstr(seen.title, ==, "a \"b\" \\N <c> &amp; \xef\xbf\xbd");
  g_assert_nonnull(strstr(svg, "&quot;r&quot; \\N &lt;s&gt; &amp;lt;"));
  clear(&seen);
}

static void test_networks(void) {
  static const struct {
    const char *text, *node, *other;
  } rows[] = {{"torus:4x4", "n-3-3", "cable-3-back"},
              {"mesh:2x3x2", "n-1-2-1", "cable-19"},
              {"ring:5", "n-4", "cable-4"},
              {"line:1", "n-0", "title"},
              {"hypercube:4", "n-15", "cable-31"},
              {"full:5", "n-4", "cable-9"},
              {"switch:3", "n-2", "switch-0"},
              {"switch:4*torus:2x4", "n-1-3-3", "switch-7"},
              {"switch:4*spine:8x2", "n-7-3", "switch-9"},
              {"spine:3x2*torus:4", "n-3-2", "switch-7"},
              {"dragonfly:5x4", "n-19", "cable-39"}};
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    TgTopology topology;
    GError *error = NULL;
    g_assert_true(tg_topology_parse(&topology, rows[r].text, NULL));
    g_autoptr(GBytes) file = tg_draw_topology(&topology, "svg", 0, &error);
    g_assert_no_error(error);
    g_autofree char *svg = text_of(file);
    Seen seen;
    parse_svg(&seen, svg);
    g_assert_true(g_hash_table_contains(seen.ids, rows[r].node));
    g_assert_true(g_hash_table_contains(seen.ids, rows[r].other));
    clear(&seen);
  }
}

/* libgvc would scale them down and print a message of its own. */
static void test_bitmap_too_wide(void) {
  static const struct {
    const char *network, *message;
  } rows[] = {{"line:527", NULL},
              {"line:528", "the picture is about 32812 pixels wide, but a bitmap has at most 32766; draw an .svg"},
              {"mesh:4096x1", "the picture is about 253956 pixels high, but a bitmap has at most 32766; draw an .svg"}};
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    TgTopology topology;
    GError *error = NULL;
    g_assert_true(tg_topology_parse(&topology, rows[r].network, NULL));
    g_autoptr(GBytes) file = tg_draw_topology(&topology, "png", 0, &error);
    g_assert_true((file == NULL) == (rows[r].message != NULL));
    if (rows[r].message) {
      g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_TOO_BIG);
      g_assert_cmpstr(error->message, ==, rows[r].message);
    }
    g_clear_error(&error);
  }
}

static void test_network_too_big(void) {
  static const struct {
    const char *network, *message;
  } rows[] = {
      {"ring:5000", "the network has 5000 nodes, but at most 4096 can be drawn"},
      {"full:448", "the network has 100128 cables, but at most 100000 can be drawn"},
      {"spine:4096x30", "the network has 122880 cables, but at most 100000 can be drawn"},
  };
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    TgTopology topology;
    GError *error = NULL;
    g_assert_true(tg_topology_parse(&topology, rows[r].network, NULL));
    g_assert_null(tg_draw_topology(&topology, "svg", 0, &error));
    g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_TOO_BIG);
    g_assert_cmpstr(error->message, ==, rows[r].message);
    g_clear_error(&error);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/draw/wrong", test_wrong);
  g_test_add_func("/draw/formats", test_formats);
  g_test_add_func("/draw/svg", test_svg);
  g_test_add_func("/draw/same-twice", test_same_twice);
  g_test_add_func("/draw/all-steps", test_all_steps);
  g_test_add_func("/draw/sink-refuses", test_sink_refuses);
  g_test_add_func("/draw/moving-svg", test_moving_svg);
  g_test_add_func("/draw/moving-begins-empty", test_moving_begins_empty);
  g_test_add_func("/draw/gif", test_gif);
  g_test_add_func("/draw/gif-without-program", test_gif_without_program);
  g_test_add_func("/draw/stopped", test_stopped);
  g_test_add_func("/draw/unknown-formats", test_unknown_formats);
  g_test_add_func("/draw/graphviz-complains", test_graphviz_complains);
  g_test_add_func("/draw/tikz", test_tikz);
  g_test_add_func("/draw/any-text", test_any_text);
  g_test_add_func("/draw/networks", test_networks);
  g_test_add_func("/draw/network-too-big", test_network_too_big);
  g_test_add_func("/draw/bitmap-too-wide", test_bitmap_too_wide);
  return g_test_run();
}
