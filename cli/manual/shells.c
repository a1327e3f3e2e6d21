/* Completion files for bash, zsh and fish. They are data: nothing is run when someone presses Tab. */
#include "manual.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

typedef void EachOption(const TgOptionText *option, const TgCompletion *completion);

static void each_option(const TgCommand *command, EachOption *write) {
  const char *const *const lists[] = {command->options, tg_options_common()};
  for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
    for (const char *const *name = lists[i]; *name; name++) {
      const TgOptionText option = tg_option_text(*name);
      TgCompletion completion = tg_completion_of_option(*name);
      write(&option, &completion);
      g_free(completion.words);
    }
}

static bool has_long_name(const TgOptionText *option) {
  return option->name[1] != '\0' || !option->letter;
}

/* --- bash --------------------------------------------------------------------------------------------------------- */

static void bash_name(const TgOptionText *option, const TgCompletion *completion) {
  (void)completion;
  if (option->letter) printf(" -%c", option->letter);
  if (has_long_name(option)) printf(" --%s", option->name);
}

/* What may follow an option that takes a value. */
static void bash_value(const TgOptionText *option, const TgCompletion *completion) {
  if (!option->value) return;
  fputs("        ", stdout);
  if (option->letter) printf("-%c%s", option->letter, has_long_name(option) ? "|" : "");
  if (has_long_name(option)) printf("--%s", option->name);
  printf(") words='%s' files=%s ;;\n", completion->words, completion->files ? "yes" : "");
}

static void bash_command(const TgCommand *command) {
  TgCompletion arguments = tg_completion_of_arguments(command);
  printf("    %s)\n      options='", command->name);
  each_option(command, bash_name);
  printf("' words='%s' files=%s\n      case $before in\n", arguments.words, arguments.files ? "yes" : "");
  each_option(command, bash_value);
  puts("        *) value='' ;;\n      esac ;;");
  g_free(arguments.words);
}

static void bash(void) {
  puts("# Completion of topogemm's command line in bash.\n"
       "_topogemm() {\n"
       "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options='' words='' files='' "
       "value=yes\n"
       "  case $word in\n"
       "    --*=*) before=${word%%=*} word=${word#*=} ;;\n"
       "    =) word='' before=${COMP_WORDS[COMP_CWORD - 1]} ;;\n"
       "  esac\n"
       "  if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
       "  if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[1]} == help ]]; then");
  fputs("    mapfile -t COMPREPLY < <(compgen -W 'help --help --version", stdout);
  for (const TgCommand *const *command = tg_commands; *command; command++) printf(" %s", (*command)->name);
  puts("' -- \"$word\")\n"
       "    return\n"
       "  fi\n"
       "  case ${COMP_WORDS[1]} in");
  for (const TgCommand *const *command = tg_commands; *command; command++) bash_command(*command);
  puts("    *) return ;;\n"
       "  esac\n"
       "  if [[ -z $value && $word == -* ]]; then words=$options files=; fi\n"
       "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
       "  if [[ -n $files ]]; then\n"
       "    compopt -o filenames 2>/dev/null\n"
       "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\")\n"
       "  fi\n"
       "}\n"
       "complete -F _topogemm topogemm");
}

/* --- zsh ---------------------------------------------------------------------------------------------------------- */

/* Within '…' and before a colon or a bracket, as _arguments reads it. */
static void zsh_text(const char *text) {
  for (const char *at = text; *at; at++)
    if (*at == '\'')
      fputs("'\\''", stdout);
    else if (strchr("[]:\\", *at))
      printf("\\%c", *at);
    else
      putchar(*at);
}

static void zsh_action(const TgCompletion *completion) {
  if (completion->files && *completion->words)
    printf("_alternative \"words:name:(%s)\" \"files:file:_files\"", completion->words);
  else if (completion->files)
    fputs("_files", stdout);
  else if (*completion->words)
    printf("(%s)", completion->words);
}

