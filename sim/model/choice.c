/* Chooses the algorithm of each collective where that is left open: predicts the run with several sets of algorithms
 * and keeps the fastest. A formula for one collective is not enough: what decides is whether the next collective can
 * begin before the previous one has ended, and that differs between algorithms (docs/reference/models.md). */
#include "choice.h"

#include "outlook.h"
#include "prediction.h"
#include "sim-error.h"
#include "sum.h"
#include "uniform-blocks.h"

#include <math.h>
#include <string.h>

enum {
  FORMS = TG_COLLECTIVES,
  GROUPS = 8,
  MOST_TRIED = 48,
  FIRST_PIECES = 8,
  NAMES = TG_COLLECTIVES - TG_COLLECTIVE_BINOMIAL
};

/* Measured on one core, by model: the time of a transfer, and that of each node in a round; and, in any model, the
 * extra time of a transfer whose block is followed by name. */
static const double transfer_s[] = {60e-9, 60e-9, 280e-9, 65e-9}, node_s[] = {1e-9, 40e-9, 40e-9, 1e-9}, name_s = 1e-6;
G_STATIC_ASSERT(G_N_ELEMENTS(transfer_s) == TG_COST_MODELS && G_N_ELEMENTS(node_s) == TG_COST_MODELS);

/* … of a transfer over several links, each of them. */
static const double hop_s[] = {0, 170e-9, 1.5e-6, 0};
G_STATIC_ASSERT(G_N_ELEMENTS(hop_s) == TG_COST_MODELS);

/* The most promising forms are tried even where that takes so many times as long as the choice may. */
static const double first_part = 8;

/* Numbers of pieces a factor of two apart differ by no more than this about the best one. So a trial of chains runs on
 * for a while: where none comes this close, no other number of pieces is of interest. */
static const double beside_best = 1.08;

typedef struct Form {
  TgCollective algorithm;
  int32_t pieces;
} Form;

/* Collectives of one operation along lines of one length with blocks of one size: all take the same algorithm. */
typedef struct Group {
  uint8_t op;
  int32_t length;
  int64_t bytes; /* of a block */
  double executions;
  Form form[FORMS];
  int forms;
  int named[TG_COLLECTIVES]; /* index of the form that each TgCollective means */
  double outlook_s[FORMS];   /* of what each form takes, see sim/model/outlook.h … */
  double hops[FORMS];        /* … and how far its messages go; 0 not known */
} Group;

typedef struct Choice {
  const TgCostRun *run;
  TgSchedule *schedule;
  TgCost *cost;
  GError **error;
  TgCostOptions options;
  TgShape shape; /* exact, or where blocks of several sizes would take too long, rounded up to whole blocks */
  bool by_name;
  Group group[GROUPS];
  int groups;
  int group_of[TG_MAX_STATEMENTS]; /* -1: no collective that has a choice */
  double work_s, most_work_s;      /* of the predictions so far, and the most they may take */
  double usual_transfers;          /* at once, with the usual algorithms; memory for them is available */
  Form tried[MOST_TRIED][GROUPS];
  double tried_s[MOST_TRIED];
  bool slower; /* some took longer than options.most_s */
  Form best[GROUPS];
  double best_s;
  TgCost best_cost;
} Choice;

double tg_line_transfers(const TgRounds *rounds) {
  enum { LOOKED_AT = 1 << 18 }; /* one by one; beyond, as if everyone sent to everyone */
  TgRounds own = *rounds;
  TgTransfer transfer, last = {.round = -1};
  double transfers = 0;
  if (rounds->collective == TG_COLLECTIVE_CHAIN) return (double)(rounds->length - 1) * rounds->pieces;
  for (int64_t looked = 0; tg_rounds_next(&own, &transfer); looked++) {
    if (looked == LOOKED_AT) return (double)rounds->length * rounds->length;
    transfers += transfer.round != last.round || transfer.from != last.from || transfer.to != last.to;
    last = transfer;
  }
  return transfers;
}

/* --- what there is to choose -------------------------------------------------------------------------------------- */

