/* Plain tables for people: aligned columns, a heading, nothing drawn around them.
 *
 * Cells are collected first, because widths are known only at the end. The caller describes columns once,
 * then adds cells left to right; every `columns` of them make a row. The color of a cell is given separately
 * from its text, so that it never counts as width. A Table owns copies of its cells until table_free. */
#ifndef BATT_TOOLS_DISPLAY_TABLE_H
#define BATT_TOOLS_DISPLAY_TABLE_H

#include "base/out.h"
#include "tools/display/term.h"

#include <stdbool.h>
#include <stddef.h>

enum { TABLE_MAX_COLUMNS = 24 };

typedef enum TableAlign { TABLE_LEFT, TABLE_RIGHT } TableAlign;

typedef struct TableCell {
    size_t text;       /* offset into `texts` */
    const char *color; /* escape sequence to start with, or NULL; must outlive the table */
} TableCell;

typedef struct Table {
    size_t columns;
    const char *names[TABLE_MAX_COLUMNS]; /* heading; must outlive the table */
    TableAlign align[TABLE_MAX_COLUMNS];
    Out texts; /* all cells, each with its terminating 0 */
    TableCell *cells;
    size_t count, cap;
    bool failed;
} Table;

void table_init(Table *table);
void table_free(Table *table);
void table_column(Table *table, const char *name, TableAlign align); /* name "": it has none */
/* One column for each name; a `>` before the name aligns the column to the right. table_begin also makes the
 * table ready. */
#define table_begin(table, ...) (table_init(table), table_columns((table), __VA_ARGS__))
#define table_columns(table, ...) table_add_columns((table), (const char *const[]){__VA_ARGS__, NULL})
void table_add_columns(Table *table, const char *const *names); /* up to NULL */
void table_cell(Table *table, const char *text);
void table_colored(Table *table, const char *color, const char *text);
void table_fmt(Table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes heading and rows, two spaces between columns, lines without trailing blanks. The last left-aligned
 * column is cut with an ellipsis where the line would exceed `width` (0: no limit). The heading is left out
 * if no column has a name. */
void table_write(const Table *table, Out *out, size_t width, bool color);
void table_end(Table *table, Out *out, const TermStyle *style); /* writes it to a terminal and frees it */
/* The same as a Markdown table. */
void table_write_markdown(const Table *table, Out *out);

#endif
