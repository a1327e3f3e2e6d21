/** @file cli.h
 * What the subcommands share: the options of the command line, where to write, and how a run ends. */
#ifndef TG_CLI_H
#define TG_CLI_H

#include "base.h"
#include "options.h"

#include <glib.h>
#include <inttypes.h>

/** Exit statuses, also for scripts: see `topogemm --help`. */
typedef enum TgExit {
  TG_EXIT_DONE,
  TG_EXIT_FAILED,    /**< the system refused: no such file, no permission, disk full */
  TG_EXIT_USAGE,     /**< the command line is wrong, or what an input file holds */
  TG_EXIT_WRONG,     /**< a proof or a check of numbers failed */
  TG_EXIT_MISSING,   /**< hardware or a feature that is not here */
  TG_EXIT_TOLERANCE, /**< a stated tolerance was missed */
  TG_EXITS
} TgExit;

typedef struct TgProgressLine TgProgressLine;
typedef struct TgCommand TgCommand;

/** One run of the program. */
typedef struct TgCli {
  const TgCommand *command; /**< NULL before it is known */
  TgOptions options;
  bool colour_out, colour_err; /**< escapes may be written there */
  bool input_closed;           /**< standard input was closed when the program began */
  int output_error;            /**< errno of the first failed write to standard output; 0 while there is none */
  TgProgressLine *progress;    /**< shown now, or NULL */
  uint64_t memory_limit_bytes; /**< of --memory-limit; 0: what is available */
  GHashTable *schedules;       /**< GBytes of the schedules' files by name: a pipe can be read but once */
  char *where;                 /**< what errors are about, before their message: "cases.txt:3"; or NULL */
  GPtrArray *written, *said;   /**< files that appear at the end, and what is printed then (output-files.h), or NULL */
} TgCli;

/** An example of the help text; it works when it is pasted. */
typedef struct TgExample {
  const char *command; /**< without "topogemm" before it; NULL after the last one */
  const char *does;
} TgExample;

/** A subcommand. */
struct TgCommand {
  const char *name;
  const char *arguments;      /**< as in the usage line: "ALGO" */
  const char *summary;        /**< one line */
  const char *details;        /**< paragraphs for its help, may be NULL */
  void (*more)(TgCli *cli);   /**< prints what follows the details, may be NULL */
  char *(*words)(void);       /**< what the first argument may be, separated by spaces; NULL: see `arguments` */
  const TgExample *examples;  /**< three to five */
  const char *const *options; /**< names of rows of the options' table, NULL-terminated */
  int arguments_min, arguments_max;
  bool ranks_write; /**< with --on ranks, each rank writes its part of the files; otherwise rank 0 writes all */
  TgExit (*run)(TgCli *cli);
};

/** The subcommands, NULL-terminated. */
extern const TgCommand *const tg_commands[];
/** The subcommand of that name, or NULL. */
const TgCommand *tg_command_find(const char *name);

extern const TgCommand tg_command_list, tg_command_show, tg_command_verify, tg_command_mutate, tg_command_step,
    tg_command_draw, tg_command_topo, tg_command_sim, tg_command_run, tg_command_calibrate, tg_command_compare,
    tg_command_plan, tg_command_shard, tg_command_bench, tg_command_export, tg_command_trace, tg_command_huge,
    tg_command_generate, tg_command_convert, tg_command_check, tg_command_exercise, tg_command_grade;

/** The program as a whole, as if it were a subcommand without a name. */
extern const TgCommand tg_program;
/** What the exit statuses mean. */
extern const char tg_exit_status_text[];

/** Prints the program's help, or that of a subcommand. */
void tg_help_print(TgCli *cli, const TgCommand *command);
/** Prints the version and what was built in. */
void tg_version_print(TgCli *cli);

#endif
