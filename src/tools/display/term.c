/* Finds out what the terminal can do, from the environment and once; see term.h. */
#include "tools/display/term.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* What an environment variable says about a length in cells; else `otherwise`. */
static size_t cells_set(const char *name, size_t otherwise) {
    const char *text = setting(name);
    char *end = NULL;
    long cells = text != NULL ? strtol(text, &end, 10) : 0;
    return text != NULL && *end == '\0' && cells >= 10 && cells <= 10000 ? (size_t)cells : otherwise;
}

size_t term_width(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : cells_set("COLUMNS", 80);
}

size_t term_height(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : cells_set("LINES", 24);
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

const char *term_attr(const TermStyle *style, TermAttr attr) {
    static const char *const codes[] = {
        [ATTR_RESET] = "\033[0m", [ATTR_BOLD] = "\033[1m", [ATTR_DIM] = "\033[2m",
        [ATTR_GOOD] = "\033[32m", [ATTR_BAD] = "\033[31m", [ATTR_WARN] = "\033[33m",
        [ATTR_NAME] = "\033[36m",
    };
    return style->color == TERM_MONO ? "" : codes[attr];
}
