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
  int input, output;        /**< descriptors; input -1: none */
  const TgWatch *watch;     /**< asked while it runs; may be NULL */
  int64_t done;             /**< what the watch is told */
} TgProgram;

/** Runs it to its end. Errors: G_SPAWN_ERROR; TG_DRAW_ERROR RENDER with what it wrote to standard error; STOPPED, once
 * it has ended. */
gboolean tg_program_run(const TgProgram *program, GError **error);

/** A file without a name, of which nothing remains however this program ends; its descriptor, or -1. Errors:
 * G_FILE_ERROR. */
int tg_program_file(GError **error);
/** All bytes of such a file, from its beginning. Free with g_free(). Errors: G_FILE_ERROR. */
char *tg_program_read(int file, gsize *length, GError **error);

G_END_DECLS

#endif
