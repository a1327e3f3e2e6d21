/** @file export-goal.h
 * A schedule in GOAL, the text that LogGOPSim's txt2bin reads (T. Hoefler, T. Schneider, A. Lumsdaine, LogGOPSim:
 * Simulating Large-Scale Applications in the LogGOPS Model, LSAP 2010; T. Hoefler, C. Siebert, A. Lumsdaine, Group
 * Operation Assembly Language, ICPP 2009). */
#ifndef TG_EXPORT_GOAL_H
#define TG_EXPORT_GOAL_H

#include "export-job.h"

TG_BEGIN_DECLS

/** Writes the whole run: every processor's sends, receives and products, and what each of them waits for. A processor
 * begins a statement, and a round of an expanded collective, when its previous one is complete. Holds 24 bytes for each
 * send, receive and product, and the run's state.
 * Errors: as tg_export_write(); TOO_LARGE also where a product takes more than 2^63-1 ns. */
bool tg_export_goal(const TgExportJob *job, FILE *stream, TgExported *exported, TgError *failure, GError **error);

TG_END_DECLS

#endif
