/* Which engine this machine runs; see engine_table.h. */
#include "search/net/engine_table.h"

const NetEngine *net_engine(void) {
#ifdef BATT_NET_V3
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return &net_engine_v3;
    }
#endif
    return &net_engine_float;
}
