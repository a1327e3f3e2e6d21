/* step --interactive: forward and back as a person says. */
#include "output.h"
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] = "Enter or n: the next step; b: back; a number: go to that step; m: the messages of this "
                           "step; q: end\n";

typedef enum TgAnswer { TG_ANSWER_STAY, TG_ANSWER_MOVED, TG_ANSWER_END, TG_ANSWER_FAILED } TgAnswer;

static TgAnswer after(TgProgress progress) {
  return progress == TG_PROGRESS_ERROR  ? TG_ANSWER_FAILED
         : progress == TG_PROGRESS_MORE ? TG_ANSWER_MOVED
                                        : TG_ANSWER_STAY;
}

static TgAnswer go_to(TgCli *cli, TgStepRun *run, const char *text, GError **error) {
  char *end;
  long long step = strtoll(text, &end, 10);
  if (*end || step < 0 || step > tg_stepper_steps(run->stepper)) {
    tg_print(cli, "%s", help);
    return TG_ANSWER_STAY;
  }
  return tg_stepper_seek(run->stepper, step, error) ? TG_ANSWER_MOVED : TG_ANSWER_FAILED;
}

static TgAnswer obey(TgCli *cli, TgStepRun *run, const char *line, GError **error) {
  if (strcmp(line, "") == 0 || strcmp(line, "n") == 0) {
    TgAnswer answer = after(tg_stepper_next(run->stepper, error));
    if (answer == TG_ANSWER_STAY) tg_print(cli, "this is the last step; q ends and checks C\n");
    return answer;
  }
  if (strcmp(line, "b") == 0) {
    TgAnswer answer = after(tg_stepper_back(run->stepper, error));
    if (answer == TG_ANSWER_STAY) tg_print(cli, "this is the initial placement\n");
    return answer;
  }
  if (strcmp(line, "q") == 0) return TG_ANSWER_END;
  if (strcmp(line, "m") == 0) {
    tg_step_print_messages(cli, run);
    return TG_ANSWER_STAY;
  }
  return go_to(cli, run, line, error);
}

TgExit tg_step_by_hand(TgCli *cli, TgStepRun *run) {
  g_autofree char *prompt = isatty(STDIN_FILENO) ? g_strdup("> ") : g_strdup("");
  char *line = NULL;
  size_t room = 0;
  TgAnswer answer = TG_ANSWER_STAY;
  GError *error = NULL;
  tg_step_print_step(cli, run);
  tg_print(cli, "\n%s", help);
  while (answer < TG_ANSWER_END && !tg_output_gone(cli)) {
    tg_print(cli, "%s", prompt);
    fflush(stdout);
    if (getline(&line, &room, stdin) < 0) break;
    answer = obey(cli, run, g_strstrip(line), &error);
    if (answer == TG_ANSWER_MOVED) tg_step_print_step(cli, run);
  }
  free(line);
  return answer == TG_ANSWER_FAILED ? tg_step_failed(cli, run, error) : TG_EXIT_DONE;
}
