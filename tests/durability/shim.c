/* Writes down, in order, what a program does to the files below one folder.

   Preloaded (LD_PRELOAD) into the program; `trace.py` builds it and reads what it wrote.
   TRACED is the folder, TRACE the file that is written. A sync is two entries, its begin and
   its end: what was written before the begin is on the disk from the end on. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OPENED = 1, WRITTEN, TRUNCATED, SYNC_BEGUN, SYNCED, REMOVED, RENAMED, FOLDER_MADE };

#define MAX_FILES 4096
#define REAL(name) static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name)

struct entry {
    uint64_t time_ns, file, position;
    uint32_t kind, length, length2, unused;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t files[MAX_FILES]; /* by descriptor: a number for what was opened, 0: not ours */
static uint64_t opened, syncs;
static const char *folder;
static size_t folder_length;
static int trace = -1;

__attribute__((constructor)) static void begin(void)
{
    folder = getenv("TRACED");
    folder_length = folder ? strlen(folder) : 0;
    if (folder)
        trace = open(getenv("TRACE"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static int is_ours(const char *path)
{
    return trace >= 0 && path && strncmp(path, folder, folder_length) == 0;
}

static uint64_t file_of(int descriptor)
{
    return descriptor >= 0 && descriptor < MAX_FILES ? files[descriptor] : 0;
}

static void put(const void *data, size_t length)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "write");
    while (length > 0) {
        ssize_t done = real(trace, data, length);
        if (done < 0)
            abort();
        data = (const char *)data + done;
        length -= done;
    }
}

static void note(uint32_t kind, uint64_t file, uint64_t position, const void *data,
                 uint32_t length, const void *data2, uint32_t length2)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct entry entry = {now.tv_sec * 1000000000ull + now.tv_nsec, file, position,
                          kind, length, length2, 0};
    put(&entry, sizeof entry);
    put(data, length);
    put(data2, length2);
}

static void note_path(uint32_t kind, const char *path, const char *path2)
{
    note(kind, 0, 0, path, strlen(path), path2 ? path2 : "", path2 ? strlen(path2) : 0);
}

static int note_opened(const char *path, int flags, int descriptor)
{
    if (descriptor >= 0 && descriptor < MAX_FILES) {
        files[descriptor] = 0;
        if (is_ours(path)) {
            files[descriptor] = ++opened;
            note(OPENED, opened, flags & O_TRUNC ? 1 : 0, path, strlen(path), "", 0);
        }
    }
    return descriptor;
}

#define OPEN(name)                                                                        \
    int name(const char *path, int flags, ...)                                            \
    {                                                                                     \
        REAL(name);                                                                       \
        va_list more;                                                                     \
        va_start(more, flags);                                                            \
        mode_t mode = va_arg(more, mode_t);                                               \
        va_end(more);                                                                     \
        pthread_mutex_lock(&lock);                                                        \
        int descriptor = note_opened(path, flags, real(path, flags, mode));               \
        pthread_mutex_unlock(&lock);                                                      \
        return descriptor;                                                                \
    }

OPEN(open)
OPEN(open64)

int close(int descriptor)
{
    REAL(close);
    pthread_mutex_lock(&lock);
    if (descriptor >= 0 && descriptor < MAX_FILES)
        files[descriptor] = 0;
    int result = real(descriptor);
    pthread_mutex_unlock(&lock);
    return result;
}

ssize_t write(int descriptor, const void *data, size_t length)
{
    REAL(write);
    uint64_t file = file_of(descriptor);
    if (!file)
        return real(descriptor, data, length);
    pthread_mutex_lock(&lock);
    ssize_t done = real(descriptor, data, length);
    int error = errno;
    if (done > 0) /* the position after it: right for O_APPEND, too */
        note(WRITTEN, file, lseek(descriptor, 0, SEEK_CUR) - done, data, done, "", 0);
    errno = error;
    pthread_mutex_unlock(&lock);
    return done;
}

#define PWRITE(name, offset)                                                              \
    ssize_t name(int descriptor, const void *data, size_t length, offset position)        \
    {                                                                                     \
        REAL(name);                                                                       \
        uint64_t file = file_of(descriptor);                                              \
        if (!file)                                                                        \
            return real(descriptor, data, length, position);                              \
        pthread_mutex_lock(&lock);                                                        \
        ssize_t done = real(descriptor, data, length, position);                          \
        int error = errno;                                                                \
        if (done > 0)                                                                     \
            note(WRITTEN, file, position, data, done, "", 0);                             \
        errno = error;                                                                    \
        pthread_mutex_unlock(&lock);                                                      \
        return done;                                                                      \
    }

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, offset)                                                            \
    int name(int descriptor, offset length)                                               \
    {                                                                                     \
        REAL(name);                                                                       \
        uint64_t file = file_of(descriptor);                                              \
        pthread_mutex_lock(&lock);                                                        \
        int result = real(descriptor, length);                                            \
        if (file && result == 0)                                                          \
            note(TRUNCATED, file, length, "", 0, "", 0);                                  \
        pthread_mutex_unlock(&lock);                                                      \
        return result;                                                                    \
    }

TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name)                                                                        \
    int name(int descriptor)                                                              \
    {                                                                                     \
        REAL(name);                                                                       \
        uint64_t file = file_of(descriptor);                                              \
        if (!file)                                                                        \
            return real(descriptor);                                                      \
        pthread_mutex_lock(&lock);                                                        \
        uint64_t number = ++syncs;                                                        \
        note(SYNC_BEGUN, file, number, "", 0, "", 0);                                     \
        pthread_mutex_unlock(&lock);                                                      \
        int result = real(descriptor);                                                    \
        pthread_mutex_lock(&lock);                                                        \
        if (result == 0)                                                                  \
            note(SYNCED, file, number, "", 0, "", 0);                                     \
        pthread_mutex_unlock(&lock);                                                      \
        return result;                                                                    \
    }

SYNC(fsync)
SYNC(fdatasync)

#define BY_PATH(name, kind, parameters, arguments, path2)                                 \
    int name parameters                                                                   \
    {                                                                                     \
        REAL(name);                                                                       \
        pthread_mutex_lock(&lock);                                                        \
        int result = real arguments;                                                      \
        int error = errno;                                                                \
        if (result == 0 && is_ours(path))                                                 \
            note_path(kind, path, path2);                                                 \
        errno = error;                                                                    \
        pthread_mutex_unlock(&lock);                                                      \
        return result;                                                                    \
    }

BY_PATH(unlink, REMOVED, (const char *path), (path), NULL)
BY_PATH(rename, RENAMED, (const char *path, const char *to), (path, to), to)
BY_PATH(mkdir, FOLDER_MADE, (const char *path, mode_t mode), (path, mode), NULL)

/* Copies inside the kernel would not be seen: who asks for one falls back to reading and writing. */
ssize_t sendfile64(int out, int in, off64_t *offset, size_t count)
{
    (void)out, (void)in, (void)offset, (void)count;
    errno = ENOSYS;
    return -1;
}

ssize_t sendfile(int out, int in, off_t *offset, size_t count)
{
    return sendfile64(out, in, (off64_t *)offset, count);
}
