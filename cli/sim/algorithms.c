/* Several ALGOs on one command line. */
#include "algorithms.h"
#include "sim.h"

#include "shape.h"

#include <string.h>

/* What computes something else is no slower and no faster. */
static TgExit check_computes(const TgCli *cli, const char *command, const TgProblem *problem, TgComputes *computes,
                             char **name) {
  const TgComputes *now = &problem->schedule.computes;
  char first[TG_FORMULA_BYTES], other[TG_FORMULA_BYTES];
  if (!*name) {
    *computes = *now;
    *name = g_strdup(tg_problem_name(problem));
  }
  tg_computes_text(computes, first);
  tg_computes_text(now, other);
  if (strcmp(first, other) == 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE,
                   "%s: %s computes %s, %s computes %s: a table compares times of schedules that compute the same",
                   command, *name, first, tg_problem_name(problem), other);
}

TgExit tg_algorithms_check(const TgCli *cli, const char *command) {
  char **set = cli->options.set, **algo = cli->options.arguments;
  g_autofree char *first = NULL;
  TgComputes computes;
  g_autofree bool *taken = g_new0(bool, set ? g_strv_length(set) + 1 : 1);
  for (; *algo; algo++) {
    g_auto(TgProblem) problem = {0};
    if (strcmp(*algo, "-") == 0)
      return tg_report(cli, TG_EXIT_USAGE,
                       "%s: a schedule on standard input is read once; for tables, put it in a file", command);
    TgExit status = tg_problem_parse(cli, &problem, *algo);
    if (!status) status = check_computes(cli, command, &problem, &computes, &first);
    if (status) return status;
    for (int i = 0; set && set[i]; i++) taken[i] = taken[i] || tg_sim_takes(&problem, set[i]);
  }
  for (int i = 0; set && set[i]; i++)
    if (!taken[i]) return tg_report(cli, TG_EXIT_USAGE, "--set %s: none of the ALGOs has such a parameter", set[i]);
  return TG_EXIT_DONE;
}
