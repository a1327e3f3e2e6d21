#include "environment.h"

#include "blas.h"
#include "commit.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* As Linux knows it; elsewhere, and where it does not, unknown. */
static char *processor_name(void) {
  g_autofree char *text = NULL;
  const char *line = NULL;
  if (g_file_get_contents("/proc/cpuinfo", &text, NULL, NULL)) line = strstr(text, "model name");
  const char *colon = line ? strchr(line, ':') : NULL;
  if (!colon) return g_strdup("unknown");
  return g_strstrip(g_strndup(colon + 1, strcspn(colon + 1, "\n")));
}

void tg_environment_begin(TgEnvironment *environment, const TgDevice *device, const char *job) {
  g_autofree char *processor = processor_name();
  *environment = (TgEnvironment){.has_device = device != NULL,
                                 .cores = (int)sysconf(_SC_NPROCESSORS_ONLN),
                                 .processor = job ? g_strdup_printf("%s, %s", job, processor) : g_strdup(processor),
                                 .blas = tg_blas_description()};
  if (!device) return;
  environment->device = *device;
  environment->clock_before_mhz = tg_device_clock_mhz(device->number);
}

void tg_environment_end(TgEnvironment *environment) {
  if (environment->has_device) environment->clock_after_mhz = tg_device_clock_mhz(environment->device.number);
}

void tg_environment_clear(TgEnvironment *environment) {
  g_clear_pointer(&environment->processor, g_free);
  g_clear_pointer(&environment->blas, g_free);
}

/* What is not known, or not used, is null. */
static void write_known(TgJson *json, const char *key, int value) {
  tg_json_member_double(json, key, value ? (double)value : NAN);
}

static void write_device(TgJson *json, const TgEnvironment *environment) {
  const TgDevice none = {0}, *device = environment->has_device ? &environment->device : &none;
  tg_json_member_string(json, "device", environment->has_device ? device->name : NULL);
  tg_json_member_double(json, "compute_capability", environment->has_device ? device->capability / 10.0 : NAN);
  write_known(json, "multiprocessors", device->processors);
  write_known(json, "clock_max_mhz", device->clock_mhz);
  write_known(json, "clock_mhz_before", environment->clock_before_mhz);
  write_known(json, "clock_mhz_after", environment->clock_after_mhz);
  write_known(json, "driver", device->driver);
  write_known(json, "cuda", device->runtime);
}

void tg_environment_write(TgJson *json, const TgEnvironment *environment) {
  tg_json_member_object(json, "environment", TG_JSON_LINES);
  tg_json_member_string(json, "version", TG_VERSION);
  tg_json_member_string(json, "commit", TG_COMMIT);
  write_device(json, environment);
  tg_json_member_string(json, "processor", environment->processor);
  tg_json_member_integer(json, "cores", environment->cores);
  tg_json_member_string(json, "blas", environment->blas);
  tg_json_end_object(json);
}

const char *tg_environment_device(const TgEnvironment *environment) {
  return environment->has_device ? environment->device.name : environment->processor;
}

char *tg_environment_text(const TgEnvironment *environment) {
  const TgDevice *device = &environment->device;
  if (!environment->has_device) return tg_environment_host(environment);
  return g_strdup_printf("%s, compute capability %d.%d, %d multiprocessors, clock %d MHz before and %d MHz after",
                         device->name, device->capability / 10, device->capability % 10, device->processors,
                         environment->clock_before_mhz, environment->clock_after_mhz);
}

char *tg_environment_host(const TgEnvironment *environment) {
  return g_strdup_printf("%s, %d cores", environment->processor, environment->cores);
}
