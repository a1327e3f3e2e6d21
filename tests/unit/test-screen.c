/* Text screens: what they say of a step, that they keep to their size, and how they look without colours or Unicode. */
#include "../frames-of.h"
#include "screen.h"

#include <string.h>

static const TgPaper plain = {.kind = TG_PAPER_PLAIN, .unicode = true};

typedef struct Seen {
  Laid laid;
  TgTour *tour;
  TgScreen screen;
} Seen;

static void look_at(Seen *seen, int64_t step) {
  GError *error = NULL;
  tg_tour_go(seen->tour, step, &error);
  g_assert_no_error(error);
}

static void begin_tour(Seen *seen, int64_t n) {
  GError *error = NULL;
  const TgTourSizes sizes = {n, n, n, 4};
  seen->laid.options.to_the_error = true;
  seen->tour = tg_tour_new(&seen->laid.bound.schedule, &seen->laid.bound.names, &seen->laid.options, &sizes, &error);
  g_assert_no_error(error);
  seen->screen = (TgScreen){.tour = seen->tour, .paper = plain};
}

static void begin(Seen *seen, const char *name, const char *grid, int64_t n) {
  lay(&seen->laid, name, grid, NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  begin_tour(seen, n);
}

static void assert_says(const Seen *seen, int rows, int columns, const char *part) {
  g_autoptr(GString) text = tg_screen_draw(&seen->screen, rows, columns, NULL);
  if (!strstr(text->str, part)) g_test_message("expected \"%s\" in\n%s", part, text->str);
  g_assert_nonnull(strstr(text->str, part));
}

static void test_cannon(void) {
  static const char expected[] = "cannon on 2x2                step 2 of 3\n"
                                 "multiply and shift\n"
                                 "multiply the pair at hand, then pass A\n"
                                 "one place left and B one place up: the\n"
                                 "next pair matches again\n"
                                 "  14 C += A * B\n"
                                 "  15 move A to (i, j-1) where s < q-1\n"
                                 "  16 move B to (i-1, j) where s < q-1\n"
                                 "      j=0               j=1\n"
                                 "i=0 │ A₀₀·B₀₀ C₀₀ █░  │ A₀₁·B₁₁ C₀₁ █░\n"
                                 "    │ A₀₀→ B₀₀↓       │ A₀₁← B₁₁↓\n"
                                 "    │ got A₀₁ B₁₀     │ got A₀₀ B₀₁\n";
  Seen seen;
  begin(&seen, "cannon", "2x2", 4);
  look_at(&seen, 2);
  g_autoptr(GString) text = tg_screen_draw(&seen.screen, 0, 40, NULL);
  text->str[MIN(text->len, sizeof expected - 1)] = 0;
  g_assert_cmpstr(text->str, ==, expected);
  assert_says(&seen, 0, 90, "here 4 products, 8 messages, 128 B · so far 4 products, 12 messages, 192 B\n");
  assert_says(&seen, 0, 80, "C ██████░░░░░░ 4 of 8 products in place, 0 of 4 blocks complete\n");
  tg_tour_free(seen.tour);
}

/* A collective in rounds: which message goes when. */
static void test_rounds(void) {
  Seen seen;
  lay(&seen.laid, "ring", "4", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  begin_tour(&seen, 4);
  look_at(&seen, 1);
  g_assert_cmpint(seen.tour->rounds, <=, 1);
  tg_tour_free(seen.tour);
  lay(&seen.laid, "summa", "4x4", NULL, TG_ROWMAJOR, TG_COLLECTIVE_BINOMIAL);
  begin_tour(&seen, 4);
  look_at(&seen, 1);
  assert_says(&seen, 0, 160, "1:A₁₀→2 2:A₁₀→");
  assert_says(&seen, 0, 160, " messages, 96 B in 2 rounds · so far ");
  tg_tour_free(seen.tour);
}

/* Back is as forward was, and a tour that jumps counts all it jumps over. */
static void test_back(void) {
  Seen seen;
  begin(&seen, "summa", "3x3", 9);
  look_at(&seen, 1);
  g_autoptr(GString) before = tg_screen_draw(&seen.screen, 24, 80, NULL);
  look_at(&seen, 3);
  g_assert_cmpint(tg_tour_totals(seen.tour)->products, ==, 27);
  look_at(&seen, 1);
  g_autoptr(GString) after = tg_screen_draw(&seen.screen, 24, 80, NULL);
  g_assert_cmpstr(before->str, ==, after->str);
  look_at(&seen, 99);
  g_assert_cmpint(seen.tour->frame->step, ==, 3);
  tg_tour_free(seen.tour);
}

static void assert_fits(const Seen *seen, int rows, int columns) {
  g_autoptr(GString) text = tg_screen_draw(&seen->screen, rows, columns, NULL);
  g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines) - 1, ==, rows);
  for (char **line = lines; *line; line++) g_assert_cmpint(tg_text_columns(*line), <=, columns);
}

