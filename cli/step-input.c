/* Where A and B come from: files, or random numbers. */
#include "step.h"

#include "matrix-file.h"

#include <string.h>

enum { LARGEST_INTEGER = 4 };

/* The two names of an element's type: in memory and in files. */
static TgElement element_of(TgType type) {
  return type == TG_TYPE_F64 ? TG_F64 : TG_F32;
}

static TgType type_of(TgElement element) {
  return element == TG_F64 ? TG_TYPE_F64 : TG_TYPE_F32;
}

static TgExit wanted_type(const TgCli *cli, TgType *type) {
  GError *error = NULL;
  *type = TG_TYPE_ANY;
  if (!cli->options.type || tg_type_parse(cli->options.type, type, &error)) return TG_EXIT_DONE;
  g_prefix_error(&error, "--type: ");
  return tg_report_error(cli, error);
}

static TgExit read_one(const TgCli *cli, const char *path, TgType type, const TgShape *shape, TgMatrixName name,
                       TgMatrix **matrix) {
  GError *error = NULL;
  TgMatrixRequest request = {.type = type};
  if (shape) {
    request.rows = shape->rows[name];
    request.columns = shape->columns[name];
  }
  *matrix = tg_matrix_read(path, &request, &error);
  return *matrix ? TG_EXIT_DONE : tg_report_error(cli, error);
}

static TgExit check_files(const TgCli *cli, const TgComputes *computes) {
  char formula[TG_FORMULA_BYTES];
  tg_computes_text(computes, formula);
  bool uses_b = tg_computes_uses(computes, TG_MATRIX_B);
  if (cli->options.integers || cli->options.seed)
    return tg_report(cli, TG_EXIT_USAGE, "--seed and --integers are for random matrices, not for those of --a and --b");
  if (cli->options.b && !uses_b)
    return tg_report(cli, TG_EXIT_USAGE, "--b: the schedule computes %s and reads no B", formula);
  if (!cli->options.a) return tg_report(cli, TG_EXIT_USAGE, "--b without --a: give both");
  if (uses_b && !cli->options.b) return tg_report(cli, TG_EXIT_USAGE, "--a without --b: %s needs both", formula);
  return TG_EXIT_DONE;
}

/* Sizes and type as the files have them. */
static TgExit take_files(const TgCli *cli, TgStepRun *run) {
  TgShape shape;
  GError *error = NULL;
  const TgMatrix *a = run->a, *b = run->b;
  if (b && a->type != b->type)
    return tg_report(cli, TG_EXIT_USAGE, "%s is %s and %s is %s: give the type to compute in with --type",
                     cli->options.a, tg_type_name(a->type), cli->options.b, tg_type_name(b->type));
  if (!tg_shape_from_matrices(&shape, &run->problem.schedule.computes, a->rows, a->columns, b ? b->rows : 0,
                              b ? b->columns : 0, &error))
    return tg_report_error(cli, error);
  run->options.m = shape.m;
  run->options.n = shape.n;
  run->options.k = shape.k;
  run->options.element = element_of(a->type);
  return TG_EXIT_DONE;
}

static TgExit read_matrices(const TgCli *cli, TgStepRun *run, const TgShape *shape) {
  TgType type;
  TgExit status = check_files(cli, &run->problem.schedule.computes);
  if (!status) status = wanted_type(cli, &type);
  if (!status) status = read_one(cli, cli->options.a, type, shape, TG_MATRIX_A, &run->a);
  if (!status && cli->options.b) status = read_one(cli, cli->options.b, type, shape, TG_MATRIX_B, &run->b);
  run->from_files = true;
  return status ? status : take_files(cli, run);
}

static TgExit fill_one(const TgCli *cli, const TgStepRun *run, const TgShape *shape, TgMatrixName name,
                       TgMatrix **matrix) {
  GError *error = NULL;
  uint64_t seed = run->seed * 2 + (name == TG_MATRIX_B);
  if (!tg_computes_uses(&run->problem.schedule.computes, name)) return TG_EXIT_DONE;
  *matrix = tg_matrix_new(type_of(run->options.element), shape->rows[name], shape->columns[name], 0, &error);
  if (!*matrix) return tg_report_error(cli, error);
  if (cli->options.integers)
    tg_matrix_fill_integers(*matrix, seed, -LARGEST_INTEGER, LARGEST_INTEGER);
  else
    tg_matrix_fill_uniform(*matrix, seed);
  return TG_EXIT_DONE;
}

static TgExit fill_matrices(const TgCli *cli, TgStepRun *run, const TgShape *shape) {
  TgType type;
  int64_t seed = 1;
  TgExit status = wanted_type(cli, &type);
  if (!status && cli->options.seed) status = tg_number_parse(cli, "--seed", cli->options.seed, 0, INT64_MAX, &seed);
  run->seed = (uint64_t)seed;
  run->options.element = element_of(type);
  if (!status) status = fill_one(cli, run, shape, TG_MATRIX_A, &run->a);
  if (!status) status = fill_one(cli, run, shape, TG_MATRIX_B, &run->b);
  return status;
}

TgExit tg_step_matrices(const TgCli *cli, TgStepRun *run) {
  TgShape shape;
  bool sizes, files = cli->options.a || cli->options.b;
  GError *error = NULL;
  TgStepperOptions *options = &run->options;
  TgExit status = tg_sizes_parse(cli, &options->m, &options->n, &options->k, &sizes);
  if (status) return status;
  if (!sizes && !files)
    return tg_report(cli, TG_EXIT_USAGE, "step: expected -n or --size for random matrices, or --a and --b for files");
  if (sizes && !tg_shape_init(&shape, &run->problem.schedule.computes, options->m, options->n, options->k, &error))
    return tg_report_error(cli, error);
  return files ? read_matrices(cli, run, sizes ? &shape : NULL) : fill_matrices(cli, run, &shape);
}
