/* failing_files.c - preloaded into a tool of this project: makes the n-th operation on files fail, as on a full disk.
   n is the environment variable FAIL_FILE. If it was reached, the name of the operation is written to the file that
   FAIL_FILE_LOG names.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int count = 0;

/* Whether this operation fails. Not in children, such as the linker. */
static int fails(const char *name) {
  const char *text = getenv("FAIL_FILE"), *log = getenv("FAIL_FILE_LOG");
  if (!text || !log || strncmp(program_invocation_short_name, "rnn-", 4) || count++ != atoi(text))
    return 0;
  int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ssize_t (*write_to)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  if (file < 0 || write_to(file, name, strlen(name)) < 0)
    abort();
  close(file);
  errno = ENOSPC;
  return 1;
}

static int is_regular(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t write(int file, const void *data, size_t bytes) {
  if (file > STDERR_FILENO && is_regular(file) && fails("write"))
    return -1;
  return ((ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write"))(file, data, bytes);
}

int fsync(int file) {
  if (fails("fsync"))
    return -1;
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int rename(const char *from, const char *to) {
  if (fails("rename"))
    return -1;
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}
