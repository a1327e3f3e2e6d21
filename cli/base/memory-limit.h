/** @file memory-limit.h
 * The memory that a command may take: --memory-limit, or what is available. What needs more is refused before it
 * begins. */
#ifndef TG_MEMORY_LIMIT_H
#define TG_MEMORY_LIMIT_H

#include "algo.h"

/** Reads "4G", "500MB" or "4e9" into bytes, at least 1; `option` names it in the error. */
TgExit tg_memory_size_parse(const TgCli *cli, const char *option, const char *text, double *bytes);

/** Takes --memory-limit. */
TgExit tg_memory_limit_option(TgCli *cli);

/** Bytes that may still be taken, at least 1. */
uint64_t tg_memory_limit(const TgCli *cli);

/** Refuses what needs more than that; `what` is its subject ("sim: cannon on 4x4"). */
TgExit tg_memory_check(const TgCli *cli, const char *what, double need_bytes);

/** Reports that it does. */
TgExit tg_memory_refuse(const TgCli *cli, const char *what, double need_bytes);

/** Likewise, of the bound schedule's proof, or any run of it on names, and `more_bytes` beside it. */
TgExit tg_memory_check_proof(const TgCli *cli, const TgAlgo *algo, double more_bytes);

/** What such a run leaves of tg_memory_limit(). */
uint64_t tg_memory_limit_beside(const TgCli *cli, const TgAlgo *algo, double more_bytes);

/** Ends the program with TG_EXIT_USAGE and a sentence where GLib, whose callers cannot go on, is out of memory. */
void tg_memory_catch_glib(void);

#endif
