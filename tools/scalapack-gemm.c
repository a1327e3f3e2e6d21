/* C = A * B by ScaLAPACK's p?gemm on a grid of ranks: prints the median of some runs, in seconds.
 * Usage: scalapack-gemm ROWS COLUMNS M N K BLOCK f32|f64 TRIALS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
int numroc_(const int *n, const int *block, const int *process, const int *first, const int *processes);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb, const int *row,
               const int *column, const int *context, const int *leading, int *info);
void psgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const float *alpha,
             const float *a, const int *ia, const int *ja, const int *da, const float *b, const int *ib, const int *jb,
             const int *db, const float *beta, float *c, const int *ic, const int *jc, const int *dc);
void pdgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *da, const double *b, const int *ib,
             const int *jb, const int *db, const double *beta, double *c, const int *ic, const int *jc, const int *dc);

static int compare(const void *a, const void *b) {
  const double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

typedef struct Matrix {
  int descriptor[9];
  void *data;
} Matrix;

/* Of random numbers, in blocks dealt out to the ranks of the grid. */
static Matrix make_matrix(int context, int rows, int columns, int block, int wide) {
  int grid_rows, grid_columns, row, column, info, zero = 0;
  Matrix matrix;
  Cblacs_gridinfo(context, &grid_rows, &grid_columns, &row, &column);
  const int own_rows = numroc_(&rows, &block, &row, &zero, &grid_rows);
  const size_t elements = (size_t)own_rows * (size_t)numroc_(&columns, &block, &column, &zero, &grid_columns);
  const int leading = own_rows > 0 ? own_rows : 1;
  descinit_(matrix.descriptor, &rows, &columns, &block, &block, &zero, &zero, &context, &leading, &info);
  matrix.data = malloc(elements * (wide ? sizeof(double) : sizeof(float)) + 1);
  if (!matrix.data || info) MPI_Abort(MPI_COMM_WORLD, 1);
  for (size_t e = 0; e < elements; e++) {
    if (wide)
      ((double *)matrix.data)[e] = (double)rand() / RAND_MAX - 0.5;
    else
      ((float *)matrix.data)[e] = (float)rand() / (float)RAND_MAX - 0.5f;
  }
  return matrix;
}

int main(int argc, char **argv) {
  int rank, context, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 9) MPI_Abort(MPI_COMM_WORLD, 2);
  const int m = atoi(argv[3]), n = atoi(argv[4]), k = atoi(argv[5]), block = atoi(argv[6]), trials = atoi(argv[8]);
  const int wide = strcmp(argv[7], "f64") == 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", atoi(argv[1]), atoi(argv[2]));
  Matrix a = make_matrix(context, m, k, block, wide), b = make_matrix(context, k, n, block, wide);
  Matrix c = make_matrix(context, m, n, block, wide);
  double *times = malloc((size_t)trials * sizeof *times);
  for (int t = -1; t < trials; t++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    if (wide) {
      const double alpha = 1, beta = 0;
      pdgemm_("N", "N", &m, &n, &k, &alpha, a.data, &one, &one, a.descriptor, b.data, &one, &one, b.descriptor, &beta,
              c.data, &one, &one, c.descriptor);
    } else {
      const float alpha = 1, beta = 0;
      psgemm_("N", "N", &m, &n, &k, &alpha, a.data, &one, &one, a.descriptor, b.data, &one, &one, b.descriptor, &beta,
              c.data, &one, &one, c.descriptor);
    }
    double took = MPI_Wtime() - begun;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (t >= 0) times[t] = took;
  }
  qsort(times, (size_t)trials, sizeof *times, compare);
  if (rank == 0) printf("%.6f\n", times[trials / 2]);
  free(times);
  MPI_Finalize();
  return 0;
}
