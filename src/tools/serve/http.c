/* Connects serve_answer to the network: libmicrohttpd, on the loopback address only.
 *
 * The library is loaded when the server starts: it brings eight others along, and linking them took most of
 * the time of every command's start. One thread answers one request after the other. Requests are
 * authorized once their headers are there, before any body is read. The library's options limit connections
 * and their memory; visitors.h says who may stay, and for how long; the size of bodies is checked as they
 * arrive.
 *
 * Without its header (BATT_NO_SERVE: the static binary, make SERVE=0, or libmicrohttpd-dev missing) starting
 * the server fails and says so. */
#include "tools/serve/serve.h"

#include <stdio.h>

#ifdef BATT_NO_SERVE

bool serve_http(Serve *serve, unsigned port, const Stop *stop, void (*ready)(void *user, unsigned port),
                void *user, char *why, size_t room) {
    (void)serve, (void)port, (void)stop, (void)ready, (void)user;
    snprintf(why, room,
             "built without a server (the static binary has none; or libmicrohttpd-dev was missing, or make "
             "SERVE=0)");
    return false;
}

#else

#include "base/alloc.h"
#include "base/clock.h"
#include "tools/serve/visitors.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <string.h>
#include <time.h>

/* What is called of the library. */
#define MHD_FUNCTIONS(F)           \
    F(start_daemon)                \
    F(stop_daemon)                 \
    F(get_daemon_info)             \
    F(get_connection_info)         \
    F(lookup_connection_value)     \
    F(create_response_from_buffer) \
    F(add_response_header)         \
    F(queue_response)              \
    F(destroy_response)

typedef struct Http {
    Serve *serve;
    Visitors visitors;
    void *library;
#define MEMBER(name) __typeof__(MHD_##name) *name;
    MHD_FUNCTIONS(MEMBER)
#undef MEMBER
} Http;

typedef struct Request {
    Out body;
    bool too_large;
} Request;

static const struct {
    const char *name, *value;
} headers[] = {{"Cache-Control", "no-store"},
               {"Referrer-Policy", "no-referrer"},
               {"X-Content-Type-Options", "nosniff"},
               {"X-Frame-Options", "DENY"},
               {"Cross-Origin-Resource-Policy", "same-origin"}};

