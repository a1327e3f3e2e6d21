/** @file hardware-tree.h
 * Parts within parts, as XML files nest them, with processors in them. */
#ifndef TG_HARDWARE_TREE_H
#define TG_HARDWARE_TREE_H

#include "hardware-pairs.h"

typedef struct TgHardwarePart {
  int32_t outer; /* the part that it is in; -1: none */
  int32_t depth;
  char *name;
} TgHardwarePart;

typedef struct TgHardwareTree {
  GArray *parts;      /* TgHardwarePart */
  GArray *processors; /* int32_t: places in `parts`, in the file's order */
  int32_t inside;     /* the part that the reader is in; -1: none */
} TgHardwareTree;

void tg_hardware_tree_init(TgHardwareTree *tree);
void tg_hardware_tree_clear(TgHardwareTree *tree);

/* Enters a new part. Errors: BAD_INPUT, of files that nest too deeply. */
bool tg_hardware_tree_enter(TgHardwareTree *tree, const char *name, GError **error);
void tg_hardware_tree_leave(TgHardwareTree *tree);
/* The part at `place`. */
TgHardwarePart *tg_hardware_tree_part(const TgHardwareTree *tree, int32_t place);

/* Errors: BAD_INPUT, TOO_LARGE, by the number of processors. */
bool tg_hardware_tree_check(const TgHardwareTree *tree, const char *name, const char *processor, GError **error);

/* Adds joints to `pairs`, one for each depth, by the innermost part that two processors are both in; `joint_of`
 * returns the joint for that part's name. Pairs whose `links` are set keep their joint. */
void tg_hardware_tree_join(const TgHardwareTree *tree, TgHardwarePairs *pairs,
                           TgHardwareJoint (*joint_of)(const char *name, const void *data), const void *data);

/* Parses XML with `parser`, whose user data is `data`. Errors: BAD_INPUT, with line and column. */
bool tg_hardware_parse_xml(const char *name, const char *text, size_t size, const GMarkupParser *parser, void *data,
                           GError **error);
/* The attribute's value; NULL: there is none. */
const char *tg_hardware_attribute(const char *name, const char **names, const char **values);

#endif
