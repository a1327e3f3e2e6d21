/** @file export-json.h
 * A schedule as versioned JSON: docs/schema/topogemm-schedule-1.schema.json. */
#ifndef TG_EXPORT_JSON_H
#define TG_EXPORT_JSON_H

#include "export-job.h"

TG_BEGIN_DECLS

/** Writes the schedule's text, its sizes, and every message and product by step and statement. What is written leaves
 * memory: only the run's state is held. Errors: as tg_export_write(). */
bool tg_export_json(const TgExportJob *job, FILE *stream, TgExported *exported, TgError *failure, GError **error);

TG_END_DECLS

#endif
