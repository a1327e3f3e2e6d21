/* Opening a laboratory, and the proof. */
#include "core-private.h"

#include <string.h>

static bool lay(Lab *lab, TgError *error) {
  const TgSchedule *schedule = &lab->schedule;
  const bool named = *lab->settings.network != '\0';
  if (named && !tg_topology_parse(&lab->network, lab->settings.network, error)) return false;
  if (!named && !tg_topology_of_grid(&lab->network, schedule->dims, schedule->extent, error)) return false;
  if (tg_schedule_processors(schedule) > MOST_PROCESSORS)
    return tg_error_set(error, 0, 0, "the page goes up to %d processors; use the command for more", MOST_PROCESSORS);
  if (lab->network.links > MOST_LINKS)
    return tg_error_set(error, 0, 0, "the page goes up to networks of %d links; use the command for more", MOST_LINKS);
  return tg_embedding_init(&lab->embedding, lab->settings.embedding, schedule->dims, schedule->extent, &lab->network,
                           error);
}

/* The proof takes as long as all steps together; the page asks for it apart. */
EXPORT(prove) void prove(Lab *lab) {
  TgProof *proof = g_new0(TgProof, 1);
  int64_t m, n, k;
  tg_proof_sizes(&lab->schedule, &m, &n, &k);
  const bool ok = tg_prove(&lab->schedule, &lab->names, lab->settings.collective, m, n, k, proof);
  /* A wrong schedule has no steps after the one in which it fails. */
  if (!ok && lab->frames) lab->frames->frame.steps = MIN(lab->frames->frame.steps, proof->failure.step);
  begin_answer();
  tg_json_member_bool(json, "ok", ok);
  if (lab->frames) tg_json_member_integer(json, "last", tg_frames_steps(lab->frames));
  write_failure(&lab->schedule, ok ? NULL : &proof->failure);
  end_answer();
  g_free(proof);
}

EXPORT(shut) void shut(Lab *lab) {
  if (lab->frames) tg_frames_free(lab->frames);
  for (int k = 0; k < (int)G_N_ELEMENTS(lab->kept); k++) free_kept(&lab->kept[k]);
  if (lab->scene) tg_scene_free(lab->scene);
  if (lab->renamed) g_string_free(lab->renamed, TRUE);
  g_free(lab);
}

bool is_large(const Lab *lab) {
  return tg_schedule_processors(&lab->schedule) >= LARGE_PROCESSORS;
}

/* Says in the answer what is wrong. */
bool open_frames(Lab *lab) {
  GError *error = NULL;
  const TgFrameOptions options = {.topology = &lab->network,
                                  .embedding = &lab->embedding,
                                  .collective = lab->settings.collective,
                                  .to_the_error = true};
  lab->frames = tg_frames_new(&lab->schedule, &lab->names, &options, &error);
  if (!lab->frames) {
    TgError at = {0};
    tg_error_set(&at, 0, 0, "%s", error->message);
    write_error("run", &at);
    g_clear_error(&error);
  }
  return lab->frames != NULL;
}

/** A laboratory for `length` bytes of a schedule, with settings of `settings_length` bytes; NULL where the answer's
 * `error` says what is wrong, at which line and column of the schedule. */
EXPORT(open) Lab *open_lab(const char *schedule, size_t length, const char *settings, size_t settings_length) {
  Lab *lab = g_new0(Lab, 1);
  TgError error = {0};
  const char *stage = NULL;
  g_autofree char *lines = g_strndup(settings, settings_length);
  lab->settings.collective = TG_COLLECTIVE_WHOLE;
  for (int k = 0; k < (int)G_N_ELEMENTS(lab->kept); k++) lab->kept[k].frame.step = -1;
  begin_answer();
  if (!tg_schedule_parse(&lab->schedule, &lab->names, schedule, length, &error))
    stage = "parse";
  else if (!read_settings(&lab->settings, lines, &error))
    stage = "settings";
  else if (!tg_schedule_bind(&lab->schedule, &lab->names, &lab->settings.bindings, &error))
    stage = "bind";
  else if (!lay(lab, &error))
    stage = "network";
  if (stage) write_error(stage, &error);
  const bool good = !stage && (is_large(lab) || open_frames(lab)) && write_facts(lab);
  end_answer();
  if (good) return lab;
  shut(lab);
  return NULL;
}
