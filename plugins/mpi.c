/* batt-mpi.so: passes messages between ranks through MPI; see src/ranks/transport.h.
 *
 * Built by `make MPI=1`, and loaded by batt only under a launcher, because MPI_Init takes most of a second.
 * Sends never wait: each keeps a copy of its message until MPI is done with it. */
#include "ranks/transport.h"

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

typedef struct Mpi {
    MPI_Comm all;
    Sending *sending; /* sends that MPI has not finished */
    char *received;
    size_t room;
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
    Sending *s = length <= RANKS_MESSAGE_MOST ? malloc(sizeof *s + length) : NULL;
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

static int receive_mpi(void *self, unsigned *from, const void **bytes, size_t *length) {
    Mpi *m = self;
    MPI_Status status;
    int there = 0, count = 0;
    reap(m);
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, m->all, &there, &status) != MPI_SUCCESS) {
        return -1;
    }
    if (!there) {
        return 0;
    }
    if (MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || count < 0 || count > RANKS_MESSAGE_MOST) {
        return -1;
    }
    if ((size_t)count > m->room) {
        char *more = realloc(m->received, (size_t)count);
        if (more == NULL) {
            return -1;
        }
        m->received = more;
        m->room = (size_t)count;
    }
    int source = status.MPI_SOURCE;
    if (MPI_Recv(m->received, count, MPI_BYTE, source, TAG, m->all, &status) != MPI_SUCCESS) {
        return -1;
    }
    *from = (unsigned)source;
    *bytes = m->received;
    *length = (size_t)count;
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
        free(m->received);
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
