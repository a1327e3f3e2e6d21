/* Machine files from text: lines of `[section]`, `key = value` and comments. */
#include "machine-keys.h"

#include <math.h>
#include <string.h>

enum { MOST_KEYS = 8, MOST_SECTIONS = 8 + TG_MAX_LEVELS + TG_MACHINE_AXES, PREFIX = 3 };

/* The section that the lines below its heading belong to. */
typedef struct Place {
  const TgMachineSection *section;
  int index; /* of a numbered one; 0 of others */
} Place;

typedef struct Seen {
  Place place;
  int line;               /* of the heading */
  int key_line[MOST_KEYS]; /* 0: not given */
} Seen;

typedef struct Reader {
  TgMachine *machine;
  TgError *error;
  const char *line_text; /* of the line that is read */
  int line;
  int sections;
  Seen seen[MOST_SECTIONS];
} Reader;

static bool fail_at(const Reader *reader, int line, const char *at, const char *message) {
  int column = 1;
  for (const char *c = reader->line_text; at && c < at; c++) column += ((unsigned char)*c & 0xc0) != 0x80;
  return tg_error_set(reader->error, line, at ? column : 0, "%s", message);
}

static bool fail(const Reader *reader, const char *at, const char *format, ...) TG_PRINTF(3, 4);
static bool fail(const Reader *reader, const char *at, const char *format, ...) {
  char message[sizeof reader->error->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return fail_at(reader, reader->line, at, message);
}