static bool is_same(const Form *a, const Form *b, int count) {
  for (int i = 0; i < count; i++)
    if (a[i].algorithm != b[i].algorithm || a[i].pieces != b[i].pieces) return false;
  return true;
}

/* Between two processors, algorithms differ only in whether a block goes whole or in pieces. */
static bool means_the_same(const Group *group, const Form *a, const Form *b) {
  if (group->length == 2 && !a->pieces && !b->pieces && a->algorithm != TG_COLLECTIVE_SCATTER_ALLGATHER &&
      b->algorithm != TG_COLLECTIVE_SCATTER_ALLGATHER)
    return true;
  return is_same(a, b, 1);
}

/* Lists each form once, under the first name that means it. */
static void find_forms(Group *group) {
  for (int name = TG_COLLECTIVE_BINOMIAL; name < TG_COLLECTIVES; name++) {
    TgRounds rounds;
    tg_rounds_init(&rounds, (TgOp)group->op, (TgCollective)name, group->length, 0, 0);
    Form form = {(TgCollective)rounds.collective, 0};
    if (form.algorithm == TG_COLLECTIVE_CHAIN) form.pieces = FIRST_PIECES;
    int known = 0;
    while (known < group->forms && !means_the_same(group, &group->form[known], &form)) known++;
    if (known == group->forms) group->form[group->forms++] = form;
    group->named[name] = known;
  }
}

static bool round_up(const Choice *choice, TgShape *shape) {
  const TgSchedule *schedule = choice->schedule;
  const TgShape *exact = choice->run->shape;
  const int32_t *c = schedule->blocks[TG_MATRIX_C];
  return tg_shape_init(shape, &schedule->computes, tg_divide_up(exact->m, c[0]) * c[0],
                       tg_divide_up(exact->n, c[1]) * c[1], tg_divide_up(exact->k, schedule->inner) * schedule->inner,
                       NULL);
}

static int64_t largest_block(const Choice *choice) {
  int64_t most = 0;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    const int32_t *blocks = choice->schedule->blocks[matrix];
    if (blocks[0] <= 0 || blocks[1] <= 0) continue;
    most = MAX(most, tg_divide_up(choice->shape.rows[matrix], blocks[0]) *
                         tg_divide_up(choice->shape.columns[matrix], blocks[1]));
  }
  return most * choice->run->options->element_bytes;
}

static void count_executions(Choice *choice) {
  TgWalk walk;
  TgError unused;
  tg_walk_init(&walk, choice->schedule, choice->run->names);
  while (tg_walk_next(&walk, &unused) == TG_PROGRESS_MORE) {
    const int c = choice->group_of[walk.statement];
    if (c >= 0) choice->group[c].executions++;
  }
}

/* Collectives along lines of one length with blocks of one size begin with as many pieces in a chain. */
static double executions_alike(const Choice *choice, const Group *group) {
  double executions = 0;
  for (int c = 0; c < choice->groups; c++) {
    const Group *other = &choice->group[c];
    if (other->length == group->length && other->bytes == group->bytes) executions += other->executions;
  }
  return executions;
}

/* What each form promises, and in how many pieces a chain is tried first. */
static void find_outlooks(Choice *choice) {
  TgOutlook outlook;
  bool done[GROUPS] = {false};
  if (!tg_outlook_init(&outlook, choice->run, choice->schedule)) return; /* the prediction will say why */
  for (int s = 0; s < choice->schedule->statements; s++) {
    const int c = choice->group_of[s];
    if (c < 0 || done[c]) continue;
    Group *group = &choice->group[c];
    done[c] = true;
    const double alike = executions_alike(choice, group);
    for (int f = 0; f < group->forms; f++) {
      Form *form = &group->form[f];
      const TgOutlookCollective found = tg_outlook_collective(&outlook, &choice->schedule->statement[s],
                                                              form->algorithm, (double)group->bytes, alike);
      group->outlook_s[f] = found.seconds;
      group->hops[f] = found.hops;
      if (form->algorithm == TG_COLLECTIVE_CHAIN && found.pieces > 1) form->pieces = found.pieces;
    }
  }
}

