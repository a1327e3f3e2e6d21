/* Every schedule of the library is proved on ranges of grids, refuses exactly the sizes that it declares, sends as many
 * messages as its formula counts, and moves nothing in vain. */
#include <glib.h>
#include <string.h>

#include "algo-library.h"
#include "prove.h"

enum { MOST_SETS = 2 };

typedef struct TgCase {
  int64_t grid[TG_MAX_DIMS];
  struct {
    const char *name;
    int64_t value;
  } set[MOST_SETS];
} TgCase;

static TgSchedule schedule;
static TgScheduleNames names;
static TgProof proof;

static void load(const char *name) {
  TgError error = {0};
  const TgLibraryEntry *entry = tg_library_find(name);
  g_assert_nonnull(entry);
  if (!tg_schedule_parse(&schedule, &names, entry->text, entry->length, &error))
    g_error("%s:%d:%d: %s", name, error.line, error.column, error.message);
}

static TgBindings bindings_of(const TgCase *one) {
  TgBindings bindings = {0};
  TgError error = {0};
  bindings.dims = schedule.dims;
  for (int c = 0; c < schedule.dims; c++) bindings.grid[c] = one->grid[c];
  for (int s = 0; s < MOST_SETS && one->set[s].name; s++)
    g_assert_true(tg_bindings_set(&bindings, one->set[s].name, one->set[s].value, &error));
  return bindings;
}

/* Proves the loaded schedule; NULL, or why it failed. */
static const char *prove(const TgCase *one) {
  static TgError error;
  TgBindings bindings = bindings_of(one);
  if (!tg_schedule_bind(&schedule, &names, &bindings, &error)) return error.message;
  int64_t m, n, k;
  tg_proof_sizes(&schedule, &m, &n, &k);
  return tg_prove(&schedule, &names, TG_COLLECTIVE_WHOLE, m, n, k, &proof) ? NULL : proof.failure.message;
}

static void assert_proved(const char *name, const TgCase *one) {
  const char *why = prove(one);
  if (why) g_error("%s on %dx%dx%d: %s", name, (int)one->grid[0], (int)one->grid[1], (int)one->grid[2], why);
  if (proof.unread_count) g_error("%s on extent %d moves blocks that nobody reads", name, (int)one->grid[0]);
}

static int64_t cannon_messages(int64_t q) {
  return 2 * q * (q - 1) + 2 * q * q * (q - 1);
}
static int64_t broadcast_messages(int64_t q) {
  return 2 * q * q * (q - 1);
}
static int64_t dns_messages(int64_t q) {
  return 2 * q * (q - 1) + 3 * q * q * (q - 1);
}
static int64_t cube_messages(int64_t q) {
  return 3 * q * q * (q - 1);
}
static int64_t berntsen_messages(int64_t q) {
  return (q - 1) * (q * q * (q + 1) * (q + 1) + q * q * q);
}
static int64_t agarwal_messages(int64_t q) {
  return 3 * q * q * q * q * (q - 1);
}
static int64_t ring_messages(int64_t p) {
  return p * (p - 1);
}
static int64_t both_ways_messages(int64_t p) {
  return 2 * p * (p - 1);
}
static int64_t root_messages(int64_t p) {
  return 2 * (p - 1);
}
static int64_t no_messages(int64_t p) {
  (void)p;
  return 0;
}
static int64_t exchange_messages(int64_t p) {
  return (p + 2) * (p - 1);
}

/* What docs/algorithms states: the messages on a grid whose extents are all q, and the largest q tried here. */
static const struct {
  const char *name;
  int64_t (*messages)(int64_t q);
  int largest;
  bool powers_only;
} equal[] = {{"allgather-gemm", ring_messages, 20, false},
             {"gemm-reducescatter", ring_messages, 20, false},
             {"agarwal3d", agarwal_messages, 5, false},
             {"allgather", broadcast_messages, 9, false},
             {"berntsen", berntsen_messages, 7, false},
             {"cannon", cannon_messages, 12, false},
             {"cannon-gray", cannon_messages, 16, true},
             {"cosma", agarwal_messages, 5, false},
             {"cube3d", cube_messages, 7, false},
             {"dns", dns_messages, 7, false},
             {"dns-rounds", dns_messages, 8, true},
             {"egmm", no_messages, 9, false},
             {"fox", broadcast_messages, 12, false},
             {"mmt", ring_messages, 20, false},
             {"mod-pegmm", exchange_messages, 20, false},
             {"pegmm", root_messages, 20, false},
             {"ring", ring_messages, 20, false},
             {"summa", broadcast_messages, 12, false},
             {"transpose", ring_messages, 12, false},
             {"allgather-gemm-both", both_ways_messages, 20, false},
             {"gemm-reducescatter-both", both_ways_messages, 20, false}};

