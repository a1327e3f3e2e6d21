/** @file loggp-message.h
 * Private to loggp.c and loggp-arrival.c: what a message costs in LogGP, and where the time of its ends goes. */
#ifndef TG_LOGGP_MESSAGE_H
#define TG_LOGGP_MESSAGE_H

#include "account.h"
#include "lane.h"

/** What a message costs besides waiting: o at either end, L, (m - 1)G, and (m - 1)G with all links to itself. */
typedef struct TgLogGpCost {
  double overhead_s, latency_s, rest_s, alone_s;
} TgLogGpCost;

/** What a transfer's send leaves for its receive. */
typedef struct TgLogGpMessage {
  double begin_s;    /**< when its sender begins to send it */
  double arrival_s;  /**< of its first byte */
  double rest_s;     /**< from its first byte to its last … */
  double alone_s;    /**< … and with all links to itself */
  double overhead_s; /**< at either end */
  double room_s;     /**< when its receiver has room for it */
} TgLogGpMessage;

/** Whether all messages have the same L and G. */
static inline bool tg_loggp_is_plain(const TgLanes *lanes) {
  return lanes->one_link && !lanes->shares;
}

/** The cost of a transfer. Where links differ, L is the largest latency on the route. G is the narrowest link's or,
 * where transfers share links, that of its share. */
TgLogGpCost tg_loggp_cost(const TgLanes *lanes, const TgLane *lane, int64_t transfer);

/** The node of the account has sent the message, and comes to `at_s` with it. */
void tg_loggp_note_send(TgAccount *account, const TgLogGpMessage *message, double gap_s, double at_s);
/** The node of the account has received the message at `end_s`, and comes to `at_s` with it. */
void tg_loggp_note_receive(TgAccount *account, const TgLogGpMessage *message, double gap_s, double end_s, double at_s);

#endif
