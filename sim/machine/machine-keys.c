#include "machine-keys.h"

#include "decimal.h"

#include <math.h>
#include <string.h>

const TgQuantity tg_quantities[TG_VALUE_QUANTITIES] = {
    [TG_VALUE_TIME] = {"seconds", "1e-6", .zero = true},
    [TG_VALUE_BANDWIDTH] = {"bytes per second", "1.25e9", .infinite = true},
    [TG_VALUE_FLOPS] = {"floating-point operations per second", "1e12", .infinite = true},
    [TG_VALUE_BYTES] = {"bytes", "16e9", .infinite = true},
    [TG_VALUE_MESSAGE] = {"bytes", "65536", .zero = false},
    [TG_VALUE_FRACTION] = {"a fraction of 1", "0.1", .zero = true},
    [TG_VALUE_SIZE] = {"elements along a side", "512", .zero = false},
    [TG_VALUE_RATE] = {"floating-point operations per second", "2e10", .zero = false},
    [TG_VALUE_REST] = {"rows or columns", "1.6", .zero = true},
    [TG_VALUE_FACTOR] = {"a number", "1.5", .zero = false},
    [TG_VALUE_COUNT] = {"a whole number", "16", .zero = false},
};

#define KEY(type, member, kind, ...)                                                                                   \
  { #member, kind, offsetof(type, member), sizeof(((type *)0)->member), __VA_ARGS__ }

static const TgMachineKey machine_keys[] = {
    KEY(TgMachine, name, TG_VALUE_TEXT, false, {0}),       KEY(TgMachine, source, TG_VALUE_TEXT, false, {0}),
    KEY(TgMachine, network, TG_VALUE_NETWORK, false, {0}), KEY(TgMachine, residual, TG_VALUE_FRACTION, false, {0}),
    KEY(TgMachine, spread, TG_VALUE_FRACTION, false, {0}), {0},
};

const TgMachineKey tg_machine_link_keys[] = {
    KEY(TgMachineLink, latency_s, TG_VALUE_TIME, true, {0}),
    KEY(TgMachineLink, per_hop_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachineLink, bandwidth_bytes_per_s, TG_VALUE_BANDWIDTH, true, {0}),
    KEY(TgMachineLink, duplex, TG_VALUE_WORD, false, {"full", "half"}),
    KEY(TgMachineLink, protocols, TG_VALUE_PROTOCOLS, false, {0}),
    {0},
};

static const TgMachineKey port_keys[] = {
    KEY(TgMachinePort, ports, TG_VALUE_WORD, false, {"one", "all", "fetch"}),
    KEY(TgMachinePort, overhead_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachinePort, gap_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachinePort, receives, TG_VALUE_WORD, false, {"entered", "arrival"}),
    {0},
};

static const TgMachineKey processor_keys[] = {
    KEY(TgMachineProcessor, flops_per_s, TG_VALUE_FLOPS, false, {0}),
    KEY(TgMachineProcessor, rate, TG_VALUE_RATES, false, {0}),
    KEY(TgMachineProcessor, deep_rate, TG_VALUE_RATES, false, {0}),
    KEY(TgMachineProcessor, memory_bytes, TG_VALUE_BYTES, false, {0}),
    KEY(TgMachineProcessor, tile_rows, TG_VALUE_COUNT, false, {0}),
    KEY(TgMachineProcessor, tile_columns, TG_VALUE_COUNT, false, {0}),
    KEY(TgMachineProcessor, additions_per_s, TG_VALUE_FLOPS, false, {0}),
    KEY(TgMachineProcessor, cache_bytes, TG_VALUE_BYTES, false, {0}),
    KEY(TgMachineProcessor, miss_bytes_per_s, TG_VALUE_BANDWIDTH, false, {0}),
    KEY(TgMachineProcessor, miss_most_bytes, TG_VALUE_BYTES, false, {0}),
    KEY(TgMachineProcessor, copy_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachineProcessor, copy_bytes_per_s, TG_VALUE_BANDWIDTH, false, {0}),
    KEY(TgMachineProcessor, product_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachineProcessor, a_elements_per_s, TG_VALUE_FLOPS, false, {0}),
    KEY(TgMachineProcessor, b_elements_per_s, TG_VALUE_FLOPS, false, {0}),
    KEY(TgMachineProcessor, c_elements_per_s, TG_VALUE_FLOPS, false, {0}),
    KEY(TgMachineProcessor, rest_rows, TG_VALUE_RESTS, false, {0}),
    KEY(TgMachineProcessor, rest_columns, TG_VALUE_RESTS, false, {0}),
    {0},
};

static const TgMachineKey tier_keys[] = {
    KEY(TgMachineTier, read_bytes_per_s, TG_VALUE_BANDWIDTH, true, {0}),
    KEY(TgMachineTier, write_bytes_per_s, TG_VALUE_BANDWIDTH, true, {0}),
    KEY(TgMachineTier, latency_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachineTier, capacity_bytes, TG_VALUE_BYTES, false, {0}),
    {0},
};

/* Which executors there are is known above this library. */
static const TgMachineKey executor_keys[] = {
    KEY(TgMachineExecutor, on, TG_VALUE_TEXT, false, {0}),
    KEY(TgMachineExecutor, transport, TG_VALUE_NAME, false, {"copy", "pull", "load", "message"}),
    KEY(TgMachineExecutor, type, TG_VALUE_NAME, false, {"f32", "f64"}),
    KEY(TgMachineExecutor, device, TG_VALUE_TEXT, false, {0}),
    KEY(TgMachineExecutor, processors, TG_VALUE_COUNT, false, {0}),
    KEY(TgMachineExecutor, at_once, TG_VALUE_COUNT, false, {0}),
    KEY(TgMachineExecutor, speedup_with_fewer, TG_VALUE_FEWER, false, {0}),
    KEY(TgMachineExecutor, launch_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachineExecutor, round_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachineExecutor, pass_s, TG_VALUE_TIME, false, {0}),
    {0},
};

#define HAS_A_BIT_EACH(keys) G_STATIC_ASSERT(G_N_ELEMENTS(keys) - 1 <= TG_MACHINE_MOST_KEYS)
HAS_A_BIT_EACH(machine_keys);
HAS_A_BIT_EACH(tg_machine_link_keys);
HAS_A_BIT_EACH(port_keys);
HAS_A_BIT_EACH(processor_keys);
HAS_A_BIT_EACH(tier_keys);
HAS_A_BIT_EACH(executor_keys);

const TgMachineSection tg_machine_sections[] = {
    {"machine", machine_keys, 0, 0, 0},
    {"link", tg_machine_link_keys, offsetof(TgMachine, link), 0, 0},
    {"level", tg_machine_link_keys, offsetof(TgMachine, level), sizeof(TgMachineLink), TG_MAX_LEVELS},
    {"link", tg_machine_link_keys, offsetof(TgMachine, axis), sizeof(TgMachineLink), TG_MACHINE_AXES},
    {"port", port_keys, offsetof(TgMachine, port), 0, 0},
    {"processor", processor_keys, offsetof(TgMachine, processor), 0, 0},
    {"disk", tier_keys, offsetof(TgMachine, tier[TG_TIER_DISK]), 0, 0},
    {"cache", tier_keys, offsetof(TgMachine, tier[TG_TIER_CACHE]), 0, 0},
    {"device", tier_keys, offsetof(TgMachine, tier[TG_TIER_DEVICE]), 0, 0},
    {"executor", executor_keys, offsetof(TgMachine, executor), 0, 0},
    {0},
};

void tg_machine_give(TgMachine *machine, const void *field) {
  for (const TgMachineSection *section = tg_machine_sections; section->name; section++)
    for (int index = 0; index < MAX(section->count, 1); index++) {
      char *place = (char *)machine + section->offset + (size_t)index * section->stride;
      for (int bit = 0; section->keys[bit].name; bit++)
        if (place + section->keys[bit].offset == (const char *)field) {
          *(int32_t *)(void *)place |= 1 << bit;
          return;
        }
    }
  g_assert_not_reached();
}

TgSpan tg_span_trim(TgSpan span) {
  while (span.length && g_ascii_isspace(span.text[0])) span.text++, span.length--;
  while (span.length && g_ascii_isspace(span.text[span.length - 1])) span.length--;
  return span;
}

const char *tg_span_quote(TgSpan span, char quoted[TG_QUOTE_BYTES]) {
  enum { MOST = TG_QUOTE_BYTES - 4 };
  size_t kept = span.length;
  if (kept > MOST)
    for (kept = MOST; kept > 0 && ((unsigned char)span.text[kept] & 0xc0) == 0x80;) kept--;
  memcpy(quoted, span.text, kept);
  for (size_t i = 0; i < kept; i++)
    if (g_ascii_iscntrl(quoted[i])) quoted[i] = ' ';
  strcpy(quoted + kept, kept < span.length ? "..." : "");
  return quoted;
}

/* --- values: a number is plain; one with a unit is refused with the number to write in its place ----------------- */

/* How people write units, for the advice. */
typedef struct Unit {
  const char *text;
  TgValueKind kind;
  double scale;
} Unit;

static const Unit units[] = {
    {"s", TG_VALUE_TIME, 1},
    {"sec", TG_VALUE_TIME, 1},
    {"B", TG_VALUE_BYTES, 1},
    {"bytes", TG_VALUE_BYTES, 1},
    {"B", TG_VALUE_MESSAGE, 1},
    {"bytes", TG_VALUE_MESSAGE, 1},
    {"B/s", TG_VALUE_BANDWIDTH, 1},
    {"Bps", TG_VALUE_BANDWIDTH, 1},
    {"bytes/s", TG_VALUE_BANDWIDTH, 1},
    {"bit/s", TG_VALUE_BANDWIDTH, 0.125},
    {"bits/s", TG_VALUE_BANDWIDTH, 0.125},
    {"b/s", TG_VALUE_BANDWIDTH, 0.125},
    {"bps", TG_VALUE_BANDWIDTH, 0.125},
    {"flop/s", TG_VALUE_FLOPS, 1},
    {"flops", TG_VALUE_FLOPS, 1},
    {"Flop/s", TG_VALUE_FLOPS, 1},
    {"FLOP/s", TG_VALUE_FLOPS, 1},
    {"FLOPS", TG_VALUE_FLOPS, 1},
    {"%", TG_VALUE_FRACTION, 0.01},
};

typedef struct Prefix {
  const char *text;
  double scale;
} Prefix;

static const Prefix prefixes[] = {
    {"", 1},     {"Ki", 0x1p10},   {"Mi", 0x1p20},   {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"k", 1e3},
    {"K", 1e3},  {"M", 1e6},       {"G", 1e9},       {"T", 1e12},    {"P", 1e15},    {"m", 1e-3},
    {"u", 1e-6}, {"\u00b5", 1e-6}, {"\u03bc", 1e-6}, {"n", 1e-9},
};

/* No machine is beyond these, and sums of what is within are finite. */
static const double least_number = 1e-30, most_number = 1e30;

bool tg_span_is(TgSpan span, const char *text) {
  return span.length == strlen(text) && memcmp(span.text, text, span.length) == 0;
}

/* What one of the unit is in the unit of the kind; 0 where it is not a unit of that kind. */
static double unit_scale(TgSpan unit, TgValueKind kind) {
  if (kind == TG_VALUE_RATE) kind = TG_VALUE_FLOPS;
  for (size_t p = 0; p < G_N_ELEMENTS(prefixes); p++) {
    const size_t skip = strlen(prefixes[p].text);
    if (skip > unit.length || memcmp(unit.text, prefixes[p].text, skip) != 0) continue;
    const TgSpan rest = {unit.text + skip, unit.length - skip};
    for (size_t u = 0; u < G_N_ELEMENTS(units); u++)
      if (units[u].kind == kind && tg_span_is(rest, units[u].text)) return prefixes[p].scale * units[u].scale;
  }
  return 0;
}

/* The number in the unit of the kind that a value with a unit of its own stands for; false where it is no such value,
 * or one that the key could not have. */
static bool without_unit(TgValueKind kind, TgSpan value, double *number) {
  const size_t length = tg_decimal_length(value.text, value.length);
  const TgSpan unit = tg_span_trim((TgSpan){value.text + length, value.length - length});
  if (tg_decimal_read(value.text, length, number) != TG_DECIMAL_READ) return false;
  *number *= unit_scale(unit, kind);
  return *number > 0 && isfinite(*number) && (kind != TG_VALUE_FRACTION || *number < 1);
}

static bool refuse_form(const char *name, TgValueKind kind, TgSpan value, TgError *error) {
  const TgQuantity *quantity = &tg_quantities[kind];
  char quoted[TG_QUOTE_BYTES], better[G_ASCII_DTOSTR_BUF_SIZE];
  double number;
  tg_span_quote(value, quoted);
  if (without_unit(kind, value, &number))
    return tg_error_set(error, 0, 0, "`%s` has a unit; %s takes %s, so write %s", quoted, name, quantity->unit,
                        g_ascii_formatd(better, sizeof better, "%.9g", number));
  if (value.length == 0)
    return tg_error_set(error, 0, 0, "%s has no value; it takes %s: write a number such as %s", name, quantity->unit,
                        quantity->example);
  return tg_error_set(error, 0, 0, "`%s` is not a plain number; %s takes %s: write a number such as %s%s", quoted, name,
                      quantity->unit, quantity->example, quantity->infinite ? ", or inf" : "");
}

/* The remedy where a number is out of range. */
static bool refuse_range(const char *name, TgValueKind kind, TgSpan value, const char *what, TgError *error) {
  const TgQuantity *quantity = &tg_quantities[kind];
  char quoted[TG_QUOTE_BYTES];
  return tg_error_set(error, 0, 0, "%s = %s %s; write %s, such as %s%s", name, tg_span_quote(value, quoted), what,
                      quantity->zero ? "0 or more" : "more than 0", quantity->example,
                      quantity->infinite ? ", or inf" : "");
}

/* Reads one number. `name` is what messages call it. */
static bool read_number(const char *name, TgValueKind kind, TgSpan value, double *number, TgError *error) {
  const TgQuantity *quantity = &tg_quantities[kind];
  const bool infinite = tg_span_is(value, "inf");
  if (infinite && !quantity->infinite) return refuse_range(name, kind, value, "is not finite", error);
  *number = INFINITY;
  const TgDecimal read = infinite ? TG_DECIMAL_READ : tg_decimal_read(value.text, value.length, number);
  if (read == TG_DECIMAL_NONE) return refuse_form(name, kind, value, error);
  if (signbit(*number) && *number != 0) return refuse_range(name, kind, value, "is negative", error);
  if (read == TG_DECIMAL_SMALL) return refuse_range(name, kind, value, "is too small and would be rounded to 0", error);
  if (*number == 0 && !quantity->zero) return refuse_range(name, kind, value, "is zero", error);
  if (read == TG_DECIMAL_LARGE) return refuse_range(name, kind, value, "is too large", error);
  if (!infinite && *number != 0 && *number < least_number)
    return refuse_range(name, kind, value, "is below 1e-30", error);
  if (!infinite && *number > most_number) return refuse_range(name, kind, value, "is above 1e30", error);
  if (kind == TG_VALUE_COUNT && *number > INT32_MAX)
    return refuse_range(name, kind, value, "is above 2147483647", error);
  if (kind == TG_VALUE_COUNT && *number != floor(*number))
    return refuse_range(name, kind, value, "is not a whole number", error);
  if (kind == TG_VALUE_FRACTION && *number >= 1) return refuse_range(name, kind, value, "is not below 1", error);
  *number = fabs(*number);
  return true;
}

/* --- tables: rows of numbers -------------------------------------------------------------------------------------- */

/* Cuts a row at its colons, into `count` values or less; returns how many there are. */
static int split_row(TgSpan row, int count, TgSpan *value) {
  const char *end = row.text + row.length, *at = row.text;
  for (int c = 0; c < count; c++) {
    const char *colon = c < count - 1 ? memchr(at, ':', (size_t)(end - at)) : NULL;
    value[c] = tg_span_trim((TgSpan){at, (size_t)((colon ? colon : end) - at)});
    if (!colon) return c + 1;
    at = colon + 1;
  }
  return count;
}

static bool refuse_row(TgSpan row, const char *form, TgError *error) {
  char quoted[TG_QUOTE_BYTES];
  return tg_error_set(error, 0, 0, "`%s` is not a row of a table; write %s", tg_span_quote(row, quoted), form);
}

static bool check_row(int32_t rows, int32_t most, TgError *error) {
  return rows < most || tg_error_set(error, 0, 0, "the table has more than %d rows; leave some out", most);
}

static bool check_order(TgSpan size, bool follows, TgError *error) {
  char quoted[TG_QUOTE_BYTES];
  return follows ||
         tg_error_set(error, 0, 0,
                      "%s is not larger than that of the row before it; sort the rows and give each number once",
                      tg_span_quote(size, quoted));
}

/* One row of a table of rates, `size:rate`. */
static bool read_rate(TgSpan row, void *table, TgError *error) {
  TgMachineRates *rates = table;
  TgSpan value[2];
  if (split_row(row, 2, value) < 2) return refuse_row(row, "size:flop/s, as in rate = 64:2e10; 512:4e11", error);
  if (!check_row(rates->rows, TG_MACHINE_RATES, error)) return false;
  TgMachineRate *rate = &rates->row[rates->rows];
  if (!read_number("the size", TG_VALUE_SIZE, value[0], &rate->size, error)) return false;
  if (!read_number("the rate", TG_VALUE_RATE, value[1], &rate->flops_per_s, error)) return false;
  if (!check_order(value[0], rates->rows == 0 || rate->size > rate[-1].size, error)) return false;
  rates->rows++;
  return true;
}

/* One row of a link's protocols, `bytes:latency:bandwidth`. */
static bool read_protocol(TgSpan row, void *table, TgError *error) {
  TgMachineProtocols *protocols = table;
  TgSpan value[3];
  if (split_row(row, 3, value) < 3)
    return refuse_row(row, "bytes:seconds:bytes/s, as in protocols = 65536:4e-6:1.1e10", error);
  if (!check_row(protocols->rows, TG_MACHINE_PROTOCOLS, error)) return false;
  TgMachineProtocol *protocol = &protocols->row[protocols->rows];
  if (!read_number("the size", TG_VALUE_MESSAGE, value[0], &protocol->from_bytes, error)) return false;
  if (!read_number("the latency", TG_VALUE_TIME, value[1], &protocol->latency_s, error)) return false;
  if (!read_number("the bandwidth", TG_VALUE_BANDWIDTH, value[2], &protocol->bandwidth_bytes_per_s, error))
    return false;
  const bool follows = protocols->rows == 0 || protocol->from_bytes > protocol[-1].from_bytes;
  if (!check_order(value[0], follows, error)) return false;
  protocols->rows++;
  return true;
}

/* What the next piece takes, `piece:rows`. */
static bool read_rest(TgSpan row, void *table, TgError *error) {
  TgMachineRests *rests = table;
  TgSpan value[2];
  double piece;
  if (split_row(row, 2, value) < 2) return refuse_row(row, "piece:cost, as in rest_rows = 1:1.6; 2:5.5; 4:5.8", error);
  if (!check_row(rests->pieces, TG_MACHINE_RESTS, error)) return false;
  if (!read_number("the piece", TG_VALUE_COUNT, value[0], &piece, error)) return false;
  if (piece != 1 << rests->pieces)
    return tg_error_set(error, 0, 0, "the pieces are 1, 2, 4 and so on, in this order; expected %d here",
                        1 << rests->pieces);
  double *takes = &rests->takes[rests->pieces];
  if (!read_number("the cost of a piece", TG_VALUE_REST, value[1], takes, error)) return false;
  if (*takes < piece) { /* otherwise no bound on the time of products would hold */
    char quoted[TG_QUOTE_BYTES];
    return tg_error_set(error, 0, 0, "the cost of a piece of %g is %s, but it cannot be below %g; write %g or more",
                        piece, tg_span_quote(value[1], quoted), piece, piece);
  }
  rests->pieces++;
  return true;
}

/* How much faster fewer processors are, `number:factor`. */
static bool read_fewer(TgSpan row, void *table, TgError *error) {
  TgMachineFewer *fewer = table;
  TgSpan value[2];
  if (split_row(row, 2, value) < 2)
    return refuse_row(row, "number:factor, as in speedup_with_fewer = 1:1.8; 2:1.5", error);
  if (!check_row(fewer->rows, TG_MACHINE_FEWER, error)) return false;
  TgMachineSpeedup *own = &fewer->row[fewer->rows];
  if (!read_number("the number", TG_VALUE_COUNT, value[0], &own->at_once, error)) return false;
  if (!read_number("the factor", TG_VALUE_FACTOR, value[1], &own->speedup, error)) return false;
  if (!check_order(value[0], fewer->rows == 0 || own->at_once > own[-1].at_once, error)) return false;
  fewer->rows++;
  return true;
}

/* Row after row; `rows` counts them. A semicolon may stand after the last one. */
static bool read_table(TgSpan value, bool (*read_row)(TgSpan, void *, TgError *), void *table, const int32_t *rows,
                       const char **at, TgError *error) {
  const char *end = value.text + value.length;
  for (const char *row = value.text; row <= end;) {
    const char *next = row < end ? memchr(row, ';', (size_t)(end - row)) : NULL;
    if (!next) next = end;
    const TgSpan span = tg_span_trim((TgSpan){row, (size_t)(next - row)});
    *at = span.text;
    const bool ends = next == end;
    if (!(ends && *rows > 0 && span.length == 0) && !read_row(span, table, error)) return false;
    row = next + 1;
  }
  return true;
}

static bool read_word(const TgMachineKey *key, TgSpan value, int32_t *word, TgError *error) {
  char quoted[TG_QUOTE_BYTES];
  g_autoptr(GString) words = g_string_new(NULL);
  for (int32_t i = 0; key->words[i]; i++) {
    g_string_append_printf(words, "%s%s", i == 0 ? "" : key->words[i + 1] ? ", " : " or ", key->words[i]);
    if (!tg_span_is(value, key->words[i])) continue;
    *word = i;
    return true;
  }
  return tg_error_set(error, 0, 0, "%s = %s is unknown; write %s", key->name, tg_span_quote(value, quoted), words->str);
}

static bool read_text(const TgMachineKey *key, TgSpan value, char *text, TgError *error) {
  if (value.length == 0)
    return tg_error_set(error, 0, 0, "%s has no text; write one, or leave the line out", key->name);
  if (value.length >= key->bytes)
    return tg_error_set(error, 0, 0, "%s is %zu bytes long; shorten it to %zu", key->name, value.length,
                        key->bytes - 1);
  memset(text, 0, key->bytes);
  memcpy(text, value.text, value.length);
  return true;
}

static bool read_name(const TgMachineKey *key, TgSpan value, char *text, TgError *error) {
  int32_t word;
  return read_text(key, value, text, error) && read_word(key, value, &word, error);
}

static bool read_network(const TgMachineKey *key, TgSpan value, char *text, const char **at, TgError *error) {
  TgTopology topology;
  TgError wrong = {0};
  if (!read_text(key, value, text, error)) return false;
  if (tg_topology_parse(&topology, text, &wrong)) return true;
  *at += wrong.column > 0 ? wrong.column - 1 : 0;
  return tg_error_set(error, 0, 0, "network: %s", wrong.message);
}

bool tg_machine_value(const TgMachineKey *key, TgSpan value, void *field, const char **at, TgError *error) {
  *at = value.text;
  switch (key->kind) {
  case TG_VALUE_RATES:
    *(TgMachineRates *)field = (TgMachineRates){0};
    return read_table(value, read_rate, field, &((TgMachineRates *)field)->rows, at, error);
  case TG_VALUE_PROTOCOLS:
    *(TgMachineProtocols *)field = (TgMachineProtocols){0};
    return read_table(value, read_protocol, field, &((TgMachineProtocols *)field)->rows, at, error);
  case TG_VALUE_RESTS:
    *(TgMachineRests *)field = (TgMachineRests){0};
    return read_table(value, read_rest, field, &((TgMachineRests *)field)->pieces, at, error);
  case TG_VALUE_FEWER:
    *(TgMachineFewer *)field = (TgMachineFewer){0};
    return read_table(value, read_fewer, field, &((TgMachineFewer *)field)->rows, at, error);
  case TG_VALUE_WORD:
    return read_word(key, value, field, error);
  case TG_VALUE_NAME:
    return read_name(key, value, field, error);
  case TG_VALUE_TEXT:
    return read_text(key, value, field, error);
  case TG_VALUE_NETWORK:
    return read_network(key, value, field, at, error);
  default:
    return read_number(key->name, key->kind, value, field, error);
  }
}
