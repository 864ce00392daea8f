/* Names of the layers; see engine_table.h. */
#include "search/net/engine_table.h"

const NetLayerRow net_layers[NET_LAYERS] = {
#define NET_LAYER(id, name, text) {#name, text},
#include "base/scopes.def"
};
