#include "topology-network.h"

#include <math.h>
#include <stdlib.h>

#include "palette.h"
#include "text-width.h"

/* More nodes are small and have no labels. */
enum { LABELLED_NODES = 256, LABELLED_CUBE = 64, DOT = 9, STUB = 20 };

/* Links and, of groups, the node where they meet the next level. */
static const char *const level_colour[TG_MAX_LEVELS] = {"#6b6b6b", "#0072B2", "#D55E00"};

static void append_joined(GString *text, const TgNetwork *network, int64_t node, const char *separator) {
  int32_t coordinate[TG_MAX_COORDINATES];
  int count = tg_topology_coordinates(network->topology, node, coordinate);
  for (int c = 0; c < count; c++) g_string_append_printf(text, "%s%d", c ? separator : "", coordinate[c]);
}

/* A hypercube's label in bits, other coordinates as numbers. */
static void append_label(GString *text, const TgNetwork *network, int64_t node) {
  const TgLevel *level = &network->topology->level[0];
  if (network->topology->levels > 1 || level->kind != TG_HYPERCUBE) {
    append_joined(text, network, node, ",");
    return;
  }
  for (int bit = level->extents[0] - 1; bit >= 0; bit--) g_string_append_c(text, node >> bit & 1 ? '1' : '0');
}

static char *vertex_id(const TgNetwork *network, int64_t vertex) {
  if (vertex >= network->topology->nodes)
    return g_strdup_printf("switch-%" G_GINT64_FORMAT, vertex - network->topology->nodes);
  GString *id = g_string_new("n-");
  append_joined(id, network, vertex, "-");
  return g_string_free(id, FALSE);
}

void tg_network_find_node_size(TgNetwork *network) {
  bool cube = network->topology->levels == 1 && network->topology->level[0].kind == TG_HYPERCUBE;
  network->labelled = network->topology->nodes <= (cube ? LABELLED_CUBE : LABELLED_NODES);
  network->node_width = network->node_height = DOT;
  if (!network->labelled) return;
  g_autoptr(GString) text = g_string_new(NULL);
  append_label(text, network, network->topology->nodes - 1);
  network->node_height = TG_NODE_HEIGHT;
  network->node_width = MAX(TG_NODE_HEIGHT, tg_text_width(text->str, TG_NODE_LABEL) + 12);
}

static TgPoint corner_of(const TgFigure *figure, TgPoint centre) {
  return (TgPoint){centre.x - figure->width / 2, centre.y - figure->height / 2};
}

/* Places one copy of a level with its upper left corner at `corner`, and the groups in it. */
static void place_copy(TgNetwork *network, int l, int32_t copy, TgPoint corner) {
  const TgFigure *figure = &network->figure[l];
  const TgLevel *level = figure->level;
  if (level->switch_base >= 0)
    network->at[level->switch_base + copy] = (TgPoint){corner.x + figure->hub.x, corner.y + figure->hub.y};
  for (int32_t e = 0; e < level->nodes; e++) {
    TgPoint centre = {corner.x + figure->at[e].x, corner.y + figure->at[e].y};
    int32_t number = copy * level->nodes + e;
    network->group[l][number] = centre;
    if (l == 0)
      network->at[number] = centre;
    else
      place_copy(network, l - 1, number, corner_of(&network->figure[l - 1], centre));
  }
}

static void draw_groups(const TgNetwork *network, int l, TgPoint corner) {
  const TgFigure *figure = &network->figure[l];
  for (int32_t e = 0; l > 0 && e < figure->level->nodes; e++) {
    const TgFigure *group = &network->figure[l - 1];
    TgPoint centre = {corner.x + figure->at[e].x, corner.y + figure->at[e].y};
    tg_scene_mark(network->scene, &(TgMark){.shape = TG_OUTLINE_ROUNDED,
                                            .x = centre.x,
                                            .y = centre.y,
                                            .width = group->width,
                                            .height = group->height,
                                            .line = "#8a8a8a"});
    draw_groups(network, l - 1, corner_of(group, centre));
  }
}

/* The colour of the outermost level that a vertex stands in for its group; the usual one where it does not. */
static const char *border_of(const TgNetwork *network, int64_t vertex, const char *usual) {
  for (int l = 1; l < network->topology->levels; l++) {
    const TgLevel *level = &network->topology->level[l];
    int64_t element = (vertex - level->vertex_base) / level->vertex_scale;
    bool gateway = vertex >= level->vertex_base && (vertex - level->vertex_base) % level->vertex_scale == 0 &&
                   element < (int64_t)level->nodes * level->copies;
    if (gateway) usual = level_colour[l];
  }
  return usual;
}

