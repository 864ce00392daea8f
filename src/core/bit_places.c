/* The table of bit_places.h. */
#include "core/bit_places.h"

#define BIT(b, k) ((b) >> (k)&1)
/* how many bits are set below bit k, */
#define BELOW(b, k)                                                                          \
    ((k > 0) * BIT(b, 0) + (k > 1) * BIT(b, 1) + (k > 2) * BIT(b, 2) + (k > 3) * BIT(b, 3) + \
     (k > 4) * BIT(b, 4) + (k > 5) * BIT(b, 5) + (k > 6) * BIT(b, 6))
/* k, if it is the n-th that is set, and which one is */
#define AT(b, n, k) ((BIT(b, k) && BELOW(b, k) == (n)) * (k))
#define NTH(b, n) \
    (AT(b, n, 1) + AT(b, n, 2) + AT(b, n, 3) + AT(b, n, 4) + AT(b, n, 5) + AT(b, n, 6) + AT(b, n, 7))
#define ROW(b) \
    { NTH(b, 0), NTH(b, 1), NTH(b, 2), NTH(b, 3), NTH(b, 4), NTH(b, 5), NTH(b, 6), NTH(b, 7) }
#define ROWS4(b) ROW(b), ROW(b + 1), ROW(b + 2), ROW(b + 3)
#define ROWS16(b) ROWS4(b), ROWS4(b + 4), ROWS4(b + 8), ROWS4(b + 12)
#define ROWS64(b) ROWS16(b), ROWS16(b + 16), ROWS16(b + 32), ROWS16(b + 48)

const uint8_t bit_places[256][8] = {ROWS64(0), ROWS64(64), ROWS64(128), ROWS64(192)};
