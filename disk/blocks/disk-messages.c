#include "disk-messages.h"

#include "sim-error.h"
#include "tiles.h"
#include "trials.h"

#include <time.h>

enum { AT_ONCE = 2, PIECES = TG_DISK_BUFFERS / (2 * AT_ONCE) }; /* messages per direction, pieces of each in memory */

/* A block on its way. If several ranks receive it, and their copies have consecutive numbers, one message serves all of
 * them: the block is read only once. */
typedef struct Message {
  int32_t block; /* the received copy, on this rank or another; the first of … */
  int32_t ranks; /* … this many copies */
  bool sends, begun, more;
  TgTileRow row[PIECES]; /* pieces on their way, in a ring */
  int first, under_way;
  TgTileRow next; /* the piece after these, if there are more */
  double begun_s;
} Message;

/* The messages of one direction: the first ones that are not finished. */
typedef struct Direction {
  GArray *todo; /* int32_t: blocks, in the order of their numbers */
  guint next;
  Message message[AT_ONCE]; /* block -1: none */
} Direction;

struct TgDiskMessages {
  TgDiskStore *store;
  const TgRanksJob *job;
  size_t piece_bytes;
  char *area;
  Direction direction[2]; /* sends, receives */
  int32_t most_ranks;     /* most receivers of one message */
  bool finished;          /* all of them are through */
  int32_t unsent;         /* the first block that is not sent yet; protected by the store's mutex */
  double sent_bytes, read_bytes, written_bytes, model_read_bytes, model_written_bytes;
};

static const TgDiskBlock *block_at(const TgDiskMessages *messages, int32_t number) {
  return tg_disk_block(messages->store->program, number);
}

