/** @file threads-compiler.h
 * Makes the program of threads-program.h. Host only, and needs no device. */
#ifndef TG_THREADS_COMPILER_H
#define TG_THREADS_COMPILER_H

#include "executor.h"
#include "threads-program.h"

TG_BEGIN_DECLS

/** Proves the schedule, plans it with blocks of one element, and makes the program. Of the options it takes the
 * collective alone. Errors: SCHEDULE; TOO_LARGE with both numbers. Free with tg_threads_program_free(). */
TgThreadsProgram *tg_threads_program_new(const TgSchedule *schedule, const TgScheduleNames *names,
                                         const TgExecutorOptions *options, GError **error);
void tg_threads_program_free(TgThreadsProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgThreadsProgram, tg_threads_program_free)

/** Elements that the blocks of A and B and of C on their places need at least: known before the program is made. */
int64_t tg_threads_least_elements(const TgSchedule *schedule);

/** How m, n and k of the options are tiled around the schedule. */
TgThreadsTiling tg_threads_tiling(const TgSchedule *schedule, const TgExecutorOptions *options);

TG_END_DECLS

#endif
