/* Assertions and logs of the checked build (make CHECKED=1, and under sanitizers).
 *
 *     ASSERT(n <= room, "n %u, room %u", n, room);   aborts, saying where, which condition, and the state
 *     LOG(BATTERY, "%u nodes", nodes);               to standard error, if BATT_LOG names the topic
 *
 * BATT_LOG is `all` or a comma-separated list of topics: BATT_LOG=search,battery. In a release build both do
 * nothing: their arguments are compiled, so that they stay valid, but never evaluated. */
#ifndef BATT_BASE_CHECK_H
#define BATT_BASE_CHECK_H

#include <stdbool.h>

typedef enum LogTopic {
#define TOPIC(id, text) LOG_##id,
#include "base/log_topics.def"
#undef TOPIC
    LOG_TOPICS
} LogTopic;

/* Never defined; it only lets the compiler check the format and its arguments. */
int check_nothing(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef BATT_CHECKED

_Noreturn void check_failed(const char *file, int line, const char *function, const char *condition,
                            const char *format, ...) __attribute__((format(printf, 5, 6)));
bool log_wanted(LogTopic topic);
void log_write(LogTopic topic, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define CHECKED 1
#define ASSERT(condition, ...)          \
    (__builtin_expect(!!(condition), 1) \
         ? (void)0                      \
         : check_failed(__FILE__, __LINE__, __func__, #condition, __VA_ARGS__))
#define LOG(topic, ...) (log_wanted(LOG_##topic) ? log_write(LOG_##topic, __VA_ARGS__) : (void)0)

#else

#define CHECKED 0
#define ASSERT(condition, ...) ((void)sizeof((condition) ? 0 : check_nothing(__VA_ARGS__)))
#define LOG(topic, ...) ((void)sizeof(check_nothing(__VA_ARGS__)))

#endif

#endif
