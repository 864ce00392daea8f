/* The argument PROGRAM; see wanted_program.h. */
#include "tools/cli/wanted_program.h"

#include "base/alloc.h"

#include <string.h>
#include <sys/stat.h>

static bool is_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

bool wanted_program_read(const char *text, WantedProgram *wanted) {
    size_t length = strlen(text);
    const char *colon = is_file(text) ? NULL : strrchr(text, ':');
    bool python = length > 3 && strcmp(text + length - 3, ".py") == 0;
    *wanted = (WantedProgram){.function = text};
    if (colon == NULL && !python && strchr(text, '/') == NULL && !is_file(text)) {
        return true;
    }
    *wanted = (WantedProgram){.file = mem_strndup(text, colon != NULL ? (size_t)(colon - text) : length),
                              .function = colon != NULL ? colon + 1 : NULL};
    return wanted->file != NULL;
}
