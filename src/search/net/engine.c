/* The engine of the library: float, with vectors; see engine.h. */
#define NET_ENGINE net_engine_float
#include "search/net/engine.h"
