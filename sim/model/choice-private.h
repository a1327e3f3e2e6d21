/** @file choice-private.h
 * Private to sim/model/choice*.c: what there is to choose, and the choice under way. */
#ifndef TG_CHOICE_PRIVATE_H
#define TG_CHOICE_PRIVATE_H

#include "choice.h"

enum { TG_CHOICE_FORMS = TG_COLLECTIVES, TG_CHOICE_GROUPS = 8, TG_CHOICE_TRIED = 64 };

typedef struct TgForm {
  TgCollective algorithm;
  int32_t pieces;
} TgForm;

/* Collectives of one operation along lines of one length with blocks of one size: all take the same algorithm. */
typedef struct TgFormGroup {
  uint8_t op;
  int32_t length;
  int64_t bytes; /* of a block */
  double executions;
  double part;   /* of the processors, that run it (slice.h) */
  bool constant; /* every execution is like the first … */
  bool alike;    /* … and before it processors have done the same, so that all are at one time */
  TgForm form[TG_CHOICE_FORMS];
  int forms;
  double transfers[TG_COLLECTIVES];  /* along one line, by algorithm; not for chains */
  int named[TG_COLLECTIVES];         /* index of the form that each TgCollective means */
  double outlook_s[TG_CHOICE_FORMS]; /* of what each form takes, see sim/model/outlook.h … */
  double hops[TG_CHOICE_FORMS];      /* … and how far its messages go; 0 not known */
} TgFormGroup;

/** Forms of each group with their time, and how far the prediction came. */
typedef struct TgTrial {
  TgForm forms[TG_CHOICE_GROUPS];
  double time_s; /* INFINITY where it was not run to its end … */
  int64_t begun; /* … and how many statements it had begun then */
} TgTrial;

typedef struct TgChoice {
  const TgCostRun *run;
  TgSchedule *schedule;
  TgCost *cost;
  GError **error;
  TgCostOptions options;
  TgShape shape; /* exact, or where blocks of several sizes would take too long, rounded up to whole blocks */
  bool by_name;
  TgFormGroup group[TG_CHOICE_GROUPS];
  int groups;
  int group_of[TG_MAX_STATEMENTS]; /* -1: no collective that has a choice */
  double work_s, most_work_s;      /* of the predictions so far, and the most they may take */
  double usual_transfers;          /* at once, with the usual algorithms; memory for them is available */
  TgTrial tried[TG_CHOICE_TRIED];
  int64_t begun;      /* by the trial under way … */
  int64_t statements; /* … of all that are executed */
  bool slower;        /* some took longer than options.most_s */
  TgForm best[TG_CHOICE_GROUPS];
  double best_s;
  TgCost best_cost;
} TgChoice;

bool tg_forms_same(const TgForm *a, const TgForm *b, int count);
/** Finds the groups of collectives that have a choice, the forms of each, and what these promise. `shape` is set. */
void tg_choice_find_groups(TgChoice *choice);
/** Elements in a block of the group. */
int64_t tg_choice_elements(const TgChoice *choice, int group);
/** The nearest number of pieces that cuts a block of so many elements evenly, or `pieces` if none is near: if pieces
 * are alike, so are rounds, and a prediction takes a fraction of the time. */
int32_t tg_even_pieces(int64_t elements, int32_t pieces);
/** About how long a prediction takes, in seconds. `forms`: of each group. */
double tg_choice_work_s(const TgChoice *choice, const TgForm *forms);
/** Transfers that are kept of the statement with most of them, on all lines; rounds that are alike count once. */
double tg_choice_most_at_once(const TgChoice *choice, const TgForm *forms);

#endif
