/** @file disk-messages.h
 * Private to disk/blocks: the thread that sends blocks to other ranks and receives theirs, in pieces between disk and
 * network. While it runs, no other thread calls MPI. Senders and receivers process messages in the order of the blocks'
 * numbers, a few at a time. This cannot deadlock: both sides work on the earliest unfinished message as soon as its
 * block is complete. */
#ifndef TG_DISK_MESSAGES_H
#define TG_DISK_MESSAGES_H

#include "disk-store.h"
#include "ranks-module.h"

enum { TG_DISK_BUFFERS = 8 }; /* pieces in memory, at most */

typedef struct TgDiskMessages TgDiskMessages;

/** Prepares messages for the received blocks that are `todo`, in pieces of at most piece_bytes. Errors: TOO_LARGE. */
TgDiskMessages *tg_disk_messages_new(TgDiskStore *store, const TgRanksJob *job, const bool *todo, size_t piece_bytes,
                                     GError **error);
/** The thread; `messages` is a TgDiskMessages. Stops the store if something fails. */
gpointer tg_disk_messages_run(gpointer messages);
/** Waits until this rank has sent all blocks that come before `block` in the program, so that a product does not
 * compete for the disk with blocks that other ranks wait for. False if the store has stopped. */
bool tg_disk_messages_wait(TgDiskMessages *messages, int32_t block);
/** Adds the bytes that were sent, read and written to `result`. */
void tg_disk_messages_note(const TgDiskMessages *messages, TgHugeResult *result);
void tg_disk_messages_free(TgDiskMessages *messages);

#endif
