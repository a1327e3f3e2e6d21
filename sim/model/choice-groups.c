/* What there is to choose, what each form promises, and how long a prediction with it takes. */
#include "choice-private.h"

#include "outlook.h"
#include "slice.h"
#include "uniform-blocks.h"

#include <math.h>

bool tg_forms_same(const TgForm *a, const TgForm *b, int count) {
  for (int i = 0; i < count; i++)
    if (a[i].algorithm != b[i].algorithm || a[i].pieces != b[i].pieces) return false;
  return true;
}

/* Between two processors, algorithms differ only in whether a block goes whole or in pieces. */
static bool means_the_same(const TgFormGroup *group, const TgForm *a, const TgForm *b) {
  if (group->length == 2 && !a->pieces && !b->pieces && a->algorithm != TG_COLLECTIVE_SCATTER_ALLGATHER &&
      b->algorithm != TG_COLLECTIVE_SCATTER_ALLGATHER)
    return true;
  return tg_forms_same(a, b, 1);
}

/* Lists each form once, under the first name that means it. */
static void find_forms(TgFormGroup *group) {
  enum { FIRST_PIECES = 8 };
  for (int name = TG_COLLECTIVE_BINOMIAL; name < TG_COLLECTIVES; name++) {
    TgRounds rounds;
    tg_rounds_init(&rounds, (TgOp)group->op, (TgCollective)name, group->length, 0, 0);
    TgForm form = {(TgCollective)rounds.collective, 0};
    if (form.algorithm == TG_COLLECTIVE_CHAIN)
      form.pieces = FIRST_PIECES;
    else
      group->transfers[form.algorithm] = tg_line_transfers(&rounds);
    int known = 0;
    while (known < group->forms && !means_the_same(group, &group->form[known], &form)) known++;
    if (known == group->forms) group->form[group->forms++] = form;
    group->named[name] = known;
  }
}

static int64_t largest_block(const TgChoice *choice) {
  int64_t most = 0;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    const int32_t *blocks = choice->schedule->blocks[matrix];
    if (blocks[0] <= 0 || blocks[1] <= 0) continue;
    most = MAX(most, tg_divide_up(choice->shape.rows[matrix], blocks[0]) *
                         tg_divide_up(choice->shape.columns[matrix], blocks[1]));
  }
  return most * choice->run->options->element_bytes;
}

static void count_executions(TgChoice *choice) {
  TgWalk walk;
  TgError unused;
  tg_walk_init(&walk, choice->schedule, choice->run->names);
  while (tg_walk_next(&walk, &unused) == TG_PROGRESS_MORE) {
    const int c = choice->group_of[walk.statement];
    if (c >= 0) choice->group[c].executions++;
  }
  choice->statements = walk.executed;
}

/* Collectives along lines of one length with blocks of one size begin with as many pieces in a chain. */
static double executions_alike(const TgChoice *choice, const TgFormGroup *group) {
  double executions = 0;
  for (int c = 0; c < choice->groups; c++) {
    const TgFormGroup *other = &choice->group[c];
    if (other->length == group->length && other->bytes == group->bytes) executions += other->executions;
  }
  return executions;
}

int64_t tg_choice_elements(const TgChoice *choice, int group) {
  return choice->group[group].bytes / choice->options.element_bytes;
}

int32_t tg_even_pieces(int64_t elements, int32_t pieces) {
  static const double near = 1.25;
  for (int32_t off = 0; pieces - off > pieces / near; off++) {
    if (elements % (pieces - off) == 0) return pieces - off;
    if (elements % (pieces + off) == 0 && pieces + off <= TG_COST_MOST_PIECES) return pieces + off;
  }
  return pieces;
}

/* What each form promises, and in how many pieces a chain is tried first: where lines of two axes are in one group, on
 * those that take longer. */
static void find_outlooks(TgChoice *choice) {
  TgOutlook outlook;
  int of_group[TG_CHOICE_GROUPS] = {0}; /* statements */
  for (int s = 0; s < choice->schedule->statements; s++)
    if (choice->group_of[s] >= 0) of_group[choice->group_of[s]]++;
  if (!tg_outlook_init(&outlook, choice->run, choice->schedule)) return; /* the prediction will say why */
  for (int s = 0; s < choice->schedule->statements; s++) {
    const int c = choice->group_of[s];
    if (c < 0) continue;
    TgFormGroup *group = &choice->group[c];
    const double alike = executions_alike(choice, group);
    for (int f = 0; f < group->forms; f++) {
      TgForm *form = &group->form[f];
      const TgOutlookCollective found = tg_outlook_collective(&outlook, &choice->schedule->statement[s],
                                                              form->algorithm, (double)group->bytes, alike);
      group->hops[f] += found.hops / of_group[c];
      if (found.seconds <= group->outlook_s[f]) continue;
      group->outlook_s[f] = found.seconds;
      if (form->algorithm == TG_COLLECTIVE_CHAIN && found.pieces > 1)
        form->pieces = tg_even_pieces(tg_choice_elements(choice, c), found.pieces);
    }
  }
}

/* What makes predictions of a group quick: of all its statements what is true of each. */
static void find_repetition(TgChoice *choice) {
  const TgCostRun *run = choice->run;
  const TgSchedule *schedule = choice->schedule;
  const TgSliceOf of = {schedule, run->network, run->embedding, run->machine, run->options, false};
  bool alike = true;
  TgSlices slices;
  tg_slices_find(&slices, &of);
  for (int c = 0; c < choice->groups; c++) choice->group[c].constant = choice->group[c].alike = true;
  for (int s = 0; s < schedule->statements; s++) {
    alike = alike && (!tg_op_travels(schedule->statement[s].op) || tg_outlook_is_alike(&schedule->statement[s]));
    if (choice->group_of[s] < 0) continue;
    TgFormGroup *group = &choice->group[choice->group_of[s]];
    group->part = fmax(group->part, tg_slices_part(&slices, schedule, s));
    group->constant = group->constant && tg_statement_is_constant(schedule, &schedule->statement[s]);
    group->alike = group->alike && alike;
  }
}

