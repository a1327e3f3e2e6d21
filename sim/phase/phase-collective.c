/* The rounds of a collective, derived from the transfers along one line. */
#include "phase-private.h"

#include "sum.h"

/* --- transfers of a collective along a line, the same for all lines with the same root --------------------------- */

enum { MOST_KEPT = 1 << 22 }; /* transfers of patterns; beyond that all patterns are dropped */

static void add_parcel(GArray *pattern, const TgTransfer *parcel, int64_t bytes) {
  TgLineTransfer *last = pattern->len ? &g_array_index(pattern, TgLineTransfer, pattern->len - 1) : NULL;
  if (last && last->round == parcel->round && last->from == parcel->from && last->to == parcel->to &&
      last->add == parcel->add) {
    last->bytes = tg_sum(last->bytes, bytes);
    return;
  }
  TgLineTransfer transfer = {parcel->round, parcel->from, parcel->to, parcel->add, bytes};
  g_array_append_val(pattern, transfer);
}

/* Transfers of the current statement along `line`, in order: a GArray of TgLineTransfer, valid until the next call. */
static const GArray *line_pattern(TgPhases *phases, const TgLine *line) {
  const int number = phases->walk.statement;
  gint64 key = (gint64)number << 32 | line->root;
  GArray *pattern = g_hash_table_lookup(phases->patterns, &key);
  if (pattern) return pattern;
  if (phases->pattern_transfers > MOST_KEPT) {
    g_hash_table_remove_all(phases->patterns);
    phases->pattern_transfers = 0;
  }
  TgRounds rounds;
  TgTransfer parcel;
  pattern = g_array_new(FALSE, FALSE, sizeof(TgLineTransfer));
  tg_rounds_of_statement(&rounds, &phases->schedule->statement[number], phases->collective, line->length, line->root);
  while (tg_rounds_next(&rounds, &parcel))
    add_parcel(pattern, &parcel,
               tg_phases_piece_bytes(phases, phases->blocks.bytes[number], parcel.piece, parcel.pieces));
  phases->pattern_transfers += pattern->len;
  g_hash_table_insert(phases->patterns, g_memdup2(&key, sizeof key), pattern);
  return pattern;
}

/* --- the rounds of all lines -------------------------------------------------------------------------------------- */

static guint transfers_of_round(const TgLineTransfer *transfer, guint first, guint end) {
  guint t = first;
  while (t < end && transfer[t].round == transfer[first].round) t++;
  return t - first;
}

/* Finds rounds in a row that do the same: all of a ring's, the middle ones of a chain. */
static void find_same_rounds(TgPhases *phases, const GArray *pattern) {
  const TgLineTransfer *transfer = (const TgLineTransfer *)(const void *)pattern->data, *before = NULL;
  guint count_before = 0;
  for (guint t = 0, count; t < pattern->len; t += count) {
    const int32_t round = (int32_t)phases->same_as->len;
    int32_t same_as = round;
    count = transfers_of_round(transfer, t, pattern->len);
    if (before && count == count_before && tg_line_transfers_same(before, &transfer[t], count))
      same_as = g_array_index(phases->same_as, int32_t, round - 1);
    g_array_append_val(phases->same_as, same_as);
    before = &transfer[t];
    count_before = count;
  }
}

/* Whether its rounds are drafted only once, and are the same on all lines. */
static bool has_same_rounds(const TgPhases *phases, const TgStatement *statement) {
  return (statement->depth == 0 || tg_statement_is_constant(phases->schedule, statement)) &&
         !(tg_expression_variables(phases->schedule, statement->value) & TG_VARIABLES_COORDINATES);
}

static bool is_drafted(const TgPhases *phases, int32_t round) {
  return round >= (int32_t)phases->same_as->len || g_array_index(phases->same_as, int32_t, round) == round;
}

/* Whether all lines take part, and have the same root and slots. Sums need the drafts of all lines. */
static bool has_lines_alike(const TgPhases *phases, const TgStatement *statement) {
  const TgSchedule *schedule = phases->schedule;
  const TgExpression read[] = {statement->value, statement->where, statement->source.index, statement->target.index};
  if (phases->sums && tg_op_traits(statement->op)->adds) return false;
  for (gsize e = 0; e < G_N_ELEMENTS(read); e++)
    if (tg_expression_variables(schedule, read[e]) & TG_VARIABLES_COORDINATES) return false;
  return true;
}

