/* Writes a schedule of its own, first with a line wrong: the proof reports where. Then right.
 *
 * The algorithm: B's blocks go round a ring, each processor multiplies its row of A with what comes by. */
#include <stdio.h>
#include <string.h>

#include <topogemm/topogemm.h>

/* A and C are cut into p block rows, and A's blocks in a row lie in an array; %s is the line in question. */
static const char pattern[] = "schedule own-ring\n"
                              "  \"an example\"\n"
                              "grid i:p\n"
                              "place A(i,t) on (i) as A[t] for t in p\n"
                              "place B(i,0), C(i,0) on (i)\n"
                              "repeat s in p\n"
                              "  step \"multiply and pass on\"\n"
                              "    note \"what stands here now began s places further on\"\n"
                              "    C += %s * B\n"
                              "    move B to (i-1) where s < p-1\n";

/* Says what becomes of the text with `factor` in it: whether it parses, and whether it is right on six processors. */
static bool attempt(const char *factor) {
  char text[sizeof pattern + 64];
  TgError error;
  TgProof proof;
  snprintf(text, sizeof text, pattern, factor);
  printf("C += %s * B\n", factor);
  g_autoptr(TgProblem) problem = tg_problem_new(text, strlen(text), &error);
  if (!problem || !tg_problem_bind(problem, "6", NULL, &error)) {
    printf("  does not parse: line %d, column %d: %s\n", error.line, error.column, error.message);
    return false;
  }
  if (!tg_problem_prove(problem, &proof)) {
    printf("  is wrong: line %d: %s\n", proof.failure.line, proof.failure.message);
    return false;
  }
  printf("  is right on 6 processors: %lld messages\n", (long long)proof.counts.messages);
  return true;
}

int main(void) {
  const bool spelt = attempt("A[i+]");        /* no expression */
  const bool against = attempt("A[(i-s)%p]"); /* B comes from above, so the index runs up, not down */
  const bool right = attempt("A[(i+s)%p]");
  return !spelt && !against && right ? 0 : 1;
}
