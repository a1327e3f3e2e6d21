/* Chooses the algorithm of each collective where that is left open: predicts the run with several sets of algorithms
 * and keeps the fastest. A formula for one collective is not enough: what decides is whether the next collective can
 * begin before the previous one has ended, and that differs between algorithms (docs/reference/models.md). */
#include "choice-private.h"

#include "outlook.h"
#include "prediction.h"
#include "sim-error.h"
#include "sum.h"

#include <math.h>
#include <string.h>

enum { NAMES = TG_COLLECTIVES - TG_COLLECTIVE_BINOMIAL };

/* Numbers of pieces a factor of two apart differ by no more than this about the best one. So a trial of chains runs on
 * for a while: where none comes this close, no other number of pieces is of interest. */
static const double beside_best = 1.08;

/* --- trying ------------------------------------------------------------------------------------------------------- */

static void set(TgChoice *choice, const TgForm *forms) {
  for (int s = 0; s < choice->schedule->statements; s++) {
    const int c = choice->group_of[s];
    if (c < 0) continue;
    choice->schedule->statement[s].collective = (uint8_t)forms[c].algorithm;
    choice->schedule->statement[s].pieces = (uint16_t)forms[c].pieces;
  }
}

static int find_tried(const TgChoice *choice, const TgForm *forms) {
  for (int t = 0; t < choice->cost->collectives_tried; t++)
    if (tg_forms_same(choice->tried[t].forms, forms, choice->groups)) return t;
  return -1;
}

/* Whether a prediction holds no more transfers at once than there is memory for. */
static bool has_room(const TgChoice *choice, const TgForm *forms) {
  return tg_choice_most_at_once(choice, forms) <= fmax(TG_COST_MOST_TRANSFERS, choice->usual_transfers);
}

/* How much of a prediction that was ended had begun. */
static double part_begun(const TgChoice *choice) {
  return fmin((double)(choice->begun + 1) / (double)MAX(choice->statements, 1), 1);
}

/* Sets the time of the trial, whose forms are set; INFINITY also where predicting it would take too long. False where
 * the prediction fails. */
static bool try(TgChoice *choice, TgTrial *trial) {
  TgCostRun run = *choice->run;
  TgCost cost;
  int *tried = &choice->cost->collectives_tried;
  const int before = find_tried(choice, trial->forms);
  if (before >= 0) {
    *trial = choice->tried[before];
    return true;
  }
  trial->time_s = INFINITY;
  trial->begun = 0;
  const double work_s = tg_choice_work_s(choice, trial->forms);
  const double most_work_s = choice->most_work_s * (*tried == 0 ? TG_COST_FIRST_PART : 1);
  if (*tried == TG_CHOICE_TRIED || choice->work_s + work_s > most_work_s || !has_room(choice, trial->forms)) {
    choice->cost->collectives_left++;
    return true;
  }
  const double charged_s = fmin(work_s, choice->most_work_s / 2); /* which leaves time for others */
  TgCostOptions options = choice->options;
  const double most_s = beside_best * choice->best_s;
  options.most_s = options.most_s > 0 ? fmin(options.most_s, most_s) : most_s;
  run.options = &options;
  run.shape = &choice->shape;
  set(choice, trial->forms);
  choice->begun = 0;
  g_autoptr(GError) error = NULL;
  const bool fine = tg_cost_run(&run, choice->schedule, &cost, &error);
  if (!fine && !g_error_matches(error, TG_SIM_ERROR, TG_SIM_ERROR_SLOWER)) {
    choice->cost->failure = cost.failure;
    g_propagate_error(choice->error, g_steal_pointer(&error));
    return false;
  }
  choice->slower = choice->slower || !fine;
  choice->work_s += fine ? charged_s : charged_s * part_begun(choice);
  choice->cost->messages_timed = tg_sum(choice->cost->messages_timed, cost.messages);
  if (fine) trial->time_s = cost.time_s;
  trial->begun = choice->begun;
  choice->tried[(*tried)++] = *trial;
  if (trial->time_s < choice->best_s) {
    const TgCost worse = choice->best_cost;
    choice->best_s = cost.time_s;
    choice->best_cost = cost;
    memcpy(choice->best, trial->forms, sizeof choice->best);
    cost = worse;
  }
  tg_cost_clear(&cost);
  return true;
}

