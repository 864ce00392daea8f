/* Strict JSON scanning with a position for every error; see scan.h. Grids are in scan_grid.c. */
#include "data/tasks/scan.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "data/tasks/task.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void scan_init(Scanner *reader, const uint8_t *text, size_t length) {
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    *reader = (Scanner){.start = text,
                        .next = text,
                        .end = text + length,
                        .counted = text,
                        .line_start = text,
                        .line = 1,
                        .max_side = TASK_MAX_SIDE};
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        reader->start = reader->next = reader->counted = reader->line_start = text + 3;
    }
}

bool scan_fail(Scanner *reader, const uint8_t *at, const char *format, ...) {
    if (reader->error_at == NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reader->reason, sizeof reader->reason, format, arguments);
        va_end(arguments);
        reader->error_at = at;
    }
    return false;
}

bool scan_fail_memory(Scanner *reader) {
    reader->no_memory = true;
    return scan_fail(reader, reader->next, MEM_NONE);
}

void scan_clear(Scanner *reader, const uint8_t *next) {
    reader->error_at = NULL;
    reader->next = next;
}

void scan_place(Scanner *reader, const uint8_t *at, uint32_t *line, uint32_t *column) {
    if (at < reader->counted) { /* rare: a place before the last one asked for */
        reader->counted = reader->line_start = reader->start;
        reader->line = 1;
    }
    while (reader->counted < at) {
        const uint8_t *newline = memchr(reader->counted, '\n', (size_t)(at - reader->counted));
        if (newline == NULL) {
            reader->counted = at;
            break;
        }
        reader->line++;
        reader->counted = reader->line_start = newline + 1;
    }
    *line = reader->line;
    *column = (uint32_t)(at - reader->line_start) + 1;
}

uint8_t scan_peek(Scanner *reader) {
    const uint8_t *p = reader->next;
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') {
        p++;
    }
    reader->next = p;
    return *p;
}

static bool is_name_byte(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* What to call true, false or null at this place; NULL: it is none of them. The padding is long enough to
 * look ahead. */
static const char *word_at(const uint8_t *at) {
    static const char *const words[][2] = {
        {"true", "a truth value"}, {"false", "a truth value"}, {"null", "null"}};
    for (size_t k = 0; k < 3; k++) {
        size_t length = strlen(words[k][0]);
        if (memcmp(at, words[k][0], length) == 0 && !is_name_byte(at[length])) {
            return words[k][1];
        }
    }
    return NULL;
}

const char *scan_what(const Scanner *reader, const uint8_t *at) {
    if (at >= reader->end) {
        return "the end of the file";
    }
    switch (*at) {
    case '"':
        return "a string";
    case '[':
        return "a list";
    case '{':
        return "an object";
    case ']':
        return "']'";
    case '}':
        return "'}'";
    case ',':
        return "','";
    case ':':
        return "':'";
    case 't':
    case 'f':
    case 'n':
        if (word_at(at) != NULL) {
            return word_at(at);
        }
        break;
    default:
        break;
    }
    if ((*at >= '0' && *at <= '9') || *at == '-') {
        return "a number";
    }
    return *at > ' ' && *at < 0x7f ? "text that is not JSON" : "a stray byte";
}

bool scan_span_is(const ScanSpan *span, const char *text) {
    return span->length == strlen(text) && memcmp(span->text, text, span->length) == 0;
}

static bool is_hex(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static size_t escape_length(const uint8_t *p) {
    if (p[1] == 'u') {
        return is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]) && is_hex(p[5]) ? 6 : 0;
    }
    return p[1] != 0 && strchr("\"\\/bfnrt", p[1]) != NULL ? 2 : 0;
}

static bool scan_string(Scanner *reader, ScanSpan *span) {
    if (scan_peek(reader) != '"') {
        return scan_fail(reader, reader->next, "expected a string, found %s",
                         scan_what(reader, reader->next));
    }
    const uint8_t *p = reader->next + 1;
    *span = (ScanSpan){.text = (const char *)p};
    while (*p != '"') {
        size_t step = 1;
        if (*p < 0x20) {
            if (p >= reader->end) {
                return scan_fail(reader, p, "the file ends inside a string");
            }
            return scan_fail(reader, p, "control character inside a string");
        }
        if (*p == '\\') {
            span->escaped = true;
            step = escape_length(p);
        } else if (*p >= 0x80) {
            uint32_t code;
            step = utf8_decode((const char *)p, (const char *)reader->end, &code);
        }
        if (step == 0) {
            return scan_fail(reader, p, *p == '\\' ? "bad escape in a string" : "string is not valid UTF-8");
        }
        p += step;
    }
    span->length = (size_t)(p - (const uint8_t *)span->text);
    reader->next = p + 1;
    return true;
}

