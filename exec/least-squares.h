/** @file least-squares.h
 * Numbers from samples. */
#ifndef TG_LEAST_SQUARES_H
#define TG_LEAST_SQUARES_H

#include "base.h"

TG_BEGIN_DECLS

enum { TG_LEAST_SQUARES_UNKNOWNS = 3 };

/** Finds the unknowns, none of them negative, for which the sum over all rows r of
 *
 *     (weight[r] * (sum over u of term[r * unknowns + u] * value[u] - y[r]))^2
 *
 * is least. There are few of them, so every choice of those that are not 0 is solved separately (C. L. Lawson,
 * R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23, has the theory). Of choices that the rows cannot tell
 * apart, as of two terms that are always equal, the one with the first unknowns is taken.
 * @param weight 1 / y makes relative errors least; NULL: 1
 * @return the root of the mean of those squares */
double tg_least_squares(const double *term, const double *y, const double *weight, int rows, int unknowns,
                        double *value);

TG_END_DECLS

#endif