static void find_groups(Choice *choice) {
  const TgCostRun *run = choice->run;
  const TgSchedule *schedule = choice->schedule;
  TgUniformBlocks blocks;
  const bool uniform = tg_uniform_blocks(schedule, run->names, &choice->shape, run->options->element_bytes, &blocks);
  const int64_t largest = largest_block(choice);
  for (int s = 0; s < TG_MAX_STATEMENTS; s++) {
    const TgStatement *statement = &schedule->statement[s];
    choice->group_of[s] = -1;
    if (s >= schedule->statements || !tg_op_traits(statement->op)->is_collective) continue;
    const Group group = {
        .op = statement->op, .length = schedule->extent[statement->axis], .bytes = uniform ? blocks.bytes[s] : largest};
    if (group.length < 2) continue;
    int c = 0;
    while (c < choice->groups && (choice->group[c].op != group.op || choice->group[c].length != group.length ||
                                  choice->group[c].bytes != group.bytes))
      c++;
    if (c == GROUPS) continue; /* it takes the usual algorithm */
    if (c == choice->groups) {
      choice->group[choice->groups++] = group;
      find_forms(&choice->group[c]);
    }
    choice->group_of[s] = c;
  }
  count_executions(choice);
  find_outlooks(choice);
}

/* --- trying ------------------------------------------------------------------------------------------------------- */

static double hops_of(const Group *group, const Form *form) {
  for (int f = 0; f < group->forms; f++)
    if (group->form[f].algorithm == form->algorithm) return group->hops[f];
  return 0;
}

static bool goes_far(double hops) {
  return hops > 1 + 1e-9;
}

/* Of a transfer. Where no message goes further than to a neighbour, models of events have no events. */
static double message_s(TgCostModel model, double hops, bool shared) {
  if (hops == 0 || (model != TG_COST_FORWARD && model != TG_COST_FLOW)) return transfer_s[model];
  if (!shared) return transfer_s[TG_COST_HOCKNEY];
  return goes_far(hops) ? hops * hop_s[model] : transfer_s[model];
}

/* About how long a prediction takes. */
static double work_of(const Choice *choice, const Form *forms) {
  const TgCostModel model = choice->options.model;
  bool shared = false;
  for (int c = 0; c < choice->groups; c++) shared = shared || goes_far(hops_of(&choice->group[c], &forms[c]));
  const double processors = (double)tg_schedule_processors(choice->schedule);
  double work_s = 0;
  for (int c = 0; c < choice->groups; c++) {
    const Group *group = &choice->group[c];
    TgRounds rounds;
    tg_rounds_init(&rounds, (TgOp)group->op, forms[c].algorithm, group->length, 0, forms[c].pieces);
    const double transfers = tg_line_transfers(&rounds) / group->length;
    const double each_s = message_s(model, hops_of(group, &forms[c]), shared) + (choice->by_name ? name_s : 0);
    work_s += group->executions * processors * (transfers * each_s + tg_rounds_count(&rounds) * node_s[model]);
  }
  return work_s;
}

/* Transfers of the statement that has most of them, on all lines. */
static double most_at_once(const Choice *choice, const Form *forms) {
  double most = 0;
  for (int c = 0; c < choice->groups; c++) {
    TgRounds rounds;
    tg_rounds_init(&rounds, (TgOp)choice->group[c].op, forms[c].algorithm, choice->group[c].length, 0, forms[c].pieces);
    most = fmax(most, tg_line_transfers(&rounds) / choice->group[c].length);
  }
  return most * (double)tg_schedule_processors(choice->schedule);
}

static void set(Choice *choice, const Form *forms) {
  for (int s = 0; s < choice->schedule->statements; s++) {
    const int c = choice->group_of[s];
    if (c < 0) continue;
    choice->schedule->statement[s].collective = (uint8_t)forms[c].algorithm;
    choice->schedule->statement[s].pieces = (uint16_t)forms[c].pieces;
  }
}

static int find_tried(const Choice *choice, const Form *forms) {
  for (int t = 0; t < choice->cost->collectives_tried; t++)
    if (is_same(choice->tried[t], forms, choice->groups)) return t;
  return -1;
}

/* Sets `*time_s` to the time of the run, or to INFINITY where predicting it would take too long. False where the
 * prediction fails. */
