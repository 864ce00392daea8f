/* A program of one parameter as a function value: what `apply` can be given.
 *
 * The language has no function definitions inside a program, only compose, fork, lbind and rbind. A call is
 * turned into them from the inside out: constants are bound from both ends, one argument that depends on the
 * parameter is composed, two that stand side by side are forked. */
#ifndef BATT_LANG_LAMBDA_H
#define BATT_LANG_LAMBDA_H

#include "lang/build.h"

enum { LAMBDA_NONE = UINT32_MAX };

/* The function, as a ref in the builder, whose calls come behind those that are there. LAMBDA_NONE: it cannot
 * be said so: a call has three arguments that depend on the parameter, or two with a constant between them;
 * or the program does not depend on it, or is very long. */
Ref lambda_of(Builder *builder, const Program *program);

#endif