static bool load(Http *http, char *why, size_t room) {
    static const char name[] = "libmicrohttpd.so.12";
    http->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (http->library == NULL) {
        const char *reason = dlerror();
        snprintf(why, room, "libmicrohttpd12 is not installed (%.200s)", reason != NULL ? reason : name);
        return false;
    }
    const char *missing = NULL;
#define LOOK_UP(function)                                                               \
    {                                                                                   \
        void *found = dlsym(http->library, "MHD_" #function);                           \
        memcpy(&http->function, &found, sizeof found); /* ISO C has no cast for this */ \
        missing = found == NULL && missing == NULL ? "MHD_" #function : missing;        \
    }
    MHD_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    if (missing != NULL) {
        snprintf(why, room, "%s has no %s", name, missing);
        dlclose(http->library);
    }
    return missing == NULL;
}

static enum MHD_Result send_reply(const Http *http, struct MHD_Connection *connection, bool stay,
                                  ServeReply *reply) {
    struct MHD_Response *response =
        http->create_response_from_buffer(reply->body.len, reply->body.data, MHD_RESPMEM_MUST_COPY);
    out_free(&reply->body);
    if (response == NULL) {
        return MHD_NO;
    }
    http->add_response_header(response, "Content-Type", reply->type);
    for (size_t k = 0; k < sizeof headers / sizeof *headers; k++) {
        http->add_response_header(response, headers[k].name, headers[k].value);
    }
    if (!stay) {
        http->add_response_header(response, "Connection", "close");
    }
    enum MHD_Result sent = http->queue_response(connection, reply->status, response);
    http->destroy_response(response);
    return sent;
}

static ServeRequest request_of(const Http *http, struct MHD_Connection *connection, const char *method,
                               const char *path) {
#define HEADER(name) http->lookup_connection_value(connection, MHD_HEADER_KIND, name)
    return (ServeRequest){.method = method,
                          .path = path,
                          .host = HEADER("Host"),
                          .origin = HEADER("Origin"),
                          .site = HEADER("Sec-Fetch-Site"),
                          .type = HEADER("Content-Type")};
#undef HEADER
}

/* The headers are there: strangers are answered without looking at what else they send. */
static enum MHD_Result begin(Http *http, struct MHD_Connection *connection, const ServeRequest *asked,
                             void **state) {
    ServeReply reply;
    if (!serve_admits(http->serve, asked, &reply)) {
        return send_reply(http, connection, false, &reply);
    }
    const union MHD_ConnectionInfo *info =
        http->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info != NULL && info->socket_context != NULL) {
        visitors_know(&http->visitors, info->socket_context);
    }
    Request *request = *state = mem_zalloc(1, sizeof *request);
    if (request == NULL) {
        return MHD_NO;
    }
    out_init(&request->body);
    return MHD_YES;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *data, size_t *length,
                              void **state) {
    Http *http = user;
    Request *request = *state;
    (void)version;
    ServeRequest asked = request_of(http, connection, method, path);
    if (request == NULL) {
        return begin(http, connection, &asked, state);
    }
    if (*length > 0) {
        request->too_large |= request->body.len + *length > SERVE_MAX_FILE;
        if (!request->too_large) {
            out_bytes(&request->body, data, *length);
        }
        *length = 0;
        return MHD_YES;
    }
    if (request->body.failed) {
        return MHD_NO;
    }
    ServeReply reply;
    asked.body = request->too_large ? NULL : request->body.data;
    asked.length = request->too_large ? SERVE_MAX_FILE + 1 : request->body.len;
    serve_answer(http->serve, &asked, clock_now_ns(), &reply);
    return send_reply(http, connection, true, &reply);
}

static void connected(void *user, struct MHD_Connection *connection, void **place,
                      enum MHD_ConnectionNotificationCode what) {
    Http *http = user;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            http->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *place = info != NULL ? visitors_enter(&http->visitors, info->connect_fd, clock_now_ns()) : NULL;
    } else if (*place != NULL) {
        visitors_leave(&http->visitors, *place);
        *place = NULL;
    }
}

static void completed(void *user, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode code) {
    Request *request = *state;
    (void)user, (void)connection, (void)code;
    if (request != NULL) {
        out_free(&request->body);
        mem_free(request);
    }
    *state = NULL;
}

bool serve_http(Serve *serve, unsigned port, const Stop *stop, void (*ready)(void *user, unsigned port),
                void *user, char *why, size_t room) {
    enum { SECONDS = 15, MEMORY = 32 << 10, STACK = 16 << 20 };
    static const uint64_t deadline_ns = UINT64_C(5000000000);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    Http http = {.serve = serve};
    if (!load(&http, why, room)) {
        return false;
    }
    visitors_open(&http.visitors, deadline_ns);
    struct MHD_Daemon *daemon = http.start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)port, NULL, NULL, handle, &http,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, connected, &http, MHD_OPTION_CONNECTION_LIMIT, (unsigned)VISITORS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
        MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK, MHD_OPTION_END);
    if (daemon == NULL) {
        snprintf(why, room, "cannot listen on 127.0.0.1, port %u: %s", port, strerror(errno));
        dlclose(http.library);
        return false;
    }
    const union MHD_DaemonInfo *info = http.get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    serve_set_port(serve, info != NULL ? info->port : port);
    ready(user, info != NULL ? info->port : port);
    while (!stop_is_requested(stop)) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        visitors_remind(&http.visitors, clock_now_ns());
    }
    http.stop_daemon(daemon);
    visitors_close(&http.visitors);
    dlclose(http.library);
    return true;
}

#endif
