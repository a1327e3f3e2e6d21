/* The word that was meant: what is near, what is not, and which of several. */
#include "suggestion.h"

#include <glib.h>
#include <string.h>

typedef struct Case {
  const char *word;
  const char *known[5];
  const char *nearest;
} Case;

static const Case cases[] = {
    /* a letter wrong, left out, added, exchanged with the next one */
    {"mave", {"move", "add"}, "move"},
    {"mov", {"add", "move"}, "move"},
    {"moove", {"add", "move"}, "move"},
    {"mvoe", {"add", "move"}, "move"},
    /* at most a third of the letters, but one */
    {"mvo", {"move"}, NULL},
    {"brodcats", {"broadcast"}, "broadcast"},
    {"brdct", {"broadcast"}, NULL},
    {"redus", {"reduce"}, NULL},
    {"redduec", {"reduce"}, "reduce"},
    /* the nearest, and of several as near the first */
    {"gathr", {"scatter", "gather", "allgather"}, "gather"},
    {"all", {"alltoall", "allgather"}, "alltoall"},
    {"p3", {"p1", "p2"}, "p1"},
    /* a beginning, of three letters or more */
    {"bandwidth", {"latency_s", "bandwidth_bytes_per_s"}, "bandwidth_bytes_per_s"},
    {"ba", {"bandwidth_bytes_per_s"}, NULL},
    /* upper and lower case are no difference, and all of it in a word of one letter */
    {"CANON", {"cannon"}, "cannon"},
    {"Q", {"i", "q"}, "q"},
    {"k", {"i", "j"}, NULL},
    {"", {"i", "to"}, NULL},
    {"\xc3\xa4", {"i", "add"}, NULL},
};

static void test_nearest(void) {
  for (size_t c = 0; c < G_N_ELEMENTS(cases); c++) {
    const size_t length = strlen(cases[c].word);
    g_autofree char *unended = g_malloc(length + 1); /* what follows the word is not looked at */
    memcpy(unended, cases[c].word, length);
    unended[length] = 'x';
    TgSuggestion meant = tg_suggestion_for(unended, length);
    for (const char *const *known = cases[c].known; *known; known++) tg_suggestion_try(&meant, *known);
    g_test_message("%s", cases[c].word);
    g_assert_cmpstr(meant.nearest, ==, cases[c].nearest);
  }
}

/* Too long to compare: there is nothing near. */
static void test_long_words(void) {
  g_autofree char *word = g_strnfill(5000, 'a'), *known = g_strnfill(4999, 'a'), *most = g_strnfill(64, 'a');
  TgSuggestion meant = tg_suggestion_for(word, strlen(word));
  tg_suggestion_try(&meant, known);
  tg_suggestion_try(&meant, most);
  g_assert_null(meant.nearest);
  meant = tg_suggestion_for(most, 63);
  tg_suggestion_try(&meant, known);
  g_assert_null(meant.nearest);
  tg_suggestion_try(&meant, most);
  g_assert_cmpstr(meant.nearest, ==, most);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/suggestion/nearest", test_nearest);
  g_test_add_func("/suggestion/long-words", test_long_words);
  return g_test_run();
}
