/* Reading whole files (base/out.h is for writing). */
#ifndef BATT_BASE_FILEIO_H
#define BATT_BASE_FILEIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILE_PAD = 16 }; /* zero bytes that follow the contents, so that a scanner may look ahead */

typedef struct FileBuffer {
    uint8_t *data; /* length bytes, then FILE_PAD zeros */
    size_t length, capacity;
} FileBuffer;

/* Reads path into a buffer that is reused from file to file. Returns NULL or the reason of failure (static
 * text or strerror's). FILE_NO_MEMORY, which is not the file's fault, is recognized by its address. */
extern const char FILE_NO_MEMORY[];
const char *file_read(FileBuffer *buffer, const char *path);
const char *file_copy(FileBuffer *buffer, const void *bytes, size_t length);
void file_release(FileBuffer *buffer);

#endif
