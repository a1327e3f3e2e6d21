/** @file account.h
 * Private to sim/: where the time of one node goes. A node is at the later of its port's and its processor's time. What
 * advances it is charged the difference; what ends before is hidden and costs nothing. Products are an exception: they
 * count in full and replace what was charged for the same time. So the parts add up to the node's time. */
#ifndef TG_ACCOUNT_H
#define TG_ACCOUNT_H

#include "cost.h"
#include "lane.h"

#define TG_ACCOUNT_ROUNDING 1e-12 /**< of a time: what differs by less is the same time */

/** Time that was charged, from its beginning to its end; a product may yet replace it. */
typedef struct TgCharge {
  guint step;
  size_t part; /**< its place in TgTimeParts */
  double from_s, to_s;
} TgCharge;

typedef struct TgAccount {
  int64_t node;   /**< whose time it is */
  double until_s; /**< what is accounted for */
  guint step;     /**< index of the step to which what comes next is charged */
  GArray *parts;  /**< TgTimeParts, by step */
  GArray *recent; /**< TgCharge: since the last products began, one after another */
  GArray *waits;  /**< TgWait: that ended before those in `recent`, in order */
  bool each_hop;  /**< a message takes each hop's latency and bytes, one hop after another */
} TgAccount;

TgAccount *tg_account_new(int64_t node, bool each_hop);
void tg_account_free(TgAccount *account);

/** The end: nothing replaces what was charged last. */
void tg_account_close(TgAccount *account);

/** The parts of the current step. Valid until the step changes. */
TgTimeParts *tg_account_now(TgAccount *account);

/** The node comes to `at_s`, if it is not there yet, and the difference is added to `*part` of the current step. */
void tg_account_to(TgAccount *account, double *part, double at_s);

/** A message of the node's that departs at `depart_s` and is delivered at `end_s`. Until it departs the node waits for
 * its partner; then comes the latency; what the rest takes longer than the bytes alone would is contention. */
void tg_account_message(TgAccount *account, double depart_s, double end_s, const TgWay *way);
/** Products, or additions, from `begin_s` to `end_s`. */
void tg_account_products(TgAccount *account, bool sums, double begin_s, double end_s);

#endif
