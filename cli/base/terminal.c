#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* --- bytes as keys: xterm's sequences, those of the Linux console and of rxvt ------------------------------------- */

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

/* Reads one key from the first of `length` bytes (`used` of them); 0 where more bytes must come. */
static unsigned terminal_decode(const char *bytes, size_t length, size_t *used) {
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

enum { ESCAPE_MS = 50, BUFFER = 64 }; /* a lone Escape is one after which nothing follows for so long */

static const char enter_text[] = "\033[?1049h\033[?25l\033[2J", leave_text[] = "\033[0m\033[?25h\033[?1049l";

/* --- the screen --------------------------------------------------------------------------------------------------- */

static const int told[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH},
                 deadly[] = {SIGABRT, SIGSEGV, SIGBUS,    SIGFPE,  SIGILL,  SIGTRAP, SIGSYS, SIGUSR1,
                             SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGIO};

/* Global, because a signal's handler and atexit() know nothing else. */
static struct {
  struct termios before;
  volatile sig_atomic_t entered, ending;
  int pipe[2]; /* signals come out of it as bytes */
  struct sigaction old_told[G_N_ELEMENTS(told)], old_deadly[G_N_ELEMENTS(deadly)];
  char buffer[BUFFER]; /* bytes that are no whole key yet */
  size_t filled;
} terminal = {.pipe = {-1, -1}};

/* Only what a signal's handler may call (POSIX, 2.4.3). */
static bool write_all(const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = write(STDOUT_FILENO, text, length);
    if (written < 0 && errno == EAGAIN) {
      struct pollfd wait = {.fd = STDOUT_FILENO, .events = POLLOUT};
      poll(&wait, 1, 1000);
      continue;
    }
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text += written, length -= (size_t)written;
  }
  return true;
}

static void restore(void) {
  if (!terminal.entered) return;
  terminal.entered = 0;
  write_all(leave_text, sizeof leave_text - 1);
  tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

static void on_deadly(int number) {
  restore();
  for (size_t s = 0; s < G_N_ELEMENTS(deadly); s++)
    if (deadly[s] == number) sigaction(number, &terminal.old_deadly[s], NULL);
  raise(number);
}

static bool is_ending(int number) {
  return number != SIGTSTP && number != SIGCONT && number != SIGWINCH;
}

/* The second signal to end does so at once: the first may wait behind a long step. */
static void on_told(int number) {
  int saved = errno;
  char byte = (char)number;
  bool ends = is_ending(number);
  if (ends && terminal.ending) {
    tg_terminal_leave();
    raise(number);
  }
  if (ends) terminal.ending = number;
  if (write(terminal.pipe[1], &byte, 1) < 0) errno = saved; /* full: there is enough to do */
  errno = saved;
}

static void handle(const int *signals, size_t count, void (*handler)(int), struct sigaction *old) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (size_t s = 0; s < count; s++) {
    sigaction(signals[s], &action, &old[s]);
    if (old[s].sa_handler == SIG_IGN) sigaction(signals[s], &old[s], NULL); /* it ends nothing */
  }
}

static void unhandle(const int *signals, size_t count, const struct sigaction *old) {
  for (size_t s = 0; s < count; s++) sigaction(signals[s], &old[s], NULL);
}

bool tg_terminal_usable(void) {
  const char *name = g_getenv("TERM");
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && name && *name && strcmp(name, "dumb") != 0;
}

/* Signals of the keyboard stay on: Ctrl-C and Ctrl-Z come as to any program. */
static bool take_screen(void) {
  struct termios raw = terminal.before;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
  raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  terminal.entered = 1;
  if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0 && write_all(enter_text, sizeof enter_text - 1)) return true;
  restore();
  return false;
}

static bool open_pipe(void) {
  if (terminal.pipe[0] >= 0) return true;
  if (pipe(terminal.pipe) != 0) return false;
  for (int end = 0; end < 2; end++) {
    fcntl(terminal.pipe[end], F_SETFL, O_NONBLOCK);
    fcntl(terminal.pipe[end], F_SETFD, FD_CLOEXEC);
  }
  return atexit(restore) == 0;
}

bool tg_terminal_enter(void) {
  terminal.filled = 0;
  terminal.ending = 0;
  if (!open_pipe() || tcgetattr(STDIN_FILENO, &terminal.before) != 0) return false;
  handle(told, G_N_ELEMENTS(told), on_told, terminal.old_told);
  handle(deadly, G_N_ELEMENTS(deadly), on_deadly, terminal.old_deadly);
  if (take_screen()) return true;
  tg_terminal_leave();
  return false;
}

