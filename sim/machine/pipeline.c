#include "pipeline.h"

#include "sim-error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/** What serves each stage. */
static const TgTierResource serving[TG_TIER_STAGES] = {
    [TG_TIER_STAGE_DISK_READ] = TG_TIER_RESOURCE_DISK,
    [TG_TIER_STAGE_DISK_WRITE] = TG_TIER_RESOURCE_DISK,
    [TG_TIER_STAGE_CACHE] = TG_TIER_RESOURCE_CACHE,
    [TG_TIER_STAGE_TO_DEVICE] = TG_TIER_RESOURCE_TO_DEVICE,
    [TG_TIER_STAGE_FROM_DEVICE] = TG_TIER_RESOURCE_FROM_DEVICE,
    [TG_TIER_STAGE_MULTIPLY] = TG_TIER_RESOURCE_MULTIPLY,
};

double tg_pipeline_bound(int64_t m, int64_t n, int64_t k, double memory_elements) {
  double compulsory = (double)m * (double)k + (double)k * (double)n;
  return fmax(2 * (double)m * (double)n * (double)k / sqrt(memory_elements), compulsory);
}

/** A prediction under way. Sizes of operands and blocks in bytes. */
typedef struct TgStream {
  const TgMachine *machine;
  const TgPipelineJob *job;
  const TgMachineTier *disk, *cache, *device;
  TgPanels panels;             /* of C; none where the blocks are given, which are all alike */
  double rows, columns, depth; /* how often B is read, and A; k/y, rounded up */
  double products;             /* of blocks */
  double a, b, c, a_block, b_block, c_block;
  double requests[TG_TIER_STAGES];
  double item[TG_TIER_STAGES]; /* bytes of one item */
  double gaps_s, item_gaps_s; /* disk reads: what blocks take longer that do not lie together, in all and of one item */
} TgStream;

static bool is_near(const TgStream *stream, TgPlace place) {
  return place == TG_PLACE_DEVICE || (place == TG_PLACE_HOST && !stream->device);
}

static bool is_on_disk(TgPlace place) {
  return place == TG_PLACE_DISK || place == TG_PLACE_CACHE;
}

static bool lacks(const TgStream *stream, const char *section, GError **error) {
  const char *name = stream->machine->name;
  return TG_SIM_FAIL(error, BAD_INPUT, "%s%s has no [%s] in its file: add the section, or keep the operands elsewhere",
                     *name ? "machine " : "the machine", name, section);
}

static bool find_tiers(TgStream *stream, GError **error) {
  const TgPlace place[] = {stream->job->a, stream->job->b, stream->job->c};
  stream->disk = tg_machine_tier(stream->machine, TG_TIER_DISK);
  stream->cache = tg_machine_tier(stream->machine, TG_TIER_CACHE);
  stream->device = tg_machine_tier(stream->machine, TG_TIER_DEVICE);
  for (int i = 0; i < 3; i++) {
    if (is_on_disk(place[i]) && !stream->disk) return lacks(stream, "disk", error);
    if (place[i] == TG_PLACE_CACHE && !stream->cache) return lacks(stream, "cache", error);
    if (place[i] == TG_PLACE_DEVICE && !stream->device) return lacks(stream, "device", error);
  }
  return true;
}

static int64_t c_buffers(const TgPipelineJob *job) {
  return job->pipelined && job->double_c && !job->c_stays ? 2 : 1;
}

/* Rows of a block of A: with planned panels not all rows of C. */
static int64_t block_rows(const TgStream *stream, const TgProductBlocks *blocks) {
  return stream->panels.count > 0 ? MIN(stream->panels.chunk, blocks->x) : blocks->x;
}

/* How often the operands are read: panels need not be alike. */
static void count_passes(TgStream *stream, const TgProductBlocks *blocks) {
  const TgPipelineJob *job = stream->job;
  const TgPanels *panels = &stream->panels;
  stream->rows = (double)tg_divide_up(job->m, blocks->x);
  stream->columns = (double)tg_divide_up(job->n, blocks->z);
  stream->depth = (double)tg_divide_up(job->k, blocks->y);
  stream->products = stream->rows * stream->columns * stream->depth;
  if (panels->count == 0) return;
  stream->rows = stream->columns = stream->products = 0;
  for (int64_t p = 0; p < panels->count; p++) {
    stream->rows += (double)panels->panel[p].columns / (double)job->n;
    stream->columns += (double)panels->panel[p].rows / (double)job->m;
    stream->products += stream->depth * (double)tg_divide_up(panels->panel[p].rows, panels->chunk);
  }
}

