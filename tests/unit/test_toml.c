/*
 * What the TOML reader accepts and what it makes of it. The cases are our own and stand without the toml-test
 * suite. test_toml_refusals.c has what it refuses, test_toml_limits.c hostile input.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc/cleanup.h"
#include "config/toml.h"

#define CLEAN_DOCUMENT __attribute__((cleanup(clean_document)))
#define COUNT(rows)    (sizeof(rows) / sizeof((rows)[0]))
/* A text that may hold NUL bytes, with its length. */
#define TEXT(literal) (literal), sizeof(literal) - 1

static void clean_document(struct toml_document **document)
{
    toml_free(*document);
}

static struct toml_document *parse(const char *text, size_t length)
{
    struct toml_document *document;
    struct error err;

    if (toml_parse(text, length, &document, &err) != 0)
        fail_msg("%s\nin: %s", err.text, text);
    assert_non_null(document);
    return document;
}

static void render_bytes(FILE *out, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned byte = (unsigned char)bytes[i];

        fprintf(out, byte >= 0x20 && byte < 0x7F ? "%c" : "\\%02x", byte);
    }
}

static void render_scalar(FILE *out, const struct toml_value *value)
{
    if (value->type == TOML_INTEGER) {
        fprintf(out, "%lld", (long long)value->integer);
    } else if (value->type == TOML_FLOAT) {
        fprintf(out, "float %g", value->real);
    } else if (value->type == TOML_BOOL) {
        fprintf(out, value->boolean ? "true" : "false");
    } else {
        /* Every text ends in a NUL that does not count. */
        assert_int_equal(value->text[value->text_length], '\0');
        if (value->type != TOML_STRING)
            fprintf(out, "%s ", toml_type_name(value->type));
        fputc('<', out);
        render_bytes(out, value->text, value->text_length);
        fputc('>', out);
    }
}

/* One line that shows a tree: {key:value, …}, [value, …], <string>. */
static void render(FILE *out, const struct toml_value *value)
{
    bool is_table = value->type == TOML_TABLE;
    size_t count = 0;

    if (!is_table && value->type != TOML_ARRAY) {
        render_scalar(out, value);
        return;
    }
    fputc(is_table ? '{' : '[', out);
    for (const struct toml_value *child = value->first; child != NULL; child = child->next) {
        assert_true((child->key != NULL) == is_table);
        fputs(count++ > 0 ? ", " : "", out);
        if (child->key != NULL) {
            assert_int_equal(child->key[child->key_length], '\0');
            render_bytes(out, child->key, child->key_length);
            fputc(':', out);
        }
        render(out, child);
    }
    assert_int_equal(count, value->count);
    fputc(is_table ? '}' : ']', out);
}

static char *rendered(const char *text, size_t length)
{
    CLEAN_DOCUMENT struct toml_document *document = parse(text, length);
    char *shape = NULL;
    size_t size;
    FILE *out = open_memstream(&shape, &size);

    assert_non_null(out);
    render(out, toml_root(document));
    fclose(out);
    return shape;
}

struct shape_row {
    const char *text;
    size_t length;
    const char *shape;
};

static void check_shapes(const struct shape_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CLEAN_FREE char *shape = rendered(rows[i].text, rows[i].length);

        if (strcmp(shape, rows[i].shape) != 0)
            fail_msg("%s\ngives   %s\nand not %s", rows[i].text, shape, rows[i].shape);
    }
}

