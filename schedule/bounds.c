#include "bounds.h"

#include <math.h>

static void order(double *larger, double *smaller) {
  if (*larger >= *smaller) return;
  double swap = *larger;
  *larger = *smaller;
  *smaller = swap;
}

double tg_bound_memory_independent(double m, double n, double k, double processors) {
  order(&m, &n);
  order(&n, &k);
  order(&m, &n);
  double accessed;
  if (processors <= m / n)
    accessed = (m * n + m * k) / processors + n * k;
  else if (processors <= m * n / (k * k))
    accessed = 2 * sqrt(m * n * k * k / processors) + m * n / processors;
  else
    accessed = 3 * pow(m * n * k / processors, 2.0 / 3.0);
  return accessed - (m * n + m * k + n * k) / processors;
}

double tg_bound_memory_dependent(double m, double n, double k, double processors, double memory_words) {
  return 2 * m * n * k / (processors * sqrt(memory_words)) - 2 * memory_words;
}
