/** @file expected-plan.h
 * What a run that follows a plan should take: every instruction with its own time, in the order in which its place
 * works through those of its processors, after all that it waits for. */
#ifndef TG_EXPECTED_PLAN_H
#define TG_EXPECTED_PLAN_H

#include "executor.h"
#include "machine.h"

/** By step, the time in it, waits included: the mean that the executor sums up, see TgExecutorStep.
 * `pass_s`: of the whole plan. Free with g_free(). */
double *tg_expected_plan(const TgExecutorFacts *facts, const TgMachine *machine, TgTransport transport,
                         int64_t element_bytes, double *pass_s);

#endif
