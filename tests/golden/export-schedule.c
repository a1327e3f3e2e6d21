/* export-schedule FILE ALGO GRID SETTINGS MxNxK TYPE COLLECTIVE: writes a schedule of the library, or of a file, as
 * GOAL or JSON, the format chosen by the suffix; prints what was exported and what the proof counted. For tests that
 * read the formats. SETTINGS is "-" or "c=2,d=3". */
#include "export-job.h"
#include "prove.h"

#include "../schedule-text.h"

#include <inttypes.h>
#include <stdio.h>

static bool bind(Bound *bound, char **argv, char **text) {
  const TgLibraryEntry *entry = tg_library_find(argv[2]);
  if (entry)
    *text = g_strdup(entry->text);
  else if (!g_file_get_contents(argv[2], text, NULL, NULL))
    return false;
  return bound_from(bound, *text, argv[3], strcmp(argv[4], "-") == 0 ? NULL : argv[4]);
}

static void print_counts(const TgExportJob *job, const TgExported *exported) {
  TgProof proof;
  bool ok = tg_prove(job->schedule, job->names, job->collective, job->m, job->n, job->k, &proof);
  g_print("exported statements=%" PRId64 " products=%" PRId64 " messages=%" PRId64 " sends=%" PRId64 " bytes=%" PRId64
          " flops=%" PRId64 "\n",
          exported->statements, exported->products, exported->messages, exported->sends, exported->bytes,
          exported->flops);
  g_print("proved ok=%d statements=%" PRId64 " products=%" PRId64 " messages=%" PRId64 " bytes=%" PRId64 "\n", ok,
          proof.counts.statements, proof.counts.products, proof.counts.messages,
          proof.words_received * tg_element_bytes(job->element));
}

int main(int argc, char **argv) {
  static Bound bound;
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  if (argc != 8 || !bind(&bound, argv, &text)) {
    g_printerr("%s\n", argc == 8 ? bound.error.message : "usage: see the source");
    return 2;
  }
  TgExportJob job = {.schedule = &bound.schedule, .names = &bound.names, .text = text};
  TgExported exported;
  if (sscanf(argv[5], "%" SCNd64 "x%" SCNd64 "x%" SCNd64, &job.m, &job.n, &job.k) != 3 ||
      !tg_element_parse(argv[6], &job.element) || !tg_collective_parse(argv[7], &job.collective, &bound.error) ||
      !tg_export_write(&job, argv[1], &exported, NULL, &error)) {
    g_printerr("%s\n", error ? error->message : "bad size, type or collective");
    return 2;
  }
  print_counts(&job, &exported);
  return 0;
}
