/** @file output-files.h
 * The files that a command is to write: those of its options, as the options' table has them, and what is derived from
 * those. */
#ifndef TG_OUTPUT_FILES_H
#define TG_OUTPUT_FILES_H

#include "cli.h"

/** Refuses an output that is a file which the command reads (an option's, a schedule, standard input), or which another
 * output is, too: links are followed, and a hard link is the same file. Devices and pipes may be shared. Asked for
 * every subcommand before it begins, with `derived` NULL; a subcommand whose outputs have names that the command line
 * does not say asks again with those, NULL-terminated. */
TgExit tg_output_files_distinct(const TgCli *cli, const char *const *derived);
/** Refuses a --trace that does not end in .json, and what could not be written: asked before what takes long. */
TgExit tg_output_files_check(const TgCli *cli);

#endif
