/** @file manual.h
 * What is written from the tables of subcommands and options when topogemm is built: manual pages, and the files by
 * which shells complete its words. */
#ifndef TG_MANUAL_H
#define TG_MANUAL_H

#include "cli.h"

/** Prints the manual page of a subcommand in roff with the macros of man(7); NULL: that of the program. */
void tg_manual_print(TgCli *cli, const TgCommand *command);

/** Words that may stand for an option's value or an argument. */
typedef struct TgCompletion {
  char *words; /**< separated by spaces; owned */
  bool files;  /**< also, or only, names of files and folders */
} TgCompletion;

TgCompletion tg_completion_of_option(const char *row);
TgCompletion tg_completion_of_arguments(const TgCommand *command);

/** Prints the completion file of "bash", "zsh" or "fish". */
bool tg_completion_print(const char *shell);

#endif
