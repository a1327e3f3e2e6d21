/* What `sim` was told, in words and for programs: a prediction names all that it depends on. */
#include "sim.h"

static void add_random(GString *text, const TgCostOptions *options) {
  char time[32];
  tg_time_text(options->skew_s, time, sizeof time);
  if (options->skew_s > 0) g_string_append_printf(text, ", skew %s", time);
  if (options->jitter > 0) g_string_append_printf(text, ", jitter %g", options->jitter);
  if (options->straggler >= 0)
    g_string_append_printf(text, ", straggler %" PRId64 ":%g", options->straggler, options->straggler_factor);
  if (options->skew_s > 0 || options->jitter > 0) g_string_append_printf(text, ", seed %" PRIu64, options->seed);
}

static void add_place(GString *text, const TgOptions *options, const TgTierOptions *tiers) {
  if (!tiers->used) return;
  g_string_append_printf(text, ", blocks from %s", tg_place_name(tiers->from));
  if (options->tiles) g_string_append_printf(text, ", tiles %s", options->tiles);
  if (options->pipeline) g_string_append_printf(text, ", pipeline %s", options->pipeline);
  if (options->in_memory) g_string_append_printf(text, ", in memory %s", options->in_memory);
  if (options->by_rows) g_string_append_printf(text, ", by rows %s", options->by_rows);
}

char *tg_sim_settings_text(const TgCli *cli, const TgSimRun *run) {
  const TgCostOptions *options = &run->options;
  GString *text = g_string_new(NULL);
  g_string_printf(text, "model %s%s, collectives %s, overlap %s", tg_cost_model_name(options->model),
                  options->fair_equal ? " with equal shares" : "", tg_collective_name(options->collective),
                  options->overlap ? "on" : "off");
  add_random(text, options);
  add_place(text, &cli->options, &options->tiers);
  return g_string_free(text, FALSE);
}

static void write_straggler(TgJson *json, const TgCostOptions *options) {
  if (options->straggler < 0) {
    tg_json_member_string(json, "straggler", NULL);
    return;
  }
  tg_json_key(json, "straggler");
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_integer(json, "node", options->straggler);
  tg_json_member_double(json, "factor", options->straggler_factor);
  tg_json_end_object(json);
}

void tg_sim_write_settings(TgJson *json, const TgCostOptions *options) {
  tg_json_member_double(json, "skew_s", options->skew_s);
  tg_json_member_double(json, "jitter", options->jitter);
  write_straggler(json, options);
  tg_json_member_integer(json, "seed", (int64_t)options->seed);
  tg_json_member_string(json, "from", options->tiers.used ? tg_place_name(options->tiers.from) : NULL);
}
