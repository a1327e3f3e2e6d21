/* The operands of an experiment on the host: what is right is found right, and one wrong element is not, for all types
 * and kinds, in full and by an estimate. */
#include "host-methods.h"
#include "operands.h"

#include <math.h>
#include <string.h>

typedef struct Kind {
  const char *name;
  TgHistoricKind kind;
  TgNumber number;
  bool estimated;
} Kind;

static const Kind kinds[] = {
    {"product/f32", TG_HISTORIC_PRODUCT, TG_NUMBER_F32, false},
    {"product/f64", TG_HISTORIC_PRODUCT, TG_NUMBER_F64, true},
    {"product/i32", TG_HISTORIC_PRODUCT, TG_NUMBER_I32, false},
    {"estimate/f32", TG_HISTORIC_PRODUCT, TG_NUMBER_F32, true},
    {"estimate/i32", TG_HISTORIC_PRODUCT, TG_NUMBER_I32, true},
    {"symmetric/f32", TG_HISTORIC_SYMMETRIC, TG_NUMBER_F32, false},
    {"symmetric/estimate", TG_HISTORIC_SYMMETRIC, TG_NUMBER_F32, true},
    {"transpose/f32", TG_HISTORIC_TRANSPOSE, TG_NUMBER_F32, false},
    {"transpose/i32", TG_HISTORIC_TRANSPOSE, TG_NUMBER_I32, false},
    {"copy/f64", TG_HISTORIC_COPY, TG_NUMBER_F64, false},
};

static void multiply_by_own(const TgOperands *operands) {
  const float *a = operands->host[0];
  float *c = operands->host[2];
  for (int64_t i = 0; i < operands->m; i++)
    for (int64_t j = 0; j < operands->n; j++) {
      double sum = 0;
      for (int64_t l = 0; l < operands->k; l++) sum += (double)a[i * operands->k + l] * a[j * operands->k + l];
      c[i * operands->n + j] = (float)sum;
    }
}

static void fill(const TgOperands *operands) {
  if (operands->kind == TG_HISTORIC_PRODUCT) tg_host_product(operands);
  if (operands->kind == TG_HISTORIC_SYMMETRIC) multiply_by_own(operands);
  if (operands->kind == TG_HISTORIC_TRANSPOSE) tg_host_transpose(operands);
  if (operands->kind == TG_HISTORIC_COPY) memcpy(operands->host[2], operands->host[0], (size_t)operands->bytes[2]);
}

static void add(const TgOperands *operands, int64_t at, double what) {
  void *c = operands->host[2];
  if (operands->number == TG_NUMBER_F32) ((float *)c)[at] += (float)what;
  if (operands->number == TG_NUMBER_F64) ((double *)c)[at] += what;
  if (operands->number == TG_NUMBER_I32) ((int32_t *)c)[at] += (int32_t)what;
}

static TgResult checked(TgOperands *operands) {
  TgResult result = {0};
  TgError error;
  g_assert_true(tg_operands_check(operands, TG_ON_CPU, &result, &error));
  g_assert_true(result.checked);
  return result;
}

static void test_kind(gconstpointer data) {
  const Kind *kind = data;
  const bool flat = kind->kind == TG_HISTORIC_TRANSPOSE || kind->kind == TG_HISTORIC_COPY;
  TgOperands operands = {.kind = kind->kind,
                         .number = kind->number,
                         .estimated = kind->estimated,
                         .m = 23,
                         .n = kind->kind == TG_HISTORIC_SYMMETRIC ? 23 : 17,
                         .k = flat ? 1 : 40,
                         .seed = 5};
  TgError error;
  g_assert_true(tg_operands_open(&operands, false, &error));
  g_assert_true(tg_operands_poison(&operands, TG_ON_CPU, &error));
  g_assert_false(checked(&operands).right);
  const gsize bytes = (gsize)operands.bytes[0];
  g_autofree void *a = memcpy(g_malloc(bytes), operands.host[0], bytes);
  fill(&operands);
  const TgResult right = checked(&operands);
  if (!right.right) g_error("error %g, limit %g", right.error, right.limit);
  g_assert_cmpmem(operands.host[0], bytes, a, bytes); /* the check leaves the operands as they were */
  fill(&operands);                                    /* an estimate of whole numbers may change C */
  add(&operands, operands.m * operands.n - 1, 1);
  g_assert_false(checked(&operands).right);
  fill(&operands);
  if (kind->number != TG_NUMBER_I32) add(&operands, 3, NAN);
  if (kind->number != TG_NUMBER_I32) g_assert_false(checked(&operands).right);
  TgResult counts = {0};
  tg_operands_count(&operands, &counts);
  g_assert_cmpfloat(counts.flops, ==, flat ? 0 : 2.0 * (double)(operands.m * operands.n * operands.k));
  g_assert_cmpfloat(counts.bytes, ==, (double)(operands.bytes[0] + operands.bytes[1] + operands.bytes[2]));
  tg_operands_clear(&operands);
}

