#include "heat-map.h"

#include <math.h>
#include <string.h>

#include "palette.h"

/* At most this many tiles along a side: more are no longer seen apart. */
enum { MOST_TILES = 64, TILE = 10, LABEL_X = 44, LABEL_Y = 24, PANEL_GAP = 20, CAPTION = 22, LEGEND = 74 };

bool tg_heat_parse(const char *text, TgHeat *heat) {
  static const char *const names[] = {
      [TG_HEAT_AUTO] = "auto", [TG_HEAT_LINK] = "link", [TG_HEAT_RECEIVED] = "received", [TG_HEAT_HELD] = "held"};
  for (int h = 0; h < (int)G_N_ELEMENTS(names); h++) {
    if (strcmp(text, names[h]) != 0) continue;
    *heat = (TgHeat)h;
    return true;
  }
  return false;
}

static TgHeat choose_heat(const TgFrame *frame, TgHeat heat) {
  if (heat == TG_HEAT_LINK && frame->topology == NULL) return TG_HEAT_RECEIVED;
  if (heat != TG_HEAT_AUTO) return heat;
  if (frame->messages == 0) return TG_HEAT_HELD;
  return frame->topology ? TG_HEAT_LINK : TG_HEAT_RECEIVED;
}

static double busiest_link(const TgFrame *frame, int64_t processor) {
  TgHop hop;
  double most = 0;
  for (int64_t i = 0; tg_topology_neighbour(frame->topology, frame->node[processor], i, &hop); i++)
    most = MAX(most, frame->link_blocks[hop.link]);
  return most;
}

double tg_heat_value(const TgFrame *frame, TgHeat heat, int64_t processor) {
  if (heat == TG_HEAT_LINK) return busiest_link(frame, processor);
  return heat == TG_HEAT_HELD ? frame->held[processor] : frame->received[processor];
}

/* A line of processors is folded into rows. */
static void find_shape(TgHeatMap *map) {
  const TgSchedule *schedule = map->frame->schedule;
  map->rows = schedule->extent[0];
  map->columns = schedule->extent[1];
  map->panels = (int64_t)schedule->extent[2] * schedule->extent[3];
  if (schedule->dims == 1) {
    map->columns = (int64_t)ceil(sqrt((double)map->frame->processors));
    map->rows = (map->frame->processors + map->columns - 1) / map->columns;
  }
  map->panel_columns = schedule->dims == 4 ? schedule->extent[3] : (int64_t)ceil(sqrt((double)map->panels));
}

static void find_size(TgHeatMap *map) {
  int64_t most = map->panels > 1 ? MOST_TILES / 2 : MOST_TILES;
  map->tile = (MAX(map->rows, map->columns) + most - 1) / most;
  map->tile_rows = (map->rows + map->tile - 1) / map->tile;
  map->tile_columns = (map->columns + map->tile - 1) / map->tile;
  map->side = TILE * (MAX(map->tile_rows, map->tile_columns) > 40 ? 1.0 : 1.4);
  double label_x = map->panels > 1 ? 6 : LABEL_X, label_y = map->panels > 1 ? CAPTION : LABEL_Y;
  map->panel_width = label_x + (double)map->tile_columns * map->side;
  map->panel_height = label_y + (double)map->tile_rows * map->side;
  int64_t panel_rows = (map->panels + map->panel_columns - 1) / map->panel_columns;
  map->width = MAX((double)map->panel_columns * (map->panel_width + PANEL_GAP) - PANEL_GAP, 380);
  map->height = (double)panel_rows * (map->panel_height + PANEL_GAP) - PANEL_GAP + LEGEND;
}

void tg_heat_map_init(TgHeatMap *map, const TgFrame *frame, TgHeat heat) {
  *map = (TgHeatMap){.frame = frame, .heat = choose_heat(frame, heat)};
  map->value = g_new0(double, (gsize)frame->processors);
  for (int64_t p = 0; p < frame->processors; p++) {
    map->value[p] = tg_heat_value(frame, map->heat, p);
    map->most = MAX(map->most, map->value[p]);
  }
  find_shape(map);
  find_size(map);
}

void tg_heat_map_clear(TgHeatMap *map) {
  g_free(map->value);
}

/* What is shown, with its unit. */
static const char *heat_map_words(const TgHeatMap *map) {
  static const char *const words[] = {
      [TG_HEAT_AUTO] = "",
      [TG_HEAT_LINK] = "blocks over the busiest link that leaves the processor in this step",
      [TG_HEAT_RECEIVED] = "blocks that the processor receives in this step",
      [TG_HEAT_HELD] = "blocks that the processor holds as the step ends",
  };
  return words[map->heat];
}

static int64_t rank_of(const TgHeatMap *map, int64_t panel, int64_t row, int64_t column) {
  return (row * map->columns + column) * map->panels + panel;
}

/* The largest value in a tile; -1 where it lies beyond the last processor. */
static double tile_value(const TgHeatMap *map, int64_t panel, int64_t tile_row, int64_t tile_column) {
  double most = -1;
  for (int64_t r = tile_row * map->tile; r < MIN((tile_row + 1) * map->tile, map->rows); r++) {
    for (int64_t c = tile_column * map->tile; c < MIN((tile_column + 1) * map->tile, map->columns); c++) {
      int64_t rank = rank_of(map, panel, r, c);
      if (rank < map->frame->processors) most = MAX(most, map->value[rank]);
    }
  }
  return most;
}

