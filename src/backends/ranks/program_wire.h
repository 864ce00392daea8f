/* Programs as bytes in messages: the text, with the mode and the hash that it must have. */
#ifndef BATT_BACKENDS_RANKS_PROGRAM_WIRE_H
#define BATT_BACKENDS_RANKS_PROGRAM_WIRE_H

#include "backends/ranks/wire.h"
#include "engine/language/parse.h"

void program_pack(Out *out, const Program *program);
/* NULL: the wire was bad, or has become bad. */
Program *program_unpack(Lang *lang, Wire *wire);

#endif
