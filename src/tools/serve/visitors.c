/* Tracks connections; see visitors.h. The server closes a connection once its socket is shut down. */
#include "tools/serve/visitors.h"

#include <stddef.h>
#include <sys/socket.h>

void visitors_open(Visitors *v, uint64_t deadline_ns) {
    pthread_mutex_init(&v->lock, NULL);
    v->deadline_ns = deadline_ns;
    for (size_t k = 0; k < VISITORS_MAX; k++) {
        v->places[k] = (Visitor){.socket = -1};
    }
}

void visitors_close(Visitors *v) {
    pthread_mutex_destroy(&v->lock);
}

/* Once: a socket that was shut down counts no more. */
static void hang_up(Visitor *visitor) {
    shutdown(visitor->socket, SHUT_RDWR);
    visitor->known = true;
}

Visitor *visitors_enter(Visitors *v, int socket, uint64_t now_ns) {
    Visitor *place = NULL, *oldest = NULL;
    size_t strangers = 0;
    pthread_mutex_lock(&v->lock);
    for (size_t k = 0; k < VISITORS_MAX; k++) {
        Visitor *visitor = &v->places[k];
        if (visitor->socket < 0) {
            place = visitor;
        } else if (!visitor->known) {
            strangers++;
            oldest = oldest == NULL || visitor->since_ns < oldest->since_ns ? visitor : oldest;
        }
    }
    if (strangers >= VISITORS_STRANGERS) {
        hang_up(oldest);
    }
    if (place != NULL) {
        *place = (Visitor){.socket = socket, .since_ns = now_ns};
    }
    pthread_mutex_unlock(&v->lock);
    return place;
}

void visitors_know(Visitors *v, Visitor *visitor) {
    pthread_mutex_lock(&v->lock);
    visitor->known = true;
    pthread_mutex_unlock(&v->lock);
}

void visitors_leave(Visitors *v, Visitor *visitor) {
    pthread_mutex_lock(&v->lock);
    *visitor = (Visitor){.socket = -1};
    pthread_mutex_unlock(&v->lock);
}

void visitors_remind(Visitors *v, uint64_t now_ns) {
    pthread_mutex_lock(&v->lock);
    for (size_t k = 0; k < VISITORS_MAX; k++) {
        Visitor *visitor = &v->places[k];
        if (visitor->socket >= 0 && !visitor->known && now_ns - visitor->since_ns > v->deadline_ns) {
            hang_up(visitor);
        }
    }
    pthread_mutex_unlock(&v->lock);
}