static void measure(TgStream *stream, const TgProductBlocks *blocks) {
  const TgPipelineJob *job = stream->job;
  double m = (double)job->m, n = (double)job->n, k = (double)job->k, bytes = (double)job->element_bytes;
  double x = (double)block_rows(stream, blocks), y = (double)blocks->y, z = (double)blocks->z;
  count_passes(stream, blocks);
  stream->a = m * k * bytes;
  stream->b = k * n * bytes;
  stream->c = m * n * bytes;
  stream->a_block = x * y * bytes;
  stream->b_block = y * z * bytes;
  stream->c_block = (double)blocks->x * z * bytes;
  if (stream->panels.count > 0) stream->c_block = stream->panels.panel_bytes / (double)c_buffers(job);
}

static double memory_of(const TgStream *stream) {
  if (stream->job->memory_bytes > 0) return stream->job->memory_bytes;
  return stream->device ? stream->device->capacity_bytes : stream->machine->processor.memory_bytes;
}

/* Blocks with their buffers; an operand that is in the memory already takes its own room. */
static double block_memory(const TgStream *stream) {
  const TgPipelineJob *job = stream->job;
  const TgPanels *panels = &stream->panels;
  double buffers = job->pipelined ? 2 : 1;
  double c_bytes = (double)c_buffers(job) * stream->c_block;
  if (panels->count > 0)
    return (is_near(stream, job->a) ? stream->a : panels->a_bytes) +
           (is_near(stream, job->b) ? stream->b : panels->b_bytes) + c_bytes;
  return (is_near(stream, job->a) ? stream->a : buffers * stream->a_block) +
         (is_near(stream, job->b) ? stream->b : buffers * stream->b_block) +
         (is_near(stream, job->c) ? stream->c : c_bytes);
}

/* What the host holds where a device multiplies: whole operands that are kept there, blocks of the others on their way.
 */
static double host_memory(const TgStream *stream) {
  const TgPipelineJob *job = stream->job;
  const TgPlace place[] = {job->a, job->b, job->c};
  const double whole[] = {stream->a, stream->b, stream->c},
               block[] = {stream->a_block, stream->b_block, stream->c_block};
  double bytes = 0;
  for (int i = 0; i < 3; i++) {
    if (place[i] == TG_PLACE_HOST) bytes += whole[i];
    if (is_on_disk(place[i])) bytes += block[i];
  }
  return bytes;
}

static bool refuse(const char *what, double need, double limit, const TgProductBlocks *blocks, GError **error) {
  return TG_SIM_FAIL(error, TOO_LARGE,
                     "blocks %" PRId64 "x%" PRId64 "x%" PRId64
                     " need %.4g bytes of the %s memory, which has %.4g; choose smaller blocks, or use --tiles auto",
                     blocks->x, blocks->y, blocks->z, need, what, limit);
}

static bool fits(const TgStream *stream, const TgProductBlocks *blocks, GError **error) {
  double need = block_memory(stream), limit = memory_of(stream);
  if (need > limit) return refuse(stream->device ? "device's" : "processor's", need, limit, blocks, error);
  if (!stream->device) return true;
  need = host_memory(stream);
  limit = stream->machine->processor.memory_bytes;
  return need <= limit || refuse("host's", need, limit, blocks, error);
}

/** How one operand is read: in all, and as blocks. */
typedef struct TgReading {
  TgPlace place;
  double bytes, times; /* the operand, and how often all of it is read */
  double block;
  bool warm;
  double row_count, row_parts; /* where it lies row by row: rows of a block, and blocks side by side; else 0 */
  double reuse;                /* bytes that pass through the page cache between two reads of a block */
} TgReading;

double tg_pipeline_request_bytes(const TgMachineTier *disk, double block) {
  const double part = 0.01; /* of the time, for the latency */
  return fmax(block, disk->latency_s * disk->read_bytes_per_s / part);
}

static void add(TgPipeline *pipeline, TgStream *stream, TgTierStage stage, double bytes, double block) {
  const bool many = stream->panels.count > 0 && serving[stage] == TG_TIER_RESOURCE_DISK;
  pipeline->bytes[stage] += bytes;
  stream->requests[stage] += ceil(bytes / (many ? tg_pipeline_request_bytes(stream->disk, block) : block) - 1e-9);
  if (bytes > 0) stream->item[stage] += block;
}

