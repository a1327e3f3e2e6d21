/* Frames: what every step shows of slots, products, messages and links; going back; what cannot be shown. */
#include "../frames-of.h"

static gint64 sum_messages(TgFrames *frames) {
  gint64 sum = 0;
  for (gint64 step = 0; step <= tg_frames_steps(frames); step++) sum += tg_frames_seek(frames, step, NULL)->messages;
  return sum;
}

/* The counts of the literature: every receiver of a broadcast once, every contribution to a reduce once. */
static void test_messages(void) {
  static const struct {
    const char *name, *grid;
    gint64 messages;
  } rows[] = {{"cannon", "4x4", 120},
              {"dns", "4x4x4", 168},
              {"summa", "4x4", 96},
              {"cannon25d", "8x8x2", 1184},
              {"ring", "6", 30}};
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    Laid laid;
    lay(&laid, rows[r].name, rows[r].grid, NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
    g_autoptr(TgFrames) frames = frames_of(&laid);
    g_assert_cmpint(sum_messages(frames), ==, rows[r].messages);
  }
}

static void assert_block(const TgBlockName *block, const char *expected) {
  g_autoptr(GString) text = g_string_new(NULL);
  tg_block_name_append(text, block);
  g_assert_cmpstr(text->str, ==, expected);
}

