/* Walking folders and pairing challenges with solutions; see paths.h. */
#include "data/tasks/paths.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST_FOLDER = 32 };

static const char CHALLENGES[] = "challenges", SOLUTIONS[] = "solutions";

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *join(Slab *slab, const char *folder, const char *name) {
    size_t length = strlen(folder), name_length = strlen(name);
    while (length > 1 && folder[length - 1] == '/') {
        length--;
    }
    char *path = (char *)slab_reserve(slab, length + name_length + 2);
    if (path != NULL) {
        memcpy(path, folder, length);
        path[length] = '/';
        size_t at = length + (length > 0 && folder[length - 1] == '/' ? 0 : 1);
        memcpy(path + at, name, name_length + 1);
        slab_commit(slab, at + name_length + 1);
    }
    return path;
}

static bool add(PathList *list, const char *path, bool named, const char *group) {
    if (!MEM_ROOM(list->entries, list->n_entries, list->room, 64)) {
        return false;
    }
    list->entries[list->n_entries++] = (PathEntry){path, named, group};
    return true;
}

static bool ends_with(const char *name, const char *suffix) {
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && strcmp(name + length - end, suffix) == 0;
}

typedef struct Child {
    const char *path;
    bool is_folder;
} Child;

static int compare_children(const void *a, const void *b) {
    return strcmp(((const Child *)a)->path, ((const Child *)b)->path);
}

/* Links to files are followed, links to folders are not: they could lead in circles. */
static bool classify(const char *path, const struct dirent *entry, const char *suffix, bool *is_folder,
                     bool *dangles) {
    struct stat status;
    bool is_file = entry->d_type == DT_REG;
    *is_folder = entry->d_type == DT_DIR;
    if (entry->d_type == DT_UNKNOWN && lstat(path, &status) == 0) {
        is_file = S_ISREG(status.st_mode);
        *is_folder = S_ISDIR(status.st_mode);
    }
    bool fits = ends_with(entry->d_name, suffix);
    *dangles = false;
    if (!is_file && !*is_folder && fits) {
        bool there = stat(path, &status) == 0;
        *dangles = !there && (errno == ENOENT || errno == ELOOP);
        is_file = there && S_ISREG(status.st_mode);
    }
    return *is_folder || (is_file && fits);
}

static bool stopped(const PathList *list) {
    return stop_is_requested(list->stop);
}

static bool list_children(PathList *list, DIR *stream, Slab *slab, const char *folder, const char *suffix,
                          Child **children, size_t *n_children) {
    size_t room = 0;
    for (struct dirent *entry; !stopped(list) && (entry = readdir(stream)) != NULL;) {
        bool is_folder, dangles;
        if (entry->d_name[0] == '.') {
            continue;
        }
        const char *path = join(slab, folder, entry->d_name);
        if (path == NULL) {
            return false;
        }
        if (!classify(path, entry, suffix, &is_folder, &dangles)) {
            if (dangles && !MEM_ROOM(list->dangling, list->n_dangling, list->dangling_room, 64)) {
                return false;
            }
            if (dangles) {
                list->dangling[list->n_dangling++] = path;
            }
            continue;
        }
        if (!MEM_ROOM(*children, *n_children, room, 256)) {
            return false;
        }
        (*children)[(*n_children)++] = (Child){path, is_folder};
    }
    return true;
}

/* `root`: length of the path of the folder where the walk began. */
static bool walk(PathList *list, Slab *slab, const char *folder, const char *suffix, size_t root, int depth) {
    DIR *stream = depth < DEEPEST_FOLDER ? opendir(folder) : NULL;
    if (stream == NULL) {
        if (list->bad_folder == NULL) {
            list->bad_folder = folder;
            list->bad_reason = depth < DEEPEST_FOLDER ? strerror(errno) : "folders are nested too deeply";
        }
        return true;
    }
    Child *children = NULL;
    size_t n_children = 0;
    bool good = list_children(list, stream, slab, folder, suffix, &children, &n_children);
    closedir(stream);
    if (n_children > 0) {
        qsort(children, n_children, sizeof *children, compare_children);
    }
    for (size_t i = 0; good && i < n_children && !stopped(list); i++) {
        good = children[i].is_folder
                   ? walk(list, slab, children[i].path, suffix, root, depth + 1)
                   : add(list, children[i].path, false, depth > 0 ? folder + root + 1 : NULL);
    }
    mem_free(children);
    return good;
}

