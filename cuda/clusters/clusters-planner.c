#include "clusters-planner-private.h"

/* --- blocks of A and B followed to the products that read them, and sums of products to the blocks of C ---------- */

typedef enum Kind { NOTHING, ZERO, TILE, SUMS } Kind;

/* What a block of the plan's memory holds. */
typedef struct Content {
  Kind kind;
  int32_t tile;
  bool transposed; /* holds the transpose of that */
  GArray *sums;    /* int32_t, numbers in TgFollowed.sums; a reference of its own */
} Content;

typedef struct Follower {
  TgFollowed *followed;
  Content *content; /* by offset */
  GError **error;
} Follower;

static bool refuse(const Follower *follower, const char *what) {
  return TG_EXECUTOR_FAIL(follower->error, BAD_INPUT,
                          "the executor clusters runs a schedule once for every tile of C and panel of K: %s; the "
                          "executor blocks runs it as a whole",
                          what);
}

static void set(Follower *follower, int64_t offset, Content content) {
  Content *at = &follower->content[offset];
  if (at->sums) g_array_unref(at->sums);
  *at = content;
}

static GArray *sums_of(const Content *content) {
  GArray *sums = g_array_new(FALSE, FALSE, sizeof(int32_t));
  if (content && content->kind == SUMS) g_array_append_vals(sums, content->sums->data, content->sums->len);
  return sums;
}

static void freeze(const Follower *follower, const Content *content) {
  for (guint s = 0; content->kind == SUMS && s < content->sums->len; s++)
    g_array_index(follower->followed->sums, TgFollowedSum, g_array_index(content->sums, int32_t, s)).frozen = true;
}

static const Content *content_at(const Follower *follower, int64_t offset) {
  return offset < 0 ? NULL : &follower->content[offset];
}

/* --- the five operations ------------------------------------------------------------------------------------------ */

static int32_t copy_tile(Follower *follower, const TgBlocksInstruction *x, int32_t from) {
  const TgTile *source = tg_followed_tile(follower->followed, from);
  if (source->owner == x->processor) return from;
  const TgTile tile = {.owner = x->processor,
                       .matrix = source->matrix,
                       .row = source->row,
                       .column = source->column,
                       .from = from,
                       .statement = x->statement,
                       .step = x->step,
                       .order = x->order};
  g_array_append_val(follower->followed->tiles, tile);
  return (int32_t)follower->followed->tiles->len - 1;
}

static bool follow_copy(Follower *follower, const TgBlocksInstruction *x) {
  const Content *left = content_at(follower, x->left);
  Content content = *left;
  freeze(follower, left);
  if (left->kind == SUMS) content.sums = g_array_ref(left->sums);
  if (left->kind == TILE) content.tile = copy_tile(follower, x, left->tile);
  set(follower, x->target, content);
  return true;
}

static bool follow_zero(Follower *follower, const TgBlocksInstruction *x) {
  set(follower, x->target, (Content){.kind = ZERO});
  return true;
}

static bool follow_transpose(Follower *follower, const TgBlocksInstruction *x) {
  Content content = *content_at(follower, x->left);
  freeze(follower, &content);
  if (content.kind == SUMS) g_array_ref(content.sums);
  content.transposed = !content.transposed;
  set(follower, x->target, content);
  return true;
}

static bool follow_add(Follower *follower, const TgBlocksInstruction *x) {
  const Content *addend = content_at(follower, x->addend), *left = content_at(follower, x->left);
  if ((addend && addend->kind == TILE) || (left && left->kind == TILE))
    return refuse(follower, "it adds up blocks that are not products");
  Content content = {.kind = SUMS, .sums = sums_of(addend)};
  if (left && left->kind == SUMS) g_array_append_vals(content.sums, left->sums->data, left->sums->len);
  content.transposed = (addend && addend->transposed) || (left && left->transposed);
  if (addend) freeze(follower, addend);
  if (left) freeze(follower, left);
  set(follower, x->target, content);
  return true;
}

