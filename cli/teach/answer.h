/** @file answer.h
 * The answer to an exercise, which `exercise` writes and `grade` reads: NAME.answer, a key file that people can
 * read, and NAME.sched, the right schedule. NAME is the exercise's own: its text begins with `schedule NAME`. */
#ifndef TG_ANSWER_H
#define TG_ANSWER_H

#include "algo.h"

/** What `grade` needs. Texts are owned; free with tg_answer_free(). */
typedef struct TgAnswer {
  char *name;
  char **grids;   /**< "4x4": that of the exercise first, then others on which a repair must be right, too */
  char **set;     /**< "b=2" */
  char *solution; /**< text of the right schedule */
} TgAnswer;

void tg_answer_free(TgAnswer *answer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgAnswer, tg_answer_free)

/** Where the exercise comes from, and its edit; for people. */
typedef struct TgAnswerFacts {
  const char *algorithm;
  uint64_t seed;
  int level, line;
  const char *kind, *was, *is, *reports; /**< the edit, and what the proof says of it */
} TgAnswerFacts;

/** The bytes of NAME.answer. Free with g_free(). */
char *tg_answer_text(const TgAnswer *answer, const TgAnswerFacts *facts);

/** Adds all answers of a folder. An answer that cannot be read, or is not right on its grids, is an error; so is a
 * schedule without one, and a folder without any. */
TgExit tg_answers_read(const TgCli *cli, const char *folder, GPtrArray *answers);

/** The bindings of one of its grids. */
bool tg_answer_bindings(const TgAnswer *answer, const char *grid, TgBindings *bindings, TgError *error);

/** The word after `schedule` of a text that need not parse, or "". Free with g_free(). */
char *tg_answer_title(const char *text);
/** The answer of this name, or NULL. */
const TgAnswer *tg_answer_find(const GPtrArray *answers, const char *name);
/** Lines that a text has instead of the answer's, ignoring spaces and comments. */
int32_t tg_answer_lines_differ(const TgAnswer *answer, const char *text);

#endif
