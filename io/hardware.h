/** @file hardware.h
 * The processors of one machine and what joins them, from a file that another program wrote:
 *
 * - `lstopo FILE.xml` of hwloc, version 1 to 3: cores, by what they share (caches, NUMA nodes, packages),
 * - `nvidia-smi topo -m`: GPUs, by NVLinks, or by where their paths over PCI Express meet,
 * - a topology file of NCCL, written with NCCL_TOPO_DUMP_FILE or read with NCCL_TOPO_FILE: likewise, with the width and
 *   speed of each PCI Express link.
 *
 * The result is a network of up to three levels, and a draft machine file. These files say what is connected to what,
 * but rarely how fast: what neither the file nor a data sheet gives is marked as assumed. */
#ifndef TG_HARDWARE_H
#define TG_HARDWARE_H

#include "io-error.h"

#include "topology.h"

TG_BEGIN_DECLS

/** A level of the network. */
typedef struct TgHardwareLevel {
  int32_t joins;                /**< processors, or groups of the level below */
  bool direct;                  /**< each two have a link of their own; otherwise a switch joins them */
  char *name;                   /**< what joins them, such as "NVLink" or "L3 cache" */
  double latency_s;             /**< assumed */
  double bandwidth_bytes_per_s; /**< of one processor, one direction */
  char *source;                 /**< of the bandwidth */
} TgHardwareLevel;

typedef struct TgHardware {
  const char *program;   /**< what writes such files: "lstopo" … */
  const char *processor; /**< "core" or "GPU" */
  char *model;           /**< of a processor, as the file names it; NULL: it does not */
  int64_t processors;
  int32_t levels;
  TgHardwareLevel level[TG_MAX_LEVELS]; /**< innermost first */
  double flops_per_s;                   /**< of a processor, f32 */
  const char *flops_source;
  double memory_bytes; /**< of a processor; 0: not in the file */
  GPtrArray *notes;    /**< char *: what the network leaves out, a sentence each */
} TgHardware;

/** Reads a file of one of these kinds, told apart by its content. Errors: CANNOT_READ; BAD_INPUT, also where there are
 * fewer than two processors; TOO_LARGE. */
TgHardware *tg_hardware_read(const char *path, GError **error);

/** The same from the file's text, of `size` bytes and with a 0 after them; `name` begins each error message. */
TgHardware *tg_hardware_parse(const char *name, const char *text, size_t size, GError **error);

void tg_hardware_free(TgHardware *hardware);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgHardware, tg_hardware_free)

/** As --network takes it: "switch:4*switch:2". Free with g_free(). */
char *tg_hardware_network(const TgHardware *hardware);

/** The draft machine file, whose comments give the source of each number. `file` is named as the source. Free with
 * g_free(). */
char *tg_hardware_machine(const TgHardware *hardware, const char *file);

TG_END_DECLS

#endif
