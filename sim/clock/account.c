#include "account.h"

#include <math.h>

TgAccount *tg_account_new(int64_t node, bool each_hop) {
  TgAccount *account = g_new0(TgAccount, 1);
  account->node = node;
  account->each_hop = each_hop;
  account->parts = g_array_new(FALSE, TRUE, sizeof(TgTimeParts));
  account->recent = g_array_new(FALSE, FALSE, sizeof(TgCharge));
  account->waits = g_array_new(FALSE, FALSE, sizeof(TgWait));
  return account;
}

void tg_account_free(TgAccount *account) {
  if (!account) return;
  if (account->parts) g_array_unref(account->parts);
  if (account->waits) g_array_unref(account->waits);
  g_array_unref(account->recent);
  g_free(account);
}

TgTimeParts *tg_account_now(TgAccount *account) {
  if (account->step >= account->parts->len) g_array_set_size(account->parts, account->step + 1);
  return &g_array_index(account->parts, TgTimeParts, account->step);
}

void tg_account_to(TgAccount *account, double *part, double at_s) {
  if (at_s - account->until_s <= TG_ACCOUNT_ROUNDING * at_s) return;
  const size_t place = (size_t)((char *)part - (char *)tg_account_now(account));
  TgCharge charge = {account->step, place, account->until_s, at_s};
  *part += at_s - account->until_s;
  account->until_s = at_s;
  TgCharge *last = account->recent->len ? &g_array_index(account->recent, TgCharge, account->recent->len - 1) : &charge;
  if (last != &charge && last->step == charge.step && last->part == charge.part && last->to_s == charge.from_s)
    last->to_s = at_s;
  else
    g_array_append_val(account->recent, charge);
}

void tg_account_message(TgAccount *account, double depart_s, double end_s, const TgWay *way) {
  TgTimeParts *parts = tg_account_now(account);
  const double under_way_s = end_s - depart_s - way->latency_s;
  if (end_s <= account->until_s) return;
  tg_account_to(account, &parts->waiting_s, depart_s);
  tg_account_to(account, &parts->latency_s, under_way_s > 0 ? depart_s + way->latency_s : end_s);
  if (end_s <= account->until_s) return;
  const double rest_s = end_s - account->until_s;
  const bool shared = under_way_s - way->bytes_s > TG_ACCOUNT_ROUNDING * end_s;
  if (shared) tg_account_to(account, &parts->bytes_s, account->until_s + rest_s * (way->bytes_s / under_way_s));
  tg_account_to(account, shared ? &parts->contention_s : &parts->bytes_s, end_s);
}

static double *part_of(const TgAccount *account, guint step, size_t part) {
  return (double *)(void *)((char *)&g_array_index(account->parts, TgTimeParts, step) + part);
}

/* No product can replace it any more: a wait is kept. */
static void settle(TgAccount *account, const TgCharge *charge) {
  GArray *waits = account->waits;
  TgWait *last = waits->len ? &g_array_index(waits, TgWait, waits->len - 1) : NULL;
  const TgWait wait = {charge->from_s, charge->to_s};
  if (charge->part != offsetof(TgTimeParts, waiting_s) || charge->to_s <= charge->from_s) return;
  if (last && last->to_s == wait.from_s)
    last->to_s = wait.to_s;
  else
    g_array_append_val(waits, wait);
}

/* What was charged from `begin_s` to `end_s` moves to this part, in the same step. What was charged before is final,
 * what was charged after is left for the next products. */
static void take_over(TgAccount *account, size_t part, double begin_s, double end_s) {
  for (guint i = 0; i < account->recent->len; i++) {
    TgCharge *charge = &g_array_index(account->recent, TgCharge, i);
    const TgCharge before = {charge->step, charge->part, charge->from_s, begin_s};
    const double common_s = MIN(charge->to_s, end_s) - MAX(charge->from_s, begin_s);
    if (common_s <= TG_ACCOUNT_ROUNDING * end_s) continue;
    double *other = part_of(account, charge->step, charge->part);
    const double left_s = *other - common_s;
    *other = left_s > TG_ACCOUNT_ROUNDING * end_s ? left_s : 0;
    *part_of(account, charge->step, part) += common_s;
    settle(account, &before);
    charge->from_s = MIN(end_s, charge->to_s);
  }
}

/* Products follow one another: what was charged before these began is final. */
static void forget(TgAccount *account, double begin_s) {
  GArray *recent = account->recent;
  guint kept = 0;
  for (guint i = 0; i < recent->len; i++)
    if (g_array_index(recent, TgCharge, i).to_s > begin_s)
      g_array_index(recent, TgCharge, kept++) = g_array_index(recent, TgCharge, i);
    else
      settle(account, &g_array_index(recent, TgCharge, i));
  g_array_set_size(recent, kept);
}

void tg_account_close(TgAccount *account) {
  forget(account, INFINITY);
}

void tg_account_products(TgAccount *account, bool sums, double begin_s, double end_s) {
  TgTimeParts *parts = tg_account_now(account);
  double *part = sums ? &parts->additions_s : &parts->products_s;
  forget(account, begin_s);
  tg_account_to(account, &parts->waiting_s, begin_s); /* for somebody who fetches */
  take_over(account, (size_t)((char *)part - (char *)parts), begin_s, end_s);
  tg_account_to(account, part, end_s);
}
