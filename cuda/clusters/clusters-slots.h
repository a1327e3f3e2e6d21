/** @file clusters-slots.h
 * Inside of the planner of clusters: the tiles that some panels need, placed in slots. */
#ifndef TG_CLUSTERS_SLOTS_H
#define TG_CLUSTERS_SLOTS_H

#include "clusters-planner-private.h"

/** A tile in a slot, from its arrival to its last reader. Orders are those of the schedule, panel after panel. */
typedef struct TgFilling {
  int32_t tile, role, panel, processor;
  int64_t begin, end;   /**< when it is first needed, or comes, and when it has been used last */
  int32_t slot, number; /**< the number of the filling among those of its slot */
  int32_t before;  /**< the filling of the slot before it; the last one where it is the first: of the unit before */
  int32_t readers; /**< arrivals at `free` */
  int32_t from;    /**< filling that it is sent from; -1: loaded */
  bool multiplied; /**< by this processor; otherwise it is only sent on */
} TgFilling;

/** A block on its way from one filling to another, of the same panel. */
typedef struct TgSending {
  int32_t from, to; /**< fillings */
  int32_t channel, use;
  int64_t order;
} TgSending;

typedef struct TgSlots {
  const TgFollowed *followed;
  TgClusterPlan *plan;
  int64_t span;                                     /**< orders of one panel */
  GArray *fillings;                                 /**< TgFilling, panel by panel */
  GArray *sendings;                                 /**< TgSending */
  int32_t *filling;                                 /**< [panel][tile][role]; -1 where there is none */
  int32_t count[TG_CLUSTER_MOST][TG_CLUSTER_SLOTS]; /**< of fillings, of each slot in a unit */
  int32_t uses[TG_CLUSTER_MOST][TG_CLUSTER_CHANNELS];
  uint8_t channel[TG_CLUSTER_MOST][TG_CLUSTER_MOST][TG_CLUSTER_SLOTS]; /**< 1 + number: sender, receiver, its slot */
} TgSlots;

/** In a unit: 0 and up, after the panel's beginning at panel * span. */
static inline int64_t tg_order(const TgSlots *slots, int32_t panel, int64_t order) {
  return panel * slots->span + 1 + order;
}
static inline TgFilling *tg_filling(const TgSlots *slots, int32_t filling) {
  return &g_array_index(slots->fillings, TgFilling, filling);
}
static inline TgFilling *tg_filling_of(const TgSlots *slots, int32_t panel, int32_t tile, int role) {
  const int64_t at = ((int64_t)panel * slots->followed->tiles->len + tile) * TG_ROLES + role;
  return tg_filling(slots, slots->filling[at]);
}
static inline bool tg_product_is_live(const TgFollowed *followed, const TgFollowedProduct *product) {
  return g_array_index(followed->sums, TgFollowedSum, product->sum).live;
}

/** Lays out a unit of panels; slots->plan has its number of slots and warps. False where more slots are needed. */
bool tg_slots_lay_out(TgSlots *slots, GError **error);
void tg_slots_clear(TgSlots *slots);

#endif
