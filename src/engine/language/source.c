/* Reading source text and pointing at places in it; see source.h. */
#include "engine/language/source.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Source source_of(const char *name, const char *text, size_t length) {
    return (Source){.name = name, .text = text, .length = length};
}

static bool read_all(Source *source, int fd, char *why, size_t why_size) {
    struct stat info;
    size_t room = 1 << 16;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 && info.st_size <= SOURCE_LIMIT) {
        room = (size_t)info.st_size + 1; /* one more, so that the end is noticed without growing */
    }
    char *data = mem_alloc(room);
    while (data != NULL) {
        ssize_t got = read(fd, data + source->length, room - source->length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            snprintf(why, why_size, "%s", strerror(errno));
            mem_free(data);
            return false;
        }
        source->length += (size_t)got;
        if (got == 0) {
            source->text = source->owned = data;
            return true;
        }
        if (source->length > SOURCE_LIMIT) {
            snprintf(why, why_size, "larger than %d MB", SOURCE_LIMIT >> 20);
            mem_free(data);
            return false;
        }
        if (source->length == room) {
            char *more = mem_grow(data, room *= 2, 1);
            if (more == NULL) {
                mem_free(data);
            }
            data = more;
        }
    }
    snprintf(why, why_size, MEM_NONE);
    return false;
}

bool source_read(Source *source, const char *path, char *why, size_t why_size) {
    bool standard = strcmp(path, "-") == 0;
    *source = (Source){.name = standard ? "<standard input>" : path, .text = ""};
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(why, why_size, "%s", strerror(errno));
        return false;
    }
    bool good = read_all(source, fd, why, why_size);
    if (!standard) {
        close(fd);
    }
    return good;
}

void source_free(Source *source) {
    mem_free(source->owned);
    *source = (Source){.text = ""};
}

void diags_init(Diags *diags) {
    *diags = (Diags){0};
    out_init(&diags->text);
}

void diags_clear(Diags *diags) {
    diags->count = diags->errors = diags->warnings = 0;
    diags->last = (Diag){0};
    out_clear(&diags->text);
}

void diags_free(Diags *diags) {
    mem_free(diags->items);
    out_free(&diags->text);
    diags_init(diags);
}

static void locate(Diags *diags, const Source *source, Diag *diag) {
    Diag from = diags->last;
    if (from.line == 0 || from.offset > diag->offset) {
        from = (Diag){.line = 1, .column = 1};
    }
    diag->line = from.line;
    diag->column = from.column;
    const char *c = source->text + from.offset, *at = source->text + diag->offset;
    for (const char *newline; (newline = memchr(c, '\n', (size_t)(at - c))) != NULL; c = newline + 1) {
        diag->line++;
        diag->column = 1;
    }
    for (; c < at; c++) {
        diag->column += ((unsigned char)*c & 0xC0) != 0x80;
    }
    diags->last = *diag;
}

void diags_add(Diags *diags, const Source *source, size_t offset, bool warning, const char *format, ...) {
    diags->errors += !warning;
    diags->warnings += warning;
    if (diags->count == DIAGS_KEPT) {
        return;
    }
    if (!MEM_ROOM(diags->items, diags->count, diags->room, 16)) {
        diags->text.failed = true;
        return;
    }
    Diag *diag = &diags->items[diags->count];
    *diag = (Diag){.warning = warning,
                   .offset = offset < source->length ? offset : source->length,
                   .message = diags->text.len};
    locate(diags, source, diag);
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    out_bytes(&diags->text, message, strlen(message) + 1);
    diags->count += !diags->text.failed;
}

/* The line around the place, at most WINDOW characters of it, and a caret. */
static void write_excerpt(Out *out, const Source *source, const Diag *diag) {
    enum { WINDOW = 100, LEAD = 60 };
    const char *text = source->text, *at = text + diag->offset, *end = text + source->length;
    const char *from = at, *to = at;
    while (from > text && from[-1] != '\n' && at - from < LEAD) {
        from--;
    }
    while (from > text && from < end && ((unsigned char)*from & 0xC0) == 0x80) {
        from--; /* not from the middle of a character */
    }
    while (to < end && *to != '\n' && *to != '\r' && to - from < WINDOW) {
        to++;
    }
    bool cut_left = from > text && from[-1] != '\n', cut_right = to < end && *to != '\n' && *to != '\r';
    if (from == to && !cut_left) {
        return;
    }
    size_t before = 0;
    out_str(out, cut_left ? "    ..." : "    ");
    for (const char *c = from; c < to;) {
        uint32_t code;
        size_t used = utf8_decode(c, end, &code);
        if (used == 0 || code < 0x20 || (code >= 0x7F && code < 0xA0)) {
            out_char(out, code == '\t' ? ' ' : '?');
        } else {
            out_bytes(out, c, used);
        }
        before += c < at;
        c += used ? used : 1;
    }
    out_str(out, cut_right ? "...\n" : "\n");
    out_repeat(out, " ", before + (cut_left ? 7 : 4));
    out_str(out, "^\n");
}

void diags_write(Out *out, const Source *source, const Diags *diags) {
    for (size_t k = 0; k < diags->count; k++) {
        const Diag *diag = &diags->items[k];
        out_printable(out, source->name);
        out_fmt(out, ":%u:%u: %s: ", diag->line, diag->column, diag->warning ? "warning" : "error");
        out_printable(out, diags_message(diags, diag));
        out_char(out, '\n');
        write_excerpt(out, source, diag);
    }
    if (diags->errors + diags->warnings > diags->count) {
        out_printable(out, source->name);
        out_fmt(out, ": %zu more\n", diags->errors + diags->warnings - diags->count);
    }
}