static bool is_power(int q) {
  return (q & (q - 1)) == 0;
}

/* Outside its powers of two the schedule must say that it is not made for the size, not fail in its proof. */
static void assert_refused(const char *name, const TgCase *one) {
  g_assert_nonnull(prove(one));
  if (schedule.bound != TG_BOUND_UNMET)
    g_error("%s on extent %d fails without saying that it is not made for it", name, (int)one->grid[0]);
}

static void equal_extents(void) {
  for (size_t a = 0; a < G_N_ELEMENTS(equal); a++) {
    load(equal[a].name);
    for (int q = 1; q <= equal[a].largest; q++) {
      TgCase one = {.grid = {q, q, q, q}};
      if (equal[a].powers_only && !is_power(q)) {
        assert_refused(equal[a].name, &one);
        continue;
      }
      assert_proved(equal[a].name, &one);
      if (proof.counts.messages != equal[a].messages(q))
        g_error("%s at %d: %d messages, expected %d", equal[a].name, q, (int)proof.counts.messages,
                (int)equal[a].messages(q));
    }
  }
}

static void stated_counts(void) {
  static const struct {
    const char *name;
    TgCase one;
    int64_t messages;
  } stated[] = {{"cannon", {.grid = {4, 4}}, 120},
                {"dns", {.grid = {4, 4, 4}}, 168},
                {"summa", {.grid = {4, 4}}, 96},
                {"cannon25d", {.grid = {8, 8, 2}}, 1184},
                {"ring", {.grid = {6}}, 30}};
  for (size_t i = 0; i < G_N_ELEMENTS(stated); i++) {
    load(stated[i].name);
    assert_proved(stated[i].name, &stated[i].one);
    g_assert_cmpint(proof.counts.messages, ==, stated[i].messages);
  }
}

/* Also where c does not divide q: of the q products each layer does as many as the others or one more. */
static void any_layers(void) {
  load("cannon25d");
  for (int q = 1; q <= 9; q++) {
    for (int c = 1; c <= q; c++) {
      TgCase one = {.grid = {q, q, c}};
      assert_proved("cannon25d", &one);
      int64_t shifts = 2 * q * q * (q - c), align = 2 * q * (q - 1) * c;
      g_assert_cmpint(proof.counts.messages, ==, 3 * q * q * (c - 1) + align + shifts);
    }
    assert_refused("cannon25d", &(TgCase){.grid = {q, q, q + 1}});
  }
}

/* COSMA's in as many steps: with one, the messages are Agarwal's. */
static void prove_box(const char *name, int steps) {
  load(name);
  for (int a = 1; a <= 5; a++)
    for (int b = 1; b <= 7; b += 2)
      for (int c = 1; c <= 4; c++) {
        TgCase one = {.grid = {a, b, c}, .set = {{steps > 1 ? "h" : NULL, steps}}};
        assert_proved(name, &one);
        g_assert_cmpint(proof.counts.messages, ==, a * b * c * (steps * (c * (b - 1) + b * (a - 1)) + a * (c - 1)));
      }
}

static void any_box(void) {
  prove_box("agarwal3d", 1);
  for (int steps = 1; steps <= 3; steps++) prove_box("cosma", steps);
}

/* Messages of `panels` rank updates on a p×q grid. */
static int64_t panel_messages(int64_t panels, int64_t p, int64_t q) {
  return panels * (p * (q - 1) + q * (p - 1));
}

static void any_panel_width(void) {
  load("summa-panels");
  for (int p = 1; p <= 8; p++)
    for (int q = 1; q <= 8; q++)
      for (int b = 0; b <= 5; b++) {
        TgCase one = {.grid = {p, q}, .set = {{"b", b}}};
        if (b == 0 || p % b || q % b) {
          assert_refused("summa-panels", &one);
          continue;
        }
        assert_proved("summa-panels", &one);
        g_assert_cmpint(proof.counts.messages, ==, panel_messages(p * q / b, p, q));
      }
}

