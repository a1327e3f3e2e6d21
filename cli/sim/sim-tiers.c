/* Memory tiers of a prediction: where blocks are kept, and what streaming them costs. */
#include "blas.h"
#include "huge.h"
#include "memory-limit.h"
#include "output.h"
#include "sim.h"

#include <string.h>

static TgExit place_option(const TgCli *cli, TgTierOptions *tiers) {
  TgError error = {0};
  tiers->used = cli->options.from != NULL;
  if (!tiers->used || tg_place_parse(cli->options.from, &tiers->from, &error)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--from: %s", error.message);
}

static TgExit pipeline_option(const TgCli *cli, TgTierOptions *tiers) {
  const char *text = cli->options.pipeline ? cli->options.pipeline : "on";
  tiers->double_c = strcmp(text, "full") == 0;
  tiers->pipelined = tiers->double_c || strcmp(text, "on") == 0;
  if (tiers->pipelined || strcmp(text, "off") == 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--pipeline %s: expected on, off or full", text);
}

static int buffer_named(const TgScheduleNames *names, const char *name) {
  for (int b = 0; b < TG_MAX_BUFFERS; b++)
    if (names->buffer[b] && strcmp(names->text + names->buffer[b], name) == 0) return b;
  return -1;
}

static TgExit buffers_option(const TgCli *cli, const TgAlgo *algo, const char *option, const char *text,
                             uint32_t *buffers) {
  if (!text) return TG_EXIT_DONE;
  g_auto(GStrv) words = g_strsplit(text, ",", 0);
  for (char **word = words; *word; word++) {
    int buffer = buffer_named(&algo->names, *word);
    if (buffer < 0)
      return tg_report(cli, TG_EXIT_USAGE, "%s %s: %s has no buffer `%s`", option, text, tg_algo_name(algo), *word);
    *buffers |= 1u << buffer;
  }
  return TG_EXIT_DONE;
}

/* Without a device what is on the host is where the products are, and nothing streams. */
static TgExit check_device(const TgCli *cli, const TgTierOptions *tiers, const TgMachine *machine) {
  if (!tiers->used || tiers->from != TG_PLACE_HOST || tg_machine_tier(machine, TG_TIER_DEVICE)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE,
                   "--from host: machine %s has no [device] section, so its processors multiply on the host: add the "
                   "section, or leave out --from",
                   machine->name);
}

TgExit tg_sim_buffers(const TgCli *cli, const TgAlgo *algo, uint32_t *in_memory, uint32_t *by_rows) {
  const TgExit status = buffers_option(cli, algo, "--in-memory", cli->options.in_memory, in_memory);
  return status ? status : buffers_option(cli, algo, "--by-rows", cli->options.by_rows, by_rows);
}

/* Of --memory, what `huge` would have for blocks on this machine. */
static TgExit memory_option(const TgCli *cli, TgMachine *machine, TgElement element, TgTierOptions *tiers) {
  const char *text = cli->options.memory_bytes;
  double bytes;
  if (!text) return TG_EXIT_DONE;
  const TgExit status = tg_memory_size_parse(cli, "--memory", text, &bytes);
  if (status) return status;
  tg_blas_load(NULL); /* part of the program's memory */
  machine->processor.memory_bytes = tg_huge_buffer_bytes(element, bytes, &tiers->unit);
  if (machine->processor.memory_bytes > 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--memory %s is not enough: the program alone needs %s", text,
                   tg_bytes_text(bytes - machine->processor.memory_bytes).s);
}

TgExit tg_sim_tiers(const TgCli *cli, TgMachine *machine, TgElement element, TgCostOptions *cost) {
  TgTierOptions *tiers = &cost->tiers;
  const TgOptions *options = &cli->options;
  if (!options->from &&
      (options->tiles || options->memory_bytes || options->pipeline || options->in_memory || options->by_rows))
    return tg_report(cli, TG_EXIT_USAGE,
                     "--tiles, --memory, --pipeline, --in-memory and --by-rows apply to blocks that stream: add --from "
                     "disk, cache, host or device");
  TgExit status = place_option(cli, tiers);
  if (!status) status = tg_tiles_parse(cli, options->tiles, &tiers->blocks);
  if (!status) status = memory_option(cli, machine, element, tiers);
  if (!status) status = pipeline_option(cli, tiers);
  if (!status && tiers->used && cost->model != TG_COST_HOCKNEY)
    status = tg_report(cli, TG_EXIT_USAGE, "--from: only --model hockney supports disks and devices");
  return status ? status : check_device(cli, tiers, machine);
}

/* ---- for programs ---- */

TG_FIELD_TABLE(product_fields, TG_FIELD(TgTierCost, m), TG_FIELD(TgTierCost, n), TG_FIELD(TgTierCost, k),
               TG_FIELD(TgTierCost, product.blocks.x), TG_FIELD(TgTierCost, product.blocks.y),
               TG_FIELD(TgTierCost, product.blocks.z), TG_FIELD(TgTierCost, product.panels),
               TG_FIELD(TgTierCost, c_stays), TG_FIELD(TgTierCost, product.block_bytes),
               TG_FIELD_AS(TgTierCost, product.memory_bytes, "memory_limit_bytes"),
               TG_FIELD(TgTierCost, product.read_bytes), TG_FIELD(TgTierCost, product.write_bytes),
               TG_FIELD(TgTierCost, product.bound_bytes), TG_FIELD(TgTierCost, product.fill_s),
               TG_FIELD(TgTierCost, product.time_s));

static void write_product(TgJson *json, const TgTierCost *tiers) {
  static const char *const keys[TG_TIER_STAGES] = {"disk_read_s",      "disk_write_s",     "cache_s",
                                                   "host_to_device_s", "device_to_host_s", "multiply_s"};
  const TgPipeline *product = &tiers->product;
  tg_json_member_object(json, "product", TG_JSON_LINES);
  tg_json_members(json, product_fields, tiers);
  for (int s = 0; s < TG_TIER_STAGES; s++) tg_json_member_double(json, keys[s], product->stage_s[s]);
  tg_json_member_string(json, "slowest", tg_tier_resource_name(product->slowest));
  tg_json_end_object(json);
}

static void write_disks(TgJson *json, const TgEstimate *run) {
  const TgTierCost *tiers = &run->cost->tiers;
  tg_json_member_array(json, "disks", TG_JSON_LINES);
  for (int64_t n = 0; n < MIN(run->cost->nodes, TG_SIM_JSON_NODES); n++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_double(json, "read_bytes", tiers->node_read_bytes[n]);
    tg_json_member_double(json, "write_bytes", tiers->node_write_bytes[n]);
    tg_json_member_double(json, "busy_s", tiers->node_disk_s[n]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

static const char *pipeline_name(const TgTierOptions *options) {
  return !options->pipelined ? "off" : options->double_c ? "full" : "on";
}

void tg_sim_write_tiers(TgJson *json, const TgEstimate *run) {
  const TgTierOptions *options = &run->options.tiers;
  if (!options->used) return;
  tg_json_member_object(json, "tiers", TG_JSON_LINES);
  tg_json_member_string(json, "from", tg_place_name(options->from));
  tg_json_member_string(json, "pipeline", pipeline_name(options));
  write_product(json, &run->cost->tiers);
  write_disks(json, run);
  tg_json_end_object(json);
}

/* ---- for people ---- */

static void print_stages(TgCli *cli, const TgPipeline *product) {
  g_autoptr(TgTable) table = tg_table_new("lrr");
  tg_table_add(table, "stage");
  tg_table_add(table, "time");
  tg_table_add(table, "bytes");
  for (int s = 0; s < TG_TIER_STAGES; s++) {
    if (product->bytes[s] == 0) continue;
    tg_table_add(table, "%s", tg_tier_stage_name((TgTierStage)s));
    tg_table_add(table, "%s", tg_time_text(product->stage_s[s]).s);
    tg_table_add(table, "%s", s == TG_TIER_STAGE_MULTIPLY ? "" : tg_bytes_text(product->bytes[s]).s);
  }
  tg_table_print(cli, table, 2, true);
}

/* What memory holds: "one of the 3 panels of C (at most 512x384) and steps of 256 columns of A and rows of B", or
 * "blocks of 512x256 and 256x384". */
static char *blocks_text(const TgEstimate *run) {
  const TgPipeline *product = &run->cost->tiers.product;
  const TgProductBlocks *blocks = &product->blocks;
  if (run->options.tiers.blocks.x > 0)
    return g_strdup_printf("blocks of %" PRId64 "x%" PRId64 " and %" PRId64 "x%" PRId64, blocks->x, blocks->y,
                           blocks->y, blocks->z);
  g_autofree char *step = g_strdup_printf("steps of %" PRId64 " columns of A and rows of B", blocks->y);
  if (product->panels == 1) return g_strdup_printf("all of C and %s", step);
  return g_strdup_printf("one of the %" PRId64 " panels of C (at most %" PRId64 "x%" PRId64 ") and %s", product->panels,
                         blocks->x, blocks->z, step);
}

static void print_reads(TgCli *cli, const TgEstimate *run) {
  const TgPipeline *product = &run->cost->tiers.product;
  g_autofree char *blocks = blocks_text(run);
  g_autofree char *text =
      g_strdup_printf("%s take %s of %s; the product reads %s, %.3g times the least possible with that memory, %s",
                      blocks, tg_bytes_text(product->block_bytes).s, tg_bytes_text(product->memory_bytes).s,
                      tg_bytes_text(product->read_bytes).s, product->read_bytes / product->bound_bytes,
                      tg_bytes_text(product->bound_bytes).s);
  tg_print(cli, "  ");
  tg_print_wrapped(cli, text, 2, 2);
}

static void print_disks(TgCli *cli, const TgEstimate *run) {
  const TgTierCost *tiers = &run->cost->tiers;
  int64_t busiest = 0;
  for (int64_t n = 1; n < run->cost->nodes; n++)
    if (tiers->node_disk_s[n] > tiers->node_disk_s[busiest]) busiest = n;
  if (tiers->node_disk_s[busiest] == 0) return;
  tg_print(cli, "  busiest disk, that of %s%s: reads %s, writes %s, busy for %s\n", run->rank ? "processor " : "",
           tg_sim_vertex_text(run, busiest).s, tg_bytes_text(tiers->node_read_bytes[busiest]).s,
           tg_bytes_text(tiers->node_write_bytes[busiest]).s, tg_time_text(tiers->node_disk_s[busiest]).s);
}

void tg_sim_print_tiers(TgCli *cli, const TgEstimate *run) {
  const TgTierCost *tiers = &run->cost->tiers;
  const TgPipeline *product = &tiers->product;
  if (!run->options.tiers.used) return;
  tg_print(cli, "\n  one local product of %" PRId64 "x%" PRId64 " by %" PRId64 "x%" PRId64 " from %s takes %s\n\n",
           tiers->m, tiers->k, tiers->k, tiers->n, tg_place_name(run->options.tiers.from),
           tg_time_text(product->time_s).s);
  print_stages(cli, product);
  tg_print(cli,
           run->options.tiers.pipelined ? "  slowest: %s; the others add %s, for their first and last block\n"
                                        : "  slowest: %s; the others run one after another and add %s\n",
           tg_tier_resource_name(product->slowest), tg_time_text(product->fill_s).s);
  print_reads(cli, run);
  if (tiers->c_stays) tg_print(cli, "  C stays in memory until the end of the run\n");
  print_disks(cli, run);
}
