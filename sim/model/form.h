/** @file form.h
 * Private to sim/: what is the same at every execution of a stage: the transfers of one phase, or of several that run
 * together, and which of them each node takes part in. */
#ifndef TG_FORM_H
#define TG_FORM_H

#include "lane.h"

enum { TG_FORM_LANES = 32 /**< phases that run together */ };

typedef struct TgFormEnds {
  int32_t from, to;
} TgFormEnds;

typedef struct TgFormFirst {
  int32_t out, in;
  int32_t to, from; /**< their other ends */
} TgFormFirst;

/** Linked lists hold the transfers of one node in program order, by number; -1 ends one. */
typedef struct TgForm {
  TgLane *lane[TG_FORM_LANES];
  int lanes;
  int32_t offset[TG_FORM_LANES + 1]; /**< by lane: its first transfer */
  int32_t transfers;
  TgFormEnds *ends; /**< by transfer: its nodes */
  uint8_t *which;     /**< by transfer: its lane; NULL where there is one */
  TgFormFirst *first; /**< by node; NULL where there are no transfers */
  int32_t *next_out, *next_in;   /**< by transfer; NULL where no node sends twice and none receives twice */
  uint32_t *first_link;          /**< by transfer; see tg_form_route() */
  bool one_hop;                  /**< all transfers take one hop */
  double hop_s;                  /**< forward.c's: time of every hop, 0 not known yet, negative where they differ */
  int references;
} TgForm;

/** The form of `lanes` phases. */
TgForm *tg_form_new(TgLane *const *lane, int lanes, int64_t nodes);
void tg_form_release(TgForm *form);
/** Finds the first link of every transfer. */
void tg_form_route(TgForm *form, const TgTopology *network);

static inline const TgLane *tg_form_lane(const TgForm *form, int32_t transfer) {
  return form->lane[form->which ? form->which[transfer] : 0];
}

static inline int64_t tg_form_bytes(const TgForm *form, int32_t transfer) {
  int number = form->which ? form->which[transfer] : 0;
  const TgLane *lane = form->lane[number];
  return lane->sizes ? lane->sizes[transfer - form->offset[number]] : lane->phase->uniform_bytes;
}

#endif
