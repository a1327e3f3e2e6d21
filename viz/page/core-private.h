/** @file core-private.h
 * What the files of the page's module share; core.c describes it. */
#ifndef TG_PAGE_CORE_PRIVATE_H
#define TG_PAGE_CORE_PRIVATE_H

#include "draw.h"
#include "frame-private.h"
#include "json-fields.h"
#include "prove.h"
#include "scene.h"

#define EXPORT(name) __attribute__((export_name(#name)))

enum {
  STEPS_LISTED = 20000,
  /** From so many processors on, steps are made by a worker, the next before it is asked for. */
  LARGE_PROCESSORS = 1 << 16,
  /** Executions of statements: the page walks over them at each change of the text. */
  MOST_EXECUTIONS = 50000,
  /** Executions times processors from which, too, a worker makes the steps. */
  LARGE_WORK = 8000000,
  /** What fits into the module's memory. */
  MOST_PROCESSORS = 1 << 20,
  MOST_LINKS = 1 << 23
};

/** What the page asks for, as lines of `key=value`. */
typedef struct Settings {
  TgBindings bindings;
  char network[TG_TOPOLOGY_TEXT_BYTES];
  TgEmbeddingKind embedding;
  TgCollective collective;
  TgHeat heat;
} Settings;

/** What there is to ask of a step once the state has gone on. */
typedef struct Kept {
  TgFrame frame;     /**< its `received`, `held` and `link_blocks` are the copy's own; step -1: nothing is kept */
  TgBlockName *slot; /**< by buffer, index and processor; `frame.length` has the number of indices */
} Kept;

/** A laboratory: a schedule with its settings. */
typedef struct Lab {
  TgSchedule schedule;
  TgScheduleNames names;
  Settings settings;
  TgTopology network;
  TgEmbedding embedding;
  int64_t executions; /**< of statements, in all steps */
  TgFrames *frames; /**< where the grid is large, NULL until the first step is asked for */
  const TgFrame *frame;
  Kept kept[2]; /**< the step that is shown, and the next */
  int kept_last;
  TgScene *scene;   /**< what was drawn last, NULL before */
  GString *renamed; /**< names that tg_scene_change() reported */
} Lab;

/** The JSON under way. */
extern TgJson *json;

/** An answer is what is written to `json` between these. */
void begin_answer(void);
void end_answer(void);
/** Makes `text` the answer, and owns it. */
void take_answer(GString *text);

void write_error(const char *stage, const TgError *error);
void write_failure(const TgSchedule *schedule, const TgError *failure);
void write_name(const TgBlockName *block);
/** Writes them into the array that is open. */
void write_integers(const int64_t *values, int count);

/** The frame of a step, or of the last that there is; NULL where none can be made. */
const TgFrame *seek_frame(Lab *lab, int64_t step);
bool open_frames(Lab *lab);
void free_kept(Kept *kept);

#endif