static void blanks_comments_and_empty_lines_mean_nothing(void **state)
{
    static const struct shape_row rows[] = {
        {NULL, 0, "{}"},
        {TEXT(""), "{}"},
        {TEXT("\n"), "{}"},
        {TEXT("\r\n\r\n"), "{}"},
        {TEXT(" \t"), "{}"},
        {TEXT("# nothing"), "{}"},
        {TEXT("#\n#\r\n\t # \xE2\x82\xAC\ta\n"), "{}"},
        {TEXT("a=1"), "{a:1}"},
        {TEXT("  a  =  1  # one\r\n\tb\t=\t2"), "{a:1, b:2}"},
        {TEXT("a=1#one"), "{a:1}"},
        {TEXT("[ t ] # a table\na=1"), "{t:{a:1}}"},
        {TEXT("[[\tt\t]]#an array"), "{t:[{}]}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void a_byte_order_mark_may_begin_a_text(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("\xEF\xBB\xBF"), "{}"},
        {TEXT("\xEF\xBB\xBF"
              "a=1"),
         "{a:1}"},
        {TEXT("a='\xEF\xBB\xBF'"), "{a:<\\ef\\bb\\bf>}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void a_key_is_bare_or_quoted_or_dotted(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("Az09_-=1"), "{Az09_-:1}"},
        {TEXT("1234=1"), "{1234:1}"},
        {TEXT("3.14=1"), "{3:{14:1}}"},
        {TEXT("-=1\n_=2"), "{-:1, _:2}"},
        {TEXT("true=1\ninf=2\n1979-05-27=3"), "{true:1, inf:2, 1979-05-27:3}"},
        {TEXT("\"\"=1"), "{:1}"},
        {TEXT("''.''=1"), "{:{:1}}"},
        {TEXT("\"a.b\"=1\n'c d'=2"), "{a.b:1, c d:2}"},
        {TEXT("\"a\\u0000b\"=1"), "{a\\00b:1}"},
        {TEXT("'\xC3\xA9'=1"), "{\\c3\\a9:1}"},
        {TEXT("a.b.c=1\na . b\t.\t\"d\"=2"), "{a:{b:{c:1, d:2}}}"},
        {TEXT("[a.'b'.\"c\"]"), "{a:{b:{c:{}}}}"},
        {TEXT("[ a . b ]"), "{a:{b:{}}}"},
        {TEXT("a=1\nA=2"), "{a:1, A:2}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void a_basic_string_knows_escapes(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("a=\"\""), "{a:<>}"},
        {TEXT("a=\"x\ty\""), "{a:<x\\09y>}"},
        {TEXT("a=\"\\b\\t\\n\\f\\r\\\"\\\\\""), "{a:<\\08\\09\\0a\\0c\\0d\"\\>}"},
        {TEXT("a=\"\\\\\""), "{a:<\\>}"},
        {TEXT("a=\"\\\\\\\"\""), "{a:<\\\">}"},
        {TEXT("a=\"\\u0000\\u007F\""), "{a:<\\00\\7f>}"},
        {TEXT("a=\"\\u0080\\u07ff\""), "{a:<\\c2\\80\\df\\bf>}"},
        {TEXT("a=\"\\u0800\\uFFFF\""), "{a:<\\e0\\a0\\80\\ef\\bf\\bf>}"},
        {TEXT("a=\"\\uD7FF\\uE000\""), "{a:<\\ed\\9f\\bf\\ee\\80\\80>}"},
        {TEXT("a=\"\\U00010000\\U0010ffff\""), "{a:<\\f0\\90\\80\\80\\f4\\8f\\bf\\bf>}"},
        {TEXT("a=\"# not a comment\""), "{a:<# not a comment>}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void a_literal_string_is_taken_as_it_stands(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("a=''"), "{a:<>}"},
        {TEXT("a='C:\\u0041\\'"), "{a:<C:\\u0041\\>}"},
        {TEXT("a='\"'"), "{a:<\">}"},
        {TEXT("a=''''''"), "{a:<>}"},
        {TEXT("a='''\nx\r\ny'''"), "{a:<x\\0d\\0ay>}"},
        {TEXT("a='''\r\n\\n'''"), "{a:<\\n>}"},
        {TEXT("a='''x''y'''"), "{a:<x''y>}"},
        {TEXT("a='''x''''"), "{a:<x'>}"},
        {TEXT("a='''''x'''''"), "{a:<''x''>}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void a_string_of_many_lines_may_break_them(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("a=\"\"\"\"\"\""), "{a:<>}"},
        {TEXT("a=\"\"\"\nx\n\"\"\""), "{a:<x\\0a>}"},
        {TEXT("a=\"\"\"\n\nx\"\"\""), "{a:<\\0ax>}"},
        {TEXT("a=\"\"\"x\\\n  \t\n\r\n y\"\"\""), "{a:<xy>}"},
        {TEXT("a=\"\"\"x\\ \t\r\ny\"\"\""), "{a:<xy>}"},
        {TEXT("a=\"\"\"x\\\\\ny\"\"\""), "{a:<x\\\\0ay>}"},
        {TEXT("a=\"\"\"\\\n\"\"\""), "{a:<>}"},
        {TEXT("a=\"\"\"x\"y\"\"z\"\"\""), "{a:<x\"y\"\"z>}"},
        {TEXT("a=\"\"\"x\"\"\"\""), "{a:<x\">}"},
        {TEXT("a=\"\"\"\"\"x\"\"\"\"\""), "{a:<\"\"x\"\">}"},
        {TEXT("a=\"\"\"\\\"\"\"\\\"\"\"\""), "{a:<\"\"\"\">}"},
        {TEXT("a=\"\"\"\\u0041\\t\"\"\""), "{a:<A\\09>}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void an_integer_has_four_bases_and_64_bits(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("a=0"), "{a:0}"},
        {TEXT("a=[+0,-0,+99,-17]"), "{a:[0, 0, 99, -17]}"},
        {TEXT("a=1_000"), "{a:1000}"},
        {TEXT("a=1_2_3"), "{a:123}"},
        {TEXT("a=9223372036854775807"), "{a:9223372036854775807}"},
        {TEXT("a=-9223372036854775808"), "{a:-9223372036854775808}"},
        {TEXT("a=0x7fff_ffff_ffff_ffff"), "{a:9223372036854775807}"},
        {TEXT("a=[0xDEADbeef,0x00]"), "{a:[3735928559, 0]}"},
        {TEXT("a=[0o0755,0o0]"), "{a:[493, 0]}"},
        {TEXT("a=[0b1101_0110,0b0]"), "{a:[214, 0]}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void a_float_has_a_fraction_or_an_exponent_or_a_name(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("a=[1.0,+1.5,-0.25]"), "{a:[float 1, float 1.5, float -0.25]}"},
        {TEXT("a=[5e+2,1e06,-2E-2]"), "{a:[float 500, float 1e+06, float -0.02]}"},
        {TEXT("a=[6.626e-34,0e0]"), "{a:[float 6.626e-34, float 0]}"},
        {TEXT("a=[-0.0,+0.0]"), "{a:[float -0, float 0]}"},
        {TEXT("a=2_2.5_0e1_0"), "{a:float 2.25e+11}"},
        {TEXT("a=1e-400"), "{a:float 0}"},
        {TEXT("a=[inf,+inf,-inf]"), "{a:[float inf, float inf, float -inf]}"},
        {TEXT("a=[nan,+nan,-nan]"), "{a:[float nan, float nan, float -nan]}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void a_float_is_the_nearest_double(void **state)
{
    static const struct {
        const char *text;
        double real;
    } rows[] = {
        {"a=0.1", 0.1},
        {"a=3.141592653589793", 3.141592653589793},
        {"a=9007199254740993.0", 9007199254740992.0},
        {"a=1.7976931348623157e308", 1.7976931348623157e308},
        {"a=4.9e-324", 4.9e-324},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        CLEAN_DOCUMENT struct toml_document *document = parse(rows[i].text, strlen(rows[i].text));
        double real = toml_root(document)->first->real;

        /* Bit for bit. */
        assert_memory_equal(&real, &rows[i].real, sizeof(real));
    }
}

/* Switches to a locale in which 1.5 is written 1,5; false when none is installed. */
static bool set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};

    for (size_t i = 0; i < COUNT(names); i++) {
        if (setlocale(LC_NUMERIC, names[i]) != NULL)
            return true;
    }
    return false;
}

static void a_locale_with_a_decimal_comma_changes_no_float(void **state)
{
    CLEAN_DOCUMENT struct toml_document *document = NULL;

    (void)state;
    assert_true(set_comma_locale());
    document = parse(TEXT("a=1.5"));
    setlocale(LC_NUMERIC, "C");
    assert_true(toml_root(document)->first->real > 1.25);
}

static void booleans_are_two_words(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("a=true"), "{a:true}"},
        {TEXT("a=[false,true]"), "{a:[false, true]}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void dates_and_times_are_kept_in_canonical_form(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("a=1979-05-27T07:32:00Z"), "{a:date-time <1979-05-27T07:32:00Z>}"},
        {TEXT("a=1979-05-27t07:32:00z"), "{a:date-time <1979-05-27T07:32:00Z>}"},
        {TEXT("a=1979-05-27 07:32:00Z"), "{a:date-time <1979-05-27T07:32:00Z>}"},
        {TEXT("a=1979-05-27T00:32:00.9990-07:00"), "{a:date-time <1979-05-27T00:32:00.9990-07:00>}"},
        {TEXT("a=1979-05-27T00:32:00+23:59"), "{a:date-time <1979-05-27T00:32:00+23:59>}"},
        {TEXT("a=1979-05-27T00:32:00-00:00"), "{a:date-time <1979-05-27T00:32:00-00:00>}"},
        {TEXT("a=2016-12-31T23:59:60Z"), "{a:date-time <2016-12-31T23:59:60Z>}"},
        {TEXT("a=1979-05-27T07:32:00"), "{a:local date-time <1979-05-27T07:32:00>}"},
        {TEXT("a=1979-05-27 07:32:00.5"), "{a:local date-time <1979-05-27T07:32:00.5>}"},
        {TEXT("a=1979-05-27"), "{a:local date <1979-05-27>}"},
        {TEXT("a=1979-05-27 # a day"), "{a:local date <1979-05-27>}"},
        {TEXT("a=[0000-01-01,9999-12-31]"), "{a:[local date <0000-01-01>, local date <9999-12-31>]}"},
        {TEXT("a=[2000-02-29,2024-02-29]"), "{a:[local date <2000-02-29>, local date <2024-02-29>]}"},
        {TEXT("a=07:32:00"), "{a:local time <07:32:00>}"},
        {TEXT("a=23:59:59.000001"), "{a:local time <23:59:59.000001>}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void an_array_takes_lines_comments_and_a_last_comma(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("a=[]"), "{a:[]}"},
        {TEXT("a=[ # none\n\n]"), "{a:[]}"},
        {TEXT("a=[1,2,]"), "{a:[1, 2]}"},
        {TEXT("a=[\n 1 # one\n , # and\n 2\r\n]"), "{a:[1, 2]}"},
        {TEXT("a=[1,'x',[2.5,[]],{b=3}]"), "{a:[1, <x>, [float 2.5, []], {b:3}]}"},
        {TEXT("a=[[1],[2]] # not a header"), "{a:[[1], [2]]}"},
        {TEXT("a=[\"]\", '#']"), "{a:[<]>, <#>]}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void an_inline_table_is_one_line_of_pairs(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("a={}"), "{a:{}}"},
        {TEXT("a={ \t}"), "{a:{}}"},
        {TEXT("a={b=1,c='x'}"), "{a:{b:1, c:<x>}}"},
        {TEXT("a={ b.c = 1 , b.d = 2 }"), "{a:{b:{c:1, d:2}}}"},
        {TEXT("a={b={c={}}}"), "{a:{b:{c:{}}}}"},
        {TEXT("a={b=[\n1,\n2\n],c='''\n'''}"), "{a:{b:[1, 2], c:<>}}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void headers_and_dotted_keys_build_one_tree(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("[a]\nx=1\n[b]\ny=2"), "{a:{x:1}, b:{y:2}}"},
        {TEXT("[a.b.c]\nx=1"), "{a:{b:{c:{x:1}}}}"},
        /* A table that was only implied may be defined later, once. */
        {TEXT("[a.b]\nx=1\n[a]\ny=2"), "{a:{b:{x:1}, y:2}}"},
        {TEXT("[a]\ny=2\n[a.b]\nx=1"), "{a:{y:2, b:{x:1}}}"},
        {TEXT("[a.b]\n[a.c]"), "{a:{b:{}, c:{}}}"},
        {TEXT("[a.b.c]\n[a]\nb.x=1"), "{a:{b:{c:{}, x:1}}}"},
        /* A header may go through what dotted keys made, to something new. */
        {TEXT("[a]\nb.x=1\n[a.b.c]\ny=2"), "{a:{b:{x:1, c:{y:2}}}}"},
        {TEXT("[a]\nb.x=1\n[[a.b.c]]\ny=2"), "{a:{b:{x:1, c:[{y:2}]}}}"},
        {TEXT("a.x=1\nb=2\na.y=3"), "{a:{x:1, y:3}, b:2}"},
        {TEXT("[[a]]\nx=1\n[[a]]\nx=2"), "{a:[{x:1}, {x:2}]}"},
        /* What follows an element belongs to the last one. */
        {TEXT("[[a]]\n[a.b]\nx=1\n[[a]]\n[a.b]\nx=2"), "{a:[{b:{x:1}}, {b:{x:2}}]}"},
        {TEXT("[[a]]\n[[a.b]]\n[[a.b]]\n[[a]]\n[[a.b]]"), "{a:[{b:[{}, {}]}, {b:[{}]}]}"},
        {TEXT("[[a.b]]\n[a]\nx=1"), "{a:{b:[{}], x:1}}"},
        {TEXT("[[a]]\nb.c=1\nb.d=2\n[[a]]\nb.c=3"), "{a:[{b:{c:1, d:2}}, {b:{c:3}}]}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

static void utf8_at_the_edges_of_its_ranges_is_accepted(void **state)
{
    static const struct shape_row rows[] = {
        {TEXT("# \xC2\x80\xDF\xBF"), "{}"},
        {TEXT("# \xE0\xA0\x80\xE1\x80\x80"), "{}"},
        {TEXT("# \xEC\xBF\xBF\xED\x80\x80"), "{}"},
        {TEXT("# \xED\x9F\xBF\xEE\x80\x80"), "{}"},
        {TEXT("# \xEF\xBF\xBF"), "{}"},
        {TEXT("# \xF0\x90\x80\x80"), "{}"},
        {TEXT("# \xF1\x80\x80\x80"), "{}"},
        {TEXT("# \xF3\xBF\xBF\xBF"), "{}"},
        {TEXT("# \xF4\x8F\xBF\xBF"), "{}"},
    };

    (void)state;
    check_shapes(rows, COUNT(rows));
}

/* --- how the tree is used ---------------------------------------------------------------------------------- */

static const struct toml_value *at(const struct toml_value *list, size_t index)
{
    const struct toml_value *value = list->first;

    while (index-- > 0)
        value = value->next;
    return value;
}

static void a_value_knows_its_line(void **state)
{
    CLEAN_DOCUMENT struct toml_document *document = parse(TEXT("# one\n"
                                                               "a = '''\n"
                                                               "\n"
                                                               "'''\n"
                                                               "b = [\r\n"
                                                               "  1, 2,\n"
                                                               "  \"\"\"\\\n"
                                                               "  x\"\"\", # eight\n"
                                                               "  {c = 3}]\n"
                                                               "[t.u]\n"
                                                               "d.e = 4\n"
                                                               "[t]\n"
                                                               "[[l]]\n"
                                                               "[[l]]"));
    const struct toml_value *root = toml_root(document);
    const struct toml_value *b = toml_get(root, "b");
    const struct toml_value *t = toml_get(root, "t");

    (void)state;
    assert_int_equal(root->line, 1);
    assert_int_equal(toml_get(root, "a")->line, 2);
    assert_int_equal(b->line, 5);
    assert_int_equal(at(b, 0)->line, 6);
    assert_int_equal(at(b, 1)->line, 6);
    assert_int_equal(at(b, 2)->line, 7);
    assert_int_equal(at(b, 3)->line, 9);
    assert_int_equal(at(b, 3)->first->line, 9);
    /* A table is where its own header is, whatever implied it before. */
    assert_int_equal(t->line, 12);
    assert_int_equal(toml_get(t, "u")->line, 10);
    assert_int_equal(toml_get(toml_get(t, "u"), "d")->line, 11);
    assert_int_equal(toml_get(root, "l")->line, 13);
    assert_int_equal(at(toml_get(root, "l"), 1)->line, 14);
}

static void a_member_is_found_by_its_whole_name_only(void **state)
{
    CLEAN_DOCUMENT struct toml_document *document =
        parse(TEXT("b=1\na=2\nab=3\n\"a\\u0000b\"=4\n''=5\nc=[6]"));
    const struct toml_value *root = toml_root(document);

    (void)state;
    assert_int_equal(toml_get(root, "a")->integer, 2);
    assert_int_equal(toml_get(root, "ab")->integer, 3);
    assert_int_equal(toml_get(root, "b")->integer, 1);
    assert_int_equal(toml_get(root, "")->integer, 5);
    assert_null(toml_get(root, "abc"));
    assert_null(toml_get(root, "A"));
    assert_null(toml_get(toml_get(root, "c"), "a"));
    assert_null(toml_get(toml_get(root, "a"), "a"));
    assert_null(root->key);
    assert_null(toml_get(root, "c")->first->key);
}

static void every_type_has_a_name(void **state)
{
    (void)state;
    for (int type = TOML_STRING; type <= TOML_TABLE; type++)
        assert_string_not_equal(toml_type_name((enum toml_type)type), "unknown");
    assert_string_equal(toml_type_name(TOML_BOOL), "boolean");
    assert_string_equal(toml_type_name(TOML_INTEGER), "integer");
    assert_string_equal(toml_type_name(TOML_FLOAT), "float");
    assert_string_equal(toml_type_name((enum toml_type)(TOML_TABLE + 1)), "unknown");
}

static void freeing_nothing_is_fine(void **state)
{
    (void)state;
    toml_free(NULL);
}

/* cmocka would report a skipped test as "not ok", so this one says itself that it cannot be run. */
static int run_locale_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_locale_with_a_decimal_comma_changes_no_float),
    };

    if (!set_comma_locale()) {
        puts("1..1\nok 1 # SKIP a_locale_with_a_decimal_comma_changes_no_float: no such locale is installed");
        return 0;
    }
    setlocale(LC_NUMERIC, "C");
    return cmocka_run_group_tests_name("toml_locale", tests, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_comments_and_empty_lines_mean_nothing),
        cmocka_unit_test(a_byte_order_mark_may_begin_a_text),
        cmocka_unit_test(a_key_is_bare_or_quoted_or_dotted),
        cmocka_unit_test(a_basic_string_knows_escapes),
        cmocka_unit_test(a_literal_string_is_taken_as_it_stands),
        cmocka_unit_test(a_string_of_many_lines_may_break_them),
        cmocka_unit_test(an_integer_has_four_bases_and_64_bits),
        cmocka_unit_test(a_float_has_a_fraction_or_an_exponent_or_a_name),
        cmocka_unit_test(a_float_is_the_nearest_double),
        cmocka_unit_test(booleans_are_two_words),
        cmocka_unit_test(dates_and_times_are_kept_in_canonical_form),
        cmocka_unit_test(an_array_takes_lines_comments_and_a_last_comma),
        cmocka_unit_test(an_inline_table_is_one_line_of_pairs),
        cmocka_unit_test(headers_and_dotted_keys_build_one_tree),
        cmocka_unit_test(utf8_at_the_edges_of_its_ranges_is_accepted),
        cmocka_unit_test(a_value_knows_its_line),
        cmocka_unit_test(a_member_is_found_by_its_whole_name_only),
        cmocka_unit_test(every_type_has_a_name),
        cmocka_unit_test(freeing_nothing_is_fine),
    };

    return cmocka_run_group_tests_name("toml", tests, NULL, NULL) + run_locale_tests();
}
