/* Writes finished text: to a stream, or to a file that is never seen half-written. */
#include "base/alloc.h"
#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool out_flush_to(const Out *out, FILE *stream) {
    if (out->failed) {
        return false;
    }
    if (out->len && fwrite(out->data, 1, out->len, stream) != out->len) {
        return false;
    }
    return fflush(stream) == 0;
}

static bool complain(char *why, size_t why_size, const char *path, const char *doing) {
    if (why && why_size) {
        snprintf(why, why_size, "%s: cannot %s: %s", path, doing, strerror(errno));
    }
    return false;
}

static bool write_all(int fd, const char *bytes, size_t count) {
    while (count) {
        ssize_t wrote = write(fd, bytes, count);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return false;
        }
        bytes += wrote;
        count -= (size_t)wrote;
    }
    return true;
}

/* A device or a pipe cannot be replaced by a rename, but has no half-written state either. */
static bool write_in_place(const char *path, const void *bytes, size_t count, char *why, size_t why_size) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return complain(why, why_size, path, "open");
    }
    bool ok = write_all(fd, bytes, count);
    int saved = errno;
    if (close(fd) != 0 && ok) {
        return complain(why, why_size, path, "close");
    }
    errno = saved;
    return ok || complain(why, why_size, path, "write");
}

/* The rename itself must survive a power cut, so the folder is synced too; a file system that cannot do that
 * is no reason to fail. */
static void sync_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? mem_strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
    int fd = open(folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    mem_free(folder);
}

/* A new file beside `path` that nobody else has, made with the permissions any new file gets. */
static int open_beside(const char *path, char *temp, size_t temp_size) {
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(temp, temp_size, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

/* Writes and closes `fd`; on failure errno says why. */
static bool fill(int fd, const void *bytes, size_t count, const struct stat *old) {
    bool ok =
        write_all(fd, bytes, count) && (!old || fchmod(fd, old->st_mode & 07777) == 0) && fsync(fd) == 0;
    int saved = errno;
    if (close(fd) != 0 && ok) {
        return false;
    }
    errno = saved;
    return ok;
}

bool out_write_file_atomic(const char *path, const void *bytes, size_t count, char *why, size_t why_size) {
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return complain(why, why_size, path, "write");
    }
    if (exists && !S_ISREG(old.st_mode)) {
        return write_in_place(path, bytes, count, why, why_size);
    }

    /* A symbolic link keeps pointing where it did: the file behind it is the one replaced. */
    char target[PATH_MAX];
    const char *final = exists && realpath(path, target) ? target : path;
    size_t temp_size = strlen(final) + 64;
    char *temp = mem_alloc(temp_size);
    if (!temp) {
        errno = ENOMEM;
        return complain(why, why_size, path, "write");
    }
    int fd = open_beside(final, temp, temp_size);
    bool ok = false;
    if (fd < 0) {
        complain(why, why_size, path, "create a file beside it");
    } else if (!fill(fd, bytes, count, exists ? &old : NULL)) {
        complain(why, why_size, path, "write");
    } else if (rename(temp, final) != 0) {
        complain(why, why_size, path, "put the new file in place");
    } else {
        ok = true;
    }
    if (ok) {
        sync_folder(final);
    } else if (fd >= 0) {
        unlink(temp);
    }
    mem_free(temp);
    return ok;
}

bool out_save(const Out *out, const char *path, char *why, size_t why_size) {
    if (out->failed) {
        errno = ENOMEM;
        return complain(why, why_size, path, "write");
    }
    return out_write_file_atomic(path, out->data, out->len, why, why_size);
}