/* The cache keeps what was read last: a block is still there where all that passes between two of its reads fits. */
static double cached_bytes(const TgStream *stream, const TgReading *reading, double resident) {
  if (reading->place != TG_PLACE_CACHE) return 0;
  double capacity = stream->cache->capacity_bytes;
  if (reading->warm && resident <= capacity) return reading->bytes * reading->times;
  return reading->reuse <= capacity ? reading->bytes * (reading->times - 1) : 0;
}

/* How much longer a block takes that is not in one piece. */
static double gap_time(const TgStream *stream, const TgReading *reading) {
  double latency_s = stream->disk->latency_s, block_s = reading->block / stream->disk->read_bytes_per_s;
  if (reading->row_count == 0) return 0;
  return fmin((reading->row_count - 1) * latency_s, (reading->row_parts - 1) * block_s);
}

static void read_operand(TgPipeline *pipeline, TgStream *stream, const TgReading *reading, double resident) {
  double all = round(reading->bytes * reading->times), cached = cached_bytes(stream, reading, resident);
  if (is_near(stream, reading->place) || all == 0) return;
  pipeline->read_bytes += all;
  if (stream->device) add(pipeline, stream, TG_TIER_STAGE_TO_DEVICE, all, reading->block);
  if (!is_on_disk(reading->place)) return;
  add(pipeline, stream, TG_TIER_STAGE_DISK_READ, all - cached, reading->block);
  add(pipeline, stream, TG_TIER_STAGE_CACHE, cached, reading->block);
  stream->gaps_s += gap_time(stream, reading) * (all - cached) / reading->block;
  if (all > cached) stream->item_gaps_s += gap_time(stream, reading);
}

static void write_c(TgPipeline *pipeline, TgStream *stream) {
  TgPlace place = stream->job->c;
  if (is_near(stream, place) || stream->job->c_stays) return;
  pipeline->write_bytes = stream->c;
  if (stream->device) add(pipeline, stream, TG_TIER_STAGE_FROM_DEVICE, stream->c, stream->c_block);
  if (is_on_disk(place)) add(pipeline, stream, TG_TIER_STAGE_DISK_WRITE, stream->c, stream->c_block);
}

static void move_all(TgPipeline *pipeline, TgStream *stream) {
  const TgPipelineJob *job = stream->job;
  double a = job->a == TG_PLACE_CACHE ? stream->a : 0, b = job->b == TG_PLACE_CACHE ? stream->b : 0;
  double c = job->c == TG_PLACE_CACHE && !job->c_stays ? stream->c : 0;
  /* Between two reads of a block of A: its row of A and a column of B. Of B: all of it, and two rows of A. */
  TgReading read_a = {.place = job->a,
                      .bytes = stream->a,
                      .times = stream->columns,
                      .block = stream->a_block,
                      .warm = job->warm_a,
                      .reuse = a / stream->rows + b / stream->columns};
  TgReading read_b = {.place = job->b,
                      .bytes = stream->b,
                      .times = stream->rows,
                      .block = stream->b_block,
                      .warm = job->warm_b,
                      .reuse = b + 2 * a / stream->rows};
  TgReading read_c = {.place = job->c,
                      .bytes = job->adds && !job->c_stays ? stream->c : 0,
                      .times = 1,
                      .block = stream->c_block,
                      .reuse = c};
  if (job->by_rows_a)
    read_a.row_count = (double)block_rows(stream, &pipeline->blocks), read_a.row_parts = stream->depth;
  if (job->by_rows_b) read_b.row_count = (double)pipeline->blocks.y, read_b.row_parts = stream->columns;
  read_operand(pipeline, stream, &read_a, a + b);
  read_operand(pipeline, stream, &read_b, a + b);
  read_operand(pipeline, stream, &read_c, a + b + c);
  write_c(pipeline, stream);
}

static double stage_time(const TgStream *stream, TgTierStage stage, double amount, double requests) {
  const TgMachineTier *tier[] = {stream->disk, stream->disk, stream->cache, stream->device, stream->device};
  if (amount == 0) return 0;
  bool reads = stage == TG_TIER_STAGE_DISK_READ || stage == TG_TIER_STAGE_CACHE || stage == TG_TIER_STAGE_FROM_DEVICE;
  double rate = reads ? tier[stage]->read_bytes_per_s : tier[stage]->write_bytes_per_s;
  return amount / rate + requests * tier[stage]->latency_s;
}

