/** @file blocks-execute.h
 * Private to sim/: the operations of blocks-plan.h on the CPU, and blocks in and out of its memory. */
#ifndef TG_BLOCKS_EXECUTE_H
#define TG_BLOCKS_EXECUTE_H

#include "blocks-plan.h"
#include "executor-kind.h"

/** Executes the instruction on blocks that lie at their offsets in `memory`. Large products are cut into pieces, and
 * `between` (may be NULL) is called between them. */
void tg_blocks_execute(TgElement element, char *memory, const TgBlocksInstruction *instruction,
                       void (*between)(void *data), void *data);

/** Copies a block of the whole matrix `from` into its place, with the zeros that fill it up. */
void tg_blocks_load(const TgExecutor *executor, const TgBlocksPlan *plan, const TgBlocksPlaced *placed,
                    const void *from, char *memory);
/** Copies a block out of its place into the whole matrix `to`. */
void tg_blocks_store(const TgExecutor *executor, const TgBlocksPlan *plan, const TgBlocksPlaced *placed, void *to,
                     const char *memory);

/** Fills in the facts that follow from the plan of an executor that tiles nothing. */
void tg_blocks_fill_facts(TgExecutor *executor, const TgBlocksPlan *plan);

#endif
