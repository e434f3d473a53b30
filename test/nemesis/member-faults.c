/* Preloaded into a mongod: shifts its clock and fails its writes by the two numbers in the file NEMESIS_FAULTS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *faults; /* seconds that the clock is ahead; 1 if the disk is full */

__attribute__((constructor)) static void load(void) {
  const char *path = getenv("NEMESIS_FAULTS");
  int file = path ? open(path, O_RDONLY) : -1;
  void *map = file < 0 ? MAP_FAILED : mmap(0, 16, PROT_READ, MAP_SHARED, file, 0);
  if (map != MAP_FAILED) faults = map;
}

static int64_t ahead(void) { return faults ? faults[0] : 0; }

int clock_gettime(clockid_t id, struct timespec *at) {
  static int (*own)(clockid_t, struct timespec *);
  if (!own) own = dlsym(RTLD_NEXT, "clock_gettime");
  int failed = own(id, at);
  if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += ahead();
  return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  *at = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  static ssize_t (*own)(int, const void *, size_t, off_t);
  if (!own) own = dlsym(RTLD_NEXT, "pwrite");
  if (!faults || !faults[1]) return own(file, bytes, count, offset);
  errno = ENOSPC;
  return -1;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  return pwrite(file, bytes, count, offset);
}
