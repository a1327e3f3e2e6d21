/* Back and seek: whatever the order of visits, a step looks as it did in a straight run, to the last bit and count. */
#include "../step-case.h"
#include "block.h"

#include <stdint.h>

/** All that can be read at one step, as bytes. */
static GByteArray *picture(const StepCase *test, const TgStepper *stepper) {
  GByteArray *bytes = g_byte_array_new();
  const TgState *state = tg_stepper_state(stepper);
  const TgElement element = test->options.element;
  for (int64_t p = 0; p < tg_schedule_processors(&test->schedule); p++) {
    for (int buffer = 0; buffer < test->schedule.buffers; buffer++) {
      for (int32_t index = 0; index < tg_state_length(state, buffer); index++) {
        TgBlock block;
        char name[64] = "";
        if (!tg_stepper_slot(stepper, p, buffer, index, &block)) continue;
        tg_state_value_text(state, tg_state_slot(state, p, buffer, index), name, sizeof name);
        g_byte_array_append(bytes, (const guint8 *)&p, sizeof p);
        g_byte_array_append(bytes, (const guint8 *)&buffer, sizeof buffer);
        g_byte_array_append(bytes, (const guint8 *)&index, sizeof index);
        g_byte_array_append(bytes, (const guint8 *)name, (guint)strlen(name));
        if (!block.data) continue;
        const guint size = (guint)(block.rows * block.columns * tg_element_bytes(element));
        g_autofree void *copy = g_malloc(MAX(size, 1));
        tg_block_copy(element, copy, block.columns, &block);
        g_byte_array_append(bytes, copy, size);
      }
    }
  }
  return bytes;
}

static void append_counts(GByteArray *bytes, const TgStepper *stepper) {
  const TgTrace *trace = tg_stepper_trace(stepper);
  const TgStateCounts *names = tg_state_counts(tg_stepper_state(stepper));
  int64_t count;
  g_byte_array_append(bytes, (const guint8 *)tg_stepper_counts(stepper), sizeof(TgStepperCounts));
  g_byte_array_append(bytes, (const guint8 *)names, sizeof *names);
  for (int64_t s = 0; s < trace->steps; s++)
    g_byte_array_append(bytes, (const guint8 *)&trace->step[s].messages, 4 * sizeof(int64_t));
  g_byte_array_append(bytes, (const guint8 *)trace->link_bytes, (guint)(trace->steps * trace->links) * 8);
  g_byte_array_append(bytes, (const guint8 *)tg_stepper_link_bytes(stepper), (guint)trace->links * 8);
  const TgStepperMessage *message = tg_stepper_messages(stepper, &count);
  for (int64_t i = 0; i < count; i++) {
    const int64_t fields[] = {message[i].message.from, message[i].message.to, message[i].bytes,
                              message[i].hops,         message[i].value.row,  message[i].value.column};
    g_byte_array_append(bytes, (const guint8 *)fields, sizeof fields);
  }
  const TgStepperProduct *product = tg_stepper_products(stepper, &count);
  for (int64_t i = 0; i < count; i++)
    g_byte_array_append(bytes, (const guint8 *)&product[i].processor, sizeof product[i].processor);
  const char *label = tg_stepper_label(stepper), *note = tg_stepper_note(stepper);
  g_byte_array_append(bytes, (const guint8 *)label, (guint)strlen(label));
  g_byte_array_append(bytes, (const guint8 *)note, (guint)strlen(note));
}

static GByteArray *look(const StepCase *test, const TgStepper *stepper) {
  GByteArray *bytes = picture(test, stepper);
  append_counts(bytes, stepper);
  return bytes;
}

static GPtrArray *straight_run(StepCase *test) {
  GPtrArray *looks = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
  g_autoptr(TgStepper) stepper = step_case_begin(test);
  TgProgress progress;
  do {
    g_ptr_array_add(looks, look(test, stepper));
    progress = tg_stepper_next(stepper, NULL);
  } while (progress == TG_PROGRESS_MORE);
  g_assert_cmpint(progress, ==, TG_PROGRESS_END);
  g_assert_cmpint(looks->len, ==, tg_stepper_steps(stepper) + 1);
  return looks;
}

static void expect_look(const StepCase *test, const TgStepper *stepper, GPtrArray *looks) {
  const int64_t position = tg_stepper_position(stepper);
  g_autoptr(GByteArray) now = look(test, stepper);
  const GByteArray *then = looks->pdata[position];
  if (now->len != then->len || memcmp(now->data, then->data, now->len) != 0)
    g_error("%s: step %d looks different the second time", tg_name(&test->names, test->names.title), (int)position);
}