/* No piece of the largest blocks is without an element. Others may be cut as often, as chains that follow each other
 * are often fastest with equal numbers. */
static int32_t most_pieces(const TgChoice *choice) {
  int32_t most = 2;
  for (int c = 0; c < choice->groups; c++)
    most = MAX(most, tg_outlook_most_pieces((double)choice->group[c].bytes, choice->options.element_bytes));
  return most;
}

/* False where the form is no chain, has this number of pieces already, or cannot have it. */
static bool set_pieces(TgForm *form, double pieces, int32_t most) {
  const bool can = form->algorithm == TG_COLLECTIVE_CHAIN && pieces >= 2 && pieces <= most;
  if (!can || form->pieces == (int32_t)pieces) return false;
  form->pieces = (int32_t)pieces;
  return true;
}

/* The number of pieces that all chains share, or 0. `elements`: the greatest common divisor of their block sizes. */
static int32_t common_pieces(const TgChoice *choice, const TgForm *forms, int64_t *elements) {
  int32_t pieces = 0;
  *elements = 0;
  for (int c = 0; c < choice->groups; c++) {
    if (forms[c].algorithm != TG_COLLECTIVE_CHAIN) continue;
    if (pieces != 0 && pieces != forms[c].pieces) return 0;
    pieces = forms[c].pieces;
    *elements = tg_common_divisor(*elements, tg_choice_elements(choice, c));
  }
  return pieces;
}

/* Multiplies the number of pieces of all chains by about `times`/`parts`; equal ones stay equal. False where that
 * changes none of them. */
static bool scale_pieces(const TgChoice *choice, TgForm *forms, int times, int parts) {
  const int32_t most = most_pieces(choice);
  int64_t elements;
  const int32_t common = common_pieces(choice, forms, &elements);
  bool changed = false;
  for (int c = 0; c < choice->groups; c++) {
    const int32_t scaled = times * forms[c].pieces / parts;
    const int32_t even = tg_even_pieces(common ? elements : tg_choice_elements(choice, c), scaled);
    if (scaled <= most) changed |= set_pieces(&forms[c], even, most);
  }
  return changed;
}

/* Keeps the quicker one. */
static bool try_better(TgChoice *choice, TgTrial *at, TgTrial *best) {
  if (!try(choice, at)) return false;
  if (at->time_s < best->time_s) *best = *at;
  return true;
}

/* Whether neither was run to its end, but the second came so much further that the next one may reach it. */
static bool comes_closer(const TgChoice *choice, const TgTrial *first, const TgTrial *second) {
  static const double near = 0.9;
  if (!isinf(first->time_s) || !isinf(second->time_s) || second->begun <= first->begun) return false;
  return (double)second->begun * (double)second->begun >= near * (double)choice->statements * (double)first->begun;
}

/* Scales the pieces repeatedly. Up to two numbers that do not save 1 % are passed over, as the time may have several
 * minima; and all that are fewer, which are predicted quickly. Of trials that were not run to their ends it goes on
 * while they come closer to these. */
static bool climb(TgChoice *choice, const TgTrial *first, int times, int parts, TgTrial *best) {
  enum { PASSED = 2 };
  TgTrial at = *first, before = {.time_s = INFINITY, .begun = -1};
  double least_s = INFINITY;
  int passed = 0;
  for (;;) {
    const bool saves = at.time_s < 0.99 * least_s;
    if (saves)
      passed = 0;
    else if (!comes_closer(choice, &before, &at))
      passed++;
    if (times > parts && passed > PASSED) return true;
    least_s = fmin(least_s, at.time_s);
    before = at;
    if (!scale_pieces(choice, at.forms, times, parts)) return true;
    if (!try_better(choice, &at, best)) return false;
  }
}

/* Tries the forms, then more or fewer pieces in chains: where chains follow each other, fewer are better than for one
 * alone. */
