/** @file page.h
 * A page to watch schedules in a browser: one file that asks nobody for anything, with the parser, walker, prover,
 * pictures and cost models of this library in it as WebAssembly. */
#ifndef TG_PAGE_H
#define TG_PAGE_H

#include <glib.h>

#include "collective.h"
#include "draw-error.h"
#include "draw.h"

G_BEGIN_DECLS

/** A schedule of the page. Texts are what the command line has; NULL where there is none. */
typedef struct TgPageSchedule {
  const TgSchedule *schedule; /**< bound; its first frame is there for readers without scripts */
  const TgScheduleNames *names;
  const TgDrawOptions *options;
  const char *text; /**< of the schedule */
  gsize length;
  const char *grid, *network, *embedding, *heat;
  const char *const *set; /**< "c=2", ended by NULL */
  const char
      *task; /**< of an exercise: said in place of the citation, and the lines down to the last `place` are watched */
} TgPageSchedule;

typedef struct TgPageOptions {
  int64_t step;    /**< that the page opens at */
  int64_t m, n, k; /**< sizes whose time is predicted */
  int32_t element_bytes;
  const char *machine; /**< text of a machine file */
} TgPageOptions;

/** NULL where this build has the page; else why it has not, and what it needs. */
const char *tg_page_lacks(void);

/** The page's bytes, of one schedule or of several side by side. */
GBytes *tg_page_html(const TgPageSchedule *schedules, int count, const TgPageOptions *options, GError **error);

G_END_DECLS

#endif
