#include "flow.h"

#include <math.h>

#include "palette.h"

void tg_flow_label(const TgFrame *frame, const TgFlow *flow, GString *text) {
  (void)frame;
  if (flow->first_round >= 0 && !flow->link_by_link) {
    g_string_append_printf(text, "%d", flow->first_round + 1);
    if (flow->last_round > flow->first_round) g_string_append_printf(text, "–%d", flow->last_round + 1);
  }
  if (flow->blocks < 1.5) return;
  if (text->len > 0) g_string_append(text, ": ");
  g_string_append_printf(text, "×%d", (int)lround(flow->blocks));
}

void tg_flow_title(const TgFrame *frame, const TgFlow *flow, GString *text) {
  if (flow->messages == 1)
    tg_block_name_append(text, &frame->message[flow->message].block);
  else
    g_string_append_printf(text, "%d messages with blocks of %s", flow->messages, tg_matrix_style[flow->matrix].name);
  g_string_append(text, ": ");
  tg_processor_append(text, frame->schedule, flow->from);
  g_string_append(text, " → ");
  tg_processor_append(text, frame->schedule, flow->to);
  if (flow->first_round >= 0) g_string_append_printf(text, ", round %d", flow->first_round + 1);
}

void tg_flow_id(const TgFrame *frame, const TgFlow *flow, GString *text) {
  if (flow->link_by_link) {
    g_string_append_printf(text, "f-%" G_GINT64_FORMAT "-%s-", frame->step, tg_matrix_style[flow->matrix].name);
    tg_processor_id_append(text, frame->schedule, flow->from);
    g_string_append_c(text, '-');
    tg_processor_id_append(text, frame->schedule, flow->to);
  } else {
    tg_message_id_append(text, frame->step, flow->message);
  }
}

double tg_flow_pen(const TgFlow *flow) {
  return 1.2 + 1.6 * log2(1 + flow->blocks);
}
