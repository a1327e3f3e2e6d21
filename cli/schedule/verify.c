/* topogemm verify: does the schedule compute its product, and what does it cost beside the lower bounds? */
#include "output.h"
#include "verify.h"

#include "algo-library.h"

static TgExit check_options(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  if (options->all && options->arguments) return tg_report(cli, TG_EXIT_USAGE, "verify: give ALGO or --all, not both");
  if (!options->all && !options->arguments)
    return tg_report(cli, TG_EXIT_USAGE, "verify: expected ALGO or --all; see `topogemm verify --help`");
  if (options->grid && options->ranges) return tg_report(cli, TG_EXIT_USAGE, "verify: give --grid or --for, not both");
  if (options->all && !options->ranges)
    return tg_report(cli, TG_EXIT_USAGE, "verify --all: expected --for, as in --for 1..6");
  return TG_EXIT_DONE;
}

static TgExit verify_one(TgCli *cli) {
  g_auto(TgVerification) verification = {0};
  TgExit status = tg_problem_parse(cli, &verification.problem, cli->options.arguments[0]);
  if (!status) status = tg_verification_run(cli, &verification, false);
  if (status) return status;
  if (cli->options.json) {
    g_autoptr(TgJson) json = tg_json_new();
    tg_verification_write(json, &verification);
    tg_print_json(cli, json);
  } else if (verification.ok && !cli->options.quiet) {
    tg_verification_print(cli, &verification);
  }
  return verification.ok ? TG_EXIT_DONE : tg_verification_report(cli, &verification);
}

static TgExit verify_entry(TgCli *cli, const char *name, TgTable *table, TgJson *json) {
  g_auto(TgVerification) verification = {0};
  TgExit status = tg_problem_parse(cli, &verification.problem, name);
  if (!status) status = tg_verification_run(cli, &verification, true);
  if (status) return status;
  tg_verification_add(table, &verification);
  tg_verification_write(json, &verification);
  return verification.ok ? TG_EXIT_DONE : tg_verification_report(cli, &verification);
}

static TgExit verify_all(TgCli *cli) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  g_autoptr(TgTable) table = tg_verification_table();
  g_autoptr(TgJson) json = tg_json_new();
  TgExit worst = TG_EXIT_DONE;
  tg_json_begin_document(json, "verify-all");
  tg_json_key(json, "schedules");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (size_t i = 0; i < count; i++) {
    TgExit status = verify_entry(cli, entries[i].name, table, json);
    if (status && status != TG_EXIT_WRONG) return status;
    worst = MAX(worst, status);
  }
  tg_json_end_array(json);
  tg_json_member_bool(json, "ok", worst == TG_EXIT_DONE);
  tg_json_end_object(json);
  if (cli->options.json)
    tg_print_json(cli, json);
  else if (!cli->options.quiet)
    tg_verification_print_table(cli, table);
  return worst;
}

static TgExit run(TgCli *cli) {
  TgExit status = check_options(cli);
  if (status) return status;
  return cli->options.all ? verify_all(cli) : verify_one(cli);
}

static const char *const options[] = {"grid",       "set",  "for",   "all",          "n", "size",
                                      "collective", "json", "quiet", "memory-limit", NULL};
static const TgExample examples[] = {
    {"verify cannon --grid 4x4", "one grid: the proof, words sent and held, and the lower bounds on both"},
    {"verify cannon25d --for q=1..8,c=1..4",
     "every combination; sizes that the schedule does not support are counted, not checked"},
    {"verify summa-panels --grid 4x4 --set b=2 --size 64x32x16",
     "words counted for C of 64 x 32 and inner dimension 16"},
    {"verify --all --for 1..5", "every schedule of the library, with every parameter from 1 to 5"},
    {"verify dns --grid 4x4x4 --collective binomial --json", "with collectives in rounds, as JSON"},
    {NULL, NULL},
};

const TgCommand tg_command_verify = {
    .name = "verify",
    .arguments = "ALGO",
    .summary = "prove that a schedule computes its product, or show where it fails",
    .details = "Executes the schedule on the names of blocks. Every read must find a block, no slot may be written "
               "twice at the same time, inner indices must match, and every block of C must end in its place with each "
               "inner index added exactly once. Then reports the cost next to the known lower bounds.\n"
               "ALGO is a name from `topogemm list algorithms` or the path of a .sched file. Without -n or --size, "
               "words are counted at the smallest sizes from 1024 on that make all blocks equal. A schedule that fails "
               "exits with 3, and the report names the step, the processor and the line.",
    .examples = examples,
    .options = options,
    .arguments_max = 1,
    .run = run,
};
