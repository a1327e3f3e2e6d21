/** @file mutate.h
 * One edit in a schedule's statements, for exercises ("find the wrong line") and for tests of the prover. */
#ifndef TG_MUTATE_H
#define TG_MUTATE_H

#include "prove.h"

TG_BEGIN_DECLS

typedef struct TgMutation {
  int32_t line, column;         /**< of the edit, in the original text */
  int32_t edit;                 /**< its number among all edits of the text; other names do not change it */
  char kind[48];                /**< "another number", "a statement left out", … */
  char before[TG_MAX_LINE + 1]; /**< the whole line as it was, without indentation … */
  char after[TG_MAX_LINE + 1];  /**< … and as it is now; "" where the line is gone */
} TgMutation;

/** Makes edit `seed` (any number; equal seeds give equal edits) in `text`, which must parse. The new text, terminated,
 * is to be freed with free(); NULL where memory is out or nothing can be edited. It may fail to parse, be right all the
 * same, or be wrong. */
char *tg_mutate(const char *text, size_t length, uint64_t seed, TgMutation *mutation);

/** How directly the proof leads to the edit. */
typedef enum TgMutationLevel {
  TG_MUTATION_ANY,
  TG_MUTATION_QUOTED,    /**< level 1: the proof fails at the edited statement */
  TG_MUTATION_ELSEWHERE, /**< level 2: at another statement */
  TG_MUTATION_AT_END     /**< level 3: every statement can be executed, but the result is wrong */
} TgMutationLevel;

/** Tries edits, derived from `seed`, until one parses, binds and is rejected by the proof, which is left in `proof`, in
 * the way that `level` says. NULL and `error` where `text` itself is no valid schedule with these bindings, no such
 * edit is found, or `watch` stops it. `watch` (may be NULL) is told the statements of all proofs so far: of `text`,
 * then of each edit. */
char *tg_mutate_wrong(const char *text, size_t length, const TgBindings *bindings, uint64_t seed, TgMutationLevel level,
                      const TgWatch *watch, TgMutation *mutation, TgProof *proof, TgError *error);

TG_END_DECLS

#endif
