/** @file panel.cuh
 * Private to cuda/kernels/: panels, the parts of op(A) and op(B) that a tile of C needs for some steps of k. Both are
 * held as the multiply-adds read them, along C's rows or columns for each step; what lies otherwise in memory is
 * transposed on its way. */
#ifndef TG_PANEL_CUH
#define TG_PANEL_CUH

#include "product.cuh"

namespace rung {

/** An operand from the side of C: `along` counts rows of C for A, columns for B; `deep` counts k. */
template <typename T> struct Side {
  const T *x;
  int64_t along, deep;
  int64_t along_step, deep_step;
  bool whole;
};

template <typename T> __device__ __forceinline__ Side<T> side_a(const Operand<T> &a) {
  return {a.x, a.rows, a.columns, a.row, a.column, a.whole};
}

template <typename T> __device__ __forceinline__ Side<T> side_b(const Operand<T> &b) {
  return {b.x, b.columns, b.rows, b.column, b.row, b.whole};
}

/** One thread's share of a panel of ALONG x DEEP that THREADS threads load, on its way from device memory through
 * registers to shared memory, WIDTH elements at a time. Neighbouring threads take neighbours of a stored row. */
template <typename T, int ALONG, int DEEP, int THREADS, int WIDTH> class Share {
  static constexpr int pieces = ALONG * DEEP / (WIDTH * THREADS);
  static_assert(pieces * WIDTH * THREADS == ALONG * DEEP, "all threads bring equally many pieces");
  Piece<T, WIDTH> piece[pieces];

  /** Place in the panel of this thread's piece p. */
  static __device__ __forceinline__ void place(const Side<T> &side, int p, int *along, int *deep) {
    const int number = threadIdx.x + p * THREADS;
    if (side.deep_step == 1) {
      *along = number / (DEEP / WIDTH);
      *deep = number % (DEEP / WIDTH) * WIDTH;
    } else {
      *along = number % (ALONG / WIDTH) * WIDTH;
      *deep = number / (ALONG / WIDTH);
    }
  }

public:
  /** Reads; zeros outside of the operand, so that they add nothing. */
  __device__ __forceinline__ void fetch(const Side<T> &side, int64_t first_along, int64_t first_deep) {
    const int down = side.deep_step == 1; /* a piece goes along k */
#pragma unroll
    for (int p = 0; p < pieces; p++) {
      int along, deep;
      place(side, p, &along, &deep);
      const int64_t i = first_along + along, l = first_deep + deep;
      const T *from = side.x + i * side.along_step + l * side.deep_step;
      if (side.whole && i + (down ? 1 : WIDTH) <= side.along && l + (down ? WIDTH : 1) <= side.deep) {
        piece[p] = *reinterpret_cast<const Piece<T, WIDTH> *>(from);
        continue;
      }
#pragma unroll
      for (int w = 0; w < WIDTH; w++)
        piece[p].at[w] = i + (down ? 0 : w) < side.along && l + (down ? w : 0) < side.deep ? from[w] : T(0);
    }
  }

  /** Writes what fetch() has read. LINE is ALONG and what pads it. */
  template <int LINE> __device__ __forceinline__ void put(const Side<T> &side, T (*panel)[LINE]) const {
#pragma unroll
    for (int p = 0; p < pieces; p++) {
      int along, deep;
      place(side, p, &along, &deep);
      if (side.deep_step == 1) {
#pragma unroll
        for (int w = 0; w < WIDTH; w++) panel[deep + w][along] = piece[p].at[w];
      } else {
        *reinterpret_cast<Piece<T, WIDTH> *>(&panel[deep][along]) = piece[p];
      }
    }
  }
};

} // namespace rung

#endif
