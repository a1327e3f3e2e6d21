/* A listener to NVTX ranges, as a profiler is one: NVTX loads it where NVTX_INJECTION64_PATH names it. It appends what
 * begins and ends to the file that TG_TEST_RANGES names. */
#include <nvtx3/nvToolsExt.h>

#include <stdio.h>
#include <stdlib.h>

static void note(const char *what) {
  FILE *file = fopen(getenv("TG_TEST_RANGES"), "a");
  if (!file) abort();
  fprintf(file, "%s\n", what);
  fclose(file);
}

static int NVTX_API push(const char *message) {
  note(message);
  return 0;
}

static int NVTX_API pop(void) {
  note("end");
  return 0;
}

int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);

int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const NvtxExportTableCallbacks *callbacks = get_table(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable table = NULL;
  unsigned int size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) return 0;
  *table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
  *table[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
  return 1;
}
