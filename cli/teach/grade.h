/** @file grade.h
 * What students hand in, with what the proof says of it. */
#ifndef TG_GRADE_H
#define TG_GRADE_H

#include "answer.h"

typedef struct TgSubmission {
  char *file;             /**< within the folder */
  const TgAnswer *answer; /**< NULL if no exercise has this name */
  const char *exercise;   /**< its name, or NULL */
  bool right;
  int32_t differs; /**< lines that differ from the answer, ignoring spaces and comments; -1 without an answer */
  char *message;   /**< why it is wrong; NULL where it is right */
} TgSubmission;

typedef struct TgGrades {
  TgCli *cli;
  GPtrArray *answers, *submissions;
  int64_t right;
  int64_t others; /**< files in the folder that are no schedules */
} TgGrades;

/** Prints the table or, with `--json`, the document. */
void tg_grades_print(const TgGrades *grades);
/** The bytes of -o FILE.csv. Free with g_free(). */
char *tg_grades_csv(const TgGrades *grades);
/** The bytes of Gradescope's results.json: a test for each submission, a point for each exercise.
 * Source: gradescope-autograders.readthedocs.io, "Autograder Specifications". Free with g_free(). */
char *tg_grades_gradescope(const TgGrades *grades);

#endif