static const uint8_t *skip_digits(const uint8_t *p) {
    while (*p >= '0' && *p <= '9') {
        p++;
    }
    return p;
}

static bool skip_number(Scanner *reader) {
    const uint8_t *p = reader->next + (*reader->next == '-');
    const uint8_t *digits = p;
    p = skip_digits(p);
    if (p == digits || (*digits == '0' && p > digits + 1)) {
        return scan_fail(reader, reader->next, "malformed number");
    }
    if (*p == '.') {
        digits = ++p;
        p = skip_digits(p);
        if (p == digits) {
            return scan_fail(reader, reader->next, "malformed number");
        }
    }
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '+' || p[1] == '-' ? 2 : 1;
        digits = p;
        p = skip_digits(p);
        if (p == digits) {
            return scan_fail(reader, reader->next, "malformed number");
        }
    }
    reader->next = p;
    return true;
}

static bool skip_scalar(Scanner *reader) {
    static const char *const words[] = {"true", "false", "null"};
    const uint8_t *p = reader->next;
    if (*p == '"') {
        ScanSpan ignored;
        return scan_string(reader, &ignored);
    }
    if (*p == '-' || (*p >= '0' && *p <= '9')) {
        return skip_number(reader);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (memcmp(p, words[i], length) == 0) { /* the padding is long enough to look ahead */
            reader->next += length;
            return true;
        }
    }
    return scan_fail(reader, p, "expected a value, found %s", scan_what(reader, p));
}

static bool skip_colon(Scanner *reader) {
    if (scan_peek(reader) != ':') {
        return scan_fail(reader, reader->next, "expected ':' after a key, found %s",
                         scan_what(reader, reader->next));
    }
    reader->next++;
    return true;
}

/* No recursion: the kinds of open brackets are bits of one word, so nesting is bounded by design. */
bool scan_skip(Scanner *reader) {
    uint64_t is_object = 0;
    int depth = 0;
    ScanSpan key;
    for (;;) {
        uint8_t c = scan_peek(reader);
        bool opened = c == '[' || c == '{';
        if (opened) {
            if (depth == SCAN_MAX_DEPTH) {
                return scan_fail(reader, reader->next, "nested deeper than %d levels", SCAN_MAX_DEPTH);
            }
            depth++;
            is_object = is_object << 1 | (c == '{');
            reader->next++;
        } else if (!skip_scalar(reader)) {
            return false;
        }
        /* After a value: close the brackets that end here, until a comma announces another value. */
        for (bool fresh = opened;; fresh = false) {
            if (depth == 0) {
                return true;
            }
            bool object = is_object & 1;
            c = scan_peek(reader);
            if (c == (object ? '}' : ']')) {
                reader->next++;
                is_object >>= 1;
                depth--;
                continue;
            }
            if (!fresh) {
                if (c != ',') {
                    return scan_fail(reader, reader->next, "expected ',' or '%c', found %s",
                                     object ? '}' : ']', scan_what(reader, reader->next));
                }
                reader->next++;
            }
            if (object && (!scan_string(reader, &key) || !skip_colon(reader))) {
                return false;
            }
            break;
        }
    }
}

bool scan_end(Scanner *reader) {
    scan_peek(reader);
    if (reader->next < reader->end) {
        return scan_fail(reader, reader->next, "expected the end of the file, found %s",
                         scan_what(reader, reader->next));
    }
    return true;
}

bool scan_open(Scanner *reader, uint8_t bracket, const char *what) {
    if (scan_peek(reader) != bracket) {
        return scan_fail(reader, reader->next, "%s must be %s, found %s", what,
                         bracket == '[' ? "a list" : "an object", scan_what(reader, reader->next));
    }
    reader->next++;
    return true;
}

static bool next_of(Scanner *reader, uint8_t closing, bool *first, bool *more) {
    uint8_t c = scan_peek(reader);
    *more = c != closing;
    if (!*more) {
        reader->next++;
        return true;
    }
    if (!*first) {
        if (c != ',') {
            return scan_fail(reader, reader->next, "expected ',' or '%c', found %s", closing,
                             scan_what(reader, reader->next));
        }
        reader->next++;
        scan_peek(reader);
    }
    *first = false;
    return true;
}

bool scan_next_item(Scanner *reader, bool *first, bool *more) {
    return next_of(reader, ']', first, more);
}

bool scan_next_key(Scanner *reader, bool *first, bool *more, ScanSpan *key, const uint8_t **key_at) {
    if (!next_of(reader, '}', first, more)) {
        return false;
    }
    if (!*more) {
        return true;
    }
    scan_peek(reader);
    *key_at = reader->next;
    return scan_string(reader, key) && skip_colon(reader);
}
