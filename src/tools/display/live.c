/* Moving the cursor back over what was drawn; see live.h. */
#include "tools/display/live.h"

#include "tools/display/term.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool live_possible(FILE *stream) {
    const char *terminal = getenv("TERM");
    return stream != NULL && isatty(fileno(stream)) && terminal != NULL && *terminal != '\0' &&
           strcmp(terminal, "dumb") != 0;
}

void live_wipe(Live *live) {
    if (live->lines > 0) {
        fprintf(live->stream, "\r\033[%zuA\033[J", live->lines);
    }
    live->lines = 0;
}

void live_show(Live *live, const char *text) {
    size_t lines = 0, first = 0;
    for (const char *at = text; *at != '\0'; at++) {
        lines += *at == '\n';
        first = lines == 1 && *at == '\n' ? (size_t)(at - text) + 1 : first;
    }
    bool fits = lines + 1 < term_height(fileno(live->stream));
    live_wipe(live);
    fwrite(text, 1, fits ? strlen(text) : first, live->stream);
    live->lines = fits ? lines : first > 0;
}