/* The sum that the product goes into: the last one of what it is added to, if that is this processor's and nobody else
 * holds it as it stands; else a new one. */
static int32_t choose_sum(const Follower *follower, const TgBlocksInstruction *x, GArray *sums) {
  GArray *all = follower->followed->sums;
  if (sums->len > 0 && x->addend == x->target) {
    const int32_t last = g_array_index(sums, int32_t, sums->len - 1);
    const TgFollowedSum *sum = &g_array_index(all, TgFollowedSum, last);
    if (sum->processor == x->processor && !sum->frozen) return last;
  }
  const TgFollowedSum fresh = {.processor = x->processor};
  const int32_t number = (int32_t)all->len;
  g_array_append_val(all, fresh);
  g_array_append_val(sums, number);
  return number;
}

static bool is_factor(const Follower *follower, const Content *content, int32_t transposed, int role) {
  const TgComputes *computes = &follower->followed->schedule->computes;
  if (!content || content->kind != TILE) return false;
  const TgTile *tile = tg_followed_tile(follower->followed, content->tile);
  const int matrix = role == TG_ROLE_LEFT ? computes->left : computes->right;
  const int stored = role == TG_ROLE_LEFT ? computes->left_transposed : computes->right_transposed;
  return tile->matrix == matrix && (content->transposed != (transposed != 0)) == (stored != 0);
}

static bool follow_multiply(Follower *follower, const TgBlocksInstruction *x) {
  const Content *left = content_at(follower, x->left), *right = content_at(follower, x->right);
  const Content *addend = content_at(follower, x->addend);
  if (!is_factor(follower, left, x->left_transposed, TG_ROLE_LEFT) ||
      !is_factor(follower, right, x->right_transposed, TG_ROLE_RIGHT))
    return refuse(follower, "a product's factors are not those of `computes`, left and right");
  if (x->addend != x->target && addend) freeze(follower, addend);
  GArray *sums = sums_of(addend);
  const bool transposed = addend && addend->kind == SUMS && addend->transposed;
  const TgFollowedProduct product = {.processor = x->processor,
                                     .tile = {left->tile, right->tile},
                                     .sum = choose_sum(follower, x, sums),
                                     .step = x->step,
                                     .order = x->order};
  g_array_append_val(follower->followed->products, product);
  set(follower, x->target, (Content){.kind = SUMS, .sums = sums, .transposed = transposed});
  return true;
}

typedef bool (*Operation)(Follower *follower, const TgBlocksInstruction *x);

static const Operation operations[TG_BLOCKS_OPERATIONS] = {[TG_BLOCKS_ZERO] = follow_zero,
                                                           [TG_BLOCKS_COPY] = follow_copy,
                                                           [TG_BLOCKS_ADD] = follow_add,
                                                           [TG_BLOCKS_TRANSPOSE] = follow_transpose,
                                                           [TG_BLOCKS_MULTIPLY] = follow_multiply};

static int by_order(const void *a, const void *b) {
  const TgBlocksInstruction *const *x = a, *const *y = b;
  return ((*x)->order > (*y)->order) - ((*x)->order < (*y)->order);
}

static void place(Follower *follower) {
  const TgFollowed *followed = follower->followed;
  const TgBlocksPlan *plan = followed->plan;
  for (int64_t b = 0; b < plan->placed; b++) {
    const TgBlocksPlaced *placed = &plan->place[b];
    if (placed->matrix == TG_MATRIX_C) continue;
    const TgTile tile = {.owner = placed->processor,
                         .matrix = placed->matrix,
                         .row = placed->row,
                         .column = placed->column,
                         .from = -1,
                         .order = -1};
    set(follower, placed->offset, (Content){.kind = TILE, .tile = (int32_t)followed->tiles->len});
    g_array_append_val(followed->tiles, tile);
  }
}

