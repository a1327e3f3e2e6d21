/** @file patch.cuh
 * Private to cuda/kernels/: the kernel of registers.cu and vectors.cu. A block of 256 threads computes 128 x 128
 * elements of C, a thread 8 x 8 of them, in groups of WIDTH neighbours; WIDTH elements are loaded and stored at once.
 * Two panels each of A and B: one is filled while the other is multiplied, with one barrier a round. */
#ifndef TG_PATCH_CUH
#define TG_PATCH_CUH

#include "apart.cuh"
#include "panel.cuh"

namespace rung {

constexpr int patch_tile = 128, patch_threads = 256, patch_across = 16 /* threads, either way */;
/* Rows of a panel stay aligned to 16 bytes, and those that a warp writes at once lie in few banks twice. */
template <typename T> constexpr int patch_line = patch_tile + 16 / static_cast<int>(sizeof(T));
template <typename T> constexpr int patch_deep = 64 / static_cast<int>(sizeof(T));
/* Blocks a multiprocessor: as many as have registers. */
template <typename T> constexpr int patch_resident = 8 / static_cast<int>(sizeof(T));

/** Rows or columns of a thread are `patch_across` groups apart, so that a warp reads neighbours. */
template <int WIDTH> __device__ __forceinline__ int patch_place(int thread, int i) {
  return (i / WIDTH * patch_across + thread) * WIDTH + i % WIDTH;
}

template <typename T, int WIDTH> __device__ __forceinline__ void patch_read(const T *line, int thread, T (&values)[8]) {
#pragma unroll
  for (int i = 0; i < 8; i += WIDTH) {
    const auto piece = *reinterpret_cast<const Piece<T, WIDTH> *>(line + patch_place<WIDTH>(thread, i));
#pragma unroll
    for (int w = 0; w < WIDTH; w++) values[i + w] = piece.at[w];
  }
}

template <typename T, int WIDTH>
__device__ __forceinline__ void patch_store(const Product<T> &product, const Place &place, int down, int across,
                                            const T (&sums)[8][8]) {
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j += WIDTH) {
      Piece<T, WIDTH> piece;
#pragma unroll
      for (int w = 0; w < WIDTH; w++) piece.at[w] = tg_apart(sums[i][j + w], static_cast<T>(product.zero));
      product.store(place.row + patch_place<WIDTH>(down, i), place.column + patch_place<WIDTH>(across, j), piece);
    }
}

template <typename T, int WIDTH>
__global__ __launch_bounds__(patch_threads, patch_resident<T>) void multiply_patches(const Product<T> product) {
  constexpr int deep = patch_deep<T>, line = patch_line<T>;
  __shared__ alignas(16) T a_panel[2][deep][line], b_panel[2][deep][line];
  const Place place = place_of(product, patch_tile, patch_tile);
  const Side<T> a = side_a(product.a), b = side_b(product.b);
  const int down = threadIdx.x / patch_across, across = threadIdx.x % patch_across;
  Share<T, patch_tile, deep, patch_threads, WIDTH> a_share, b_share;
  T sums[8][8] = {};
  auto fetch = [&](int64_t first) {
    a_share.fetch(a, place.row, first);
    b_share.fetch(b, place.column, first);
  };
  fetch(0);
  int now = 0;
  for (int64_t first = 0; first < product.k; first += deep, now ^= 1) {
    a_share.put(a, a_panel[now]);
    b_share.put(b, b_panel[now]);
    __syncthreads(); /* the other panels were read before the barrier of the round before, and are free */
    if (first + deep < product.k) fetch(first + deep);
#pragma unroll
    for (int l = 0; l < deep; l++) {
      T left[8], right[8];
      patch_read<T, WIDTH>(a_panel[now][l], down, left);
      patch_read<T, WIDTH>(b_panel[now][l], across, right);
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) sums[i][j] += left[i] * right[j];
    }
  }
  patch_store<T, WIDTH>(product, place, down, across, sums);
}

template <int F32, int F64> cudaError_t start_patches(const TgGemm *gemm) {
  return start(gemm, multiply_patches<float, F32>, multiply_patches<double, F64>, patch_tile, patch_tile,
               patch_threads);
}

} // namespace rung

#endif
