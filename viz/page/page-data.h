/** @file page-data.h
 * The page with its script and its module in it, and marks (@TITLE@ …) where texts go; made by build-page.py. Private
 * to viz/page/. */
#ifndef TG_PAGE_DATA_H
#define TG_PAGE_DATA_H

#include <stddef.h>

extern const unsigned char tg_page_template[];
extern const size_t tg_page_template_bytes; /**< 0: the build has no page */
extern const char tg_page_missing[];        /**< why */

#endif