static void any_common_multiple(void) {
  load("dimma");
  for (int p = 1; p <= 6; p++)
    for (int q = 1; q <= 6; q++)
      for (int l = 1; l <= p * q; l++)
        for (int h = 0; h <= 2; h++) {
          TgCase one = {.grid = {p, q}, .set = {{"l", l}, {"h", h}}};
          if (l % p || l % q || h == 0) {
            assert_refused("dimma", &one);
            continue;
          }
          assert_proved("dimma", &one);
          g_assert_cmpint(proof.counts.messages, ==, panel_messages(h * l, p, q));
        }
}

/* The order that Choi's Figure 6 shows on 2×3 processors with 12 block columns: 0 6 3 9, 1 7 4 10, 2 8 5 11. */
static void dimma_order(void) {
  static const int order[] = {0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11};
  TgCase one = {.grid = {2, 3}};
  load("dimma");
  TgBindings bindings = bindings_of(&one);
  TgError error = {0};
  TgError failure;
  g_assert_true(tg_schedule_bind(&schedule, &names, &bindings, &error));
  TgState *state = tg_state_new(&schedule, &names, TG_COLLECTIVE_WHOLE, NULL, &failure);
  int buffer = schedule.statement[tg_state_walk(state)->schedule->statements - 1].source.buffer;
  for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
    g_assert_cmpint(tg_state_next_step(state, &failure), ==, TG_PROGRESS_MORE);
    const TgValue *value = tg_state_value(state, tg_state_slot(state, 0, buffer, 0));
    g_assert_cmpint(value->matrix, ==, TG_MATRIX_A);
    g_assert_cmpint(value->column, ==, order[i]);
  }
  tg_state_free(state);
}

/* In the loop of cannon-gray every block crosses exactly one link of the hypercube whose nodes are the ranks. */
static void gray_crosses_one_link(void) {
  TgCase one = {.grid = {16, 16}};
  load("cannon-gray");
  TgBindings bindings = bindings_of(&one);
  TgError error = {0};
  g_assert_true(tg_schedule_bind(&schedule, &names, &bindings, &error));
  TgWalk walk;
  int64_t crossings = 0;
  tg_walk_init(&walk, &schedule, &names);
  while (tg_walk_next(&walk, &error) == TG_PROGRESS_MORE) {
    int op = schedule.statement[walk.statement].op;
    if (op != TG_OP_MOVE || walk.step < 2) continue;
    TgMessages messages;
    TgMessage message;
    tg_messages_init(&messages, &walk, TG_COLLECTIVE_WHOLE);
    while (tg_messages_next(&messages, &message, &error) == TG_PROGRESS_MORE) {
      int64_t differ = message.from ^ message.to;
      g_assert_true(differ != 0 && (differ & (differ - 1)) == 0);
      crossings++;
    }
  }
  g_assert_cmpint(crossings, ==, 2 * 256 * 15);
}

/* No schedule of the library escapes the tests above. */
static void all_are_here(void) {
  static const char *const others[] = {"cannon25d", "dimma", "summa-panels"};
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) {
    bool here = false;
    for (size_t a = 0; a < G_N_ELEMENTS(equal); a++) here = here || strcmp(equal[a].name, entries[i].name) == 0;
    for (size_t a = 0; a < G_N_ELEMENTS(others); a++) here = here || strcmp(others[a], entries[i].name) == 0;
    if (!here) g_error("%s is proved by no test: add it to a table in test-library-proofs.c", entries[i].name);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/library-proofs/equal-extents", equal_extents);
  g_test_add_func("/library-proofs/stated-counts", stated_counts);
  g_test_add_func("/library-proofs/layers-divide", any_layers);
  g_test_add_func("/library-proofs/any-box", any_box);
  g_test_add_func("/library-proofs/any-panel-width", any_panel_width);
  g_test_add_func("/library-proofs/any-common-multiple", any_common_multiple);
  g_test_add_func("/library-proofs/dimma-order", dimma_order);
  g_test_add_func("/library-proofs/gray-crosses-one-link", gray_crosses_one_link);
  g_test_add_func("/library-proofs/all-are-here", all_are_here);
  return g_test_run();
}
