/* batt-mpi.so: passes messages between ranks through MPI; see src/backends/ranks/transport.h.
 *
 * Built by `make MPI=1`, and loaded by batt only under a launcher, because MPI_Init takes most of a second.
 * Nothing here waits for another rank, which may be dead. Sends keep a copy of their message until MPI is
 * done with it. A message that is announced may still have to be fetched from its sender; so receives are
 * begun, and handed over when they are complete, those of each sender in their order. */
#include "backends/ranks/transport.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 7 };

typedef struct Sending {
    struct Sending *next;
    MPI_Request request;
    char bytes[];
} Sending;

typedef struct Receiving {
    struct Receiving *next;
    MPI_Request request;
    int from, length;
    char bytes[];
} Receiving;

typedef struct Mpi {
    MPI_Comm all;
    Sending *sending;      /* sends that MPI has not finished */
    Receiving *receiving;  /* begun or complete, in the order of arrival */
    Receiving *handed;     /* the last one that was handed over */
    unsigned char *broken; /* by rank: a message was lost, so no later one can be handed over */
} Mpi;

static void *open_mpi(unsigned *rank, unsigned *size, char why[RANKS_WHY_BYTES]) {
    int given = 0, mine = 0, count = 0;
    Mpi *m = calloc(1, sizeof *m);
    if (m == NULL) {
        snprintf(why, RANKS_WHY_BYTES, "out of memory");
        return NULL;
    }
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS ||
        given < MPI_THREAD_FUNNELED) {
        snprintf(why, RANKS_WHY_BYTES, "MPI does not work beside threads");
        free(m);
        return NULL;
    }
    /* A communicator of our own; and a lost rank is an error, not the end of this process. */
    if (MPI_Comm_dup(MPI_COMM_WORLD, &m->all) != MPI_SUCCESS) {
        snprintf(why, RANKS_WHY_BYTES, "MPI cannot make a communicator");
        free(m);
        return NULL;
    }
    MPI_Comm_set_errhandler(m->all, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->all, &mine);
    MPI_Comm_size(m->all, &count);
    m->broken = calloc((size_t)count, 1);
    if (m->broken == NULL) {
        snprintf(why, RANKS_WHY_BYTES, "out of memory");
        free(m);
        return NULL;
    }
    *rank = (unsigned)mine;
    *size = (unsigned)count;
    return m;
}

static void reap(Mpi *m) {
    for (Sending **at = &m->sending; *at != NULL;) {
        Sending *s = *at;
        int done = 0;
        if (MPI_Test(&s->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done) {
            *at = s->next;
            free(s);
        } else {
            at = &s->next;
        }
    }
}

static bool send_mpi(void *self, unsigned to, const void *bytes, size_t length) {
    Mpi *m = self;
    Sending *s = length <= RANKS_MESSAGE_MAX ? malloc(sizeof *s + length) : NULL;
    if (s == NULL) {
        return false;
    }
    memcpy(s->bytes, bytes, length);
    if (MPI_Isend(s->bytes, (int)length, MPI_BYTE, (int)to, TAG, m->all, &s->request) != MPI_SUCCESS) {
        free(s);
        return false;
    }
    s->next = m->sending;
    m->sending = s;
    return true;
}

/* Begins to receive what has been announced. False: MPI fails as a whole. */
static bool begin_receives(Mpi *m) {
    Receiving **end = &m->receiving;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    for (;;) {
        MPI_Message message;
        MPI_Status status;
        int there = 0, count = 0;
        if (MPI_Improbe(MPI_ANY_SOURCE, TAG, m->all, &there, &message, &status) != MPI_SUCCESS) {
            return false;
        }
        if (!there) {
            return true;
        }
        if (MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || count < 0 ||
            count > RANKS_MESSAGE_MAX) {
            return false;
        }
        Receiving *r = malloc(sizeof *r + (size_t)count);
        if (r == NULL) {
            return false;
        }
        r->next = NULL;
        r->from = status.MPI_SOURCE;
        r->length = count;
        if (MPI_Imrecv(r->bytes, count, MPI_BYTE, &message, &r->request) != MPI_SUCCESS) {
            m->broken[r->from] = 1;
            free(r);
            continue;
        }
        *end = r;
        end = &r->next;
    }
}

/* The first message that is complete, of a sender whose earlier ones are, too; NULL: there is none. */
static Receiving *take_complete(Mpi *m) {
    for (Receiving **at = &m->receiving; *at != NULL; at = &(*at)->next) {
        Receiving *r = *at, *earlier = m->receiving;
        while (earlier != r && earlier->from != r->from) {
            earlier = earlier->next;
        }
        int done = 0;
        if (earlier != r || m->broken[r->from]) {
            continue;
        }
        if (MPI_Test(&r->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            m->broken[r->from] = 1;
        } else if (done) {
            *at = r->next;
            return r;
        }
    }
    return NULL;
}

static int receive_mpi(void *self, unsigned *from, const void **bytes, size_t *length) {
    Mpi *m = self;
    reap(m);
    free(m->handed);
    m->handed = NULL;
    if (!begin_receives(m)) {
        return -1;
    }
    m->handed = take_complete(m);
    if (m->handed == NULL) {
        return 0;
    }
    *from = (unsigned)m->handed->from;
    *bytes = m->handed->bytes;
    *length = (size_t)m->handed->length;
    return 1;
}

static bool sent_mpi(void *self) {
    Mpi *m = self;
    reap(m);
    return m->sending == NULL;
}

static void close_mpi(void *self, bool orderly) {
    Mpi *m = self;
    if (orderly) { /* otherwise MPI_Finalize would wait for lost ranks */
        MPI_Comm_free(&m->all);
        MPI_Finalize();
        while (m->sending != NULL) {
            Sending *s = m->sending;
            m->sending = s->next;
            free(s);
        }
        while (m->receiving != NULL) { /* MPI is over, so nothing is written there any more */
            Receiving *r = m->receiving;
            m->receiving = r->next;
            free(r);
        }
        free(m->handed);
        free(m->broken);
        free(m);
    }
}

__attribute__((visibility("default")))
const RanksTransport batt_transport = {.version = RANKS_TRANSPORT_VERSION,
                                       .name = "MPI",
                                       .open = open_mpi,
                                       .send = send_mpi,
                                       .receive = receive_mpi,
                                       .sent = sent_mpi,
                                       .close = close_mpi};
