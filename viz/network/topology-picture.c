#include "topology-picture.h"

#include <math.h>
#include <stdlib.h>

#include "caption.h"
#include "frame-network.h"
#include "level-places.h"
#include "palette.h"
#include "render.h"
#include "text-width.h"
#include "topology-network.h"

/* A network that is being drawn. */
enum { NODE_HEIGHT = 26, NODE_LABEL = 11 };

typedef struct Network {
  const TgTopology *topology;
  TgLevelPlaces places[TG_MAX_LEVELS];
  TgPoint *at;                   /* of all vertices, in the scene */
  TgPoint *group[TG_MAX_LEVELS]; /* centres of the elements of each level above the first, over all copies */
  double node_width, node_height;
  bool labelled;
  TgScene *scene;
} Network;

/* More nodes are small and have no labels. */
enum { LABELLED_NODES = 256, LABELLED_CUBE = 64, DOT = 9, STUB = 20 };

/* Links and, of groups, the node where they meet the next level. */
static const char *const level_colour[TG_MAX_LEVELS] = {"#6b6b6b", "#0072B2", "#D55E00"};

static void append_joined(GString *text, const Network *network, int64_t node, const char *separator) {
  int32_t coordinate[TG_MAX_COORDINATES];
  int count = tg_topology_coordinates(network->topology, node, coordinate);
  for (int c = 0; c < count; c++) g_string_append_printf(text, "%s%d", c ? separator : "", coordinate[c]);
}

/* A hypercube's label in bits, other coordinates as numbers. */
static void append_label(GString *text, const Network *network, int64_t node) {
  const TgLevel *level = &network->topology->level[0];
  if (network->topology->levels > 1 || level->kind != TG_HYPERCUBE) {
    append_joined(text, network, node, ",");
    return;
  }
  for (int bit = level->extents[0] - 1; bit >= 0; bit--) g_string_append_c(text, node >> bit & 1 ? '1' : '0');
}

static char *vertex_id(const Network *network, int64_t vertex) {
  if (vertex >= network->topology->nodes)
    return g_strdup_printf("switch-%" G_GINT64_FORMAT, vertex - network->topology->nodes);
  GString *id = g_string_new("n-");
  append_joined(id, network, vertex, "-");
  return g_string_free(id, FALSE);
}

/* Sets the size of a node from the network, and whether it has its label. */
static void find_node_size(Network *network) {
  bool cube = network->topology->levels == 1 && network->topology->level[0].kind == TG_HYPERCUBE;
  network->labelled = network->topology->nodes <= (cube ? LABELLED_CUBE : LABELLED_NODES);
  network->node_width = network->node_height = DOT;
  if (!network->labelled) return;
  g_autoptr(GString) text = g_string_new(NULL);
  append_label(text, network, network->topology->nodes - 1);
  network->node_height = NODE_HEIGHT;
  network->node_width = MAX(NODE_HEIGHT, tg_text_width(text->str, NODE_LABEL) + 12);
}

static TgPoint corner_of(const TgLevelPlaces *places, TgPoint centre) {
  return (TgPoint){centre.x - places->width / 2, centre.y - places->height / 2};
}

/* From the left: side by side those that a group reaches from the same one of its switches. */
static int32_t place_of_hub(const TgLevel *level, int32_t hub) {
  return hub % level->planes * level->switches + hub / level->planes;
}

/* Places one copy of a level with its upper left corner at `corner`, and the groups in it. */
static void place_copy(Network *network, int l, int32_t copy, TgPoint corner) {
  const TgLevelPlaces *places = &network->places[l];
  const TgLevel *level = places->level;
  for (int32_t hub = 0; hub < places->hubs; hub++) {
    const double right = (place_of_hub(level, hub) + 0.5) / places->hubs * places->width;
    network->at[level->switch_base + copy * places->hubs + hub] = (TgPoint){corner.x + right, corner.y + places->hub.y};
  }
  for (int32_t e = 0; e < level->nodes; e++) {
    TgPoint centre = {corner.x + places->at[e].x, corner.y + places->at[e].y};
    int32_t number = copy * level->nodes + e;
    network->group[l][number] = centre;
    if (l == 0)
      network->at[number] = centre;
    else
      place_copy(network, l - 1, number, corner_of(&network->places[l - 1], centre));
  }
}

