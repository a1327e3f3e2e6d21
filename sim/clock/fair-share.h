/** @file fair-share.h
 * Private to sim/: amounts that drain over shared links at the max-min fair rate. A flow crosses some links and has a
 * weight; a flow's level is its rate divided by its weight. Rates are max-min fair when each flow crosses a link that
 * is full and on which no flow has a higher level (D. Bertsekas, R. Gallager, Data Networks, 1992, section 6.5.2; with
 * weights as in SimGrid: H. Casanova, L. Marchal, A network model for simulation of grid application, 2002).
 *
 * What comes or goes has effects only among the flows that links join to it, and there only from some level on: only
 * these are worked out anew. Whatever comes and goes at one time needs one tg_fair_share_update() for all. */
#ifndef TG_FAIR_SHARE_H
#define TG_FAIR_SHARE_H

#include <glib.h>
#include <stdint.h>
#include <stdbool.h>

typedef struct TgFairShare TgFairShare;

/** `capacity` by link, in amount per second, positive, may be INFINITY; copied. */
TgFairShare *tg_fair_share_new(int64_t links, const double *capacity);
void tg_fair_share_free(TgFairShare *fair);

/** A flow that begins at `now_s` and crosses `count` different links; `weight` is positive, `amount` at least 0.
 * Returns its number, which is given out again after the flow was taken. Has no rate until tg_fair_share_update(). */
int32_t tg_fair_share_add(TgFairShare *fair, const int32_t *link, int32_t count, double weight, double amount,
                          double now_s);

/** Rates from `now_s` on, after all that came and went then. */
void tg_fair_share_update(TgFairShare *fair, double now_s);

/** When the next flow ends; INFINITY where there is none. */
double tg_fair_share_next_s(TgFairShare *fair);

/** Takes out a flow that ends no later than `until_s`; false where none does. */
bool tg_fair_share_take(TgFairShare *fair, double until_s, int32_t *flow, double *end_s);

double tg_fair_share_rate(const TgFairShare *fair, int32_t flow);

#endif
