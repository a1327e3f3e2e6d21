/** @file topogemm.h
 * All of topogemm for programs: `#include <topogemm/topogemm.h>`, and `pkg-config --cflags --libs topogemm`.
 *
 * A schedule is data (schedule.h), and everything else reads it: what it is parsed from (tg_schedule_parse(),
 * algo-library.h), its proof (prove.h), its steps on real matrices (stepper.h, matrix.h, check.h) and its pictures
 * (draw.h), on a network of processors (topology.h, embedding.h).
 *
 * Nothing here prints or exits. What can fail says so by its result and fills its last argument: a TgError with a place
 * in a text (topology.h and schedule.h), elsewhere a GError. Indices, sizes and counts are 64-bit. Nothing is global:
 * threads may use different objects at once. */
#ifndef TG_TOPOGEMM_H
#define TG_TOPOGEMM_H

/* Networks of processors. */
#include "base.h"
#include "embedding.h"
#include "topology.h"

/* Schedules. */
#include "bounds.h"
#include "collective.h"
#include "element.h"
#include "expression.h"
#include "mutate.h"
#include "prove.h"
#include "schedule.h"
#include "state.h"
#include "trace.h"
#include "walk.h"

/* The library of schedules. */
#include "algo-library.h"

/* Matrices in and out. */
#include "atomic-file.h"
#include "counter-random.h"
#include "export-goal.h"
#include "export-job.h"
#include "export-json.h"
#include "input-bytes.h"
#include "io-error.h"
#include "json-writer.h"
#include "matrix-file.h"
#include "matrix.h"
#include "mtx.h"
#include "npy.h"
#include "raw.h"

/* Schedules on real matrices. */
#include "blas.h"
#include "block.h"
#include "check.h"
#include "shape.h"
#include "sim-error.h"
#include "stepper.h"

/* Their pictures. */
#include "draw-error.h"
#include "draw.h"

#endif
