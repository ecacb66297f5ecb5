// Loaded into a process before the C library: notes in the file RECORDING all that the process writes to its database and
// its write-ahead log, each sync of them with its beginning and its end, and each line on the standard output. The syncs
// themselves are left out, as nothing here depends on the disk.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE = 2, SYNC_BEGIN = 3, SYNC_END = 4, LINE = 5 };
enum { NONE = 0, DATABASE = 1, LOG = 2 };
enum { FILES = 65536 };

static unsigned char files[FILES];
static int recording = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) static __typeof__(name) *real; if (!real) real = dlsym(RTLD_NEXT, #name)

static int real_open(const char *path, int flags, mode_t mode) {
  REAL(open);
  return real(path, flags, mode);
}

static ssize_t real_write(int fd, const void *bytes, size_t count) {
  REAL(write);
  return real(fd, bytes, count);
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("RECORDING");
  if (path) recording = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int file_of(int fd) { return fd >= 0 && fd < FILES ? files[fd] : NONE; }

// A record is its kind, its file, an offset and a length, then so many bytes. The mutex is held.
static void note(uint32_t kind, uint32_t file, uint64_t offset, const void *bytes, uint32_t length) {
  unsigned char head[20];
  memcpy(head, &kind, 4);
  memcpy(head + 4, &file, 4);
  memcpy(head + 8, &offset, 8);
  memcpy(head + 16, &length, 4);
  if (real_write(recording, head, sizeof head) != sizeof head) abort();
  if (length > 0 && real_write(recording, bytes, length) != length) abort();
}

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), wanted = strlen(end);
  return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

static int opened(const char *path, int fd) {
  if (fd >= 0 && fd < FILES) files[fd] = ends_with(path, "/parley.db") ? DATABASE : ends_with(path, "/parley.db-wal") ? LOG : NONE;
  return fd;
}

#define OPEN(name)                                            \
  int name(const char *path, int flags, ...) {                \
    va_list rest;                                             \
    va_start(rest, flags);                                    \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                             \
    return opened(path, real_open(path, flags, mode));        \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  REAL(close);
  if (fd >= 0 && fd < FILES) files[fd] = NONE;
  return real(fd);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  if (fd != 1 || recording < 0) return real_write(fd, bytes, count);
  pthread_mutex_lock(&mutex);
  note(LINE, NONE, 0, bytes, count);
  pthread_mutex_unlock(&mutex);
  return real_write(fd, bytes, count);
}

static ssize_t real_pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  REAL(pwrite);
  return real(fd, bytes, count, offset);
}

#define PWRITE(name)                                                      \
  ssize_t name(int fd, const void *bytes, size_t count, off_t offset) {   \
    if (file_of(fd) == NONE) return real_pwrite(fd, bytes, count, offset); \
    pthread_mutex_lock(&mutex);                                           \
    ssize_t written = real_pwrite(fd, bytes, count, offset);              \
    if (written > 0) note(WRITE, file_of(fd), offset, bytes, written);    \
    pthread_mutex_unlock(&mutex);                                         \
    return written;                                                       \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

static int real_ftruncate(int fd, off_t length) {
  REAL(ftruncate);
  return real(fd, length);
}

#define FTRUNCATE(name)                                          \
  int name(int fd, off_t length) {                               \
    if (file_of(fd) == NONE) return real_ftruncate(fd, length);  \
    pthread_mutex_lock(&mutex);                                  \
    int result = real_ftruncate(fd, length);                     \
    if (result == 0) note(TRUNCATE, file_of(fd), length, "", 0); \
    pthread_mutex_unlock(&mutex);                                \
    return result;                                               \
  }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

static void note_sync(int kind, int file, uint64_t number) {
  pthread_mutex_lock(&mutex);
  note(kind, file, number, "", 0);
  pthread_mutex_unlock(&mutex);
}

// A sync takes a while, so that others write meanwhile.
static int pretend_to_sync(int file) {
  static uint64_t last;
  uint64_t number = __atomic_add_fetch(&last, 1, __ATOMIC_SEQ_CST);
  note_sync(SYNC_BEGIN, file, number);
  usleep(1000);
  note_sync(SYNC_END, file, number);
  return 0;
}

int fsync(int fd) {
  REAL(fsync);
  return file_of(fd) == NONE ? real(fd) : pretend_to_sync(file_of(fd));
}

int fdatasync(int fd) {
  REAL(fdatasync);
  return file_of(fd) == NONE ? real(fd) : pretend_to_sync(file_of(fd));
}
