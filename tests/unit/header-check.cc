/** @file header-check.cc
 * Links C++ to one function of each library below: the public headers say `extern "C"`, and say it everywhere. */
#include <cstring>
#include <type_traits>

#include "every-header.h"

static_assert(std::is_standard_layout<TgTopology>::value && std::is_trivially_copyable<TgTopology>::value,
              "a topology is plain bytes");
static_assert(std::is_standard_layout<TgSchedule>::value && std::is_trivially_copyable<TgSchedule>::value,
              "a schedule is plain bytes");

int main() {
  TgTopology topology;
  TgSchedule schedule;
  TgScheduleNames names;
  TgError error;
  const char *text = "schedule";
  bool refused = !tg_topology_parse(&topology, "", &error) &&
                 !tg_schedule_parse(&schedule, &names, text, std::strlen(text), &error);
  return refused && error.line == 1 ? 0 : 1;
}
