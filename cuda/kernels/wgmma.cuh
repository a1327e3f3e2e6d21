/** @file wgmma.cuh
 * Private to cuda/kernels/: the warpgroup's matrix instruction for TF32, m64n128k8. PTX ISA 8.0, wgmma. Needs sm_90a.
 */
#ifndef TG_WGMMA_CUH
#define TG_WGMMA_CUH

#include <cstdint>

/** Rounded to the 11 bits of TF32, as the bits of an f32. */
__device__ __forceinline__ uint32_t tg_tf32(float x) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}

__device__ __forceinline__ void tg_wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void tg_wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/** Waits until no more than PENDING groups are under way. */
template <int PENDING> __device__ __forceinline__ void tg_wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/** Behind a wait: to the compiler the sums, or values that the next products are made of, change here, so that it moves
 * nothing that has to do with them to before it. */
template <int COUNT> __device__ __forceinline__ void tg_wgmma_keep(float (&values)[COUNT]) {
#pragma unroll
  for (int i = 0; i < COUNT; i++) asm volatile("" : "+f"(values[i])::"memory");
}

/** Describes a tile in shared memory, rows of 128 bytes along k, swizzled as tg_map_matrix() does: groups of eight rows
 * are 1024 bytes apart. Eight elements further along k add 2. */
__device__ __forceinline__ uint64_t tg_wgmma_tile(uint32_t address) {
  return static_cast<uint64_t>((address & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

/** sums (64 x 128, spread over the warpgroup) = a·b, or += a·b where `add` is not 0. `a`, 64 x 8, lies in registers: of
 * row lane / 4 of a warp's 16 and of the eighth below it, at lane % 4 and at the fourth column on: (r, c), (r + 8, c),
 * (r, c + 4), (r + 8, c + 4). Begins after tg_wgmma_fence(). */
__device__ __forceinline__ void tg_wgmma_tf32(float (&sums)[64], const uint32_t (&a)[4], uint64_t b, int add) {
  asm volatile("{\n"
               "  .reg .pred p;\n"
               "  setp.ne.b32 p, %69, 0;\n"
               "  wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {"
               "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
               "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
               "}, {%64, %65, %66, %67}, %68, p, 1, 1;\n"
               "}"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]),
                 "+f"(sums[6]), "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]),
                 "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15]), "+f"(sums[16]), "+f"(sums[17]),
                 "+f"(sums[18]), "+f"(sums[19]), "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]),
                 "+f"(sums[24]), "+f"(sums[25]), "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]),
                 "+f"(sums[30]), "+f"(sums[31]), "+f"(sums[32]), "+f"(sums[33]), "+f"(sums[34]), "+f"(sums[35]),
                 "+f"(sums[36]), "+f"(sums[37]), "+f"(sums[38]), "+f"(sums[39]), "+f"(sums[40]), "+f"(sums[41]),
                 "+f"(sums[42]), "+f"(sums[43]), "+f"(sums[44]), "+f"(sums[45]), "+f"(sums[46]), "+f"(sums[47]),
                 "+f"(sums[48]), "+f"(sums[49]), "+f"(sums[50]), "+f"(sums[51]), "+f"(sums[52]), "+f"(sums[53]),
                 "+f"(sums[54]), "+f"(sums[55]), "+f"(sums[56]), "+f"(sums[57]), "+f"(sums[58]), "+f"(sums[59]),
                 "+f"(sums[60]), "+f"(sums[61]), "+f"(sums[62]), "+f"(sums[63])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

#endif
