#include "manual.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

/* Text as roff takes it: what stands between `…` is bold, and every minus can be copied and pasted. */
static void print_text(const char *text) {
  bool code = false;
  for (const char *at = text; *at; at++) {
    if (*at == '`') {
      fputs(code ? "\\fP" : "\\fB", stdout);
      code = !code;
    } else if (*at == '-')
      fputs("\\-", stdout);
    else if (*at == '\\')
      fputs("\\e", stdout);
    else if ((*at == '.' || *at == '\'') && (at == text || at[-1] == '\n'))
      printf("\\&%c", *at);
    else
      putchar(*at);
  }
}

static void print_line(const char *text) {
  print_text(text);
  putchar('\n');
}

static void print_paragraphs(const char *text) {
  g_auto(GStrv) paragraphs = g_strsplit(text ? text : "", "\n", -1);
  for (char **paragraph = paragraphs; *paragraph; paragraph++) {
    if (paragraph > paragraphs) puts(".PP");
    print_line(*paragraph);
  }
}

static void print_option(const char *name) {
  const TgOptionText option = tg_option_text(name);
  puts(".TP");
  if (option.letter) printf("\\fB\\-%c\\fP", option.letter);
  if (option.name[1] || !option.letter) {
    fputs(option.letter ? ", \\fB" : "\\fB", stdout);
    print_text("--");
    print_text(option.name);
    fputs("\\fP", stdout);
  }
  if (option.value) {
    fputs(" \\fI", stdout);
    print_text(option.value);
    fputs("\\fP", stdout);
  }
  putchar('\n');
  print_line(option.describe);
}

static void print_options(const TgCommand *command) {
  puts(".SH OPTIONS");
  for (const char *const *name = command->options; *name; name++) print_option(*name);
  if (command != &tg_program)
    for (const char *const *name = tg_options_common(); *name; name++) print_option(*name);
}

static void print_examples(const TgExample *example) {
  puts(".SH EXAMPLES");
  for (; example->command; example++) {
    fputs(".TP\n\\fBtopogemm ", stdout);
    print_text(example->command);
    fputs("\\fP\n", stdout);
    print_line(example->does);
  }
}

/* What a subcommand prints after its details, as it stands. */
static void print_more(TgCli *cli, const TgCommand *command) {
  puts(".PP\n.nf");
  fflush(stdout);
  command->more(cli);
  puts(".fi");
}

static void print_subcommands(void) {
  puts(".SH SUBCOMMANDS");
  for (const TgCommand *const *command = tg_commands; *command; command++) {
    printf(".TP\n\\fBtopogemm\\-%s\\fP(1)\n", (*command)->name);
    print_line((*command)->summary);
  }
}

static void print_references(const TgCommand *command) {
  puts(".SH SEE ALSO");
  if (command != &tg_program) {
    puts("\\fBtopogemm\\fP(1)");
    return;
  }
  for (const TgCommand *const *each = tg_commands; *each; each++)
    printf("\\fBtopogemm\\-%s\\fP(1)%s\n", (*each)->name, each[1] ? "," : "");
}

void tg_manual_print(TgCli *cli, const TgCommand *command) {
  const bool whole = !command;
  if (whole) command = &tg_program;
  g_autofree char *title = g_ascii_strup(command->name, -1);
  printf(".TH TOPOGEMM%s%s 1 \"\" \"topogemm %s\" \"topogemm\"\n", whole ? "" : "\\-", title, TG_VERSION);
  printf(".SH NAME\ntopogemm%s%s \\- ", whole ? "" : "\\-", command->name);
  print_line(command->summary);
  printf(".SH SYNOPSIS\n\\fBtopogemm%s%s\\fP ", whole ? "" : " ", command->name);
  print_text(command->arguments);
  puts(*command->arguments ? " [OPTIONS]" : "[OPTIONS]");
  puts(".SH DESCRIPTION");
  print_paragraphs(command->details);
  if (command->more) print_more(cli, command);
  if (whole) print_subcommands();
  print_options(command);
  print_examples(command->examples);
  puts(".SH EXIT STATUS");
  print_line(tg_exit_status_text);
  print_references(command);
}
