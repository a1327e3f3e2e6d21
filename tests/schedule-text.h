/** @file schedule-text.h
 * For tests: parse and bind in one call. */
#ifndef SCHEDULE_TEXT_H
#define SCHEDULE_TEXT_H

#include <glib.h>
#include <string.h>

#include "algo-library.h"
#include "schedule.h"

typedef struct Bound {
  TgSchedule schedule;
  TgScheduleNames names;
  TgError error;
} Bound;

/** Parses `text` and binds "4x4" and then "c=2,d=3"; either may be NULL. */
static inline gboolean bound_from(Bound *bound, const char *text, const char *grid, const char *settings) {
  TgBindings bindings = {0};
  memset(&bound->error, 0, sizeof bound->error);
  if (!tg_schedule_parse(&bound->schedule, &bound->names, text, strlen(text), &bound->error)) return FALSE;
  if (grid && !tg_bindings_grid(&bindings, grid, &bound->error)) return FALSE;
  g_auto(GStrv) pairs = g_strsplit(settings ? settings : "", ",", -1);
  for (char **pair = pairs; *pair; pair++)
    if (!tg_bindings_parse(&bindings, *pair, &bound->error)) return FALSE;
  return tg_schedule_bind(&bound->schedule, &bound->names, &bindings, &bound->error);
}

static inline gboolean bound_from_library(Bound *bound, const char *name, const char *grid, const char *settings) {
  const TgLibraryEntry *entry = tg_library_find(name);
  g_assert_nonnull(entry);
  return bound_from(bound, entry->text, grid, settings);
}

#endif
