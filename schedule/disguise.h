/** @file disguise.h
 * Removes from a schedule's text what identifies its source, so that a `diff` with the library solves no exercise. */
#ifndef TG_DISGUISE_H
#define TG_DISGUISE_H

#include "schedule.h"

TG_BEGIN_DECLS

/** The text, which must parse, as schedule `title`: without citation, notes and comments, with numbers for labels, and
 * with other names for coordinates, parameters, loop variables and blocks except A, B and C. Which names they get
 * depends on `seed`. It computes the same. Terminated, to be freed with free(); NULL and `error` where the text does
 * not parse or memory runs out. */
char *tg_disguise(const char *text, size_t length, const char *title, uint64_t seed, TgError *error);

TG_END_DECLS

#endif
