/* topogemm topo: describes a network and draws it. */
#include "memory-limit.h"
#include "output.h"
#include "progress.h"

#include "draw-file.h"
#include "topology-picture.h"

static void add_fact(TgTable *table, const char *name, int64_t number, const char *what) {
  tg_table_add(table, "%s", name);
  if (number >= 0)
    tg_table_add(table, "%" PRId64, number);
  else
    tg_table_add(table, "unknown");
  tg_table_add(table, "%s", what);
}

static void print_facts(TgCli *cli, const char *text, const TgTopologyFacts *facts) {
  g_autoptr(TgTable) table = tg_table_new("lrl");
  tg_print_styled(cli, TG_STYLE_HEADING, "%s\n", text);
  add_fact(table, "nodes", facts->nodes, "");
  if (facts->switches) add_fact(table, "switches", facts->switches, "");
  add_fact(table, "links", facts->links, "directed: two for each cable");
  add_fact(table, "cables", facts->cables, "");
  add_fact(table, "diameter", facts->diameter_hops, "hops between the two nodes farthest apart");
  add_fact(table, "degree", facts->degree_max, "cables at the node with the most");
  add_fact(table, "bisection", facts->bisection_links, "fewest cables between two halves");
  tg_table_print(cli, table, 2, false);
}

static void print_json(TgCli *cli, const char *text, const TgTopologyFacts *facts) {
  TG_FIELD_TABLE(fields, TG_FIELD(TgTopologyFacts, nodes), TG_FIELD(TgTopologyFacts, switches),
                 TG_FIELD(TgTopologyFacts, links), TG_FIELD(TgTopologyFacts, cables),
                 TG_FIELD(TgTopologyFacts, diameter_hops), TG_FIELD(TgTopologyFacts, degree_max));
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "topo");
  tg_json_member_string(json, "topology", text);
  tg_json_members(json, fields, facts);
  tg_json_key(json, "bisection_links");
  if (facts->bisection_links >= 0)
    tg_json_integer(json, facts->bisection_links);
  else
    tg_json_null(json);
  tg_json_end_object(json);
  tg_print_json(cli, json);
}

/* Graphviz does not report its progress; 5,000 cables take about 4 s as PNG, 100,000 a minute. */
static void announce(TgCli *cli, TgProgressLine *line, const TgTopology *topology, char *text, size_t size) {
  enum { MANY = 5000 };
  const int64_t cables = topology->links / 2;
  g_snprintf(text, size, "topo: drawing %" PRId64 " cables", cables);
  if (cables >= MANY) tg_progress_announce(line, cli, text);
}

static TgExit draw(TgCli *cli, const TgTopology *topology) {
  const char *format;
  char text[64];
  TgProgressLine line;
  GError *error = NULL;
  TgExit status = tg_draw_file_format(cli, tg_draw_formats(), &format);
  if (status) return status;
  announce(cli, &line, topology, text, sizeof text);
  g_autoptr(GBytes) file = tg_draw_topology(topology, format, tg_memory_limit(cli), &error);
  tg_progress_end(cli);
  return file && tg_draw_file_write(cli->options.output, file, &error) ? TG_EXIT_DONE : tg_report_error(cli, error);
}

static TgExit run(TgCli *cli) {
  TgTopology topology;
  TgTopologyFacts facts;
  TgError error = {0};
  char text[TG_TOPOLOGY_TEXT_BYTES];
  if (!tg_topology_parse(&topology, cli->options.arguments[0], &error))
    return tg_report(cli, TG_EXIT_USAGE, "%s", error.message);
  TgExit status = cli->options.output ? draw(cli, &topology) : TG_EXIT_DONE;
  if (status) return status;
  tg_topology_facts(&topology, &facts);
  tg_topology_format(&topology, text, sizeof text);
  if (cli->options.json)
    print_json(cli, text, &facts);
  else
    print_facts(cli, text, &facts);
  if (cli->options.output && !cli->options.json) tg_print_line(cli, "%s", cli->options.output);
  return TG_EXIT_DONE;
}

static const char *const options[] = {"output", "json", "memory-limit", NULL};
static const TgExample examples[] = {
    {"topo torus:4x4", "nodes, links, diameter and bisection of a torus"},
    {"topo hypercube:6 --json", "a hypercube of 64 nodes, as JSON"},
    {"topo 'switch:4*torus:2x4'", "a 2x4 torus of eight switches with four nodes each"},
    {"topo 'switch:4*spine:8x2' -o tree.svg", "a fat tree with two uplinks from each leaf switch"},
    {"topo mesh:4x4 -o mesh.svg", "a picture of the network"},
    {NULL, NULL},
};

const TgCommand tg_command_topo = {
    .name = "topo",
    .arguments = "TOPOLOGY",
    .summary = "describe a network, and draw it",
    .details =
        "TOPOLOGY is a network such as torus:4x4x4, mesh:8x8, ring:8, line:8, hypercube:6, full:8 or switch:8, or "
        "up to three networks composed as inner*outer. For a fat tree with eight leaf switches and two spine "
        "switches, write switch:4*spine:8x2 (routes by destination) or switch:4*ecmp:8x2 (routes by a hash). "
        "switch:2*dragonfly:9x4 is a dragonfly of nine groups of four routers, with two nodes on each router.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};
