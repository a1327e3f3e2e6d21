/** @file machine-keys.h
 * The sections and keys of machine files as tables, and the values of keys. Private to sim/. */
#ifndef TG_MACHINE_KEYS_H
#define TG_MACHINE_KEYS_H

#include "machine.h"

/** What a key's value is. */
typedef enum TgValueKind {
  TG_VALUE_TIME,
  TG_VALUE_BANDWIDTH,
  TG_VALUE_FLOPS,
  TG_VALUE_BYTES,
  TG_VALUE_MESSAGE,
  TG_VALUE_FRACTION,
  TG_VALUE_SIZE,
  TG_VALUE_RATE, /**< in a table */
  TG_VALUE_REST,
  TG_VALUE_FACTOR,
  TG_VALUE_COUNT,
  TG_VALUE_QUANTITIES, /**< those above are numbers */
  TG_VALUE_RATES = TG_VALUE_QUANTITIES,
  TG_VALUE_PROTOCOLS,
  TG_VALUE_RESTS,
  TG_VALUE_FEWER,
  TG_VALUE_WORD, /**< a number: its place among the words */
  TG_VALUE_NAME, /**< a text: one of the words */
  TG_VALUE_TEXT,
  TG_VALUE_NETWORK
} TgValueKind;

/** What is common to numbers of one kind. */
typedef struct TgQuantity {
  const char *unit;    /**< in words */
  const char *example; /**< a value as it should be written */
  bool zero;           /**< may be 0 */
  bool infinite;       /**< may be inf */
} TgQuantity;

enum { TG_MACHINE_MOST_KEYS = 31 /**< of a section: `given` has a bit for each */ };

/** A key. Its bit in `given` is its place in the list. */
typedef struct TgMachineKey {
  const char *name; /**< NULL ends a list */
  TgValueKind kind;
  size_t offset;        /**< from the beginning of the section's struct */
  size_t bytes;         /**< of the field; of a text with its terminating 0 */
  bool required;        /**< in [link], [processor] and tiers; never in [link.N] and [level.N] */
  const char *words[5]; /**< ended by NULL */
} TgMachineKey;

/** A section, or COUNT of them numbered from 0: [name.0] and so on. */
typedef struct TgMachineSection {
  const char *name; /**< NULL ends the table */
  const TgMachineKey *keys;
  size_t offset; /**< of its struct in TgMachine; each struct begins with `given` */
  size_t stride;
  int count; /**< 0: not numbered */
} TgMachineSection;

extern const TgMachineSection tg_machine_sections[];
extern const TgMachineKey tg_machine_link_keys[];
extern const TgQuantity tg_quantities[TG_VALUE_QUANTITIES];

/** Marks a field of the machine as given, so that tg_machine_text() writes it. `field` points to it, in *machine, and
 * has a key. */
void tg_machine_give(TgMachine *machine, const void *field);

/** A stretch of the text: one line's, without the newline. */
typedef struct TgSpan {
  const char *text;
  size_t length;
} TgSpan;

enum { TG_QUOTE_BYTES = 68 };

/** A copy to put into messages: short, and without control characters. Returns `quoted`. */
const char *tg_span_quote(TgSpan span, char quoted[TG_QUOTE_BYTES]);

/** Whether it is exactly this text. */
bool tg_span_is(TgSpan span, const char *text);

/** Without blanks at both ends. */
TgSpan tg_span_trim(TgSpan span);

/** Reads a value into `field`, the key's place in its struct.
 * @param error without a place; `*at` then points to where in the value it is. */
bool tg_machine_value(const TgMachineKey *key, TgSpan value, void *field, const char **at, TgError *error);

#endif
