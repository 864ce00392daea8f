/* What an engine offers: one step of training, and its numbers in and out.
 *
 * The engine is a template (engine.h) that is compiled once for the library, in float, and by tests
 * once more in double and once without vectors. A NetEngine is the interface to one of them. */
#ifndef BATT_SEARCH_NET_ENGINE_TABLE_H
#define BATT_SEARCH_NET_ENGINE_TABLE_H

#include "search/net/memory.h"
#include "search/net/team.h"

typedef enum NetLayer {
#define NET_LAYER(id, name, text) NET_LAYER_##id,
#include "base/scopes.def"
    NET_LAYERS
} NetLayer;

typedef struct NetLayerRow {
    const char *name, *text;
} NetLayerRow;
extern const NetLayerRow net_layers[NET_LAYERS];

typedef struct NetMeter { /* of one thread */
    uint64_t ns[NET_LAYERS];
    uint64_t since;
    NetLayer now;
    void (*moved)(void *user, NetLayer layer); /* may be NULL */
    void *user;
} NetMeter;

typedef struct NetOutput { /* of the last forward pass; see net_loss in loss.h for the layout */
    double *logits, *rows, *columns;
    double *g_logits, *g_rows, *g_columns;
} NetOutput;

typedef struct NetLoss {
    double kl, rec;
} NetLoss;

/* Where the noise of a step comes from: a seed, or what the vectors on record were made with. */
typedef enum NetNoise { NET_NOISE_NORMAL, NET_NOISE_RECORDED } NetNoise;

/* The stream where no buffer keeps it; for tests. */
typedef enum NetPoint { NET_AFTER_SOFTMAX, NET_AFTER_CUMMAX, NET_AFTER_MIX, NET_POINTS } NetPoint;
typedef struct NetProbe { /* numbers in canonical order; NULL: not wanted */
    double *to[NET_POINTS][NET_BLOCKS][NET_TENSORS];
} NetProbe;

typedef struct NetEngine {
    size_t real; /* bytes of a number */
    size_t (*bytes)(const NetMemory *mem, unsigned threads);
    /* Makes a run in `block`, which has `bytes` bytes, is zeroed, and begins at a multiple of 64. */
    struct NetRun *(*open)(const NetMemory *mem, unsigned threads, void *block);
    void (*measure)(struct NetRun *run, NetMeter *meters); /* by thread; NULL: no longer */
    void (*begin)(struct NetRun *run, uint64_t seed);      /* draws first values */
    /* Forward pass and loss of step t; then backward; then the change of the parameters. */
    NetLoss (*forward)(struct NetRun *run, NetTeam *team, size_t t, uint64_t seed, NetNoise noise);
    void (*backward)(struct NetRun *run, NetTeam *team);
    void (*improve)(struct NetRun *run, NetTeam *team);
    const NetOutput *(*output)(const struct NetRun *run);
    /* All that a run needs to resume: parameters and moments, as bytes. */
    size_t (*state_bytes)(const NetMemory *mem);
    void (*first_state)(const NetMemory *mem, uint64_t seed, void *to); /* as `begin` draws it */
    void (*save)(const struct NetRun *run, void *to);
    void (*load)(struct NetRun *run, const void *from);
    /* Numbers in the canonical order of their tensor or matrix, for tests. */
    void (*read)(const struct NetRun *run, const NetParameter *what, bool gradient, double *to);
    void (*write)(struct NetRun *run, const NetParameter *what, const double *from);
    void (*stream)(const struct NetRun *run, NetBuffer which, NetTensorId t, size_t block, double *to);
    void (*code)(const struct NetRun *run, NetTensorId t, double *to); /* z of the last step */
    double (*kl)(const struct NetRun *run, NetTensorId t);
    void (*probe)(struct NetRun *run, const NetProbe *probe); /* filled by the forward passes to come */
} NetEngine;

extern const NetEngine net_engine_float;
#ifdef BATT_NET_V3
extern const NetEngine net_engine_v3; /* engine_v3.c */
#endif

/* The fastest engine that this machine has. */
const NetEngine *net_engine(void);

#endif
