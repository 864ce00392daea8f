/* The text buffer, its escaping, its files, and the JSON writer on top. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include "base/alloc.h"
#include "base/json.h"
#include "base/out.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void appends(void **state) {
    (void)state;
    Out out;
    out_init(&out);
    assert_string_equal(out.data, "");
    out_str(&out, "abc");
    out_char(&out, '-');
    out_fmt(&out, "%d/%s", 42, "x");
    out_repeat(&out, "=>", 3);
    assert_string_equal(out.data, "abc-42/x=>=>=>");
    out_clear(&out);
    assert_int_equal(out.len, 0);
    for (int i = 0; i < 10000; i++) {
        out_fmt(&out, "%d ", i % 10);
    }
    assert_int_equal(out.len, 20000);
    char big[5000];
    memset(big, 'q', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    out_clear(&out);
    out_fmt(&out, "<%s>", big); /* longer than any reserve */
    assert_int_equal(out.len, sizeof big + 1);
    assert_int_equal(out.data[out.len - 1], '>');
    assert_false(out.failed);
    out_free(&out);
    out_free(&out);
}

static void expect(void (*escape)(Out *, const char *), const char *text, const char *wanted) {
    Out out;
    out_init(&out);
    escape(&out, text);
    assert_string_equal(out.data, wanted);
    out_free(&out);
}

static void escapes(void **state) {
    (void)state;
    expect(out_json_string, "", "\"\"");
    expect(out_json_string, "a\"b\\c\n\t\r\x01\x7f", "\"a\\\"b\\\\c\\n\\t\\r\\u0001\\u007f\"");
    expect(out_json_string, "</script>&", "\"\\u003c/script\\u003e\\u0026\"");
    expect(out_json_string, "é→𝄞", "\"é→𝄞\"");
    expect(out_json_string, "\xff\xc3(\xe2\x82\xed\xa0\x80\xc0\xaf",
           "\"\uFFFD\uFFFD(\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\"");
    expect(out_json_string, "\u2028", "\"\\u2028\"");
    expect(out_xml, "<a b='c' d=\"e\">&\n", "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;\n");
    expect(out_xml, "\x1b[0m\xfe\uFFFF", "\uFFFD[0m\uFFFD\uFFFD");
    expect(out_printable, "a\033[31mb\nc\x9b→", "a?[31mb?c?→");
    assert_int_equal(out_columns("a→b"), 3);
}

static void every_allocation_fails(void **state) {
    (void)state;
    uint64_t before = mem_bytes();
    for (uint64_t n = 1;; n++) {
        Out out;
        out_init(&out);
        mem_fail_at(n);
        for (int i = 0; i < 400; i++) {
            out_fmt(&out, "line %d ", i);
            out_json_string(&out, "text");
            out_xml(&out, "<>");
        }
        mem_fail_at(0);
        bool failed = out.failed;
        assert_int_equal(strlen(out.data), out.len);
        if (failed) {
            char why[200];
            assert_false(out_save(&out, "never-written", why, sizeof why));
            assert_non_null(strstr(why, "never-written"));
            assert_false(out_flush_to(&out, stdout));
            size_t len = out.len;
            out_str(&out, "more"); /* the flag sticks */
            assert_int_equal(out.len, len);
        }
        out_free(&out);
        assert_int_equal(mem_bytes(), before);
        if (!failed) {
            assert_true(n > 5);
            break;
        }
    }
}

static void read_back(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static int files_in(const char *folder) {
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        count += entry->d_name[0] != '.';
    }
    closedir(dir);
    return count;
}

