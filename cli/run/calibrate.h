/** @file calibrate.h
 * What `topogemm calibrate` measures, and how its parts hang together. `compare` uses it where it is given no machine.
 */
#ifndef TG_CALIBRATE_H
#define TG_CALIBRATE_H

#include "environment.h"
#include "executors.h"

#include "calibration.h"
#include "disk-measure.h"

typedef struct TgCalibrateCommand {
  const TgExecutorKind *kind;
  TgCalibrationPlan plan;
  TgEnvironment environment;
  TgCalibration *calibration;
  TgDiskMeasurement disk; /**< set by --disk; otherwise its `io` is empty */
} TgCalibrateCommand;

void tg_calibrate_clear(TgCalibrateCommand *command);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgCalibrateCommand, tg_calibrate_clear)

/** Takes --grid, or `grid` where it is not NULL, --sizes, --budget and --type. Row, transport and device are there. */
TgExit tg_calibrate_options(const TgCli *cli, const char *grid, TgCalibrateCommand *command);
/** Measures, with what is in the plan; the environment has begun. */
TgExit tg_calibrate_measure(TgCli *cli, TgCalibrateCommand *command);

/** The machine's file, with what it was measured with in comments. Free with g_free(). */
char *tg_calibrate_text(const TgCalibrateCommand *command);
/** To people: the samples and the numbers found. */
void tg_calibrate_print(TgCli *cli, const TgCalibrateCommand *command);
/** The document. */
void tg_calibrate_write(TgJson *json, const TgCalibrateCommand *command);

#endif
