/** @file output-files.h
 * The files that a command is to write: those of its options, as the options' table has them, and what is derived from
 * those. */
#ifndef TG_OUTPUT_FILES_H
#define TG_OUTPUT_FILES_H

#include "cli.h"

#include "atomic-file.h"
#include "matrix.h"

/** Refuses an output that is a file which the command reads (an option's, a schedule, standard input), or which another
 * output is, too: links are followed, and a hard link is the same file. Devices and pipes may be shared. Asked for
 * every subcommand before it begins, with `derived` NULL; a subcommand whose outputs have names that are not on the
 * command line asks again with those, NULL-terminated. */
TgExit tg_output_files_distinct(const TgCli *cli, const char *const *derived);
/** Refuses a --trace that does not end in .json, and what could not be written: asked before what takes long. */
TgExit tg_output_files_check(const TgCli *cli);

/** Writes `size` bytes to a file that appears when the subcommand has ended with a result, together with all others
 * that were written so, or not at all. */
TgExit tg_output_file_write(TgCli *cli, const char *path, const char *bytes, size_t size);
/** Writes C to the file of --c, if there is that option, and reports it at the end. */
TgExit tg_output_file_c(TgCli *cli, const TgMatrix *c);
/** The same where C has been written already: takes the file. */
void tg_output_file_keep_c(TgCli *cli, TgAtomicFile *file);
/** What is printed once the files are there; takes it. */
void tg_output_files_say(TgCli *cli, char *text);
/** Gives the files that were begun their names, all or none, and prints their messages. */
TgExit tg_output_files_commit(TgCli *cli);
/** Frees what was begun; what has no name by now never gets one. */
void tg_output_files_clear(TgCli *cli);

#endif