static bool try_pieces(TgChoice *choice, const TgForm *forms) {
  TgTrial first = {.time_s = INFINITY}, best = first;
  memcpy(first.forms, forms, sizeof first.forms);
  if (!try_better(choice, &first, &best)) return false;
  if (!climb(choice, &first, 2, 1, &best) || !climb(choice, &first, 1, 2, &best)) return false;
  for (int quarters = 3; quarters <= 6; quarters += 3) { /* between those numbers, on both sides of the best */
    TgTrial between = best;
    if (scale_pieces(choice, between.forms, quarters, 4) && !try_better(choice, &between, &best)) return false;
  }
  return true;
}

/* All chains in about as many pieces as the one that has most. False where that changes none of them. */
static bool cut_alike(const TgChoice *choice, TgForm *forms) {
  int32_t most = 0;
  bool changed = false;
  for (int c = 0; c < choice->groups; c++) most = MAX(most, forms[c].pieces);
  for (int c = 0; c < choice->groups; c++) changed |= set_pieces(&forms[c], most, most_pieces(choice));
  return scale_pieces(choice, forms, 1, 1) || changed;
}

/* Chains of so many pieces that the largest has fewer bytes than `bytes`. False where that changes none of them. */
static bool cut_below(const TgChoice *choice, double bytes, TgForm *forms) {
  const int64_t element_bytes = choice->options.element_bytes;
  const double most = ceil(bytes / (double)element_bytes) - 1; /* elements */
  bool changed = false;
  for (int c = 0; c < choice->groups; c++)
    changed |=
        set_pieces(&forms[c], ceil((double)(choice->group[c].bytes / element_bytes) / most), most_pieces(choice));
  return changed;
}

/* Chains of as many pieces as executors use. False where that changes none of them. */
static bool cut_as_executed(const TgChoice *choice, TgForm *forms) {
  bool changed = false;
  for (int c = 0; c < choice->groups; c++)
    changed |= set_pieces(&forms[c], choice->group[c].length, TG_COST_MOST_PIECES);
  return changed;
}

/* Tries the forms with several numbers of pieces. Chains that follow each other may be faster with equal numbers than
 * each with the one that suits it alone. Where a link takes short messages by another protocol, trials of longer ones
 * tell nothing of these: chains begin below each such size, too. */
static bool try_forms(TgChoice *choice, const TgForm *forms) {
  const TgMachine *machine = choice->run->machine;
  const TgTopology *network = choice->run->network;
  TgForm alike[TG_CHOICE_GROUPS];
  memcpy(alike, forms, sizeof alike);
  if (!try_pieces(choice, forms)) return false;
  if (cut_alike(choice, alike) && !try_pieces(choice, alike)) return false;
  for (double bytes = 0; (bytes = tg_machine_next_protocol(machine, network, bytes)) < INFINITY;) {
    TgForm below[TG_CHOICE_GROUPS];
    memcpy(below, forms, sizeof below);
    if (cut_below(choice, bytes, below) && !try_pieces(choice, below)) return false;
  }
  TgTrial executed;
  memcpy(executed.forms, forms, sizeof executed.forms);
  return !cut_as_executed(choice, executed.forms) || try(choice, &executed);
}

/* Chains of fewer pieces where there is no room for so many. */
static void take_name(const TgChoice *choice, TgCollective name, TgForm *forms) {
  for (int c = 0; c < choice->groups; c++) forms[c] = choice->group[c].form[choice->group[c].named[name]];
  while (!has_room(choice, forms) && scale_pieces(choice, forms, 1, 2)) {
  }
}

/* Chains of as many pieces as there can be: where many follow each other, the time may have a second minimum there. So
 * many messages have to save 5 %. */
static bool try_finest(TgChoice *choice, const TgForm *forms) {
  const int32_t most = most_pieces(choice);
  TgTrial finest;
  bool changed = false;
  memcpy(finest.forms, forms, sizeof finest.forms);
  for (int c = 0; c < choice->groups; c++)
    changed |= set_pieces(&finest.forms[c], tg_even_pieces(tg_choice_elements(choice, c), most), most);
  if (!changed) return true;
  const double before_s = choice->best_s;
  choice->best_s *= 0.95; /* which the trial has to beat */
  if (!try(choice, &finest)) return false;
  const bool saves = finest.time_s <= choice->best_s;
  if (!saves) choice->best_s = before_s;
  return !saves || try_pieces(choice, finest.forms);
}