static bool same_name(const char *a, const char *b) {
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        char x = *a == '-' ? '_' : *a, y = *b == '-' ? '_' : *b;
        if (x != y) {
            return false;
        }
    }
    return *a == *b;
}

/* path with `from` replaced by `to` in its file name; NULL if `from` is not in it (or *no_memory). */
static const char *partner(Slab *slab, const char *path, const char *from, const char *to, bool *no_memory) {
    const char *found = strstr(base_of(path), from);
    if (found == NULL) {
        return NULL;
    }
    size_t before = (size_t)(found - path), after = strlen(found + strlen(from)), middle = strlen(to);
    char *text = slab_alloc(slab, before + middle + after + 1);
    if (text == NULL) {
        *no_memory = true;
        return NULL;
    }
    memcpy(text, path, before);
    memcpy(text + before, to, middle);
    memcpy(text + before + middle, found + strlen(from), after + 1);
    return text;
}

static bool same_folder(const char *a, const char *b) {
    size_t length = (size_t)(base_of(a) - a);
    return length == (size_t)(base_of(b) - b) && memcmp(a, b, length) == 0;
}

/* Drops solutions files whose challenges are loaded too: they are read with those. */
static bool drop_paired_solutions(PathList *list, Slab *slab) {
    size_t kept = 0;
    for (size_t i = 0; i < list->n_entries; i++) {
        bool no_memory = false, paired = false;
        const char *path = list->entries[i].path;
        const char *wanted = partner(slab, path, SOLUTIONS, CHALLENGES, &no_memory);
        if (no_memory) {
            return false;
        }
        for (size_t j = 0; wanted != NULL && !paired && j < list->n_entries; j++) {
            const char *other = list->entries[j].path;
            paired = same_folder(wanted, other) && same_name(base_of(wanted), base_of(other));
        }
        if (paired) {
            list->n_paired++;
        } else {
            list->entries[kept++] = list->entries[i];
        }
    }
    list->n_entries = kept;
    return true;
}

bool paths_find(PathList *list, Slab *slab, const char *const *paths, size_t n_paths, const char *suffix) {
    for (size_t i = 0; i < n_paths && !stopped(list); i++) {
        struct stat status;
        const char *path = slab_text(slab, paths[i], strlen(paths[i]));
        if (path == NULL) {
            return false;
        }
        size_t length = strlen(path);
        while (length > 0 && path[length - 1] == '/') { /* as join does; nothing is left of "/" */
            length--;
        }
        bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
        if (is_folder ? !walk(list, slab, path, suffix, length, 0) : !add(list, path, true, NULL)) {
            return false;
        }
    }
    return true;
}

bool paths_expand(PathList *list, Slab *slab, const char *const *paths, size_t n_paths) {
    return paths_find(list, slab, paths, n_paths, ".json") && drop_paired_solutions(list, slab);
}

void paths_free(PathList *list) {
    mem_free(list->entries);
    mem_free(list->dangling);
    *list = (PathList){0};
}

const char *paths_solutions(Slab *slab, const char *challenges, bool *no_memory) {
    const char *wanted = partner(slab, challenges, CHALLENGES, SOLUTIONS, no_memory);
    if (wanted == NULL || access(wanted, F_OK) == 0) {
        return wanted;
    }
    size_t length = (size_t)(base_of(challenges) - challenges);
    const char *folder = length == 0 ? "." : slab_text(slab, challenges, length);
    DIR *stream = folder ? opendir(folder) : NULL;
    const char *found = NULL;
    *no_memory |= folder == NULL;
    if (stream == NULL) {
        return NULL;
    }
    for (struct dirent *entry; found == NULL && (entry = readdir(stream)) != NULL;) {
        if (same_name(base_of(wanted), entry->d_name)) {
            found = length == 0 ? slab_text(slab, entry->d_name, strlen(entry->d_name))
                                : join(slab, folder, entry->d_name);
            *no_memory |= found == NULL;
        }
    }
    closedir(stream);
    return found;
}
