/* The predicted time, and the elements of small matrices. */
#include "core-private.h"
#include "cost.h"
#include "counter-random.h"

/** An element of the matrices that `step --integers` draws: `seed` is twice the option's, one more for B. */
EXPORT(integer) int32_t integer(double seed, double index) {
  enum { LARGEST = 4 };
  return tg_random_integer((uint64_t)seed, (uint64_t)index, -LARGEST, LARGEST);
}

static bool predict(const Lab *lab, int64_t m, int64_t n, int64_t k, int32_t element_bytes, const char *machine_text,
                    size_t length, TgCost *cost, TgError *error) {
  GError *failure = NULL;
  TgMachine *machine = g_new0(TgMachine, 1);
  TgShape shape;
  const TgCostOptions options = {.model = TG_COST_HOCKNEY,
                                 .collective = lab->settings.collective,
                                 .overlap = true,
                                 .explain = true,
                                 .straggler = -1,
                                 .straggler_factor = 1,
                                 .element_bytes = element_bytes};
  bool done = tg_machine_parse(machine, machine_text, length, error);
  if (done)
    done = tg_shape_init(&shape, &lab->schedule.computes, m, n, k, &failure) &&
           tg_cost_predict(&lab->schedule, &lab->names, &shape, &lab->network, lab->settings.embedding, machine,
                           &options, cost, &failure);
  if (failure) tg_error_set(error, 0, 0, "%s", failure->message);
  g_clear_error(&failure);
  g_free(machine);
  return done;
}

/** The time that model hockney predicts for C m x n and inner dimension k on a machine file, and where that of the
 * processor that ends last goes; in this model no message contends, and all begin at once. */
EXPORT(time_of)
void time_of(const Lab *lab, double m, double n, double k, int32_t element_bytes, const char *machine, size_t length) {
  TG_FIELD_TABLE(fields, TG_FIELD(TgCost, time_s), TG_FIELD(TgCost, compute_s), TG_FIELD(TgCost, communication_s),
                 TG_FIELD(TgCost, messages), TG_FIELD(TgCost, bytes), TG_FIELD(TgCost, hop_bytes));
  TG_FIELD_TABLE(part_fields, TG_FIELD(TgTimeParts, products_s), TG_FIELD(TgTimeParts, additions_s),
                 TG_FIELD(TgTimeParts, latency_s), TG_FIELD(TgTimeParts, bytes_s), TG_FIELD(TgTimeParts, waiting_s));
  TgError error = {0};
  TgCost cost = {0};
  begin_answer();
  if (predict(lab, (int64_t)m, (int64_t)n, (int64_t)k, element_bytes, machine, length, &cost, &error)) {
    const TgTimeParts parts = tg_cost_parts(&cost);
    tg_json_members(json, fields, &cost);
    tg_json_member_object(json, "parts", TG_JSON_ROW);
    tg_json_members(json, part_fields, &parts);
    tg_json_end_object(json);
    tg_json_member_array(json, "step", TG_JSON_ROW);
    for (int64_t s = 0; s < cost.trace.steps && s < STEPS_LISTED; s++) {
      const TgTraceStep *one = &cost.trace.step[s];
      tg_json_begin_array(json, TG_JSON_ROW);
      tg_json_double(json, one->start_s);
      tg_json_double(json, one->end_s);
      write_integers((int64_t[]){one->messages, one->bytes, one->hop_bytes}, 3);
      tg_json_begin_object(json, TG_JSON_ROW);
      tg_json_members(json, part_fields, &cost.parts[s]);
      tg_json_end_object(json);
      tg_json_end_array(json);
    }
    tg_json_end_array(json);
    tg_cost_clear(&cost);
  } else {
    write_error("machine", &error);
  }
  end_answer();
}
