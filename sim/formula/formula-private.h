/** @file formula-private.h
 * Private to sim/: a parsed formula. Expressions are trees of nodes in one array; a node is its index there. */
#ifndef TG_FORMULA_PRIVATE_H
#define TG_FORMULA_PRIVATE_H

#include "formula.h"

enum {
  TG_FORMULA_MAX_BYTES = 1 << 16,
  TG_FORMULA_MAX_NODES = 4096,
  TG_FORMULA_MAX_DEPTH = 64, /**< operations and parentheses inside one another, as written */
  TG_FORMULA_MAX_LETS = 16,
  TG_FORMULA_MAX_VALID = 8
};

typedef enum TgFormulaOp {
  TG_FORMULA_OP_NUMBER,
  TG_FORMULA_OP_VARIABLE, /**< `index` into `variables` */
  TG_FORMULA_OP_LET,      /**< `index` into `let` */
  TG_FORMULA_OP_ADD,
  TG_FORMULA_OP_SUBTRACT,
  TG_FORMULA_OP_MULTIPLY,
  TG_FORMULA_OP_DIVIDE,
  TG_FORMULA_OP_MODULO,
  TG_FORMULA_OP_POWER,
  TG_FORMULA_OP_NEGATE,
  TG_FORMULA_OP_SQRT,
  TG_FORMULA_OP_CBRT,
  TG_FORMULA_OP_LOG2,
  TG_FORMULA_OP_CEIL,
  TG_FORMULA_OP_FLOOR,
  TG_FORMULA_OP_MIN,
  TG_FORMULA_OP_MAX,
  TG_FORMULA_OP_EQUAL,
  TG_FORMULA_OP_UNEQUAL,
  TG_FORMULA_OP_LESS,
  TG_FORMULA_OP_LESS_EQUAL,
  TG_FORMULA_OP_GREATER,
  TG_FORMULA_OP_GREATER_EQUAL,
  TG_FORMULA_OP_BOTH, /**< the links of a chain of comparisons */
  TG_FORMULA_OPS
} TgFormulaOp;

typedef struct TgFormulaNode {
  TgFormulaOp op;
  int32_t line, column;
  int32_t left, right; /**< operands, -1 where there is none */
  int32_t index;
  double number;
} TgFormulaNode;

/** A line with an expression. `lets` has bit l set where let l is needed, directly or through others. */
typedef struct TgFormulaLine {
  int32_t node; /**< -1: the line is not there */
  uint32_t lets;
} TgFormulaLine;

struct TgFormula {
  char *name;
  char *text[TG_FORMULA_TEXTS];
  GArray *nodes;        /**< TgFormulaNode */
  GPtrArray *variables; /**< char *, and NULL at the end once parsed */
  TgFormulaLine quantity[TG_FORMULA_QUANTITIES];
  int32_t valids;
  TgFormulaLine valid[TG_FORMULA_MAX_VALID];
  char *valid_text[TG_FORMULA_MAX_VALID];
  int32_t lets;
  TgFormulaLine let[TG_FORMULA_MAX_LETS];
  char *let_name[TG_FORMULA_MAX_LETS];
};

static inline const TgFormulaNode *tg_formula_node(const TgFormula *formula, int32_t node) {
  return &g_array_index(formula->nodes, TgFormulaNode, node);
}

/** Fills `error` with "line:column: " and the message; returns false. */
bool tg_formula_fail(GError **error, TgFormulaError code, int line, int column, const char *format, ...)
    G_GNUC_PRINTF(5, 6);

#endif
