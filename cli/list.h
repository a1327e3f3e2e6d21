/** @file list.h
 * Private to `topogemm list`. */
#ifndef TG_LIST_H
#define TG_LIST_H

#include "cli.h"

#include "json-writer.h"

void tg_list_kernels_print(TgCli *cli);
void tg_list_kernels_write(TgJson *json);
void tg_list_historic_print(TgCli *cli);
void tg_list_historic_write(TgJson *json);

#endif
