/* Where A and B come from: files, or random numbers. */
#include "input.h"
#include "memory-limit.h"
#include "output.h"

#include "check.h"

enum { LARGEST_INTEGER = 4 };

static TgMatrixRequest request_of(const TgCli *cli, TgElement type, const TgShape *shape, TgMatrixName name) {
  TgMatrixRequest request = {.typed = cli->options.type != NULL,
                             .type = type,
                             .limit_bytes = cli->memory_limit_bytes ? tg_memory_limit(cli) : 0};
  if (shape) {
    request.rows = shape->rows[name];
    request.columns = shape->columns[name];
  }
  return request;
}

static TgExit read_one(const TgCli *cli, const char *path, const TgMatrixRequest *request, TgMatrix **matrix) {
  GError *error = NULL;
  *matrix = tg_matrix_read(path, request, &error);
  return *matrix ? TG_EXIT_DONE : tg_report_error(cli, error);
}

static TgExit check_files(const TgCli *cli, const TgComputes *computes) {
  const TgText formula = tg_computes_text(computes);
  bool uses_b = tg_computes_uses(computes, TG_MATRIX_B);
  if (cli->options.integers || cli->options.seed)
    return tg_report(cli, TG_EXIT_USAGE,
                     "--seed and --integers are for random matrices; leave them out with --a and --b");
  if (cli->options.b && !uses_b)
    return tg_report(cli, TG_EXIT_USAGE, "--b: the schedule computes %s and reads no B", formula.s);
  if (!cli->options.a) return tg_report(cli, TG_EXIT_USAGE, "--b without --a: give both");
  if (uses_b && !cli->options.b) return tg_report(cli, TG_EXIT_USAGE, "--a without --b: %s needs both", formula.s);
  return TG_EXIT_DONE;
}

/* Sizes and type as the files have them. */
static TgExit take_files(const TgCli *cli, const TgComputes *computes, const TgMatrix *a, const TgMatrix *b,
                         TgInput *input) {
  GError *error = NULL;
  if (b && a->type != b->type)
    return tg_report(cli, TG_EXIT_USAGE, "%s is %s and %s is %s: choose the type to compute in with --type",
                     cli->options.a, tg_element_name(a->type), cli->options.b, tg_element_name(b->type));
  input->element = a->type;
  if (tg_shape_from_matrices(&input->shape, computes, a->rows, a->columns, b ? b->rows : 0, b ? b->columns : 0, &error))
    return TG_EXIT_DONE;
  return tg_report_error(cli, error);
}

/* `shape` is what the command line says of the sizes, or NULL. */
static TgExit read_matrices(const TgCli *cli, const TgComputes *computes, TgElement type, const TgShape *shape,
                            TgInput *input) {
  const TgMatrixRequest a = request_of(cli, type, shape, TG_MATRIX_A), b = request_of(cli, type, shape, TG_MATRIX_B);
  TgExit status = read_one(cli, cli->options.a, &a, &input->a);
  if (!status && cli->options.b) status = read_one(cli, cli->options.b, &b, &input->b);
  return status ? status : take_files(cli, computes, input->a, input->b, input);
}

static bool open_parts(const TgCli *cli, const TgComputes *computes, TgElement type, const TgShape *shape,
                       TgInput *input, GError **error) {
  const TgMatrixRequest a = request_of(cli, type, shape, TG_MATRIX_A), b = request_of(cli, type, shape, TG_MATRIX_B);
  return tg_matrix_file_open(cli->options.a, &a, &input->a_file, error) &&
         (!tg_computes_uses(computes, TG_MATRIX_B) || tg_matrix_file_open(cli->options.b, &b, &input->b_file, error));
}

static TgExit reserve_parts(const TgCli *cli, const TgComputes *computes, TgInput *input) {
  GError *error = NULL;
  const TgShape *shape = &input->shape;
  TgMatrix **const made[] = {&input->a, &input->b};
  for (int name = TG_MATRIX_A; name <= TG_MATRIX_B; name++)
    if (tg_computes_uses(computes, (TgMatrixName)name) &&
        !(*made[name] = tg_matrix_new_for_parts(input->element, shape->rows[name], shape->columns[name], &error)))
      return tg_report_error(cli, error);
  input->parts = true;
  return TG_EXIT_DONE;
}

/* Where parts of the files are enough, opens these; else leaves `input->parts` false. */
static TgExit try_parts(const TgCli *cli, const TgComputes *computes, TgElement type, const TgShape *shape,
                        TgInput *input) {
  GError *error = NULL;
  if (!input->may_be_parts) return TG_EXIT_DONE;
  if (!open_parts(cli, computes, type, shape, input, &error)) return tg_report_error(cli, error);
  if (!input->a_file || (tg_computes_uses(computes, TG_MATRIX_B) && !input->b_file)) return TG_EXIT_DONE;
  const TgExit status = take_files(cli, computes, tg_matrix_file_shape(input->a_file),
                                   input->b_file ? tg_matrix_file_shape(input->b_file) : NULL, input);
  if (status || !tg_check_is_estimated(computes, &input->shape)) return status;
  return reserve_parts(cli, computes, input);
}

