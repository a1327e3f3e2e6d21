#include "hardware-pairs.h"

#include <inttypes.h>
#include <string.h>

static void clear_joint(gpointer data) {
  TgHardwareJoint *joint = data;
  g_free(joint->name);
  g_free(joint->source);
}

TgHardwarePairs *tg_hardware_pairs_new(int64_t count) {
  TgHardwarePairs *pairs = g_new0(TgHardwarePairs, 1);
  pairs->count = count;
  pairs->pair = g_new0(TgHardwarePair, count * count);
  pairs->joints = g_array_new(FALSE, FALSE, sizeof(TgHardwareJoint));
  g_array_set_clear_func(pairs->joints, clear_joint);
  return pairs;
}

void tg_hardware_pairs_free(TgHardwarePairs *pairs) {
  if (!pairs) return;
  g_free(pairs->pair);
  g_array_unref(pairs->joints);
  g_free(pairs);
}

void tg_hardware_pairs_add(TgHardwarePairs *pairs, const TgHardwareJoint *joint) {
  TgHardwareJoint copy = *joint;
  copy.name = g_strdup(joint->name);
  copy.source = g_strdup(joint->source);
  g_array_append_val(pairs->joints, copy);
}

/* Whether all in the group of `size` from `begin` on are joined at least as closely as by `joint`. */
static bool is_group(const TgHardwarePairs *pairs, int64_t begin, int64_t size, guint joint) {
  for (int64_t i = begin; i < begin + size; i++)
    for (int64_t j = begin; j < i; j++)
      if (tg_hardware_pair(pairs, i, j)->joint > joint) return false;
  return true;
}

static bool are_groups(const TgHardwarePairs *pairs, int64_t size, guint joint) {
  for (int64_t begin = 0; begin < pairs->count; begin += size)
    if (!is_group(pairs, begin, size, joint)) return false;
  return true;
}

/* The largest size of groups, a multiple of `inner`. */
static int64_t group_size(const TgHardwarePairs *pairs, int64_t inner, guint joint) {
  for (int64_t size = pairs->count; size > inner; size--)
    if (pairs->count % size == 0 && size % inner == 0 && are_groups(pairs, size, joint)) return size;
  return inner;
}

static bool occurs(const TgHardwarePairs *pairs, guint joint) {
  for (int64_t i = 0; i < pairs->count; i++)
    for (int64_t j = 0; j < i; j++)
      if (tg_hardware_pair(pairs, i, j)->joint == joint) return true;
  return false;
}

/* Pairs in different groups that are joined so. */
static int64_t count_between(const TgHardwarePairs *pairs, int64_t size, guint joint) {
  int64_t count = 0;
  for (int64_t i = 0; i < pairs->count; i++)
    for (int64_t j = 0; j < i / size * size; j++) count += tg_hardware_pair(pairs, i, j)->joint == joint;
  return count;
}

/* Fewest links of a pair that is joined so in a group. */
static int fewest_links(const TgHardwarePairs *pairs, int64_t size, guint joint) {
  int fewest = UINT8_MAX;
  for (int64_t i = 0; i < pairs->count; i++)
    for (int64_t j = i / size * size; j < i; j++) {
      const TgHardwarePair *pair = tg_hardware_pair(pairs, i, j);
      if (pair->joint == joint) fewest = MIN(fewest, pair->links);
    }
  return fewest;
}

static void clear_level(TgHardwareLevel *level) {
  g_free(level->name);
  g_free(level->source);
  *level = (TgHardwareLevel){0};
}

/* Makes room: the innermost groups are joined as the next ones are. */
static void drop_innermost(TgHardware *hardware) {
  const int32_t joins = hardware->level[0].joins;
  tg_hardware_note(hardware, "A network has at most %d levels, so the groups of %d %ss joined by %s are left out.",
                   TG_MAX_LEVELS, joins, hardware->processor, hardware->level[0].name);
  clear_level(&hardware->level[0]);
  memmove(&hardware->level[0], &hardware->level[1], (TG_MAX_LEVELS - 1) * sizeof hardware->level[0]);
  hardware->level[0].joins *= joins;
  hardware->levels--;
}

static void note_between(TgHardware *hardware, const TgHardwarePairs *pairs, int64_t size, guint place) {
  const int64_t count = count_between(pairs, size, place);
  if (count)
    tg_hardware_note(
        hardware, "%s also joins %" PRId64 " pair%s of %ss in different groups, which the network leaves out.",
        g_array_index(pairs->joints, TgHardwareJoint, place).name, count, count == 1 ? "" : "s", hardware->processor);
}

static void add_level(TgHardware *hardware, const TgHardwarePairs *pairs, guint place, int64_t inner, int64_t size) {
  const TgHardwareJoint *joint = &g_array_index(pairs->joints, TgHardwareJoint, place);
  if (hardware->levels == TG_MAX_LEVELS) drop_innermost(hardware);
  TgHardwareLevel level = {.joins = (int32_t)(size / inner),
                           .latency_s = joint->latency_s,
                           .bandwidth_bytes_per_s = joint->bandwidth_bytes_per_s};
  if (joint->by_links) {
    const int links = fewest_links(pairs, size, place);
    level.direct = links * (size - 1) <= pairs->most_links;
    level.bandwidth_bytes_per_s *= links;
    level.name = g_strdup_printf("%s (%d link%s%s)", joint->name, links, links == 1 ? "" : "s",
                                 level.direct ? " for each pair" : " to a switch");
    level.source = g_strdup_printf("%d x %s", links, joint->source);
  } else {
    level.name = g_strdup(joint->name);
    level.source = g_strdup(joint->source);
  }
  hardware->level[hardware->levels++] = level;
}

/* Only a network of one level can be `full`: messages to other groups would all go through one processor. */
static void keep_direct_alone(TgHardware *hardware) {
  if (hardware->levels > 1) hardware->level[0].direct = false;
}

void tg_hardware_find_levels(TgHardware *hardware, const TgHardwarePairs *pairs) {
  int64_t inner = 1;
  for (guint joint = 0; joint < pairs->joints->len; joint++) {
    const int64_t size = group_size(pairs, inner, joint);
    if (size > inner) {
      add_level(hardware, pairs, joint, inner, size);
      note_between(hardware, pairs, size, joint);
    } else if (inner < pairs->count && occurs(pairs, joint)) {
      tg_hardware_note(hardware, "%s: left out, because its groups differ in size or are not consecutive.",
                       g_array_index(pairs->joints, TgHardwareJoint, joint).name);
    }
    inner = size;
  }
  keep_direct_alone(hardware);
}
