/* Options whose values are numbers, sizes and names. */
#include "algo.h"

#include "decimal.h"

#include <string.h>

TgExit tg_number_parse(const TgCli *cli, const char *option, const char *text, int64_t low, int64_t high,
                       int64_t *number) {
  GError *error = NULL;
  if (g_ascii_string_to_signed(text, 10, low, high, number, &error)) return TG_EXIT_DONE;
  bool range = g_error_matches(error, G_NUMBER_PARSER_ERROR, G_NUMBER_PARSER_ERROR_OUT_OF_BOUNDS);
  g_error_free(error);
  if (range && low > INT64_MIN)
    return tg_report(cli, TG_EXIT_USAGE, "%s: %s is not from %" PRId64 " to %" PRId64, option, text, low, high);
  if (range) return tg_report(cli, TG_EXIT_USAGE, "%s: %s is too large or too small", option, text);
  return tg_report(cli, TG_EXIT_USAGE, "%s: `%s` is no whole number", option, text);
}

bool tg_real_read(const char *text, double *value) {
  return tg_decimal_read(text, strlen(text), value) == TG_DECIMAL_READ;
}

TgExit tg_real_parse(const TgCli *cli, const char *option, const char *text, double least, double *value) {
  const TgDecimal read = text ? tg_decimal_read(text, strlen(text), value) : TG_DECIMAL_READ;
  if (!text || (read == TG_DECIMAL_READ && *value >= least)) return TG_EXIT_DONE;
  if (read == TG_DECIMAL_SMALL && least <= 0)
    return tg_report(cli, TG_EXIT_USAGE, "%s %s: too small, it would be rounded to 0; write 0 if you mean 0", option,
                     text);
  return tg_report(cli, TG_EXIT_USAGE, "%s %s: expected a finite number of at least %g", option, text, least);
}

static TgExit size_option(const TgCli *cli, const char *text, int64_t *const sizes[3]) {
  g_auto(GStrv) parts = g_strsplit(text, "x", -1);
  if (g_strv_length(parts) != 3)
    return tg_report(cli, TG_EXIT_USAGE, "--size %s: expected three sizes joined by x, as in --size 8x12x16", text);
  TgExit status = TG_EXIT_DONE;
  for (int i = 0; i < 3 && !status; i++) status = tg_number_parse(cli, "--size", parts[i], 1, INT32_MAX, sizes[i]);
  return status;
}

TgExit tg_sizes_parse(const TgCli *cli, int64_t *m, int64_t *n, int64_t *k, bool *given) {
  const TgOptions *options = &cli->options;
  *given = options->n || options->size;
  if (options->n && options->size) return tg_report(cli, TG_EXIT_USAGE, "-n and --size: give one of them");
  if (options->size) return size_option(cli, options->size, (int64_t *const[3]){m, n, k});
  if (!options->n) return TG_EXIT_DONE;
  TgExit status = tg_number_parse(cli, "-n", options->n, 1, INT32_MAX, m);
  *n = *k = *m;
  return status;
}

TgExit tg_collective_option(const TgCli *cli, TgCollective *collective) {
  TgError error = {0};
  *collective = TG_COLLECTIVE_WHOLE;
  if (!cli->options.collective || tg_collective_parse(cli->options.collective, collective, &error)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--collective: %s", error.message);
}

static bool network_of(const TgCli *cli, const TgSchedule *schedule, TgTopology *network, TgError *error) {
  if (cli->options.network) return tg_topology_parse(network, cli->options.network, error);
  return tg_topology_of_grid(network, schedule->dims, schedule->extent, error);
}

TgExit tg_network_option(const TgCli *cli, const TgSchedule *schedule, TgTopology *network, TgEmbedding *embedding) {
  TgError error = {0};
  TgEmbeddingKind kind = TG_ROWMAJOR;
  if (!network_of(cli, schedule, network, &error)) return tg_report(cli, TG_EXIT_USAGE, "--network: %s", error.message);
  if (cli->options.embed && !tg_embedding_kind_parse(&kind, cli->options.embed, &error))
    return tg_report(cli, TG_EXIT_USAGE, "--embed: %s", error.message);
  if (!tg_embedding_init(embedding, kind, schedule->dims, schedule->extent, network, &error))
    return tg_report(cli, TG_EXIT_USAGE, "the grid does not go on the network: %s", error.message);
  return TG_EXIT_DONE;
}
