/** @file flight.h
 * Private to sim/: messages under way, hop by hop. */
#ifndef TG_FLIGHT_H
#define TG_FLIGHT_H

#include "program.h"

/** What every hop needs, in a cache line. The route is elsewhere, for the turns. */
typedef struct TgFlight {
  TgStage *stage;
  int32_t transfer;
  TgPatternEnds ends;
  uint32_t hop; /**< of its route, from 0 */
  int32_t hops; /**< left in the straight stretch that it is on */
  int32_t at, extent;
  int32_t step;              /**< 1 toward increasing coordinate, -1 against it */
  int32_t turns;             /**< 0: the route has no other stretch */
  int64_t link, link_stride; /**< as in TgRun */
} TgFlight;

typedef struct TgFlights {
  TgFlight *flight;
  TgRoute *route; /**< by flight; begun where it has turns */
  uint32_t count, size;
  uint32_t *spare; /**< flights that have ended */
  uint32_t spares;
} TgFlights;

/** A flight's number. May move the arrays. */
uint32_t tg_flights_take(TgFlights *flights);
void tg_flights_clear(TgFlights *flights);
/** Begins the next stretch of the route. */
bool tg_flights_turn(TgFlights *flights, uint32_t number, uint32_t *link);

static inline void tg_flights_give_back(TgFlights *flights, uint32_t number) {
  flights->spare[flights->spares++] = number;
}

/** Goes one hop along the route: its link; false at the end. */
static inline bool tg_flights_next(TgFlights *flights, uint32_t number, uint32_t *link) {
  TgFlight *flight = &flights->flight[number];
  if (flight->hops == 0) return flight->turns && tg_flights_turn(flights, number, link);
  int32_t next = flight->at + flight->step;
  if (next == flight->extent) next = 0;
  if (next < 0) next = flight->extent - 1;
  *link = (uint32_t)(flight->link + (flight->step > 0 ? flight->at : next) * flight->link_stride);
  flight->at = next;
  flight->hops--;
  return true;
}

#endif
