/** @file list.h
 * Private to `topogemm list`. */
#ifndef TG_LIST_H
#define TG_LIST_H

#include "cli.h"

#include "json-fields.h"

enum { TG_LIST_COLUMNS = 80 };

/** Entries of two parts: a row of a table, and text that stands below it, wrapped. The first is the heading. */
typedef struct TgListing {
  struct TgTable *table;
  GPtrArray *texts; /**< char * */
} TgListing;

TgListing tg_listing_new(const char *align);
/** Ends an entry, whose cells are in the table. */
void tg_listing_add(TgListing *listing, const char *format, ...) TG_PRINTF(2, 3);
/** Prints the entries within 80 columns, and frees the listing. */
void tg_listing_print(TgCli *cli, TgListing *listing);

/** Appends a name to a list with commas. */
void tg_list_append(GString *names, const char *name);

void tg_list_kernels_names(GString *names);
void tg_list_kernels_print(TgCli *cli);
void tg_list_kernels_write(TgJson *json);
void tg_list_historic_print(TgCli *cli);
void tg_list_historic_write(TgJson *json);

#endif
