/** @file hardware-pairs.h
 * How near each two processors are, and the levels that follow. */
#ifndef TG_HARDWARE_PAIRS_H
#define TG_HARDWARE_PAIRS_H

#include "hardware.h"

enum { TG_HARDWARE_MOST = 4096 /* processors */ };

/* One way to be joined. */
typedef struct TgHardwareJoint {
  char *name;
  double latency_s, bandwidth_bytes_per_s;
  char *source;
  bool by_links; /* the bandwidth is of one link: a pair has `links` of them */
} TgHardwareJoint;

/* Of each two processors. */
typedef struct TgHardwarePair {
  uint8_t joint; /* a place in `joints`, nearest first */
  uint8_t links;
} TgHardwarePair;

typedef struct TgHardwarePairs {
  int64_t count;        /* processors */
  TgHardwarePair *pair; /* count x count, symmetric */
  GArray *joints;       /* TgHardwareJoint */
  int32_t most_links;   /* that a processor can have; if direct links to its group would need more, the links go to a
                           switch; 0: always */
} TgHardwarePairs;

TgHardwarePairs *tg_hardware_pairs_new(int64_t count);
void tg_hardware_pairs_free(TgHardwarePairs *pairs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgHardwarePairs, tg_hardware_pairs_free)

/* Adds the next farther joint; takes a copy of the texts. */
void tg_hardware_pairs_add(TgHardwarePairs *pairs, const TgHardwareJoint *joint);

static inline TgHardwarePair *tg_hardware_pair(const TgHardwarePairs *pairs, int64_t i, int64_t j) {
  return &pairs->pair[i * pairs->count + j];
}

/* The levels: of each joint, groups of neighbouring processors that are joined at least that closely, all of one size
 * and as large as possible. Notes what has no such groups. */
void tg_hardware_find_levels(TgHardware *hardware, const TgHardwarePairs *pairs);

/* The readers; `text` as in tg_hardware_parse(). */
TgHardware *tg_hardware_parse_hwloc(const char *name, const char *text, size_t size, GError **error);
TgHardware *tg_hardware_parse_nccl(const char *name, const char *text, size_t size, GError **error);
TgHardware *tg_hardware_parse_nvidia_smi(const char *name, const char *text, size_t size, GError **error);

/* A network of `program`'s file without levels yet. */
TgHardware *tg_hardware_new(const char *program, const char *processor, int64_t processors);
void TG_PRINTF(2, 3) tg_hardware_note(TgHardware *hardware, const char *format, ...);

/* Peak f32 rate (tensor cores not used) and NVLink rate of a GPU, by compute capability (90 for 9.0; 0 if unknown). */
void tg_hardware_set_gpu(TgHardware *hardware, int capability);
TgHardwareJoint tg_hardware_nvlink(int capability);
/* GPUs whose paths over PCI Express meet there; 0: no rate in the file. */
TgHardwareJoint tg_hardware_pcie(const char *name, double bytes_per_s);

#endif
