/* Which versions of every block are read: followed back from the places of C to those of A. See threads-program.h. */
#include "threads-compiler-private.h"

#include <string.h>

static uint8_t crossed(uint8_t versions) {
  return (uint8_t)((versions & TG_THREADS_STRAIGHT) * TG_THREADS_CROSSED + (versions & TG_THREADS_CROSSED) / 2);
}

/* Forward: what is a sum, and hence which transposes turn one. A transposed block of A stays what it was. */
static void find_crossings(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  g_autofree bool *is_sum = g_new0(bool, MAX(plan->elements, 1));
  for (int64_t i = 0; i < plan->instructions; i++) {
    const int64_t number = compiler->in_order[i];
    const TgBlocksInstruction *x = &plan->instruction[number];
    compiler->crosses[number] = x->operation == TG_BLOCKS_TRANSPOSE && is_sum[x->left];
    if (x->operation == TG_BLOCKS_MULTIPLY)
      is_sum[x->target] = true;
    else
      is_sum[x->target] = (x->left >= 0 && is_sum[x->left]) || (x->addend >= 0 && is_sum[x->addend]);
  }
}

/* Backward: what an instruction makes is what is read of it later; what nobody reads is made straight. */
static void find_needs(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  uint8_t *needed = compiler->needed;
  for (int64_t i = plan->instructions; i-- > 0;) {
    const int64_t number = compiler->in_order[i];
    const TgBlocksInstruction *x = &plan->instruction[number];
    const uint8_t made = needed[x->target] ? needed[x->target] : TG_THREADS_STRAIGHT;
    compiler->versions[number] = made;
    needed[x->target] = 0;
    if (x->addend >= 0) needed[x->addend] |= made;
    if (x->left >= 0) needed[x->left] |= compiler->crosses[number] ? crossed(made) : made;
    if (x->right >= 0) needed[x->right] |= crossed(made);
  }
}

void tg_threads_find_versions(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  if (compiler->program->planes == 1) {
    memset(compiler->versions, TG_THREADS_STRAIGHT, (size_t)plan->instructions);
    memset(compiler->needed, TG_THREADS_STRAIGHT, (size_t)plan->elements);
    return;
  }
  for (int64_t p = 0; p < plan->placed; p++)
    if (plan->place[p].matrix == TG_MATRIX_C) compiler->needed[plan->place[p].offset] = TG_THREADS_STRAIGHT;
  find_crossings(compiler);
  find_needs(compiler);
}
