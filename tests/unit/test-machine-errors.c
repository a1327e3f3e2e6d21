/* Machine files that are refused: where, in which words, and with which remedy. */
#include "machine.h"

#include <glib.h>
#include <string.h>

#define LINK "[link]\nlatency_s = 1e-6\nbandwidth_bytes_per_s = 1.25e9\n"
#define PROCESSOR "[processor]\nflops_per_s = 1e12\n"

/* A whole file, and what is said of it. */
typedef struct Bad {
  const char *text;
  int line, column;
  const char *message;
} Bad;

static const Bad bad[] = {
    /* units forgotten or written */
    {"[link]\nbandwidth = 10\n", 2, 1, "unknown key `bandwidth` in [link]; did you mean `bandwidth_bytes_per_s`?"},
    {"[link]\n  latency = 1\n", 2, 3, "unknown key `latency` in [link]; did you mean `latency_s`?"},
    {"[link]\nbandwidth_bytes_per_s = 10 Gbit/s\n", 2, 25,
     "`10 Gbit/s` has a unit; bandwidth_bytes_per_s takes bytes per second, so write 1.25e+09"},
    {"[link]\nbandwidth_bytes_per_s = 100Gbps\n", 2, 25,
     "`100Gbps` has a unit; bandwidth_bytes_per_s takes bytes per second, so write 1.25e+10"},
    {"[link]\nbandwidth_bytes_per_s = 1.5GiB/s\n", 2, 25,
     "`1.5GiB/s` has a unit; bandwidth_bytes_per_s takes bytes per second, so write 1.61061274e+09"},
    {"[link]\nlatency_s = 1.5 \u00b5s # per message\n", 2, 13,
     "`1.5 \u00b5s` has a unit; latency_s takes seconds, so write 1.5e-06"},
    {"[link]\nlatency_s = 10 GB/s\n", 2, 13,
     "`10 GB/s` is not a plain number; latency_s takes seconds: write a number such as 1e-6"},
    {"[processor]\nmemory_bytes = 16 GB\n", 2, 16, "`16 GB` has a unit; memory_bytes takes bytes, so write 1.6e+10"},
    {"[processor]\nflops_per_s = 2 TFLOPS\n", 2, 15,
     "`2 TFLOPS` has a unit; flops_per_s takes floating-point operations per second, so write 2e+12"},
    {"[machine]\nresidual = 5%\n", 2, 12, "`5%` has a unit; residual takes a fraction of 1, so write 0.05"},
    {"[machine]\nresidual = 150%\n", 2, 12,
     "`150%` is not a plain number; residual takes a fraction of 1: write a number such as 0.1"},
    {"[link]\nlatency_s = -5 us\n", 2, 13,
     "`-5 us` is not a plain number; latency_s takes seconds: write a number such as 1e-6"},
    /* numbers out of range, or none */
    {"[link]\nbandwidth_bytes_per_s = 0\n", 2, 25,
     "bandwidth_bytes_per_s = 0 is zero; write more than 0, such as 1.25e9, or inf"},
    {"[link]\nbandwidth_bytes_per_s = -1e9\n", 2, 25,
     "bandwidth_bytes_per_s = -1e9 is negative; write more than 0, such as 1.25e9, or inf"},
    {"[link]\nbandwidth_bytes_per_s = 1e999\n", 2, 25,
     "bandwidth_bytes_per_s = 1e999 is too large; write more than 0, such as 1.25e9, or inf"},
    {"[link]\nbandwidth_bytes_per_s = nan\n", 2, 25,
     "`nan` is not a plain number; bandwidth_bytes_per_s takes bytes per second: write a number such as 1.25e9, or "
     "inf"},
    {"[link]\nlatency_s = -1e-6\n", 2, 13, "latency_s = -1e-6 is negative; write 0 or more, such as 1e-6"},
    {"[link]\nlatency_s = inf\n", 2, 13, "latency_s = inf is not finite; write 0 or more, such as 1e-6"},
    {"[link]\nlatency_s = 0x10\n", 2, 13,
     "`0x10` is not a plain number; latency_s takes seconds: write a number such as 1e-6"},
    {"[link]\nlatency_s = 1,5e-6\n", 2, 13,
     "`1,5e-6` is not a plain number; latency_s takes seconds: write a number such as 1e-6"},
    {"[link]\nlatency_s = # later\n", 2, 12, "latency_s has no value; it takes seconds: write a number such as 1e-6"},
    {"[machine]\nresidual = 1\n", 2, 12, "residual = 1 is not below 1; write 0 or more, such as 0.1"},
    {"[link.0]\nbandwidth_bytes_per_s = 0\n", 2, 25,
     "bandwidth_bytes_per_s = 0 is zero; write more than 0, such as 1.25e9, or inf"},
    {"[disk]\nread_bytes_per_s = 0\n", 2, 20,
     "read_bytes_per_s = 0 is zero; write more than 0, such as 1.25e9, or inf"},
    {"[link]\nlatency_s = 1e31\n", 2, 13, "latency_s = 1e31 is above 1e30; write 0 or more, such as 1e-6"},
    {"[link]\nbandwidth_bytes_per_s = 1e-31\n", 2, 25,
     "bandwidth_bytes_per_s = 1e-31 is below 1e-30; write more than 0, such as 1.25e9, or inf"},
    {"[processor]\ntile_rows = 2147483648\n", 2, 13,
     "tile_rows = 2147483648 is above 2147483647; write more than 0, such as 16"},
    {"[executor]\nprocessors = 3.5\n", 2, 14, "processors = 3.5 is not a whole number; write more than 0, such as 16"},
    {"[executor]\nprocessors = many\n", 2, 14,
     "`many` is not a plain number; processors takes a whole number: write a number such as 16"},
    /* tables of protocols */
    {"[link]\nprotocols = 64:1e-6\n", 2, 13,
     "`64:1e-6` is not a row of a table; write bytes:seconds:bytes/s, as in protocols = 65536:4e-6:1.1e10"},
    {"[link]\nprotocols = 64:1e-6:1e9:2\n", 2, 13,
     "`1e9:2` is not a plain number; the bandwidth takes bytes per second: write a number such as 1.25e9, or inf"},
    {"[link]\nprotocols = 64:1e-6:1e9; 64:1e-6:1e9\n", 2, 26,
     "64 is not larger than that of the row before it; sort the rows and give each number once"},
    {"[link]\nprotocols = 64 KiB:1e-6:1e9\n", 2, 13, "`64 KiB` has a unit; the size takes bytes, so write 65536"},
    {"[link]\nprotocols = 0:1e-6:1e9\n", 2, 13, "the size = 0 is zero; write more than 0, such as 65536"},
    {"[link]\nprotocols = inf:1e-6:1e9\n", 2, 13, "the size = inf is not finite; write more than 0, such as 65536"},
    {"[link]\nprotocols = 64:-1:1e9\n", 2, 13, "the latency = -1 is negative; write 0 or more, such as 1e-6"},
    {"[link]\nprotocols = 1:0:1;2:0:1;3:0:1;4:0:1;5:0:1;6:0:1;7:0:1;8:0:1;9:0:1\n", 2, 61,
     "the table has more than 8 rows; leave some out"},
    /* rests */
    {"[processor]\nrest_rows = 1:2; 3:4\n", 2, 18, "the pieces are 1, 2, 4 and so on, in this order; expected 2 here"},
    {"[processor]\nrest_rows = 2:2\n", 2, 13, "the pieces are 1, 2, 4 and so on, in this order; expected 1 here"},
    {"[processor]\nrest_columns = 1\n", 2, 16,
     "`1` is not a row of a table; write piece:cost, as in rest_rows = 1:1.6; 2:5.5; 4:5.8"},
    {"[processor]\nrest_rows = 1:0\n", 2, 13,
     "the cost of a piece of 1 is 0, but it cannot be below 1; write 1 or more"},
    {"[processor]\nrest_rows = 1:\n", 2, 13,
     "the cost of a piece has no value; it takes rows or columns: write a number such as 1.6"},
    {"[processor]\nrest_rows = 1:0.5\n", 2, 13,
     "the cost of a piece of 1 is 0.5, but it cannot be below 1; write 1 or more"},
    {"[processor]\nrest_columns = 1:1; 2:2; 4:3.9\n", 2, 26,
     "the cost of a piece of 4 is 3.9, but it cannot be below 4; write 4 or more"},
    {LINK "[processor]\nflops_per_s = 1\ntile_rows = 4\nrest_rows = 1:2\n", 7, 1,
     "[processor] has both tile_rows and rest_rows; keep one of them"},
    {LINK "[processor]\nrest_columns = 1:2\nflops_per_s = 1\ntile_columns = 4\n", 7, 1,
     "[processor] has both tile_columns and rest_columns; keep one of them"},
    /* keys that need another one */
    {LINK "[processor]\nflops_per_s = 1\ncache_bytes = 1e6\n", 6, 1,
     "cache_bytes requires miss_bytes_per_s; add it (bytes per second, such as 1.25e9), or remove cache_bytes"},
    {LINK "[processor]\nmiss_bytes_per_s = 1e9\nflops_per_s = 1\n", 5, 1,
     "miss_bytes_per_s requires cache_bytes; add it (bytes, such as 16e9), or remove miss_bytes_per_s"},
    {LINK "[processor]\nflops_per_s = 1\nmiss_most_bytes = 1e6\n", 6, 1,
     "miss_most_bytes requires cache_bytes; add it (bytes, such as 16e9), or remove miss_most_bytes"},
    {LINK "[processor]\nflops_per_s = 1\ncopy_s = 1e-6\n", 6, 1,
     "copy_s requires copy_bytes_per_s; add it (bytes per second, such as 1.25e9), or remove copy_s"},
    /* tables of rates */
    {"[processor]\nrate = 64:2e10; 64:4e11\n", 2, 17,
     "64 is not larger than that of the row before it; sort the rows and give each number once"},
    {"[processor]\nrate = 512:2e10; 64:4e11\n", 2, 18,
     "64 is not larger than that of the row before it; sort the rows and give each number once"},
    {"[processor]\nrate = 2e10\n", 2, 8,
     "`2e10` is not a row of a table; write size:flop/s, as in rate = 64:2e10; 512:4e11"},
    {"[processor]\nrate =\n", 2, 7, "`` is not a row of a table; write size:flop/s, as in rate = 64:2e10; 512:4e11"},
    {"[processor]\nrate = 64:2e10;; 512:4e11\n", 2, 16,
     "`` is not a row of a table; write size:flop/s, as in rate = 64:2e10; 512:4e11"},
    {"[processor]\nrate = 0:1\n", 2, 8, "the size = 0 is zero; write more than 0, such as 512"},
    {"[processor]\nrate = 64:0\n", 2, 8, "the rate = 0 is zero; write more than 0, such as 2e10"},
    {"[processor]\ndeep_rate = 64:inf\n", 2, 13, "the rate = inf is not finite; write more than 0, such as 2e10"},
    {"[processor]\nrate = 64:20 Gflop/s\n", 2, 8,
     "`20 Gflop/s` has a unit; the rate takes floating-point operations per second, so write 2e+10"},
    {"[processor]\nflops_per_s = 1\nrate = 64:2e10\n" LINK, 3, 1,
     "[processor] has both flops_per_s and a table, rate; keep one of them"},
    {"[processor]\nflops_per_s = 1\ndeep_rate = 64:2e10\n" LINK, 3, 1,
     "deep_rate requires rate; replace flops_per_s by rate = 64:2e10; 512:4e11 or the actual rates, or remove "
     "deep_rate"},
    {"[processor]\ndeep_rate = 64:2e10\n" LINK, 2, 1,
     "deep_rate requires rate; add rate = 64:2e10; 512:4e11 or the actual rates, or remove deep_rate"},
    /* words and texts */
    {"[link]\nduplex = both\n", 2, 10, "duplex = both is unknown; write full or half"},
    {"[port]\nports = 1\n", 2, 9, "ports = 1 is unknown; write one, all or fetch"},
    {"[executor]\non =\n", 2, 5, "on has no text; write one, or leave the line out"},
    {"[executor]\ntransport = send # it\n", 2, 13, "transport = send is unknown; write copy, pull, load or message"},
    {"[executor]\non = blocks\ntype = f99\n", 3, 8, "type = f99 is unknown; write f32 or f64"},
    {"[machine]\nname =\n", 2, 7, "name has no text; write one, or leave the line out"},
    {"[machine]\nname = 0123456789012345678901234567890123456789012345678901234567890123\n", 2, 8,
     "name is 64 bytes long; shorten it to 63"},
    {"[machine]\nnetwork = switch:4*tours:8\n", 2, 20,
     "network: switch:4*tours:8: column 10: there is no network 'tours'; did you mean torus?"},
    /* fewer at work */
    {"[executor]\nspeedup_with_fewer = 2\n", 2, 22,
     "`2` is not a row of a table; write number:factor, as in speedup_with_fewer = 1:1.8; 2:1.5"},
    {"[executor]\nspeedup_with_fewer = 2:0\n", 2, 22, "the factor = 0 is zero; write more than 0, such as 1.5"},
    {"[executor]\nspeedup_with_fewer = 2:2; 2:3\n", 2, 27,
     "2 is not larger than that of the row before it; sort the rows and give each number once"},
    {LINK "[processor]\nflops_per_s = 1\n[executor]\non = cpu\nspeedup_with_fewer = 2:2\n", 8, 1,
     "speedup_with_fewer requires at_once; add it (a whole number, such as 16), or remove speedup_with_fewer"},
    {LINK "[processor]\nflops_per_s = 1\n[executor]\nspeedup_with_fewer = 1:3; 4:2\nat_once = 4\n", 7, 1,
     "speedup_with_fewer has a row for 4, but at_once is 4; remove rows for 4 or more, or correct at_once"},
    /* sections and keys */
    {"latency_s = 1\n", 1, 1, "`latency_s` comes before the first section; write [machine] or its section above it"},
    {"[rpocessor]\n", 1, 2, "unknown section [rpocessor]; did you mean [processor]?"},
    {"[link]\nltency_s = 1\n", 2, 1, "unknown key `ltency_s` in [link]; did you mean `latency_s`?"},
    {"[processor]\nFlops_per_s = 1\n", 2, 1, "unknown key `Flops_per_s` in [processor]; did you mean `flops_per_s`?"},
    {"[disk]\nwirte_bytes_per_s = 1\n", 2, 1,
     "unknown key `wirte_bytes_per_s` in [disk]; did you mean `write_bytes_per_s`?"},
    {"[links]\n", 1, 2, "unknown section [links]; did you mean [link]?"},
    {"# network\n[network]\n", 2, 2,
     "unknown section [network]; the sections are [machine], [link], [link.AXIS], [level.LEVEL], [port], [processor], "
     "[disk], [cache], [device] and [executor]"},
    {"[level]\n", 1, 7, "[level.N] needs the number of a level for N, from 0 to 2, as in [level.0]"},
    {"[level.3]\n", 1, 7, "[level.N] needs the number of a level for N, from 0 to 2, as in [level.0]"},
    {"[link.32]\n", 1, 6, "[link.N] needs the number of an axis for N, from 0 to 31, as in [link.0]"},
    {"[link.00]\n", 1, 6, "[link.N] needs the number of an axis for N, from 0 to 31, as in [link.0]"},
    {"[link.x]\n", 1, 6, "[link.N] needs the number of an axis for N, from 0 to 31, as in [link.0]"},
    {"[port.0]\n", 1, 2, "unknown section [port.0]; did you mean [port]?"},
    {"[link\n", 1, 1, "a [section] without its closing bracket; write ] after it"},
    {"[port]\n[link]\n[port]\n", 3, 1, "[port] appears twice, first in line 1; put all its keys there"},
    {"[link.1]\n[link.1]\n", 2, 1, "[link.1] appears twice, first in line 1; put all its keys there"},
    {"[port]\ngap_s = 0\n\ngap_s = 1\n", 4, 1, "gap_s is given twice, first in line 2; keep one of them"},
    {"[processor]\nc_elements_per_s = 1\nc_elements_per_s = 1\n", 3, 1,
     "c_elements_per_s is given twice, first in line 2; keep one of them"},
    {"[port]\nlatency_s = 0\n", 2, 1, "unknown key `latency_s` in [port]; it belongs in [link]"},
    {"[disk]\nmiss_bytes_per_s = 1\n", 2, 1, "unknown key `miss_bytes_per_s` in [disk]; it belongs in [processor]"},
    {"[machine]\nrest_rows = 1:1\n", 2, 1, "unknown key `rest_rows` in [machine]; it belongs in [processor]"},
    {"[port]\nalpha = 0\n", 2, 1, "unknown key `alpha` in [port]; its keys are ports, overhead_s, gap_s and receives"},
    {"[port]\none port\n", 2, 1, "`one port` is neither a [section] nor key = value; write # before a comment"},
    {"[port]\n= 1\n", 2, 1, "`= 1` is neither a [section] nor key = value; write # before a comment"},
    /* characters */
    {"[machine]\nname = caf\xe9\n", 2, 11, "unexpected byte 0xe9, expected plain text in UTF-8"},
    {"[machine]\nname = \u00e9\x1b[0m\n", 2, 9, "unexpected character U+001B; remove it"},
    {"[machine]\nname = a\uffff\n", 2, 9, "unexpected character U+FFFF; remove it"},
    {"[machine]\nsource = \ufffe\n", 2, 10, "unexpected character U+FFFE; remove it"},
    {"[machine]\nname = a\xc2\x9b\n", 2, 9, "unexpected character U+009B; remove it"},
    /* what a whole file must have */
    {"[link]\nlatency_s = 0\n" PROCESSOR, 1, 1,
     "[link] has no bandwidth_bytes_per_s; write bandwidth_bytes_per_s = 1.25e9 or the actual value (bytes per "
     "second)"},
    {"[link]\nbandwidth_bytes_per_s = 1\n" PROCESSOR, 1, 1,
     "[link] has no latency_s; write latency_s = 1e-6 or the actual value (seconds)"},
    {PROCESSOR "[disk]\nread_bytes_per_s = 1\n[link]\nlatency_s = 0\nbandwidth_bytes_per_s = inf\n", 3, 1,
     "[disk] has no write_bytes_per_s; write write_bytes_per_s = 1.25e9 or the actual value (bytes per second)"},
    {LINK "[processor]\nmemory_bytes = 1\n", 4, 1,
     "[processor] has neither flops_per_s nor rate; write flops_per_s = 1e12 or the actual value, or inf to leave the "
     "products out"},
    {LINK, 3, 1,
     "there is no [processor]; write one with flops_per_s = 1e12 or the actual value, or inf to leave the products "
     "out"},
    {PROCESSOR "[link.0]\nlatency_s = 0\n", 4, 1,
     "there is no [link]; write one with latency_s and bandwidth_bytes_per_s"},
    {"", 1, 1, "there is no [link]; write one with latency_s and bandwidth_bytes_per_s"},
};

