/** @file interrupt.h
 * Signals that end the program (Ctrl-C, Ctrl-\, SIGTERM, a terminal that is closed) during long work: they are noted,
 * the work stops and cleans up, and main() then ends the program by the same signal, as a shell expects. Another signal
 * ends it at once if it comes at least one second after the first. So does the first one if the work has not obeyed it
 * after five seconds, for example because it waits for a pipe. */
#ifndef TG_INTERRUPT_H
#define TG_INTERRUPT_H

#include <stdbool.h>

/** Notes such signals, but for those that are ignored, until tg_interrupt_release(). */
void tg_interrupt_catch(void);
void tg_interrupt_release(void);
/** Whether one came; what failed since then need not be reported. */
bool tg_interrupted(void);
/** Ends the program by the signal that came, if one did. */
void tg_interrupt_obey(void);

#endif
