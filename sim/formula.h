/** @file formula.h
 * Closed forms of the literature as data: the text of algo/NAME.formula, its words, and its value.
 *
 *     formula cannon
 *     title = Cannon's algorithm
 *     source = A. Grama et al., Introduction to Parallel Computing, 2nd ed., 2003, section 8.2.2
 *     checked = public course notes have this form; the book was not at hand
 *     assumes = the alignment is one message each for A and B, however far they travel
 *     valid = p == q*q
 *     valid = m == n == k
 *     let w = n**2/p                      # words of a block
 *     communication = 2*q*(alpha + beta*w)
 *     compute = 2*m*n*k/p/flops_per_s
 *     grama = 2√p·t_s + 2·t_w·n²/√p
 *     isoefficiency = Θ(p^(3/2))
 *     growth = p**(3/2)
 *
 * One `key = value` a line after the first, which names the formula. `#` begins a comment, in texts only at the
 * beginning of a line. A line that begins with a space continues the text before it.
 *
 * - `title`, `source`, `checked`, `grama`, `isoefficiency`: texts, once each; `checked` tells what the formula was
 *   compared with; `assumes`: a text, any number of times. `grama` is
 *   the formula in t_s, t_w, t_h as the source prints it.
 * - `communication` and `compute`: seconds; their sum is the parallel time T_P. `growth`: the order in which the work
 *   2·m·n·k must grow with p for the efficiency to stay, without its constant.
 * - `valid`: a comparison that must hold, any number of times; `a == b == c` means a == b and b == c.
 * - `let NAME = …`: a name for the lines below it.
 *
 * `title`, `source`, `communication` and `compute` must be there, the others may be missing.
 *
 * Expressions are in double precision: + - * / % (of floor), ** (right to left), unary -, parentheses, and sqrt, cbrt,
 * log2, ceil, floor, min, max, pow. An operation that is undefined or overflows is an error, never an infinity; an
 * infinity among the values (a rate without limit) may vanish in a quotient.
 *
 * Names that every run gives: m, n, k (C is m×n, inner dimension k), p and `processors`, the schedule's parameters,
 * alpha (seconds per message, t_s), beta (seconds per *word*, that is element, t_w), hop (seconds per hop after the
 * first, t_h), element_bytes, flops_per_s. p is the number of processors unless the schedule has a parameter p. */
#ifndef TG_FORMULA_H
#define TG_FORMULA_H

#include "schedule.h"

#include <glib.h>

TG_BEGIN_DECLS

typedef struct TgFormula TgFormula;

typedef enum TgFormulaError {
  TG_FORMULA_ERROR_SYNTAX,     /**< the text; the message begins with "line:column: " */
  TG_FORMULA_ERROR_UNKNOWN,    /**< a variable without a value, a quantity that the formula does not state */
  TG_FORMULA_ERROR_ARITHMETIC, /**< division by zero, the root or logarithm of what has none, overflow */
  TG_FORMULA_ERROR_NOT_VALID   /**< a `valid` line does not hold for the values */
} TgFormulaError;

#define TG_FORMULA_ERROR (tg_formula_error_quark())
GQuark tg_formula_error_quark(void);

typedef enum TgFormulaText {
  TG_FORMULA_TITLE,
  TG_FORMULA_SOURCE,
  TG_FORMULA_CHECKED,
  TG_FORMULA_ASSUMES, /**< one assumption a line */
  TG_FORMULA_GRAMA,
  TG_FORMULA_ISOEFFICIENCY,
  TG_FORMULA_TEXTS
} TgFormulaText;

typedef enum TgFormulaQuantity {
  TG_FORMULA_COMMUNICATION, /**< seconds */
  TG_FORMULA_COMPUTE,       /**< seconds */
  TG_FORMULA_GROWTH,        /**< of the work with p, without its constant */
  TG_FORMULA_QUANTITIES
} TgFormulaQuantity;

typedef enum TgFormulaSymbols {
  TG_FORMULA_ALPHA_BETA,   /**< α, β */
  TG_FORMULA_GRAMA_SYMBOLS /**< t_s, t_w, t_h; log is to base 2 */
} TgFormulaSymbols;

/** Reads `length` bytes. Errors: SYNTAX. */
TgFormula *tg_formula_parse(const char *text, size_t length, GError **error);
void tg_formula_free(TgFormula *formula);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgFormula, tg_formula_free)

const char *tg_formula_name(const TgFormula *formula);
/** The formula's words; NULL where it has none. */
const char *tg_formula_text(const TgFormula *formula, TgFormulaText text);
bool tg_formula_has(const TgFormula *formula, TgFormulaQuantity quantity);
/** The names that need a value for all of it, in order of their first use, NULL after the last. */
const char *const *tg_formula_variables(const TgFormula *formula);

enum { TG_FORMULA_MAX_VALUES = TG_MAX_PARAMETERS + 16 };

/** Values by name. Begin with `= {0}`. */
typedef struct TgFormulaValues {
  int32_t count;
  struct {
    char name[TG_NAME_LENGTH];
    double value;
  } entry[TG_FORMULA_MAX_VALUES];
} TgFormulaValues;

/** Sets a value, or replaces it. Errors: UNKNOWN where the name is too long, the table is full or `value` is NaN. */
bool tg_formula_values_set(TgFormulaValues *values, const char *name, double value, GError **error);
/** Sets p, `processors` and the parameters of a bound schedule. Errors: as tg_formula_values_set(). */
bool tg_formula_values_schedule(TgFormulaValues *values, const TgSchedule *schedule, const TgScheduleNames *names,
                                GError **error);
/** Sets m, n, k. Comes after tg_formula_values_schedule(), so that no parameter takes their place. */
bool tg_formula_values_sizes(TgFormulaValues *values, int64_t m, int64_t n, int64_t k, GError **error);
/** Sets alpha, beta = seconds_per_byte·element_bytes, hop, element_bytes and flops_per_s. Comes after
 * tg_formula_values_schedule(), too. */
bool tg_formula_values_machine(TgFormulaValues *values, double latency_s, double seconds_per_byte, double per_hop_s,
                               int64_t element_bytes, double flops_per_s, GError **error);

/** Whether every `valid` line holds. Errors: NOT_VALID with the line that does not, in words of the formula; UNKNOWN;
 * ARITHMETIC. */
bool tg_formula_check(const TgFormula *formula, const TgFormulaValues *values, GError **error);
/** The value of a quantity, always finite; whether the formula is valid there is tg_formula_check()'s. Errors: UNKNOWN,
 * ARITHMETIC; both messages begin with "line:column: " of the place in the formula's text. */
bool tg_formula_evaluate(const TgFormula *formula, TgFormulaQuantity quantity, const TgFormulaValues *values,
                         double *result, GError **error);

/** A quantity for people, as "2·q·(α + β·w), w = n²/p". Free with g_free(); NULL where the formula has none. */
char *tg_formula_print(const TgFormula *formula, TgFormulaQuantity quantity, TgFormulaSymbols symbols);

TG_END_DECLS

#endif
