/* What `verify` says to programs. */
#include "verify.h"

#include "shape.h"

#include <math.h>

static void write_bounds(TgJson *json, const TgVerdict *verdict) {
  const TgBounds *bounds = &verdict->bounds;
  double received = tg_bounds_received(bounds);
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
  tg_json_member_double(json, "memory_words", bounds->memory);
  tg_json_member_double(json, "memory_ratio", (double)verdict->counts.words_per_processor_max / bounds->memory);
  tg_json_end_object(json);
}

static void write_verdict(TgJson *json, const TgVerdict *verdict) {
  tg_json_member_string(json, "grid", verdict->grid);
  tg_json_member_integer(json, "processors", verdict->processors);
  tg_json_member_integer(json, "steps", verdict->steps);
  tg_json_member_integer(json, "statements", verdict->counts.statements);
  tg_json_member_integer(json, "products", verdict->counts.products);
  tg_json_member_integer(json, "messages", verdict->counts.messages);
  tg_json_member_integer(json, "blocks_per_processor_max", verdict->counts.blocks_per_processor_max);
  tg_json_member_integer(json, "m", verdict->m);
  tg_json_member_integer(json, "n", verdict->n);
  tg_json_member_integer(json, "k", verdict->k);
  tg_json_member_integer(json, "words_received_max", verdict->words_received_max);
  tg_json_member_integer(json, "memory_words_max", verdict->counts.words_per_processor_max);
  write_bounds(json, verdict);
}

static void write_values(TgJson *json, const TgRanges *ranges, const int64_t *value) {
  tg_json_key(json, "parameters");
  tg_json_begin_object(json, TG_JSON_ROW);
  for (int i = 0; i < ranges->count; i++) tg_json_member_integer(json, ranges->range[i].name, value[i]);
  tg_json_end_object(json);
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

static void write_error(TgJson *json, const TgVerification *verification) {
  const TgSchedule *schedule = &verification->problem.schedule;
  const TgError *failure = &verification->failure;
  int64_t coordinate[TG_MAX_DIMS];
  tg_json_key(json, "error");
  tg_json_begin_object(json, TG_JSON_LINES);
  if (verification->range) {
    write_values(json, &verification->ranges, verification->failed.value);
    tg_json_member_string(json, "grid", verification->failed.grid);
  }
  tg_json_member_integer(json, "step", failure->step);
  tg_json_key(json, "statement");
  if (failure->line > 0)
    tg_json_integer(json, failure->line);
  else
    tg_json_null(json);
  tg_json_key(json, "processor");
  tg_json_begin_array(json, TG_JSON_ROW);
  if (failure->processor >= 0) tg_schedule_coordinates(schedule, failure->processor, coordinate);
  for (int c = 0; failure->processor >= 0 && c < schedule->dims; c++) tg_json_integer(json, coordinate[c]);
  tg_json_end_array(json);
  tg_json_member_string(json, "message", failure->message);
  tg_json_end_object(json);
}

static void write_warnings(TgJson *json, const TgVerification *verification) {
  tg_json_key(json, "warnings");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint i = 0; i < verification->warnings->len; i++) tg_json_string(json, verification->warnings->pdata[i]);
  tg_json_end_array(json);
}

void tg_verification_write(TgJson *json, const TgVerification *verification) {
  char formula[TG_FORMULA_BYTES];
  tg_computes_text(&verification->problem.schedule.computes, formula);
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_bool(json, "ok", verification->ok && verification->verdicts->len > 0);
  tg_json_member_string(json, "algorithm", tg_problem_name(&verification->problem));
  tg_json_member_string(json, "computes", formula);
  tg_json_member_string(json, "collective", tg_collective_name(verification->collective));
  if (verification->range)
    write_sizes(json, verification);
  else
    write_verdict(json,
                  verification->ok ? &g_array_index(verification->verdicts, TgVerdict, 0) : &verification->failed);
  write_warnings(json, verification);
  if (!verification->ok) write_error(json, verification);
  tg_json_end_object(json);
}
