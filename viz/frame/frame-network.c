#include "frame-network.h"

static void append_extents(GString *text, const TgLevel *level) {
  for (int a = 0; a < level->dims; a++) g_string_append_printf(text, "%s%d", a ? "×" : "", level->extents[a]);
}

static void append_level(GString *text, const TgLevel *level) {
  static const struct {
    const char *before, *after;
  } words[TG_NETWORK_KINDS] = {
      [TG_TORUS] = {"", " torus"},      [TG_MESH] = {"", " mesh"},      [TG_RING] = {"ring of ", ""},
      [TG_LINE] = {"line of ", ""},     [TG_HYPERCUBE] = {"", "-cube"}, [TG_FULL] = {"full network of ", ""},
      [TG_SWITCH] = {"switch of ", ""},
  };
  g_string_append(text, words[level->kind].before);
  append_extents(text, level);
  g_string_append(text, words[level->kind].after);
}

void tg_network_append(GString *text, const TgTopology *topology) {
  append_level(text, &topology->level[topology->levels - 1]);
  for (int l = topology->levels - 2; l >= 0; l--) {
    g_string_append(text, l == topology->levels - 2 ? ", at each node a " : ", of each a ");
    append_level(text, &topology->level[l]);
  }
}

const char *tg_article(const char *words) {
  static const char *const vowels[] = {"8", "11×", "11-", "18×", "18-"};
  for (gsize v = 0; v < G_N_ELEMENTS(vowels); v++)
    if (g_str_has_prefix(words, vowels[v])) return "an";
  return "a";
}

bool tg_frame_goes_round(const TgFrame *frame) {
  const TgTopology *topology = frame->topology;
  if (topology == NULL || topology->levels > 1) return true;
  return topology->level[0].kind != TG_MESH && topology->level[0].kind != TG_LINE;
}

bool tg_frame_has_grid_shape(const TgFrame *frame) {
  const TgTopology *topology = frame->topology;
  if (topology == NULL || topology->levels > 1 || topology->level[0].dims != frame->schedule->dims) return false;
  if (topology->level[0].kind > TG_LINE) return false;
  for (int c = 0; c < frame->schedule->dims; c++)
    if (topology->level[0].extents[c] != frame->schedule->extent[c]) return false;
  return true;
}
