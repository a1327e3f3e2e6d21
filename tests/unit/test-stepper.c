/* The stepper's contract, function by function. */
#include "../step-case.h"
#include "block.h"

static void begin(StepCase *test, const char *name, const char *grid, const char *set) {
  g_assert_true(step_case_bind(test, step_case_library(name), grid, set));
}

typedef struct CountRow {
  const char *name, *grid, *set;
  int64_t messages;
} CountRow;

/** Messages as verify counts them; the numbers are the algorithms' own (Cannon: 2 q (q - 1) to align, since one row
 * stays, and 2 q^2 (q - 1) to shift, …). */
static void test_message_counts(void) {
  static const CountRow rows[] = {{"cannon", "4x4", "", 120},
                                  {"dns", "4x4x4", "", 168},
                                  {"summa", "4x4", "", 96},
                                  {"cannon25d", "8x8x2", "", 1184},
                                  {"ring", "6", "", 30}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    StepCase test = {0};
    begin(&test, rows[i].name, rows[i].grid, rows[i].set);
    for (int64_t n = 3; n <= 24; n += 21) { /* empty blocks count too */
      step_case_fill(&test, n, n, n, TG_F32, true, 1);
      g_autoptr(TgStepper) stepper = step_case_begin(&test);
      step_case_finish(&test, stepper);
      g_assert_cmpint(tg_stepper_counts(stepper)->messages, ==, rows[i].messages);
      g_assert_true(step_case_check(&test).ok);
    }
    step_case_clear(&test);
  }
}

/** Cannon 2x2 by hand: 8x6 times 6x4, so blocks of A are 4x3 and of B 3x2 floats. */
static void test_counts_by_hand(void) {
  StepCase test = {0};
  TgTopology torus;
  TgError error;
  g_assert_true(tg_topology_parse(&torus, "torus:2x2", &error));
  begin(&test, "cannon", "2x2", "");
  step_case_fill(&test, 8, 4, 6, TG_F32, true, 2);
  test.options.network = &torus;
  test.options.link_loads = test.options.keep_details = true;
  g_autoptr(TgStepper) stepper = step_case_begin(&test);
  g_assert_cmpint(tg_stepper_steps(stepper), ==, 3);
  const int64_t messages[] = {4, 8, 0}, bytes[] = {2 * 48 + 2 * 24, 4 * 48 + 4 * 24, 0}, products[] = {0, 4, 4};
  int64_t sum = 0, count;
  for (int64_t step = 1; step <= 3; step++) {
    g_assert_cmpint(tg_stepper_next(stepper, NULL), ==, TG_PROGRESS_MORE);
    const TgTraceStep *trace = &tg_stepper_trace(stepper)->step[step - 1];
    g_assert_cmpint(trace->index, ==, step);
    g_assert_cmpint(trace->messages, ==, messages[step - 1]);
    g_assert_cmpint(trace->bytes, ==, bytes[step - 1]);
    g_assert_cmpint(trace->hop_bytes, ==, bytes[step - 1]); /* every neighbour is one hop away */
    g_assert_cmpint(trace->products, ==, products[step - 1]);
    g_assert_cmpstr(trace->label, ==, step == 1 ? "align" : "multiply and shift");
    g_assert_true(isnan(trace->start_s) && isnan(trace->end_s));
    const TgStepperMessage *message = tg_stepper_messages(stepper, &count);
    g_assert_cmpint(count, ==, messages[step - 1]);
    for (int64_t i = 0; i < count; i++) {
      g_assert_cmpint(message[i].bytes, ==, message[i].value.matrix == TG_MATRIX_A ? 48 : 24);
      g_assert_cmpint(message[i].message.from, !=, message[i].message.to);
      g_assert_cmpint(message[i].hops, ==, 1);
    }
    const TgStepperProduct *product = tg_stepper_products(stepper, &count);
    g_assert_cmpint(count, ==, products[step - 1]);
    for (int64_t i = 0; i < count; i++) g_assert_cmpint(product[i].left.column, ==, product[i].right.row);
    sum += bytes[step - 1];
    g_assert_cmpint(tg_stepper_counts(stepper)->bytes, ==, sum);
    g_assert_cmpint(tg_stepper_counts(stepper)->hop_bytes, ==, sum);
  }
  int64_t load = 0;
  for (int64_t l = 0; l < torus.links; l++) load += tg_stepper_link_bytes(stepper)[l];
  g_assert_cmpint(load, ==, sum);
  g_assert_cmpint(tg_stepper_link_bytes_max(stepper), ==, 2 * 48);
  g_assert_cmpint(tg_stepper_next(stepper, NULL), ==, TG_PROGRESS_END);
  g_assert_cmpint(tg_stepper_position(stepper), ==, 3);
  step_case_clear(&test);
}

