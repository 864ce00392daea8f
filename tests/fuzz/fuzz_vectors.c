/* Any bytes as a vector file: every line that is not blank or a comment is counted once. */
#include "engine/eval/vectors.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mismatch(void *user, const char *path, uint32_t line, const char *expression, const char *wanted,
                     const char *got, bool malformed) {
    (void)user, (void)path, (void)expression, (void)wanted;
    if (line == 0 || (malformed && got[0] == '\0')) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Vectors *vectors;
    if (vectors == NULL) {
        VectorOptions options = {
            .mode = -1, .budget = {.steps = 20000, .bytes = 4 << 20, .depth = 100}, .mismatch = mismatch};
        vectors = vectors_open(&options);
        if (vectors == NULL) {
            abort();
        }
    }
    if (size == 0) {
        return 0;
    }
    Source source = source_of("fuzz", (const char *)data + 1, size - 1);
    VectorCounts before = vectors_counts(vectors);
    vectors_run_text(vectors, &source, data[0] & 1 ? MODE_BATT : MODE_CORE, data[0] & 2);
    VectorCounts after = vectors_counts(vectors);
    uint64_t lines = 0;
    for (size_t k = 1; k < size; k++) {
        bool start = k == 1 || data[k - 1] == '\n';
        bool blank = data[k] == '\n' || (data[k] == '\r' && (k + 1 == size || data[k + 1] == '\n'));
        lines += start && !blank && data[k] != '#';
    }
    if (after.passed + after.failed - before.passed - before.failed != lines) {
        abort();
    }
    return 0;
}
