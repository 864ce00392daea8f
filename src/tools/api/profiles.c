/* Profiles in the formats of viewers. */
#include "base/alloc.h"
#include "tools/api/api_internal.h"
#include "tools/display/profile_page.h"
#include "tools/profiler/file.h"

static bool write_as(batt_context *c, const char *name, Profile *profile, Out *out) {
    uint32_t n_stacks = 0;
    ProfSum all = {0}, kept = {0};
    ProfStack *stacks = profile_flatten(profile, FILTER_ALL, &n_stacks);
    bool good = true;
    if (stacks == NULL || !profile_sum(profile, FILTER_ALL, &all) ||
        !profile_sum(profile, FILTER_WITHOUT, &kept)) {
        api_no_memory(c);
        good = false;
    }
    switch (good ? format_of(name) : FORMAT_UNKNOWN) {
    case FORMAT_PROFILE:
        profile_write_json(out, profile);
        break;
    case FORMAT_CSV:
        export_csv(out, profile, &all);
        break;
    case FORMAT_FOLDED:
        export_folded(out, profile, stacks, n_stacks);
        break;
    case FORMAT_SPEEDSCOPE:
        export_speedscope(out, profile, stacks, n_stacks);
        break;
    case FORMAT_CALLGRIND:
        export_callgrind(out, profile, stacks, n_stacks);
        break;
    case FORMAT_HTML:
        profile_page(out, &(ProfilePage){
                              .profile = profile, .all = &all, .kept = &kept, .palette = palette_default()});
        break;
    default:
        if (good) {
            api_fault(
                c, BATT_BAD_ARGUMENT,
                "%.200s: the file name selects no format for a saved profile; known endings: .json, .csv, "
                ".folded, .collapsedstack.txt, .speedscope.json, .callgrind, callgrind.out.*, .html",
                name);
        }
        good = false;
    }
    mem_free(stacks);
    profile_sum_free(&all);
    profile_sum_free(&kept);
    return good;
}

char *batt_profile_export(batt_context *c, const char *profile, size_t length, const char *name) {
    Profile read;
    Out out;
    char why[600];
    if (!api_begin(c)) {
        return NULL;
    }
    if (profile == NULL || name == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, profile == NULL ? "the profile is NULL" : "the name is NULL");
    }
    if (!profile_read_bytes(&read, "profile", profile, length, why, sizeof why)) {
        return api_fault(c, BATT_BAD_INPUT, "%s", why);
    }
    out_init(&out);
    bool good = write_as(c, name, &read, &out);
    profile_free(&read);
    return good ? api_text(c, &out) : (out_free(&out), NULL);
}
