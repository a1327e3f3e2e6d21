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
    {"verify cannon --grid 4x4", "one size: the proof, what is sent and held, and the lower bounds on both"},
    {"verify cannon25d --for q=1..8,c=1..4",
     "every combination; sizes that the schedule is not made for are counted, not checked"},
    {"verify summa-panels --grid 4x4 --set b=2 --size 64x32x16",
     "words counted for C of 64 x 32 and inner dimension 16"},
    {"verify --all --for 1..5", "every schedule of the library, every parameter from 1 to 5"},
    {"verify dns --grid 4x4x4 --collective binomial --json", "with collectives in rounds, for another program"},
    {NULL, NULL},
};

const TgCommand tg_command_verify = {
    .name = "verify",
    .arguments = "ALGO",
    .summary = "check that a schedule computes its product, or say where it fails",
    .details =
        "Runs the schedule on the names of blocks: every read must find a block, no slot may be written twice at "
        "once, inner indices must agree, and every block of C must end in its place with every inner index exactly "
        "once. Says what that costs beside the known lower bounds.\nALGO is a name of the library or the path of a "
        ".sched file. Without -n or --size, words are counted at the smallest sizes from 1024 on that make all "
        "blocks equal. A failure names step, processor and line, and exits with 3.",
    .examples = examples,
    .options = options,
    .arguments_max = 1,
    .run = run,
};
