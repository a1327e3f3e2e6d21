/* What --sweep says: `n=512..16384:x2,p=16,64,256`. */
#include "sweep.h"

#include <string.h>

static const char expected[] = "expected n or p with values, as in n=512..16384:x2,p=16,64,256";

static TgExit add_value(const TgCli *cli, GArray *values, int64_t value) {
  if (values->len == TG_SWEEP_VALUES)
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: more than %d values, expected at most that many", TG_SWEEP_VALUES);
  g_array_append_val(values, value);
  return TG_EXIT_DONE;
}

/* ":x2" multiplies, ":+512" adds; without, it doubles. */
static TgExit read_stride(const TgCli *cli, const char *part, const char *text, int64_t *factor, int64_t *summand) {
  *factor = 2;
  *summand = 0;
  if (!text) return TG_EXIT_DONE;
  if (text[0] == 'x') return tg_number_parse(cli, "--sweep", text + 1, 2, INT32_MAX, factor);
  *factor = 1;
  if (text[0] == '+') return tg_number_parse(cli, "--sweep", text + 1, 1, INT32_MAX, summand);
  return tg_report(cli, TG_EXIT_USAGE,
                   "--sweep: `%s` in `%s`, expected x and a factor or + and a step, as in "
                   "512..16384:x2 or 512..4096:+512",
                   text, part);
}

static TgExit add_range(const TgCli *cli, GArray *values, const char *part, int64_t most) {
  g_auto(GStrv) halves = g_strsplit(part, ":", 2);
  g_auto(GStrv) ends = g_strsplit(halves[0] ? halves[0] : "", "..", 2);
  int64_t first = 0, last = 0, factor, summand;
  if (!ends[0] || !*ends[0] || (ends[1] && !*ends[1]))
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: `%s` is no value and no range, %s", part, expected);
  if (halves[1] && !ends[1])
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: `%s`: a step goes with a range, as in 512..16384:%s", part,
                     halves[1]);
  TgExit status = tg_number_parse(cli, "--sweep", ends[0], 1, most, &first);
  last = first;
  if (!status && ends[1]) status = tg_number_parse(cli, "--sweep", ends[1], 1, most, &last);
  if (!status && last < first)
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: the range %s is empty: its end is less than its beginning", part);
  if (!status) status = read_stride(cli, part, halves[1], &factor, &summand);
  for (int64_t value = first; !status && value <= last; value = value * factor + summand)
    status = add_value(cli, values, value);
  return status;
}

static gint compare_values(gconstpointer a, gconstpointer b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Ascending, each once. */
static void settle(GArray *values) {
  g_array_sort(values, compare_values);
  for (guint i = values->len; i-- > 1;)
    if (g_array_index(values, int64_t, i) == g_array_index(values, int64_t, i - 1)) g_array_remove_index(values, i);
}

static TgExit find_variable(const TgCli *cli, TgSweep *sweep, const char *part, GArray **values) {
  const char *sign = strchr(part, '=');
  if (!sign) return TG_EXIT_DONE;
  g_autofree char *name = g_strndup(part, (gsize)(sign - part));
  *values = strcmp(name, "n") == 0 ? sweep->n : strcmp(name, "p") == 0 ? sweep->p : NULL;
  if (!*values) return tg_report(cli, TG_EXIT_USAGE, "--sweep: nothing called `%s`, %s", name, expected);
  if ((*values)->len) return tg_report(cli, TG_EXIT_USAGE, "--sweep: %s is given twice", name);
  return TG_EXIT_DONE;
}

TgExit tg_sweep_read(const TgCli *cli, TgSweep *sweep) {
  GArray *values = NULL;
  TgExit status = TG_EXIT_DONE;
  if (!cli->options.sweep) return status;
  g_auto(GStrv) parts = g_strsplit(cli->options.sweep, ",", -1);
  for (char **part = parts; *part && !status; part++) {
    const char *sign = strchr(*part, '=');
    status = find_variable(cli, sweep, *part, &values);
    if (!status && !values)
      return tg_report(cli, TG_EXIT_USAGE, "--sweep: `%s` has no name before it, %s", *part, expected);
    if (!status)
      status = add_range(cli, values, sign ? sign + 1 : *part, values == sweep->p ? TG_MAX_PROCESSORS : INT32_MAX);
  }
  if (!*parts) return tg_report(cli, TG_EXIT_USAGE, "--sweep: %s", expected);
  settle(sweep->n);
  settle(sweep->p);
  if (!status && (int64_t)MAX(sweep->n->len, 1) * MAX(sweep->p->len, 1) > TG_SWEEP_POINTS)
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: more than %d points, expected at most that many", TG_SWEEP_POINTS);
  return status;
}