/** What a reader sees in the slots is the block whose name stands there. */
static void test_slots(void) {
  StepCase test = {0};
  begin(&test, "cannon", "2x2", "");
  step_case_fill(&test, 3, 4, 5, TG_F64, true, 3);
  g_autoptr(TgStepper) stepper = step_case_begin(&test);
  TgBlock block;
  g_assert_true(tg_stepper_slot(stepper, 3, 0, 0, &block)); /* A(1,1): row 1 and 2, columns 2 to 4 */
  g_assert_cmpint(block.rows, ==, 2);
  g_assert_cmpint(block.columns, ==, 3);
  g_assert_cmpfloat(tg_block_at(TG_F64, &block, 1, 2), ==, ((double *)test.data[TG_MATRIX_A])[2 * 5 + 4]);
  g_assert_false(tg_stepper_slot(stepper, 3, 2, 0, &block));
  g_assert_cmpstr(tg_stepper_label(stepper), ==, "");
  g_assert_cmpstr(tg_stepper_note(stepper), ==, "");
  g_assert_cmpint(tg_stepper_next(stepper, NULL), ==, TG_PROGRESS_MORE);
  g_assert_cmpstr(tg_stepper_label(stepper), ==, "align");
  g_assert_nonnull(strstr(tg_stepper_note(stepper), "matching pair"));
  g_assert_true(tg_stepper_slot(stepper, 3, 0, 0, &block)); /* A(1,0) */
  g_assert_cmpint(block.columns, ==, 2);
  g_assert_cmpfloat(tg_block_at(TG_F64, &block, 0, 0), ==, ((double *)test.data[TG_MATRIX_A])[1 * 5 + 0]);
  g_assert_cmpint(tg_stepper_next(stepper, NULL), ==, TG_PROGRESS_MORE);
  g_assert_true(tg_stepper_slot(stepper, 3, 2, 0, &block)); /* C(1,1) = A(1,0) B(0,1) so far */
  const double *a = test.data[TG_MATRIX_A], *b = test.data[TG_MATRIX_B];
  g_assert_cmpfloat(tg_block_at(TG_F64, &block, 0, 1), ==, a[5] * b[3] + a[6] * b[7]);
  g_assert_cmpuint(tg_stepper_held_bytes(stepper), >=, 3 * 4 * 8);
  step_case_clear(&test);
}

static void expect_new_fails(StepCase *test, const void *a, const void *b, int code, const char *words) {
  GError *error = NULL;
  TgStepper *stepper = tg_stepper_new(&test->schedule, &test->names, &test->options, a, b, &error);
  g_assert_null(stepper);
  g_assert_error(error, TG_SIM_ERROR, code);
  if (!strstr(error->message, words)) g_error("`%s` does not say `%s`", error->message, words);
  g_clear_error(&error);
}

static void test_bad_input(void) {
  StepCase test = {0};
  double one[64] = {0};
  begin(&test, "cannon", "2x2", "");
  test.options = (TgStepperOptions){.m = 2, .n = 2, .k = 2, .element = TG_F64};
  expect_new_fails(&test, one, NULL, TG_SIM_ERROR_BAD_INPUT, "reads B");
  expect_new_fails(&test, NULL, one, TG_SIM_ERROR_BAD_INPUT, "reads A");
  test.options.k = 0;
  expect_new_fails(&test, one, one, TG_SIM_ERROR_BAD_INPUT, "k is 0");
  test.options.k = 1 + (int64_t)INT32_MAX;
  expect_new_fails(&test, one, one, TG_SIM_ERROR_BAD_INPUT, "k is 2147483648");
  test.options.m = test.options.k = INT32_MAX;
  expect_new_fails(&test, one, one, TG_SIM_ERROR_TOO_LARGE, "too large");
  TgTopology cube;
  TgError reason;
  g_assert_true(tg_topology_parse(&cube, "torus:3x3", &reason));
  test.options = (TgStepperOptions){.m = 2, .n = 2, .k = 2, .network = &cube, .embedding = TG_GRAY};
  expect_new_fails(&test, one, one, TG_SIM_ERROR_BAD_INPUT, "hypercube");
  begin(&test, "mmt", "2", "");
  test.options = (TgStepperOptions){.m = 2, .n = 2, .k = 3, .element = TG_F64};
  expect_new_fails(&test, one, one, TG_SIM_ERROR_BAD_INPUT, "does not read B");
  test.options.n = 4;
  expect_new_fails(&test, one, NULL, TG_SIM_ERROR_BAD_INPUT, "A would be both 2x3 and 4x3");
  test.schedule.bound = 0;
  expect_new_fails(&test, one, NULL, TG_SIM_ERROR_BAD_INPUT, "no grid");
}