static void files(void **state) {
    (void)state;
    char folder[] = "/tmp/batt-test-XXXXXX", path[100], link_path[100], why[300], text[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    assert_true(out_write_file_atomic(path, "one", 3, why, sizeof why));
    read_back(path, text, sizeof text);
    assert_string_equal(text, "one");

    /* permissions and links stay as they were */
    assert_int_equal(chmod(path, 0640), 0);
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    assert_int_equal(symlink("file", link_path), 0);
    assert_true(out_write_file_atomic(link_path, "two!", 4, why, sizeof why));
    read_back(path, text, sizeof text);
    assert_string_equal(text, "two!");
    struct stat info;
    assert_int_equal(lstat(link_path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(files_in(folder), 2); /* no temporary file is left */

    assert_false(out_write_file_atomic(folder, "x", 1, why, sizeof why));
    assert_non_null(strstr(why, folder));
    snprintf(path, sizeof path, "%s/none/file", folder);
    assert_false(out_write_file_atomic(path, "x", 1, why, sizeof why));
    assert_non_null(strstr(why, "No such file"));
    assert_true(out_write_file_atomic("/dev/null", "x", 1, why, sizeof why));
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    assert_false(out_write_file_atomic("/dev/full", "x", 1, why, sizeof why));
    assert_non_null(strstr(why, "No space"));

    mem_fail_at(1);
    snprintf(path, sizeof path, "%s/file", folder);
    assert_false(out_write_file_atomic(path, "x", 1, why, sizeof why));
    mem_fail_at(0);
    read_back(path, text, sizeof text);
    assert_string_equal(text, "two!");

    unlink(link_path);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

static void fill(Json *json) {
    json_begin_object(json);
    json_kv_string(json, "name", "a\"b");
    json_kv_string(json, "none", NULL);
    json_kv_int(json, "min", INT64_MIN);
    json_kv_uint(json, "max", UINT64_MAX);
    json_kv_double(json, "third", 0.1);
    json_kv_double(json, "nan", NAN);
    json_kv_fixed(json, "share", 2.0 / 3, 3);
    json_kv_bool(json, "yes", true);
    json_key(json, "list");
    json_begin_array(json);
    json_int(json, 1);
    json_begin_row(json);
    json_int(json, 2);
    json_int(json, 3);
    json_end_array(json);
    json_begin_object(json);
    json_end_object(json);
    json_raw(json, "[4]");
    json_end_array(json);
    json_end_object(json);
}

static void json_layouts(void **state) {
    (void)state;
    Out out;
    out_init(&out);
    Json json = json_on(&out, 0);
    fill(&json);
    assert_string_equal(out.data, "{\"name\":\"a\\\"b\",\"none\":null,\"min\":-9223372036854775808,"
                                  "\"max\":18446744073709551615,\"third\":0.1,\"nan\":null,\"share\":0.667,"
                                  "\"yes\":true,\"list\":[1,[2,3],{},[4]]}");
    out_clear(&out);
    json = json_on(&out, 2);
    fill(&json);
    assert_string_equal(out.data, "{\n"
                                  "  \"name\": \"a\\\"b\",\n"
                                  "  \"none\": null,\n"
                                  "  \"min\": -9223372036854775808,\n"
                                  "  \"max\": 18446744073709551615,\n"
                                  "  \"third\": 0.1,\n"
                                  "  \"nan\": null,\n"
                                  "  \"share\": 0.667,\n"
                                  "  \"yes\": true,\n"
                                  "  \"list\": [\n"
                                  "    1,\n"
                                  "    [2, 3],\n"
                                  "    {},\n"
                                  "    [4]\n"
                                  "  ]\n"
                                  "}\n");
    out_free(&out);
}

static void json_numbers_read_back(void **state) {
    (void)state;
    const double numbers[] = {0, -0.5, 1.0 / 3, 1e300, 5e-324, 123456789.123456789, 1e21, 0.1 + 0.2};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        Out out;
        out_init(&out);
        Json json = json_on(&out, 0);
        json_double(&json, numbers[i]);
        assert_true(strtod(out.data, NULL) == numbers[i]);
        out_free(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends),      cmocka_unit_test(escapes),
        cmocka_unit_test(files),        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(json_layouts), cmocka_unit_test(json_numbers_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
