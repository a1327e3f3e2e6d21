/* topogemm list kernels: the ladder, and the kernels of papers. */
#include "list.h"
#include "output.h"

#include "historic.h"
#include "kernel.h"

#include <math.h>
#include <string.h>

/* --- the ladder --------------------------------------------------------------------------------------------------- */

void tg_list_kernels_names(GString *names) {
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  for (size_t i = 0; i < count; i++) tg_list_append(names, kernels[i].name);
  const TgHistoricPaper *const *papers = tg_historic_papers(&count);
  for (size_t p = 0; p < count; p++)
    g_string_append_printf(names, "%s %zu of %s", p ? "," : "; of papers:", papers[p]->count, papers[p]->name);
}

void tg_list_kernels_print(TgCli *cli) {
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  TgListing listing = tg_listing_new("lll");
  const char *const head[] = {"kernel", "types", "GPU from"};
  for (size_t i = 0; i < G_N_ELEMENTS(head); i++) tg_table_add(listing.table, "%s", head[i]);
  tg_listing_add(&listing, "idea (source)");
  for (size_t i = 0; i < count; i++) {
    tg_table_add(listing.table, "%s", kernels[i].name);
    tg_table_add(listing.table, "%s", kernels[i].elements >> TG_F64 & 1 ? "f32 f64" : "f32");
    tg_table_add(listing.table, "%d.%d%s", kernels[i].capability / 10, kernels[i].capability % 10,
                 kernels[i].newest == kernels[i].capability ? " only" : "");
    tg_listing_add(&listing, "%s (%s)", kernels[i].idea, kernels[i].source);
  }
  tg_listing_print(cli, &listing);
  if (!tg_kernel_built()) tg_print(cli, "not in this build, which has no CUDA; on the CPU products run on the BLAS\n");
}

static void write_types(TgJson *json, const char *types) {
  g_auto(GStrv) words = g_strsplit(types, " ", -1);
  tg_json_key(json, "types");
  tg_json_begin_array(json, TG_JSON_ROW);
  for (char **word = words; *word; word++) tg_json_string(json, *word);
  tg_json_end_array(json);
}

void tg_list_kernels_write(TgJson *json) {
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  for (size_t i = 0; i < count; i++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "name", kernels[i].name);
    write_types(json, kernels[i].elements >> TG_F64 & 1 ? "f32 f64" : "f32");
    tg_json_member_double(json, "compute_capability", kernels[i].capability / 10.0);
    tg_json_member_double(json, "newest_compute_capability", kernels[i].newest ? kernels[i].newest / 10.0 : NAN);
    tg_json_member_bool(json, "exact", kernels[i].exact);
    tg_json_member_bool(json, "built", tg_kernel_built());
    tg_json_member_string(json, "idea", kernels[i].idea);
    tg_json_member_string(json, "source", kernels[i].source);
    tg_json_end_object(json);
  }
}

/* --- papers ------------------------------------------------------------------------------------------------------- */

static const char *types_of(const TgHistoric *kernel) {
  static const char *const names[] = {"", "f32", "i32", "f32 i32"};
  return names[kernel->types];
}

static void add_paper(TgListing *listing, const TgHistoricPaper *paper) {
  for (size_t k = 0; k < paper->count; k++) {
    const TgHistoric *kernel = &paper->kernels[k];
    g_autoptr(GString) widths = g_string_new(NULL);
    for (int w = 0; w < TG_HISTORIC_WIDTHS && kernel->widths[w]; w++)
      g_string_append_printf(widths, "%s%d", w ? "," : "", kernel->widths[w]);
    tg_table_add(listing->table, "%s", kernel->name);
    tg_table_add(listing->table, "%s", types_of(kernel));
    tg_table_add(listing->table, "%s", widths->str);
    tg_listing_add(listing, "%s (%s)%s%s", kernel->idea, kernel->where, kernel->defect ? "; defect: " : "",
                   kernel->defect ? kernel->defect : "");
  }
}

void tg_list_historic_print(TgCli *cli) {
  size_t count;
  const TgHistoricPaper *const *papers = tg_historic_papers(&count);
  if (count == 0) {
    tg_print(cli, "kernels of papers are not in this build (-Dpapers=false)\n");
    return;
  }
  TgListing listing = tg_listing_new("lll");
  const char *const head[] = {"kernel of a paper", "types", "widths"};
  for (size_t i = 0; i < G_N_ELEMENTS(head); i++) tg_table_add(listing.table, "%s", head[i]);
  tg_listing_add(&listing, "idea (where in the paper)");
  for (size_t p = 0; p < count; p++) add_paper(&listing, papers[p]);
  tg_listing_print(cli, &listing);
  for (size_t p = 0; p < count; p++) {
    tg_print(cli, "%s: ", papers[p]->name);
    tg_print_wrapped_within(cli, papers[p]->source, 4, (int)strlen(papers[p]->name) + 2, TG_LIST_COLUMNS);
  }
}

static void write_paper(TgJson *json, const TgHistoricPaper *paper) {
  for (size_t k = 0; k < paper->count; k++) {
    const TgHistoric *kernel = &paper->kernels[k];
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "name", kernel->name);
    write_types(json, types_of(kernel));
    tg_json_key(json, "widths");
    tg_json_begin_array(json, TG_JSON_ROW);
    for (int w = 0; w < TG_HISTORIC_WIDTHS && kernel->widths[w]; w++) tg_json_integer(json, kernel->widths[w]);
    tg_json_end_array(json);
    tg_json_member_bool(json, "built", tg_historic_built(kernel));
    tg_json_member_string(json, "idea", kernel->idea);
    tg_json_member_string(json, "defect", kernel->defect);
    tg_json_member_string(json, "where", kernel->where);
    tg_json_member_string(json, "source", paper->source);
    tg_json_end_object(json);
  }
}

void tg_list_historic_write(TgJson *json) {
  size_t count;
  const TgHistoricPaper *const *papers = tg_historic_papers(&count);
  for (size_t p = 0; p < count; p++) write_paper(json, papers[p]);
}
