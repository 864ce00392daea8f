/* Memory for the parts of a loaded set: grids, pairs, names.
 *
 * Bytes are handed out from large chunks and freed all together, so loading costs no allocation per grid, and
 * a thousand small files share a few chunks. Every loading thread fills its own slab; the set absorbs
 * them. */
#ifndef BATT_BASE_SLAB_H
#define BATT_BASE_SLAB_H

#include <stddef.h>
#include <stdint.h>

typedef struct SlabChunk SlabChunk;

typedef struct Slab {
    SlabChunk *chunks;
    uint8_t *next, *end;
} Slab;

void *slab_alloc(Slab *slab, size_t bytes);      /* 8-aligned; NULL: out of memory */
uint8_t *slab_reserve(Slab *slab, size_t bytes); /* room to write into, unaligned, not yet taken */
void slab_commit(Slab *slab, size_t bytes);      /* takes the first bytes of the reserved room */
char *slab_text(Slab *slab, const char *text, size_t length); /* a terminated copy */
void slab_absorb(Slab *into, Slab *from);                     /* from becomes empty */
void slab_free(Slab *slab);

#endif
