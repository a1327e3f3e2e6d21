/** @file disk-pulse.h
 * Private to disk/blocks: notices ranks that have stopped. A rank may compute for hours without a message, so waiting
 * for one has no deadline. Instead every rank writes a number to a file beside the blocks again and again, and watches
 * the file of the rank before it. */
#ifndef TG_DISK_PULSE_H
#define TG_DISK_PULSE_H

#include "ranks-module.h"

typedef struct TgDiskPulse TgDiskPulse;

/** Starts a thread that does so. If the rank before this one does not respond for deadline_s, the whole job ends.
 * Errors: of TG_IO_ERROR, CANNOT_WRITE; then NULL. */
TgDiskPulse *tg_disk_pulse_begin(const char *folder, const TgRanksJob *job, double deadline_s, GError **error);
/** Ends it and removes its file. All ranks do so at about the same time. NULL is allowed. */
void tg_disk_pulse_end(TgDiskPulse *pulse);

#endif
