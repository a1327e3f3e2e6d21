/* Draws one step of a schedule into a file: draw-step [NAME GRID STEP FILE.svg] (also .png, .pdf and .dot) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <topogemm/topogemm.h>

/* Errors of schedules and networks are plain structs; here they join the others. */
static gboolean explain(const TgError *reason, GError **error) {
  g_set_error_literal(error, TG_DRAW_ERROR, TG_DRAW_ERROR_SCHEDULE, reason->message);
  return FALSE;
}

static gboolean load(TgSchedule *schedule, TgScheduleNames *names, const char *name, const char *grid, GError **error) {
  const TgLibraryEntry *entry = tg_library_find(name);
  TgBindings bindings = {0};
  TgError reason = {.message = "no such schedule in the library"};
  return (entry && tg_schedule_parse(schedule, names, entry->text, entry->length, &reason) &&
          tg_bindings_grid(&bindings, grid, &reason) && tg_schedule_bind(schedule, names, &bindings, &reason)) ||
         explain(&reason, error);
}

/* The network that the grid's own shape suggests, one processor a node: a torus of the same extents. */
static gboolean lay(const TgSchedule *schedule, TgTopology *torus, TgEmbedding *embedding, GError **error) {
  TgError reason;
  return (tg_topology_init(torus, TG_TORUS, schedule->dims, schedule->extent, &reason) &&
          tg_embedding_init(embedding, TG_ROWMAJOR, schedule->dims, schedule->extent, torus, &reason)) ||
         explain(&reason, error);
}

/* The picture's format is the file's suffix. The file appears whole or not at all. */
static gboolean draw(const TgSchedule *schedule, const TgScheduleNames *names, int64_t step, const char *path,
                     GError **error) {
  TgTopology torus;
  TgEmbedding embedding;
  const char *dot = strrchr(path, '.');
  if (!lay(schedule, &torus, &embedding, error)) return FALSE;
  TgDrawOptions options = {.topology = &torus, .embedding = &embedding};
  g_autoptr(GBytes) picture = tg_draw_step(schedule, names, &options, step, dot ? dot + 1 : "svg", error);
  if (!picture) return FALSE;
  printf("%s: %zu bytes\n", path, g_bytes_get_size(picture));
  return tg_atomic_file_write(path, g_bytes_get_data(picture, NULL), g_bytes_get_size(picture), error);
}

int main(int argc, char **argv) {
  const char *name = argc == 5 ? argv[1] : "cannon", *grid = argc == 5 ? argv[2] : "3x3";
  const char *path = argc == 5 ? argv[4] : "step.svg";
  TgSchedule schedule;
  TgScheduleNames names;
  g_autoptr(GError) error = NULL;
  if (!load(&schedule, &names, name, grid, &error) ||
      !draw(&schedule, &names, argc == 5 ? atoll(argv[3]) : 1, path, &error)) {
    fprintf(stderr, "draw-step: %s\n", error->message);
    return 2;
  }
  return 0;
}
