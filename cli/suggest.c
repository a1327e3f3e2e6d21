#include "suggest.h"

#include <glib.h>
#include <string.h>

enum { LETTERS = 64 };

/* Damerau's distance with adjacent exchanges (optimal string alignment). */
static int distance(const char *a, const char *b) {
  int row[3][LETTERS + 1];
  int rows = (int)strlen(a), columns = (int)strlen(b);
  if (rows > LETTERS || columns > LETTERS) return LETTERS;
  for (int j = 0; j <= columns; j++) row[0][j] = j;
  for (int i = 1; i <= rows; i++) {
    int *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= columns; j++) {
      now[j] = MIN(MIN(above[j], now[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = MIN(now[j], before[j - 2] + 1);
    }
  }
  return row[rows % 3][columns];
}

const char *tg_suggest(const char *word, const char *const *words) {
  const char *nearest = NULL;
  size_t length = strlen(word);
  int least = MAX(1, (int)(length / 3)) + 1;
  for (; *words; words++) {
    int steps = distance(word, *words);
    if (length >= 3 && g_str_has_prefix(*words, word)) steps = 1;
    if (steps >= least) continue;
    least = steps;
    nearest = *words;
  }
  return nearest;
}
