#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { LONGEST_PAUSE_MS = 50, PATIENCE_US = 2000000 };

/* In the child, before it becomes the program: it is told to end where this program is killed. */
static void follow_parent(gpointer parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != GPOINTER_TO_INT(parent)) _exit(1);
#else
  (void)parent;
#endif
}

typedef struct Pipe {
  int read, write; /* -1 where closed */
  GByteArray *bytes;
} Pipe;

static void close_end(int *descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

static void pipe_clear(Pipe *pipe) {
  close_end(&pipe->read);
  close_end(&pipe->write);
  g_clear_pointer(&pipe->bytes, g_byte_array_unref);
}

static gboolean pipe_open(Pipe *new, GError **error) {
  int ends[2];
  *new = (Pipe){-1, -1, g_byte_array_new()};
  if (!g_unix_open_pipe(ends, FD_CLOEXEC, error)) return FALSE;
  new->read = ends[0];
  new->write = ends[1];
  return g_unix_set_fd_nonblocking(new->read, TRUE, error);
}

/* Takes what is there by now. */
static void pipe_drain(Pipe *pipe) {
  guint8 piece[16384];
  ssize_t count = 1;
  while (pipe->read >= 0 && (count = read(pipe->read, piece, sizeof piece)) > 0)
    g_byte_array_append(pipe->bytes, piece, (guint)count);
  if (count == 0) close_end(&pipe->read);
}

/* What the program writes. */
typedef struct Written {
  Pipe output, error;
} Written;

static void written_clear(Written *written) {
  pipe_clear(&written->output);
  pipe_clear(&written->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Written, written_clear)

/* Waits for more of it, and not for long. */
static void written_wait(Written *written, int pause_ms) {
  GPollFD waiting[] = {{.fd = written->output.read, .events = G_IO_IN}, {.fd = written->error.read, .events = G_IO_IN}};
  if (written->output.read < 0 && written->error.read < 0)
    g_usleep((gulong)pause_ms * 1000);
  else
    g_poll(waiting, G_N_ELEMENTS(waiting), pause_ms);
  pipe_drain(&written->output);
  pipe_drain(&written->error);
}

/* Whether it has ended by now. */
static gboolean has_ended(GPid process, int *status) {
  const pid_t ended = waitpid(process, status, WNOHANG);
  return ended == process || (ended < 0 && errno != EINTR);
}

static void end_program(GPid process) {
  int status;
  kill(process, SIGTERM);
  for (gint64 begun_us = g_get_monotonic_time(); !has_ended(process, &status); g_usleep(LONGEST_PAUSE_MS * 1000))
    if (g_get_monotonic_time() - begun_us > PATIENCE_US) kill(process, SIGKILL);
}

static gboolean wait_for(const TgProgram *program, GPid process, Written *written, int *status, GError **error) {
  for (int pause_ms = 1; !has_ended(process, status); pause_ms = MIN(2 * pause_ms, LONGEST_PAUSE_MS)) {
    if (!tg_watch_go_on(program->watch, program->done)) {
      end_program(process);
      return TG_DRAW_FAIL(error, STOPPED, "stopped");
    }
    written_wait(written, pause_ms);
  }
  written_wait(written, 0);
  return TRUE;
}

/* GLib's messages end with the system's reason. */
gboolean tg_program_no_temporary(const char *what, GError *reason, GError **error) {
  const char *colon = strrchr(reason->message, ':');
  g_set_error(error, G_FILE_ERROR, reason->code,
              "cannot write %s in %s, the folder for temporary files:%s; set TMPDIR to a folder with enough space",
              what, g_get_tmp_dir(), colon ? colon + 1 : reason->message);
  g_error_free(reason);
  return FALSE;
}

static GBytes *report(const TgProgram *program, const GByteArray *said, GError **error) {
  g_autofree char *name = g_path_get_basename(program->words[0]);
  g_autofree char *valid = said->len ? g_utf8_make_valid((const char *)said->data, (gssize)said->len) : g_strdup("");
  g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_RENDER, "%s failed: %s", name,
              *g_strstrip(valid) ? valid : "no reason given");
  return NULL;
}

GBytes *tg_program_run(const TgProgram *program, GError **error) {
  g_auto(GStrv) environment = g_get_environ();
  g_auto(Written) written = {{-1, -1, NULL}, {-1, -1, NULL}};
  GPid process;
  int status = -1;
  if (program->folder) environment = g_environ_setenv(environment, "TMPDIR", ".", TRUE);
  if (!pipe_open(&written.output, error) || !pipe_open(&written.error, error)) return NULL;
  if (!g_spawn_async_with_fds(program->folder, (char **)program->words, environment,
                              G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, follow_parent, GINT_TO_POINTER(getpid()),
                              &process, program->input, written.output.write, written.error.write, error))
    return NULL;
  close_end(&written.output.write);
  close_end(&written.error.write);
  if (!wait_for(program, process, &written, &status, error)) return NULL;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return report(program, written.error.bytes, error);
  return g_byte_array_free_to_bytes(g_steal_pointer(&written.output.bytes));
}
