/** @file phase-private.h
 * Private to sim/phase/: the phases on their way. */
#ifndef TG_PHASE_PRIVATE_H
#define TG_PHASE_PRIVATE_H

#include "buffer-uses.h"
#include "phase-draft.h"
#include "phase-store.h"
#include "phase-together.h"
#include "uniform-blocks.h"

struct TgPhases {
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  TgCollective collective;
  TgShape shape;
  int64_t element_bytes;
  bool sums;
  const TgWatch *watch;
  uint32_t since_watched; /* transfers of uniform blocks since it was asked */
  TgWalk walk;            /* uniform blocks */
  TgState *state;         /* blocks of different sizes: followed by name */
  TgError failure;
  TgUniformBlocks blocks;
  TgBufferUses uses;
  GHashTable *patterns;      /* statement and root -> GArray of TgLineTransfer: patterns found so far */
  int64_t pattern_transfers; /* in them */
  GPtrArray *drafts;         /* TgPhaseDraft, one a round */
  GArray *same_as;           /* int32_t, by round: the first of the rounds in a row that do the same */
  GPtrArray *ready;          /* TgPhase of the current statement */
  guint next;
  TgTogether *together; /* NULL: one statement after another */
  TgPhaseStore *store;
  GPtrArray *cache[TG_MAX_STATEMENTS]; /* of statements that are the same at every repetition */
};

/** Bytes of part `piece` of `pieces` of a block. */
int64_t tg_phases_piece_bytes(const TgPhases *phases, int64_t block_bytes, int32_t piece, int32_t pieces);
/** The draft of a round of the current statement. */
TgPhaseDraft *tg_phases_draft(TgPhases *phases, int32_t round);
/** Turns the drafts into the current statement's phases. */
void tg_phases_take_drafts(TgPhases *phases, const TgStatement *statement);

/** Sets what a phase of the statement reads, writes and waits for. */
void tg_phases_set_uses(const TgPhases *phases, const TgStatement *statement, TgPhase *phase);
/** Counts transfers, of which a statement may have millions, and asks the watch every 65,536 of them. False, with
 * STOPPED, where it says to stop. */
bool tg_phases_go_on(TgPhases *phases, guint transfers, GError **error);
/** Records the reason as a fault of the schedule. Always false. */
bool tg_phases_expression_failed(TgPhases *phases, const TgError *reason, GError **error);
/** Drafts the rounds of the current statement, a collective, or adds their stored phases to `ready`. */
bool tg_phases_draft_collective(TgPhases *phases, GError **error);

/** Where blocks differ in size: begins to follow them, and makes the phases of the next statement. */
bool tg_phases_follow_by_name(TgPhases *phases, GError **error);
TgProgress tg_phases_next_named(TgPhases *phases, GError **error);

#endif