static bool try(Choice *choice, const Form *forms, double *time_s) {
  TgCostRun run = *choice->run;
  TgCost cost;
  int *tried = &choice->cost->collectives_tried;
  const int before = find_tried(choice, forms);
  *time_s = before >= 0 ? choice->tried_s[before] : INFINITY;
  if (before >= 0) return true;
  const double work_s = work_of(choice, forms);
  const double most_work_s = choice->most_work_s * (*tried == 0 ? first_part : 1);
  if (*tried == MOST_TRIED || choice->work_s + work_s > most_work_s ||
      most_at_once(choice, forms) > fmax(TG_COST_MOST_TRANSFERS, choice->usual_transfers)) {
    choice->cost->collectives_left++;
    return true;
  }
  choice->work_s += work_s;
  TgCostOptions options = choice->options;
  const double most_s = beside_best * choice->best_s;
  options.most_s = options.most_s > 0 ? fmin(options.most_s, most_s) : most_s;
  run.options = &options;
  run.shape = &choice->shape;
  set(choice, forms);
  g_autoptr(GError) error = NULL;
  const bool fine = tg_cost_run(&run, choice->schedule, &cost, &error);
  if (!fine && !g_error_matches(error, TG_SIM_ERROR, TG_SIM_ERROR_SLOWER)) {
    choice->cost->failure = cost.failure;
    g_propagate_error(choice->error, g_steal_pointer(&error));
    return false;
  }
  choice->slower = choice->slower || !fine;
  choice->cost->messages_timed = tg_sum(choice->cost->messages_timed, cost.messages);
  *time_s = choice->tried_s[*tried] = fine ? cost.time_s : INFINITY;
  memcpy(choice->tried[(*tried)++], forms, sizeof choice->best);
  if (*time_s < choice->best_s) {
    const TgCost worse = choice->best_cost;
    choice->best_s = cost.time_s;
    choice->best_cost = cost;
    memcpy(choice->best, forms, sizeof choice->best);
    cost = worse;
  }
  tg_cost_clear(&cost);
  return true;
}

/* Multiplies the number of pieces of all chains by `times`/`parts`. False where that changes none of them. */
static bool scale_pieces(const Choice *choice, Form *forms, int times, int parts) {
  bool chains = false;
  for (int c = 0; c < choice->groups; c++) {
    if (forms[c].algorithm != TG_COLLECTIVE_CHAIN) continue;
    const int32_t pieces = times * forms[c].pieces / parts;
    if (pieces < 2 || pieces > TG_COST_MOST_PIECES || pieces == forms[c].pieces) continue;
    forms[c].pieces = pieces;
    chains = true;
  }
  return chains;
}

/* Forms with their time. */
typedef struct Trial {
  Form forms[GROUPS];
  double time_s;
} Trial;

/* Keeps the quicker one. */
static bool try_better(Choice *choice, const Form *forms, Trial *best, double *time_s) {
  if (!try(choice, forms, time_s)) return false;
  if (*time_s >= best->time_s) return true;
  best->time_s = *time_s;
  memcpy(best->forms, forms, sizeof best->forms);
  return true;
}

/* Scales the pieces repeatedly, as long as that saves more than 1 %. A trial that was not run to its end says nothing
 * of the next ones: up to two of these are passed over. */
static bool climb(Choice *choice, const Trial *first, int times, int parts, Trial *best) {
  enum { PASSED = 2 };
  Trial at = *first;
  double before_s = INFINITY;
  int lost = 0;
  for (;;) {
    lost = isinf(at.time_s) ? lost + 1 : 0;
    if (lost > PASSED || (lost == 0 && at.time_s >= 0.99 * before_s)) return true;
    if (!scale_pieces(choice, at.forms, times, parts)) return true;
    before_s = at.time_s;
    if (!try_better(choice, at.forms, best, &at.time_s)) return false;
  }
}

/* Tries the forms, then more or fewer pieces in chains: where chains follow each other, fewer are better than for one
 * alone. */