static void draw_node(const TgNetwork *network, int64_t node) {
  g_autoptr(GString) label = g_string_new(NULL), title = g_string_new("node ");
  g_autofree char *id = vertex_id(network, node);
  append_label(label, network, node);
  g_string_append(title, label->str);
  tg_scene_mark(network->scene,
                &(TgMark){.shape = network->node_width > TG_NODE_HEIGHT ? TG_OUTLINE_ROUNDED : TG_OUTLINE_CIRCLE,
                          .id = id,
                          .title = title->str,
                          .x = network->at[node].x,
                          .y = network->at[node].y,
                          .width = network->node_width,
                          .height = network->node_height,
                          .fill = network->labelled ? "#eaf3fa" : "#0072B2",
                          .line = border_of(network, node, TG_COLOUR_LINE),
                          .pen = network->topology->levels > 1 ? 1.6 : 1,
                          .text = network->labelled ? label->str : NULL,
                          .size = TG_NODE_LABEL,
                          .ink = TG_COLOUR_INK});
}

static void draw_switch(const TgNetwork *network, int64_t vertex) {
  g_autofree char *id = vertex_id(network, vertex);
  tg_scene_mark(network->scene, &(TgMark){.shape = TG_OUTLINE_BOX,
                                          .id = id,
                                          .title = id,
                                          .x = network->at[vertex].x,
                                          .y = network->at[vertex].y,
                                          .width = 52,
                                          .height = 22,
                                          .fill = "#fbe5d6",
                                          .line = border_of(network, vertex, TG_COLOUR_LINE),
                                          .pen = 1.6,
                                          .text = "switch",
                                          .size = TG_NODE_LABEL,
                                          .ink = TG_COLOUR_INK});
}

/* Where a link of a level ends: a node, a switch, or the border of a whole group of the level below. */
typedef struct End {
  TgPoint centre;
  double width, height;
} End;

static End end_of(const TgNetwork *network, int32_t l, int64_t vertex) {
  const TgLevel *level = &network->topology->level[l];
  if (level->switch_base >= 0 && vertex >= level->switch_base && vertex < level->switch_base + level->copies)
    return (End){.centre = network->at[vertex]};
  if (l == 0) return (End){network->at[vertex], network->node_width, network->node_height};
  const TgFigure *group = &network->figure[l - 1];
  return (End){network->group[l][(vertex - level->vertex_base) / level->vertex_scale], group->width, group->height};
}

/* Where the way from the centre of an end towards a point leaves it. */
static TgPoint leave(const End *end, TgPoint towards) {
  double dx = towards.x - end->centre.x, dy = towards.y - end->centre.y;
  double scale =
      MIN(fabs(dx) > 1e-9 ? end->width / 2 / fabs(dx) : 1e9, fabs(dy) > 1e-9 ? end->height / 2 / fabs(dy) : 1e9);
  return (TgPoint){end->centre.x + dx * scale, end->centre.y + dy * scale};
}

/* Half a cable that goes round the edge: from one end away from the other, with the number of the node it leads to. */
static void draw_stub(const TgNetwork *network, const char *id, const TgLink *link, bool back, double pen) {
  int64_t here = back ? link->to : link->from, there = back ? link->from : link->to;
  End end = end_of(network, link->level, here), other = end_of(network, link->level, there);
  TgPoint away = {2 * end.centre.x - other.centre.x, 2 * end.centre.y - other.centre.y}, a = leave(&end, away);
  double length = hypot(away.x - end.centre.x, away.y - end.centre.y);
  double dx = (away.x - end.centre.x) / length, dy = (away.y - end.centre.y) / length;
  g_autofree char *from = vertex_id(network, here), *to = vertex_id(network, there);
  TgPoint point[4];
  for (int i = 0; i < 4; i++) point[i] = (TgPoint){a.x + dx * STUB * i / 3, a.y + dy * STUB * i / 3};
  tg_scene_stroke(network->scene, &(TgStroke){.id = id,
                                              .from = from,
                                              .to = to,
                                              .point = {point},
                                              .points = {4},
                                              .colour = level_colour[link->level],
                                              .style = "dashed",
                                              .pen = pen});
  if (!network->labelled || network->topology->levels > 1 || network->topology->level[0].dims > 2) return;
  g_autoptr(GString) label = g_string_new(NULL);
  append_label(label, network, there);
  double further = STUB + 3 + (fabs(dx) > 0.5 ? tg_text_width(label->str, 9) / 2 : 5);
  tg_scene_text(network->scene, a.x + dx * further, a.y + dy * further, 9, TG_COLOUR_INK_SOFT, label->str);
}