/** The need is exact: one byte less is refused, with both numbers. */
static void expect_need(StepCase *test, guint64 least) {
  test->options.memory_limit_bytes = 1;
  GError *error = NULL;
  g_assert_null(tg_stepper_new(&test->schedule, &test->names, &test->options, test->data[0], test->data[1], &error));
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE);
  const char *needs = strstr(error->message, "needs ");
  g_assert_nonnull(needs);
  g_assert_nonnull(strstr(error->message, "limit is 1 bytes"));
  const guint64 need = g_ascii_strtoull(needs + 6, NULL, 10);
  g_clear_error(&error);
  g_assert_cmpuint(need, >=, least);
  g_assert_cmpuint(need, <, least + 10000); /* slots and counts */
  test->options.memory_limit_bytes = need - 1;
  expect_new_fails(test, test->data[0], test->data[1], TG_SIM_ERROR_TOO_LARGE, "bytes");
  test->options.memory_limit_bytes = need;
  g_autoptr(TgStepper) stepper = step_case_begin(test);
  step_case_finish(test, stepper);
  g_assert_true(step_case_check(test).ok);
  g_assert_cmpuint(tg_stepper_held_bytes(stepper), <=, need);
}

static bool count_calls(void *user, int64_t done) {
  (void)done;
  *(int *)user += 1;
  return true;
}

static bool stop_at_once(void *user, int64_t done) {
  (void)user, (void)done;
  return false;
}

/** Where memory is plenty for any run of the schedule, none is made to know it; a watch can stop that one, or a step.
 */
static void test_memory_without_run(void) {
  StepCase test = {0};
  int calls = 0;
  begin(&test, "cannon", "24x24", "");
  step_case_fill(&test, 96, 96, 96, TG_F64, true, 4);
  test.options.memory_limit_bytes = 1 << 20;
  test.options.watch = &(TgWatch){count_calls, &calls};
  g_autoptr(TgStepper) stepper = step_case_begin(&test);
  g_assert_cmpint(calls, ==, 0);
  step_case_finish(&test, stepper);
  g_assert_cmpint(calls, >, 24);
  g_assert_true(step_case_check(&test).ok);
  test.options.watch = &(TgWatch){stop_at_once, NULL};
  test.options.memory_limit_bytes = 1;
  expect_new_fails(&test, test.data[0], test.data[1], TG_SIM_ERROR_STOPPED, "stopped");
  step_case_clear(&test);
}

/** Every processor of the cube holds a term of C, and nine sums are formed before those go; Cannon sums C in place;
 * sums of few elements have low parts. */
static void test_memory_limit(void) {
  StepCase test = {0};
  begin(&test, "dns", "3x3x3", "");
  step_case_fill(&test, 300, 300, 3, TG_F64, true, 4);
  expect_need(&test, (27 + 9) * 100 * 100 * 8);
  begin(&test, "cannon", "3x3", "");
  step_case_fill(&test, 300, 300, 3, TG_F64, true, 4);
  expect_need(&test, 300 * 300 * 8);
  step_case_fill(&test, 8, 8, 3, TG_F64, true, 4);
  expect_need(&test, 2 * 8 * 8 * 8);
  step_case_clear(&test);
}

/** In a pipelined chain every receiver gets every piece once: more messages, the same bytes. */
static void test_pieces(void) {
  StepCase test = {0};
  begin(&test, "summa", "4x4", "");
  step_case_fill(&test, 11, 13, 19, TG_F32, true, 4);
  test.options.keep_details = true;
  g_autoptr(TgStepper) whole = step_case_begin(&test);
  step_case_finish(&test, whole);
  test.options.collective = TG_COLLECTIVE_CHAIN;
  g_autoptr(TgStepper) chain = step_case_begin(&test);
  step_case_finish(&test, chain);
  int64_t count;
  const int32_t pieces = tg_stepper_messages(chain, &count)->message.pieces;
  g_assert_cmpint(pieces, >, 1);
  g_assert_cmpint(tg_stepper_counts(chain)->messages, ==, pieces * tg_stepper_counts(whole)->messages);
  g_assert_cmpint(tg_stepper_counts(chain)->bytes, ==, tg_stepper_counts(whole)->bytes);
  step_case_clear(&test);
}

