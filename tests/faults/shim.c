/* Makes one call fail: an allocation, or a call that the file system answers. Loaded before the C library
 * (LD_PRELOAD); tests/cli/faults.sh says what it is for. BATT_FAULT is one of
 *
 *     alloc:N   the N-th allocation from the start of main on gives NULL; alloc:N+ all from there on
 *     io:N      the N-th call that opens, reads, writes, syncs, renames or removes a file fails: EIO
 *     full:N    the same with ENOSPC, and all that write from there on: a full disk
 *     kill:N    the process is killed before the N-th of them: what was written stays, nothing else
 *     count     none of it
 *
 * BATT_FAULT_COUNT is a file that gets the numbers of both kinds of calls when the process exits. Standard
 * streams are left alone: a test could not say what it found. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static enum { NOTHING, ALLOC, IO, FULL, KILL } kind;
static bool armed, from_there_on;
static long wanted;
static atomic_long allocations, calls;

__attribute__((constructor)) static void start(void) {
    static const char *const names[] = {"count", "alloc", "io", "full", "kill"};
    const char *text = getenv("BATT_FAULT");
    if (text == NULL) {
        return;
    }
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
        size_t length = strlen(names[k]);
        if (strncmp(text, names[k], length) == 0 && (text[length] == ':' || text[length] == '\0')) {
            kind = k;
            wanted = text[length] == ':' ? atol(text + length + 1) : 0;
            from_there_on = text[strlen(text) - 1] == '+';
        }
    }
    armed = true;
}

__attribute__((destructor)) static void finish(void) {
    const char *path = getenv("BATT_FAULT_COUNT");
    char line[64];
    armed = false;
    int file =
        path != NULL ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file >= 0) {
        int length = snprintf(line, sizeof line, "%ld %ld\n", (long)allocations, (long)calls);
        syscall(SYS_write, file, line, length);
        syscall(SYS_close, file);
    }
}

/* ---- memory ---- */

static bool no_memory(void) {
    if (!armed) {
        return false;
    }
    long number = atomic_fetch_add(&allocations, 1) + 1;
    if (kind != ALLOC || (from_there_on ? number < wanted : number != wanted)) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return no_memory() ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    return no_memory() ? NULL : __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
    return no_memory() ? NULL : __libc_realloc(block, size);
}

/* ---- files ---- */

static bool fails(bool writes) {
    if (!armed) {
        return false;
    }
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (kind == KILL && number == wanted) {
        raise(SIGKILL);
    }
    bool now = kind == IO ? number == wanted : kind == FULL && writes && number >= wanted;
    if (now) {
        errno = kind == FULL ? ENOSPC : EIO;
    }
    return now;
}

static bool is_standard(int file) {
    return file >= 0 && file <= 2;
}

#define MODE_OF(flags)                                      \
    mode_t mode = 0;                                        \
    if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
        va_list rest;                                       \
        va_start(rest, flags);                              \
        mode = (mode_t)va_arg(rest, int);                   \
        va_end(rest);                                       \
    }

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    return fails((flags & O_CREAT) != 0) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}
int open(const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(folder, path, flags, mode);
}
int __open_2(const char *path, int flags) {
    return open_at(AT_FDCWD, path, flags, 0);
}
int __open64_2(const char *path, int flags) {
    return open_at(AT_FDCWD, path, flags, 0);
}

static ssize_t read_file(int file, void *to, size_t bytes) {
    return !is_standard(file) && fails(false) ? -1 : syscall(SYS_read, file, to, bytes);
}
ssize_t read(int file, void *to, size_t bytes) {
    return read_file(file, to, bytes);
}
ssize_t __read_chk(int file, void *to, size_t bytes, size_t room) {
    return bytes > room ? (abort(), -1) : read_file(file, to, bytes);
}
ssize_t pread64(int file, void *to, size_t bytes, off_t at) {
    return fails(false) ? -1 : syscall(SYS_pread64, file, to, bytes, at);
}
ssize_t pread(int file, void *to, size_t bytes, off_t at) {
    return pread64(file, to, bytes, at);
}
ssize_t write(int file, const void *from, size_t bytes) {
    return !is_standard(file) && fails(true) ? -1 : syscall(SYS_write, file, from, bytes);
}
ssize_t pwrite64(int file, const void *from, size_t bytes, off_t at) {
    return fails(true) ? -1 : syscall(SYS_pwrite64, file, from, bytes, at);
}
ssize_t pwrite(int file, const void *from, size_t bytes, off_t at) {
    return pwrite64(file, from, bytes, at);
}
int fsync(int file) {
    return fails(true) ? -1 : (int)syscall(SYS_fsync, file);
}
int fdatasync(int file) {
    return fails(true) ? -1 : (int)syscall(SYS_fdatasync, file);
}
int ftruncate64(int file, off_t length) {
    return fails(true) ? -1 : (int)syscall(SYS_ftruncate, file, length);
}
int ftruncate(int file, off_t length) {
    return ftruncate64(file, length);
}
int rename(const char *from, const char *to) {
    return fails(true) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int unlink(const char *path) {
    return fails(false) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int mkdir(const char *path, mode_t mode) {
    return fails(true) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
