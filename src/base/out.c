/* The growable buffer and escaping. Writing files is in out_file.c. */
#include "base/out.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

void out_init(Out *out) {
    *out = (Out){.data = ""}; /* never written to: appending allocates first */
}

void out_free(Out *out) {
    if (out->cap) {
        mem_free(out->data);
    }
    out_init(out);
}

void out_clear(Out *out) {
    out->len = 0;
    out->failed = false;
    if (out->cap) {
        out->data[0] = '\0';
    }
}

void out_truncate(Out *out, size_t length) {
    if (length >= out->len) {
        return;
    }
    out->len = length;
    out->data[length] = '\0';
}

/* Makes room for `extra` more bytes and the terminator. */
static bool reserve(Out *out, size_t extra) {
    if (out->failed) {
        return false;
    }
    if (extra < out->cap - out->len) {
        return true;
    }
    if (extra > SIZE_MAX / 4 - out->len) {
        out->failed = true;
        return false;
    }
    size_t cap = out->cap ? out->cap : 256;
    while (cap - out->len <= extra) {
        cap *= 2;
    }
    char *data = mem_grow(out->cap ? out->data : NULL, cap, 1);
    if (!data) {
        out->failed = true;
        return false;
    }
    out->data = data;
    out->cap = cap;
    return true;
}

void out_bytes(Out *out, const void *bytes, size_t count) {
    if (!count || !reserve(out, count)) {
        return;
    }
    memcpy(out->data + out->len, bytes, count);
    out->len += count;
    out->data[out->len] = '\0';
}

void out_str(Out *out, const char *text) {
    out_bytes(out, text, strlen(text));
}

void out_char(Out *out, char c) {
    out_bytes(out, &c, 1);
}

void out_repeat(Out *out, const char *text, size_t times) {
    size_t len = strlen(text);
    for (size_t i = 0; i < times && !out->failed; i++) {
        out_bytes(out, text, len);
    }
}

void out_fmt(Out *out, const char *format, ...) {
    if (!reserve(out, 64)) {
        return;
    }
    size_t room = out->cap - out->len;
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int wrote = vsnprintf(out->data + out->len, room, format, args);
    if (wrote >= 0 && (size_t)wrote >= room && reserve(out, (size_t)wrote)) {
        wrote = vsnprintf(out->data + out->len, out->cap - out->len, format, again);
    }
    va_end(again);
    va_end(args);
    if (wrote < 0) {
        out->failed = true;
    }
    if (out->failed) {
        out->data[out->len] = '\0';
    } else {
        out->len += (size_t)wrote;
    }
}

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

static void out_json_bytes(Out *out, const char *text, size_t length) {
    const char *end = text + length;
    out_char(out, '"');
    while (text < end && !out->failed) {
        unsigned char c = (unsigned char)*text;
        uint32_t code;
        size_t used = utf8_decode(text, end, &code);
        switch (c) {
        case '"':
            out_str(out, "\\\"");
            break;
        case '\\':
            out_str(out, "\\\\");
            break;
        case '\n':
            out_str(out, "\\n");
            break;
        case '\r':
            out_str(out, "\\r");
            break;
        case '\t':
            out_str(out, "\\t");
            break;
        default:
            if (!used) {
                out_str(out, replacement);
            } else if (c < 0x20 || c == 0x7F || c == '<' || c == '>' || c == '&' || code == 0x2028 ||
                       code == 0x2029) {
                out_fmt(out, "\\u%04x", (unsigned)code);
            } else {
                out_bytes(out, text, used);
            }
        }
        text += used ? used : 1;
    }
    out_char(out, '"');
}

void out_json_string(Out *out, const char *text) {
    out_json_bytes(out, text, strlen(text));
}

static const char *xml_entity(unsigned char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void out_xml(Out *out, const char *text) {
    const char *end = text + strlen(text);
    while (text < end && !out->failed) {
        unsigned char c = (unsigned char)*text;
        const char *entity = xml_entity(c);
        uint32_t code;
        size_t used = utf8_decode(text, end, &code);
        bool control = c < 0x20 && c != '\n' && c != '\t' && c != '\r';
        if (entity) {
            out_str(out, entity);
        } else if (!used || control || code == 0xFFFE || code == 0xFFFF) {
            out_str(out, replacement);
        } else {
            out_bytes(out, text, used);
        }
        text += used ? used : 1;
    }
}

void out_printable(Out *out, const char *text) {
    const char *end = text + strlen(text);
    while (text < end && !out->failed) {
        uint32_t code;
        size_t used = utf8_decode(text, end, &code);
        if (!used || code < 0x20 || (code >= 0x7F && code < 0xA0)) {
            out_char(out, '?');
        } else {
            out_bytes(out, text, used);
        }
        text += used ? used : 1;
    }
}

size_t out_columns(const char *text) {
    size_t columns = 0;
    for (; *text; text++) {
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return columns;
}
