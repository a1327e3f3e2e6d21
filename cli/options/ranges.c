#include "ranges.h"

#include <string.h>

static int find_parameter(const TgProblem *problem, const char *name) {
  for (int p = 0; p < problem->schedule.parameters; p++)
    if (strcmp(tg_name(&problem->names, problem->names.parameter[p]), name) == 0) return p;
  return -1;
}

static TgExit unknown_parameter(const TgCli *cli, const TgProblem *problem, const char *name) {
  g_autoptr(GString) known = g_string_new(NULL);
  for (int p = 0; p < problem->schedule.parameters; p++)
    if (problem->schedule.parameter_kind[p] != TG_PARAMETER_DERIVED)
      g_string_append_printf(known, "%s%s", known->len ? ", " : "",
                             tg_name(&problem->names, problem->names.parameter[p]));
  return tg_report(cli, TG_EXIT_USAGE, "--for: schedule %s has no parameter `%s` to range over%s%s",
                   tg_problem_name(problem), name, known->len ? ", it has " : "", known->str);
}

static bool is_set(const TgCli *cli, const char *name) {
  for (char **set = cli->options.set; set && *set; set++)
    if (g_str_has_prefix(*set, name) && (*set)[strlen(name)] == '=') return true;
  return false;
}

static TgExit add_range(const TgCli *cli, TgRanges *ranges, const char *name, int64_t low, int64_t high) {
  for (int i = 0; i < ranges->count; i++)
    if (strcmp(ranges->range[i].name, name) == 0)
      return tg_report(cli, TG_EXIT_USAGE, "--for: two ranges for `%s`, give one", name);
  if (is_set(cli, name)) return tg_report(cli, TG_EXIT_USAGE, "`%s` is in --set and in --for, give one", name);
  TgRange *range = &ranges->range[ranges->count++];
  *range = (TgRange){.low = low, .high = high, .now = low};
  g_strlcpy(range->name, name, sizeof range->name);
  return TG_EXIT_DONE;
}

/* A range without a name: for each parameter that nothing else gives a value. */
static TgExit add_unnamed(const TgCli *cli, const TgProblem *problem, TgRanges *ranges, int64_t low, int64_t high) {
  TgExit status = TG_EXIT_DONE;
  for (int p = 0; p < problem->schedule.parameters && !status; p++) {
    const char *name = tg_name(&problem->names, problem->names.parameter[p]);
    if (problem->schedule.parameter_kind[p] > TG_PARAMETER_SET || is_set(cli, name)) continue;
    status = add_range(cli, ranges, name, low, high);
  }
  return status;
}

static TgExit parse_bounds(const TgCli *cli, const char *text, int64_t *low, int64_t *high) {
  g_auto(GStrv) ends = g_strsplit(text, "..", 2);
  if (!*text || !ends[0] || !*ends[0] || (ends[1] && !*ends[1]))
    return tg_report(cli, TG_EXIT_USAGE, "--for: `%s` is no range, expected one as in q=1..32", text);
  TgExit status = tg_number_parse(cli, "--for", ends[0], INT32_MIN, INT32_MAX, low);
  *high = *low;
  if (!status && ends[1]) status = tg_number_parse(cli, "--for", ends[1], INT32_MIN, INT32_MAX, high);
  if (!status && *high < *low)
    return tg_report(cli, TG_EXIT_USAGE, "--for: the range %s is empty: its end is less than its beginning", text);
  return status;
}

static TgExit parse_range(const TgCli *cli, const TgProblem *problem, bool skip_unknown, const char *text,
                          TgRanges *ranges) {
  const char *sign = strchr(text, '=');
  int64_t low = 0, high = 0;
  TgExit status = parse_bounds(cli, sign ? sign + 1 : text, &low, &high);
  if (status) return status;
  if (!sign) return add_unnamed(cli, problem, ranges, low, high);
  g_autofree char *name = g_strndup(text, (gsize)(sign - text));
  int p = find_parameter(problem, name);
  if (p < 0 && skip_unknown) return TG_EXIT_DONE;
  if (p < 0 || problem->schedule.parameter_kind[p] == TG_PARAMETER_DERIVED)
    return unknown_parameter(cli, problem, name);
  return add_range(cli, ranges, name, low, high);
}

/* Every parameter that needs a value has a range or a --set. */
static TgExit check_complete(const TgCli *cli, const TgProblem *problem, const TgRanges *ranges) {
  for (int p = 0; p < problem->schedule.parameters; p++) {
    const char *name = tg_name(&problem->names, problem->names.parameter[p]);
    bool known = problem->schedule.parameter_kind[p] > TG_PARAMETER_SET || is_set(cli, name);
    for (int i = 0; i < ranges->count && !known; i++) known = strcmp(ranges->range[i].name, name) == 0;
    if (!known)
      return tg_report(cli, TG_EXIT_USAGE,
                       "--for: `%s` of schedule %s has no value, give it a range too (%s=1..4) or --set", name,
                       tg_problem_name(problem), name);
  }
  return TG_EXIT_DONE;
}

TgExit tg_ranges_parse(const TgCli *cli, const TgProblem *problem, bool skip_unknown, TgRanges *ranges) {
  memset(ranges, 0, sizeof *ranges);
  TgExit status = TG_EXIT_DONE;
  for (char **option = cli->options.ranges; option && *option && !status; option++) {
    g_auto(GStrv) parts = g_strsplit(*option, ",", -1);
    if (!*parts) return tg_report(cli, TG_EXIT_USAGE, "--for: expected a range, as in q=1..32");
    for (char **part = parts; *part && !status; part++) status = parse_range(cli, problem, skip_unknown, *part, ranges);
  }
  if (!status && tg_ranges_combinations(ranges) > TG_RANGES_MOST)
    return tg_report(cli, TG_EXIT_USAGE, "--for: more than %d sizes, expected at most that many", TG_RANGES_MOST);
  return status || !cli->options.ranges ? status : check_complete(cli, problem, ranges);
}

void tg_ranges_first(TgRanges *ranges) {
  for (int i = 0; i < ranges->count; i++) ranges->range[i].now = ranges->range[i].low;
}

bool tg_ranges_next(TgRanges *ranges) {
  for (int i = ranges->count - 1; i >= 0; i--) {
    if (ranges->range[i].now++ < ranges->range[i].high) return true;
    ranges->range[i].now = ranges->range[i].low;
  }
  return false;
}

int64_t tg_ranges_combinations(const TgRanges *ranges) {
  int64_t combinations = 1;
  for (int i = 0; i < ranges->count && combinations <= TG_RANGES_MOST; i++)
    combinations *= ranges->range[i].high - ranges->range[i].low + 1;
  return combinations;
}

bool tg_ranges_bind(const TgRanges *ranges, TgBindings *bindings, TgError *error) {
  for (int i = 0; i < ranges->count; i++)
    if (!tg_bindings_set(bindings, ranges->range[i].name, ranges->range[i].now, error)) return false;
  return true;
}

char *tg_ranges_text(const TgRanges *ranges, bool now) {
  GString *text = g_string_new(NULL);
  for (int i = 0; i < ranges->count; i++) {
    const TgRange *range = &ranges->range[i];
    g_string_append_printf(text, "%s%s = %" PRId64, i ? ", " : "", range->name, now ? range->now : range->low);
    if (!now && range->high != range->low) g_string_append_printf(text, " to %" PRId64, range->high);
  }
  return g_string_free(text, FALSE);
}
