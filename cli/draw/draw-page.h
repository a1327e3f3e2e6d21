/** @file draw-page.h
 * `draw -o FILE.html`: the page. */
#ifndef TG_DRAW_PAGE_H
#define TG_DRAW_PAGE_H

#include "cli.h"

/** Writes the page of the command's ALGO, and of those of --beside. */
TgExit tg_draw_page(TgCli *cli);

#endif