static bool try_pieces(Choice *choice, const Form *forms) {
  Trial first = {.time_s = INFINITY}, best = first;
  memcpy(first.forms, forms, sizeof first.forms);
  if (!try_better(choice, forms, &best, &first.time_s)) return false;
  if (!climb(choice, &first, 2, 1, &best) || !climb(choice, &first, 1, 2, &best)) return false;
  for (int quarters = 3; quarters <= 6; quarters += 3) { /* between those numbers, on both sides of the best */
    Trial between = best;
    if (scale_pieces(choice, between.forms, quarters, 4) && !try_better(choice, between.forms, &best, &between.time_s))
      return false;
  }
  return true;
}

static void take_name(const Choice *choice, TgCollective name, Form *forms) {
  for (int c = 0; c < choice->groups; c++) forms[c] = choice->group[c].form[choice->group[c].named[name]];
}

static bool try_name(Choice *choice, TgCollective name) {
  Form forms[GROUPS] = {0};
  take_name(choice, name, forms);
  return try_pieces(choice, forms);
}

static double outlook_of(const Choice *choice, TgCollective name) {
  double sum_s = 0;
  for (int c = 0; c < choice->groups; c++) sum_s += choice->group[c].outlook_s[choice->group[c].named[name]];
  return sum_s;
}

/* The names, the most promising first. */
static void sort_names(const Choice *choice, TgCollective order[NAMES]) {
  for (int n = 0; n < NAMES; n++) {
    const TgCollective name = (TgCollective)(TG_COLLECTIVE_BINOMIAL + n);
    int at = n;
    for (; at > 0 && outlook_of(choice, order[at - 1]) > outlook_of(choice, name); at--) order[at] = order[at - 1];
    order[at] = name;
  }
}

static bool is_quick(const Choice *choice, const Form *forms) {
  return work_of(choice, forms) <= first_part * choice->most_work_s;
}

/* Of the names, and of what is usual. */
static void find_quickest(const Choice *choice, const TgCollective order[NAMES], Form *forms) {
  memset(forms, 0, GROUPS * sizeof *forms);
  double least_s = work_of(choice, forms);
  for (int n = 0; n < NAMES; n++) {
    Form named[GROUPS] = {0};
    take_name(choice, order[n], named);
    const double work_s = work_of(choice, named);
    if (work_s >= least_s) continue;
    least_s = work_s;
    memcpy(forms, named, sizeof named);
  }
}

/* The most promising form of each group; where predicting that would take too long, with fewer pieces; then the most
 * promising name that can be predicted; then whichever is predicted soonest. */
static void find_promising(const Choice *choice, const TgCollective order[NAMES], Form *forms) {
  for (int c = 0; c < choice->groups; c++) {
    const Group *group = &choice->group[c];
    int best = 0;
    for (int f = 1; f < group->forms; f++)
      if (group->outlook_s[f] < group->outlook_s[best]) best = f;
    forms[c] = group->form[best];
  }
  bool quick = is_quick(choice, forms);
  while (!quick && scale_pieces(choice, forms, 1, 2)) quick = is_quick(choice, forms);
  for (int n = 0; n < NAMES && !quick; n++) {
    take_name(choice, order[n], forms);
    quick = is_quick(choice, forms);
  }
  if (!quick) find_quickest(choice, order, forms);
}

/* Tries one name for all collectives, the most promising first. What takes longer than the best so far is not run to
 * its end. */
static bool try_names(Choice *choice) {
  TgCollective order[NAMES];
  Form promising[GROUPS] = {0};
  sort_names(choice, order);
  find_promising(choice, order, promising);
  if (!try_pieces(choice, promising)) return false;
  for (int n = 0; n < NAMES; n++)
    if (!try_name(choice, order[n])) return false;
  if (isinf(choice->best_s)) memcpy(choice->best, promising, sizeof promising);
  return true;
}

/* Tries each algorithm of one group after another. */
static bool try_each(Choice *choice) {
  for (int c = 0; c < choice->groups; c++)
    for (int f = 0; f < choice->group[c].forms; f++) {
      Form forms[GROUPS];
      double unused_s;
      memcpy(forms, choice->best, sizeof forms);
      forms[c] = choice->group[c].form[f];
      if (!try(choice, forms, &unused_s)) return false;
    }
  Form best[GROUPS];
  memcpy(best, choice->best, sizeof best);
  return try_pieces(choice, best);
}

