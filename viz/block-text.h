/** @file block-text.h
 * What a slot holds, as a picture shows it, and the words for blocks and processors. */
#ifndef TG_BLOCK_TEXT_H
#define TG_BLOCK_TEXT_H

#include <glib.h>

#include "schedule.h"
#include "state.h"

G_BEGIN_DECLS

/** A copy of a TgValue that outlives the value. `kind` TG_VALUE_EMPTY where a slot is empty. */
typedef struct TgBlockName {
  uint8_t kind;   /**< TgValueKind */
  uint8_t matrix; /**< TgMatrixName; of a sum C */
  uint8_t transposed;
  uint8_t twice; /**< sum: an inner index is in it twice */
  int32_t row, column;
  int32_t terms; /**< sum: inner indices in it */
} TgBlockName;

/** The value's copy; an empty block where `value` is NULL. */
TgBlockName tg_block_name_of(const TgValue *value);

/** True where both have the same name, whatever the number of terms. */
bool tg_block_name_same(const TgBlockName *a, const TgBlockName *b);

/** Appends "A₀₁", from ten block rows or columns up "A3,12", "A₀₁'" where transposed, "0" for zero, "" if empty. */
void tg_block_name_append(GString *text, const TgBlockName *block);

/** Appends the name of a product's factor, "A₀₁'" where it is read transposed. */
void tg_factor_append(GString *text, const TgBlockName *block, bool transposed);

/** Appends "P(1,2)". */
void tg_processor_append(GString *text, const TgSchedule *schedule, int64_t rank);

/** Appends the id of a processor, "p-1-2". */
void tg_processor_id_append(GString *text, const TgSchedule *schedule, int64_t rank);

/** Appends the id of a step's message, "m-STEP-NUMBER". */
void tg_message_id_append(GString *text, int64_t step, int64_t number);

/** Appends `count` with its noun: "1 message", "24 messages". */
void tg_count_append(GString *text, int64_t count, const char *one, const char *many);

G_END_DECLS

#endif
