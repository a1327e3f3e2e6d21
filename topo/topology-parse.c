#include "network-kind.h"
#include "suggestion.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Without padding two equal networks are equal bytes. */
_Static_assert(sizeof(TgLevel) == 72 && sizeof(TgTopology) == 24 + TG_MAX_LEVELS * sizeof(TgLevel), "padding");

enum { MOST_SWITCHES = 50331648 };
_Static_assert(TG_MAX_PROCESSORS == 16777216 && MOST_SWITCHES == TG_MAX_LEVELS * TG_MAX_PROCESSORS, "as in messages");

/* Switches take the vertices after the nodes, and links their numbers, innermost level first. How many copies
 * of a level there are changes as levels are put around it, so this runs anew with each. False where there would be too
 * many switches. */
static bool number_vertices_and_links(TgTopology *topology) {
  int32_t copies = topology->nodes, base = 0;
  int64_t scale = 1, planes = 1, vertices = topology->nodes;
  topology->links = 0;
  for (int l = 0; l < topology->levels; l++) {
    TgLevel *level = &topology->level[l];
    copies /= level->nodes;
    level->copies = copies;
    level->planes = (int32_t)planes;
    level->vertex_base = base;
    level->vertex_scale = (int32_t)scale;
    level->link_base = topology->links;
    topology->links += level->links * copies * planes;
    level->switch_base = -1;
    scale *= level->nodes;
    if (level->switches == 0) continue;
    level->switch_base = base = (int32_t)vertices;
    scale = planes *= level->switches;
    vertices += copies * planes;
    if (planes > MOST_SWITCHES || vertices - topology->nodes > MOST_SWITCHES) return false;
  }
  topology->vertices = (int32_t)vertices;
  return true;
}

/** Appends a level outside the present ones; its `kind`, `dims` and `extents` are set and checked, one by one. Returns
 * NULL, or, leaving the topology as it was, what there would be too many of. */
static const char *topology_add_level(TgTopology *topology, const TgLevel *level) {
  const TgNetworkKindRow *kind = tg_level_kind(level);
  int64_t span = topology->levels ? topology->nodes : 1, nodes = kind->nodes(level);
  if (nodes > TG_MAX_PROCESSORS || nodes * span > TG_MAX_PROCESSORS) return "16777216 nodes";
  TgTopology grown = *topology;
  TgLevel *added = &grown.level[grown.levels++];
  *added = *level;
  added->nodes = (int32_t)nodes;
  added->span = (int32_t)span;
  added->switches = kind->has_switch ? level->extents[1] : 0;
  added->links = kind->links(added);
  grown.nodes = (int32_t)(nodes * span);
  if (!number_vertices_and_links(&grown)) return "50331648 switches";
  *topology = grown;
  return NULL;
}

/* Grammar, without blanks: network = level { "*" level }; level = kind ":" extent { "x" extent }. */

enum { QUOTED_BYTES = 64 };

typedef struct Parser {
  const char *text;
  const char *at;
  TgError *error;
} Parser;

/* A short printable copy for messages. */
static void quote(char quoted[QUOTED_BYTES], const char *text, size_t length) {
  size_t kept = length < QUOTED_BYTES ? length : QUOTED_BYTES - 4;
  for (size_t i = 0; i < kept; i++) {
    char c = text[i];
    if (c < ' ' || c > '~') c = '?';
    quoted[i] = c;
  }
  snprintf(quoted + kept, QUOTED_BYTES - kept, "%s", kept < length ? "..." : "");
}

static bool fail(const Parser *parser, const char *at, const char *format, ...) TG_PRINTF(3, 4);
static bool fail(const Parser *parser, const char *at, const char *format, ...) {
  char text[QUOTED_BYTES], what[256];
  int column = (int)(at - parser->text) + 1;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  quote(text, parser->text, strlen(parser->text));
  return tg_error_set(parser->error, 1, column, "%s: column %d: %s", text, column, what);
}

