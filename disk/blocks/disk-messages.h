/** @file disk-messages.h
 * Private to disk/blocks: the thread that sends blocks to other ranks, and receives theirs, in pieces between disk and
 * network. It alone calls MPI while it runs. Both sides go through their messages in the order of the blocks' numbers,
 * few at a time: the earliest one that is not through is under way on both sides as soon as it is complete, so that all
 * get through. */
#ifndef TG_DISK_MESSAGES_H
#define TG_DISK_MESSAGES_H

#include "disk-store.h"
#include "ranks-module.h"

enum { TG_DISK_BUFFERS = 8 }; /* pieces in memory, at most */

typedef struct TgDiskMessages TgDiskMessages;

/** For the received blocks that are `todo`, in pieces of at most so many bytes. Errors: TOO_LARGE. */
TgDiskMessages *tg_disk_messages_new(TgDiskStore *store, const TgRanksJob *job, const bool *todo, size_t piece_bytes,
                                     GError **error);
/** The thread, of TgDiskMessages; stops the store where something fails. */
gpointer tg_disk_messages_run(gpointer messages);
/** Waits until this rank has sent all that comes before that block in the program: what others wait for is not to
 * compete with a product for the disk. False where the store has stopped. */
bool tg_disk_messages_wait(TgDiskMessages *messages, int32_t block);
/** Adds what it did. */
void tg_disk_messages_note(const TgDiskMessages *messages, TgHugeResult *result);
void tg_disk_messages_free(TgDiskMessages *messages);

#endif
