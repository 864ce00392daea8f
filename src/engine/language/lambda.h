/* A program of one parameter as a function value, which can be given to `apply`.
 *
 * The language has no function definitions inside a program, only compose, fork, lbind and rbind. Calls are
 * turned into these from the inside out: constants are bound from both ends, a single argument that depends
 * on the parameter is composed, two adjacent ones are forked. */
#ifndef BATT_ENGINE_LANGUAGE_LAMBDA_H
#define BATT_ENGINE_LANGUAGE_LAMBDA_H

#include "engine/language/build.h"

enum { LAMBDA_NONE = UINT32_MAX };

/* The function as a ref in the builder, to which its calls are appended. LAMBDA_NONE: it cannot be expressed,
 * because a call has three arguments that depend on the parameter, or two with a constant between them, or
 * the program does not depend on the parameter, or it is very long. */
Ref lambda_of(Builder *builder, const Program *program);

#endif
