/* What links cost, from the samples of a calibration. */
#include "calibration-private.h"
#include "least-squares.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LEAST_SAMPLES = 3 };
static const double bound = 1.1; /* times the product alone: from there on moves make the time */

static void set_link(TgCalibration *calibration, double latency_s, double s_per_byte) {
  calibration->machine.link.latency_s = latency_s;
  calibration->machine.link.bandwidth_bytes_per_s = s_per_byte > 0 ? 1 / s_per_byte : INFINITY;
}

/** What moves of one kind take, by bytes. */
typedef struct Moves {
  int tried, used, unmeasurable;
  double bytes[MOST_SAMPLES], time_s[MOST_SAMPLES];
} Moves;

/* Their times, in the order of their sizes. */
static Moves find_moves(const TgCalibration *calibration, bool near, bool to_hosts) {
  Moves moves = {0};
  for (guint s = 0; s < calibration->samples->len && moves.used < MOST_SAMPLES; s++) {
    TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->probe.hops == 0 || sample->near != near || (sample->sharing > 0) != to_hosts) continue;
    moves.tried++;
    if (sample->left_out) continue;
    if (!(sample->move_s > 0)) {
      sample->left_out = g_strdup("the products took no longer with moves than without");
      sample->move_s = NAN;
      moves.unmeasurable++;
      continue;
    }
    moves.bytes[moves.used] = (double)sample->block_bytes;
    moves.time_s[moves.used++] = sample->move_s;
  }
  return moves;
}

/* Latency and bandwidth of the moves from `begin` to `end`; returns the sum of their squared relative errors. */
static double fit_part(const Moves *moves, int begin, int end, TgMachineProtocol *protocol) {
  double term[2 * MOST_SAMPLES], weight[MOST_SAMPLES], value[2] = {0};
  const int rows = end - begin;
  for (int r = 0; r < rows; r++) {
    term[2 * r] = 1;
    term[2 * r + 1] = moves->bytes[begin + r];
    weight[r] = 1 / moves->time_s[begin + r];
  }
  const double error = tg_least_squares(term, &moves->time_s[begin], weight, rows, 2, value);
  *protocol = (TgMachineProtocol){moves->bytes[begin], value[0], value[1] > 0 ? 1 / value[1] : INFINITY};
  return rows * error * error;
}

/* --- messages: a protocol for each range of sizes ----------------------------------------------------------------- */

enum { MOST_PARTS = 5, LEAST_PART = 3 /* samples */ };

/** The best division of the first `end` moves into so many parts: where the last one begins, and the sum of all their
 * squared errors. */
typedef struct Division {
  int begin;
  double squares;
} Division;

/* Of all divisions the one in which a further part is worth its three numbers: the least Bayesian information
 * criterion. Errors below one percent are noise. Source: G. Schwarz, Estimating the Dimension of a Model, Annals of
 * Statistics 6(2), 1978. */
static int choose_parts(const Division *best, int used) {
  const double noise = 1e-4;
  double least = INFINITY;
  int chosen = 1;
  for (int parts = 1; parts <= MOST_PARTS; parts++) {
    const double squares = best[parts * (MOST_SAMPLES + 1) + used].squares;
    const double criterion = used * log(squares / used + noise) + 3 * parts * log(used);
    if (criterion >= least) continue;
    least = criterion;
    chosen = parts;
  }
  return chosen;
}

static void find_divisions(const Moves *moves, Division *best) {
  for (int parts = 1; parts <= MOST_PARTS; parts++)
    for (int end = 0; end <= moves->used; end++) {
      Division *division = &best[parts * (MOST_SAMPLES + 1) + end];
      *division = (Division){0, INFINITY};
      for (int begin = parts > 1 ? LEAST_PART : 0; begin + LEAST_PART <= end && (parts > 1 || begin == 0); begin++) {
        TgMachineProtocol unused;
        const double before = parts > 1 ? best[(parts - 1) * (MOST_SAMPLES + 1) + begin].squares : 0;
        const double squares = isinf(before) ? INFINITY : before + fit_part(moves, begin, end, &unused);
        if (squares < division->squares) *division = (Division){begin, squares};
      }
    }
}

static void fit_protocols(TgMachineLink *link, const Moves *moves) {
  g_autofree Division *best = g_new(Division, (gsize)(MOST_PARTS + 1) * (MOST_SAMPLES + 1));
  find_divisions(moves, best);
  const int parts = choose_parts(best, moves->used);
  int end = moves->used;
  link->protocols.rows = parts - 1;
  for (int part = parts; part > 0; part--) {
    const int begin = best[part * (MOST_SAMPLES + 1) + end].begin;
    TgMachineProtocol protocol;
    fit_part(moves, begin, end, &protocol);
    end = begin;
    if (part > 1) {
      link->protocols.row[part - 2] = protocol;
    } else {
      link->latency_s = protocol.latency_s;
      link->bandwidth_bytes_per_s = protocol.bandwidth_bytes_per_s;
    }
  }
}

/* --- links ---------------------------------------------------------------------------------------------------------*/

