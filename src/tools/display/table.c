/* Collects, measures and prints the cells of a table; see table.h. */
#include "tools/display/table.h"

#include "base/alloc.h"
#include "base/check.h"

#include <stdarg.h>
#include <string.h>

void table_init(Table *table) {
    *table = (Table){0};
    out_init(&table->texts);
}

void table_free(Table *table) {
    out_free(&table->texts);
    mem_free(table->cells);
    table_init(table);
}

void table_column(Table *table, const char *name, TableAlign align) {
    ASSERT(table->columns < TABLE_MAX_COLUMNS && table->count == 0, "column %zu, %zu cells", table->columns,
           table->count);
    table->names[table->columns] = name;
    table->align[table->columns] = align;
    table->columns++;
}

void table_add_columns(Table *table, const char *const *names) {
    for (const char *name; (name = *names) != NULL; names++) {
        table_column(table, name + (*name == '>'), *name == '>' ? TABLE_RIGHT : TABLE_LEFT);
    }
}

static bool add_cell(Table *table, const char *color) {
    if (table->failed) {
        return false;
    }
    if (!MEM_ROOM(table->cells, table->count, table->cap, 64)) {
        table->failed = true;
        return false;
    }
    ASSERT(table->columns > 0, "a cell before any column");
    table->cells[table->count++] = (TableCell){.text = table->texts.len, .color = color};
    return true;
}

void table_colored(Table *table, const char *color, const char *text) {
    if (!add_cell(table, color)) {
        return;
    }
    out_printable(&table->texts, text);
    out_char(&table->texts, '\0');
}

void table_cell(Table *table, const char *text) {
    table_colored(table, NULL, text);
}

void table_fmt(Table *table, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    table_colored(table, NULL, text);
}

/* Bytes of the first `columns` characters. */
static size_t prefix(const char *text, size_t columns) {
    size_t i = 0;
    while (text[i] && (columns || ((unsigned char)text[i] & 0xC0) == 0x80)) {
        columns -= ((unsigned char)text[i] & 0xC0) != 0x80;
        i++;
    }
    return i;
}

static void put(Out *out, const char *text, const char *color, size_t width, TableAlign align, bool last) {
    size_t columns = out_columns(text);
    size_t pad = columns < width ? width - columns : 0;
    if (align == TABLE_RIGHT) {
        out_repeat(out, " ", pad);
    }
    if (color) {
        out_str(out, color);
    }
    if (columns > width) {
        out_bytes(out, text, prefix(text, width - 1));
        out_str(out, "…");
    } else {
        out_str(out, text);
    }
    if (color) {
        out_str(out, "\033[0m");
    }
    if (align == TABLE_LEFT && !last) {
        out_repeat(out, " ", pad);
    }
}

static const char *text_at(const Table *table, size_t cell) {
    return cell < table->count ? table->texts.data + table->cells[cell].text : "";
}

/* Takes the surplus from the last left-aligned column: that is where free text is. */
static void fit(const Table *table, size_t *widths, size_t limit) {
    size_t total = 2 * (table->columns - 1);
    for (size_t c = 0; c < table->columns; c++) {
        total += widths[c];
    }
    if (!limit || total <= limit) {
        return;
    }
    for (size_t c = table->columns; c-- > 0;) {
        if (table->align[c] == TABLE_LEFT) {
            size_t surplus = total - limit;
            size_t min_width = 8; /* a narrower column would be useless */
            widths[c] = widths[c] > surplus + min_width ? widths[c] - surplus
                        : widths[c] < min_width         ? widths[c]
                                                        : min_width;
            return;
        }
    }
}

void table_end(Table *table, Out *out, const TermStyle *style) {
    table_write(table, out, style->width, style->color != TERM_MONO);
    table_free(table);
}

void table_write(const Table *table, Out *out, size_t width, bool color) {
    if (table->failed || table->texts.failed) {
        out->failed = true;
    }
    if (out->failed || !table->columns) {
        return;
    }
    ASSERT(table->count % table->columns == 0, "%zu cells in %zu columns: a row is not full", table->count,
           table->columns);
    size_t widths[TABLE_MAX_COLUMNS] = {0};
    bool heading = false;
    for (size_t c = 0; c < table->columns; c++) {
        widths[c] = out_columns(table->names[c]);
        heading = heading || *table->names[c];
    }
    for (size_t i = 0; i < table->count; i++) {
        size_t columns = out_columns(text_at(table, i));
        size_t *w = &widths[i % table->columns];
        *w = columns > *w ? columns : *w;
    }
    fit(table, widths, width);

    size_t rows = (table->count + table->columns - 1) / table->columns;
    for (size_t r = heading ? 0 : 1; r <= rows; r++) {
        /* Row 0 is the heading. Nothing is written after the last nonempty cell. */
        size_t last = 0;
        for (size_t c = 0; c < table->columns; c++) {
            const char *text = r ? text_at(table, (r - 1) * table->columns + c) : table->names[c];
            if (*text) {
                last = c;
            }
        }
        for (size_t c = 0; c <= last; c++) {
            size_t cell = r ? (r - 1) * table->columns + c : 0;
            const char *text = r ? text_at(table, cell) : table->names[c];
            const char *start = !color                ? NULL
                                : r == 0              ? "\033[1m"
                                : cell < table->count ? table->cells[cell].color
                                                      : NULL;
            put(out, text, start, widths[c], table->align[c], c == last);
            if (c != last) {
                out_str(out, "  ");
            }
        }
        out_char(out, '\n');
    }
}

void table_write_markdown(const Table *table, Out *out) {
    if (table->failed || table->texts.failed) {
        out->failed = true;
    }
    for (size_t c = 0; c < table->columns; c++) {
        out_fmt(out, "%s %s ", "|", table->names[c]);
    }
    out_str(out, "|\n");
    for (size_t c = 0; c < table->columns; c++) {
        out_str(out, table->align[c] == TABLE_RIGHT ? "| ---: " : "| --- ");
    }
    out_str(out, "|\n");
    for (size_t i = 0; i < table->count; i++) {
        const char *text = text_at(table, i);
        out_str(out, *text ? "| " : "|");
        out_str(out, text);
        out_str(out, (i + 1) % table->columns == 0 ? " |\n" : " ");
    }
}