static bool try_name(TgChoice *choice, TgCollective name) {
  TgForm forms[TG_CHOICE_GROUPS] = {0};
  take_name(choice, name, forms);
  return try_forms(choice, forms) && try_finest(choice, forms);
}

static double outlook_of(const TgChoice *choice, TgCollective name) {
  double sum_s = 0;
  for (int c = 0; c < choice->groups; c++) sum_s += choice->group[c].outlook_s[choice->group[c].named[name]];
  return sum_s;
}

/* The names, the most promising first. */
static void sort_names(const TgChoice *choice, TgCollective order[NAMES]) {
  for (int n = 0; n < NAMES; n++) {
    const TgCollective name = (TgCollective)(TG_COLLECTIVE_BINOMIAL + n);
    int at = n;
    for (; at > 0 && outlook_of(choice, order[at - 1]) > outlook_of(choice, name); at--) order[at] = order[at - 1];
    order[at] = name;
  }
}

/* Whether it can be the first that is tried. */
static bool can_begin(const TgChoice *choice, const TgForm *forms) {
  return has_room(choice, forms) && tg_choice_work_s(choice, forms) <= TG_COST_FIRST_PART * choice->most_work_s;
}

/* Of the names, and of what is usual. */
static void find_quickest(const TgChoice *choice, const TgCollective order[NAMES], TgForm *forms) {
  memset(forms, 0, TG_CHOICE_GROUPS * sizeof *forms);
  double least_s = tg_choice_work_s(choice, forms);
  for (int n = 0; n < NAMES; n++) {
    TgForm named[TG_CHOICE_GROUPS] = {0};
    take_name(choice, order[n], named);
    const double work_s = tg_choice_work_s(choice, named);
    if (work_s >= least_s) continue;
    least_s = work_s;
    memcpy(forms, named, sizeof named);
  }
}

/* The most promising form of each group; where predicting that takes too much time or memory, with fewer pieces; then
 * the most promising name that can be predicted; then whichever is predicted soonest. */
static void find_promising(const TgChoice *choice, const TgCollective order[NAMES], TgForm *forms) {
  for (int c = 0; c < choice->groups; c++) {
    const TgFormGroup *group = &choice->group[c];
    int best = 0;
    for (int f = 1; f < group->forms; f++)
      if (group->outlook_s[f] < group->outlook_s[best]) best = f;
    forms[c] = group->form[best];
  }
  bool can = can_begin(choice, forms);
  while (!can && scale_pieces(choice, forms, 1, 2)) can = can_begin(choice, forms);
  for (int n = 0; n < NAMES && !can; n++) {
    take_name(choice, order[n], forms);
    can = can_begin(choice, forms);
  }
  if (!can) find_quickest(choice, order, forms);
}

static bool try_once(TgChoice *choice, const TgForm *forms) {
  TgTrial trial;
  memcpy(trial.forms, forms, sizeof trial.forms);
  return try(choice, &trial);
}

/* The first trials: the forms as they are, and with chains of equal numbers of pieces. Keeps the quicker ones. */
static bool try_first(TgChoice *choice, TgForm *forms) {
  TgForm alike[TG_CHOICE_GROUPS];
  memcpy(alike, forms, sizeof alike);
  if (!try_once(choice, forms) || (cut_alike(choice, alike) && !try_once(choice, alike))) return false;
  if (!isinf(choice->best_s)) memcpy(forms, choice->best, sizeof alike);
  return true;
}

/* Tries what is most promising, and one name for all collectives, the most promising first; each once, and then with
 * other numbers of pieces. What takes longer than the best so far is not run to its end. */
static bool try_names(TgChoice *choice) {
  TgCollective order[NAMES];
  TgForm promising[TG_CHOICE_GROUPS] = {0};
  sort_names(choice, order);
  find_promising(choice, order, promising);
  if (!try_first(choice, promising)) return false;
  for (int n = 0; n < NAMES; n++) {
    TgForm named[TG_CHOICE_GROUPS] = {0};
    take_name(choice, order[n], named);
    if (!try_once(choice, named)) return false;
  }
  if (!try_forms(choice, promising)) return false;
  for (int n = 0; n < NAMES; n++)
    if (!try_name(choice, order[n])) return false;
  if (isinf(choice->best_s)) memcpy(choice->best, promising, sizeof promising);
  return true;
}

