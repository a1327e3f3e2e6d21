/* Proves a schedule on a grid and prints what it costs: prove-schedule [NAME [GRID]]
 *
 * A schedule is data: bind it to a grid, then hand it to any reader. The proof is one. */
#include <stdio.h>

#include <topogemm/topogemm.h>

/* Prints the sentence of an error with its place, if it has one. */
static int fail(const char *name, const TgError *error) {
  if (error->line)
    fprintf(stderr, "%s:%d:%d: %s\n", name, error->line, error->column, error->message);
  else
    fprintf(stderr, "%s: %s\n", name, error->message);
  return 2;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "cannon", *grid = argc > 2 ? argv[2] : "4x4";

  /* The texts of the library are compiled in; tg_problem_new() takes any other. */
  TgError error;
  g_autoptr(TgProblem) problem = tg_problem_from_library(name, &error);
  if (!problem || !tg_problem_bind(problem, grid, NULL, &error)) return fail(name, &error);

  /* Words are counted for some size of the matrices; this one gives all blocks as many elements. */
  int64_t m, n, k;
  TgProof proof;
  tg_proof_sizes(tg_problem_schedule(problem), &m, &n, &k);
  if (!tg_problem_prove(problem, &proof)) {
    fprintf(stderr, "%s on %s is wrong: %s\n", name, grid, proof.failure.message);
    return 3;
  }

  printf("%s on %s computes its product in %lld steps\n", name, grid, (long long)proof.steps);
  printf("  messages                %lld\n", (long long)proof.counts.messages);
  printf("  local products          %lld\n", (long long)proof.counts.products);
  printf("  most blocks held        %lld per processor\n", (long long)proof.counts.blocks_per_processor_max);
  printf("  most words received     %lld by one processor (m = %lld, n = %lld, k = %lld)\n",
         (long long)proof.words_received_max, (long long)m, (long long)n, (long long)k);

  /* No schedule can do with fewer. */
  double bound = tg_bound_memory_independent((double)m, (double)n, (double)k, (double)proof.processors);
  printf("  lower bound on that     %.1f words\n", bound);
  return 0;
}