static void zsh_one(const char *prefix, const char *name, const TgOptionText *option, const TgCompletion *completion) {
  printf(" \\\n        '*%s%s[", prefix, name);
  zsh_text(option->describe);
  putchar(']');
  if (option->value) {
    putchar(':');
    zsh_text(option->value);
    putchar(':');
    zsh_action(completion);
  }
  putchar('\'');
}

static void zsh_option(const TgOptionText *option, const TgCompletion *completion) {
  const char letter[] = {option->letter, '\0'};
  if (option->letter) zsh_one("-", letter, option, completion);
  if (has_long_name(option)) zsh_one("--", option->name, option, completion);
}

static void zsh_command(const TgCommand *command) {
  TgCompletion arguments = tg_completion_of_arguments(command);
  printf("      %s)\n        _arguments -s", command->name);
  each_option(command, zsh_option);
  if (command->arguments_max) {
    fputs(" \\\n        '*:", stdout);
    zsh_text(command->arguments);
    putchar(':');
    zsh_action(&arguments);
    putchar('\'');
  }
  puts(" ;;");
  g_free(arguments.words);
}

static void zsh(void) {
  puts("#compdef topogemm\n"
       "# Completion of topogemm's command line in zsh.\n"
       "_topogemm() {\n"
       "  local -a subcommands\n"
       "  subcommands=(");
  for (const TgCommand *const *command = tg_commands; *command; command++) {
    printf("    '%s:", (*command)->name);
    zsh_text((*command)->summary);
    puts("'");
  }
  puts("    'help:print the options and examples of a subcommand'\n"
       "  )\n"
       "  if ((CURRENT == 2)) || [[ $words[2] == help ]]; then\n"
       "    _describe subcommand subcommands\n"
       "    return\n"
       "  fi\n"
       "  local subcommand=$words[2]\n"
       "  shift words\n"
       "  ((CURRENT--))\n"
       "  case $subcommand in");
  for (const TgCommand *const *command = tg_commands; *command; command++) zsh_command(*command);
  puts("  esac\n"
       "}\n"
       "_topogemm \"$@\"");
}

/* --- fish --------------------------------------------------------------------------------------------------------- */

static const TgCommand *fish_command;

static void fish_text(const char *text) {
  for (const char *at = text; *at; at++) {
    if (*at == '\'' || *at == '\\') putchar('\\');
    putchar(*at);
  }
}

static void fish_values(const TgCompletion *completion) {
  fputs(completion->files ? " -F" : " -f", stdout);
  if (*completion->words) printf(" -a '%s'", completion->words);
}

static void fish_option(const TgOptionText *option, const TgCompletion *completion) {
  printf("complete -c topogemm -n '__fish_seen_subcommand_from %s'", fish_command->name);
  if (option->letter) printf(" -s %c", option->letter);
  if (has_long_name(option)) printf(" -l %s", option->name);
  if (option->value) {
    fputs(" -r", stdout);
    fish_values(completion);
  }
  fputs(" -d '", stdout);
  fish_text(option->describe);
  puts("'");
}

static void fish(void) {
  puts("# Completion of topogemm's command line in fish.\n"
       "complete -c topogemm -f\n"
       "complete -c topogemm -n __fish_use_subcommand -a help -d 'print the options and examples of a subcommand'");
  for (const TgCommand *const *command = tg_commands; *command; command++) {
    fish_command = *command;
    printf("complete -c topogemm -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a %s -d '",
           fish_command->name);
    fish_text(fish_command->summary);
    puts("'");
    TgCompletion arguments = tg_completion_of_arguments(fish_command);
    if (fish_command->arguments_max) {
      printf("complete -c topogemm -n '__fish_seen_subcommand_from %s'", fish_command->name);
      fish_values(&arguments);
      putchar('\n');
    }
    g_free(arguments.words);
    each_option(fish_command, fish_option);
  }
}

bool tg_completion_print(const char *shell) {
  const struct {
    const char *name;
    void (*print)(void);
  } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
  for (size_t i = 0; i < G_N_ELEMENTS(shells); i++)
    if (strcmp(shell, shells[i].name) == 0) {
      shells[i].print();
      return true;
    }
  return false;
}
