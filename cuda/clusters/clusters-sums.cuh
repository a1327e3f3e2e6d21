/** @file clusters-sums.cuh
 * Private to cuda/: a thread's part of a block of C, and how the parts of all processors are added up and stored. */
#ifndef TG_CLUSTERS_SUMS_CUH
#define TG_CLUSTERS_SUMS_CUH

#include "apart.cuh"
#include "clusters-operations.cuh"

namespace clusters {

/** Where a job's block of C goes: C itself, or a partial block. Rows and columns count from the block's first. */
template <typename T> struct Target {
  T *first;
  int64_t row;
  int rows, columns; /* that there are */
  bool whole;        /* rows take stores of 16 bytes */

  __device__ __forceinline__ Target(const TgClusterRun &run, const TgClusterJob &job) {
    const int down = run.rows * tile<T>, across = run.columns * tile<T>;
    if (job.partial >= 0) {
      first = static_cast<T *>(run.partial) + static_cast<int64_t>(job.partial) * down * across;
      row = columns = across;
      rows = down;
      whole = true;
      return;
    }
    const Place place = place_of(run, job.instance);
    first = static_cast<T *>(run.c) + place.row * tile<T> * run.ldc + place.column * tile<T>;
    row = run.ldc;
    rows = run.m - place.row * tile<T>;
    columns = run.n - place.column * tile<T>;
    whole = run.whole;
  }
  /** Neighbours of a row. */
  __device__ __forceinline__ void store(int at, int column, Piece<T> value) const {
    if (at >= rows) return;
    T *c = first + at * row + column;
    if (whole && column + width<T> <= columns) {
      *reinterpret_cast<Piece<T> *>(c) = value;
      return;
    }
#pragma unroll
    for (int i = 0; i < width<T>; i++)
      if (column + i < columns) c[i] = value.at[i];
  }
};

template <typename T> __device__ __forceinline__ Piece<T> load_remote(uint32_t address, int block) {
  union {
    uint32_t word[4];
    Piece<T> piece;
  } value;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.word[0]), "=r"(value.word[1]), "=r"(value.word[2]), "=r"(value.word[3])
               : "r"(remote_address(address, block))
               : "memory");
  return value.piece;
}

template <typename T> __device__ __forceinline__ Piece<T> add(Piece<T> x, const Piece<T> &y) {
#pragma unroll
  for (int i = 0; i < width<T>; i++) x.at[i] += y.at[i];
  return x;
}

/** A thread's part of a tile of C: four groups of rows and columns, each `width` both ways. */
template <typename T> struct Sums {
  T at[side<T>][side<T>];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < side<T>; i++)
#pragma unroll
      for (int j = 0; j < side<T>; j++) at[i][j] = 0;
  }
  __device__ __forceinline__ Piece<T> piece(int i, int h, T zero) const {
    Piece<T> value;
#pragma unroll
    for (int j = 0; j < width<T>; j++) value.at[j] = tg_apart(at[i][h * width<T> + j], zero);
    return value;
  }
  /** Calls each(row, column, i, h) for every piece, row and column within the tile. */
  template <typename EACH> __device__ __forceinline__ static void every(EACH each) {
    const int warp = threadIdx.x / 32 % 8, lane = threadIdx.x % 32;
    const int row = warp / warps_across * lanes_down * side<T> + lane / lanes_across * width<T>;
    const int column = warp % warps_across * lanes_across * side<T> + lane % lanes_across * width<T>;
#pragma unroll
    for (int i = 0; i < side<T>; i++)
#pragma unroll
      for (int h = 0; h < 2; h++)
        each(row + i / width<T> * lanes_down * width<T> + i % width<T>, column + h * lanes_across * width<T>, i, h);
  }
};

/** Every processor has at most one sum. A block of C that one group of warps has whole goes where it belongs; else the
 * groups' and processors' sums are stored in shared memory, and each of the processors adds up a part of the rows. */
