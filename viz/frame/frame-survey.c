#include <stdlib.h>

#include "frame-network.h"
#include "frame-private.h"

void tg_frame_set_failure(GError **error, const TgError *failure) {
  const TgDrawError code = failure->cause == TG_CAUSE_STOPPED  ? TG_DRAW_ERROR_STOPPED
                           : failure->cause == TG_CAUSE_MEMORY ? TG_DRAW_ERROR_MEMORY
                                                               : TG_DRAW_ERROR_SCHEDULE;
  g_set_error_literal(error, TG_DRAW_ERROR, code, failure->message);
}

typedef struct Survey {
  TgFrame *frame;
  const TgState *state;
} Survey;

/* Collectives left whole are drawn from neighbour to neighbour and never round the edge. */
static bool is_drawn_along(const Survey *survey) {
  const TgStatement *statement = &survey->frame->schedule->statement[tg_state_walk(survey->state)->statement];
  return survey->frame->whole && statement->op != TG_OP_MOVE && statement->op != TG_OP_ADD;
}

static void on_message(void *user, const TgMessage *message, TgValueId value) {
  Survey *survey = user;
  TgFrame *frame = survey->frame;
  int64_t from[TG_MAX_DIMS] = {0}, to[TG_MAX_DIMS] = {0};
  (void)value;
  tg_schedule_coordinates(frame->schedule, message->from, from);
  tg_schedule_coordinates(frame->schedule, message->to, to);
  for (int c = 0; c < frame->schedule->dims; c++)
    if (from[c] != to[c]) frame->moved_axes = (uint8_t)(frame->moved_axes | 1u << c);
  if (is_drawn_along(survey)) return;
  for (int c = 0; c < frame->schedule->dims; c++) {
    int64_t hops = llabs(to[c] - from[c]), back = frame->schedule->extent[c] - hops;
    bool round = tg_frame_goes_round(frame) && back < hops;
    if (round) frame->round_axes = (uint8_t)(frame->round_axes | 1u << c);
    if (MIN(hops, round ? back : hops) > 1) frame->far_axes = (uint8_t)(frame->far_axes | 1u << c);
  }
}

static void grow_length(TgFrame *frame, const TgState *state, int buffer) {
  int32_t length = tg_state_length(state, buffer);
  for (int64_t p = 0; p < frame->processors && frame->length[buffer] < length; p++) {
    int32_t index = length - 1;
    while (index >= frame->length[buffer] && tg_state_slot(state, p, buffer, index) == 0) index--;
    frame->length[buffer] = MAX(frame->length[buffer], index + 1);
  }
}

bool tg_frame_survey(TgFrames *frames, GError **error) {
  TgFrame *frame = &frames->frame;
  Survey survey = {.frame = frame};
  TgStateHooks hooks = {.user = &survey, .message = on_message, .watch = frames->options.watch};
  TgError failure;
  TgState *state = tg_state_new(frame->schedule, frame->names, frames->options.collective, &hooks, &failure);
  TgProgress progress = state ? TG_PROGRESS_MORE : TG_PROGRESS_ERROR;
  survey.state = state;
  while (progress == TG_PROGRESS_MORE) {
    for (int b = 0; b < frame->schedule->buffers; b++) grow_length(frame, state, b);
    progress = tg_state_next_step(state, &failure);
  }
  for (int b = 0; state && b < frame->schedule->buffers; b++) grow_length(frame, state, b);
  bool done =
      progress != TG_PROGRESS_ERROR || (state && frames->options.to_the_error && failure.cause != TG_CAUSE_STOPPED);
  if (!done) tg_frame_set_failure(error, &failure);
  if (state) tg_state_free(state);
  return done;
}