static bool walk_line(TgPhases *phases, int64_t number, TgLine *line, bool *takes_part, GError **error) {
  TgError failure;
  return tg_walk_line(&phases->walk, number, line, takes_part, &failure) ||
         tg_phases_expression_failed(phases, &failure, error);
}

/* Where each line begins. */
static bool find_bases(TgPhases *phases, GArray *bases, GError **error) {
  for (int64_t number = 0; number < tg_walk_lines(&phases->walk); number++) {
    TgLine line;
    bool takes_part;
    if (!walk_line(phases, number, &line, &takes_part, error)) return false;
    g_array_append_val(bases, line.base);
  }
  return true;
}

/* Makes the phase of a round that is not stored yet. `stride`: of all lines. */
static TgPhase *make_round(TgPhases *phases, const TgLineRound *round, const GArray *bases, int64_t stride) {
  TgPhaseDraft *draft = tg_phase_draft_new();
  for (guint number = 0; number < bases->len; number++) {
    const int64_t base = g_array_index(bases, int64_t, number);
    for (guint t = 0; t < round->transfers; t++)
      tg_phase_draft_transfer(draft, base + round->transfer[t].from * stride, base + round->transfer[t].to * stride,
                              round->transfer[t].bytes);
  }
  TgPhase *phase = tg_phase_draft_finish(draft, tg_schedule_processors(phases->schedule));
  tg_phase_draft_free(draft);
  tg_phases_set_uses(phases, &phases->schedule->statement[round->statement], phase);
  return tg_phase_store_find_round(phases->store, phase, round);
}

/* Rounds that may come again in other repetitions and are the same on all lines: the transfers along the first line
 * tell which phases they are. */
static bool take_rounds(TgPhases *phases, GError **error) {
  TgLine line;
  bool takes_part;
  if (!walk_line(phases, 0, &line, &takes_part, error)) return false;
  g_autoptr(GArray) bases = g_array_new(FALSE, FALSE, sizeof(int64_t));
  const GArray *pattern = line_pattern(phases, &line);
  const TgLineTransfer *transfer = (const TgLineTransfer *)(const void *)pattern->data;
  TgLineRound round = {.statement = phases->walk.statement};
  for (guint t = 0; t < pattern->len; t += round.transfers) {
    round.transfers = transfers_of_round(transfer, t, pattern->len);
    round.transfer = &transfer[t];
    TgPhase *phase = tg_phase_store_known_round(phases->store, &round);
    if (!phase) {
      if (!bases->len && !find_bases(phases, bases, error)) return false;
      if (!tg_phases_go_on(phases, round.transfers * bases->len, error)) return false;
      phase = make_round(phases, &round, bases, line.stride);
    }
    g_ptr_array_add(phases->ready, phase);
  }
  return true;
}

bool tg_phases_draft_collective(TgPhases *phases, GError **error) {
  const TgStatement *statement = &phases->schedule->statement[phases->walk.statement];
  if (tg_statement_may_come_again(phases->schedule, statement) && has_lines_alike(phases, statement))
    return take_rounds(phases, error);
  bool same = has_same_rounds(phases, statement);
  for (int64_t number = 0; number < tg_walk_lines(&phases->walk); number++) {
    TgLine line;
    bool takes_part;
    if (!walk_line(phases, number, &line, &takes_part, error)) return false;
    if (!takes_part) continue;
    const GArray *pattern = line_pattern(phases, &line);
    if (!tg_phases_go_on(phases, pattern->len, error)) return false;
    if (same) find_same_rounds(phases, pattern);
    same = false;
    for (guint t = 0; t < pattern->len; t++) {
      const TgLineTransfer *transfer = &g_array_index(pattern, TgLineTransfer, t);
      if (!is_drafted(phases, transfer->round)) continue;
      TgPhaseDraft *draft = tg_phases_draft(phases, transfer->round);
      const int64_t to = line.base + transfer->to * line.stride;
      tg_phase_draft_transfer(draft, line.base + transfer->from * line.stride, to, transfer->bytes);
      if (phases->sums && transfer->add) tg_phase_draft_addition(draft, to, transfer->bytes);
    }
  }
  return true;
}
