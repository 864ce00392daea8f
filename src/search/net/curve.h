/* The curve of a run: losses and the likeliest answer at some of its steps.
 *
 * However long a run is, its curve has at most NET_CURVE_MAX moments, evenly spread: when there are
 * more, every second one is dropped. */
#ifndef BATT_SEARCH_NET_CURVE_H
#define BATT_SEARCH_NET_CURVE_H

#include "search/net/net.h"

enum { NET_CURVE_MAX = 256 };

typedef struct NetMoment {
    uint32_t step;
    double kl, rec;
    uint32_t answer; /* number of the one from running means */
    uint32_t place;  /* of the right answers by totals, if they are known; 0: not among them */
} NetMoment;

typedef struct NetCurve {
    NetMoment moments[NET_CURVE_MAX];
    uint32_t count;
    uint32_t stride; /* steps between them; 0: not begun */
} NetCurve;

/* After a step. `right` may be NULL: not known. */
void net_curve_note(NetCurve *curve, const Net *net, const Image *right);

#endif
