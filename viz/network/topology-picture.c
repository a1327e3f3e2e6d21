#include "topology-picture.h"

#include "caption.h"
#include "frame-network.h"
#include "render.h"
#include "topology-network.h"

static void find_figures(TgNetwork *network) {
  double width = network->node_width, height = network->node_height;
  for (int l = 0; l < network->topology->levels; l++) {
    const TgLevel *level = &network->topology->level[l];
    tg_figure_init(&network->figure[l], level, width, height);
    network->group[l] = g_new0(TgPoint, (gsize)level->nodes * (gsize)level->copies);
    width = network->figure[l].width;
    height = network->figure[l].height;
  }
}

static bool has_stubs(const TgNetwork *network) {
  for (int l = 0; l < network->topology->levels; l++)
    for (int a = 0; network->figure[l].stubs && a < network->figure[l].level->dims; a++)
      if (network->figure[l].level->extents[a] > 2) return true;
  return false;
}

static char *facts_of(const TgTopology *topology) {
  TgTopologyFacts facts;
  GString *text = g_string_new(NULL);
  tg_topology_facts(topology, &facts);
  g_string_append_printf(text, "%" G_GINT64_FORMAT " nodes · ", facts.nodes);
  if (facts.switches > 0)
    g_string_append_printf(text, "%" G_GINT64_FORMAT " %s · ", facts.switches,
                           facts.switches == 1 ? "switch" : "switches");
  g_string_append_printf(text, "%" G_GINT64_FORMAT " %s · diameter %" G_GINT64_FORMAT " %s", facts.cables,
                         facts.cables == 1 ? "cable" : "cables", facts.diameter_hops,
                         facts.diameter_hops == 1 ? "hop" : "hops");
  if (facts.bisection_links >= 0)
    g_string_append_printf(text, " · bisection %" G_GINT64_FORMAT " %s", facts.bisection_links,
                           facts.bisection_links == 1 ? "cable" : "cables");
  return g_string_free(text, FALSE);
}

static void find_words(const TgNetwork *network, TgCaption *caption) {
  GString *title = g_string_new(NULL);
  tg_network_append(title, network->topology);
  title->str[0] = g_ascii_toupper(title->str[0]);
  *caption = (TgCaption){.title = g_string_free(title, FALSE), .least_width = 380};
  if (has_stubs(network)) tg_caption_add_note(caption, g_strdup("Dashed stubs go on at the opposite side."));
  if (network->topology->levels > 1)
    tg_caption_add_note(caption,
                        g_strdup("Lines between boxes join the nodes or switches with a border of their colour."));
  tg_caption_set_totals(caption, facts_of(network->topology));
}

static TgScene *scene_of(TgNetwork *network) {
  TgCaption caption;
  const TgFigure *figure = &network->figure[network->topology->levels - 1];
  find_words(network, &caption);
  const TgRoom room = tg_caption_measure(&caption, figure->width, figure->height);
  network->scene = tg_scene_new();
  tg_scene_describe(network->scene, caption.title, caption.totals);
  tg_network_draw(network, tg_caption_draw(&caption, network->scene, figure->width, figure->height, &room));
  tg_caption_clear(&caption);
  return network->scene;
}

static void open_network(TgNetwork *network, const TgTopology *topology) {
  *network = (TgNetwork){.topology = topology, .at = g_new0(TgPoint, (gsize)topology->vertices)};
  tg_network_find_node_size(network);
  find_figures(network);
}

static void close_network(TgNetwork *network) {
  for (int l = 0; l < network->topology->levels; l++) {
    tg_figure_clear(&network->figure[l]);
    g_free(network->group[l]);
  }
  g_free(network->at);
}

TgScene *tg_topology_scene(const TgTopology *topology) {
  TgNetwork network;
  open_network(&network, topology);
  TgScene *scene = scene_of(&network);
  close_network(&network);
  return scene;
}

/* Before any of it is there; stubs are two for a cable. */
static gboolean has_room(const TgTopology *topology, const char *format, uint64_t limit_bytes, GError **error) {
  TgNetwork network;
  open_network(&network, topology);
  const TgFigure *figure = &network.figure[topology->levels - 1];
  const TgSceneSize size = {.marks = (double)topology->vertices,
                            .texts = network.labelled ? (double)topology->vertices : 0,
                            .strokes = (double)topology->links / (has_stubs(&network) ? 1 : 2),
                            .width = figure->width,
                            .height = figure->height};
  close_network(&network);
  return tg_render_has_room(&size, format, limit_bytes, error);
}

GBytes *tg_draw_topology(const TgTopology *topology, const char *format, uint64_t memory_limit_bytes, GError **error) {
  if (topology->nodes > TG_TOPOLOGY_PICTURE_NODES) {
    g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_TOO_BIG, "the network has %d nodes, and at most %d are drawn",
                topology->nodes, TG_TOPOLOGY_PICTURE_NODES);
    return NULL;
  }
  if (!has_room(topology, format, memory_limit_bytes, error)) return NULL;
  if (topology->links / 2 > TG_TOPOLOGY_PICTURE_CABLES) {
    g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_TOO_BIG,
                "the network has %" G_GINT64_FORMAT " cables, and at most %d are drawn", (gint64)topology->links / 2,
                TG_TOPOLOGY_PICTURE_CABLES);
    return NULL;
  }
  g_autoptr(TgScene) scene = tg_topology_scene(topology);
  return tg_render(scene, format, memory_limit_bytes, error);
}
