/** @file step-view.h
 * `step --interactive`: the steps of a schedule on a terminal, by key. */
#ifndef TG_STEP_VIEW_H
#define TG_STEP_VIEW_H

#include "algo.h"

#include "draw.h"
#include "screen.h"

typedef enum TgStepPrompt { TG_PROMPT_NONE, TG_PROMPT_GOTO, TG_PROMPT_FOLLOW } TgStepPrompt;

/** Zero it before use. */
typedef struct TgStepView {
  TgProblem problem;
  TgTopology network;
  TgEmbedding embedding;
  TgFrameOptions options;
  TgTourSizes sizes;
  TgTour *tour;
  TgScreen screen;
  TgScreenExtent extent; /**< of the screen drawn last */
  TgBlockName followed;
  TgStepPrompt prompt;
  GString *typed;   /**< at the prompt */
  char *message;    /**< in the last row until the next key; NULL: none */
  int64_t pause_ms; /**< between steps that are played */
  bool playing, done;
  GError *error;                      /**< what ended it */
  TgWatch between_steps, within_step; /**< of the tour */
  TgWatch until_signal;               /**< of other work */
  int64_t at;                         /**< step that the tour has come to */
  gint64 begun_us, shown_us;          /**< when the work began, and when it was last said how far it is */
  gint64 interrupted_us;              /**< when it heard of Ctrl-C; 0: not yet */
} TgStepView;

void tg_step_view_clear(TgStepView *view);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgStepView, tg_step_view_clear)

/** Does what a key of terminal.h asks for, or, on TG_KEY_NONE, plays on. */
void tg_step_view_key(TgStepView *view, unsigned key);

/** Makes the watches; `view` stays where it is. */
void tg_step_watch_init(TgStepView *view);
/** Before each piece of work that may be long. */
void tg_step_watch_begin(TgStepView *view);
/** After it: whether Ctrl-C stopped it, which is then done with. */
bool tg_step_watch_stopped(void);

/** Runs `topogemm step --interactive`. */
TgExit tg_step_interactive(TgCli *cli);

#endif