static void draw_groups(const Network *network, int l, TgPoint corner) {
  const TgLevelPlaces *places = &network->places[l];
  for (int32_t e = 0; l > 0 && e < places->level->nodes; e++) {
    const TgLevelPlaces *group = &network->places[l - 1];
    TgPoint centre = {corner.x + places->at[e].x, corner.y + places->at[e].y};
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
static const char *border_of(const Network *network, int64_t vertex, const char *usual) {
  for (int l = 1; l < network->topology->levels; l++) {
    const TgLevel *level = &network->topology->level[l];
    int64_t element = (vertex - level->vertex_base) / level->vertex_scale;
    bool gateway = vertex >= level->vertex_base &&
                   (vertex - level->vertex_base) % level->vertex_scale < level->planes &&
                   element < (int64_t)level->nodes * level->copies;
    if (gateway) usual = level_colour[l];
  }
  return usual;
}

static void draw_node(const Network *network, int64_t node) {
  g_autoptr(GString) label = g_string_new(NULL), title = g_string_new("node ");
  g_autofree char *id = vertex_id(network, node);
  append_label(label, network, node);
  g_string_append(title, label->str);
  tg_scene_mark(network->scene,
                &(TgMark){.shape = network->node_width > NODE_HEIGHT ? TG_OUTLINE_ROUNDED : TG_OUTLINE_CIRCLE,
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
                          .size = NODE_LABEL,
                          .ink = TG_COLOUR_INK});
}

static void draw_switch(const Network *network, int64_t vertex) {
  g_autofree char *id = vertex_id(network, vertex);
  tg_scene_box_at(network->scene, id, id, network->at[vertex], TG_SWITCH_WIDTH, TG_SWITCH_HEIGHT, "#fbe5d6",
                  border_of(network, vertex, TG_COLOUR_LINE), 1.6);
  tg_scene_label_mark(network->scene, NODE_LABEL, TG_COLOUR_INK, "switch");
}

/* Where a link of a level ends: a node, a switch, or the border of a whole group of the level below. */
typedef struct End {
  TgPoint centre;
  double width, height;
} End;

static End end_of(const Network *network, int32_t l, int64_t vertex) {
  const TgLevel *level = &network->topology->level[l];
  const int64_t switches = (int64_t)level->copies * level->planes * level->switches;
  if (vertex >= level->switch_base && vertex < level->switch_base + switches)
    return (End){.centre = network->at[vertex]};
  if (l == 0) return (End){network->at[vertex], network->node_width, network->node_height};
  const TgLevelPlaces *group = &network->places[l - 1];
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
static void draw_stub(const Network *network, const char *id, const TgLink *link, bool back, double pen) {
  int64_t here = back ? link->to : link->from, there = back ? link->from : link->to;
  End end = end_of(network, link->level, here), other = end_of(network, link->level, there);
  TgPoint away = {2 * end.centre.x - other.centre.x, 2 * end.centre.y - other.centre.y}, a = leave(&end, away);
  double length = hypot(away.x - end.centre.x, away.y - end.centre.y);
  double dx = (away.x - end.centre.x) / length, dy = (away.y - end.centre.y) / length;
  g_autofree char *from = vertex_id(network, here), *to = vertex_id(network, there);
  tg_scene_line(network->scene, id, from, to, a, (TgPoint){a.x + dx * STUB, a.y + dy * STUB}, level_colour[link->level],
                "dashed", pen);
  if (!network->labelled || network->topology->levels > 1 || network->topology->level[0].dims > 2) return;
  g_autoptr(GString) label = g_string_new(NULL);
  append_label(label, network, there);
  double further = STUB + 3 + (fabs(dx) > 0.5 ? tg_text_width(label->str, 9) / 2 : 5);
  tg_scene_text(network->scene, a.x + dx * further, a.y + dy * further, 9, TG_COLOUR_INK_SOFT, label->str);
}

/* True where the ends of a link are further apart along its axis than neighbours are. */
static bool goes_round(const Network *network, const TgLink *link) {
  const TgLevelPlaces *places = &network->places[link->level];
  if (!places->stubs) return false;
  int64_t stride = 1;
  for (int c = link->axis + 1; c < places->level->dims; c++) stride *= places->level->extents[c];
  return llabs((int64_t)link->to - link->from) / places->level->vertex_scale > stride;
}

static int append_line(TgPoint *point, int points, TgPoint to) {
  tg_bezier(&point[points - 1], point[points - 1], to, (TgPoint){0, 0});
  return points + 3;
}

/* Between the elements of a switch: the way down to one below the first row, on the left of its column; to lower rows
 * further left, so that no two cross. `left` is where the first row begins. */
static double lane_of(const TgLevelPlaces *places, const End *element, double left, int32_t row) {
  const double lanes = places->lane * (places->rows - 1), pitch = element->width + 12 + lanes;
  /* A last row with fewer elements stands half a column further in: its lanes are all on the same side then. */
  const double column = floor((element->centre.x - element->width / 2 - left) / pitch + 0.25);
  return left + column * pitch - 6 - lanes / 2 + places->lane * (places->rows / 2.0 - row);
}

/* From a switch to the upper border of an element, past those in the rows above. */
static int find_way_down(const Network *network, const TgLink *link, TgPoint *point) {
  const TgLevel *level = &network->topology->level[link->level];
  const TgLevelPlaces *places = &network->places[link->level];
  const int64_t vertex = MIN(link->from, link->to); /* a switch comes after what it joins */
  const End end = end_of(network, link->level, vertex);
  const TgPoint hub = network->at[MAX(link->from, link->to)];
  const double top = end.centre.y - end.height / 2, first = hub.y - places->hub.y + places->at[0].y - end.height / 2;
  const int64_t element = (vertex - level->vertex_base) / level->vertex_scale % level->nodes;
  const double left = end.centre.x - places->at[element].x + places->at[0].x - end.width / 2;
  const int32_t row = (int32_t)element / places->columns;
  const double half = end.width / 2 - 12;
  const int32_t number = place_of_hub(level, (int32_t)(MAX(link->from, link->to) - level->switch_base) % places->hubs);
  const double aside =
      level->span == 1 ? 0 : ((number + 0.5) / places->hubs - 0.5) * MIN(end.width / 2, places->hubs * 24);
  point[0] = hub;
  if (row == 0) return append_line(point, 1, (TgPoint){end.centre.x + aside, top});
  const double lane = lane_of(places, &end, left, row);
  int points = append_line(point, 1, (TgPoint){lane, first - 8});
  points = append_line(point, points, (TgPoint){lane, top - 10});
  return append_line(point, points, (TgPoint){CLAMP(lane, end.centre.x - half, end.centre.x + half), top});
}

static int find_straight_way(const Network *network, const TgLink *link, TgPoint *point) {
  End begin = end_of(network, link->level, link->from), end = end_of(network, link->level, link->to);
  bool inner = link->level == 0; /* to the centres: nodes hide the rest */
  point[0] = inner ? begin.centre : leave(&begin, end.centre);
  return append_line(point, 1, inner ? end.centre : leave(&end, begin.centre));
}

static bool has_groups(const Network *network) {
  const TgLevel *level = &network->topology->level[network->topology->levels - 1];
  return level->kind == TG_DRAGONFLY && level->extents[0] > 1;
}

static const char *colour_of(const Network *network, const TgLink *link) {
  const bool between = link->axis == 1 && link->level == network->topology->levels - 1 && has_groups(network);
  return between ? "#009E73" : level_colour[link->level];
}

static void draw_cable(const Network *network, int64_t cable) {
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
  const bool down = network->places[link.level].lane > 0;
  const int points = (down ? find_way_down : find_straight_way)(network, &link, point);
  tg_scene_stroke(network->scene, &(TgStroke){.id = id,
                                              .from = down ? to : from,
                                              .to = down ? from : to,
                                              .point = {point},
                                              .points = {points},
                                              .colour = colour_of(network, &link),
                                              .style = "solid",
                                              .pen = pen});
}

/* Draws nodes, switches, groups and cables; `corner` is the upper left one. */
static void draw_network(Network *network, TgPoint corner) {
  int top = network->topology->levels - 1;
  place_copy(network, top, 0, corner);
  draw_groups(network, top, corner);
  for (int64_t v = network->topology->nodes; v < network->topology->vertices; v++) draw_switch(network, v);
  for (int64_t v = 0; v < network->topology->nodes; v++) draw_node(network, v);
  for (int64_t cable = 0; cable < network->topology->links / 2; cable++) draw_cable(network, cable);
}

static void open_network(Network *network, const TgTopology *topology) {
  *network = (Network){.topology = topology, .at = g_new0(TgPoint, (gsize)topology->vertices)};
  find_node_size(network);
  double width = network->node_width, height = network->node_height;
  for (int l = 0; l < topology->levels; l++) {
    const TgLevel *level = &topology->level[l];
    tg_level_places_init(&network->places[l], level, width, height);
    network->group[l] = g_new0(TgPoint, (gsize)level->nodes * (gsize)level->copies);
    width = network->places[l].width;
    height = network->places[l].height;
  }
}

static bool has_stubs(const Network *network) {
  for (int l = 0; l < network->topology->levels; l++)
    for (int a = 0; network->places[l].stubs && a < network->places[l].level->dims; a++)
      if (network->places[l].level->extents[a] > 2) return true;
  return false;
}

static void append_fact(GString *text, const char *before, int64_t count, const char *one, const char *many) {
  g_string_append(text, before);
  tg_count_append(text, count, one, many);
}

static char *facts_of(const TgTopology *topology) {
  TgTopologyFacts facts;
  GString *text = g_string_new(NULL);
  tg_topology_facts(topology, &facts);
  append_fact(text, "", facts.nodes, "node", "nodes");
  if (facts.switches > 0) append_fact(text, " · ", facts.switches, "switch", "switches");
  append_fact(text, " · ", facts.cables, "cable", "cables");
  append_fact(text, " · diameter ", facts.diameter_hops, "hop", "hops");
  if (facts.bisection_links >= 0) append_fact(text, " · bisection ", facts.bisection_links, "cable", "cables");
  return g_string_free(text, FALSE);
}

static void find_words(const Network *network, TgCaption *caption) {
  GString *title = g_string_new(NULL);
  tg_network_append(title, network->topology);
  title->str[0] = g_ascii_toupper(title->str[0]);
  *caption = (TgCaption){.title = g_string_free(title, FALSE), .least_width = 380};
  if (has_stubs(network)) tg_caption_add_note(caption, g_strdup("Dashed stubs go on at the opposite side."));
  if (has_groups(network)) tg_caption_add_note(caption, g_strdup("Green cables join groups."));
  if (network->topology->levels > 1)
    tg_caption_add_note(caption,
                        g_strdup("Lines between boxes join the nodes or switches with a border of their colour."));
  tg_caption_set_totals(caption, facts_of(network->topology));
}

static void close_network(Network *network) {
  for (int l = 0; l < network->topology->levels; l++) {
    tg_level_places_clear(&network->places[l]);
    g_free(network->group[l]);
  }
  g_free(network->at);
}

TgScene *tg_topology_scene(const TgTopology *topology) {
  Network network;
  TgCaption caption;
  open_network(&network, topology);
  const TgLevelPlaces *places = &network.places[topology->levels - 1];
  find_words(&network, &caption);
  network.scene = tg_scene_new();
  tg_scene_describe(network.scene, caption.title, caption.totals);
  draw_network(&network, tg_caption_draw(&caption, network.scene, places->width, places->height, NULL));
  tg_caption_clear(&caption);
  close_network(&network);
  return network.scene;
}

/* Before any of it is there; stubs are two for a cable. */
static bool has_room(const TgTopology *topology, const char *format, uint64_t limit_bytes, GError **error) {
  if (topology->nodes > TG_TOPOLOGY_PICTURE_NODES)
    return TG_DRAW_FAIL(error, TOO_BIG, "the network has %d nodes, but at most %d can be drawn", topology->nodes,
                        TG_TOPOLOGY_PICTURE_NODES);
  Network network;
  open_network(&network, topology);
  const TgLevelPlaces *places = &network.places[topology->levels - 1];
  const TgSceneSize size = {.marks = (double)topology->vertices,
                            .texts = network.labelled ? (double)topology->vertices : 0,
                            .strokes = (double)topology->links / (has_stubs(&network) ? 1 : 2),
                            .width = places->width,
                            .height = places->height};
  close_network(&network);
  if (!tg_render_has_room(&size, format, limit_bytes, error)) return false;
  if (topology->links / 2 <= TG_TOPOLOGY_PICTURE_CABLES) return true;
  return TG_DRAW_FAIL(error, TOO_BIG, "the network has %" G_GINT64_FORMAT " cables, but at most %d can be drawn",
                      (gint64)topology->links / 2, TG_TOPOLOGY_PICTURE_CABLES);
}

GBytes *tg_draw_topology(const TgTopology *topology, const char *format, uint64_t memory_limit_bytes, GError **error) {
  if (!has_room(topology, format, memory_limit_bytes, error)) return NULL;
  g_autoptr(TgScene) scene = tg_topology_scene(topology);
  return tg_render(scene, format, memory_limit_bytes, error);
}
