#include "stepper-private.h"

int64_t tg_stepper_position(const TgStepper *stepper) {
  return stepper->tally.trace.steps;
}

int64_t tg_stepper_steps(const TgStepper *stepper) {
  return stepper->steps;
}

const char *tg_stepper_label(const TgStepper *stepper) {
  return stepper->label;
}

const char *tg_stepper_note(const TgStepper *stepper) {
  return stepper->note;
}

const TgError *tg_stepper_failure(const TgStepper *stepper) {
  return &stepper->failure;
}

const TgShape *tg_stepper_shape(const TgStepper *stepper) {
  return &stepper->shape;
}

TgElement tg_stepper_element(const TgStepper *stepper) {
  return stepper->options.element;
}

const TgState *tg_stepper_state(const TgStepper *stepper) {
  return stepper->state;
}

const TgStepperMessage *tg_stepper_messages(const TgStepper *stepper, int64_t *count) {
  *count = stepper->messages->len;
  return (const void *)stepper->messages->data;
}

const TgStepperProduct *tg_stepper_products(const TgStepper *stepper, int64_t *count) {
  *count = stepper->products->len;
  return (const void *)stepper->products->data;
}

const TgStepperCounts *tg_stepper_counts(const TgStepper *stepper) {
  return &stepper->tally.total;
}

const TgTrace *tg_stepper_trace(const TgStepper *stepper) {
  return &stepper->tally.trace;
}

const int64_t *tg_stepper_link_bytes(const TgStepper *stepper) {
  return stepper->tally.link_bytes;
}

int64_t tg_stepper_link_bytes_max(const TgStepper *stepper) {
  int64_t most = 0;
  for (int64_t l = 0; stepper->tally.link_bytes && l < stepper->tally.trace.links; l++)
    most = MAX(most, stepper->tally.link_bytes[l]);
  return most;
}
