/* Machine files as text, from the same tables that read them. */
#include "machine-keys.h"

/* 15 digits if they read back as the same number, otherwise 17: 5.212, not 5.2119999999999997. */
static void write_number(GString *text, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(digits, sizeof digits, "%.15g", number);
  if (g_ascii_strtod(digits, NULL) != number) g_ascii_dtostr(digits, sizeof digits, number);
  g_string_append(text, digits);
}

static void write_rates(GString *text, const TgMachineRates *rates) {
  for (int32_t i = 0; i < rates->rows; i++) {
    if (i) g_string_append(text, "; ");
    write_number(text, rates->row[i].size);
    g_string_append_c(text, ':');
    write_number(text, rates->row[i].flops_per_s);
  }
}

static void write_protocols(GString *text, const TgMachineProtocols *protocols) {
  for (int32_t i = 0; i < protocols->rows; i++) {
    const TgMachineProtocol *row = &protocols->row[i];
    const double numbers[] = {row->from_bytes, row->latency_s, row->bandwidth_bytes_per_s};
    for (gsize n = 0; n < G_N_ELEMENTS(numbers); n++) {
      if (n || i) g_string_append(text, n ? ":" : "; ");
      write_number(text, numbers[n]);
    }
  }
}

static void write_rests(GString *text, const TgMachineRests *rests) {
  for (int32_t i = 0; i < rests->pieces; i++) {
    g_string_append_printf(text, "%s%d:", i ? "; " : "", 1 << i);
    write_number(text, rests->takes[i]);
  }
}

static void write_fewer(GString *text, const TgMachineFewer *fewer) {
  for (int32_t i = 0; i < fewer->rows; i++) {
    g_string_append_printf(text, "%s%g:", i ? "; " : "", fewer->row[i].at_once);
    write_number(text, fewer->row[i].speedup);
  }
}

static void write_value(GString *text, const TgMachineKey *key, const void *field) {
  switch (key->kind) {
  case TG_VALUE_RATES:
    write_rates(text, field);
    break;
  case TG_VALUE_PROTOCOLS:
    write_protocols(text, field);
    break;
  case TG_VALUE_RESTS:
    write_rests(text, field);
    break;
  case TG_VALUE_FEWER:
    write_fewer(text, field);
    break;
  case TG_VALUE_WORD:
    g_string_append(text, key->words[*(const int32_t *)field]);
    break;
  case TG_VALUE_NAME:
  case TG_VALUE_TEXT:
  case TG_VALUE_NETWORK:
    g_string_append(text, field);
    break;
  default:
    write_number(text, *(const double *)field);
  }
}

static void write_section(GString *text, const TgMachineSection *section, int index, const int32_t *given) {
  if (!*given) return;
  if (section->count)
    g_string_append_printf(text, "[%s.%d]\n", section->name, index);
  else
    g_string_append_printf(text, "[%s]\n", section->name);
  for (int bit = 0; section->keys[bit].name; bit++) {
    const TgMachineKey *key = &section->keys[bit];
    if (!(*given & (1 << bit))) continue;
    g_string_append_printf(text, "%s = ", key->name);
    write_value(text, key, (const char *)given + key->offset);
    g_string_append_c(text, '\n');
  }
}

char *tg_machine_text(const TgMachine *machine) {
  GString *text = g_string_new(NULL);
  for (const TgMachineSection *section = tg_machine_sections; section->name; section++)
    for (int index = 0; index < MAX(section->count, 1); index++)
      write_section(text, section, index,
                    (const int32_t *)((const char *)machine + section->offset + (size_t)index * section->stride));
  return g_string_free(text, FALSE);
}