/* Two elements exchanged are as many, but not the product. */
static void test_exchange(void) {
  TgOperands operands = {.kind = TG_HISTORIC_PRODUCT, .number = TG_NUMBER_I32, .m = 9, .n = 9, .k = 9, .seed = 2};
  TgError error;
  g_assert_true(tg_operands_open(&operands, false, &error));
  fill(&operands);
  int32_t *c = operands.host[2];
  g_assert_cmpint(c[0], !=, c[1]);
  const int32_t kept = c[0];
  c[0] = c[1], c[1] = kept;
  g_assert_false(checked(&operands).right);
  tg_operands_clear(&operands);
}

static void test_draw(void) {
  TgOperands one = {.kind = TG_HISTORIC_PRODUCT, .number = TG_NUMBER_I32, .m = 50, .n = 50, .k = 50, .seed = 1};
  TgOperands other = one;
  TgError error;
  other.seed = 2;
  g_assert_true(tg_operands_open(&one, false, &error) && tg_operands_open(&other, false, &error));
  const int32_t *a = one.host[0], *b = one.host[1];
  int32_t least = 0, most = 0;
  for (int i = 0; i < 2500; i++) least = MIN(least, a[i]), most = MAX(most, a[i]);
  g_assert_cmpint(least, ==, -9);
  g_assert_cmpint(most, ==, 9);
  g_assert_cmpint(memcmp(a, b, 2500 * sizeof *a), !=, 0);
  g_assert_cmpint(memcmp(a, other.host[0], 2500 * sizeof *a), !=, 0);
  g_assert_cmpint(memcmp(b, other.host[0], 2500 * sizeof *a), !=, 0);
  tg_operands_clear(&one);
  tg_operands_clear(&other);
}

/* Before anything is drawn: a system that promises memory it does not have would end the program in the middle. */
static void test_too_large(void) {
  TgOperands operands = {
      .kind = TG_HISTORIC_PRODUCT, .number = TG_NUMBER_F32, .m = 1 << 23, .n = 1 << 23, .k = 1 << 23};
  TgError error;
  g_assert_false(tg_operands_open(&operands, false, &error));
  g_assert_true(g_str_has_prefix(error.message, "needs 844424930131968 bytes of the host's memory, "));
  g_assert_null(operands.host[0]);
  tg_operands_clear(&operands);
}

static void test_transposed_b(void) {
  TgOperands operands = {.kind = TG_HISTORIC_PRODUCT, .number = TG_NUMBER_F64, .m = 2, .n = 5, .k = 7, .seed = 1};
  double turned[35];
  TgError error;
  g_assert_true(tg_operands_open(&operands, false, &error));
  const TgTransposing turn = {&operands, turned};
  g_assert_true(tg_operands_transpose_b(&turn, &error));
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 5; j++) g_assert_cmpfloat(turned[j * 7 + i], ==, ((double *)operands.host[1])[i * 5 + j]);
  tg_operands_clear(&operands);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autofree char *path = g_strconcat("/operands/", kinds[i].name, NULL);
    g_test_add_data_func(path, &kinds[i], test_kind);
  }
  g_test_add_func("/operands/exchange", test_exchange);
  g_test_add_func("/operands/draw", test_draw);
  g_test_add_func("/operands/too-large", test_too_large);
  g_test_add_func("/operands/transposed-b", test_transposed_b);
  return g_test_run();
}
