/** @file input.h
 * Where A and B come from: files, or random numbers. */
#ifndef TG_INPUT_H
#define TG_INPUT_H

#include "algo.h"

#include "element.h"
#include "matrix-file.h"
#include "shape.h"

/** Zero it before use; may_be_parts may be set. */
typedef struct TgInput {
  TgMatrix *a, *b; /**< b is NULL where the schedule reads none */
  TgShape shape;
  TgElement element;
  uint64_t seed;
  bool from_files;
  bool may_be_parts;             /**< parts are enough, if the product is too large to be checked in full */
  bool parts;                    /**< a and b have no elements but those of tg_input_take_part() */
  TgMatrixFile *a_file, *b_file; /**< where these are read from */
} TgInput;

void tg_input_clear(TgInput *input);

/** Reads what `computes` asks for from files, or makes room for it, following -n, --size, --type, --seed, --a and --b.
 * `command` names the subcommand in errors. */
TgExit tg_input_prepare(const TgCli *cli, const char *command, const TgComputes *computes, TgInput *input);
/** Draws the random numbers of what has been prepared, following --seed and --integers; leaves files as they are. */
void tg_input_draw(const TgCli *cli, TgInput *input);
/** Where `input->parts`: reads or draws one part of A or B. Errors: those of tg_matrix_read(). */
bool tg_input_take_part(const TgCli *cli, const TgInput *input, TgMatrixName name, const TgMatrixPart *part,
                        GError **error);
/** Both. */
TgExit tg_input_open(const TgCli *cli, const char *command, const TgComputes *computes, TgInput *input);

/** "random numbers, uniform in [-1, 1), seed 1"; free with g_free(). */
char *tg_input_text(const TgCli *cli, const TgInput *input);

/** Writes the members m, n, k, type and seed. */
void tg_input_write(TgJson *json, const TgInput *input);

/** B's elements, NULL where there is none. */
static inline const void *tg_input_b(const TgInput *input) {
  return input->b ? input->b->data : NULL;
}

#endif
