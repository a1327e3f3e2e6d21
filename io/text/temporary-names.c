#include "temporary-names.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { PLACES = 8 }; /* a command writes one file at a time, or two together */

enum { FREE, FILLING, NOTED };

static struct {
  atomic_int state;
  char path[PATH_MAX];
} places[PLACES];

int tg_temporary_names_add(const char *path) {
  if (strlen(path) >= PATH_MAX) return -1;
  for (int p = 0; p < PLACES; p++) {
    int state = FREE;
    if (!atomic_compare_exchange_strong(&places[p].state, &state, FILLING)) continue;
    strcpy(places[p].path, path);
    atomic_store(&places[p].state, NOTED);
    return p;
  }
  return -1;
}

void tg_temporary_names_drop(int place) {
  if (place >= 0) atomic_store(&places[place].state, FREE);
}

void tg_temporary_names_unlink(void) {
  const int number = errno;
  for (int p = 0; p < PLACES; p++)
    if (atomic_load(&places[p].state) == NOTED) unlink(places[p].path);
  errno = number;
}
