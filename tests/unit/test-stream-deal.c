/* How kernel `stream` deals tiles and rounds to blocks: each round of each tile once and in order, blocks equal but for
 * one round, and the second kernel finds just the runs that began inside of a tile. */
#include "stream-deal.h"

#include <glib.h>

typedef struct Tile {
  gint32 rounds;   /**< that were multiplied */
  gboolean stored; /**< by the block that has its first round */
  GArray *partial; /**< gint32: blocks that leave a part of it, by their runs' order */
} Tile;

static void play_block(const TgStreamDeal *deal, gint32 slot, Tile *tiles, gboolean *wrote) {
  const TgStreamWork work = tg_stream_work(deal, slot);
  gint32 begin = 0; /* within its tile, of the sums under way */
  g_assert_cmpint(work.rounds, >, 0);
  for (gint32 round = 0; round < work.rounds; round++) {
    const gint32 within = tg_stream_within(&work, round);
    Tile *tile = &tiles[tg_stream_tile(&work, round)];
    g_assert_cmpint(within, <, deal->all);
    if (round == 0 || tg_stream_tile(&work, round - 1) != tg_stream_tile(&work, round)) begin = within;
    tile->rounds++;
    if (round + 1 < work.rounds && tg_stream_tile(&work, round + 1) == tg_stream_tile(&work, round)) {
      g_assert_cmpint(tg_stream_within(&work, round + 1), ==, within + 1);
      continue;
    }
    g_assert_cmpint(tg_stream_is_partial(&work, round), ==, begin > 0);
    if (begin == 0) {
      g_assert_false(tile->stored);
      tile->stored = TRUE;
      continue;
    }
    g_assert_false(wrote[slot]); /* there is room for one */
    wrote[slot] = TRUE;
    g_array_append_val(tile->partial, slot);
  }
}

static void check_added(const TgStreamDeal *deal, gint32 number, const Tile *tile) {
  const gint64 end = (gint64)(number + 1) * deal->all;
  guint found = 0;
  for (gint32 slot = tg_stream_inside(deal, number); slot < deal->slots && tg_stream_first(deal, slot) < end; slot++) {
    g_assert_cmpuint(found, <, tile->partial->len);
    g_assert_cmpint(slot, ==, g_array_index(tile->partial, gint32, found++));
  }
  g_assert_cmpuint(found, ==, tile->partial->len);
}

static void check(gint64 count, gint32 all, gint32 slots) {
  const TgStreamDeal deal = tg_stream_deal(count, all, slots);
  g_autofree Tile *tiles = g_new0(Tile, (gsize)count);
  g_autofree gboolean *wrote = g_new0(gboolean, (gsize)slots);
  for (gint64 t = 0; t < count; t++) tiles[t].partial = g_array_new(FALSE, FALSE, sizeof(gint32));
  for (gint32 slot = 0; slot < deal.slots; slot++) play_block(&deal, slot, tiles, wrote);
  for (gint32 t = 0; t < count; t++) {
    g_assert_cmpint(tiles[t].rounds, ==, all);
    g_assert_true(tiles[t].stored);
    const gint32 divided = t - deal.whole * deal.slots;
    if (divided >= 0)
      check_added(&deal, divided, &tiles[t]);
    else
      g_assert_cmpuint(tiles[t].partial->len, ==, 0);
    g_array_unref(tiles[t].partial);
  }
}

static void test_every_deal(void) {
  for (gint32 slots = 1; slots < 20; slots++)
    for (gint64 count = 1; count < 70; count++)
      for (gint32 all = 1; all < 12; all++) check(count, all, slots);
}

static void test_balance(void) {
  for (gint32 slots = 1; slots < 30; slots += 2)
    for (gint64 count = 1; count < 100; count += 3) {
      const TgStreamDeal deal = tg_stream_deal(count, 7, slots);
      const gint64 least = count * 7 / deal.slots;
      for (gint32 slot = 0; slot < deal.slots; slot++) {
        const TgStreamWork work = tg_stream_work(&deal, slot);
        g_assert_cmpint(work.rounds, >=, least);
        g_assert_cmpint(work.rounds, <=, least + 1);
      }
    }
}

/* n = 3000 on 132 multiprocessors: 576 tiles, 264 blocks. */
static void test_waves(void) {
  TgStreamDeal deal = tg_stream_deal(576, 94, 264);
  g_assert_cmpint(deal.whole, ==, 1);
  g_assert_cmpint(deal.tiles, ==, 312);
  deal = tg_stream_deal(528, 94, 264);
  g_assert_cmpint(deal.whole, ==, 2);
  g_assert_cmpint(deal.tiles, ==, 0);
  deal = tg_stream_deal(1, 5, 264);
  g_assert_cmpint(deal.slots, ==, 5);
  g_assert_cmpint(tg_stream_inside(&deal, 0), ==, 1);
}

static void test_large(void) {
  const TgStreamDeal deal = tg_stream_deal(1 << 24, 1 << 12, 264);
  const TgStreamWork last = tg_stream_work(&deal, 263);
  g_assert_cmpint(tg_stream_tile(&last, last.rounds - 1), ==, (1 << 24) - 1);
  g_assert_cmpint(tg_stream_within(&last, last.rounds - 1), ==, (1 << 12) - 1);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/stream-deal/every", test_every_deal);
  g_test_add_func("/stream-deal/balance", test_balance);
  g_test_add_func("/stream-deal/waves", test_waves);
  g_test_add_func("/stream-deal/large", test_large);
  return g_test_run();
}
