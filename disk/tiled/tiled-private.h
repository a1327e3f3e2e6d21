/** @file tiled-private.h
 * Private to disk/tiled: where things are in a tiled file. */
#ifndef TG_TILED_PRIVATE_H
#define TG_TILED_PRIVATE_H

/** The table of checksums begins here: after the header. */
enum { TG_TILED_TABLE_AT = 4096 };

#endif
