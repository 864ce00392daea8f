/* Taking signatures apart; see signature.h. */
#include "engine/language/signature.h"

#include <stdio.h>
#include <string.h>

/* Types have commas and arrows of their own, inside and after brackets. So a parameter's type ends at a comma
 * outside brackets, or at the " -> " of the result: only that arrow has blanks around it. */
bool signature_next(const char **at, SignatureParam *param) {
    const char *c = *at;
    while (*c == ' ') {
        c++;
    }
    if (strncmp(c, "-> ", 3) == 0) {
        *at = c + 3;
        return false;
    }
    size_t name = strcspn(c, ":");
    if (c[name] == '\0') { /* malformed: nothing but a result */
        *at = c;
        return false;
    }
    param->name = c;
    param->name_length = name;
    c += name + 1;
    while (*c == ' ') {
        c++;
    }
    param->type = c;
    int depth = 0;
    for (; *c != '\0' && (depth > 0 || (*c != ',' && strncmp(c, " -> ", 4) != 0)); c++) {
        depth += (*c == '(') - (*c == ')');
    }
    param->type_length = (size_t)(c - param->type);
    *at = *c == ',' ? c + 1 : c;
    return true;
}

static bool has_name(const SignatureParam *param, const char *name, size_t length) {
    const char *at = param->name, *end = at + param->name_length;
    while (at < end) {
        const char *bar = memchr(at, '|', (size_t)(end - at));
        size_t width = (size_t)((bar ? bar : end) - at);
        if (width == length && memcmp(at, name, length) == 0) {
            return true;
        }
        at += width + 1;
    }
    return false;
}

int signature_param(const char *signature, const char *name, size_t length) {
    SignatureParam param;
    for (int k = 0; k < SIGNATURE_MAX && signature_next(&signature, &param); k++) {
        if (has_name(&param, name, length)) {
            return k;
        }
    }
    return -1;
}

void signature_names(const char *signature, char *text, size_t size) {
    SignatureParam param;
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < SIGNATURE_MAX && signature_next(&signature, &param) && used < size; k++) {
        int wrote =
            snprintf(text + used, size - used, "%s'%.*s'", k ? ", " : "", (int)param.name_length, param.name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}
