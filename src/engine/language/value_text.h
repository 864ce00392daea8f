/* Values as text, in the form that the parser reads back: (1, 2) {} T None. */
#ifndef BATT_ENGINE_LANGUAGE_VALUE_TEXT_H
#define BATT_ENGINE_LANGUAGE_VALUE_TEXT_H

#include "base/out.h"
#include "engine/value/value.h"

enum { TEXT_DEPTH = 500, TEXT_LIMIT = 64 << 20 }; /* deeper nesting or longer text is cut with `...` */

/* A failed value is `!`. A closure is written as the call that makes it. False: it was cut. */
bool text_value(Out *out, Val value);
/* The same for a truth value or a container of truth values: T and F instead of 1 and 0. */
bool text_value_bool(Out *out, Val value);
/* "failed: type in first, line 3" */
void text_failure(Out *out, Val failed);
/* At most `room` bytes of a text: its head and tail around " ... " if it is longer. */
void text_elided(Out *out, const char *text, size_t length, size_t room);

#endif