static const char empty_read[] = "schedule broken\n"
                                 "grid i:q, j:q\n"
                                 "place A(i,j), B(i,j), C(i,j) on (i,j)\n"
                                 "step \"fine\"\n"
                                 "  copy A into D where i == 0\n"
                                 "  C += A * B where i == j\n"
                                 "step \"hollow\"\n"
                                 "  C += A * B where i == j and i > 9\n"
                                 "  C += D * B where i == 1\n";

/** A run that fails reports why, and its state is unchanged. */
static void test_failure(void) {
  StepCase test = {0};
  GError *error = NULL;
  g_assert_true(step_case_bind(&test, empty_read, "2x2", ""));
  step_case_fill(&test, 4, 4, 4, TG_F64, true, 5);
  g_autoptr(TgStepper) stepper = step_case_begin(&test);
  g_assert_cmpint(tg_stepper_next(stepper, &error), ==, TG_PROGRESS_MORE);
  const TgStepperCounts before = *tg_stepper_counts(stepper);
  for (int i = 0; i < 2; i++) {
    g_assert_cmpint(tg_stepper_next(stepper, &error), ==, TG_PROGRESS_ERROR);
    g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE);
    g_assert_cmpstr(error->message, ==, tg_stepper_failure(stepper)->message);
    g_clear_error(&error);
    g_assert_cmpint(tg_stepper_failure(stepper)->cause, ==, TG_CAUSE_EMPTY_READ);
    g_assert_cmpint(tg_stepper_failure(stepper)->step, ==, 2);
    g_assert_cmpint(tg_stepper_failure(stepper)->processor, ==, 2);
    g_assert_cmpint(tg_stepper_failure(stepper)->line, ==, 9);
    g_assert_cmpint(tg_stepper_position(stepper), ==, 1);
    g_assert_cmpmem(&before, sizeof before, tg_stepper_counts(stepper), sizeof before);
    g_assert_cmpstr(tg_stepper_label(stepper), ==, "fine");
  }
  g_assert_cmpint(tg_stepper_back(stepper, &error), ==, TG_PROGRESS_MORE);
  g_assert_cmpint(tg_stepper_failure(stepper)->cause, ==, TG_CAUSE_NONE);
  g_assert_cmpint(tg_stepper_back(stepper, &error), ==, TG_PROGRESS_END);
  g_assert_false(tg_stepper_seek(stepper, 9, &error));
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT);
  g_clear_error(&error);
  step_case_clear(&test);
}

static const char unfinished[] = "schedule unfinished\n"
                                 "grid i:q, j:q\n"
                                 "place A(i,j), B(i,j), C(i,j) on (i,j)\n"
                                 "C += A * B where i == j\n";

static void test_result_in_parts(void) {
  StepCase test = {0};
  GError *error = NULL;
  g_assert_true(step_case_bind(&test, unfinished, "2x2", ""));
  step_case_fill(&test, 2, 2, 2, TG_F64, true, 6);
  const double *a = test.data[TG_MATRIX_A], *b = test.data[TG_MATRIX_B], *c = test.data[TG_MATRIX_C];
  g_autoptr(TgStepper) stepper = step_case_begin(&test);
  g_assert_false(tg_stepper_result(stepper, test.data[TG_MATRIX_C], TG_RESULT_COMPLETE, &error));
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT);
  g_clear_error(&error);
  g_assert_true(tg_stepper_seek(stepper, 1, NULL));
  g_assert_false(tg_stepper_result(stepper, test.data[TG_MATRIX_C], TG_RESULT_COMPLETE, &error));
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE);
  g_clear_error(&error);
  g_assert_cmpint(tg_stepper_failure(stepper)->cause, ==, TG_CAUSE_FINAL_TERMS);
  g_assert_true(tg_stepper_result(stepper, test.data[TG_MATRIX_C], TG_RESULT_AS_IT_STANDS, &error));
  const double expected[4] = {a[0] * b[0], 0, 0, a[3] * b[3]};
  g_assert_cmpmem(c, sizeof expected, expected, sizeof expected);
  step_case_clear(&test);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/stepper/message-counts", test_message_counts);
  g_test_add_func("/stepper/counts-by-hand", test_counts_by_hand);
  g_test_add_func("/stepper/slots", test_slots);
  g_test_add_func("/stepper/bad-input", test_bad_input);
  g_test_add_func("/stepper/memory-limit", test_memory_limit);
  g_test_add_func("/stepper/memory-without-run", test_memory_without_run);
  g_test_add_func("/stepper/pieces", test_pieces);
  g_test_add_func("/stepper/failure", test_failure);
  g_test_add_func("/stepper/result-in-parts", test_result_in_parts);
  return g_test_run();
}