template <typename F>
__device__ void finish_one(const TgClusterRun &run, const Shared<F> &shared, const Sums<typename F::T> &sums, int rank,
                           const TgClusterJob &job) {
  using T = typename F::T;
  const TgStreamProcessor &about = run.processor[rank];
  const bool has = about.shared_output >= 0, alone = has && about.shares == 1 && F::groups == 1;
  const TgStreamOutput output = run.output[has ? about.shared_output : 0];
  const Target<T> target(run, job);
  const int row0 = output.row * tile<T>, column0 = output.column * tile<T>;
  if (alone)
    Sums<T>::every([&](int row, int column, int i, int h) {
      target.store(row0 + row, column0 + column, sums.piece(i, h, static_cast<T>(run.zero)));
    });
  if (!run.gathers && F::groups == 1) return;
  tg_cluster_sync(); /* all products are done, and all blocks that were sent have come: the slots are free */
  T *const all = reinterpret_cast<T *>(shared.base), *const mine = all + threadIdx.x / 256 * tile<T> * tile<T>;
  if (has && !alone)
    Sums<T>::every([&](int row, int column, int i, int h) {
      *reinterpret_cast<Piece<T> *>(mine + row * tile<T> + column) = sums.piece(i, h, static_cast<T>(run.zero));
    });
  tg_cluster_sync();
  if (!has || alone) return;
  constexpr int pieces = tile<T> / width<T>;
  const int rows = (tile<T> + about.shares - 1) / about.shares, begin = about.share * rows;
  const int end = min(begin + rows, tile<T>);
  for (int p = threadIdx.x; p < (end - begin) * pieces; p += F::consumers) {
    const int row = begin + p / pieces, column = p % pieces * width<T>;
    Piece<T> sum = {};
    for (int t = 0; t < output.terms; t++)
#pragma unroll
      for (int g = 0; g < F::groups; g++)
        sum = add(sum, load_remote<T>(tg_shared_address(all + (g * tile<T> + row) * tile<T> + column),
                                      run.term[output.first + t].processor));
    target.store(row0 + row, column0 + column, sum);
  }
}

/** Where a group of warps keeps one of the processor's sums. */
template <typename F>
__device__ __forceinline__ typename F::T *scratch_of(const TgClusterRun &run, int processor, int sum, int group) {
  using T = typename F::T;
  const int64_t number =
      (static_cast<int64_t>(blockIdx.x / run.processors) * run.processors + processor) * run.sums + sum;
  return static_cast<T *>(run.scratch) + (number * F::groups + group) * tile<T> * tile<T>;
}

/** Processors have several sums, in the device's memory: the processor that C is placed on adds up its terms. */
template <typename F> __device__ void finish_several(const TgClusterRun &run, int rank, const TgClusterJob &job) {
  using T = typename F::T;
  const TgStreamProcessor &about = run.processor[rank];
  const Target<T> target(run, job);
  constexpr int pieces = tile<T> / width<T>;
  __threadfence();
  tg_cluster_sync();
  for (int o = about.output_first; o < about.output_first + about.outputs; o++) {
    const TgStreamOutput output = run.output[o];
    const int row0 = output.row * tile<T>, column0 = output.column * tile<T>;
    for (int p = threadIdx.x; p < tile<T> * pieces; p += F::consumers) {
      const int row = p / pieces, column = p % pieces * width<T>;
      Piece<T> sum = {};
      for (int t = 0; t < output.terms * F::groups; t++) {
        const TgStreamTerm term = run.term[output.first + t / F::groups];
        const T *from = scratch_of<F>(run, term.processor, term.sum, t % F::groups) + row * tile<T> + column;
        const int4 bits = __ldcg(reinterpret_cast<const int4 *>(from));
        sum = add(sum, *reinterpret_cast<const Piece<T> *>(&bits));
      }
      target.store(row0 + row, column0 + column, sum);
    }
  }
}

/** Adds the partial blocks of the divided instances to C, in order; a thread a piece of a row of a block. */
template <typename T> __global__ void add_parts(const __grid_constant__ TgClusterRun run) {
  const int across = run.columns * tile<T>, pieces = across / width<T>;
  const int64_t block = static_cast<int64_t>(run.rows) * tile<T> * across;
  const int number = blockIdx.y, piece = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = piece / pieces, column = piece % pieces * width<T>;
  const Target<T> target(run, TgClusterJob{run.divided + number, 0, 0, -1});
  if (at >= run.rows * tile<T> || at >= target.rows || column >= target.columns) return;
  const T *const c = target.first + at * target.row + column;
  Piece<T> sum = {};
  for (int i = 0; i < width<T>; i++)
    if (column + i < target.columns) sum.at[i] = c[i];
  for (int part = 0; part < run.parts - 1; part++) {
    const int64_t partial = static_cast<int64_t>(number) * (run.parts - 1) + part;
    const T *const from = static_cast<const T *>(run.partial) + partial * block + at * across + column;
    sum = add(sum, *reinterpret_cast<const Piece<T> *>(from));
  }
  target.store(at, column, sum);
}

} // namespace clusters

#endif
