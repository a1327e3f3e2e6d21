/* topogemm convert: between tiled files and other formats. */
#include "memory-limit.h"
#include "output.h"
#include "progress.h"
#include "tiled.h"

#include "matrix-file.h"
#include "text-units.h"

static TgExit request_option(const TgCli *cli, TgMatrixRequest *request) {
  TgExit status = tg_extents_parse(cli, "--size", cli->options.size, &request->rows, &request->columns);
  request->typed = cli->options.type != NULL;
  request->limit_bytes = cli->memory_limit_bytes ? tg_memory_limit(cli) : 0;
  return status || !request->typed ? status : tg_type_option(cli, &request->type);
}

static TgExit check_paths(const TgCli *cli, const char *from, const char *to) {
  const bool from_tiled = tg_tiled_path(from), to_tiled = tg_tiled_path(to);
  if (from_tiled == to_tiled)
    return tg_report(cli, TG_EXIT_USAGE, "convert: expected one name that ends in .tg, and one that does not");
  if (from_tiled && (cli->options.size || cli->options.type || cli->options.tile))
    return tg_report(cli, TG_EXIT_USAGE, "--size, --type and --tile apply when a tiled file (.tg) is written");
  return TG_EXIT_DONE;
}

static bool convert(TgCli *cli, const TgMatrixRequest *request, TgTileSize size, GError **error) {
  const char *from = cli->options.arguments[0], *to = cli->options.arguments[1];
  TgProgressLine line;
  tg_progress_announce(&line, cli, "convert");
  const TgWatch watch = tg_progress_watch(&line);
  const bool fine = tg_tiled_path(to) ? tg_tiled_from_file(from, request, to, size, &watch, error)
                                      : tg_tiled_to_file(from, to, request->limit_bytes, &watch, error);
  tg_progress_end(cli);
  return fine;
}

static TgExit convert_run(TgCli *cli) {
  TgMatrixRequest request = {0};
  TgTileSize size;
  GError *error = NULL;
  TgExit status = tg_tiled_built(cli);
  if (!status) status = check_paths(cli, cli->options.arguments[0], cli->options.arguments[1]);
  if (!status) status = request_option(cli, &request);
  if (!status) status = tg_tile_option(cli, &size);
  if (status) return status;
  if (!convert(cli, &request, size, &error)) return tg_tiled_report(cli, error);
  if (!cli->options.quiet) tg_print_line(cli, "%s: written", cli->options.arguments[1]);
  return TG_EXIT_DONE;
}

static const TgExample convert_examples[] = {
    {"convert A.npy A.tg", "cut a NumPy file into tiles"},
    {"convert C.tg C.npy", "write the tiled file as a NumPy file"},
    {"convert A.raw A.tg --size 4096x1024 --type f32 --tile 256x256", "cut a file of bare elements into larger tiles"},
    {NULL, NULL},
};

const TgCommand tg_command_convert = {
    .name = "convert",
    .arguments = "FROM TO",
    .summary = "convert a matrix between a tiled file (.tg) and .npy, .mtx or .raw",
    .details = "Memory holds one band of the matrix at a time. Only .mtx files must fit in memory as a whole.",
    .examples = convert_examples,
    .options = (const char *const[]){"size:convert", "type:convert", "tile", "memory-limit", "quiet", NULL},
    .arguments_min = 2,
    .arguments_max = 2,
    .run = convert_run,
};