/* The file that a message is read from or written to. */
static const TgStreamFile *file_of(const TgDiskMessages *messages, const Message *message) {
  const int32_t number = message->sends ? block_at(messages, message->block)->source : message->block;
  return &messages->store->stored[number].file;
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

static int64_t buffer_of(const TgDiskMessages *messages, const Message *message, int piece) {
  const Direction *direction = &messages->direction[!message->sends];
  return ((!message->sends * AT_ONCE) + (message - direction->message)) * PIECES + piece;
}

static int64_t request_of(const TgDiskMessages *messages, const Message *message, int piece, int32_t rank) {
  return buffer_of(messages, message, piece) * messages->most_ranks + rank;
}

static char *data_of(const TgDiskMessages *messages, const Message *message, int piece) {
  return messages->area + (size_t)buffer_of(messages, message, piece) * messages->piece_bytes;
}

static void send_piece(TgDiskMessages *messages, const Message *message, int piece, int64_t bytes, int element_bytes) {
  for (int32_t r = 0; r < message->ranks; r++) {
    const int32_t block = message->block + r;
    messages->sent_bytes += (double)bytes;
    messages->job->mpi->send(request_of(messages, message, piece, r), data_of(messages, message, piece),
                             bytes / element_bytes, element_bytes, block_at(messages, block)->rank, block);
  }
}

static bool begin_piece(TgDiskMessages *messages, Message *message, GError **error) {
  const int piece = (message->first + message->under_way) % PIECES;
  const TgDiskBlock *block = block_at(messages, message->block);
  const TgStreamFile *file = file_of(messages, message);
  const int element_bytes = (int)tg_element_bytes(file->tiling.type);
  const int64_t bytes = (int64_t)tg_tiles_bytes(file, &message->next);
  char *data = data_of(messages, message, piece);
  if (message->sends) {
    if (!tg_tiles_read(file, &message->next, data, error)) return false;
    messages->read_bytes += (double)bytes;
    send_piece(messages, message, piece, bytes, element_bytes);
  } else {
    const int from = block_at(messages, block->source)->rank;
    messages->job->mpi->receive(request_of(messages, message, piece, 0), data, bytes / element_bytes, element_bytes,
                                from, message->block);
  }
  message->row[piece] = message->next;
  message->under_way++;
  message->more = tg_tiles_next(file, messages->piece_bytes, &message->next);
  return true;
}

static bool end_piece(TgDiskMessages *messages, Message *message, GError **error) {
  const int piece = message->first;
  const TgStreamFile *file = file_of(messages, message);
  message->first = (piece + 1) % PIECES;
  message->under_way--;
  if (message->sends) return true;
  messages->written_bytes += (double)tg_tiles_bytes(file, &message->row[piece]);
  return tg_tiles_write(file, &message->row[piece], data_of(messages, message, piece), error);
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static bool begin_message(TgDiskMessages *messages, Message *message, GError **error) {
  if (message->sends && !tg_disk_store_has(messages->store, block_at(messages, message->block)->source)) return true;
  if (!message->sends && !tg_disk_store_begin(messages->store, message->block, error)) return false;
  message->begun = true;
  message->begun_s = tg_now_s();
  message->next = (TgTileRow){0};
  message->more = tg_tiles_next(file_of(messages, message), messages->piece_bytes, &message->next);
  return true;
}

static int32_t todo_at(const Direction *direction, guint place) {
  return place < direction->todo->len ? g_array_index(direction->todo, int32_t, place) : TG_DISK_NONE;
}

/* Tells the other thread which blocks have been sent. */
static void tell_sent(TgDiskMessages *messages) {
  const Direction *sends = &messages->direction[0];
  int32_t unsent = todo_at(sends, sends->next);
  for (int i = 0; i < AT_ONCE; i++) {
    const int32_t block = sends->message[i].block;
    if (block != TG_DISK_NONE && (unsent == TG_DISK_NONE || block < unsent)) unsent = block;
  }
  g_mutex_lock(&messages->store->mutex);
  messages->unsent = unsent == TG_DISK_NONE ? INT32_MAX : unsent;
  g_cond_broadcast(&messages->store->changed);
  g_mutex_unlock(&messages->store->mutex);
}

bool tg_disk_messages_wait(TgDiskMessages *messages, int32_t block) {
  TgDiskStore *store = messages->store;
  g_mutex_lock(&store->mutex);
  while (messages->unsent < block && !store->stop) g_cond_wait(&store->changed, &store->mutex);
  const bool fine = !store->stop;
  g_mutex_unlock(&store->mutex);
  return fine;
}

static bool end_message(TgDiskMessages *messages, Message *message, GError **error) {
  double *model = message->sends ? &messages->model_read_bytes : &messages->model_written_bytes;
  *model += tg_tiles_all_bytes(file_of(messages, message));
  for (int32_t r = 0; message->sends && r < message->ranks; r++)
    tg_disk_store_used(messages->store, block_at(messages, message->block + r)->source);
  if (!message->sends && !tg_disk_store_finish(messages->store, message->block, error)) return false;
  if (messages->store->tell)
    messages->store->tell(messages->store->tell_to, message->sends ? TG_HUGE_SEND : TG_HUGE_RECEIVE, message->begun_s);
  message->block = TG_DISK_NONE;
  if (message->sends) tell_sent(messages);
  return true;
}

static bool is_through(const TgDiskMessages *messages, const Message *message) {
  for (int32_t r = 0; r < message->ranks; r++)
    if (!messages->job->mpi->test(request_of(messages, message, message->first, r))) return false;
  return true;
}

static bool go_on_with(TgDiskMessages *messages, Message *message, bool *progress, GError **error) {
  if (!message->begun && !begin_message(messages, message, error)) return false;
  if (!message->begun) return true;
  while (message->more && message->under_way < PIECES) {
    if (!begin_piece(messages, message, error)) return false;
    *progress = true;
  }
  while (message->under_way && is_through(messages, message)) {
    if (!end_piece(messages, message, error)) return false;
    *progress = true;
  }
  return message->more || message->under_way || end_message(messages, message, error);
}

/* How many blocks, from this place on, are sent as one message. */
static int32_t count_together(const TgDiskMessages *messages, const Direction *direction, guint place) {
  const int32_t first = todo_at(direction, place), source = block_at(messages, first)->source;
  int32_t count = 1;
  while (todo_at(direction, place + (guint)count) == first + count &&
         block_at(messages, first + count)->source == source)
    count++;
  return count;
}

/* Fills free messages with the next blocks. Returns whether there is more to do. */
static bool take_next(const TgDiskMessages *messages, Direction *direction, bool sends) {
  bool more = false;
  for (int i = 0; i < AT_ONCE; i++) {
    Message *message = &direction->message[i];
    const int32_t block = todo_at(direction, direction->next);
    if (message->block == TG_DISK_NONE && block != TG_DISK_NONE) {
      const int32_t ranks = sends ? count_together(messages, direction, direction->next) : 1;
      *message = (Message){.block = block, .ranks = ranks, .sends = sends};
      direction->next += (guint)ranks;
    }
    more = more || message->block != TG_DISK_NONE;
  }
  return more;
}

static bool go_on(TgDiskMessages *messages, bool *progress, bool *more, GError **error) {
  *progress = *more = false;
  for (int d = 0; d < 2; d++) {
    Direction *direction = &messages->direction[d];
    *more = take_next(messages, direction, d == 0) || *more;
    for (int i = 0; i < AT_ONCE; i++)
      if (direction->message[i].block != TG_DISK_NONE && !go_on_with(messages, &direction->message[i], progress, error))
        return false;
  }
  return true;
}

gpointer tg_disk_messages_run(gpointer data) {
  TgDiskMessages *messages = data;
  const struct timespec pause = {0, 100000};
  GError *error = NULL;
  bool progress = true, more = true;
  while (more && !tg_disk_store_is_stopped(messages->store)) {
    if (!go_on(messages, &progress, &more, &error)) {
      tg_disk_store_stop(messages->store, error);
      break;
    }
    if (more && !progress) nanosleep(&pause, NULL);
  }
  messages->finished = !more;
  return NULL;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static void find_todo(TgDiskMessages *messages, const bool *todo) {
  for (int32_t b = 0; b < (int32_t)messages->store->program->blocks->len; b++) {
    const TgDiskBlock *block = block_at(messages, b);
    if (block->kind != TG_DISK_RECEIVED || !todo[b]) continue;
    if (block->rank == messages->job->rank) g_array_append_val(messages->direction[1].todo, b);
    if (block_at(messages, block->source)->rank == messages->job->rank)
      g_array_append_val(messages->direction[0].todo, b);
  }
}

TgDiskMessages *tg_disk_messages_new(TgDiskStore *store, const TgRanksJob *job, const bool *todo, size_t piece_bytes,
                                     GError **error) {
  TgDiskMessages *messages = g_new0(TgDiskMessages, 1);
  messages->store = store;
  messages->job = job;
  messages->piece_bytes = piece_bytes;
  for (int d = 0; d < 2; d++) {
    messages->direction[d].todo = g_array_new(FALSE, FALSE, sizeof(int32_t));
    for (int i = 0; i < AT_ONCE; i++) messages->direction[d].message[i].block = TG_DISK_NONE;
  }
  find_todo(messages, todo);
  messages->most_ranks = 1;
  for (guint place = 0; place < messages->direction[0].todo->len; place++)
    messages->most_ranks = MAX(messages->most_ranks, count_together(messages, &messages->direction[0], place));
  tell_sent(messages);
  messages->area = tg_tiles_room((double)TG_DISK_BUFFERS * (double)piece_bytes);
  if (messages->area && job->mpi->reserve((int64_t)TG_DISK_BUFFERS * messages->most_ranks)) return messages;
  g_set_error(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE, "no memory for messages");
  tg_disk_messages_free(messages);
  return NULL;
}

void tg_disk_messages_note(const TgDiskMessages *messages, TgHugeResult *result) {
  result->sent_bytes += messages->sent_bytes;
  result->disk_read_bytes += messages->read_bytes;
  result->disk_written_bytes += messages->written_bytes;
  result->model_read_bytes += messages->model_read_bytes;
  result->model_written_bytes += messages->model_written_bytes;
}

void tg_disk_messages_free(TgDiskMessages *messages) {
  if (!messages) return;
  for (int d = 0; d < 2; d++) g_array_unref(messages->direction[d].todo);
  if (messages->finished) tg_tiles_leave(messages->area); /* else MPI may still use it, until the process ends */
  g_free(messages);
}
