#include "hardware-pairs.h"

typedef struct Gpu {
  int capability;
  double flops_per_s, nvlink_bytes_per_s;
  const char *source;
} Gpu;

/* Data sheets of NVIDIA; a link's rate is of one direction. */
static const Gpu gpus[] = {
    {60, 10.6e12, 20e9, "NVIDIA's data sheet for the P100 SXM2"},
    {70, 15.7e12, 25e9, "NVIDIA's data sheet for the V100 SXM2"},
    {80, 19.5e12, 25e9, "NVIDIA's data sheet for the A100"},
    {86, 31.2e12, 14.0625e9, "NVIDIA's data sheet for the A10"},
    {89, 91.6e12, 0, "NVIDIA's data sheet for the L40S"},
    {90, 67e12, 25e9, "NVIDIA's data sheet for the H100 SXM"},
    {100, 75e12, 50e9, "NVIDIA's data sheet for the B200"},
};

static const Gpu *find_gpu(int capability) {
  for (size_t i = 0; i < G_N_ELEMENTS(gpus); i++)
    if (gpus[i].capability == capability) return &gpus[i];
  return NULL;
}

void tg_hardware_set_gpu(TgHardware *hardware, int capability) {
  const Gpu *gpu = find_gpu(capability);
  hardware->flops_per_s = gpu ? gpu->flops_per_s : 2e13;
  hardware->flops_source = gpu ? gpu->source : "assumed";
  if (capability) hardware->model = g_strdup_printf("compute capability %d.%d", capability / 10, capability % 10);
}

TgHardwareJoint tg_hardware_nvlink(int capability) {
  const Gpu *gpu = find_gpu(capability);
  const double rate = gpu && gpu->nvlink_bytes_per_s > 0 ? gpu->nvlink_bytes_per_s : 25e9;
  return (TgHardwareJoint){.name = "NVLink",
                           .latency_s = 12e-6,
                           .bandwidth_bytes_per_s = rate,
                           .source = rate == 25e9 ? "25e9 bytes/s, NVLink 2 to 4" : "the GPU's NVLink rate",
                           .by_links = true};
}

TgHardwareJoint tg_hardware_pcie(const char *name, double bytes_per_s) {
  const double assumed = 31.5e9; /* 16 lanes of generation 4: 16 GT/s * 128/130 */
  return (TgHardwareJoint){.name = (char *)name,
                           .latency_s = 12e-6,
                           .bandwidth_bytes_per_s = bytes_per_s > 0 ? bytes_per_s : assumed,
                           .source = (char *)(bytes_per_s > 0 ? "PCI Express, lanes and speed from the file"
                                                              : "assumed: PCI Express 4.0, 16 lanes")};
}
