/** @file plan-case.h
 * For tests of the planner: a request on a machine whose times are worked by hand, and the places that it leads to. */
#ifndef TG_TEST_PLAN_CASE_H
#define TG_TEST_PLAN_CASE_H

#include "algo-library.h"
#include "plan.h"

#include <math.h>

enum { MOST = 64 };

/** A sanitizer looks at how plans are made, not at what comes of them: a part of them is enough. */
#ifdef __SANITIZE_ADDRESS__
enum { EACH_OF = 11 };
#else
enum { EACH_OF = 1 };
#endif

typedef struct Fixture {
  TgSchedule schedule[MOST];
  TgScheduleNames names[MOST];
  TgPlanSource source[MOST];
  int count;
  TgMachine machine;
  TgTopology network;
  TgPlanRequest request;
  TgPlan plan;
} Fixture;

static inline void add_text(Fixture *f, const char *text, gsize length, bool proved) {
  TgError error;
  int s = f->count++;
  if (!tg_schedule_parse(&f->schedule[s], &f->names[s], text, length, &error)) g_error("%s", error.message);
  const char *name = tg_name(&f->names[s], f->names[s].title);
  f->source[s] = (TgPlanSource){&f->schedule[s], &f->names[s], name, proved};
}

static inline void add(Fixture *f, const char *name) {
  const TgLibraryEntry *entry = tg_library_find(name);
  g_assert_nonnull(entry);
  add_text(f, entry->text, entry->length, true);
}

static inline void add_library(Fixture *f) {
  gsize count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  g_assert_cmpint(count, <=, MOST);
  for (gsize e = 0; e < count; e++) add_text(f, entries[e].text, entries[e].length, true);
}

/* alpha 10 s, beta 1 s a word of four bytes, a multiplication with its addition 1 s, nothing overlaps. */
static inline Fixture *fixture(gint64 n, gint64 processors, const char *more) {
  Fixture *f = g_new0(Fixture, 1);
  TgError error;
  g_autofree char *text =
      g_strdup_printf("[machine]\nname = test\nsource = test\nresidual = 0.5\n[link]\nlatency_s = 10\n"
                      "bandwidth_bytes_per_s = 4\n%s[processor]\nflops_per_s = 2\n",
                      more ? more : "");
  if (!tg_machine_parse(&f->machine, text, strlen(text), &error)) g_error("%d: %s", error.line, error.message);
  f->request = (TgPlanRequest){.m = n,
                               .n = n,
                               .k = n,
                               .element_bytes = 4,
                               .processors = processors,
                               .machine = &f->machine,
                               .memory_bytes = INFINITY,
                               .top = 1000,
                               .budget_s = 300}; /* more than it takes, also where sanitized and beside others */
  return f;
}

static inline void plan(Fixture *f) {
  GError *error = NULL;
  tg_plan_clear(&f->plan);
  tg_plan(&f->request, f->source, f->count, &f->plan, &error);
  g_assert_no_error(error);
}

static inline void fixture_free(Fixture *f) {
  tg_plan_clear(&f->plan);
  g_free(f);
}

static inline const TgPlanPlace *place(const Fixture *f, guint number) {
  g_assert_cmpuint(f->plan.ranked->len, >, number);
  return &g_array_index(f->plan.ranked, TgPlanPlace, number);
}

static inline const TgPlanReject *rejected(const Fixture *f, const char *grid) {
  for (guint i = 0; i < f->plan.rejected->len; i++) {
    const TgPlanReject *reject = &g_array_index(f->plan.rejected, TgPlanReject, i);
    if (strcmp(reject->grid, grid) == 0) return reject;
  }
  g_error("%s is not rejected", grid);
}

static inline void assert_place(const Fixture *f, guint number, const char *name, const char *grid, double time_s) {
  g_assert_cmpstr(place(f, number)->source->name, ==, name);
  g_assert_cmpstr(place(f, number)->grid, ==, grid);
  g_assert_cmpfloat_with_epsilon(place(f, number)->predicted_s, time_s, 1e-9 * time_s);
}

static inline guint number_of(const Fixture *f, const char *name, const char *grid) {
  for (guint i = 0; i < f->plan.ranked->len; i++)
    if (strcmp(place(f, i)->source->name, name) == 0 && strcmp(place(f, i)->grid, grid) == 0) return i;
  g_error("%s on %s is not ranked", name, grid);
}

#endif
