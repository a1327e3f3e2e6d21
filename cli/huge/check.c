/* topogemm check: whether C = A B, all on disk. */
#include "output.h"
#include "progress.h"
#include "tiled.h"

#include "check.h"
#include "huge.h"

#include <math.h>

typedef struct TgHugeCheck {
  const char *a, *b, *c;
  int64_t m, n, k;
  const char *type;
  double relative_error, tolerance;
  bool ok;
} TgHugeCheck;

TG_FIELD_TABLE(check_fields, TG_FIELD(TgHugeCheck, a), TG_FIELD(TgHugeCheck, b), TG_FIELD(TgHugeCheck, c),
               TG_FIELD(TgHugeCheck, m), TG_FIELD(TgHugeCheck, n), TG_FIELD(TgHugeCheck, k),
               TG_FIELD(TgHugeCheck, type), TG_FIELD(TgHugeCheck, relative_error), TG_FIELD(TgHugeCheck, tolerance),
               TG_FIELD(TgHugeCheck, ok));

static bool describe(TgHugeCheck *check, int64_t *tiles, GError **error) {
  static const TgComputes product = {.left = TG_MATRIX_A, .right = TG_MATRIX_B};
  g_autoptr(TgTiledFile) a = tg_tiled_file_open(check->a, error);
  g_autoptr(TgTiledFile) b = a ? tg_tiled_file_open(check->b, error) : NULL;
  g_autoptr(TgTiledFile) c = b ? tg_tiled_file_open(check->c, error) : NULL;
  if (!c) return false;
  const TgTiling *tiling = tg_tiled_file_tiling(c);
  check->m = tiling->rows;
  check->n = tiling->columns;
  check->k = tg_tiled_file_tiling(a)->columns;
  check->type = tg_element_name(tiling->type);
  check->tolerance = tg_check_tolerance(&product, tiling->type, check->k);
  *tiles =
      tg_tiling_count(tg_tiled_file_tiling(a)) + tg_tiling_count(tg_tiled_file_tiling(b)) + tg_tiling_count(tiling);
  return true;
}

static bool check_files(TgCli *cli, TgHugeCheck *check, uint64_t seed, GError **error) {
  TgProgressLine line;
  int64_t tiles;
  if (!describe(check, &tiles, error)) return false;
  tg_progress_begin(&line, cli, "check", tiles);
  const TgWatch watch = tg_progress_watch(&line);
  const bool fine = tg_huge_check(check->a, check->b, check->c, seed, 0, &watch, &check->relative_error, error);
  tg_progress_end(cli);
  check->ok = fine && check->relative_error <= check->tolerance;
  return fine;
}

static void print_document(TgCli *cli, const TgHugeCheck *check) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "check");
  tg_json_members(json, check_fields, check);
  tg_json_end_object(json);
  tg_print_json(cli, json);
}

static TgExit check_run(TgCli *cli) {
  TgHugeCheck check = {.a = cli->options.arguments[0], .b = cli->options.arguments[1], .c = cli->options.arguments[2]};
  uint64_t seed = 1;
  GError *error = NULL;
  TgExit status = tg_tiled_built(cli);
  if (!status) status = tg_seed_option(cli, &seed);
  if (status) return status;
  if (!check_files(cli, &check, seed, &error)) return tg_tiled_report(cli, error);
  if (cli->options.json)
    print_document(cli, &check);
  else if (!cli->options.quiet && check.ok)
    tg_print_line(cli, "%s: correct product; relative error %.3g (tolerance %.3g)", check.c, check.relative_error,
                  check.tolerance);
  return check.ok ? TG_EXIT_DONE : tg_tiled_report_wrong(cli, check.c, check.relative_error, check.tolerance);
}

static const TgExample check_examples[] = {
    {"check A.tg B.tg C.tg", "check whether C is the product of A and B"},
    {"check A.tg B.tg C.tg --seed 2 --json", "with other random vectors, as a JSON document"},
    {NULL, NULL},
};

const TgCommand tg_command_check = {
    .name = "check",
    .arguments = "A.tg B.tg C.tg",
    .summary = "check whether C = A * B, all three in tiled files",
    .details = "Multiplies both sides by random vectors of +1 and -1, which takes on the order of n^2 operations and "
               "reads each file once "
               "(Freivalds' test). The relative error is estimated; a tile whose checksum does not match is named.",
    .examples = check_examples,
    .options = (const char *const[]){"seed", "json", "quiet", NULL},
    .arguments_min = 3,
    .arguments_max = 3,
    .run = check_run,
};
