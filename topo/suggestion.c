#include "suggestion.h"

#include <string.h>

enum { LETTERS = 64, BEGINNING = 3 }; /* of words that are compared; of a word that may be a beginning */

static int least_of(int a, int b) {
  return a < b ? a : b;
}

/* Of ASCII, whatever the locale. */
static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b) {
  return lower(a) == lower(b);
}

/* Damerau's distance with adjacent exchanges (optimal string alignment). */
static int distance(const char *a, int rows, const char *b, int columns) {
  int row[3][LETTERS + 1];
  for (int j = 0; j <= columns; j++) row[0][j] = j;
  for (int i = 1; i <= rows; i++) {
    int *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= columns; j++) {
      now[j] = least_of(least_of(above[j], now[j - 1]) + 1, above[j - 1] + !same(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        now[j] = least_of(now[j], before[j - 2] + 1);
    }
  }
  return row[rows % 3][columns];
}

static bool begins(const char *word, size_t length, const char *known) {
  size_t i = 0;
  while (i < length && known[i] && same(word[i], known[i])) i++;
  return i == length && length >= BEGINNING;
}

TgSuggestion tg_suggestion_for(const char *word, size_t length) {
  const int most = length < 2 ? 0 : length < 6 ? 1 : (int)(length / 3);
  return (TgSuggestion){.word = word, .length = length, .least = length == 0 || length > LETTERS ? 0 : most + 1};
}

void tg_suggestion_try(TgSuggestion *suggestion, const char *known) {
  const size_t length = strlen(known);
  if (suggestion->least == 0 || length > LETTERS) return;
  int edits = distance(suggestion->word, (int)suggestion->length, known, (int)length);
  if (edits > 1 && begins(suggestion->word, suggestion->length, known)) edits = 1;
  if (edits >= suggestion->least) return;
  suggestion->least = edits;
  suggestion->nearest = known;
}