static void bad_text_is_refused_with_place_and_remedy(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
    TgMachine machine;
    TgError error = {0};
    g_autofree char *shown = g_strescape(bad[i].text, NULL);
    g_test_message("%s", shown);
    g_assert_false(tg_machine_parse(&machine, bad[i].text, strlen(bad[i].text), &error));
    g_assert_cmpstr(error.message, ==, bad[i].message);
    g_assert_cmpint(error.line, ==, bad[i].line);
    g_assert_cmpint(error.column, ==, bad[i].column);
  }
}

static void a_zero_byte_is_refused(void) {
  static const char text[] = "[machine]\nname = a\0b\n";
  TgMachine machine;
  TgError error = {0};
  g_assert_false(tg_machine_parse(&machine, text, sizeof text - 1, &error));
  g_assert_cmpstr(error.message, ==, "unexpected byte 0x00, expected plain text in UTF-8");
  g_assert_true(error.line == 2 && error.column == 9);
}

/* What is quoted ends after a whole character. */
static void long_words_are_shortened(void) {
  g_autoptr(GString) text = g_string_new("[port]\nx"), kept = g_string_new("unknown key `x");
  for (int i = 0; i < 40; i++) g_string_append(text, "\u00e9");
  for (int i = 0; i < 31; i++) g_string_append(kept, "\u00e9");
  g_string_append(kept, "...` in [port]; its keys are ports, overhead_s, gap_s and receives");
  g_string_append(text, " = 1\n");
  TgMachine machine;
  TgError error = {0};
  g_assert_false(tg_machine_parse(&machine, text->str, text->len, &error));
  g_assert_cmpstr(error.message, ==, kept->str);
}

