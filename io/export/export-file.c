#include "atomic-file.h"
#include "export-goal.h"
#include "export-job.h"
#include "export-json.h"

#include <inttypes.h>

/* How large an export becomes, before the schedule is run: one execution of each statement is counted, and the rows of
 * either format are taken to be as long as the longest. */

typedef struct Sizes {
  double statements, messages, sends, products;
  double parts; /* what one processor does in a round of each statement, at least 1, summed over statements */
} Sizes;

typedef struct Counts {
  int64_t messages, sends, products, rounds;
} Counts;

static void count_messages(const TgWalk *walk, TgCollective collective, Counts *counts) {
  TgMessages messages;
  TgMessage message, last = {.from = -1};
  TgError error;
  tg_messages_init(&messages, walk, collective);
  while (tg_messages_next(&messages, &message, &error) == TG_PROGRESS_MORE) {
    if (message.from == message.to) continue;
    counts->messages++;
    counts->sends += message.from != last.from || message.to != last.to || message.round != last.round;
    counts->rounds = MAX(counts->rounds, message.round + 1);
    last = message;
  }
}

static void count_products(const TgWalk *walk, int64_t processors, Counts *counts) {
  TgLocal local;
  TgError error;
  for (int64_t p = 0; p < processors && tg_walk_local(walk, p, &local, &error); p++)
    counts->products += local.takes_part;
}

/* One execution stands for all `times` of them. */
static void add_statement(const TgExportJob *job, const TgWalk *walk, double times, Sizes *sizes) {
  const int64_t processors = tg_schedule_processors(job->schedule);
  Counts counts = {.rounds = 1};
  if (job->schedule->statement[walk->statement].op == TG_OP_MULTIPLY)
    count_products(walk, processors, &counts);
  else
    count_messages(walk, job->collective, &counts);
  const double parts = (double)(2 * counts.sends + counts.products) / (double)(processors * counts.rounds);
  sizes->statements += times;
  sizes->messages += times * (double)counts.messages;
  sizes->sends += times * (double)counts.sends;
  sizes->products += times * (double)counts.products;
  sizes->parts += times * MAX(parts, 1);
}

/* The execution that is counted is the middle one, since loops often make statements busier or idler as they go on. */
static Sizes find_sizes(const TgExportJob *job) {
  int64_t times[TG_MAX_STATEMENTS] = {0}, seen[TG_MAX_STATEMENTS] = {0};
  Sizes sizes = {0};
  TgWalk walk;
  TgError error;
  tg_walk_init(&walk, job->schedule, job->names);
  while (tg_walk_next(&walk, &error) == TG_PROGRESS_MORE) times[walk.statement]++;
  tg_walk_init(&walk, job->schedule, job->names);
  while (tg_walk_next(&walk, &error) == TG_PROGRESS_MORE) {
    const int s = walk.statement;
    if (seen[s]++ == times[s] / 2) add_statement(job, &walk, (double)times[s], &sizes);
  }
  return sizes;
}

/* Elements of a block of C; in floating point, since nobody has checked the sizes yet. */
static double block_elements(const TgExportJob *job) {
  const int32_t *blocks = job->schedule->blocks[TG_MATRIX_C];
  return MAX((double)job->m / blocks[0], 1) * MAX((double)job->n / blocks[1], 1);
}