static bool fail_expected(const Parser *parser, const char *expected) {
  unsigned char found = (unsigned char)*parser->at;
  if (!found) return fail(parser, parser->at, "the text ends, expected %s", expected);
  if (found < ' ' || found > '~') return fail(parser, parser->at, "found byte 0x%02x, expected %s", found, expected);
  return fail(parser, parser->at, "found '%c', expected %s", found, expected);
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static void list_kinds(char *list, size_t bytes) {
  size_t used = 0;
  for (int kind = 0; kind < TG_NETWORK_KINDS && used < bytes; kind++) {
    const char *separator = kind == 0 ? "" : kind < TG_NETWORK_KINDS - 1 ? ", " : " or ";
    used += (size_t)snprintf(list + used, bytes - used, "%s%s", separator, tg_network_kind_info(kind)->name);
  }
}

static bool unknown_kind(const Parser *parser, const char *name, size_t length) {
  char kinds[128], quoted[QUOTED_BYTES];
  TgSuggestion meant = tg_suggestion_for(name, length);
  for (int kind = 0; kind < TG_NETWORK_KINDS; kind++) tg_suggestion_try(&meant, tg_network_kind_info(kind)->name);
  list_kinds(kinds, sizeof kinds);
  if (length == 0) return fail_expected(parser, kinds);
  quote(quoted, name, length);
  if (strncmp(name, "fat", 3) == 0)
    return fail(parser, name, "there is no network '%s'; a fat tree is made of levels, as in switch:4*spine:8x2",
                quoted);
  if (meant.nearest) return fail(parser, name, "there is no network '%s'; did you mean %s?", quoted, meant.nearest);
  return fail(parser, name, "there is no network '%s', expected %s", quoted, kinds);
}

static bool parse_kind(Parser *parser, TgLevel *level) {
  const char *name = parser->at;
  while (is_letter(*parser->at)) parser->at++;
  size_t length = (size_t)(parser->at - name);
  for (int kind = 0; kind < TG_NETWORK_KINDS; kind++) {
    const char *known = tg_network_kind_info(kind)->name;
    if (strlen(known) != length || strncmp(known, name, length) != 0) continue;
    level->kind = kind;
    return true;
  }
  return unknown_kind(parser, name, length);
}

static bool parse_extent(Parser *parser, int32_t *extent) {
  const char *first = parser->at;
  int64_t value = 0;
  if (!is_digit(*first)) return fail_expected(parser, "an extent, a whole number of at least 1");
  for (; is_digit(*parser->at); parser->at++)
    if (value <= TG_MAX_PROCESSORS) value = value * 10 + (*parser->at - '0');
  if (value >= 1 && value <= TG_MAX_PROCESSORS) {
    *extent = (int32_t)value;
    return true;
  }
  char quoted[QUOTED_BYTES];
  quote(quoted, first, (size_t)(parser->at - first));
  return fail(parser, first, "the extent is %s, expected 1 to %d", quoted, TG_MAX_PROCESSORS);
}

static bool parse_level(Parser *parser, TgLevel *level) {
  if (!parse_kind(parser, level)) return false;
  const TgNetworkKindRow *kind = tg_level_kind(level);
  if (*parser->at != ':') return fail_expected(parser, "':' and the extents");
  for (int axis = 0; axis < TG_MAX_DIMS; axis++) level->extents[axis] = 1;
  do {
    if (level->dims == kind->info.max_dims)
      return fail(parser, parser->at, "there is one extent too many, expected at most %d for %s, as in %s",
                  (int)kind->info.max_dims, kind->info.name, kind->info.example);
    parser->at++;
    if (!parse_extent(parser, &level->extents[level->dims])) return false;
    level->dims++;
  } while (*parser->at == 'x');
  if (level->dims >= kind->info.min_dims) return true;
  if (*parser->at && *parser->at != '*') return fail_expected(parser, "'x' and another extent");
  return fail(parser, parser->at, "%s has %d extents, as in %s", kind->info.name, (int)kind->info.min_dims,
              kind->info.example);
}

static bool fail_size(const Parser *parser, const char *at, const TgLevel *level, const char *most) {
  const TgNetworkKindInfo *info = tg_network_kind_info(level->kind);
  return fail(parser, at, "the network grows beyond %s (%s: %s)", most, info->name, info->summary);
}

bool tg_topology_parse(TgTopology *topology, const char *text, TgError *error) {
  Parser parser = {text, text, error};
  TgTopology parsed = {0};
  for (;; parser.at++) {
    TgLevel level = {0};
    const char *first = parser.at;
    if (parsed.levels > 0 && tg_level_kind(&parsed.level[parsed.levels - 1])->is_outermost)
      return fail(&parser, first - 1, "%s must be the outermost level, as in %s",
                  tg_network_kind_info(parsed.level[parsed.levels - 1].kind)->name,
                  tg_network_kind_info(parsed.level[parsed.levels - 1].kind)->example);
    if (parsed.levels == TG_MAX_LEVELS) return fail(&parser, first, "there is a fourth level, expected at most three");
    if (!parse_level(&parser, &level)) return false;
    const char *most = topology_add_level(&parsed, &level);
    if (most) return fail_size(&parser, first, &level, most);
    if (*parser.at != '*') break;
  }
  if (*parser.at) return fail_expected(&parser, "'x' and another extent, '*' and the next level, or the end");
  *topology = parsed;
  return true;
}

bool tg_topology_init(TgTopology *topology, TgNetworkKind kind, int dims, const int32_t *extents, TgError *error) {
  TgTopology built = {0};
  TgLevel level = {.kind = (int32_t)kind, .dims = dims, .extents = {1, 1, 1, 1}};
  const TgNetworkKindRow *row = tg_level_kind(&level);
  if (dims < row->info.min_dims || dims > row->info.max_dims)
    return tg_error_set(error, 0, 0, "%s has %d to %d extents, not %d", row->info.name, (int)row->info.min_dims,
                        (int)row->info.max_dims, dims);
  for (int axis = 0; axis < dims; axis++) {
    level.extents[axis] = extents[axis];
    if (extents[axis] < 1 || extents[axis] > TG_MAX_PROCESSORS)
      return tg_error_set(error, 0, 0, "extent %d of %s is %d, expected 1 to %d", axis + 1, row->info.name,
                          (int)extents[axis], TG_MAX_PROCESSORS);
  }
  const char *most = topology_add_level(&built, &level);
  if (most) return tg_error_set(error, 0, 0, "%s would have more than %s", row->info.name, most);
  *topology = built;
  return true;
}

bool tg_network_kind_parse(const char *name, TgNetworkKind *kind) {
  for (int k = 0; k < TG_NETWORK_KINDS; k++) {
    if (strcmp(tg_network_kind_info(k)->name, name) != 0) continue;
    *kind = (TgNetworkKind)k;
    return true;
  }
  return false;
}

bool tg_topology_of_kind(TgTopology *topology, TgNetworkKind kind, int dims, const int32_t *extents, TgError *error) {
  const TgNetworkKindRow *row = tg_network_kinds[kind];
  TgLevel level = {.dims = 1, .extents = {1, 1, 1, 1}};
  int64_t processors = 1;
  if (row->info.is_grid) return tg_topology_init(topology, kind, dims, extents, error);
  if (row->info.min_dims > 1)
    return tg_error_set(error, 0, 0, "%s: give the whole network, as in %s", row->info.name, row->info.example);
  for (int axis = 0; axis < dims && processors <= TG_MAX_PROCESSORS; axis++) processors *= extents[axis];
  if (!row->info.sizes) level.extents[0] = (int32_t)processors;
  while (row->info.sizes && row->nodes(&level) < processors) level.extents[0]++;
  return tg_topology_init(topology, kind, 1, level.extents, error);
}

bool tg_topology_of_grid(TgTopology *topology, int dims, const int32_t *extents, TgError *error) {
  return tg_topology_init(topology, dims == 1 ? TG_RING : TG_TORUS, dims, extents, error);
}

/* `topology` is the least that has enough nodes. */
static bool refuse_kind(const TgTopology *topology, const TgNetworkKindInfo *info, int64_t processors, TgError *error) {
  char least[TG_TOPOLOGY_TEXT_BYTES];
  tg_topology_format(topology, least, sizeof least);
  return tg_error_set(error, 0, 0, "%s: the grid has %lld processors, not a %s; give the whole network, as in %s",
                      info->name, (long long)processors, info->sizes, least);
}

bool tg_topology_for_grid(TgTopology *topology, const char *text, int dims, const int32_t *extents, TgError *error) {
  TgNetworkKind kind;
  int64_t processors = 1;
  if (!text) return tg_topology_of_grid(topology, dims, extents, error);
  if (!tg_network_kind_parse(text, &kind)) return tg_topology_parse(topology, text, error);
  if (!tg_topology_of_kind(topology, kind, dims, extents, error)) return false;
  for (int axis = 0; axis < dims; axis++) processors *= extents[axis];
  return topology->nodes == processors || processors == 1 ||
         refuse_kind(topology, tg_network_kind_info((int)kind), processors, error);
}

int tg_topology_format(const TgTopology *topology, char *text, size_t bytes) {
  size_t length = 0;
  for (int l = 0; l < topology->levels; l++) {
    const TgLevel *level = &topology->level[l];
    for (int axis = -1; axis < level->dims; axis++) {
      char *end = length < bytes ? text + length : NULL;
      size_t left = length < bytes ? bytes - length : 0;
      int wrote = axis < 0 ? snprintf(end, left, "%s%s", l ? "*" : "", tg_network_kind_info(level->kind)->name)
                           : snprintf(end, left, "%c%d", axis ? 'x' : ':', (int)level->extents[axis]);
      length += (size_t)wrote;
    }
  }
  return (int)length;
}
