#include "account.h"

TgAccount *tg_account_new(int64_t node, bool each_hop) {
  TgAccount *account = g_new0(TgAccount, 1);
  account->node = node;
  account->each_hop = each_hop;
  account->parts = g_array_new(FALSE, TRUE, sizeof(TgTimeParts));
  return account;
}

void tg_account_free(TgAccount *account) {
  if (!account) return;
  if (account->parts) g_array_unref(account->parts);
  g_free(account);
}

TgTimeParts *tg_account_now(TgAccount *account) {
  if (account->step >= account->parts->len) g_array_set_size(account->parts, account->step + 1);
  return &g_array_index(account->parts, TgTimeParts, account->step);
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
  const double bytes_s = shared ? rest_s * (way->bytes_s / under_way_s) : rest_s;
  parts->bytes_s += bytes_s;
  parts->contention_s += rest_s - bytes_s;
  account->until_s = end_s;
}

void tg_account_products(TgAccount *account, bool sums, double end_s) {
  TgTimeParts *parts = tg_account_now(account);
  tg_account_to(account, sums ? &parts->additions_s : &parts->products_s, end_s);
}