/* The rows of export-json.c. */
static double export_json_size(const TgExportJob *job) {
  const Sizes sizes = find_sizes(job);
  const TgSchedule *schedule = job->schedule;
  const int32_t *blocks = schedule->blocks[TG_MATRIX_C];
  const int64_t rank = tg_schedule_processors(schedule) - 1;
  const double elements = block_elements(job), inner = MAX((double)job->k / schedule->inner, 1);
  const TgText at = tg_schedule_processor_text(schedule, rank); /* as long as in JSON */
  char block[32];
  g_snprintf(block, sizeof block, "A(%d, %d)", blocks[0] - 1, blocks[1] - 1);
  const int message = g_snprintf(
      NULL, 0,
      "            {\"from\": %" PRId64 ", \"to\": %" PRId64 ", \"from_coordinates\": %s, \"to_coordinates\": %s, "
      "\"block\": \"%s\", \"terms\": null, \"bytes\": %.0f, \"round\": 0, \"piece\": 0, \"pieces\": 1, "
      "\"add\": false, \"joined\": false},\n",
      rank, rank, at.s, at.s, block, elements * (double)tg_element_bytes(job->element));
  const int product = g_snprintf(NULL, 0,
                                 "            {\"processor\": %" PRId64 ", \"coordinates\": %s, \"left\": \"%s\", "
                                 "\"right\": \"%s\", \"result\": \"%s\", \"terms\": %d, \"flops\": %.0f},\n",
                                 rank, at.s, block, block, block, schedule->inner, 2 * elements * inner);
  const int placement = g_snprintf(NULL, 0,
                                   "    {\"block\": \"%s\", \"processor\": %" PRId64
                                   ", \"coordinates\": %s, \"buffer\": \"A\", \"index\": 0},\n",
                                   block, rank, at.s);
  const int statement =
      g_snprintf(NULL, 0, "        {\n          \"line\": 10,\n          \"text\": \"%s\",\n%s%s", "move A to (i, j-1)",
                 "          \"operation\": \"move\",\n          \"loops\": [0],\n",
                 "          \"messages\": [\n          ]\n        },\n");
  double placed = 0;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++)
    placed += (double)schedule->blocks[matrix][0] * schedule->blocks[matrix][1];
  return sizes.messages * message + sizes.products * product + sizes.statements * statement + placed * placement;
}

/* The lines of export-goal.c. What a processor does waits for as many operations as it does in a phase; many meet in a
 * barrier, with a line more each. */
static double export_goal_size(const TgExportJob *job) {
  const Sizes sizes = find_sizes(job);
  const int64_t rank = tg_schedule_processors(job->schedule) - 1;
  const double operations = 2 * sizes.sends + sizes.products;
  const int64_t label = (int64_t)(operations / (double)(rank + 1)), phase = (int64_t)sizes.statements;
  const int message = g_snprintf(NULL, 0, "l%" PRId64 ": send %.0fb to %" PRId64 " tag %" PRId64 "\n", label,
                                 block_elements(job) * (double)tg_element_bytes(job->element), rank, phase);
  const int product = g_snprintf(NULL, 0, "l%" PRId64 ": calc %.0f\n", label, block_elements(job));
  const int waits = g_snprintf(NULL, 0, "l%" PRId64 " requires l%" PRId64 "\n", label, label);
  const double each = sizes.statements > 0 ? MIN(sizes.parts / sizes.statements, 2) : 1;
  return 2 * sizes.sends * message + sizes.products * product + operations * each * waits + 12.0 * (double)rank;
}

typedef bool (*Write)(const TgExportJob *job, FILE *stream, TgExported *exported, TgError *failure, GError **error);

typedef struct Format {
  const char *suffix;
  Write write;
  double (*size)(const TgExportJob *job);
  int passes; /* over all statements */
} Format;

static const Format formats[] = {{".goal", tg_export_goal, export_goal_size, 2},
                                 {".json", tg_export_json, export_json_size, 1}};

static const Format *find_format(const char *path, GError **error) {
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
    if (g_str_has_suffix(path, formats[i].suffix)) return &formats[i];
  g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT,
              "%s: unknown suffix, expected .goal (for LogGOPSim) or .json (topogemm-schedule)", path);
  return NULL;
}

bool tg_export_path_known(const char *path, GError **error) {
  return find_format(path, error) != NULL;
}

int64_t tg_export_work(const TgExportJob *job, const char *path) {
  const Format *format = find_format(path, NULL);
  return format ? format->passes * tg_walk_count_statements(job->schedule, job->names) : 0;
}

double tg_export_size(const TgExportJob *job, const char *path) {
  const Format *format = find_format(path, NULL);
  return format ? format->size(job) : 0;
}

bool tg_export_write(const TgExportJob *job, const char *path, TgExported *exported, TgError *failure, GError **error) {
  if (failure) *failure = (TgError){.statement = -1, .processor = -1};
  const Format *format = find_format(path, error);
  if (!format) return false;
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin(path, error);
  if (!file) return false;
  if (format->write(job, tg_atomic_file_stream(file), exported, failure, error))
    return tg_atomic_file_commit(file, error);
  if (error && g_error_matches(*error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE)) g_prefix_error(error, "%s: ", path);
  return false;
}
