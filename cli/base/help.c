/* Help that teaches by example. Everything comes from the tables of subcommands and options. */
#include "output.h"

#include "kernel.h"

#include "blas.h"
#include "executors-cpu.h"
#include "render.h"

static const TgExample examples[] = {
    {"list algorithms", "list the schedules of the library, each with its source"},
    {"show cannon", "print one: ten lines that define who sends what to whom"},
    {"verify cannon --grid 4x4", "prove that it computes C = A * B and compare its cost with the lower bounds"},
    {"step cannon --grid 4x4 -n 8", "run it on real matrices, one step at a time"},
    {"draw cannon --grid 4x4 --step 2 -o cannon.svg", "draw the messages of a step"},
    {NULL, NULL},
};

static const char *const options[] = {"help", "version", "color", NULL};

const TgCommand tg_program = {
    .name = "",
    .arguments = "SUBCOMMAND [ARGUMENTS]",
    .summary = "choose or write a schedule for C = A * B on many processors; prove, draw, run and time it",
    .details =
        "A schedule is about ten lines of text: who sends which block to whom, and who multiplies. topogemm proves "
        "that it computes C = A * B, steps it on real matrices, draws it, predicts its time on a machine, and executes "
        "it on the cores of the processor, on the ranks of an MPI job, or on a GPU. Each subcommand has its own page.",
    .examples = examples,
    .options = options,
};

const char tg_exit_status_text[] =
    "0 success; 1 system failure (for example, a file cannot be read or written); 2 wrong usage, invalid input file, "
    "or memory or another limit exceeded; 3 failed proof or numerical check; 4 feature or device not available; 5 "
    "requested tolerance missed";

static void print_examples(TgCli *cli, const TgExample *example) {
  tg_print_styled(cli, TG_STYLE_HEADING, "\nExamples\n");
  for (; example->command; example++) {
    tg_print(cli, "  topogemm %s\n", example->command);
    tg_print_wrapped(cli, example->does, 6, 0);
  }
}

static void print_option(TgCli *cli, const char *name) {
  TgOptionText option = tg_option_text(name);
  g_autoptr(GString) words = g_string_new("  ");
  if (option.letter) g_string_append_printf(words, "-%c", option.letter);
  if (option.name[1] || !option.letter)
    g_string_append_printf(words, "%s--%s", option.letter ? ", " : "    ", option.name);
  if (option.value) g_string_append_printf(words, " %s", option.value);
  tg_print(cli, "%s", words->str);
  int already = (int)g_utf8_strlen(words->str, -1);
  if (already > 25) {
    tg_print(cli, "\n");
    already = 0;
  }
  tg_print_wrapped(cli, option.describe, 27, already);
}

static void print_options(TgCli *cli, const char *const *names) {
  for (; *names; names++) print_option(cli, *names);
}

static void print_command_help(TgCli *cli, const TgCommand *command) {
  tg_print_styled(cli, TG_STYLE_HEADING, "topogemm %s%s%s [OPTIONS]\n", command->name, *command->arguments ? " " : "",
                  command->arguments);
  tg_print(cli, "\n");
  tg_print_wrapped(cli, command->summary, 2, 0);
  g_auto(GStrv) paragraphs = g_strsplit(command->details ? command->details : "", "\n", -1);
  for (char **paragraph = paragraphs; *paragraph; paragraph++) {
    tg_print(cli, "\n");
    tg_print_wrapped(cli, *paragraph, 2, 0);
  }
  if (command->more) command->more(cli);
  print_examples(cli, command->examples);
  tg_print_styled(cli, TG_STYLE_HEADING, "\nOptions\n");
  print_options(cli, command->options);
  print_options(cli, tg_options_common());
}

static void print_program_help(TgCli *cli) {
  tg_print(cli, "topogemm: %s\n\n", tg_program.summary);
  tg_print_styled(cli, TG_STYLE_HEADING, "topogemm %s [OPTIONS]\n", tg_program.arguments);
  g_autoptr(TgTable) table = tg_table_new("ll");
  for (const TgCommand *const *command = tg_commands; *command; command++) {
    tg_table_add(table, "%s%s%s", (*command)->name, *(*command)->arguments ? " " : "", (*command)->arguments);
    tg_table_add(table, "%s", (*command)->summary);
  }
  tg_table_add(table, "help SUBCOMMAND");
  tg_table_add(table, "print the options and examples of a subcommand");
  tg_table_print(cli, table, 2, false);
  print_examples(cli, examples);
  tg_print_styled(cli, TG_STYLE_HEADING, "\nOptions\n");
  print_options(cli, options);
  tg_print_styled(cli, TG_STYLE_HEADING, "\nExit status\n");
  tg_print_wrapped(cli, tg_exit_status_text, 2, 0);
}

void tg_help_print(TgCli *cli, const TgCommand *command) {
  if (command)
    print_command_help(cli, command);
  else
    print_program_help(cli);
}

void tg_version_print(TgCli *cli) {
  g_autofree char *blas = tg_blas_description();
  g_autoptr(TgTable) table = tg_table_new("ll");
  tg_print(cli, "topogemm %s\n", TG_VERSION);
  tg_table_add(table, "BLAS");
  tg_table_add(table, "%s", blas);
  tg_table_add(table, "Graphviz");
  tg_table_add(table, "%s, for %s", TG_GRAPHVIZ_VERSION, tg_render_formats());
  tg_table_add(table, "GPUs");
  tg_table_add(table, "%s",
               tg_kernel_built() ? "yes; `topogemm bench ladder` measures the kernels, `topogemm run` runs schedules"
                                 : "no: this build has no CUDA");
  tg_table_add(table, "MPI");
  tg_table_add(table, "%s",
               tg_executor_ranks.built() ? "yes; it is loaded for `mpirun … topogemm run … --on ranks` alone"
                                         : "no: this build has no MPI (package libopenmpi-dev)");
  tg_table_print(cli, table, 2, false);
}
