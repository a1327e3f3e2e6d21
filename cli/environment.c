#include "environment.h"

#include "blas.h"
#include "commit.h"
#include "measure.h"

#include <math.h>
#include <string.h>

/* Linux; other systems leave it empty. */
static void read_cpu(char *name, size_t size) {
  g_autofree char *text = NULL;
  if (!g_file_get_contents("/proc/cpuinfo", &text, NULL, NULL)) return;
  const char *line = strstr(text, "model name"), *colon = line ? strchr(line, ':') : NULL;
  if (!colon) return;
  g_autofree char *value = g_strndup(colon + 1, strcspn(colon, "\n") - 1);
  g_strlcpy(name, g_strstrip(value), size);
}

void tg_environment_begin(TgEnvironment *environment, const TgDevice *device) {
  *environment = (TgEnvironment){.on_gpu = device != NULL, .blas = tg_blas_description()};
  read_cpu(environment->cpu, sizeof environment->cpu);
  if (!device) return;
  environment->device = *device;
  environment->clock_before_mhz = tg_device_clock_mhz(device->number);
}

void tg_environment_end(TgEnvironment *environment) {
  if (environment->on_gpu) environment->clock_after_mhz = tg_device_clock_mhz(environment->device.number);
}

void tg_environment_clear(TgEnvironment *environment) {
  g_clear_pointer(&environment->blas, g_free);
}

const char *tg_environment_device(const TgEnvironment *environment) {
  if (environment->on_gpu) return environment->device.name;
  return *environment->cpu ? environment->cpu : "a CPU of unknown name";
}

static void write_integer(TgJson *json, const char *key, bool known, int64_t value) {
  if (known)
    tg_json_member_integer(json, key, value);
  else
    tg_json_member_null(json, key);
}

void tg_environment_write(TgJson *json, const TgEnvironment *environment) {
  const TgDevice *device = &environment->device;
  const bool gpu = environment->on_gpu;
  tg_json_key(json, "environment");
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_string(json, "version", TG_VERSION);
  tg_json_member_string(json, "commit", TG_COMMIT);
  tg_json_member_string(json, "cpu", *environment->cpu ? environment->cpu : NULL);
  tg_json_member_string(json, "blas", environment->blas);
  tg_json_member_string(json, "gpu", gpu ? device->name : NULL);
  write_integer(json, "driver", gpu, device->driver);
  write_integer(json, "cuda", gpu, device->runtime);
  tg_json_member_double(json, "compute_capability", gpu ? device->capability / 10.0 : NAN);
  write_integer(json, "multiprocessors", gpu, device->processors);
  write_integer(json, "clock_max_mhz", gpu, device->clock_mhz);
  write_integer(json, "clock_mhz_before", gpu && environment->clock_before_mhz, environment->clock_before_mhz);
  write_integer(json, "clock_mhz_after", gpu && environment->clock_after_mhz, environment->clock_after_mhz);
  tg_json_end_object(json);
}