static void no_text_is_refused(void) {
  TgMachine machine;
  TgError error = {0};
  g_assert_false(tg_machine_parse(&machine, NULL, 0, &error));
  g_assert_true(error.line == 1 && error.column == 1);
}

static void too_many_rows_are_refused(void) {
  g_autoptr(GString) text = g_string_new("[processor]\nrate = ");
  for (int row = 1; row <= TG_MACHINE_RATES; row++) g_string_append_printf(text, "%d:1;", row);
  TgMachine machine;
  TgError error = {0};
  g_assert_false(tg_machine_parse(&machine, text->str, text->len, &error)); /* there is no [link] */
  g_assert_cmpint(machine.processor.rate.rows, ==, TG_MACHINE_RATES);
  g_string_append(text, "99:1");
  g_assert_false(tg_machine_parse(&machine, text->str, text->len, &error));
  g_assert_cmpstr(error.message, ==, "the table has more than 32 rows; leave some out");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/machine-errors/text", bad_text_is_refused_with_place_and_remedy);
  g_test_add_func("/machine-errors/zero-byte", a_zero_byte_is_refused);
  g_test_add_func("/machine-errors/too-many-rows", too_many_rows_are_refused);
  g_test_add_func("/machine-errors/long-words", long_words_are_shortened);
  g_test_add_func("/machine-errors/no-text", no_text_is_refused);
  return g_test_run();
}
