/* Machine files from text: lines of `[section]`, `key = value` and comments. */
#include "machine-keys.h"
#include "suggestion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SECTIONS = 9 + TG_MAX_LEVELS + TG_MACHINE_AXES, WORDS_BYTES = 256 };

/* A section that the text has. */
typedef struct Seen {
  const TgMachineSection *section;
  int index;                          /* of a numbered one; 0 of others */
  int line;                           /* of its heading */
  int key_line[TG_MACHINE_MOST_KEYS]; /* 0: not given */
} Seen;

typedef struct Reader {
  TgMachine *machine;
  TgError *error;
  const char *begin; /* of the line that is read */
  int line;
  int sections;
  Seen seen[MOST_SECTIONS];
} Reader;

static bool fail(const Reader *reader, const char *at, const char *format, ...) TG_PRINTF(3, 4);
static bool fail(const Reader *reader, const char *at, const char *format, ...) {
  char message[sizeof reader->error->message];
  int column = 1;
  for (const char *c = reader->begin; c < at; c++) column += ((unsigned char)*c & 0xc0) != 0x80;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return tg_error_set(reader->error, reader->line, column, "%s", message);
}

/* How many letters two names have in common at their beginnings; people forget units and mistype ends. */
static int likeness(TgSpan span, const char *word) {
  size_t same = 0;
  while (same < span.length && word[same] && g_ascii_tolower(span.text[same]) == word[same]) same++;
  return (int)same;
}

static void section_name(const TgMachineSection *section, int index, char name[32]) {
  if (section->count)
    snprintf(name, 32, "[%s.%d]", section->name, index);
  else
    snprintf(name, 32, "[%s]", section->name);
}

static int *given_of(const Reader *reader, const Seen *seen) {
  return (int *)((char *)reader->machine + seen->section->offset + (size_t)seen->index * seen->section->stride);
}

/* ---- headings ---- */

static const char *nearest_section(TgSpan name) {
  TgSuggestion meant = tg_suggestion_for(name.text, name.length);
  const char *alike = NULL;
  int most = 2;
  for (const TgMachineSection *section = tg_machine_sections; section->name; section++) {
    tg_suggestion_try(&meant, section->name);
    const int same = likeness(name, section->name);
    if (same <= most) continue;
    most = same;
    alike = section->name;
  }
  return meant.nearest ? meant.nearest : alike;
}

static bool unknown_section(const Reader *reader, TgSpan name) {
  char quoted[TG_QUOTE_BYTES];
  const char *nearest = nearest_section(name);
  tg_span_quote(name, quoted);
  if (nearest) return fail(reader, name.text, "unknown section [%s]; did you mean [%s]?", quoted, nearest);
  return fail(reader, name.text,
              "unknown section [%s]; the sections are [machine], [link], [link.AXIS], [level.LEVEL], [port], "
              "[processor], [disk], [cache], [device] and [executor]",
              quoted);
}

/* The N of [name.N]; -1 where it is no number below `count`. */
static int read_index(TgSpan text, int count) {
  if (text.length < 1 || text.length > 2 || (text.length == 2 && text.text[0] == '0')) return -1;
  int index = 0;
  for (size_t i = 0; i < text.length; i++) {
    if (!g_ascii_isdigit(text.text[i])) return -1;
    index = index * 10 + (text.text[i] - '0');
  }
  return index < count ? index : -1;
}

static bool find_section(const Reader *reader, TgSpan name, Seen *seen) {
  const char *dot = memchr(name.text, '.', name.length);
  const TgSpan word = {name.text, dot ? (size_t)(dot - name.text) : name.length};
  const TgMachineSection *numbered = NULL;
  for (const TgMachineSection *section = tg_machine_sections; section->name; section++) {
    if (!tg_span_is(word, section->name)) continue;
    if (section->count) numbered = section;
    if ((dot != NULL) != (section->count > 0)) continue;
    *seen = (Seen){.section = section, .line = reader->line};
    if (dot) seen->index = read_index((TgSpan){dot + 1, name.length - word.length - 1}, section->count);
    if (seen->index >= 0) return true;
  }
  if (!numbered) return unknown_section(reader, name);
  return fail(reader, word.text + word.length, "[%s.N] needs the number of %s for N, from 0 to %d, as in [%s.0]",
              numbered->name, tg_span_is(word, "link") ? "an axis" : "a level", numbered->count - 1, numbered->name);
}

