/* Runs a fuzz target once on each file of a folder, as a regression test in builds without libFuzzer. Prints TAP. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int not_hidden(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

/** The bytes of a file in memory of exactly its size, so that a sanitizer sees a byte too many; NULL on failure. */
static uint8_t *read_file(const char *folder, const char *name, size_t *size) {
  char path[4096];
  const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = length < (int)sizeof path ? fopen(path, "rb") : NULL;
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  const long end = ftell(file);
  rewind(file);
  uint8_t *bytes = end < 0 ? NULL : malloc(end > 0 ? (size_t)end : 1);
  *size = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
  fclose(file);
  if (bytes && *size == (size_t)end) return bytes;
  free(bytes);
  return NULL;
}

static int run_file(const char *folder, const char *name, int number) {
  size_t size = 0;
  uint8_t *bytes = read_file(folder, name, &size);
  if (bytes) LLVMFuzzerTestOneInput(bytes, size);
  printf("%sok %d %s\n", bytes ? "" : "not ", number, name);
  fflush(stdout);
  free(bytes);
  return bytes ? 0 : 1;
}

int main(int argc, char **argv) {
  struct dirent **entries = NULL;
  const int count = argc == 2 ? scandir(argv[1], &entries, not_hidden, alphasort) : -1;
  if (count <= 0) {
    printf("Bail out! usage: %s FOLDER, which holds at least one file\n", argv[0]);
    return 1;
  }
  int failed = 0;
  printf("1..%d\n", count);
  for (int i = 0; i < count; i++) {
    failed |= run_file(argv[1], entries[i]->d_name, i + 1);
    free(entries[i]);
  }
  free(entries);
  return failed;
}
