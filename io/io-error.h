/** @file io-error.h
 * Why a file could not be read or written. The message always names the file (where there is one) and what to do or
 * what was expected. */
#ifndef TG_IO_ERROR_H
#define TG_IO_ERROR_H

#include "base.h"

#include <glib.h>

TG_BEGIN_DECLS

typedef enum TgIoError {
  TG_IO_ERROR_BAD_INPUT,    /**< the file or the caller's sizes make no sense */
  TG_IO_ERROR_CANNOT_READ,  /**< the operating system refused the reading */
  TG_IO_ERROR_CANNOT_WRITE, /**< the operating system refused the writing: no permission, disk full */
  TG_IO_ERROR_TOO_LARGE     /**< sizes overflow, or need more memory than the limit */
} TgIoError;

#define TG_IO_ERROR (tg_io_error_quark())
GQuark tg_io_error_quark(void);
/** Sets the error and is false: `return TG_IO_FAIL(error, BAD_INPUT, "%d bytes", bytes);` */
#define TG_IO_FAIL(error, code, ...) (g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_##code, __VA_ARGS__), false)

/** `length` bytes of a damaged file made fit for a one-line message: cut after 40, other than printable ASCII as \\xNN.
 * Free with g_free(). */
char *tg_io_quote(const char *bytes, size_t length);

TG_END_DECLS

#endif
