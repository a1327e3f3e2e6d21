/** @file blocks-execute.h
 * Private to sim/: the operations of blocks-plan.h on the CPU. */
#ifndef TG_BLOCKS_EXECUTE_H
#define TG_BLOCKS_EXECUTE_H

#include "blocks-plan.h"
#include "element.h"

/** Executes the instruction on blocks that lie at their offsets in `memory`. Large products are cut into pieces, and
 * `between` (may be NULL) is called between them. */
void tg_blocks_execute(TgElement element, char *memory, const TgBlocksInstruction *instruction,
                       void (*between)(void *data), void *data);

#endif
