/* Text to programs.
 *
 * A Lang holds what parsing keeps from text to text: the table of names and scratch memory. Each thread uses
 * its own Lang. The programs found belong to the caller; those with an error are left out, and every error is
 * reported. */
#ifndef BATT_ENGINE_LANGUAGE_PARSE_H
#define BATT_ENGINE_LANGUAGE_PARSE_H

#include "engine/language/program.h"
#include "engine/language/source.h"

typedef struct Lang Lang;
struct OwnPrims;       /* own.h */
Lang *lang_open(void); /* NULL: out of memory */
/* Makes primitives of one's own known, which must outlive it; `own` may be NULL. */
void lang_set_own(Lang *lang, const struct OwnPrims *own);
/* From now on, these names (separated by blanks; NULL: none), if they are unknown, stand for primitives that
 * this process does not have (own_missing): for texts that were read once where they were known. The names
 * are borrowed. */
#define LANG_ANY_NAME "*"
void lang_accept_missing(Lang *lang, const char *names);
void lang_close(Lang *lang);

typedef struct ProgList {
    Program **items;
    size_t count, room;
} ProgList;

void progs_free(ProgList *list);
bool progs_add(ProgList *list, Program *program); /* takes ownership, even on failure; false: out of memory */

typedef enum ParseForm {
    PARSE_FILE,   /* functions; or bare statements, which have the parameter I (or S, I, C) */
    PARSE_LINE,   /* an expression, or statements separated by `;`, with the parameters they use, if any */
    PARSE_LITERAL /* one constant value, e.g. the VALUE of a vector */
} ParseForm;

enum { PARSE_MODE_AUTO = -1 };

typedef struct ParseOptions {
    ParseForm form;
    int mode;    /* Mode, or PARSE_MODE_AUTO: decided by the parameters */
    int nparams; /* of statements outside functions: 0, 1, 3, or -1: those they use */
} ParseOptions;

#define PARSE_OPTIONS_FILE ((ParseOptions){PARSE_FILE, PARSE_MODE_AUTO, -1})
#define PARSE_OPTIONS_LINE ((ParseOptions){PARSE_LINE, PARSE_MODE_AUTO, -1})
#define PARSE_OPTIONS_LITERAL ((ParseOptions){PARSE_LITERAL, MODE_CORE, 0})

/* Parses a text and appends to both lists. False: out of memory. diags->errors says whether there were
 * errors. */
bool lang_parse(Lang *lang, const Source *source, const ParseOptions *options, ProgList *programs,
                Diags *diags);

/* Parses a line that should have no errors; its one program belongs to `programs`. NULL: errors, or no
 * memory. */
Program *lang_parse_line(Lang *lang, const char *name, const char *text, const ParseOptions *options,
                         ProgList *programs);

/* Whether text is well-formed UTF-8 without NUL; otherwise *offset is the first bad place. */
bool lang_text_is_clean(const char *text, size_t length, size_t *offset);

#endif
