/** @file operands.h
 * The matrices of one problem, on the host and on the device: random operands, room for the result, and whether a
 * result is right. Row-major, without gaps. */
#ifndef TG_OPERANDS_H
#define TG_OPERANDS_H

#include "historic.h"
#include "kernel.h"
#include "results.h"

TG_BEGIN_DECLS

/** What an element is, of all that is measured. */
typedef enum TgNumber { TG_NUMBER_F32, TG_NUMBER_F64, TG_NUMBER_I32, TG_NUMBERS } TgNumber;

/** "f32", "f64", "i32". */
const char *tg_number_name(TgNumber number);
/** The same type of a kernel of the ladder, of a paper's; where these have it not, f32. */
static inline TgElement tg_number_element(TgNumber number) {
  return number == TG_NUMBER_F64 ? TG_F64 : TG_F32;
}
static inline TgHistoricType tg_number_historic(TgNumber number) {
  return number == TG_NUMBER_I32 ? TG_HISTORIC_I32 : TG_HISTORIC_F32;
}

/** Above this extent the error of a product is estimated, not computed in full: see tg_product_error(). */
enum { TG_OPERANDS_IN_FULL = 8192 };

typedef struct TgOperands {
  TgHistoricKind kind;
  TgNumber number;
  int64_t m, n, k;
  uint64_t seed;
  int64_t bytes[3]; /**< of A, B and C; B has none where there is no second operand */
  void *host[3];
  void *device[3];  /**< NULL without a device */
  double *expected; /**< C in double precision, once it was asked for and small enough */
  bool estimated;   /**< the error is estimated at any size */
} TgOperands;

/** Whether the host has memory for the matrices and their check: a system that promises more memory than it has kills
 * the process that uses it. Sizes, kind and number are set. Otherwise the error has both numbers. */
bool tg_operands_have_room(const TgOperands *operands, TgError *error);
/** Draws A and B: f32 and f64 uniform in [-1, 1), i32 from -9 to 9; and copies them to the device where there is one.
 * Errors: memory is short, on either side. Cleared in any case by tg_operands_clear(). */
bool tg_operands_open(TgOperands *operands, bool on_device, TgError *error);
void tg_operands_clear(TgOperands *operands);

/** Makes all of C NaN (i32: -1), on the side where a method will write it. */
bool tg_operands_poison(TgOperands *operands, TgBenchPlace place, TgError *error);
/** Copies C to the host where it is on the device, and sets the error of C in `result`. At most
 * 5e-7 sqrt(k) is right in f32, 1e-15 sqrt(k) in f64; i32, transposes and copies are exact. */
bool tg_operands_check(TgOperands *operands, TgBenchPlace place, TgResult *result, TgError *error);

/** The product on the device, for a kernel of the ladder; with A' in place of B where there is no second operand. */
TgGemm tg_operands_gemm(const TgOperands *operands);

/** On the host: to (columns x rows) = from (rows x columns) transposed, by two loops, a row of `from` at a time. */
void tg_number_transpose(TgNumber number, void *to, const void *from, int64_t rows, int64_t columns);

/** B' of the operands, for tg_operands_transpose_b(). */
typedef struct TgTransposing {
  const TgOperands *operands;
  void *to; /**< of B's bytes: n x k */
} TgTransposing;
/** Writes B' with tg_number_transpose(). A TgWork on a TgTransposing. */
bool tg_operands_transpose_b(const void *what, TgError *error);

/** A and B to the device, and C back, from and to memory that the system may move (malloc). A TgWork each, on
 * TgOperands. */
bool tg_operands_copy_in(const void *what, TgError *error);
bool tg_operands_copy_out(const void *what, TgError *error);

/** Operations of the product, 2mnk (k of a symmetric one counts in full), and bytes of operands and result, each once.
 */
void tg_operands_count(const TgOperands *operands, TgResult *result);

TG_END_DECLS

#endif