/* The caller's watch is told only how far the final prediction is; trials only ask it whether to go on. */
static bool goes_on(void *user, int64_t done) {
  (void)done;
  return tg_watch_go_on(user, 0);
}

/* Chooses among all algorithms, or (`chains`) only among numbers of pieces. */
static bool choose(Choice *choice, bool chains) {
  const TgWatch watch = {goes_on, (void *)choice->run->options->watch};
  choice->options.watch = &watch;
  bool fine = chains ? try_name(choice, TG_COLLECTIVE_CHAIN) : try_names(choice);
  if (fine && !chains && choice->groups > 1 && !isinf(choice->best_s)) fine = try_each(choice);
  set(choice, choice->best);
  return fine;
}

static bool has_several(const Choice *choice) {
  for (int c = 0; c < choice->groups; c++)
    if (choice->group[c].forms > 1) return true;
  return false;
}

/* Goes back to the exact sizes where there is time to compare the choices with them. */
static void keep_exact(Choice *choice) {
  enum { CHOICES = 12 };
  Form forms[GROUPS] = {0};
  for (int c = 0; c < choice->groups; c++) forms[c].algorithm = TG_COLLECTIVE_AUTO;
  choice->usual_transfers = most_at_once(choice, forms);
  choice->by_name = !tg_blocks_alike(choice->schedule, choice->run->shape);
  if (choice->by_name && CHOICES * work_of(choice, forms) > choice->most_work_s)
    choice->by_name = false;
  else
    choice->shape = *choice->run->shape;
}

static bool is_exact(const Choice *choice) {
  const TgShape *exact = choice->run->shape, *tried = &choice->shape;
  return exact->m == tried->m && exact->n == tried->n && exact->k == tried->k;
}

/* Whether the best trial is already the prediction that was asked for. */
static bool is_asked_for(const Choice *choice) {
  return !choice->run->options->keep_node_steps && is_exact(choice);
}

/* Whether none took as little as was asked about. Sizes that were rounded up do not tell. */
static bool is_too_slow(const Choice *choice) {
  const double most_s = choice->run->options->most_s;
  const bool slow = isinf(choice->best_s) ? choice->slower : most_s > 0 && choice->best_s > most_s;
  choice->cost->collectives_left += slow && !is_exact(choice);
  return slow && is_exact(choice);
}

bool tg_choose_collectives(const TgCostRun *run, TgSchedule *schedule, TgCost *cost, bool *predicted, GError **error) {
  const TgCostOptions *options = run->options;
  const bool chains = options->collective == TG_COLLECTIVE_CHAIN;
  const bool open = chains || options->collective == TG_COLLECTIVE_AUTO || options->collective == TG_COLLECTIVE_WHOLE;
  *predicted = false;
  if (options->whole || options->as_executed || !open) return true;
  g_autofree Choice *choice = g_new0(Choice, 1);
  *choice = (Choice){.run = run,
                     .schedule = schedule,
                     .cost = cost,
                     .error = error,
                     .options = *options,
                     .most_work_s = options->choice_s > 0 ? options->choice_s : TG_COST_CHOICE_MS * 1e-3,
                     .best_s = INFINITY};
  choice->options.keep_node_steps = false;
  choice->options.collective = TG_COLLECTIVE_AUTO;
  if (!round_up(choice, &choice->shape)) choice->shape = *run->shape;
  choice->options.most_s *= beside_best;
  find_groups(choice);
  keep_exact(choice);
  bool fine = !has_several(choice) || choose(choice, chains);
  if (fine && is_too_slow(choice)) fine = tg_prediction_fail_slower(error);
  if (fine && !isinf(choice->best_s) && is_asked_for(choice)) {
    choice->best_cost.collectives_tried = cost->collectives_tried;
    choice->best_cost.collectives_left = cost->collectives_left;
    choice->best_cost.messages_timed = cost->messages_timed;
    *cost = choice->best_cost;
    *predicted = true;
  } else {
    tg_cost_clear(&choice->best_cost);
  }
  return fine;
}
