/* Failures in words: which step, which processor, what happened. */
#include "state-private.h"

#include <stdarg.h>
#include <stdio.h>

bool tg_state_fail(const TgState *state, TgError *failure, TgCause cause, int64_t processor, const char *format, ...) {
  const TgWalk *walk = &state->walk;
  char where[64] = "", message[360];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  message[tg_text_fit(message, sizeof message - 1)] = '\0';
  const char *label = tg_walk_label(walk);
  if (processor >= 0) tg_schedule_processor_text(state->schedule, processor, where, sizeof where);
  *failure = (TgError){.cause = cause, .step = state->step, .statement = walk->statement, .processor = processor};
  if (walk->statement >= 0) failure->line = state->schedule->statement[walk->statement].line;
  int used = snprintf(failure->message, sizeof failure->message, "step %lld%s%.*s%s", (long long)state->step,
                      *label ? " (" : "", tg_text_fit(label, 40), label, *label ? ")" : "");
  snprintf(failure->message + used, sizeof failure->message - (size_t)used, "%s%s: %s",
           processor >= 0 ? ", processor " : "", where, message);
  return false;
}

bool tg_state_out_of_memory(const TgState *state, TgError *failure, const char *what) {
  return tg_state_fail(state, failure, TG_CAUSE_MEMORY, -1, "out of memory for %s", what);
}

bool tg_state_watched(TgState *state, TgError *failure) {
  if (tg_watch_go_on(state->hooks.watch, state->counts.statements)) return true;
  return tg_state_fail(state, failure, TG_CAUSE_STOPPED, -1, "stopped");
}

bool tg_state_hook_failed(const TgState *state, TgError *failure, int64_t processor) {
  return tg_state_fail(state, failure, TG_CAUSE_HOOK, processor, "the data could not follow (out of memory?)");
}