/* Moves that take a time of their own. Where blocks have one size only, all of it is latency. */
static bool fit_moves(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error) {
  TgMachineLink *link = &calibration->machine.link;
  const Moves moves = find_moves(calibration, false, false);
  TgMachineProtocol protocol;
  calibration->no_links = moves.tried == 0 || (moves.used < LEAST_SAMPLES && moves.unmeasurable > 0);
  if (calibration->no_links) return true;
  if (moves.used < LEAST_SAMPLES && !(calibration->tiled && moves.used > 0))
    return tg_calibration_too_few(calibration, plan, "moves", moves.used, LEAST_SAMPLES, error);
  fit_part(&moves, 0, moves.used, &protocol);
  set_link(calibration, protocol.latency_s, 1 / protocol.bandwidth_bytes_per_s);
  if (plan->kind->traits.messages && moves.used >= LEAST_SAMPLES) fit_protocols(link, &moves);
  if (link->protocols.rows) tg_machine_give(&calibration->machine, &link->protocols);
  return true;
}

/* Moves to other hosts. The measured bandwidth is that of one place while all send; a host has as many times that as
 * places. */
static bool fit_hosts(TgCalibration *calibration, const TgCalibrationPlan *plan, int32_t sharing, GError **error) {
  TgMachine *machine = &calibration->machine;
  TgMachineLink *link = &machine->level[1];
  const Moves moves = find_moves(calibration, false, true);
  const int64_t processors = (int64_t)plan->rows * plan->columns; /* perhaps several on a place */
  const int64_t each = processors % calibration->hosts ? sharing : processors / calibration->hosts;
  *link = machine->link;
  link->given = 0;
  if (moves.used < LEAST_SAMPLES && moves.unmeasurable > 0) {
    calibration->hosts = 0;
    return true;
  }
  if (moves.used < LEAST_SAMPLES)
    return tg_calibration_too_few(calibration, plan, "moves to other hosts", moves.used, LEAST_SAMPLES, error);
  fit_protocols(link, &moves);
  link->bandwidth_bytes_per_s *= sharing;
  for (int32_t r = 0; r < link->protocols.rows; r++) link->protocols.row[r].bandwidth_bytes_per_s *= sharing;
  g_snprintf(machine->network, sizeof machine->network, "switch:%" PRId64 "*switch:%d", each, calibration->hosts);
  tg_machine_give(machine, machine->network);
  tg_machine_give(machine, &link->latency_s);
  tg_machine_give(machine, &link->bandwidth_bytes_per_s);
  if (link->protocols.rows) tg_machine_give(machine, &link->protocols);
  return true;
}

static int32_t sharing_of(const TgCalibration *calibration) {
  int32_t sharing = 0;
  for (guint s = 0; s < calibration->samples->len; s++) sharing = MAX(sharing, sample_at(calibration, s)->sharing);
  return sharing;
}

/* Moves between processors of one core. */
static void fit_copies(TgCalibration *calibration) {
  TgMachineProcessor *processor = &calibration->machine.processor;
  const Moves moves = find_moves(calibration, true, false);
  TgMachineProtocol protocol;
  if (moves.used < LEAST_SAMPLES) return;
  fit_part(&moves, 0, moves.used, &protocol);
  if (isinf(protocol.bandwidth_bytes_per_s)) return;
  processor->copy_s = protocol.latency_s;
  processor->copy_bytes_per_s = protocol.bandwidth_bytes_per_s;
  tg_machine_give(&calibration->machine, &processor->copy_s);
  tg_machine_give(&calibration->machine, &processor->copy_bytes_per_s);
}

/* Moves beside products: the time of a pass against their number and bytes, where they are what it takes. Where they
 * never are, all that is known is that a move of the largest block takes no longer than the pass had room for. */
static void fit_hidden_moves(TgCalibration *calibration) {
  double term[3 * MOST_SAMPLES], y[MOST_SAMPLES], weight[MOST_SAMPLES], value[3], room_s = INFINITY;
  int64_t largest = 0;
  int rows = 0;
  for (guint s = 0; s < calibration->samples->len && rows < MOST_SAMPLES; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->left_out || sample->probe.hops == 0) continue;
    const double pass_s = sample->product_s * sample->probe.products;
    const double moves = (double)tg_probe_moves(&sample->probe);
    if (sample->block_bytes > largest) room_s = INFINITY;
    largest = MAX(largest, sample->block_bytes);
    if (sample->block_bytes == largest) room_s = fmin(room_s, pass_s / moves);
    if (pass_s < bound * tg_calibration_product_s(calibration, sample) * sample->probe.products) continue;
    const double terms[] = {moves, moves * (double)sample->block_bytes, 1};
    memcpy(&term[3 * rows], terms, sizeof terms);
    y[rows] = pass_s;
    weight[rows++] = 1 / pass_s;
  }
  calibration->no_links = largest == 0;
  calibration->hidden = rows == 0 && !calibration->no_links;
  if (calibration->hidden) set_link(calibration, room_s, 0);
  if (rows == 0) return;
  tg_least_squares(term, y, weight, rows, 3, value);
  set_link(calibration, value[0], value[1]);
}

bool tg_calibration_fit_links(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error) {
  set_link(calibration, 0, 0);
  if (plan->kind->traits.overlaps)
    fit_hidden_moves(calibration);
  else if (!fit_moves(calibration, plan, error))
    return false;
  const int32_t sharing = sharing_of(calibration);
  if (sharing && !fit_hosts(calibration, plan, sharing, error)) return false;
  fit_copies(calibration);
  return true;
}
