/** @file output-files.h
 * The files that a command is to write: -o, --trace and --c. */
#ifndef TG_OUTPUT_FILES_H
#define TG_OUTPUT_FILES_H

#include "cli.h"

/** Refuses one file for two of them, which would have the last one only, and one that the command reads: --a, --b,
 * --machine, a schedule. Asked for every subcommand before it begins. */
TgExit tg_output_files_distinct(const TgCli *cli);
/** Refuses a --trace that does not end in .json, and what could not be written: asked before what takes long. */
TgExit tg_output_files_check(const TgCli *cli);

#endif