static void test_sizes(void) {
  static const struct {
    const char *name, *grid;
  } row[] = {{"cannon", "4x4"},   {"dns", "4x4x4"}, {"summa", "8x8"},
             {"cannon", "32x32"}, {"ring", "12"},   {"cannon", "40x40"}};
  static const int sizes[][2] = {{24, 80}, {50, 200}, {10, 30}, {4, 10}, {1, 1}, {2, 300}};
  for (gsize r = 0; r < G_N_ELEMENTS(row); r++) {
    Seen seen;
    begin(&seen, row[r].name, row[r].grid, 0);
    for (int help = 0; help < 2; help++) {
      seen.screen.help = help;
      look_at(&seen, 2);
      for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++) assert_fits(&seen, sizes[s][0], sizes[s][1]);
    }
    tg_tour_free(seen.tour);
  }
}

static void test_ascii(void) {
  Seen seen;
  begin(&seen, "cannon", "4x4", 0);
  look_at(&seen, 2);
  seen.screen.paper.unicode = false;
  assert_says(&seen, 24, 80, "| A00*B00 C00 #...");
  assert_says(&seen, 24, 80, "| A00< B00^");
  g_autoptr(GString) text = tg_screen_draw(&seen.screen, 24, 80, NULL);
  g_assert_true(g_str_is_ascii(text->str));
  tg_tour_free(seen.tour);
}

/* Without colours: what came is bold and underlined, what is followed reversed. With colours: those of the pictures. */
static void test_looks(void) {
  Seen seen;
  TgBlockName block;
  begin(&seen, "cannon", "4x4", 0);
  look_at(&seen, 2);
  g_assert_true(tg_block_name_read("A01", &block));
  seen.screen.followed = &block;
  seen.screen.paper.kind = TG_PAPER_ATTRIBUTES;
  assert_says(&seen, 24, 80, "\033[0;7mA₀₁\033[0m");
  assert_says(&seen, 24, 80, "\033[0;1;4;7mA₀₁\033[0m");
  assert_says(&seen, 24, 80, "\033[0;1;4mA₀₂\033[0m");
  seen.screen.paper.kind = TG_PAPER_TRUE;
  assert_says(&seen, 24, 80, "\033[0;38;2;0;114;178mA₀₀");
  seen.screen.paper.kind = TG_PAPER_256;
  assert_says(&seen, 24, 80, "\033[0;38;5;25mA₀₀");
  assert_says(&seen, 24, 80, "\033[0;38;5;166mB₀₀");
  seen.screen.paper.kind = TG_PAPER_PLAIN;
  g_autoptr(GString) text = tg_screen_draw(&seen.screen, 24, 80, NULL);
  g_assert_null(strchr(text->str, '\033'));
  tg_tour_free(seen.tour);
}