void tg_terminal_leave(void) {
  restore();
  unhandle(told, G_N_ELEMENTS(told), terminal.old_told);
  unhandle(deadly, G_N_ELEMENTS(deadly), terminal.old_deadly);
}

static void stop(void) {
  struct sigaction ours, plain = {.sa_handler = SIG_DFL};
  restore();
  sigemptyset(&plain.sa_mask);
  sigaction(SIGTSTP, &plain, &ours);
  raise(SIGTSTP);
  sigaction(SIGTSTP, &ours, NULL);
}

/* After a stop that no handler saw (SIGSTOP), a shell has set modes of its own: those are to be restored then. */
static unsigned go_on(void) {
  struct termios now;
  bool theirs = tcgetattr(STDIN_FILENO, &now) == 0 && (now.c_lflag & ICANON);
  if (theirs) terminal.before = now;
  if ((theirs || !terminal.entered) && !take_screen()) return TG_KEY_GONE;
  return TG_KEY_RESIZE;
}

int tg_terminal_ending(void) {
  return terminal.ending;
}

void tg_terminal_go_on(void) {
  terminal.ending = 0;
}

void tg_terminal_obey(void) {
  const int number = terminal.ending;
  if (!number) return;
  tg_terminal_leave();
  raise(number);
}

/* A signal that was forgotten is still in the pipe. */
static unsigned obey(int number) {
  if (number == SIGWINCH || (is_ending(number) && !terminal.ending)) return TG_KEY_RESIZE;
  if (number == SIGTSTP) stop();
  if (number == SIGTSTP || number == SIGCONT) return go_on();
  tg_terminal_obey();
  return TG_KEY_GONE;
}

/* A key of what was read; with `all`, an Escape at the end is the key. */
static unsigned take_key(bool all) {
  size_t used = 0;
  unsigned key = terminal_decode(terminal.buffer, terminal.filled, &used);
  if (!key && terminal.filled && (all || terminal.filled == BUFFER)) {
    key = terminal.buffer[0] == '\033' ? TG_KEY_ESCAPE : TG_KEY_OTHER;
    used = terminal.filled;
  }
  terminal.filled -= used;
  memmove(terminal.buffer, terminal.buffer + used, terminal.filled);
  return key;
}

static bool read_bytes(void) {
  ssize_t count = read(STDIN_FILENO, terminal.buffer + terminal.filled, BUFFER - terminal.filled);
  if (count > 0) terminal.filled += (size_t)count;
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

unsigned tg_terminal_key(int wait_ms) {
  for (;;) {
    char number;
    tg_terminal_obey(); /* before keys that were typed ahead */
    unsigned key = take_key(false);
    if (key) return key;
    struct pollfd wait[2] = {{.fd = terminal.pipe[0], .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
    int ready = poll(wait, 2, terminal.filled ? ESCAPE_MS : wait_ms);
    if (ready < 0 && errno != EINTR) return TG_KEY_GONE;
    if (ready == 0 && terminal.filled) return take_key(true);
    if (ready == 0) return TG_KEY_NONE;
    if (ready > 0 && read(terminal.pipe[0], &number, 1) == 1) return obey(number);
    if (ready > 0 && (wait[1].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) && !read_bytes()) return TG_KEY_GONE;
  }
}

void tg_terminal_size(int *rows, int *columns) {
  struct winsize size;
  bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  *rows = known && size.ws_row > 0 ? size.ws_row : 24;
  *columns = known && size.ws_col > 0 ? size.ws_col : 80;
}

void tg_terminal_note(const char *text) {
  int rows, columns;
  if (!terminal.entered) return;
  tg_terminal_size(&rows, &columns);
  g_autofree char *line = g_strdup_printf("\033[%d;1H\033[0m\033[K%.*s", rows, columns - 1, text);
  write_all(line, strlen(line));
}

/* Each row is cleared before its text rather than the screen before all of them, so that nothing flickers; behind a
 * text that fills the row the cursor stands on its last sign, and would clear that. */
bool tg_terminal_show(const char *rows) {
  g_autoptr(GString) text = g_string_new("\033[H\033[K");
  for (const char *at = rows; *at; at++) {
    if (*at != '\n')
      g_string_append_c(text, *at);
    else if (at[1])
      g_string_append(text, "\r\n\033[K");
  }
  return write_all(text->str, text->len);
}