/* Along one step. */
static double slice_time(const TgStream *stream, const TgPanel *panel, int64_t step) {
  const int64_t chunk = MIN(stream->panels.chunk, panel->rows), columns = panel->columns;
  return (double)(panel->rows / chunk) * tg_machine_product_s(stream->machine, chunk, columns, step) +
         tg_machine_product_s(stream->machine, panel->rows % chunk, columns, step);
}

static double panels_time(const TgStream *stream) {
  const TgPanels *panels = &stream->panels;
  const int64_t k = stream->job->k, step = MIN(panels->step, k);
  double time = 0;
  for (int64_t p = 0; p < panels->count; p++)
    time += (double)(k / step) * slice_time(stream, &panels->panel[p], step) +
            slice_time(stream, &panels->panel[p], k % step);
  return time;
}

/* At the rate of a full block. The tiles of those at the edge are whole, too. */
static double blocks_time(const TgPipeline *pipeline, const TgStream *stream) {
  const TgPipelineJob *job = stream->job;
  const TgMachine *machine = stream->machine;
  const int64_t x = pipeline->blocks.x, y = pipeline->blocks.y, z = pipeline->blocks.z;
  const double rows =
      (double)(job->m / x) * tg_machine_tiled_rows(machine, x) + tg_machine_tiled_rows(machine, job->m % x);
  const double columns =
      (double)(job->n / z) * tg_machine_tiled_columns(machine, z) + tg_machine_tiled_columns(machine, job->n % z);
  const double filled = tg_machine_tiled_elements(machine, x, z) / ((double)x * (double)z);
  return 2 * rows * columns * (double)job->k / (filled * tg_machine_flops_per_s(machine, x, z, y)) +
         stream->products * tg_machine_beside_s(machine, x, z, y);
}

static void multiply(TgPipeline *pipeline, const TgStream *stream) {
  const TgPipelineJob *job = stream->job;
  pipeline->bytes[TG_TIER_STAGE_MULTIPLY] = 2 * (double)job->m * (double)job->n * (double)job->k;
  pipeline->stage_s[TG_TIER_STAGE_MULTIPLY] =
      stream->panels.count > 0 ? panels_time(stream) : blocks_time(pipeline, stream);
}

static void time_stages(TgPipeline *pipeline, const TgStream *stream, double item_s[TG_TIER_STAGES]) {
  for (int s = 0; s < TG_TIER_STAGE_MULTIPLY; s++) {
    double item_requests = stream->item[s] > 0 ? stream->requests[s] / (pipeline->bytes[s] / stream->item[s]) : 0;
    pipeline->stage_s[s] = stage_time(stream, (TgTierStage)s, pipeline->bytes[s], stream->requests[s]);
    item_s[s] = fmin(stage_time(stream, (TgTierStage)s, stream->item[s], item_requests), pipeline->stage_s[s]);
  }
  pipeline->stage_s[TG_TIER_STAGE_DISK_READ] += stream->gaps_s;
  item_s[TG_TIER_STAGE_DISK_READ] += fmin(stream->item_gaps_s, stream->gaps_s);
  multiply(pipeline, stream);
  item_s[TG_TIER_STAGE_MULTIPLY] = pipeline->stage_s[TG_TIER_STAGE_MULTIPLY] / stream->products;
}

/* With one buffer for C nothing is multiplied while a block of C leaves: the copy is the multiplier's time, too. */
static void load_resources(TgPipeline *pipeline, const TgStream *stream) {
  for (int s = 0; s < TG_TIER_STAGES; s++) pipeline->resource_s[serving[s]] += pipeline->stage_s[s];
  if (stream->job->pipelined && !stream->job->double_c)
    pipeline->resource_s[TG_TIER_RESOURCE_MULTIPLY] += pipeline->stage_s[TG_TIER_STAGE_FROM_DEVICE];
  for (int r = 1; r < TG_TIER_RESOURCES; r++)
    if (pipeline->resource_s[r] > pipeline->resource_s[pipeline->slowest]) pipeline->slowest = (TgTierResource)r;
}

