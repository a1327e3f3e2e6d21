/** @file fake-calibration.h
 * For tests: calibrations of the executor in fake-executor.h. */
#ifndef TG_TEST_FAKE_CALIBRATION_H
#define TG_TEST_FAKE_CALIBRATION_H

#include "calibration.h"

#include "fake-executor.h"

static inline TgCalibrationPlan plan_of(int32_t rows, int32_t columns, TgTransport transport) {
  const int64_t times = fake.depth[0] ? 8 : 1; /* so that there are several panels */
  return (TgCalibrationPlan){.kind = &fake_kind,
                             .options = {.element = TG_F32, .transport = transport},
                             .rows = rows,
                             .columns = columns,
                             .size = {16 * times, 32 * times, 64 * times, 96 * times},
                             .sizes = 4,
                             .budget_s = 1e-6};
}

static inline TgCalibration *calibrate(int32_t rows, int32_t columns, TgTransport transport) {
  const TgCalibrationPlan plan = plan_of(rows, columns, transport);
  GError *error = NULL;
  TgCalibration *calibration = tg_calibration_new(&plan, &error);
  g_assert_no_error(error);
  return calibration;
}

static inline void expect_near(double value, double wanted) {
  g_assert_cmpfloat_with_epsilon(value, wanted, 2e-3 * wanted);
}

static inline void expect_link(const TgMachine *machine) {
  expect_near(machine->link.latency_s, fake.latency_s);
  expect_near(machine->link.bandwidth_bytes_per_s, fake.bandwidth_bytes_per_s);
}

static inline void reset(TgExecutorTraits traits) {
  memset(&fake, 0, sizeof fake);
  fake_kind.traits = traits;
  fake_kind.on_gpu = true;
  fake.latency_s = 2e-6;
  fake.bandwidth_bytes_per_s = 5e9;
  fake.flops_per_s = 1e10;
  fake.launch_s = 7e-6;
}

/** Of an executor on the CPU, on so many cores. */
static inline void reset_on_cpu(int64_t cores) {
  reset((TgExecutorTraits){.fetches = true});
  fake.at_once = cores;
  fake_kind.on_gpu = false;
  fake.additions_per_s = 3e9;
}

#endif
