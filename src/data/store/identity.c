/* Is this file a store? Decided from its first bytes, before SQLite sees it: SQLite may write to what it
 * opens (roll back a journal, create side files), and a file that is not ours must not change. */
#include "data/store/store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 100 };

static uint32_t big_endian(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* With a log or journal beside it, the file may lack pages that are held there, so its size proves
 * nothing. */
static bool has_side_file(const char *path, const char *suffix) {
    char name[4096];
    struct stat info;
    int length = snprintf(name, sizeof name, "%s%s", path, suffix);
    return length > 0 && (size_t)length < sizeof name && stat(name, &info) == 0 && info.st_size > 0;
}

/* A store is created in one transaction, whose pages reach the file before the commit; until then a journal
 * beside it says that the file was empty. A file abandoned in that state, or being created right now, still
 * counts as empty: SQLite rolls the pages back, or waits for the process that writes them. */
static bool is_unfinished(const char *path) {
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char header[20]; /* magic, records, nonce, pages the file had before */
    char name[4096];
    int length = snprintf(name, sizeof name, "%s-journal", path);
    int file =
        length > 0 && (size_t)length < sizeof name ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file < 0) {
        return false;
    }
    bool whole = pread(file, header, sizeof header, 0) == (ssize_t)sizeof header;
    close(file);
    return whole && memcmp(header, magic, sizeof magic) == 0 && big_endian(header + 16) == 0;
}

/* The beginning of a file whose first sector never reached the disk. */
static bool is_blank(const unsigned char *header, size_t got) {
    for (size_t k = 0; k < got; k++) {
        if (header[k] != 0) {
            return false;
        }
    }
    return true;
}

static const char *judge(const unsigned char *header, size_t got, uint64_t size, const char *path) {
    if (got < HEADER || memcmp(header, "SQLite format 3", 16) != 0) {
        return "not a batt store";
    }
    uint32_t application = big_endian(header + 68), version = big_endian(header + 60);
    if (application != STORE_APPLICATION_ID) {
        return "an SQLite database of another program, not a batt store";
    }
    if (version > STORE_SCHEMA) {
        return "made by a newer batt";
    }
    uint32_t page = (uint32_t)header[16] << 8 | header[17];
    page = page == 1 ? 65536 : page;
    if (page < 512 || (page & (page - 1)) != 0) {
        return "damaged store: impossible page size";
    }
    if (size / page > UINT32_C(1) << 30) { /* checking it would take memory by the number of pages */
        return "damaged store: impossible size";
    }
    /* else the page count is not maintained */
    bool counted = big_endian(header + 24) == big_endian(header + 92);
    if (counted && size < (uint64_t)big_endian(header + 28) * page && !has_side_file(path, "-wal") &&
        !has_side_file(path, "-journal")) {
        return "damaged store: its end is missing";
    }
    return NULL;
}

Identity store_identify(const char *path, char error[STORE_ERROR_MAX]) {
    unsigned char header[HEADER];
    struct stat info;
    const char *reason = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 && errno == ENOENT) {
        return IDENTITY_MISSING;
    }
    if (file < 0 || fstat(file, &info) != 0) {
        reason = strerror(errno);
    } else if (S_ISDIR(info.st_mode)) {
        reason = "a folder, not a batt store";
    } else if (!S_ISREG(info.st_mode)) {
        reason = "not a regular file";
    } else if (info.st_size == 0) {
        close(file);
        return IDENTITY_EMPTY;
    } else {
        ssize_t got = pread(file, header, sizeof header, 0);
        reason = got < 0 ? strerror(errno) : judge(header, (size_t)got, (uint64_t)info.st_size, path);
        if (got >= 0 && is_blank(header, (size_t)got) && is_unfinished(path)) { /* the power went */
            close(file);
            return IDENTITY_EMPTY;
        }
    }
    if (file >= 0) {
        close(file);
    }
    if (reason == NULL) {
        return is_unfinished(path) ? IDENTITY_EMPTY : IDENTITY_OURS;
    }
    snprintf(error, STORE_ERROR_MAX, "%s: %s", path, reason);
    return IDENTITY_REFUSED;
}
