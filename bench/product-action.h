/** @file product-action.h
 * How far many results are from one product. What the product does to random vectors is found once; a result then
 * costs a pass over it. See product-error.h for the estimate. */
#ifndef TG_PRODUCT_ACTION_H
#define TG_PRODUCT_ACTION_H

#include "element.h"

#include <glib.h>

TG_BEGIN_DECLS

typedef struct TgProductAction TgProductAction;

/** Of A·B, both n x n in host memory, on eight vectors of signs, in double precision. NULL where memory is short. */
TgProductAction *tg_product_action_new(TgElement element, const void *a, const void *b, int64_t n, uint64_t seed);
void tg_product_action_free(TgProductAction *action);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgProductAction, tg_product_action_free)

/** Estimates the relative error of C, n x n, in the Frobenius norm; NaN where C has one. */
double tg_product_action_error(const TgProductAction *action, const void *c);

TG_END_DECLS

#endif
