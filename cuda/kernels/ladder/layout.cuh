/** @file layout.cuh
 * Private to cuda/kernels/: operands copied to a new layout where the copy engine cannot read them as they are. */
#ifndef TG_LAYOUT_CUH
#define TG_LAYOUT_CUH

#include <cstdint>
#include <cuda_runtime_api.h>

/** Elements from one row to the next of such a copy: rows of f32 begin at multiples of 16 bytes. */
inline int64_t tg_padded(int64_t columns) {
  return (columns + 3) / 4 * 4;
}

/** Kernels that transpose do so by squares, a block each of 32 x 8 threads. */
constexpr int tg_square = 32, tg_square_rows = 8;

/** Blocks for all squares of a matrix, row by row; in one dimension of the grid, since the others end at 65535. */
inline unsigned tg_count_squares(int64_t rows, int64_t columns) {
  return static_cast<unsigned>((rows + tg_square - 1) / tg_square * ((columns + tg_square - 1) / tg_square));
}

/** A matrix of f32 (rows x columns), stored so or, if `transposed`, as its transpose. */
struct TgStored {
  const float *from;
  int64_t from_row; /**< elements from one stored row to the next */
  bool transposed;
  int rows, columns;
};

/** Starts the copy of the matrix to `to`, rows tg_padded(columns) apart. A kernel that does so lets the next one of the
 * stream begin before its own end. */
cudaError_t tg_lay_out(const TgStored &matrix, float *to, cudaStream_t stream);

#endif
