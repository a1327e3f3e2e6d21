#include "program.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { FIRST_PAUSE_US = 1000, LONGEST_PAUSE_US = 50000, PATIENCE_US = 2000000 };

/* In the child, before it becomes the program: it is told to end where this program is killed. */
static void follow_parent(gpointer parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != GPOINTER_TO_INT(parent)) _exit(1);
#else
  (void)parent;
#endif
}

static gboolean fail(const char *what, GError **error) {
  const int number = errno;
  g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(number), "%s: %s", what, g_strerror(number));
  return FALSE;
}

int tg_program_file(GError **error) {
  g_autofree char *path = NULL;
  const int file = g_file_open_tmp("topogemm-XXXXXX", &path, error);
  if (file >= 0) g_unlink(path);
  return file;
}

char *tg_program_read(int file, gsize *length, GError **error) {
  struct stat status;
  gsize filled = 0;
  if (fstat(file, &status) != 0) return fail("a temporary file", error), NULL;
  char *bytes = g_malloc0((gsize)status.st_size + 1);
  while (filled < (gsize)status.st_size) {
    const ssize_t count = pread(file, bytes + filled, (gsize)status.st_size - filled, (off_t)filled);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    filled += (gsize)count;
  }
  *length = filled;
  return bytes;
}

/* Whether it has ended by now. */
static gboolean has_ended(GPid process, int *status) {
  const pid_t ended = waitpid(process, status, WNOHANG);
  return ended == process || (ended < 0 && errno != EINTR);
}

static void end_program(GPid process) {
  int status;
  kill(process, SIGTERM);
  for (gint64 begun_us = g_get_monotonic_time(); !has_ended(process, &status); g_usleep(LONGEST_PAUSE_US))
    if (g_get_monotonic_time() - begun_us > PATIENCE_US) kill(process, SIGKILL);
}

static gboolean wait_for(const TgProgram *program, GPid process, int *status, GError **error) {
  for (gulong pause_us = FIRST_PAUSE_US; !has_ended(process, status); pause_us = MIN(2 * pause_us, LONGEST_PAUSE_US)) {
    if (!tg_watch_go_on(program->watch, program->done)) {
      end_program(process);
      g_set_error_literal(error, TG_DRAW_ERROR, TG_DRAW_ERROR_STOPPED, "stopped");
      return FALSE;
    }
    g_usleep(pause_us);
  }
  return TRUE;
}

static gboolean report(const TgProgram *program, int said, GError **error) {
  gsize length;
  g_autofree char *name = g_path_get_basename(program->words[0]);
  g_autofree char *text = tg_program_read(said, &length, NULL);
  g_autofree char *valid = text ? g_utf8_make_valid(text, (gssize)length) : g_strdup("");
  g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_RENDER, "%s failed: %s", name,
              *g_strstrip(valid) ? valid : "it does not say why");
  return FALSE;
}

static gboolean run(const TgProgram *program, int said, GError **error) {
  g_auto(GStrv) environment = g_get_environ();
  GPid process;
  int status = -1;
  if (program->folder) environment = g_environ_setenv(environment, "TMPDIR", ".", TRUE);
  if (!g_spawn_async_with_fds(program->folder, (char **)program->words, environment,
                              G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, follow_parent, GINT_TO_POINTER(getpid()),
                              &process, program->input, program->output, said, error))
    return FALSE;
  if (!wait_for(program, process, &status, error)) return FALSE;
  return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || report(program, said, error);
}

gboolean tg_program_run(const TgProgram *program, GError **error) {
  const int said = tg_program_file(error);
  if (said < 0) return FALSE;
  const gboolean fine = run(program, said, error);
  close(said);
  return fine;
}