/* Tries each algorithm of one group after another. */
static bool try_each(TgChoice *choice) {
  for (int c = 0; c < choice->groups; c++)
    for (int f = 0; f < choice->group[c].forms; f++) {
      TgTrial trial;
      memcpy(trial.forms, choice->best, sizeof trial.forms);
      trial.forms[c] = choice->group[c].form[f];
      if (!try(choice, &trial)) return false;
    }
  TgForm best[TG_CHOICE_GROUPS];
  memcpy(best, choice->best, sizeof best);
  return try_forms(choice, best);
}

/* The caller's watch is told only how far the final prediction is; trials only ask it whether to go on. */
static bool goes_on(void *user, int64_t done) {
  TgChoice *choice = user;
  choice->begun = done;
  return tg_watch_go_on(choice->run->options->watch, 0);
}

/* Chooses among all algorithms, or (`chains`) only among numbers of pieces. */
static bool choose(TgChoice *choice, bool chains) {
  const TgWatch watch = {goes_on, choice};
  choice->options.watch = &watch;
  bool fine = chains ? try_name(choice, TG_COLLECTIVE_CHAIN) : try_names(choice);
  if (fine && !chains && choice->groups > 1 && !isinf(choice->best_s)) fine = try_each(choice);
  set(choice, choice->best);
  return fine;
}

static bool has_several(const TgChoice *choice) {
  for (int c = 0; c < choice->groups; c++)
    if (choice->group[c].forms > 1) return true;
  return false;
}

static bool round_up(const TgChoice *choice, TgShape *shape) {
  const TgShape *exact = choice->run->shape;
  int64_t m = exact->m, n = exact->n, k = exact->k;
  tg_whole_blocks(choice->schedule, &m, &n, &k);
  return tg_shape_init(shape, &choice->schedule->computes, m, n, k, NULL);
}

/* Whether there is time for a good many predictions with the usual algorithms, and for one with each name. */
static bool has_time(const TgChoice *choice, const TgForm *usual) {
  enum { CHOICES = 12 };
  double work_s = 0;
  for (int n = 0; n < NAMES; n++) {
    TgForm named[TG_CHOICE_GROUPS] = {0};
    take_name(choice, (TgCollective)(TG_COLLECTIVE_BINOMIAL + n), named);
    work_s += tg_choice_work_s(choice, named);
  }
  return fmax(CHOICES * tg_choice_work_s(choice, usual), work_s) <= choice->most_work_s;
}

/* Goes back to the exact sizes where there is time to compare the choices with them. */
static void keep_exact(TgChoice *choice) {
  TgForm forms[TG_CHOICE_GROUPS] = {0};
  for (int c = 0; c < choice->groups; c++) forms[c].algorithm = TG_COLLECTIVE_AUTO;
  choice->usual_transfers = tg_choice_most_at_once(choice, forms);
  choice->by_name = !tg_blocks_alike(choice->schedule, choice->run->shape);
  if (choice->by_name && !has_time(choice, forms))
    choice->by_name = false;
  else
    choice->shape = *choice->run->shape;
}

static bool is_exact(const TgChoice *choice) {
  const TgShape *exact = choice->run->shape, *tried = &choice->shape;
  return exact->m == tried->m && exact->n == tried->n && exact->k == tried->k;
}

/* Whether the best trial is already the prediction that was asked for. */
static bool is_asked_for(const TgChoice *choice) {
  return !choice->run->options->keep_node_steps && is_exact(choice);
}

/* Whether none took as little as was asked about. Sizes that were rounded up do not tell. */
static bool is_too_slow(const TgChoice *choice) {
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
  g_autofree TgChoice *choice = g_new0(TgChoice, 1);
  *choice = (TgChoice){.run = run,
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
  tg_choice_find_groups(choice);
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