static bool read_heading(Reader *reader, TgSpan line) {
  if (line.text[line.length - 1] != ']')
    return fail(reader, line.text, "a [section] without its closing bracket; write ] after it");
  const TgSpan name = tg_span_trim((TgSpan){line.text + 1, line.length - 2});
  Seen *seen = &reader->seen[reader->sections], now;
  char text[32];
  if (!find_section(reader, name, &now)) return false;
  for (const Seen *earlier = reader->seen; earlier < seen; earlier++) {
    if (earlier->section != now.section || earlier->index != now.index) continue;
    section_name(now.section, now.index, text);
    return fail(reader, line.text, "%s appears twice, first in line %d; put all its keys there", text, earlier->line);
  }
  *seen = now;
  reader->sections++;
  return true;
}

/* ---- keys ---- */

static const TgMachineKey *find_key(const TgMachineKey *keys, TgSpan name) {
  for (const TgMachineKey *key = keys; key->name; key++)
    if (tg_span_is(name, key->name)) return key;
  return NULL;
}

static const char *nearest_key(const TgMachineKey *keys, TgSpan name) {
  TgSuggestion meant = tg_suggestion_for(name.text, name.length);
  const char *alike = NULL;
  int most = 2;
  for (const TgMachineKey *key = keys; key->name; key++) {
    tg_suggestion_try(&meant, key->name);
    const int same = likeness(name, key->name);
    if (same <= most) continue;
    most = same;
    alike = key->name;
  }
  return meant.nearest ? meant.nearest : alike;
}

static void list_keys(const TgMachineKey *keys, char words[WORDS_BYTES]) {
  size_t used = 0;
  for (const TgMachineKey *key = keys; key->name && used < WORDS_BYTES; key++)
    used += (size_t)snprintf(words + used, WORDS_BYTES - used, "%s%s",
                             key == keys   ? ""
                             : key[1].name ? ", "
                                           : " and ",
                             key->name);
}

static bool unknown_key(const Reader *reader, const Seen *seen, TgSpan name) {
  char quoted[TG_QUOTE_BYTES], section[32], words[WORDS_BYTES];
  tg_span_quote(name, quoted);
  section_name(seen->section, seen->index, section);
  for (const TgMachineSection *other = tg_machine_sections; other->name; other++)
    if (find_key(other->keys, name))
      return fail(reader, name.text, "unknown key `%s` in %s; it belongs in [%s]", quoted, section, other->name);
  const char *nearest = nearest_key(seen->section->keys, name);
  if (nearest) return fail(reader, name.text, "unknown key `%s` in %s; did you mean `%s`?", quoted, section, nearest);
  list_keys(seen->section->keys, words);
  return fail(reader, name.text, "unknown key `%s` in %s; its keys are %s", quoted, section, words);
}

static bool read_key(Reader *reader, TgSpan line) {
  char quoted[TG_QUOTE_BYTES];
  const char *sign = memchr(line.text, '=', line.length), *at = line.text;
  if (!sign || sign == line.text)
    return fail(reader, at, "`%s` is neither a [section] nor key = value; write # before a comment",
                tg_span_quote(line, quoted));
  const TgSpan name = tg_span_trim((TgSpan){line.text, (size_t)(sign - line.text)});
  const TgSpan value = tg_span_trim((TgSpan){sign + 1, line.length - (size_t)(sign + 1 - line.text)});
  if (!reader->sections)
    return fail(reader, at, "`%s` comes before the first section; write [machine] or its section above it",
                tg_span_quote(name, quoted));
  Seen *seen = &reader->seen[reader->sections - 1];
  const TgMachineKey *key = find_key(seen->section->keys, name);
  if (!key) return unknown_key(reader, seen, name);
  const int bit = (int)(key - seen->section->keys);
  if (seen->key_line[bit])
    return fail(reader, at, "%s is given twice, first in line %d; keep one of them", key->name, seen->key_line[bit]);
  int32_t *given = given_of(reader, seen);
  TgError wrong = {0};
  if (!tg_machine_value(key, value, (char *)given + key->offset, &at, &wrong))
    return fail(reader, at, "%s", wrong.message);
  seen->key_line[bit] = reader->line;
  *given |= 1 << bit;
  return true;
}

