/* Removes temporary files that a killed process left behind; see out.h. */
#include "base/alloc.h"
#include "base/out.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OLD_SECONDS = 60 };

/* The process of "PID-N.tmp", which is all of the text; 0: it is something else. */
static pid_t process_of(const char *text) {
    char *end;
    if (!isdigit((unsigned char)*text)) {
        return 0;
    }
    errno = 0;
    long pid = strtol(text, &end, 10);
    if (errno != 0 || pid <= 0 || pid > INT_MAX || *end != '-' || !isdigit((unsigned char)end[1])) {
        return 0;
    }
    for (end++; isdigit((unsigned char)*end);) {
        end++;
    }
    return strcmp(end, ".tmp") == 0 ? (pid_t)pid : 0;
}

/* `base`: the name that the file was to get; NULL: any. */
static pid_t writer_of(const char *name, const char *base) {
    size_t length = base != NULL ? strlen(base) : 0;
    if (base != NULL) {
        return strncmp(name, base, length) == 0 && name[length] == '.' ? process_of(name + length + 1) : 0;
    }
    for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        if (dot > name && process_of(dot + 1) != 0) {
            return process_of(dot + 1);
        }
    }
    return 0;
}

static void sweep_folder(const char *folder, const char *base) {
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        struct stat info;
        pid_t writer = writer_of(entry->d_name, base);
        if (writer != 0 && fstatat(dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(info.st_mode) && time(NULL) - info.st_mtime > OLD_SECONDS && kill(writer, 0) != 0 &&
            errno == ESRCH) {
            unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
}

void out_sweep(const char *path) {
    struct stat info;
    char target[PATH_MAX];
    const char *final = realpath(path, target) != NULL ? target : path; /* a link: beside what it points to */
    if (stat(final, &info) == 0 && S_ISDIR(info.st_mode)) {
        sweep_folder(final, NULL);
        return;
    }
    const char *slash = strrchr(final, '/');
    char *folder = mem_strndup(slash != NULL ? final : ".", slash != NULL ? (size_t)(slash - final) + 1 : 1);
    const char *base = slash != NULL ? slash + 1 : final;
    if (folder != NULL && *base != '\0') {
        sweep_folder(folder, base);
    }
    mem_free(folder);
}
