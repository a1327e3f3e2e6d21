/** @file options.h
 * The options of all subcommands: one table, parsed by GOption; a subcommand names the rows that it takes. */
#ifndef TG_OPTIONS_H
#define TG_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

/** The options of the command line; NULL and FALSE where absent. Numbers stay text until someone reads them, so
 * that a bad one is reported with its option. */
typedef struct TgOptions {
  gboolean help, version;
  char *color;
  gboolean json, quiet;
  char *grid, **set, **ranges;
  gboolean all;
  char *n, *size, *type, *network, *embed, *collective, *seed;
  char *a, *b, *c;
  char *step;
  gboolean blocks, messages, integers, interactive, spacetime, memory;
  char *heat, *flops_per_s, *output;
  char *campaign, *plot, *disk;
  gboolean dry_run;
  char *machine, *model, *fair, *overlap, *buffers, *skew, *jitter, *seeds, *straggler;
  gboolean formula;
  char *symbols, *sweep, *efficiency, *trace;
  char *from, *tiles, *pipeline, *in_memory, *by_rows, *gpu_memory;
  char *procs, *mesh, *top, *memory_bytes;
  char *memory_limit, *tile;
  char *sizes, *kernels, *budget;
  char *level, *count, *gradescope;
  char *beside, *baseline, *variant, *on, *transport, *trials, *warmup, *deadline, *device;
  gboolean cold, quick, cpu_only, no_cache, noisy;
  char **arguments; /**< what is no option, NULL-terminated; NULL where there is none */
} TgOptions;

/** A row of the table in words, for the help text. */
typedef struct TgOptionText {
  const char *name;     /**< long name as it is written, or the short one where there is no other */
  char letter;          /**< 0 where there is none */
  const char *value;    /**< NULL for a switch */
  const char *describe; /**< one line */
} TgOptionText;

/** What a command does with the files that an option names. */
typedef enum TgFileUse {
  TG_FILE_NONE,
  TG_FILE_READ,
  TG_FILE_READ_ALGOS, /**< names of the library and paths of schedules, joined by commas */
  TG_FILE_READ_CACHE, /**< a switch that leaves the cache of this machine's measurements alone */
  TG_FILE_WRITE
} TgFileUse;

/** An option and the files that it names. */
typedef struct TgOptionFile {
  char option[32]; /**< as it is written: "-o", "--trace" */
  TgFileUse use;
  const char *value; /**< NULL where the option is not given, or is a switch */
} TgOptionFile;

/** Parses `argv` (argv[0] is skipped) with the options named in `accepted` (NULL-terminated) and those that every
 * subcommand takes. Errors: G_OPTION_ERROR, with the nearest option where one is unknown. */
bool tg_options_parse(TgOptions *options, const char *const *accepted, int argc, char **argv, GError **error);
void tg_options_clear(TgOptions *options);

/** The table's row of that name; stops the program where there is none. */
TgOptionText tg_option_text(const char *name);
/** The files that the option of that row names. */
TgOptionFile tg_option_file(const TgOptions *options, const char *name);
/** The options that every subcommand takes, NULL-terminated. */
const char *const *tg_options_common(void);

#endif
