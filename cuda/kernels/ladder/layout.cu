/* Copies and transpositions of operands, 8 bytes an element. */
#include "layout.cuh"

namespace {

constexpr int side = tg_square;

/* target (columns x rows) = the transpose of source (rows x columns). Through shared memory, whose padding keeps
 * columns off one bank. */
__global__ void transpose(const float *__restrict__ source, int64_t source_row, float *__restrict__ target,
                          int64_t target_row, int rows, int columns) {
  __shared__ float square[side][side + 1];
  cudaTriggerProgrammaticLaunchCompletion(); /* the next kernel may set itself up meanwhile */
  const int across = (columns + side - 1) / side, square_x = blockIdx.x % across * side,
            square_y = blockIdx.x / across * side;
  int x = square_x + threadIdx.x, y = square_y + threadIdx.y;
  for (int i = 0; i < side; i += tg_square_rows)
    if (x < columns && y + i < rows) square[threadIdx.y + i][threadIdx.x] = source[(y + i) * source_row + x];
  __syncthreads();
  x = square_y + threadIdx.x;
  y = square_x + threadIdx.y;
  for (int i = 0; i < side; i += tg_square_rows)
    if (x < rows && y + i < columns) target[(y + i) * target_row + x] = square[threadIdx.x][threadIdx.y + i];
}

} // namespace

cudaError_t tg_lay_out(const TgStored &matrix, float *to, cudaStream_t stream) {
  const int64_t row = tg_padded(matrix.columns);
  if (!matrix.transposed)
    return cudaMemcpy2DAsync(to, row * sizeof(float), matrix.from, matrix.from_row * sizeof(float),
                             matrix.columns * sizeof(float), matrix.rows, cudaMemcpyDeviceToDevice, stream);
  transpose<<<tg_count_squares(matrix.columns, matrix.rows), dim3(side, tg_square_rows), 0, stream>>>(
      matrix.from, matrix.from_row, to, row, matrix.columns, matrix.rows);
  return cudaGetLastError();
}
