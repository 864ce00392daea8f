/* Stands in for png.c where libpng is left out (make PNG=0), and says so; see picture.h. */
#include "tools/display/picture.h"

#include <stdio.h>

bool picture_to_png(Out *out, const Picture *picture, char *why, size_t why_size) {
    (void)out;
    (void)picture;
    snprintf(why, why_size, "this batt was built without PNG (make PNG=0); SVG is there");
    return false;
}