/* ---- the whole ---- */

/* A line without its comment, which begins the line or follows a blank or an equals sign. */
static TgSpan without_comment(TgSpan line) {
  for (size_t i = 0; i < line.length; i++)
    if (line.text[i] == '#' && (i == 0 || line.text[i - 1] == '=' || g_ascii_isspace(line.text[i - 1])))
      return (TgSpan){line.text, i};
  return line;
}

/* Neither control characters, which a terminal may obey, nor what no XML may hold. */
static bool check_characters(const Reader *reader, TgSpan line) {
  for (const char *at = line.text; at < line.text + line.length; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    if ((g_unichar_iscntrl(c) && c != '\t') || c == 0xfffe || c == 0xffff)
      return fail(reader, at, "unexpected character U+%04X; remove it", (unsigned)c);
  }
  return true;
}

static bool read_line(Reader *reader, TgSpan whole) {
  const char *wrong = NULL;
  reader->line++;
  reader->begin = whole.text;
  if (reader->line == 1 && whole.length >= 3 && memcmp(whole.text, "\xef\xbb\xbf", 3) == 0)
    whole = (TgSpan){whole.text + 3, whole.length - 3}; /* the mark that some editors put before UTF-8 */
  if (!g_utf8_validate(whole.text, (gssize)whole.length, &wrong))
    return fail(reader, wrong, "unexpected byte 0x%02x, expected plain text in UTF-8", (unsigned char)*wrong);
  const TgSpan line = tg_span_trim(without_comment(whole));
  if (line.length == 0) return true;
  if (!check_characters(reader, line)) return false;
  return line.text[0] == '[' ? read_heading(reader, line) : read_key(reader, line);
}

static const Seen *find_seen(const Reader *reader, const void *place) {
  for (int i = 0; i < reader->sections; i++)
    if ((const void *)given_of(reader, &reader->seen[i]) == place) return &reader->seen[i];
  return NULL;
}

static bool check_required(const Reader *reader, const Seen *seen) {
  char section[32];
  section_name(seen->section, seen->index, section);
  for (const TgMachineKey *key = seen->section->keys; key->name && !seen->section->count; key++) {
    if (!key->required || seen->key_line[key - seen->section->keys]) continue;
    return tg_error_set(reader->error, seen->line, 1, "%s has no %s; write %s = %s or the actual value (%s)", section,
                        key->name, key->name, tg_quantities[key->kind].example, tg_quantities[key->kind].unit);
  }
  return true;
}

static const TgMachineKey *key_of(const Seen *seen, const char *name) {
  return find_key(seen->section->keys, (TgSpan){name, strlen(name)});
}

/* 0 where the key is not given. */
static int line_of(const Seen *seen, const char *key) {
  return seen->key_line[key_of(seen, key) - seen->section->keys];
}

/* Whether the other key, on which it depends, is given. */
static bool check_companion(const Reader *reader, const Seen *seen, const char *key, const char *other) {
  const int line = line_of(seen, key);
  if (!line || line_of(seen, other)) return true;
  const TgQuantity *quantity = &tg_quantities[key_of(seen, other)->kind];
  return tg_error_set(reader->error, line, 1, "%s requires %s; add it (%s, such as %s), or remove %s", key, other,
                      quantity->unit, quantity->example, key);
}

