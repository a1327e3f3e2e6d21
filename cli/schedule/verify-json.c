/* The documents of `verify`. */
#include "verify.h"

#include "shape.h"

#include <math.h>

TG_FIELD_TABLE(verdict_fields, TG_FIELD(TgVerdict, grid), TG_FIELD(TgVerdict, processors), TG_FIELD(TgVerdict, steps),
               TG_FIELD(TgVerdict, counts.statements), TG_FIELD(TgVerdict, counts.products),
               TG_FIELD(TgVerdict, counts.messages), TG_FIELD(TgVerdict, counts.blocks_per_processor_max),
               TG_FIELD(TgVerdict, counts.words_per_processor_max), TG_FIELD(TgVerdict, words_received_max),
               TG_FIELD(TgVerdict, m), TG_FIELD(TgVerdict, n), TG_FIELD(TgVerdict, k));

static void write_verdict(TgJson *json, const TgVerdict *verdict) {
  const TgBounds *bounds = &verdict->bounds;
  const double received = tg_bounds_received(bounds);
  tg_json_members(json, verdict_fields, verdict);
  tg_json_key(json, "bounds");
  if (!bounds->apply) {
    tg_json_null(json);
    return;
  }
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_double(json, "words_received_memory_independent", bounds->independent);
  tg_json_member_double(json, "words_received_memory_dependent", bounds->dependent);
  tg_json_member_double(json, "words_received_ratio",
                        received > 0 ? (double)verdict->words_received_max / received : NAN);
  tg_json_member_double(json, "words_per_processor", bounds->memory);
  tg_json_member_double(json, "words_per_processor_ratio",
                        (double)verdict->counts.words_per_processor_max / bounds->memory);
  tg_json_end_object(json);
}

static void write_values(TgJson *json, const TgRanges *ranges, const int64_t *value) {
  TgBindings parameters = {0};
  for (int i = 0; i < ranges->count; i++) tg_bindings_set(&parameters, ranges->range[i].name, value[i], NULL);
  tg_parameters_write(json, &parameters);
}

static void write_sizes(TgJson *json, const TgVerification *verification) {
  int64_t skipped = 0;
  for (guint i = 0; i < verification->skipped->len; i++)
    skipped += g_array_index(verification->skipped, TgSkipped, i).sizes;
  tg_json_member_integer(json, "sizes_checked", verification->verdicts->len);
  tg_json_member_integer(json, "sizes_skipped", skipped);
  tg_json_key(json, "sizes");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint i = 0; i < verification->verdicts->len; i++) {
    const TgVerdict *verdict = &g_array_index(verification->verdicts, TgVerdict, i);
    tg_json_begin_object(json, TG_JSON_ROW);
    write_values(json, &verification->ranges, verdict->value);
    write_verdict(json, verdict);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

static void write_one(TgJson *json, const TgVerification *verification) {
  TgBindings parameters;
  tg_parameters_of(&verification->problem.schedule, &verification->problem.names, &parameters);
  tg_parameters_write(json, &parameters);
  write_verdict(json, verification->ok ? &g_array_index(verification->verdicts, TgVerdict, 0) : &verification->failed);
}

static void write_error(TgJson *json, const TgVerification *verification) {
  tg_json_key(json, "error");
  tg_json_begin_object(json, TG_JSON_LINES);
  if (verification->range) {
    write_values(json, &verification->ranges, verification->failed.value);
    tg_json_member_string(json, "grid", verification->failed.grid);
  }
  tg_failure_write(json, &verification->problem.schedule, &verification->failure);
  tg_json_end_object(json);
}

void tg_verification_write(TgJson *json, const TgVerification *verification) {
  char formula[TG_FORMULA_BYTES];
  tg_computes_text(&verification->problem.schedule.computes, formula);
  tg_json_begin_document(json, verification->range ? "verify-range" : "verify");
  tg_json_member_bool(json, "ok", verification->ok && verification->verdicts->len > 0);
  tg_json_member_string(json, "algorithm", tg_problem_name(&verification->problem));
  tg_json_member_string(json, "computes", formula);
  tg_json_member_string(json, "collective", tg_collective_name(verification->collective));
  if (verification->range)
    write_sizes(json, verification);
  else
    write_one(json, verification);
  tg_json_key(json, "warnings");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint i = 0; i < verification->warnings->len; i++) tg_json_string(json, verification->warnings->pdata[i]);
  tg_json_end_array(json);
  if (!verification->ok) write_error(json, verification);
  tg_json_end_object(json);
}
