/* A playground: tasks, programs and search behind one local page.
 *
 * serve_answer turns a request into a reply and knows nothing of sockets, so that tests and fuzzers can
 * call it just as the server does; http.c connects it to the network (libmicrohttpd, left out by make
 * SERVE=0). The first part of every path is a random token, without which every request is refused before
 * anything else is looked at or counted: other local users cannot use up the owner's request quota. Nothing
 * is written except the store, if there is one.
 *
 *     GET  /TOKEN/            the page
 *     GET  /TOKEN/words       primitives and constants, for completion
 *     GET  /TOKEN/tasks       all tasks: id, size, number of colors, whether solved, the first pair
 *     POST /TOKEN/tasks       {"name", "text"}: adds the tasks of a file
 *     GET  /TOKEN/task/ID     the grids of a task
 *     POST /TOKEN/steps       {"task", "program", "sample"}: errors with their places, or every step drawn
 *     POST /TOKEN/pairs       {"task", "program"}: output and verdict of every pair
 *     POST /TOKEN/search      {"task", "seconds"}: begins a search, ends the one before
 *     GET  /TOKEN/search      what it found so far
 *     POST /TOKEN/stop        {}
 *     POST /TOKEN/keep        {"task", "program"}: into the store
 *
 * Only one thread may call it at a time; a search runs in a thread of its own. */
#ifndef BATT_TOOLS_SERVE_SERVE_H
#define BATT_TOOLS_SERVE_SERVE_H

#include "base/out.h"
#include "base/stop.h"
#include "data/tasks/task.h"
#include "tools/display/palette.h"

typedef struct Serve Serve;

typedef struct ServeOptions {
    const Task *const *tasks; /* must outlive it */
    size_t n_tasks;
    const char *store;      /* where programs are kept; NULL: nowhere */
    const Palette *palette; /* NULL: the default one */
    unsigned max_seconds;   /* limit for one search */
} ServeOptions;

enum {
    SERVE_TOKEN = 32,         /* hexadecimal digits */
    SERVE_MAX_BODY = 65536,   /* bytes of a request */
    SERVE_MAX_FILE = 4 << 20, /* bytes of a request that adds tasks */
    SERVE_BURST = 200,        /* requests that may come in a burst */
    SERVE_RATE = 50           /* requests per second in the long run */
};

typedef struct ServeReply {
    unsigned status;  /* HTTP status */
    const char *type; /* of the body */
    Out body;         /* owned by the caller */
} ServeReply;

typedef struct ServeRequest {
    const char *method, *path;
    const char *host, *origin, *site, *type; /* Host, Origin, Sec-Fetch-Site, Content-Type; NULL: not sent */
    const char *body;
    size_t length;
} ServeRequest;

Serve *serve_open(const ServeOptions *options, char *why, size_t room);
const char *serve_token(const Serve *serve);
void serve_set_port(Serve *serve, unsigned port); /* where it answers: requests must be meant for that */
/* Whether the request comes from the owner's page, by all but its body; else `reply` is the refusal. */
bool serve_admits(const Serve *serve, const ServeRequest *request, ServeReply *reply);
/* Answers a request, or refuses it. now_ns is the current time, for the rate limit. A body must be JSON. */
void serve_answer(Serve *serve, const ServeRequest *request, uint64_t now_ns, ServeReply *reply);
void serve_close(Serve *serve); /* ends a search; NULL is fine */

/* ---- http.c ---- */

/* Answers on 127.0.0.1 until *stop. port 0: any free one; `ready` is told which. False: `why` says the
 * reason. */
bool serve_http(Serve *serve, unsigned port, const Stop *stop, void (*ready)(void *user, unsigned port),
                void *user, char *why, size_t room);

#endif
