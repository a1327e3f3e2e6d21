/** @file suggest.h
 * The nearest of several words, for "did you mean". */
#ifndef TG_SUGGEST_H
#define TG_SUGGEST_H

/** The word of `words` (NULL-terminated) nearest to `word`, NULL where none is near: at most a third of its letters
 * wrong (at least one), or a beginning of it. */
const char *tg_suggest(const char *word, const char *const *words);

#endif
