/** @file export-size.h
 * Private to io/: how large an export becomes. */
#ifndef TG_EXPORT_SIZE_H
#define TG_EXPORT_SIZE_H

#include "export-job.h"

TG_BEGIN_DECLS

/** Bytes of the file, an estimate. */
double tg_export_json_size(const TgExportJob *job);
double tg_export_goal_size(const TgExportJob *job);

TG_END_DECLS

#endif