/* Rows, or columns, that products are rounded up to: by whole tiles or by rests. */
static bool check_side(const Reader *reader, const Seen *processor, const char *tile, const char *rests) {
  const int tile_line = line_of(processor, tile), rests_line = line_of(processor, rests);
  return !tile_line || !rests_line ||
         tg_error_set(reader->error, MAX(tile_line, rests_line), 1, "[processor] has both %s and %s; keep one of them",
                      tile, rests);
}

static bool check_processor(const Reader *reader, const Seen *processor) {
  const int constant = line_of(processor, "flops_per_s"), table = line_of(processor, "rate"),
            deep = line_of(processor, "deep_rate");
  if (deep && !table)
    return tg_error_set(reader->error, deep, 1,
                        "deep_rate requires rate; %s rate = 64:2e10; 512:4e11 or the actual rates, or remove deep_rate",
                        constant ? "replace flops_per_s by" : "add");
  if (!constant && !table)
    return tg_error_set(reader->error, processor->line, 1,
                        "[processor] has neither flops_per_s nor rate; write flops_per_s = 1e12 or the actual value, "
                        "or inf to leave the products out");
  if (constant && table)
    return tg_error_set(reader->error, MAX(constant, table), 1,
                        "[processor] has both flops_per_s and a table, rate; keep one of them");
  return check_companion(reader, processor, "cache_bytes", "miss_bytes_per_s") &&
         check_companion(reader, processor, "miss_bytes_per_s", "cache_bytes") &&
         check_companion(reader, processor, "miss_most_bytes", "cache_bytes") &&
         check_companion(reader, processor, "copy_s", "copy_bytes_per_s") &&
         check_side(reader, processor, "tile_rows", "rest_rows") &&
         check_side(reader, processor, "tile_columns", "rest_columns");
}

static bool check_executor(const Reader *reader) {
  const TgMachineExecutor *executor = &reader->machine->executor;
  const TgMachineFewer *fewer = &executor->speedup_with_fewer;
  const Seen *seen = find_seen(reader, executor);
  if (!fewer->rows) return true;
  if (!check_companion(reader, seen, "speedup_with_fewer", "at_once")) return false;
  return fewer->row[fewer->rows - 1].at_once < executor->at_once ||
         tg_error_set(reader->error, line_of(seen, "speedup_with_fewer"), 1,
                      "speedup_with_fewer has a row for %g, but at_once is %g; remove rows for %g or more, or correct "
                      "at_once",
                      fewer->row[fewer->rows - 1].at_once, executor->at_once, executor->at_once);
}

static bool check(const Reader *reader) {
  const TgMachine *machine = reader->machine;
  const Seen *processor = find_seen(reader, &machine->processor);
  for (int i = 0; i < reader->sections; i++)
    if (!check_required(reader, &reader->seen[i])) return false;
  if (!find_seen(reader, &machine->link))
    return tg_error_set(reader->error, MAX(reader->line, 1), 1,
                        "there is no [link]; write one with latency_s and bandwidth_bytes_per_s");
  if (!processor)
    return tg_error_set(
        reader->error, MAX(reader->line, 1), 1,
        "there is no [processor]; write one with flops_per_s = 1e12 or the actual value, or inf to leave the "
        "products out");
  return check_processor(reader, processor) && check_executor(reader);
}

static void set_defaults(TgMachine *machine) {
  memset(machine, 0, sizeof *machine);
  machine->processor.memory_bytes = INFINITY;
  for (int kind = 0; kind < TG_TIER_KINDS; kind++) machine->tier[kind].capacity_bytes = INFINITY;
}

bool tg_machine_parse(TgMachine *machine, const char *text, size_t length, TgError *error) {
  Reader reader = {.machine = machine, .error = error};
  set_defaults(machine);
  for (size_t at = 0; at < length;) {
    const char *newline = memchr(text + at, '\n', length - at);
    const size_t line = newline ? (size_t)(newline - text) - at : length - at;
    if (!read_line(&reader, (TgSpan){text + at, line})) return false;
    at += line + 1;
  }
  return check(&reader);
}
