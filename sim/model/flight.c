#include "flight.h"

#include <string.h>

enum { LINE_BYTES = 64 };
G_STATIC_ASSERT(sizeof(TgFlight) <= LINE_BYTES);

static void grow(TgFlights *flights) {
  flights->size = MAX(flights->size * 2, 1024);
  TgFlight *larger = g_aligned_alloc(flights->size, sizeof(TgFlight), LINE_BYTES);
  if (flights->count > 0) memcpy(larger, flights->flight, flights->count * sizeof *larger);
  g_aligned_free(flights->flight);
  flights->flight = larger;
  flights->route = g_renew(TgRoute, flights->route, flights->size);
  flights->spare = g_renew(uint32_t, flights->spare, flights->size);
}

uint32_t tg_flights_take(TgFlights *flights) {
  if (flights->spares > 0) return flights->spare[--flights->spares];
  if (flights->count == flights->size) grow(flights);
  return flights->count++;
}

void tg_flights_clear(TgFlights *flights) {
  g_aligned_free(flights->flight);
  g_free(flights->route);
  g_free(flights->spare);
}

bool tg_flights_turn(TgFlights *flights, uint32_t number, uint32_t *link) {
  TgFlight *flight = &flights->flight[number];
  TgRoute *route = &flights->route[number];
  TgHop hop;
  if (!tg_route_next(route, &hop)) return false;
  const TgRun *run = &route->run;
  flight->hops = run->hops;
  flight->at = run->at;
  flight->extent = run->extent;
  flight->step = run->forward ? 1 : -1;
  flight->link = run->link;
  flight->link_stride = run->link_stride;
  route->run.hops = 0; /* the flight goes through the stretch by itself */
  *link = (uint32_t)hop.link;
  return true;
}
