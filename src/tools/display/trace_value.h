/* A value as pictures and words: what a trace shows beside each line of a program. */
#ifndef BATT_TOOLS_DISPLAY_TRACE_VALUE_H
#define BATT_TOOLS_DISPLAY_TRACE_VALUE_H

#include "engine/language/infer.h"
#include "engine/value/value.h"
#include "tools/display/draw.h"
#include "tools/display/marks.h"

enum { TRACE_MAX_PANELS = 12 };

typedef struct TraceValue {
    DrawPanel panels[TRACE_MAX_PANELS];
    size_t panel_count;
    Out text;        /* in words, short; "" where the pictures say everything */
    Overlay overlay; /* the picture that the panel of a patch shows */
} TraceValue;

/* What a value is used as: the same bytes may be a grid of two rows or two places. */
typedef struct TraceUse {
    bool truth; /* integers are booleans */
    bool grid;  /* it may be a grid */
    bool grids; /* its elements may be grids */
} TraceUse;
TraceUse trace_use(Types *types, Mode mode, TypeId type);

/* Grids are drawn as they are, objects and indices lit over the input, containers of grids as several
 * panels; everything else is text. Pictures borrow the value's cells. False: out of memory. */
bool trace_value_make(TraceValue *view, Val value, TraceUse use, Image input);
void trace_value_free(TraceValue *view);

/* The line of a slot: "x1 = objects(I, T, F, F)". */
void trace_write_source(Out *out, const Program *program, uint32_t slot);
/* Why a slot has no value: an argument without one, or the call's own failure. */
void trace_write_why(Out *out, Types *types, const Program *program, const Val *slots, uint32_t slot);

#endif
