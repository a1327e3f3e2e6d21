/* topogemm list kernels: the ladder, and the kernels of papers. */
#include "list.h"
#include "output.h"

#include "historic.h"
#include "kernel.h"

/* --- the ladder --------------------------------------------------------------------------------------------------- */

void tg_list_kernels_print(TgCli *cli) {
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  g_autoptr(TgTable) table = tg_table_new("lllll");
  const char *const head[] = {"kernel", "types", "GPU from", "idea", "source"};
  for (size_t i = 0; i < G_N_ELEMENTS(head); i++) tg_table_add(table, "%s", head[i]);
  for (size_t i = 0; i < count; i++) {
    tg_table_add(table, "%s", kernels[i].name);
    tg_table_add(table, "%s", kernels[i].elements >> TG_F64 & 1 ? "f32 f64" : "f32");
    tg_table_add(table, "%d.%d%s", kernels[i].capability / 10, kernels[i].capability % 10,
                 kernels[i].newest == kernels[i].capability ? " only" : "");
    tg_table_add(table, "%s", kernels[i].idea);
    tg_table_add(table, "%s", kernels[i].source);
  }
  tg_table_print(cli, table, 0, true);
  if (!tg_kernel_built()) tg_print(cli, "not in this build, which has no CUDA; on the CPU products run on the BLAS\n");
}

void tg_list_kernels_write(TgJson *json) {
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  for (size_t i = 0; i < count; i++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "name", kernels[i].name);
    tg_json_member_bool(json, "f64", kernels[i].elements >> TG_F64 & 1);
    tg_json_member_double(json, "compute_capability", kernels[i].capability / 10.0);
    if (kernels[i].newest)
      tg_json_member_double(json, "newest_compute_capability", kernels[i].newest / 10.0);
    else
      tg_json_member_null(json, "newest_compute_capability");
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

static void print_paper(TgTable *table, const TgHistoricPaper *paper) {
  for (size_t k = 0; k < paper->count; k++) {
    const TgHistoric *kernel = &paper->kernels[k];
    g_autoptr(GString) widths = g_string_new(NULL);
    for (int w = 0; w < TG_HISTORIC_WIDTHS && kernel->widths[w]; w++)
      g_string_append_printf(widths, "%s%d", w ? "," : "", kernel->widths[w]);
    tg_table_add(table, "%s", kernel->name);
    tg_table_add(table, "%s", types_of(kernel));
    tg_table_add(table, "%s", widths->str);
    tg_table_add(table, "%s", kernel->idea);
    tg_table_add(table, "%s", kernel->where);
  }
}

static void print_defects(TgCli *cli, const TgHistoricPaper *paper) {
  for (size_t k = 0; k < paper->count; k++)
    if (paper->kernels[k].defect) tg_print(cli, "%s: %s\n", paper->kernels[k].name, paper->kernels[k].defect);
}

void tg_list_historic_print(TgCli *cli) {
  size_t count;
  const TgHistoricPaper *const *papers = tg_historic_papers(&count);
  g_autoptr(TgTable) table = tg_table_new("lllll");
  const char *const head[] = {"kernel of a paper", "types", "widths", "idea", "where"};
  for (size_t i = 0; i < G_N_ELEMENTS(head); i++) tg_table_add(table, "%s", head[i]);
  for (size_t p = 0; p < count; p++) print_paper(table, papers[p]);
  tg_table_print(cli, table, 0, true);
  for (size_t p = 0; p < count; p++) print_defects(cli, papers[p]);
  for (size_t p = 0; p < count; p++) tg_print(cli, "%s: %s\n", papers[p]->name, papers[p]->source);
}

static void write_paper(TgJson *json, const TgHistoricPaper *paper) {
  for (size_t k = 0; k < paper->count; k++) {
    const TgHistoric *kernel = &paper->kernels[k];
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "name", kernel->name);
    tg_json_member_string(json, "types", types_of(kernel));
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