static bool follow_all(Follower *follower) {
  const TgBlocksPlan *plan = follower->followed->plan;
  g_autofree const TgBlocksInstruction **ordered = g_new(const TgBlocksInstruction *, MAX(plan->instructions, 1));
  for (int64_t i = 0; i < plan->instructions; i++) ordered[i] = &plan->instruction[i];
  qsort(ordered, (size_t)plan->instructions, sizeof *ordered, by_order);
  for (int64_t i = 0; i < plan->instructions; i++)
    if (!operations[ordered[i]->operation](follower, ordered[i])) return false;
  return true;
}

static bool take_outputs(Follower *follower) {
  const TgFollowed *followed = follower->followed;
  const TgBlocksPlan *plan = followed->plan;
  for (int64_t b = 0; b < plan->placed; b++) {
    const TgBlocksPlaced *placed = &plan->place[b];
    if (placed->matrix != TG_MATRIX_C) continue;
    const Content *content = &follower->content[placed->offset];
    if (content->kind != SUMS) return refuse(follower, "its C is not made of products");
    if (content->transposed)
      return refuse(follower, "it transposes sums, but tiles off the diagonal have none to transpose");
    const TgFollowedOutput output = {.processor = placed->processor,
                                     .row = placed->row,
                                     .column = placed->column,
                                     .sums = g_array_ref(content->sums)};
    for (guint s = 0; s < output.sums->len; s++)
      g_array_index(followed->sums, TgFollowedSum, g_array_index(output.sums, int32_t, s)).live = true;
    g_array_append_val(followed->outputs, output);
  }
  return true;
}

/* --- what is needed, and where it comes from ---------------------------------------------------------------------- */

static void mark_needed(TgFollowed *followed) {
  for (guint p = 0; p < followed->products->len; p++) {
    const TgFollowedProduct *product = &g_array_index(followed->products, TgFollowedProduct, p);
    if (!g_array_index(followed->sums, TgFollowedSum, product->sum).live) continue;
    for (int role = 0; role < TG_ROLES; role++) {
      TgTile *tile = tg_followed_tile(followed, product->tile[role]);
      tile->needed[role] = true;
      tile->uses[role]++;
    }
  }
  for (int32_t t = (int32_t)followed->tiles->len - 1; t >= 0; t--) { /* copies come after what they are copies of */
    const TgTile *tile = tg_followed_tile(followed, t);
    for (int role = 0; role < TG_ROLES && tile->from >= 0; role++) {
      if (!tile->needed[role]) continue;
      tg_followed_tile(followed, tile->from)->needed[role] = true;
      tg_followed_tile(followed, tile->from)->uses[role]++;
    }
  }
}

/* A tile that is moved before anything else reads it is loaded where it goes, and no longer needed where it was. With
 * TG_TRANSPORT_LOAD all tiles are loaded. */
static void choose_loads(TgFollowed *followed) {
  const bool all = followed->options->transport == TG_TRANSPORT_LOAD;
  for (int32_t t = 0; t < (int32_t)followed->tiles->len; t++) {
    TgTile *tile = tg_followed_tile(followed, t);
    const bool moved = tile->from >= 0 && followed->schedule->statement[tile->statement].op == TG_OP_MOVE;
    for (int role = 0; role < TG_ROLES; role++) {
      TgTile *from = tile->from >= 0 ? tg_followed_tile(followed, tile->from) : NULL;
      if (!tile->needed[role]) continue;
      tile->loaded[role] = all || !from || (moved && from->loaded[role] && from->uses[role] == 1);
      if (from && tile->loaded[role] && --from->uses[role] == 0) from->needed[role] = false;
    }
  }
}

static void number_sums(TgFollowed *followed) {
  int32_t count[TG_CLUSTER_MOST] = {0};
  for (guint s = 0; s < followed->sums->len; s++) {
    TgFollowedSum *sum = &g_array_index(followed->sums, TgFollowedSum, s);
    if (sum->live) sum->number = count[sum->processor]++;
  }
}

