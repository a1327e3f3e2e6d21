/* topogemm topo: describes a network, or the machine of a file, and draws it. */
#include "memory-limit.h"
#include "output.h"
#include "progress.h"

#include "atomic-file.h"
#include "draw-file.h"
#include "hardware.h"
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

/* What joins the processors, outermost first. */
static void print_hardware(TgCli *cli, const TgHardware *hardware) {
  g_autoptr(TgTable) table = tg_table_new("lrll");
  g_autofree char *network = tg_hardware_network(hardware);
  tg_print_styled(cli, TG_STYLE_HEADING, "%" PRId64 " %ss%s%s\n", hardware->processors, hardware->processor,
                  hardware->model ? ", " : "", hardware->model ? hardware->model : "");
  for (int32_t i = hardware->levels - 1; i >= 0; i--) {
    const TgHardwareLevel *level = &hardware->level[i];
    tg_table_add(table, "%s", level->name);
    tg_table_add(table, "%" PRId32, level->joins);
    tg_table_add(table, "%ss", i ? "group" : hardware->processor);
    tg_table_add(table, "%.4g bytes/s (%s)", level->bandwidth_bytes_per_s, level->source);
  }
  tg_table_print(cli, table, 2, false);
  for (guint i = 0; i < hardware->notes->len; i++)
    tg_print_line(cli, "  %s", (const char *)g_ptr_array_index(hardware->notes, i));
}

static void write_hardware(TgJson *json, const TgHardware *hardware) {
  tg_json_key(json, "hardware");
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_string(json, "program", hardware->program);
  tg_json_member_string(json, "processor", hardware->processor);
  tg_json_member_string(json, "model", hardware->model);
  tg_json_member_integer(json, "processors", hardware->processors);
  tg_json_key(json, "levels");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (int32_t i = 0; i < hardware->levels; i++) {
    const TgHardwareLevel *level = &hardware->level[i];
    tg_json_begin_object(json, TG_JSON_LINES);
    tg_json_member_string(json, "name", level->name);
    tg_json_member_integer(json, "joins", level->joins);
    tg_json_member_double(json, "bandwidth_bytes_per_s", level->bandwidth_bytes_per_s);
    tg_json_member_string(json, "source", level->source);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
  tg_json_key(json, "notes");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint i = 0; i < hardware->notes->len; i++) tg_json_string(json, g_ptr_array_index(hardware->notes, i));
  tg_json_end_array(json);
  tg_json_end_object(json);
}

static void print_json(TgCli *cli, const char *text, const TgTopologyFacts *facts, const TgHardware *hardware) {
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
  if (hardware) write_hardware(json, hardware);
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

/* The draft machine file, where -o asks for one. */
static TgExit write_machine(TgCli *cli, const TgHardware *hardware) {
  GError *error = NULL;
  if (!hardware)
    return tg_report(cli, TG_EXIT_USAGE, "%s: a machine file needs --from, since TOPOLOGY has no rates",
                     cli->options.output);
  g_autofree char *text = tg_hardware_machine(hardware, cli->options.from);
  return tg_atomic_file_write(cli->options.output, text, strlen(text), &error) ? TG_EXIT_DONE
                                                                               : tg_report_error(cli, error);
}

static TgExit write_output(TgCli *cli, const TgTopology *topology, const TgHardware *hardware) {
  if (!cli->options.output) return TG_EXIT_DONE;
  return g_str_has_suffix(cli->options.output, ".machine") ? write_machine(cli, hardware) : draw(cli, topology);
}

static TgExit describe(TgCli *cli, const char *network, const TgHardware *hardware) {
  TgTopology topology;
  TgTopologyFacts facts;
  TgError error = {0};
  char text[TG_TOPOLOGY_TEXT_BYTES];
  if (!tg_topology_parse(&topology, network, &error)) return tg_report(cli, TG_EXIT_USAGE, "%s", error.message);
  TgExit status = write_output(cli, &topology, hardware);
  if (status) return status;
  tg_topology_facts(&topology, &facts);
  tg_topology_format(&topology, text, sizeof text);
  if (cli->options.json) {
    print_json(cli, text, &facts, hardware);
    return TG_EXIT_DONE;
  }
  if (hardware) print_hardware(cli, hardware);
  print_facts(cli, text, &facts);
  if (cli->options.output) tg_print_line(cli, "%s", cli->options.output);
  return TG_EXIT_DONE;
}

static TgExit describe_file(TgCli *cli) {
  GError *error = NULL;
  g_autoptr(TgHardware) hardware = tg_hardware_read(cli->options.from, &error);
  if (!hardware) return tg_report_error(cli, error);
  g_autofree char *network = tg_hardware_network(hardware);
  return describe(cli, network, hardware);
}

static TgExit run(TgCli *cli) {
  const char *network = cli->options.arguments ? cli->options.arguments[0] : NULL;
  if (!network == !cli->options.from) return tg_report(cli, TG_EXIT_USAGE, "topo needs either TOPOLOGY or --from FILE");
  return network ? describe(cli, network, NULL) : describe_file(cli);
}

static const char *const options[] = {"from:topo", "output:topo", "json", "memory-limit", NULL};
static const TgExample examples[] = {
    {"topo torus:4x4", "nodes, links, diameter and bisection of a torus"},
    {"topo 'switch:4*torus:2x4'", "a 2x4 torus of eight switches with four nodes each"},
    {"topo 'switch:4*spine:8x2' -o tree.svg", "a fat tree with two uplinks from each leaf switch"},
    {"topo mesh:4x4 -o mesh.svg", "a picture of the network"},
    {"topo --from lstopo.xml -o my.machine", "a draft machine file for the cores that lstopo lists"},
    {NULL, NULL},
};

const TgCommand tg_command_topo = {
    .name = "topo",
    .arguments = "[TOPOLOGY]",
    .summary = "describe a network, and draw it",
    .details =
        "TOPOLOGY is a network such as torus:4x4x4, mesh:8x8, ring:8, line:8, hypercube:6, full:8 or switch:8, or "
        "up to three networks composed as inner*outer. For a fat tree with eight leaf switches and two spine "
        "switches, write switch:4*spine:8x2 (routes by destination) or switch:4*ecmp:8x2 (routes by a hash). "
        "switch:2*dragonfly:9x4 is a dragonfly of nine groups of four routers, with two nodes on each router.\n"
        "With --from FILE, the network is that of a machine's cores or GPUs. To create FILE, run `lstopo lstopo.xml` "
        "or "
        "`nvidia-smi topo -m > topo.txt`, or run a program that uses NCCL with NCCL_TOPO_DUMP_FILE=nccl.xml. -o "
        "my.machine then writes a draft machine file, which marks assumed numbers.",
    .examples = examples,
    .options = options,
    .arguments_min = 0,
    .arguments_max = 1,
    .run = run,
};
