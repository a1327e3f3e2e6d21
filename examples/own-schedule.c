/* Writes a schedule of its own, first with a line wrong: the proof says where. Then right.
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

typedef struct Loaded {
  TgSchedule schedule;
  TgScheduleNames names;
} Loaded;

/* Parses the pattern with `factor` in it and binds p. */
static bool load(Loaded *loaded, const char *factor, int64_t p, TgError *error) {
  char text[sizeof pattern + 64];
  TgBindings bindings = {0};
  snprintf(text, sizeof text, pattern, factor);
  return tg_schedule_parse(&loaded->schedule, &loaded->names, text, strlen(text), error) &&
         tg_bindings_set(&bindings, "p", p, error) &&
         tg_schedule_bind(&loaded->schedule, &loaded->names, &bindings, error);
}

/* Says what becomes of it: whether it parses, and whether it is right on p processors. */
static bool attempt(const char *factor, int64_t p) {
  Loaded loaded;
  TgError error;
  TgProof proof;
  int64_t m, n, k;
  printf("C += %s * B\n", factor);
  if (!load(&loaded, factor, p, &error)) {
    printf("  does not parse: line %d, column %d: %s\n", error.line, error.column, error.message);
    return false;
  }
  tg_proof_sizes(&loaded.schedule, &m, &n, &k);
  if (!tg_prove(&loaded.schedule, &loaded.names, TG_COLLECTIVE_WHOLE, m, n, k, &proof)) {
    printf("  is wrong: line %d: %s\n", proof.failure.line, proof.failure.message);
    return false;
  }
  printf("  is right on %lld processors: %lld messages\n", (long long)p, (long long)proof.counts.messages);
  return true;
}

int main(void) {
  bool spelt = attempt("A[i+]", 6);       /* no expression */
  bool turned = attempt("A[(i-s)%p]", 6); /* B comes from above, so the index runs up, not down */
  bool right = attempt("A[(i+s)%p]", 6);
  return !spelt && !turned && right ? 0 : 1;
}
