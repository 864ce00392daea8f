/* How the checked build reports failed assertions and writes logs; see check.h. */
#include "base/check.h"

#ifdef BATT_CHECKED

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const names[LOG_TOPICS] = {
#define TOPIC(id, text) #id,
#include "base/log_topics.def"
#undef TOPIC
};

void check_failed(const char *file, int line, const char *function, const char *condition, const char *format,
                  ...) {
    va_list args;
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: assertion failed: %s: ", file, line, function, condition);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

/* Set once the environment has been read. The set of enabled topics is the only state kept between calls. */
enum { READ = 1u << 31 };

static bool named(const char *list, const char *name) {
    size_t length = strlen(name);
    while (list != NULL && *list != '\0') {
        size_t word = strcspn(list, ",");
        if ((word == length && strncasecmp(list, name, length) == 0) ||
            (word == 3 && strncmp(list, "all", 3) == 0)) {
            return true;
        }
        list += word + (list[word] == ',');
    }
    return false;
}

bool log_wanted(LogTopic topic) {
    static atomic_uint wanted;
    unsigned set = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (set == 0) {
        const char *list = getenv("BATT_LOG");
        set = READ;
        for (unsigned k = 0; k < LOG_TOPICS; k++) {
            set |= named(list, names[k]) ? 1u << k : 0;
        }
        atomic_store_explicit(&wanted, set, memory_order_relaxed);
    }
    return set >> topic & 1;
}

void log_write(LogTopic topic, const char *format, ...) {
    char text[512];
    int at = snprintf(text, sizeof text, "[%s] ", names[topic]);
    va_list args;
    va_start(args, format);
    at += vsnprintf(text + at, sizeof text - (size_t)at - 1, format, args);
    va_end(args);
    size_t length = (size_t)at < sizeof text - 2 ? (size_t)at : sizeof text - 2;
    text[length] = '\n';
    fwrite(text, 1, length + 1, stderr); /* in one write, because workers log concurrently */
}

#endif