/* Follows all blocks through the plan, a block an element. Then: which tiles are needed, and which are loaded. */
static bool follow(TgFollowed *followed, GError **error) {
  Follower follower = {
      .followed = followed, .content = g_new0(Content, (gsize)MAX(followed->plan->elements, 1)), .error = error};
  followed->tiles = g_array_new(FALSE, TRUE, sizeof(TgTile));
  followed->sums = g_array_new(FALSE, TRUE, sizeof(TgFollowedSum));
  followed->products = g_array_new(FALSE, FALSE, sizeof(TgFollowedProduct));
  followed->outputs = g_array_new(FALSE, FALSE, sizeof(TgFollowedOutput));
  place(&follower);
  const bool fine = follow_all(&follower) && take_outputs(&follower);
  for (int64_t c = 0; c < followed->plan->elements; c++) set(&follower, c, (Content){0});
  g_free(follower.content);
  if (!fine) return false;
  mark_needed(followed);
  choose_loads(followed);
  number_sums(followed);
  return true;
}

static void followed_clear(TgFollowed *followed) {
  for (guint o = 0; followed->outputs && o < followed->outputs->len; o++)
    g_array_unref(g_array_index(followed->outputs, TgFollowedOutput, o).sums);
  if (followed->tiles) g_array_unref(followed->tiles);
  if (followed->sums) g_array_unref(followed->sums);
  if (followed->products) g_array_unref(followed->products);
  if (followed->outputs) g_array_unref(followed->outputs);
}

/* --- the plan ------------------------------------------------------------------------------------------------- */

/* The schedule on blocks of one element each: what matters is who reads what. */
static TgBlocksPlan *plan_blocks(const TgSchedule *schedule, const TgScheduleNames *names,
                                 const TgExecutorOptions *options, GError **error) {
  const TgBlocksLayout layout = {.pad = 1, .align = 1};
  TgExecutorOptions single = *options;
  single.m = schedule->blocks[TG_MATRIX_C][0];
  single.n = schedule->blocks[TG_MATRIX_C][1];
  single.k = schedule->inner;
  single.transport = TG_TRANSPORT_COPY;
  return tg_blocks_plan_new(schedule, names, &single, &layout, error);
}

/* What can be told from the schedule and its network alone. */
static bool takes(const TgSchedule *schedule, GError **error) {
  const int64_t processors = tg_schedule_processors(schedule);
  if (processors > TG_CLUSTER_MOST)
    return TG_EXECUTOR_FAIL(error, TOO_LARGE, "%lld processors, but a cluster has at most %d blocks",
                            (long long)processors, TG_CLUSTER_MOST);
  return schedule->computes.right != TG_MATRICES ||
         TG_EXECUTOR_FAIL(error, BAD_INPUT,
                          "the executor clusters runs products, but the schedule has none: use the executor blocks");
}

TgClusterPlan *tg_cluster_plan_new(const TgSchedule *schedule, const TgScheduleNames *names,
                                   const TgExecutorOptions *options, int32_t slots, int32_t warps, GError **error) {
  g_autoptr(TgBlocksPlan) blocks = takes(schedule, error) ? plan_blocks(schedule, names, options, error) : NULL;
  if (!blocks) return NULL;
  if (blocks->steps > TG_CLUSTER_STEPS) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                "%lld steps, but the executor clusters supports at most %d", (long long)blocks->steps,
                TG_CLUSTER_STEPS);
    return NULL;
  }
  TgFollowed followed = {.schedule = schedule, .options = options, .plan = blocks};
  TgClusterPlan *plan = follow(&followed, error) ? tg_cluster_streams_new(&followed, slots, warps, error) : NULL;
  followed_clear(&followed);
  return plan;
}

void tg_cluster_plan_free(TgClusterPlan *plan) {
  if (!plan) return;
  g_free(plan->processor);
  g_free(plan->op);
  g_free(plan->product);
  g_free(plan->output);
  g_free(plan->term);
  g_free(plan);
}
