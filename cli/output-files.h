/** @file output-files.h
 * The files that a command is to write: -o, --trace and --c. */
#ifndef TG_OUTPUT_FILES_H
#define TG_OUTPUT_FILES_H

#include "cli.h"

/** Refuses a --trace that does not end in .json, one file for two of them, and what could not be written: asked before
 * what takes long. */
TgExit tg_output_files_check(const TgCli *cli);

#endif
