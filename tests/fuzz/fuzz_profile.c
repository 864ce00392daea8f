/* Any bytes as a saved profile: no crash, an error that names the file, and what was accepted can be summed
 * up, exported and appended to, and survives being written and read again. */
#include "base/alloc.h"
#include "tools/profiler/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool fine, const char *what) {
    if (!fine) {
        fprintf(stderr, "fuzz_profile: %s\n", what);
        abort();
    }
}

/* Everything a view or an export does with a profile. */
static void use(Profile *profile, Out *out) {
    static const ProfFilter filters[] = {FILTER_ALL, FILTER_WITHOUT, FILTER_ONLY};
    uint32_t outliers = outliers_mark(profile, OUTLIERS_DEVIATIONS);
    need(outliers <= profile->n_tasks, "more outliers than tasks");
    for (size_t k = 0; k < sizeof filters / sizeof *filters; k++) {
        ProfSum sum;
        uint32_t n;
        need(profile_sum(profile, filters[k], &sum), "no memory for a sum");
        need(sum.tasks <= profile->n_tasks && sum.n_rows <= profile->n_names, "a sum of more than there is");
        out_clear(out);
        export_csv(out, profile, &sum);
        profile_sum_free(&sum);
        ProfStack *stacks = profile_flatten(profile, filters[k], &n);
        need(stacks != NULL, "no memory for stacks");
        export_folded(out, profile, stacks, n);
        export_speedscope(out, profile, stacks, n);
        export_callgrind(out, profile, stacks, n);
        mem_free(stacks);
    }
}

/* Writing rounds; what was written once comes out the same from then on. */
static void again(const Profile *profile, Out *first, Out *second) {
    Profile copy;
    char why[512] = "";
    out_clear(first);
    profile_write_json(first, profile);
    for (int k = 0; k < 2; k++) {
        need(profile_read_bytes(&copy, "again.json", first->data, first->len, why, sizeof why), why);
        out_clear(second);
        profile_write_json(second, &copy);
        profile_free(&copy);
        need(k == 0 || (first->len == second->len && memcmp(first->data, second->data, first->len) == 0),
             "it is another one when it is written and read");
        out_clear(first);
        out_str(first, second->data);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t before = mem_bytes();
    Profile profile, more;
    char why[512] = "";
    Out out, second;
    out_init(&out);
    out_init(&second);
    if (!profile_read_bytes(&profile, "fuzz.json", (const char *)data, size, why, sizeof why)) {
        need(strncmp(why, "fuzz.json: ", 11) == 0 && why[11] != '\0', "an error without file or reason");
    } else {
        use(&profile, &out);
        again(&profile, &out, &second);
        need(profile_read_bytes(&more, "more.json", (const char *)data, size, why, sizeof why), why);
        if (profile_append(&profile, &more, why, sizeof why)) {
            use(&profile, &out);
            again(&profile, &out, &second);
        }
        profile_free(&more);
        profile_free(&profile);
    }
    out_free(&out);
    out_free(&second);
    need(mem_bytes() == before, "memory was lost");
    return 0;
}