static TgExit open_files(const TgCli *cli, const TgComputes *computes, TgInput *input, const TgShape *shape) {
  TgElement type;
  TgExit status = check_files(cli, computes);
  input->from_files = true;
  if (!status) status = tg_type_option(cli, &type);
  if (!status) status = try_parts(cli, computes, type, shape, input);
  return status || input->parts ? status : read_matrices(cli, computes, type, shape, input);
}

static TgExit reserve_one(const TgCli *cli, const TgComputes *computes, const TgInput *input, TgMatrixName name,
                          TgMatrix **matrix) {
  GError *error = NULL;
  const TgShape *shape = &input->shape;
  if (!tg_computes_uses(computes, name)) return TG_EXIT_DONE;
  *matrix = tg_matrix_new(input->element, shape->rows[name], shape->columns[name], tg_memory_limit(cli), &error);
  return *matrix ? TG_EXIT_DONE : tg_report_error(cli, error);
}

static TgExit check_memory(const TgCli *cli, const TgComputes *computes, const TgInput *input) {
  double bytes = 0;
  for (int name = TG_MATRIX_A; name <= TG_MATRIX_B; name++)
    if (tg_computes_uses(computes, (TgMatrixName)name))
      bytes += (double)input->shape.rows[name] * (double)input->shape.columns[name] *
               (double)tg_element_bytes(input->element);
  return tg_memory_check(cli, tg_computes_uses(computes, TG_MATRIX_B) ? "reading A and B" : "reading A", bytes);
}

static TgExit reserve_matrices(const TgCli *cli, const TgComputes *computes, TgInput *input) {
  TgExit status = tg_type_option(cli, &input->element);
  if (!status) status = tg_seed_option(cli, &input->seed);
  if (!status && input->may_be_parts && tg_check_is_estimated(computes, &input->shape))
    return reserve_parts(cli, computes, input);
  if (!status) status = check_memory(cli, computes, input);
  if (!status) status = reserve_one(cli, computes, input, TG_MATRIX_A, &input->a);
  if (!status) status = reserve_one(cli, computes, input, TG_MATRIX_B, &input->b);
  return status;
}

static void draw_part(const TgCli *cli, const TgInput *input, TgMatrixName name, const TgMatrixPart *part) {
  TgMatrix *matrix = name == TG_MATRIX_A ? input->a : input->b;
  const uint64_t seed = input->seed * 2 + (name == TG_MATRIX_A ? 0 : 1);
  if (cli->options.integers)
    tg_matrix_fill_part_integers(matrix, part, seed, -LARGEST_INTEGER, LARGEST_INTEGER);
  else
    tg_matrix_fill_part_uniform(matrix, part, seed);
}

void tg_input_draw(const TgCli *cli, TgInput *input) {
  const TgMatrix *const matrices[] = {input->a, input->b};
  for (int name = TG_MATRIX_A; name <= TG_MATRIX_B && !input->from_files && !input->parts; name++) {
    const TgMatrix *matrix = matrices[name];
    const TgMatrixPart whole = tg_matrix_part_whole(matrix ? matrix->rows : 0, matrix ? matrix->columns : 0);
    if (matrix) draw_part(cli, input, (TgMatrixName)name, &whole);
  }
}

bool tg_input_take_part(const TgCli *cli, const TgInput *input, TgMatrixName name, const TgMatrixPart *part,
                        GError **error) {
  if (input->from_files)
    return tg_matrix_file_read(name == TG_MATRIX_A ? input->a_file : input->b_file, part,
                               name == TG_MATRIX_A ? input->a : input->b, error);
  draw_part(cli, input, name, part);
  return true;
}

TgExit tg_input_prepare(const TgCli *cli, const char *command, const TgComputes *computes, TgInput *input) {
  bool sizes, files = cli->options.a || cli->options.b;
  int64_t m, n, k;
  GError *error = NULL;
  TgExit status = tg_sizes_parse(cli, &m, &n, &k, &sizes);
  if (status) return status;
  if (!sizes && !files)
    return tg_report(cli, TG_EXIT_USAGE, "%s: expected -n or --size for random matrices, or --a and --b for files",
                     command);
  if (sizes && !tg_shape_init(&input->shape, computes, m, n, k, &error)) return tg_report_error(cli, error);
  if (!files) return reserve_matrices(cli, computes, input);
  const TgShape wanted = input->shape;
  return open_files(cli, computes, input, sizes ? &wanted : NULL);
}

TgExit tg_input_open(const TgCli *cli, const char *command, const TgComputes *computes, TgInput *input) {
  const TgExit status = tg_input_prepare(cli, command, computes, input);
  if (!status) tg_input_draw(cli, input);
  return status;
}

char *tg_input_text(const TgCli *cli, const TgInput *input) {
  if (input->from_files) {
    g_autofree char *a = tg_printable(cli->options.a, "");
    g_autofree char *b = tg_printable(cli->options.b ? cli->options.b : "", "");
    return g_strdup_printf("A from %s%s%s", a, *b ? ", B from " : "", b);
  }
  return g_strdup_printf("random %s, seed %" PRIu64,
                         cli->options.integers ? "integers in [-4, 4]" : "numbers, uniform in [-1, 1)", input->seed);
}

void tg_input_clear(TgInput *input) {
  g_clear_pointer(&input->a, tg_matrix_free);
  g_clear_pointer(&input->b, tg_matrix_free);
  g_clear_pointer(&input->a_file, tg_matrix_file_free);
  g_clear_pointer(&input->b_file, tg_matrix_file_free);
}
