#include "cpu-time.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>

/* Adds a thread's times: nanoseconds on a CPU, and ready to run but without one. Linux: Documentation/scheduler/
 * sched-stats. False where there are none. */
static bool add_thread(const char *name, TgCpuTime *time) {
  char path[64];
  double ran_ns, waited_ns;
  if (snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", name) >= (int)sizeof path) return false;
  FILE *file = fopen(path, "re");
  if (!file) return false;
  const bool fine = fscanf(file, "%lf %lf", &ran_ns, &waited_ns) == 2;
  fclose(file);
  if (!fine) return false;
  time->ran_s += 1e-9 * ran_ns;
  time->waited_s += 1e-9 * waited_ns;
  return true;
}

TgCpuTime tg_cpu_time(void) {
  TgCpuTime time = {0, 0};
  DIR *threads = opendir("/proc/self/task");
  bool any = false;
  for (const struct dirent *entry; threads && (entry = readdir(threads));)
    if (entry->d_name[0] != '.' && add_thread(entry->d_name, &time)) any = true;
  if (threads) closedir(threads);
  return any ? time : (TgCpuTime){NAN, NAN};
}

double tg_cpu_waited_since(const TgCpuTime *begin) {
  const TgCpuTime now = tg_cpu_time();
  const double ran_s = now.ran_s - begin->ran_s, waited_s = now.waited_s - begin->waited_s;
  return ran_s + waited_s > 0 ? fmax(waited_s, 0) / (ran_s + waited_s) : NAN;
}
