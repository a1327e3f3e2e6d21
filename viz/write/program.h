/** @file program.h
 * Other programs that draw: run, waited for, and ended where this one stops or is killed. They get file descriptors
 * and, in a folder of their own, plain names, since names that people chose may mean something to them. Private to
 * viz/. */
#ifndef TG_PROGRAM_H
#define TG_PROGRAM_H

#include <glib.h>

#include "draw-error.h"
#include "watch.h"

G_BEGIN_DECLS

typedef struct TgProgram {
  const char *const *words; /**< its name or path, its arguments, NULL */
  const char *folder;       /**< where it runs and has its temporary files; NULL: the present one, and TMPDIR */
  int input;                /**< a descriptor that it reads, or -1 */
  const TgWatch *watch;     /**< asked while it runs; may be NULL */
  int64_t done;             /**< what the watch is told */
} TgProgram;

/** Runs it to its end; returns what it wrote to standard output, which comes through a pipe: a full disk cuts nothing
 * off. Free with g_bytes_unref(). Errors: G_SPAWN_ERROR, G_FILE_ERROR; TG_DRAW_ERROR RENDER with what it wrote to
 * standard error; STOPPED, once it has ended. */
GBytes *tg_program_run(const TgProgram *program, GError **error);

/** Sets a G_FILE_ERROR that reports that `what` ("the frames of the GIF") cannot be written in the folder for temporary
 * files, why, and what to do. Frees GLib's `reason`. Always FALSE. */
gboolean tg_program_no_temporary(const char *what, GError *reason, GError **error);

G_END_DECLS

#endif
