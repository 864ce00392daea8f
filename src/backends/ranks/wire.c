/* Bytes of messages; see wire.h. */
#include "backends/ranks/wire.h"

#include <string.h>

static void put(Out *out, uint64_t n, unsigned bytes) {
    uint8_t b[8];
    for (unsigned k = 0; k < bytes; k++) {
        b[k] = (uint8_t)(n >> 8 * k);
    }
    out_bytes(out, b, bytes);
}

void wire_u8(Out *out, uint8_t n) {
    put(out, n, 1);
}

void wire_u32(Out *out, uint32_t n) {
    put(out, n, 4);
}

void wire_u64(Out *out, uint64_t n) {
    put(out, n, 8);
}

void wire_double(Out *out, double x) {
    uint64_t n;
    memcpy(&n, &x, sizeof n);
    put(out, n, 8);
}

void wire_block(Out *out, const void *bytes, size_t length) {
    wire_u64(out, length);
    out_bytes(out, bytes, length);
}

void wire_text(Out *out, const char *text) {
    wire_block(out, text, strlen(text));
}

const void *wire_get_bytes(Wire *w, size_t length) {
    if (w->bad || (size_t)(w->end - w->at) < length) {
        w->bad = true;
        return NULL;
    }
    const void *bytes = w->at;
    w->at += length;
    return bytes;
}

static uint64_t get(Wire *w, unsigned bytes) {
    const uint8_t *b = wire_get_bytes(w, bytes);
    uint64_t n = 0;
    for (unsigned k = 0; b != NULL && k < bytes; k++) {
        n |= (uint64_t)b[k] << 8 * k;
    }
    return n;
}

uint8_t wire_get_u8(Wire *w) {
    return (uint8_t)get(w, 1);
}

uint32_t wire_get_u32(Wire *w) {
    return (uint32_t)get(w, 4);
}

uint64_t wire_get_u64(Wire *w) {
    return get(w, 8);
}

double wire_get_double(Wire *w) {
    uint64_t n = get(w, 8);
    double x;
    memcpy(&x, &n, sizeof x);
    return x;
}

uint32_t wire_get_below(Wire *w, uint32_t max) {
    uint32_t n = wire_get_u32(w);
    w->bad |= n > max;
    return w->bad ? 0 : n;
}

uint32_t wire_get_count(Wire *w, size_t each) {
    uint32_t n = wire_get_u32(w);
    w->bad |= n > (size_t)(w->end - w->at) / each;
    return w->bad ? 0 : n;
}

bool wire_get_bool(Wire *w) {
    uint8_t n = wire_get_u8(w);
    w->bad |= n > 1;
    return n == 1;
}

const void *wire_get_block(Wire *w, size_t *length) {
    uint64_t n = wire_get_u64(w);
    w->bad |= n > (uint64_t)(w->end - w->at);
    *length = w->bad ? 0 : (size_t)n;
    return wire_get_bytes(w, *length);
}

bool wire_ends(const Wire *w) {
    return !w->bad && w->at == w->end;
}
