/* Names of the layers; see engine_table.h. */
#include "net/engine_table.h"

const NetLayerRow net_layers[NET_LAYERS] = {
#define LAYER(id, name, text) {#name, text},
#include "net/layers.def"
#undef LAYER
};
