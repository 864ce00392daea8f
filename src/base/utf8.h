/* A strict UTF-8 decoder: file names and reasons may hold any bytes, but our output must stay valid. */
#ifndef BATT_BASE_UTF8_H
#define BATT_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the character at `text` (before `end`); 0 if it is malformed: overlong, a surrogate, too
 * large or cut short. */
static inline size_t utf8_decode(const char *text, const char *end, uint32_t *code) {
    const unsigned char *s = (const unsigned char *)text;
    size_t left = (size_t)(end - text);
    *code = s[0];
    if (s[0] < 0x80) {
        return 1;
    }
    size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || left < length) {
        return 0;
    }
    uint32_t c = s[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
        c = c << 6 | (s[i] & 0x3Fu);
    }
    if ((length == 3 && c < 0x800) || (length == 4 && c < 0x10000) || c > 0x10FFFF ||
        (c >= 0xD800 && c < 0xE000)) {
        return 0;
    }
    *code = c;
    return length;
}

#endif
