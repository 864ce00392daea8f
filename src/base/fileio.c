/* Reading whole files; see fileio.h.
 *
 * Files are read, not mapped: a mapped file that somebody truncates kills the process with SIGBUS. */
#include "base/fileio.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t FIRST_CAPACITY = (size_t)1 << 16;
static const size_t LARGEST_FILE = (size_t)2 << 30;
const char FILE_NO_MEMORY[] = MEM_NONE;

static bool grow(FileBuffer *buffer, size_t capacity) {
    uint8_t *data = mem_grow(buffer->data, capacity + FILE_PAD, 1);
    if (data == NULL) {
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

/* One more byte than the file's length lets the read that fills the buffer also see the end of the file. */
static bool make_room(FileBuffer *buffer, int fd) {
    size_t wanted = buffer->capacity ? buffer->capacity * 2 : FIRST_CAPACITY;
    struct stat status;
    if (buffer->length > 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        (size_t)status.st_size < LARGEST_FILE && (size_t)status.st_size >= buffer->length) {
        wanted = (size_t)status.st_size + 1;
    }
    if (wanted <= buffer->length) {
        wanted = buffer->length * 2;
    }
    return grow(buffer, wanted);
}

static const char *read_all(FileBuffer *buffer, int fd) {
    buffer->length = 0;
    for (;;) {
        if (buffer->length == buffer->capacity && !make_room(buffer, fd)) {
            return FILE_NO_MEMORY;
        }
        ssize_t got = read(fd, buffer->data + buffer->length, buffer->capacity - buffer->length);
        if (got == 0) {
            memset(buffer->data + buffer->length, 0, FILE_PAD);
            return NULL;
        }
        if (got < 0 && errno != EINTR) {
            return strerror(errno);
        }
        buffer->length += got > 0 ? (size_t)got : 0;
        if (buffer->length > LARGEST_FILE) {
            return "file is larger than 2 GiB";
        }
    }
}

const char *file_read(FileBuffer *buffer, const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return strerror(errno);
    }
    const char *why = read_all(buffer, fd);
    close(fd);
    return why;
}

const char *file_copy(FileBuffer *buffer, const void *bytes, size_t length) {
    if (length > LARGEST_FILE ||
        ((buffer->data == NULL || buffer->capacity < length) && !grow(buffer, length))) {
        return FILE_NO_MEMORY;
    }
    if (length > 0) {
        memcpy(buffer->data, bytes, length);
    }
    memset(buffer->data + length, 0, FILE_PAD);
    buffer->length = length;
    return NULL;
}

void file_release(FileBuffer *buffer) {
    mem_free(buffer->data);
    *buffer = (FileBuffer){0};
}
