/** @file terminal.h
 * The terminal as a screen: entered once, left on every way out, also where a signal or a bug ends the program. */
#ifndef TG_TERMINAL_H
#define TG_TERMINAL_H

#include "cli.h"

/** What comes from the terminal: a character (Unicode), or one of these. */
typedef enum TgKeyCode {
  TG_KEY_RIGHT = 0x110000, /**< beyond all characters */
  TG_KEY_LEFT,
  TG_KEY_UP,
  TG_KEY_DOWN,
  TG_KEY_HOME,
  TG_KEY_END,
  TG_KEY_PAGE_UP,
  TG_KEY_PAGE_DOWN,
  TG_KEY_ESCAPE,
  TG_KEY_ENTER,
  TG_KEY_ERASE,
  TG_KEY_OTHER,  /**< a key that means nothing here */
  TG_KEY_NONE,   /**< the time is over */
  TG_KEY_RESIZE, /**< the screen is to be drawn again: another size, or the program goes on after a stop */
  TG_KEY_GONE    /**< the terminal is no more */
} TgKeyCode;

/** True where standard input and output are a terminal that understands escape sequences. */
bool tg_terminal_usable(void);

/** Enters the alternate screen without echo and line editing. False, with errno, where the terminal refuses. */
bool tg_terminal_enter(void);
/** Leaves it: modes, cursor and screen are as before. */
void tg_terminal_leave(void);

/** The signal that is to end the program, where one came since tg_terminal_enter() or tg_terminal_go_on(); 0: none. For
 * what takes long; a second one ends the program at once. */
int tg_terminal_ending(void);
/** Forgets that signal. */
void tg_terminal_go_on(void);
/** Leaves the screen and ends the program by that signal; returns where there is none. */
void tg_terminal_obey(void);
/** Shows a line of ASCII in the last row, until the next tg_terminal_show(). */
void tg_terminal_note(const char *text);

/** Waits up to `wait_ms` (-1: for ever) for a key. A signal that ends the program does so in here, after
 * tg_terminal_leave(). */
unsigned tg_terminal_key(int wait_ms);
/** Rows and columns; 24x80 where the terminal does not know. */
void tg_terminal_size(int *rows, int *columns);
/** Shows rows of text, each ended by a newline, from the top left on. False where the terminal is gone. */
bool tg_terminal_show(const char *rows);

#endif