void tg_choice_find_groups(TgChoice *choice) {
  const TgCostRun *run = choice->run;
  const TgSchedule *schedule = choice->schedule;
  TgUniformBlocks blocks;
  const bool uniform = tg_uniform_blocks(schedule, run->names, &choice->shape, run->options->element_bytes, &blocks);
  const int64_t largest = largest_block(choice);
  for (int s = 0; s < TG_MAX_STATEMENTS; s++) {
    const TgStatement *statement = &schedule->statement[s];
    choice->group_of[s] = -1;
    if (s >= schedule->statements || !tg_op_traits(statement->op)->is_collective) continue;
    const TgFormGroup group = {
        .op = statement->op, .length = schedule->extent[statement->axis], .bytes = uniform ? blocks.bytes[s] : largest};
    if (group.length < 2) continue;
    int c = 0;
    while (c < choice->groups && (choice->group[c].op != group.op || choice->group[c].length != group.length ||
                                  choice->group[c].bytes != group.bytes))
      c++;
    if (c == TG_CHOICE_GROUPS) continue; /* it takes the usual algorithm */
    if (c == choice->groups) {
      choice->group[choice->groups++] = group;
      find_forms(&choice->group[c]);
    }
    choice->group_of[s] = c;
  }
  count_executions(choice);
  find_repetition(choice);
  find_outlooks(choice);
}

/* --- how long a prediction takes ---------------------------------------------------------------------------------- */

/* Timing messages of several hops takes so many times as long where nodes use all their ports at once, since more of
 * them share links then. */
static const double all_ports = 4;

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

/* Transfers along one line. */
static double transfers_of(const TgFormGroup *group, const TgRounds *rounds) {
  return rounds->collective == TG_COLLECTIVE_CHAIN ? tg_line_transfers(rounds) : group->transfers[rounds->collective];
}

static double hops_of(const TgFormGroup *group, const TgForm *form) {
  for (int f = 0; f < group->forms; f++)
    if (group->form[f].algorithm == form->algorithm) return group->hops[f];
  return 0;
}

/* To time one transfer. */
static double message_s(const TgChoice *choice, TgCostModel model, double hops) {
  const TgOutlookPace *pace = &tg_outlook_pace[model];
  if (tg_cost_receives_on_arrival(model, choice->run->machine)) return tg_outlook_arrival_s;
  if (!tg_outlook_goes_far(hops) || pace->hop_s == 0) return pace->message_s;
  return hops * pace->hop_s * pace->crowd * (choice->run->machine->port.ports == TG_PORTS_ALL ? all_ports : 1);
}

/* Whether rounds and executions that are like those before are found once and used again. */
static bool is_known(const TgChoice *choice, const TgFormGroup *group) {
  return group->constant && !choice->by_name;
}

/* Of a group: to find its transfers, and then to time them. */
static double group_work_s(const TgChoice *choice, const TgFormGroup *group, const TgForm *form, bool shared) {
  /* If all messages go to neighbours, event models need no events. */
  const bool apart = !shared && tg_cost_may_run_apart(choice->run);
  const TgCostModel model = apart ? TG_COST_HOCKNEY : choice->options.model;
  const bool events =
      model == TG_COST_FORWARD || model == TG_COST_FLOW || tg_cost_receives_on_arrival(model, choice->run->machine);
  const bool known = is_known(choice, group);
  TgRounds rounds;
  tg_rounds_init(&rounds, (TgOp)group->op, form->algorithm, group->length, 0, form->pieces);
  const double lines = (double)tg_schedule_processors(choice->schedule) / group->length;
  const double along = transfers_of(group, &rounds);
  const double transfers = lines * along, count = tg_rounds_count(&rounds);
  const double different = lines * tg_outlook_different(&rounds, along);
  const double found_s = known ? different * tg_outlook_find_s : group->executions * transfers * tg_outlook_find_s;
  const double named_s = choice->by_name ? group->executions * transfers * tg_outlook_name_s : 0;
  const double each_s = message_s(choice, model, hops_of(group, form));
  const double nodes_s = count * (double)tg_schedule_processors(choice->schedule) * tg_outlook_node_s[model];
  const double timed_s = group->alike && known && !events ? 0 : transfers * each_s + nodes_s;
  return found_s + named_s + group->executions * (count * tg_outlook_round_s + (known ? group->part : 1) * timed_s);
}

double tg_choice_work_s(const TgChoice *choice, const TgForm *forms) {
  bool shared = false;
  double work_s = 0;
  for (int c = 0; c < choice->groups; c++)
    shared = shared || tg_outlook_goes_far(hops_of(&choice->group[c], &forms[c]));
  for (int c = 0; c < choice->groups; c++) work_s += group_work_s(choice, &choice->group[c], &forms[c], shared);
  return work_s;
}

double tg_choice_most_at_once(const TgChoice *choice, const TgForm *forms) {
  double most = 0;
  for (int c = 0; c < choice->groups; c++) {
    const TgFormGroup *group = &choice->group[c];
    TgRounds rounds;
    tg_rounds_init(&rounds, (TgOp)group->op, forms[c].algorithm, group->length, 0, forms[c].pieces);
    const double transfers = transfers_of(group, &rounds);
    const double kept = is_known(choice, group) ? tg_outlook_different(&rounds, transfers) : transfers;
    most = fmax(most, kept / group->length);
  }
  return most * (double)tg_schedule_processors(choice->schedule);
}