static bool serves(const TgStream *stream, TgTierResource resource, TgTierStage stage) {
  return serving[stage] == resource ||
         (resource == TG_TIER_RESOURCE_MULTIPLY && stage == TG_TIER_STAGE_FROM_DEVICE && !stream->job->double_c);
}

static void add_up(TgPipeline *pipeline, const TgStream *stream) {
  double item_s[TG_TIER_STAGES], sum = 0;
  time_stages(pipeline, stream, item_s);
  load_resources(pipeline, stream);
  for (int s = 0; s < TG_TIER_STAGES; s++) {
    sum += pipeline->stage_s[s];
    if (!serves(stream, pipeline->slowest, (TgTierStage)s)) pipeline->fill_s += item_s[s];
  }
  if (!stream->job->pipelined) pipeline->fill_s = sum - pipeline->resource_s[pipeline->slowest];
  pipeline->time_s = pipeline->fill_s + pipeline->resource_s[pipeline->slowest];
}

static TgProductBlocks cut(const TgPipelineJob *job) {
  const TgProductBlocks *blocks = &job->blocks;
  return (TgProductBlocks){MIN(blocks->x, job->m), MIN(blocks->y, job->k), MIN(blocks->z, job->n)};
}

static bool check_sizes(const TgPipelineJob *job, GError **error) {
  const TgProductBlocks *blocks = &job->blocks;
  if (blocks->x < 1 || blocks->y < 1 || blocks->z < 1 || job->m < 1 || job->n < 1 || job->k < 1)
    return TG_SIM_FAIL(error, BAD_INPUT, "blocks %" PRId64 "x%" PRId64 "x%" PRId64 ": expected sizes of at least 1",
                       blocks->x, blocks->y, blocks->z);
  if (!job->c_stays || (blocks->x >= job->m && blocks->z >= job->n)) return true;
  return TG_SIM_FAIL(error, BAD_INPUT, "C of %" PRId64 "x%" PRId64 " cannot stay in a block of %" PRId64 "x%" PRId64,
                     job->m, job->n, blocks->x, blocks->z);
}

/* What is left for the panels of C and what streams past them. What comes from a disk to a device the host holds, too.
 */
static double panels_memory(const TgStream *stream, double *all) {
  const TgPipelineJob *job = stream->job;
  const TgPlace place[] = {job->a, job->b};
  const double whole[] = {(double)job->m * (double)job->k * (double)job->element_bytes,
                          (double)job->k * (double)job->n * (double)job->element_bytes};
  const bool passes_host = stream->device && (is_on_disk(job->a) || is_on_disk(job->b) || is_on_disk(job->c));
  double memory = memory_of(stream), host = passes_host ? stream->machine->processor.memory_bytes : INFINITY;
  *all = fmin(memory, host);
  for (int i = 0; i < 2; i++) {
    if (is_near(stream, place[i])) memory -= whole[i];
    if (place[i] == TG_PLACE_HOST) host -= whole[i];
  }
  return fmin(memory, host);
}

/* The tiles' checksums are in memory twice. */
static double checksum_bytes(const TgProductBlocks *unit, const TgPipelineJob *job) {
  return 2.0 * sizeof(uint64_t) * (double)tg_divide_up(job->m, unit->x) * (double)tg_divide_up(job->n, unit->z);
}

static TgPanelsJob panels_job(const TgStream *stream, double *all) {
  const TgPipelineJob *job = stream->job;
  const int64_t parts = 256; /* that an extent is cut into at most, where no unit is given */
  TgPanelsJob plan = {.m = job->m, .n = job->n, .k = job->k, .unit = job->unit, .element_bytes = job->element_bytes};
  plan.unit = (TgProductBlocks){MIN(plan.unit.x, job->m), MIN(plan.unit.y, job->k), MIN(plan.unit.z, job->n)};
  plan.memory_bytes = panels_memory(stream, all);
  if (plan.unit.x > 0)
    plan.memory_bytes -= checksum_bytes(&plan.unit, job);
  else
    plan.unit =
        (TgProductBlocks){tg_divide_up(job->m, parts), tg_divide_up(job->k, parts), tg_divide_up(job->n, parts)};
  plan.a_buffers = is_near(stream, job->a) ? 0 : tg_panels_a_buffers(job->pipelined);
  plan.b_buffers = is_near(stream, job->b) ? 0 : tg_panels_b_buffers(job->pipelined);
  plan.c_buffers = c_buffers(job);
  return plan;
}

