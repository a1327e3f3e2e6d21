/* Run when topogemm is built: topogemm-manual man [SUBCOMMAND] | bash | zsh | fish. Prints to standard output. */
#include "manual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  TgCli cli = {0};
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "man") != 0) return tg_completion_print(what) ? EXIT_SUCCESS : EXIT_FAILURE;
  const TgCommand *command = argc > 2 ? tg_command_find(argv[2]) : NULL;
  if (argc > 2 && !command) {
    fprintf(stderr, "topogemm-manual: no subcommand %s; see cli/manual/meson.build\n", argv[2]);
    return EXIT_FAILURE;
  }
  tg_manual_print(&cli, command);
  return EXIT_SUCCESS;
}
