/* NVML, found at run time: a card's clock is worth knowing, but not worth a library that must be there. */
#include "device.h"

#include <dlfcn.h>

int tg_device_clock_mhz(int device) {
  enum { CLOCK_SM = 1 };
  unsigned int mhz = 0;
  void *handle = NULL, *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  int (*init)(void), (*find)(unsigned int, void **), (*clock)(void *, int, unsigned int *), (*end)(void);
  *(void **)&init = dlsym(library, "nvmlInit_v2");
  *(void **)&find = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
  *(void **)&clock = dlsym(library, "nvmlDeviceGetClockInfo");
  *(void **)&end = dlsym(library, "nvmlShutdown");
  if (init && find && clock && end && init() == 0) {
    if (find((unsigned int)device, &handle) != 0 || clock(handle, CLOCK_SM, &mhz) != 0) mhz = 0;
    end();
  }
  dlclose(library);
  return (int)mhz;
}
