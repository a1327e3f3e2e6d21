/* The table of subcommands, in the order of the help text. A new one is a file and a row. */
#include "cli.h"

#include <string.h>

const TgCommand *const tg_commands[] = {
    &tg_command_list,
    &tg_command_show,
    &tg_command_verify,
    &tg_command_step,
    &tg_command_draw,
    &tg_command_topo,
    &tg_command_sim,
    &tg_command_run,
    &tg_command_calibrate,
    &tg_command_compare,
    &tg_command_plan,
    &tg_command_shard,
    &tg_command_bench,
    &tg_command_export,
    &tg_command_trace,
    &tg_command_huge,
    &tg_command_generate,
    &tg_command_convert,
    &tg_command_check,
    &tg_command_mutate,
    &tg_command_exercise,
    &tg_command_grade,
    NULL,
};

const TgCommand *tg_command_find(const char *name) {
  for (const TgCommand *const *command = tg_commands; *command; command++)
    if (strcmp((*command)->name, name) == 0) return *command;
  return NULL;
}
