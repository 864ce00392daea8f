/* Stands in for http.c where libmicrohttpd is left out (the static binary, make SERVE=0), and says so. */
#include "tools/serve/serve.h"

#include <stdio.h>

bool serve_http(Serve *serve, unsigned port, const Stop *stop, void (*ready)(void *user, unsigned port),
                void *user, char *why, size_t room) {
    (void)serve, (void)port, (void)stop, (void)ready, (void)user;
    snprintf(why, room,
             "built without a server (the static binary has none; or libmicrohttpd-dev was missing, or make "
             "SERVE=0)");
    return false;
}