static TgPoint panel_origin(const TgHeatMap *map, TgPoint origin, int64_t panel) {
  double used = (double)map->panel_columns * (map->panel_width + PANEL_GAP) - PANEL_GAP;
  return (TgPoint){origin.x + (map->width - used) / 2 +
                       (double)(panel % map->panel_columns) * (map->panel_width + PANEL_GAP),
                   origin.y + (double)(panel / map->panel_columns) * (map->panel_height + PANEL_GAP)};
}

static void append_tile_id(GString *id, const TgHeatMap *map, int64_t panel, int64_t r, int64_t c) {
  int64_t rank = rank_of(map, panel, r * map->tile, c * map->tile);
  if (map->tile > 1) g_string_append(id, "tile-");
  tg_processor_id_append(id, map->frame->schedule, rank);
}

static void append_tile_title(GString *title, const TgHeatMap *map, int64_t panel, int64_t r, int64_t c, double value) {
  tg_processor_append(title, map->frame->schedule, rank_of(map, panel, r * map->tile, c * map->tile));
  if (map->tile > 1)
    g_string_append_printf(title, " and the others of its %" G_GINT64_FORMAT "×%" G_GINT64_FORMAT ", at most",
                           map->tile, map->tile);
  g_string_append_printf(title, ": %.6g", value);
}

/* Whether the processor where the schedule fails is in the tile. */
static bool has_failure(const TgHeatMap *map, int64_t panel, int64_t tile_row, int64_t tile_column) {
  const TgError *failure = map->frame->failure;
  if (!failure || failure->processor < 0 || failure->processor % map->panels != panel) return false;
  const int64_t place = failure->processor / map->panels;
  return place / map->columns / map->tile == tile_row && place % map->columns / map->tile == tile_column;
}

static void draw_tile(const TgHeatMap *map, TgScene *scene, TgPoint at, int64_t panel, int64_t r, int64_t c) {
  double value = tile_value(map, panel, r, c);
  if (value < 0) return;
  char colour[8];
  tg_cividis(map->most > 0 ? value / map->most : 0, colour);
  g_autoptr(GString) id = g_string_new(NULL), title = g_string_new(NULL);
  append_tile_id(id, map, panel, r, c);
  append_tile_title(title, map, panel, r, c, value);
  const bool fails = has_failure(map, panel, r, c);
  const TgPoint a = {at.x + (double)c * map->side, at.y + (double)r * map->side};
  tg_scene_box(scene, id->str, title->str, a, (TgPoint){a.x + map->side, a.y + map->side}, colour,
               fails ? TG_COLOUR_WRONG : colour, fails ? 3 : 0.3);
}

static void draw_number(TgScene *scene, double x, double y, int64_t number) {
  g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, number);
  tg_scene_text(scene, x, y, 11, TG_COLOUR_INK_SOFT, text);
}

/* The first, the last, and every quarter. */
static void draw_numbers(const TgHeatMap *map, TgScene *scene, TgPoint at) {
  for (int64_t r = 0; r < map->tile_rows; r += MAX(map->tile_rows / 4, 1))
    draw_number(scene, at.x - 16, at.y + ((double)r + 0.5) * map->side, r * map->tile);
  if (map->frame->schedule->dims == 1) return;
  for (int64_t c = 0; c < map->tile_columns; c += MAX(map->tile_columns / 4, 1))
    draw_number(scene, at.x + ((double)c + 0.5) * map->side, at.y - 10, c * map->tile);
}

static void draw_panel(const TgHeatMap *map, TgScene *scene, TgPoint origin, int64_t panel) {
  TgPoint at = panel_origin(map, origin, panel);
  bool many = map->panels > 1;
  at.x += many ? 6 : LABEL_X;
  at.y += many ? CAPTION : LABEL_Y;
  for (int64_t r = 0; r < map->tile_rows; r++)
    for (int64_t c = 0; c < map->tile_columns; c++) draw_tile(map, scene, at, panel, r, c);
  if (!many) {
    draw_numbers(map, scene, at);
    return;
  }
  g_autofree char *name =
      g_strdup_printf("%s = %" G_GINT64_FORMAT, tg_name(map->frame->names, map->frame->names->axis[2]), panel);
  tg_scene_text(scene, at.x + (double)map->tile_columns * map->side / 2, at.y - 11, 12, TG_COLOUR_INK, name);
}

/* A bar of all colours with numbers, and what they count. */
static void draw_legend(const TgHeatMap *map, TgScene *scene, TgPoint origin) {
  enum { STEPS = 32 };
  double width = 256, left = origin.x + (map->width - width) / 2, top = origin.y + map->height - LEGEND + 22;
  for (int s = 0; s < STEPS; s++) {
    char colour[8];
    tg_cividis(map->most > 0 ? (s + 0.5) / STEPS : 0, colour);
    tg_scene_box(scene, NULL, NULL, (TgPoint){left + s * width / STEPS, top},
                 (TgPoint){left + (s + 1) * width / STEPS, top + 12}, colour, colour, 0.3);
  }
  for (int q = 0; q <= 2; q++) {
    g_autofree char *text = g_strdup_printf("%.4g", map->most * q / 2);
    if (map->most > 0 || q == 0) tg_scene_text(scene, left + width * q / 2, top + 22, 12, TG_COLOUR_INK, text);
  }
  tg_scene_text(scene, origin.x + map->width / 2, top + 41, 12, TG_COLOUR_INK, heat_map_words(map));
}

void tg_heat_map_draw(const TgHeatMap *map, TgScene *scene, TgPoint origin) {
  for (int64_t panel = 0; panel < map->panels; panel++) draw_panel(map, scene, origin, panel);
  draw_legend(map, scene, origin);
}