static void test_journey(void) {
  Seen seen;
  TgBlockName block;
  GError *error = NULL;
  begin(&seen, "cannon", "4x4", 0);
  g_assert_true(tg_block_name_read("A01", &block));
  g_auto(GStrv) journey = tg_journey(seen.tour, &seen.laid.options, &block, true, 100, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(g_strv_length(journey), ==, 6);
  g_assert_cmpstr(journey[0], ==, "on (0,1)");
  g_assert_cmpstr(journey[3], ==, "C₀₀ += A₀₁·B₁₀ on (0,0), (0,0) → (0,3)");
  seen.screen.followed = &block;
  seen.screen.journey = journey;
  look_at(&seen, 3);
  assert_says(&seen, 24, 80, "following A₀₁\n");
  assert_says(&seen, 24, 80, "▸  3  C₀₀ += A₀₁·B₁₀ on (0,0), (0,0) → (0,3)\n");
  tg_tour_free(seen.tour);
}

static void test_names(void) {
  static const char *const good[] = {"A01", "a01", "A₀₁", "A0,1", "A(0, 1)"}, *const bad[] = {"",      "A",
                                                                                              "D01",   "A0",
                                                                                              "A011",  "A0,",
                                                                                              "A-1,0", "A0,99999999999",
                                                                                              "A\xff"};
  TgBlockName block;
  for (gsize g = 0; g < G_N_ELEMENTS(good); g++) {
    g_assert_true(tg_block_name_read(good[g], &block));
    g_assert_true(block.matrix == TG_MATRIX_A && block.row == 0 && block.column == 1);
  }
  for (gsize b = 0; b < G_N_ELEMENTS(bad); b++) g_assert_false(tg_block_name_read(bad[b], &block));
  g_assert_true(tg_block_name_read("B11,12", &block) && block.row == 11 && block.column == 12);
}

/* A schedule without the alignment fails in its first product, on the first processor whose pair does not match. */
static void test_failure(void) {
  static const char text[] = "schedule wrong\n"
                             "grid i:q, j:q\n"
                             "place A(i,j), B(i,j), C(i,j) on (i,j)\n"
                             "step \"multiply\"\n"
                             "  C += A * B\n";
  Seen seen = {0};
  g_assert_true(bound_from(&seen.laid.bound, text, "2x2", NULL));
  begin_tour(&seen, 0);
  look_at(&seen, 1);
  g_assert_nonnull(seen.tour->frame->failure);
  assert_says(&seen, 24, 90, "✗ line 5: step 1 (multiply), processor (0, 1): `C += A * B` multiplies");
  assert_says(&seen, 24, 80, "│ ✗\n");
  assert_says(&seen, 24, 80, "   5 C += A * B\n");
  tg_tour_free(seen.tour);
}

/* Control characters of a schedule's text do not reach the terminal, and what is too long ends in an ellipsis. */
static void test_rows(void) {
  TgRow row = tg_row_new();
  tg_row_add(&row, &plain, TG_LOOK_PLAIN, 20, "a\033[31mb\n");
  g_assert_cmpstr(row.text->str, ==, "a?[31mb?");
  tg_row_add(&row, &plain, TG_LOOK_PLAIN, 4, "12345");
  g_assert_cmpstr(row.text->str, ==, "a?[31mb?123…");
  g_assert_cmpint(row.width, ==, 12);
  tg_row_clear(&row);
}

static void test_scroll(void) {
  Seen seen;
  TgScreenExtent extent;
  begin(&seen, "dns", "4x4x4", 0);
  look_at(&seen, 2);
  g_string_free(tg_screen_draw(&seen.screen, 24, 80, &extent), TRUE);
  g_assert_cmpint(extent.height, >, extent.shown);
  assert_says(&seen, 24, 80, "k=0 ");
  seen.screen.top = extent.height;
  assert_says(&seen, 24, 80, "i=3 ");
  seen.screen.top = seen.screen.left = INT64_MAX / 2;
  assert_fits(&seen, 24, 40);
  tg_tour_free(seen.tour);
}

static bool up_to(void *most, int64_t step) {
  return step < *(const int64_t *)most;
}

/* Stopped on its way, forward or back, the tour stands at that step and goes on from there. */
static void test_stopped(void) {
  Seen seen;
  int64_t most = 2;
  const TgWatch watch = {up_to, &most};
  begin(&seen, "cannon", "4x4", 8);
  seen.tour->watch = &watch;
  look_at(&seen, 5);
  g_assert_cmpint(seen.tour->frame->step, ==, 2);
  assert_says(&seen, 24, 80, "so far 16 products, 56 messages, 896 B");
  most = 5;
  look_at(&seen, 5);
  assert_says(&seen, 24, 80, "64 of 64 products in place, 16 of 16 blocks complete");
  most = 1;
  look_at(&seen, 4);
  g_assert_cmpint(seen.tour->frame->step, ==, 1);
  most = 5;
  look_at(&seen, 2);
  assert_says(&seen, 24, 80, "so far 16 products, 56 messages, 896 B");
  tg_tour_free(seen.tour);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/screen/cannon", test_cannon);
  g_test_add_func("/screen/rounds", test_rounds);
  g_test_add_func("/screen/back", test_back);
  g_test_add_func("/screen/sizes", test_sizes);
  g_test_add_func("/screen/ascii", test_ascii);
  g_test_add_func("/screen/looks", test_looks);
  g_test_add_func("/screen/journey", test_journey);
  g_test_add_func("/screen/names", test_names);
  g_test_add_func("/screen/failure", test_failure);
  g_test_add_func("/screen/rows", test_rows);
  g_test_add_func("/screen/scroll", test_scroll);
  g_test_add_func("/screen/stopped", test_stopped);
  return g_test_run();
}