/* Processor (0, 1) of a 4×4 grid in the first multiplication: it uses A₀₁ and B₁₁, and then holds A₀₂ and B₂₁. */
static void test_slots(void) {
  Laid laid;
  lay(&laid, "cannon", "4x4", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  const TgFrame *frame = tg_frames_seek(frames, 2, NULL);
  g_assert_cmpstr(frame->label, ==, "multiply and shift");
  g_assert_cmpint(frame->products, ==, 16);
  const TgFrameSlot *a = tg_frame_slot(frame, 1, 0, 0), *b = tg_frame_slot(frame, 1, 1, 0),
                    *c = tg_frame_slot(frame, 1, 2, 0);
  assert_block(&a->before, "A₀₁"), assert_block(&a->used, "A₀₁"), assert_block(&a->after, "A₀₂");
  assert_block(&b->used, "B₁₁"), assert_block(&b->after, "B₂₁");
  assert_block(&c->before, ""), assert_block(&c->after, "C₀₁");
  g_assert_cmpint(c->after.terms, ==, 1);
  assert_block(tg_frame_slot_shown(a), "A₀₁");
  assert_block(tg_frame_slot_shown(c), "C₀₁");
  assert_block(&frame->product[1].left, "A₀₁"), assert_block(&frame->product[1].result, "C₀₁");
  g_assert_false(frame->product[1].replace);
}

/* Within the steps of a broadcast the slot shows what was multiplied, which came in this very step. */
static void test_shown_after_arrival(void) {
  Laid laid;
  lay(&laid, "summa", "4x4", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  const TgFrame *frame = tg_frames_seek(frames, 2, NULL);
  g_assert_cmpstr(tg_name(frame->names, frame->names->buffer[3]), ==, "P");
  const TgFrameSlot *p = tg_frame_slot(frame, 0, 3, 0);
  assert_block(&p->before, "A₀₀");
  assert_block(tg_frame_slot_shown(p), "A₀₁");
}

static void test_message(void) {
  Laid laid;
  lay(&laid, "cannon", "4x4", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  const TgFrame *frame = tg_frames_seek(frames, 2, NULL);
  g_assert_cmpint(frame->message[0].from, ==, 0);
  g_assert_cmpint(frame->message[0].to, ==, 3);
  assert_block(&frame->message[0].block, "A₀₀");
  g_assert_cmpint(frame->message[16].block.matrix, ==, TG_MATRIX_B);
  g_assert_cmpint(frame->held[5], ==, 3);
}

/* A and B rise from plane 0: (0, 1, 0) sends A₀₁ to (0, 1, 1), and B₀₁ stays. */
static void test_received(void) {
  Laid laid;
  lay(&laid, "dns", "4x4x4", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  const TgFrame *frame = tg_frames_seek(frames, 1, NULL);
  g_assert_cmpint(frame->received[4], ==, 0);
  g_assert_cmpint(frame->received[5], ==, 1);
}

/* Going back gives what going forward gave. */
static void test_back(void) {
  Laid laid;
  lay(&laid, "cannon", "3x3", "torus:3x3", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) forward = frames_of(&laid), back = frames_of(&laid);
  g_assert_nonnull(tg_frames_seek(back, tg_frames_steps(back), NULL));
  for (gint64 step = tg_frames_steps(back); step >= 0; step--) {
    const TgFrame *a = tg_frames_seek(forward, step, NULL), *b = tg_frames_seek(back, step, NULL);
    g_assert_cmpint(a->step, ==, step);
    g_assert_cmpmem(a->slot, sizeof *a->slot * (gsize)(a->slots * a->processors), b->slot,
                    sizeof *b->slot * (gsize)(b->slots * b->processors));
    g_assert_cmpint(a->messages, ==, b->messages);
    g_assert_cmpfloat(a->link_blocks_max, ==, b->link_blocks_max);
  }
}

/* Without collectives all loads together are the hops of all messages. */
static void test_loads(void) {
  Laid laid;
  lay(&laid, "cannon", "8x8", "torus:8x8", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  const TgFrame *frame = tg_frames_seek(frames, 1, NULL);
  double sum = 0, hops = 0;
  for (gint64 link = 0; link < laid.topology.links; link++) sum += frame->link_blocks[link];
  for (gint64 m = 0; m < frame->messages; m++)
    hops += (double)tg_topology_distance(&laid.topology, frame->message[m].from, frame->message[m].to);
  g_assert_cmpfloat(sum, ==, hops);
  g_assert_cmpfloat(frame->link_blocks_max, ==, 4);
}

/* A broadcast left whole crosses no link twice, though two of its receivers stand behind one another. */
static void test_tree_loads(void) {
  Laid laid;
  lay(&laid, "summa", "4x4", "torus:4x4", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  g_assert_cmpfloat(tg_frames_seek(frames, 1, NULL)->link_blocks_max, ==, 1);
}

static void test_no_such_step(void) {
  Laid laid;
  GError *error = NULL;
  lay(&laid, "cannon", "2x2", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  g_assert_null(tg_frames_seek(frames, 4, &error));
  g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_STEP);
  g_assert_cmpstr(error->message, ==, "there is no step 4: the schedule has steps 0 (the initial placement) to 3");
  g_clear_error(&error);
  g_assert_null(tg_frames_seek(frames, -1, &error));
  g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_STEP);
  g_clear_error(&error);
}

static void test_failing_schedule(void) {
  static const char text[] = "schedule t\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\n"
                             "step \"multiply\"\n  C += P * B\n  move A to (i,j) into P\n";
  Bound bound;
  GError *error = NULL;
  g_assert_true(bound_from(&bound, text, "2x2", NULL));
  TgFrameOptions options = {.collective = TG_COLLECTIVE_WHOLE};
  g_assert_null(tg_frames_new(&bound.schedule, &bound.names, &options, &error));
  g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_SCHEDULE);
  g_assert_nonnull(g_strstr_len(error->message, -1, "step 1 (multiply), processor (0, 0)"));
  g_clear_error(&error);
}

/* Its last frame is the step that fails, as far as it went, at the place that the proof names. */
static void to_the_error(const char *text, gint64 steps, gint64 failing, gint32 line, gint64 processor) {
  Bound bound;
  GError *error = NULL;
  g_assert_true(bound_from(&bound, text, "3x3", NULL));
  TgFrameOptions options = {.collective = TG_COLLECTIVE_WHOLE, .to_the_error = true};
  g_autoptr(TgFrames) frames = tg_frames_new(&bound.schedule, &bound.names, &options, &error);
  g_assert_no_error(error);
  g_assert_cmpint(tg_frames_steps(frames), ==, steps);
  for (int round = 0; round < 2; round++) {
    for (gint64 step = 0; step < failing; step++) {
      const TgFrame *frame = tg_frames_seek(frames, step, &error);
      g_assert_no_error(error);
      g_assert_null(frame->failure);
    }
    const TgFrame *last = tg_frames_seek(frames, failing, &error);
    g_assert_nonnull(last->failure);
    g_assert_cmpint(last->step, ==, failing);
    g_assert_cmpint(last->failure->line, ==, line);
    g_assert_cmpint(last->failure->processor, ==, processor);
    g_assert_cmpint(tg_frames_steps(frames), ==, failing);
    g_assert_null(tg_frames_next(frames, &error));
    g_assert_no_error(error);
  }
}

static void test_to_the_error(void) {
  static const char head[] = "schedule t\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\n";
  /* Two products that are right, then one whose inner indices differ: at P(0,1), after P(0,0). */
  g_autofree char *inside = g_strconcat(
      head, "step \"one\"\n  move A to (i,j-i)\nstep \"two\"\n  C += A * B\nstep \"three\"\n  zero C\n", NULL);
  g_autofree char *end = g_strconcat(head, "step \"one\"\n  copy A into P\nstep \"two\"\n  zero C\n", NULL);
  to_the_error(inside, 3, 2, 7, 1);
  to_the_error(end, 2, 2, 0, 0);
  Laid laid;
  lay(&laid, "cannon", "3x3", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  laid.options.to_the_error = true;
  g_autoptr(TgFrames) frames = frames_of(&laid);
  for (gint64 step = tg_frames_steps(frames); step >= 0; step--)
    g_assert_null(tg_frames_seek(frames, step, NULL)->failure);
}

static void test_network_too_small(void) {
  Laid laid;
  GError *error = NULL;
  lay(&laid, "cannon", "4x4", "torus:2x2", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  laid.options.embedding = NULL;
  g_assert_null(tg_frames_new(&laid.bound.schedule, &laid.bound.names, &laid.options, &error));
  g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_NETWORK);
  g_clear_error(&error);
}

/* Large grids have counts only. */
static void test_counts_only(void) {
  Laid laid;
  lay(&laid, "cannon", "40x40", "torus:40x40", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  const TgFrame *frame = tg_frames_seek(frames, 1, NULL);
  g_assert_false(frame->detail);
  g_assert_cmpint(frame->messages, ==, 2 * 39 * 40);
  g_assert_cmpfloat(frame->link_blocks_max, ==, 20);
  g_assert_cmpint(frame->held[1599], ==, 2);
}

/* Where there are too many processors for slots, messages and products are listed if that is asked for. */
static void test_list(void) {
  Laid laid;
  lay(&laid, "cannon", "40x40", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  laid.options.list = true;
  g_autoptr(TgFrames) frames = frames_of(&laid);
  const TgFrame *frame = tg_frames_seek(frames, 2, NULL);
  g_assert_false(frame->detail);
  g_assert_true(frame->listed);
  g_assert_cmpint(frame->messages, ==, 3200);
  g_assert_cmpint(frame->products, ==, 1600);
  g_assert_cmpint(frame->message[3199].from, ==, 1599);
  g_assert_cmpint(frame->message[3199].line, ==, 16);
  g_assert_cmpint(frame->product[1599].processor, ==, 1599);
  g_assert_cmpint(frame->product[1599].line, ==, 14);
}

static void test_block_names(void) {
  TgBlockName large = {.kind = TG_VALUE_INPUT, .matrix = TG_MATRIX_A, .row = 3, .column = 12};
  TgBlockName turned = {.kind = TG_VALUE_INPUT, .matrix = TG_MATRIX_B, .row = 4, .column = 9, .transposed = 1};
  TgBlockName zero = {.kind = TG_VALUE_ZERO};
  assert_block(&large, "A3,12");
  assert_block(&turned, "B₄₉'");
  assert_block(&zero, "0");
}

static bool up_to(void *most, int64_t statements) {
  return statements <= *(const int64_t *)most;
}

/* Stopped before any statement, or at the proof after the last one, a run begins anew and shows what it shows anyway. */
static void test_stopped(void) {
  Laid laid;
  int64_t most = INT64_MAX;
  const TgWatch watch = {up_to, &most};
  lay(&laid, "cannon", "4x4", NULL, TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) expected = frames_of(&laid);
  laid.options.watch = &watch;
  for (int to_the_error = 0; to_the_error < 2; to_the_error++) {
    laid.options.to_the_error = to_the_error;
    g_autoptr(TgFrames) frames = frames_of(&laid);
    for (int64_t statements = -1; statements <= 13; statements++) {
      GError *error = NULL;
      most = statements;
      const TgFrame *last = tg_frames_seek(frames, 5, &error);
      g_assert_cmpint(last != NULL, ==, statements == 13);
      if (!last) g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_STOPPED);
      g_clear_error(&error);
      most = INT64_MAX;
      const TgFrame *frame = tg_frames_seek(frames, 3, NULL), *other = tg_frames_seek(expected, 3, NULL);
      g_assert_nonnull(frame);
      g_assert_cmpint(frame->messages, ==, other->messages);
      g_assert_cmpint(frame->products, ==, other->products);
      g_assert_cmpmem(frame->slot, (gsize)(16 * frame->slots) * sizeof *frame->slot, other->slot,
                      (gsize)(16 * other->slots) * sizeof *other->slot);
      g_assert_null(frame->failure);
    }
    most = -1;
    GError *error = NULL;
    g_assert_null(tg_frames_new(&laid.bound.schedule, &laid.bound.names, &laid.options, &error));
    g_assert_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_STOPPED);
    g_clear_error(&error);
    most = INT64_MAX;
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/frame/messages", test_messages);
  g_test_add_func("/frame/slots", test_slots);
  g_test_add_func("/frame/shown-after-arrival", test_shown_after_arrival);
  g_test_add_func("/frame/message", test_message);
  g_test_add_func("/frame/received", test_received);
  g_test_add_func("/frame/back", test_back);
  g_test_add_func("/frame/loads", test_loads);
  g_test_add_func("/frame/tree-loads", test_tree_loads);
  g_test_add_func("/frame/no-such-step", test_no_such_step);
  g_test_add_func("/frame/failing-schedule", test_failing_schedule);
  g_test_add_func("/frame/to-the-error", test_to_the_error);
  g_test_add_func("/frame/network-too-small", test_network_too_small);
  g_test_add_func("/frame/counts-only", test_counts_only);
  g_test_add_func("/frame/list", test_list);
  g_test_add_func("/frame/block-names", test_block_names);
  g_test_add_func("/frame/stopped", test_stopped);
  return g_test_run();
}
