/** @file counter-random.h
 * Random numbers as a function of (seed, index): the same on every platform and in any order of evaluation, so that
 * each process, thread or tile can draw its own part of a matrix. The generator is SplitMix64 (Steele, Lea, Flood,
 * "Fast splittable pseudorandom number generators", OOPSLA 2014, with Stafford's mix 13) entered at any index; the
 * seed is mixed first, so that neighbouring seeds do not give shifted copies of one sequence. */
#ifndef TG_COUNTER_RANDOM_H
#define TG_COUNTER_RANDOM_H

#include "base.h"

TG_SHARED static inline uint64_t tg_random_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/** Number `index` of the generator's sequence from the state `seed`, unmixed. */
TG_SHARED static inline uint64_t tg_random_at(uint64_t seed, uint64_t index) {
  return tg_random_mix(seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/** 64 random bits. */
TG_SHARED static inline uint64_t tg_random_bits(uint64_t seed, uint64_t index) {
  return tg_random_at(tg_random_at(seed, 0), index);
}

/** Uniform in [-1, 1), a multiple of 2^-52: exact in f64. */
TG_SHARED static inline double tg_random_uniform_f64(uint64_t seed, uint64_t index) {
  return (double)(tg_random_bits(seed, index) >> 11) * 0x1p-52 - 1.0;
}

/** Uniform in [-1, 1), a multiple of 2^-23: exact in f32. */
TG_SHARED static inline float tg_random_uniform_f32(uint64_t seed, uint64_t index) {
  return (float)(tg_random_bits(seed, index) >> 40) * 0x1p-23f - 1.0f;
}

/** Uniform in low..high, both included; low <= high. */
TG_SHARED static inline int32_t tg_random_integer(uint64_t seed, uint64_t index, int32_t low, int32_t high) {
  const uint64_t count = (uint64_t)((int64_t)high - low) + 1;
  return (int32_t)(low + (int64_t)(((tg_random_bits(seed, index) >> 32) * count) >> 32));
}

#endif