/* True where the ends of a link are further apart along its axis than neighbours are. */
static bool goes_round(const TgNetwork *network, const TgLink *link) {
  const TgFigure *figure = &network->figure[link->level];
  if (!figure->stubs) return false;
  int64_t stride = 1;
  for (int c = link->axis + 1; c < figure->level->dims; c++) stride *= figure->level->extents[c];
  return llabs((int64_t)link->to - link->from) / figure->level->vertex_scale > stride;
}

static int append_line(TgPoint *point, int points, TgPoint to) {
  const TgPoint from = point[points - 1];
  point[points++] = (TgPoint){from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3};
  point[points++] = (TgPoint){to.x - (to.x - from.x) / 3, to.y - (to.y - from.y) / 3};
  point[points++] = to;
  return points;
}

/* Between the elements of a switch: the way down to one below the first row, on the left of its column; to lower rows
 * further left, so that no two cross. */
static double lane_of(const TgFigure *figure, const End *element, double hub_x, int32_t row) {
  const double left = hub_x - figure->hub.x + figure->at[0].x - element->width / 2;
  const double lanes = figure->lane * (figure->rows - 1), pitch = element->width + 12 + lanes;
  /* A last row with fewer elements stands half a column further in: its lanes are all on the same side then. */
  const double column = floor((element->centre.x - element->width / 2 - left) / pitch + 0.25);
  return left + column * pitch - 6 - lanes / 2 + figure->lane * (figure->rows / 2.0 - row);
}

/* From a switch to the upper border of an element, past those in the rows above. */
static int find_way_down(const TgNetwork *network, const TgLink *link, TgPoint *point) {
  const TgLevel *level = &network->topology->level[link->level];
  const TgFigure *figure = &network->figure[link->level];
  const int64_t vertex = MIN(link->from, link->to); /* a switch comes after what it joins */
  const End end = end_of(network, link->level, vertex);
  const TgPoint hub = network->at[MAX(link->from, link->to)];
  const double top = end.centre.y - end.height / 2, first = hub.y - figure->hub.y + figure->at[0].y - end.height / 2;
  const int64_t element = (vertex - level->vertex_base) / level->vertex_scale % level->nodes;
  const int32_t row = (int32_t)element / figure->columns;
  const double half = end.width / 2 - 12;
  point[0] = hub;
  if (row == 0) return append_line(point, 1, (TgPoint){end.centre.x, top});
  const double lane = lane_of(figure, &end, hub.x, row);
  int points = append_line(point, 1, (TgPoint){lane, first - 8});
  points = append_line(point, points, (TgPoint){lane, top - 10});
  return append_line(point, points, (TgPoint){CLAMP(lane, end.centre.x - half, end.centre.x + half), top});
}

static int find_straight_way(const TgNetwork *network, const TgLink *link, TgPoint *point) {
  End begin = end_of(network, link->level, link->from), end = end_of(network, link->level, link->to);
  bool inner = link->level == 0; /* to the centres: nodes hide the rest */
  point[0] = inner ? begin.centre : leave(&begin, end.centre);
  return append_line(point, 1, inner ? end.centre : leave(&end, begin.centre));
}

static void draw_cable(const TgNetwork *network, int64_t cable) {
  TgLink link;
  tg_topology_link(network->topology, 2 * cable, &link);
  g_autofree char *id = g_strdup_printf("cable-%" G_GINT64_FORMAT, cable), *other = g_strconcat(id, "-back", NULL);
  g_autofree char *from = vertex_id(network, link.from), *to = vertex_id(network, link.to);
  double pen = network->labelled ? 1.2 + 0.8 * link.level : 0.6;
  if (goes_round(network, &link)) {
    draw_stub(network, id, &link, false, pen);
    draw_stub(network, other, &link, true, pen);
    return;
  }
  TgPoint point[10];
  const bool down = network->figure[link.level].lane > 0;
  const int points = (down ? find_way_down : find_straight_way)(network, &link, point);
  tg_scene_stroke(network->scene, &(TgStroke){.id = id,
                                              .from = down ? to : from,
                                              .to = down ? from : to,
                                              .point = {point},
                                              .points = {points},
                                              .colour = level_colour[link.level],
                                              .style = "solid",
                                              .pen = pen});
}

void tg_network_draw(TgNetwork *network, TgPoint corner) {
  int top = network->topology->levels - 1;
  place_copy(network, top, 0, corner);
  draw_groups(network, top, corner);
  for (int64_t v = network->topology->nodes; v < network->topology->vertices; v++) draw_switch(network, v);
  for (int64_t v = 0; v < network->topology->nodes; v++) draw_node(network, v);
  for (int64_t cable = 0; cable < network->topology->links / 2; cable++) draw_cable(network, cable);
}
