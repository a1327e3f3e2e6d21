/** @file unfinished.h
 * Private to disk/huge: the file that becomes C. Until it is complete it lies beside it as C.part. */
#ifndef TG_UNFINISHED_H
#define TG_UNFINISHED_H

#include "tiled-file.h"

typedef struct TgUnfinished {
  TgTiledFile *file;
  char *path;     /**< C.part */
  char *target;   /**< C, with symbolic links followed */
  int descriptor; /**< of C.part, locked; -1 before */
} TgUnfinished;

/** Opens what an earlier run left, or begins: On entry `job` is for a new file; on return it is what the
 * file was begun with. What
 * other programs left there, and what was begun for another product, is not touched. A new file has the permissions of
 * the C that it replaces. Errors: CANNOT_WRITE, also where another run has it; BAD_INPUT. */
bool tg_unfinished_open(TgUnfinished *part, const char *c, const TgTiling *tiling, TgTiledJob *job, GError **error);
/** Opens the file that another process has opened with tg_unfinished_open(), to write other tiles of it. Errors:
 * CANNOT_WRITE; BAD_INPUT. */
bool tg_unfinished_join(TgUnfinished *part, const char *c, TgTiledJob *job, GError **error);
/** Reads again which tiles have been written. Errors: BAD_INPUT if some are missing; CANNOT_READ. */
bool tg_unfinished_refresh(TgUnfinished *part, GError **error);
/** Finishes C.part and renames it to C. Errors: CANNOT_WRITE. */
bool tg_unfinished_finish(TgUnfinished *part, GError **error);
void tg_unfinished_clear(TgUnfinished *part);

#endif
