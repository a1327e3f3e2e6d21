/* C = A * B by ScaLAPACK's p?gemm on a grid of ranks: prints the median of some runs, in seconds. */
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

int main(int argc, char **argv) {
  int rank, context, row, column, info, zero = 0, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int rows = atoi(argv[1]), columns = atoi(argv[2]), n = atoi(argv[3]), block = atoi(argv[4]), trials = atoi(argv[6]);
  const int wide = strcmp(argv[5], "f64") == 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", rows, columns);
  Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  const int own_rows = numroc_(&n, &block, &row, &zero, &rows),
            own_columns = numroc_(&n, &block, &column, &zero, &columns);
  const size_t elements = (size_t)own_rows * (size_t)own_columns;
  int descriptor[9];
  descinit_(descriptor, &n, &n, &block, &block, &zero, &zero, &context, &own_rows, &info);
  double *data = malloc(3 * elements * sizeof *data), times[100];
  for (size_t e = 0; e < 3 * elements; e++) {
    if (wide)
      data[e] = (double)rand() / RAND_MAX - 0.5;
    else
      ((float *)data)[e] = (float)rand() / (float)RAND_MAX - 0.5f;
  }
  for (int t = -1; t < trials; t++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    if (wide) {
      const double alpha = 1, beta = 0;
      pdgemm_("N", "N", &n, &n, &n, &alpha, data, &one, &one, descriptor, data + elements, &one, &one, descriptor,
              &beta, data + 2 * elements, &one, &one, descriptor);
    } else {
      const float alpha = 1, beta = 0, *single = (const float *)data;
      psgemm_("N", "N", &n, &n, &n, &alpha, single, &one, &one, descriptor, single + elements, &one, &one, descriptor,
              &beta, (float *)data + 2 * elements, &one, &one, descriptor);
    }
    double took = MPI_Wtime() - begun;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (t >= 0) times[t] = took;
  }
  qsort(times, (size_t)trials, sizeof *times, compare);
  if (rank == 0) printf("%.6f\n", times[trials / 2]);
  free(data);
  MPI_Finalize();
  return 0;
}