/** Walks at random: next, back, seek, and sometimes gathers the result in between. */
static void wander(StepCase *test, GPtrArray *looks, GRand *random) {
  g_autoptr(TgStepper) stepper = step_case_begin(test);
  const int64_t steps = tg_stepper_steps(stepper);
  for (int visit = 0; visit < 40; visit++) {
    const int64_t position = tg_stepper_position(stepper);
    switch (g_rand_int_range(random, 0, 4)) {
    case 0:
      g_assert_cmpint(tg_stepper_back(stepper, NULL), ==, position ? TG_PROGRESS_MORE : TG_PROGRESS_END);
      g_assert_cmpint(tg_stepper_position(stepper), ==, MAX(position - 1, 0));
      break;
    case 1:
      g_assert_true(tg_stepper_seek(stepper, g_rand_int_range(random, 0, (gint32)steps + 1), NULL));
      break;
    default:
      g_assert_cmpint(tg_stepper_next(stepper, NULL), ==, position < steps ? TG_PROGRESS_MORE : TG_PROGRESS_END);
    }
    expect_look(test, stepper, looks);
  }
  for (int again = 0; again < 2; again++) {
    step_case_finish(test, stepper);
    g_assert_true(step_case_check(test).ok);
    g_assert_true(tg_stepper_seek(stepper, steps / 2, NULL));
    expect_look(test, stepper, looks);
  }
}

typedef struct BackRow {
  const char *name, *grid, *network;
} BackRow;

static const BackRow rows[] = {{"cannon", "5x5", "torus:5x5"},
                               {"cannon25d", "4x4x2", "mesh:4x4x2"},
                               {"fox", "3x3", "torus:3x3"},
                               {"dns", "3x3x3", "torus:3x3x3"},
                               {"dns-rounds", "4x4x4", "hypercube:6"},
                               {"ring", "7", "ring:7"},
                               {"agarwal3d", "2x3x2", "full:12"},
                               {"berntsen", "2x2x2", "switch:8"},
                               {"mmt", "5", "line:5"},
                               {"transpose", "4x4", "hypercube:4"},
                               {"pegmm", "5", "ring:5"},
                               {"dimma", "2x3", "torus:2x3"}};

/** No history, all of it, and so little room that it is thinned again and again. */
static void test_wander(gconstpointer data) {
  const BackRow *row = data;
  static const guint64 limits[] = {0, 1, 20000};
  g_autofree StepCase *test = g_new0(StepCase, 1);
  g_autoptr(GRand) random = g_rand_new_with_seed(17);
  TgTopology network;
  TgError error;
  g_assert_true(step_case_bind(test, step_case_library(row->name), row->grid, ""));
  g_assert_true(tg_topology_parse(&network, row->network, &error));
  test->options.network = &network;
  test->options.link_loads = test->options.keep_details = true;
  const bool square = test->schedule.computes.left == test->schedule.computes.right;
  step_case_fill(test, 13, square ? 13 : 10, 11, TG_F32, false, 5);
  for (int collective = 0; collective < TG_COLLECTIVES; collective++) {
    test->options.collective = (TgCollective)collective;
    test->options.keep_history = false;
    g_autoptr(GPtrArray) looks = straight_run(test);
    wander(test, looks, random);
    test->options.keep_history = true;
    for (gsize l = 0; l < G_N_ELEMENTS(limits); l++) {
      test->options.history_limit_bytes = limits[l];
      wander(test, looks, random);
    }
  }
  step_case_clear(test);
}

/** Snapshots are given up, not memory beyond the budget; a roomy budget keeps them all. */
static void test_budget(void) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "8x8", ""));
  step_case_fill(test, 80, 80, 80, TG_F64, true, 5);
  test->options.keep_history = true;
  guint64 held[2];
  const guint64 limits[2] = {0, 150000};
  for (int i = 0; i < 2; i++) {
    test->options.history_limit_bytes = limits[i];
    g_autoptr(TgStepper) stepper = step_case_begin(test);
    step_case_finish(test, stepper);
    g_assert_true(step_case_check(test).ok);
    held[i] = tg_stepper_held_bytes(stepper);
  }
  const guint64 c_bytes = 80 * 80 * 8;
  g_assert_cmpuint(held[0], >=, 8 * c_bytes);
  g_assert_cmpuint(held[1], <=, 150000);
  g_assert_cmpuint(held[1], >=, c_bytes);
  step_case_clear(test);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/step-back/budget", test_budget);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("/step-back/%s", rows[i].name);
    g_test_add_data_func(path, &rows[i], test_wander);
  }
  return g_test_run();
}
