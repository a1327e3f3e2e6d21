/* topogemm generate: a tiled file of random numbers. */
#include "output.h"
#include "progress.h"
#include "tiled.h"

#include "text-units.h"

enum { LARGEST_INTEGER = 4 };

static TgExit tiling_option(const TgCli *cli, TgTiling *tiling) {
  const TgOptions *options = &cli->options;
  TgTileSize size;
  TgElement type = TG_F32;
  int64_t rows = 0, columns = 0;
  if ((options->n != NULL) == (options->size != NULL))
    return tg_report(cli, TG_EXIT_USAGE, "generate: expected -n N or --size ROWSxCOLUMNS");
  TgExit status = tg_number_parse(cli, "-n", options->n, 1, INT64_MAX >> 16, &rows);
  columns = rows;
  if (!status) status = tg_extents_parse(cli, "--size", options->size, &rows, &columns);
  if (!status) status = tg_type_option(cli, &type);
  if (!status) status = tg_tile_option(cli, &size);
  if (status) return status;
  *tiling = tg_tiling_default(type, rows, columns);
  if (size.rows) tiling->tile_rows = MIN(size.rows, rows);
  if (size.columns) tiling->tile_columns = MIN(size.columns, columns);
  return TG_EXIT_DONE;
}

static bool generate(TgCli *cli, const char *path, const TgTiling *tiling, uint64_t seed, GError **error) {
  TgProgressLine line;
  if (!tg_tiling_check(tiling, error)) return false;
  tg_progress_begin(&line, cli, "generate", tg_tiling_count(tiling));
  const TgWatch watch = tg_progress_watch(&line);
  const bool fine = tg_tiled_generate(path, tiling, seed, cli->options.integers ? LARGEST_INTEGER : 0, &watch, error);
  tg_progress_end(cli);
  return fine;
}

static TgExit generate_run(TgCli *cli) {
  const char *path = cli->options.arguments[0];
  TgTiling tiling;
  uint64_t seed = 1;
  GError *error = NULL;
  TgExit status = tg_tiled_built(cli);
  if (!status && !tg_tiled_path(path))
    status =
        tg_report(cli, TG_EXIT_USAGE, "%s: expected a name that ends in .tg; `convert` writes other formats", path);
  if (!status) status = tiling_option(cli, &tiling);
  if (!status) status = tg_seed_option(cli, &seed);
  if (status) return status;
  if (!generate(cli, path, &tiling, seed, &error)) return tg_tiled_report(cli, error);
  if (!cli->options.quiet)
    tg_print_line(cli, "%s: %" PRId64 "x%" PRId64 " %s in tiles of %" PRId64 "x%" PRId64 ", %s", path, tiling.rows,
                  tiling.columns, tg_element_name(tiling.type), tiling.tile_rows, tiling.tile_columns,
                  tg_bytes_text((double)tg_tiling_file_bytes(&tiling)).s);
  return TG_EXIT_DONE;
}

static const TgExample generate_examples[] = {
    {"generate A.tg -n 4096", "write a matrix of 4096x4096 random numbers in [-1, 1)"},
    {"generate B.tg --size 4096x1024 --type f64 --seed 2", "the same for a rectangular one, in double precision"},
    {"generate C.tg -n 4096 --tile 512x512 --integers", "use larger tiles, and whole numbers from -4 to 4"},
    {NULL, NULL},
};

const TgCommand tg_command_generate = {
    .name = "generate",
    .arguments = "FILE.tg",
    .summary = "write a matrix of random numbers to a tiled file, for `huge`",
    .details = "The elements are those that `run` draws for A with the same seed. The file is written tile by tile, "
               "so that it may be larger than memory.",
    .examples = generate_examples,
    .options = (const char *const[]){"n:generate", "size:generate", "type:calibrate", "seed", "integers", "tile",
                                     "quiet", NULL},
    .arguments_min = 1,
    .arguments_max = 1,
    .run = generate_run,
};
