/* The library's table: sorted, found by name, and every text what docs/algorithms promises of it. */
#include <glib.h>
#include <string.h>

#include "algo-library.h"
#include "schedule.h"

static void sorted(void) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  g_assert_cmpuint(count, >=, 17);
  for (size_t i = 1; i < count; i++) g_assert_cmpstr(entries[i - 1].name, <, entries[i].name);
}

static void found_by_name(void) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) g_assert_true(tg_library_find(entries[i].name) == &entries[i]);
  static const char *const absent[] = {"", "cannon ", "Cannon", "canno", "cannon2", "zzz", "cannon.sched"};
  for (size_t i = 0; i < G_N_ELEMENTS(absent); i++) g_assert_null(tg_library_find(absent[i]));
}

static void length_is_the_texts(void) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) g_assert_cmpuint(strlen(entries[i].text), ==, entries[i].length);
}

static void named_cited_and_noted(void) {
  static TgSchedule schedule;
  static TgScheduleNames names;
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) {
    TgError error = {0};
    if (!tg_schedule_parse(&schedule, &names, entries[i].text, entries[i].length, &error))
      g_error("%s:%d:%d: %s", entries[i].name, error.line, error.column, error.message);
    g_assert_cmpstr(tg_name(&names, names.title), ==, entries[i].name);
    g_assert_cmpstr(tg_name(&names, names.display), !=, entries[i].name);
    g_assert_cmpstr(tg_name(&names, names.citation), !=, "");
    int steps = 0;
    for (int s = 0; s < schedule.statements; s++) {
      if (schedule.statement[s].op != TG_OP_STEP) continue;
      steps++;
      if (!*tg_name(&names, names.label[s]) || !*tg_name(&names, names.note[s]))
        g_error("%s:%d: a step without label or note", entries[i].name, schedule.statement[s].line);
    }
    g_assert_cmpint(steps, >, 0);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/algo-library/sorted", sorted);
  g_test_add_func("/algo-library/found-by-name", found_by_name);
  g_test_add_func("/algo-library/length-is-the-texts", length_is_the_texts);
  g_test_add_func("/algo-library/named-cited-and-noted", named_cited_and_noted);
  return g_test_run();
}
