#include "phase-together.h"

/* A phase and its place in the run. */
typedef struct TgPhaseInOrder {
  TgPhase *phase;
  TgPhaseAt at;
} TgPhaseInOrder;

struct TgTogether {
  GPtrArray *lists; /* GArray of TgPhaseInOrder: the statements that were added */
  uint32_t reads, writes;
  GArray *order; /* TgPhaseInOrder */
  guint next;
};

static GArray *new_list(void) {
  return g_array_new(FALSE, FALSE, sizeof(TgPhaseInOrder));
}

/* With the phases that are still in it. */
static void free_list(gpointer data) {
  GArray *list = data;
  for (guint i = 0; i < list->len; i++) {
    TgPhase *phase = g_array_index(list, TgPhaseInOrder, i).phase;
    if (phase) tg_phase_release(phase);
  }
  g_array_unref(list);
}

TgTogether *tg_together_new(void) {
  TgTogether *together = g_new0(TgTogether, 1);
  together->lists = g_ptr_array_new_with_free_func(free_list);
  together->order = new_list();
  return together;
}

void tg_together_free(TgTogether *together) {
  if (!together) return;
  g_ptr_array_unref(together->lists);
  free_list(together->order);
  g_free(together);
}

/* What a reduction passes on is written in its source, too. */
static void uses_of(const TgStatement *statement, uint32_t *reads, uint32_t *writes) {
  const uint32_t source = 1u << statement->source.buffer, target = 1u << statement->target.buffer;
  const bool adds = tg_op_traits(statement->op)->adds;
  *reads = adds ? source | target : source;
  *writes = adds ? source | target : target;
}

bool tg_together_takes(const TgTogether *together, const TgStatement *statement) {
  uint32_t reads, writes;
  uses_of(statement, &reads, &writes);
  return tg_op_travels(statement->op) && tg_uses_apart(reads, writes, together->reads, together->writes);
}

void tg_together_add(TgTogether *together, const TgStatement *statement, GPtrArray *phases, const TgPhaseAt *at) {
  uint32_t reads, writes;
  GArray *list = new_list();
  for (guint i = 0; i < phases->len; i++) {
    TgPhaseInOrder placed = {tg_phase_hold(phases->pdata[i]), *at};
    placed.at.round += (int32_t)i;
    g_array_append_val(list, placed);
  }
  g_ptr_array_set_size(phases, 0);
  g_ptr_array_add(together->lists, list);
  uses_of(statement, &reads, &writes);
  together->reads |= reads;
  together->writes |= writes;
}

static TgPhaseInOrder *placed_at(GArray *list, guint i) {
  return i < list->len ? &g_array_index(list, TgPhaseInOrder, i) : NULL;
}

static void take(TgTogether *together, TgPhaseInOrder *placed) {
  g_array_append_val(together->order, *placed);
  placed->phase = NULL;
}

/* One round of each statement: first what travels, then what is added up of it. */
static bool merge_round(TgTogether *together, guint *begin) {
  bool more = false;
  for (guint l = 0; l < together->lists->len; l++) {
    TgPhaseInOrder *placed = placed_at(together->lists->pdata[l], begin[l]);
    if (!placed) continue;
    take(together, placed);
    begin[l]++;
    more = true;
  }
  for (guint l = 0; l < together->lists->len; l++) {
    TgPhaseInOrder *placed;
    while ((placed = placed_at(together->lists->pdata[l], begin[l])) && placed->phase->products > 0) {
      take(together, placed);
      begin[l]++;
    }
  }
  return more;
}

void tg_together_merge(TgTogether *together) {
  g_autofree guint *begin = g_new0(guint, together->lists->len + 1);
  g_array_set_size(together->order, 0);
  together->next = 0;
  while (merge_round(together, begin)) continue;
  g_ptr_array_set_size(together->lists, 0);
  together->reads = together->writes = 0;
}

TgPhase *tg_together_next(TgTogether *together, TgPhaseAt *at) {
  if (together->next >= together->order->len) return NULL;
  TgPhaseInOrder *placed = &g_array_index(together->order, TgPhaseInOrder, together->next++);
  *at = placed->at;
  return g_steal_pointer(&placed->phase);
}
