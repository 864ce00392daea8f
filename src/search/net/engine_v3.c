/* The engine once more, for processors with AVX2 and FMA: the Makefile compiles this file alone for them
 * where the rest is for older ones. The net's speed is that of the vectors; search gains nothing from newer
 * instructions. */
#ifdef BATT_NET_V3
#define NET_ENGINE net_engine_v3
#include "search/net/engine.h"
#else
typedef int NetNoSecondEngine; /* all of this build is for one processor */
#endif
