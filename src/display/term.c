/* Finds out what the terminal can do, from the environment and once; see term.h. */
#include "display/term.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

size_t term_width(int fd) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    const char *columns = setting("COLUMNS");
    if (columns) {
        char *end;
        long width = strtol(columns, &end, 10);
        if (*end == '\0' && width >= 10 && width <= 10000) {
            return (size_t)width;
        }
    }
    return 80;
}

bool term_is_utf8(void) {
    const char *locale = setting("LC_ALL");
    locale = locale ? locale : setting("LC_CTYPE");
    locale = locale ? locale : setting("LANG");
    return !locale || strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
}

TermStyle term_style(FILE *stream, const TermOptions *options) {
    int fd = fileno(stream);
    bool tty = fd >= 0 && isatty(fd);
    const char *term = setting("TERM"), *depth = setting("COLORTERM");
    bool color = tty && !setting("NO_COLOR") && !(term && strcmp(term, "dumb") == 0);
    color = options->color == TERM_ALWAYS || (color && options->color != TERM_NEVER);
    bool deep = depth && (strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0);
    return (TermStyle){
        .color = !color ? TERM_MONO
                 : deep ? TERM_TRUE
                        : TERM_256,
        .digits = options->digits || !color,
        .utf8 = term_is_utf8(),
        .width = options->width              ? options->width
                 : tty || setting("COLUMNS") ? term_width(fd)
                                             : 0,
        .palette = options->palette ? options->palette : palette_default(),
    };
}

const char *term_ink(const TermStyle *style, TermInk ink) {
    static const char *const codes[] = {
        [INK_RESET] = "\033[0m", [INK_BOLD] = "\033[1m",  [INK_DIM] = "\033[2m",   [INK_GOOD] = "\033[32m",
        [INK_BAD] = "\033[31m",  [INK_WARN] = "\033[33m", [INK_NAME] = "\033[36m",
    };
    return style->color == TERM_MONO ? "" : codes[ink];
}
