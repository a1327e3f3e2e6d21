/** @file suggestion.h
 * The nearest of the words that are known, for "did you mean". Internal to the project. */
#ifndef TG_SUGGESTION_H
#define TG_SUGGESTION_H

#include "base.h"

TG_BEGIN_DECLS

typedef struct TgSuggestion {
  const char *word; /**< that is unknown */
  size_t length;
  int least;           /**< edits to the nearest so far; at first, one more than a suggestion may need */
  const char *nearest; /**< NULL while none is near */
} TgSuggestion;

/** Begins the search for what is near to `length` bytes at `word`. */
TgSuggestion tg_suggestion_for(const char *word, size_t length);

/** Takes `known` where it is nearer than all before it: at most a third of the letters wrong (at least one, of words of
 * two letters or more), left out, added or exchanged with the next one, or the word a beginning of it. Upper and lower
 * case are no difference. */
void tg_suggestion_try(TgSuggestion *suggestion, const char *known);

TG_END_DECLS

#endif