/* Panels of C that read least. One that stays is all of C. */
static bool plan_panels(TgStream *stream, TgProductBlocks *blocks, double *all, GError **error) {
  const TgPanelsJob plan = panels_job(stream, all);
  TgPanels *panels = &stream->panels;
  if (plan.memory_bytes <= 0)
    return TG_SIM_FAIL(error, TOO_LARGE, "the operands that are kept in memory leave nothing of its %.4g bytes for C",
                       *all);
  const bool is_one = stream->job->c_stays || is_near(stream, stream->job->c);
  if (!tg_panels_plan(panels, &plan, error)) return false;
  if (is_one && panels->count > 1)
    return TG_SIM_FAIL(error, TOO_LARGE, "C needs %.4g bytes of memory; %.4g are left of %.4g",
                       (double)plan.m * (double)plan.n * (double)plan.element_bytes, plan.memory_bytes, *all);
  *blocks = (TgProductBlocks){0, panels->step, 0};
  for (int64_t p = 0; p < panels->count; p++) {
    blocks->x = MAX(blocks->x, panels->panel[p].rows);
    blocks->z = MAX(blocks->z, panels->panel[p].columns);
  }
  return true;
}

static bool predict(TgPipeline *pipeline, TgStream *stream, TgPipelineJob *job, GError **error) {
  const bool is_planned = !job->blocks.x && !job->blocks.y && !job->blocks.z;
  double planned_bytes = 0;
  if (!find_tiers(stream, error) || (is_planned && !plan_panels(stream, &job->blocks, &planned_bytes, error)) ||
      !check_sizes(job, error))
    return false;
  pipeline->blocks = cut(job);
  measure(stream, &pipeline->blocks);
  if (!fits(stream, &pipeline->blocks, error)) return false;
  pipeline->panels = is_planned ? stream->panels.count
                                : tg_divide_up(job->m, pipeline->blocks.x) * tg_divide_up(job->n, pipeline->blocks.z);
  pipeline->block_bytes = block_memory(stream);
  pipeline->memory_bytes = is_planned ? planned_bytes : memory_of(stream);
  pipeline->bound_bytes =
      (double)job->element_bytes *
      tg_pipeline_bound(job->m, job->n, job->k, pipeline->memory_bytes / (double)job->element_bytes);
  move_all(pipeline, stream);
  add_up(pipeline, stream);
  return true;
}

bool tg_pipeline_predict(TgPipeline *pipeline, const TgMachine *machine, const TgPipelineJob *given, GError **error) {
  TgPipelineJob job = *given;
  TgStream stream = {.machine = machine, .job = &job};
  *pipeline = (TgPipeline){0};
  const bool fine = predict(pipeline, &stream, &job, error);
  tg_panels_clear(&stream.panels);
  return fine;
}

static const char *const place_names[TG_PLACES] = {"disk", "cache", "host", "device"};

static const char *const stage_names[TG_TIER_STAGES] = {
    [TG_TIER_STAGE_DISK_READ] = "disk read",        [TG_TIER_STAGE_DISK_WRITE] = "disk write",
    [TG_TIER_STAGE_CACHE] = "page cache",           [TG_TIER_STAGE_TO_DEVICE] = "host to device",
    [TG_TIER_STAGE_FROM_DEVICE] = "device to host", [TG_TIER_STAGE_MULTIPLY] = "multiply",
};

static const char *const resource_names[TG_TIER_RESOURCES] = {
    [TG_TIER_RESOURCE_DISK] = "disk",
    [TG_TIER_RESOURCE_CACHE] = "page cache",
    [TG_TIER_RESOURCE_TO_DEVICE] = "host to device",
    [TG_TIER_RESOURCE_FROM_DEVICE] = "device to host",
    [TG_TIER_RESOURCE_MULTIPLY] = "multiply",
};

const char *tg_place_name(TgPlace place) {
  return place_names[place];
}

const char *tg_tier_stage_name(TgTierStage stage) {
  return stage_names[stage];
}

const char *tg_tier_resource_name(TgTierResource resource) {
  return resource_names[resource];
}

bool tg_place_parse(const char *text, TgPlace *place, TgError *error) {
  for (int p = 0; p < TG_PLACES; p++)
    if (strcmp(text, place_names[p]) == 0) {
      *place = (TgPlace)p;
      return true;
    }
  return tg_error_set(error, 0, 0, "place `%.40s`, expected disk, cache, host or device", text);
}
