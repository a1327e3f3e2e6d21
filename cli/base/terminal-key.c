/* Bytes of a terminal as keys: xterm's sequences, those of the Linux console and of rxvt. */
#include "terminal.h"

#include <string.h>

static const struct {
  const char *bytes;
  unsigned key;
} sequences[] = {
    {"\033[C", TG_KEY_RIGHT},    {"\033OC", TG_KEY_RIGHT},      {"\033[D", TG_KEY_LEFT},  {"\033OD", TG_KEY_LEFT},
    {"\033[A", TG_KEY_UP},       {"\033OA", TG_KEY_UP},         {"\033[B", TG_KEY_DOWN},  {"\033OB", TG_KEY_DOWN},
    {"\033[H", TG_KEY_HOME},     {"\033OH", TG_KEY_HOME},       {"\033[1~", TG_KEY_HOME}, {"\033[7~", TG_KEY_HOME},
    {"\033[F", TG_KEY_END},      {"\033OF", TG_KEY_END},        {"\033[4~", TG_KEY_END},  {"\033[8~", TG_KEY_END},
    {"\033[5~", TG_KEY_PAGE_UP}, {"\033[6~", TG_KEY_PAGE_DOWN}, {"\r", TG_KEY_ENTER},     {"\n", TG_KEY_ENTER},
    {"\177", TG_KEY_ERASE},      {"\b", TG_KEY_ERASE},
};

/* A sequence that is not in the table ends with a letter or ~ (ECMA-48, 5.4); it is taken whole, so that its tail is no
 * key. */
static unsigned skip_sequence(const char *bytes, size_t length, size_t *used) {
  size_t at = 2;
  if (length == 1) return 0;
  if (bytes[1] != '[' && bytes[1] != 'O') {
    *used = 1;
    return TG_KEY_ESCAPE;
  }
  while (at < length && (unsigned char)bytes[at] >= 0x20 && (unsigned char)bytes[at] < 0x40) at++;
  if (at == length) return 0;
  *used = at + 1;
  return TG_KEY_OTHER;
}

static unsigned character(const char *bytes, size_t length, size_t *used) {
  gunichar c = g_utf8_get_char_validated(bytes, (gssize)length);
  if (c == (gunichar)-2) return 0;
  *used = c == (gunichar)-1 ? 1 : (size_t)(g_utf8_next_char(bytes) - bytes);
  return c == (gunichar)-1 || g_unichar_iscntrl(c) || c == 0 ? TG_KEY_OTHER : c;
}

unsigned tg_terminal_decode(const char *bytes, size_t length, size_t *used) {
  *used = 0;
  if (length == 0) return 0;
  for (size_t s = 0; s < G_N_ELEMENTS(sequences); s++) {
    size_t size = strlen(sequences[s].bytes);
    if (size > length || memcmp(sequences[s].bytes, bytes, size) != 0) continue;
    *used = size;
    return sequences[s].key;
  }
  return bytes[0] == '\033' ? skip_sequence(bytes, length, used) : character(bytes, length, used);
}
