/* What concerns one node's clocks, and the results. */
#include "clock.h"

void tg_clocks_take(const TgClocks *clocks, TgCost *cost) {
  tg_clocks_last(clocks, &cost->time_s, &cost->compute_s);
  cost->node_time_s = g_new(double, clocks->nodes);
  cost->node_compute_s = g_new(double, clocks->nodes);
  for (int64_t n = 0; n < clocks->nodes; n++) {
    int64_t entry = clocks->level ? 0 : n;
    cost->node_time_s[n] = MAX(clocks->port[entry], clocks->cpu[entry]);
    cost->node_compute_s[n] = clocks->compute[entry];
  }
}
