/** @file host-methods.h
 * What the papers' CPU programs compute, as they compute it: for TgMethod. One thread, no library. */
#ifndef TG_HOST_METHODS_H
#define TG_HOST_METHODS_H

#include "operands.h"

TG_BEGIN_DECLS

/** C = A·B by three loops, an element of C after another. */
void tg_host_product(const TgOperands *operands);
/** C = A' by two loops. */
void tg_host_transpose(const TgOperands *operands);

TG_END_DECLS

#endif
