// Replays fuzz inputs where there is no libFuzzer: each argument is a file or a
// folder of files, every one handed to LLVMFuzzerTestOneInput. With -runs=N each
// target also sees N mutated copies of what was read, deterministic by -seed=S.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Input {
    uint8_t *data;
    size_t size;
} Input;

typedef struct Corpus {
    Input *inputs;
    size_t count, room;
} Corpus;

static void *checked(void *memory) {
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

static void read_file(Corpus *corpus, const char *path, size_t size) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    if (corpus->count == corpus->room) {
        corpus->room = corpus->room ? 2 * corpus->room : 64;
        corpus->inputs = checked(realloc(corpus->inputs, corpus->room * sizeof *corpus->inputs));
    }
    Input input = {checked(malloc(size + 1)), 0};
    input.size = fread(input.data, 1, size, file);
    fclose(file);
    corpus->inputs[corpus->count++] = input;
}

static void read_path(Corpus *corpus, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        perror(path);
        exit(2);
    }
    if (!S_ISDIR(status.st_mode)) {
        read_file(corpus, path, (size_t)status.st_size);
        return;
    }
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            size_t room = strlen(path) + strlen(entries[i]->d_name) + 2;
            char *inner = checked(malloc(room));
            snprintf(inner, room, "%s/%s", path, entries[i]->d_name);
            read_path(corpus, inner);
            free(inner);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

static uint64_t next_random(uint64_t *state) { // splitmix64
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// A copy with one to four edits: a flipped bit, a new byte, a hole, a repeated piece, a cut end.
static void run_mutated(const Input *from, uint64_t *state) {
    size_t room = 2 * from->size + 16, size = from->size;
    uint8_t *data = checked(malloc(room));
    memcpy(data, from->data, size);
    for (uint64_t edits = 1 + next_random(state) % 4; edits > 0; edits--) {
        size_t at = size ? next_random(state) % size : 0;
        size_t run = size ? 1 + next_random(state) % (size - at < 16 ? size - at : 16) : 0;
        switch (size ? next_random(state) % 5 : 5) {
        case 0:
            data[at] ^= (uint8_t)(1u << next_random(state) % 8);
            break;
        case 1:
            data[at] = (uint8_t)next_random(state);
            break;
        case 2:
            memmove(data + at, data + at + run, size - at - run);
            size -= run;
            break;
        case 3:
            if (size + run <= room) {
                memmove(data + at + run, data + at, size - at);
                size += run;
            }
            break;
        case 4:
            size = at;
            break;
        default:
            data[size++] = (uint8_t)next_random(state);
        }
    }
    // An exact copy, so that a read past the end is caught.
    uint8_t *exact = checked(malloc(size ? size : 1));
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    free(data);
}

int main(int argc, char **argv) {
    Corpus corpus = {0};
    uint64_t runs = 0, state = 1;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-runs=", 6) == 0) {
            runs = strtoull(argv[i] + 6, NULL, 10);
        } else if (strncmp(argv[i], "-seed=", 6) == 0) {
            state = strtoull(argv[i] + 6, NULL, 10);
        } else {
            read_path(&corpus, argv[i]);
        }
    }
    for (size_t i = 0; i < corpus.count; i++) {
        LLVMFuzzerTestOneInput(corpus.inputs[i].data, corpus.inputs[i].size);
    }
    for (uint64_t i = 0; i < runs && corpus.count; i++) {
        run_mutated(&corpus.inputs[next_random(&state) % corpus.count], &state);
    }
    printf("%zu inputs, %llu mutations\n", corpus.count, (unsigned long long)(corpus.count ? runs : 0));
    for (size_t i = 0; i < corpus.count; i++) {
        free(corpus.inputs[i].data);
    }
    free(corpus.inputs);
    return 0;
}
