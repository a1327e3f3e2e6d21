#include "pipeline.h"

#include <string.h>

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
