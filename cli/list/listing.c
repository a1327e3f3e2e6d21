/* What the parts of `topogemm list` are printed with. */
#include "list.h"
#include "output.h"

enum { INDENT = 4 };

TgListing tg_listing_new(const char *align) {
  return (TgListing){tg_table_new(align), g_ptr_array_new_with_free_func(g_free)};
}

void tg_listing_add(TgListing *listing, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_ptr_array_add(listing->texts, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

void tg_listing_print(TgCli *cli, TgListing *listing) {
  g_auto(GStrv) lines = tg_table_lines(listing->table);
  for (guint i = 0; i < listing->texts->len; i++) {
    tg_print_styled(cli, i ? TG_STYLE_PLAIN : TG_STYLE_HEADING, "%s\n", lines[i]);
    tg_print_wrapped_within(cli, listing->texts->pdata[i], INDENT, 0, TG_LIST_COLUMNS);
  }
  tg_table_free(listing->table);
  g_ptr_array_unref(listing->texts);
}

void tg_list_append(GString *names, const char *name) {
  g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
}
