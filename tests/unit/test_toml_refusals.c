/*
 * What the TOML reader refuses, in which line, and with which words: every rule of the language that can be
 * broken is broken here once. The cases are our own and stand without the toml-test suite.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "config/toml.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
/* A text that may hold NUL bytes, with its length. */
#define TEXT(literal) (literal), sizeof(literal) - 1

struct refusal_row {
    const char *text;
    size_t length;
    unsigned line;
    const char *words; /* part of the message */
};

static void check_refusal(const struct refusal_row *row)
{
    struct toml_document *document = (struct toml_document *)(uintptr_t)1;
    struct error err = {.kind = ERROR_NONE};
    char line[32];

    if (toml_parse(row->text, row->length, &document, &err) == 0)
        fail_msg("accepted: %s", row->text);
    assert_null(document);
    assert_int_equal(err.kind, ERROR_INPUT);
    snprintf(line, sizeof(line), "line %u: ", row->line);
    if (strncmp(err.text, line, strlen(line)) != 0 || strstr(err.text, row->words) == NULL)
        fail_msg("%s\nsays    %s\nand not %s… %s", row->text, err.text, line, row->words);
}

static void check_refusals(const struct refusal_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_refusal(&rows[i]);
}

static void text_that_is_not_utf8_is_refused(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("# \x80"), 1, "0x80 begins no UTF-8 character"},
        {TEXT("\n# \xBF"), 2, "0xBF"},
        {TEXT("a='\xC0\x80'"), 1, "0xC0"},         /* overlong */
        {TEXT("a='\xC1\xBF'"), 1, "0xC1"},         /* overlong */
        {TEXT("a='\xE0\x9F\xBF'"), 1, "0xE0"},     /* overlong */
        {TEXT("a='\xF0\x8F\xBF\xBF'"), 1, "0xF0"}, /* overlong */
        {TEXT("a='\xED\xA0\x80'"), 1, "0xED"},     /* a surrogate */
        {TEXT("a='\xF4\x90\x80\x80'"), 1, "0xF4"}, /* above U+10FFFF */
        {TEXT("a='\xF5\x80\x80\x80'"), 1, "0xF5"},
        {TEXT("a='\xFF'"), 1, "0xFF"},
        {TEXT("a='\xC3'"), 1, "0xC3"},
        {TEXT("a='\xC3\xC3'"), 1, "0xC3"},
        {TEXT("a='\xE2\x82'"), 1, "0xE2"},
        {TEXT("a='\xE2\x82\xC0'"), 1, "0xE2"},
        {TEXT("a='\xF0\x9F\x98\x7F'"), 1, "0xF0"},
        {TEXT("#\xC3"), 1, "0xC3"}, /* cut off by the end */
        {TEXT("#\xE2\x82"), 1, "0xE2"},
        {TEXT("#\xF0\x9F\x98"), 1, "0xF0"},
        {TEXT("\xFF\xFE#\0"), 1, "0xFF"},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

static void control_characters_are_refused_everywhere(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("\0"), 1, "0x00 is not allowed; in a string write \\u0000"},
        {TEXT("a=1\n# x\0"), 2, "0x00"},
        {TEXT("a='\0'"), 1, "0x00"},
        {TEXT("a='''\n\n\0'''"), 3, "0x00"},
        {TEXT("a=\"\x01\""), 1, "0x01"},
        {TEXT("a=\"\"\"\x08\"\"\""), 1, "0x08"},
        {TEXT("a=1\x0B"), 1, "0x0B"},
        {TEXT("\x0C"), 1, "0x0C"},
        {TEXT("# \x1F"), 1, "0x1F"},
        {TEXT("a=\"\x7F\""), 1, "0x7F"},
        {TEXT("a=1\r"), 1, "carriage return"},
        {TEXT("a=1\rb=2"), 1, "carriage return"},
        {TEXT("a='''\r'''"), 1, "carriage return"},
        {TEXT("#\n#\r\r\n"), 2, "carriage return"},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

static void a_statement_that_is_not_one_is_refused(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("a"), 1, "after a key comes \"=\", but the end of the file follows"},
        {TEXT("a\n=1"), 1, "but the end of the line follows"},
        {TEXT("a\r\n=1"), 1, "but the end of the line follows"},
        {TEXT("a b=1"), 1, "but \"b=1\" follows"},
        {TEXT("a.b"), 1, "after a key comes"},
        {TEXT("\"a\" \"b\"=1"), 1, "after a key comes"},
        {TEXT("=1"), 1, "a key is missing before \"=1\""},
        {TEXT(".a=1"), 1, "a key is missing before \".a=1\""},
        {TEXT("a..b=1"), 1, "a key is missing"},
        {TEXT("a.=1"), 1, "a key is missing"},
        {TEXT("a."), 1, "a key is missing before the end of the file"},
        {TEXT("\xC3\xA9=1"), 1, "a key is missing before \"\\xc3\\xa9=1\""},
        {TEXT("\xEF\xBB\xBF\xEF\xBB\xBF"), 1, "a key is missing"},
        {TEXT("'''a'''=1"), 1, "a key stays in one line, in one pair of quotes: 'key'"},
        {TEXT("\"\"\"a\"\"\"=1"), 1, "in one pair of quotes: \"key\""},
        {TEXT("a=1 b=2"), 1, "the line should end here, but \"b=2\" follows"},
        {TEXT("\na='x'y"), 2, "but \"y\" follows"},
        {TEXT("[a] b=1"), 1, "the line should end here"},
        {TEXT("[a]]"), 1, "the line should end here, but \"]\" follows"},
        {TEXT("[]"), 1, "a key is missing before \"]\""},
        {TEXT("["), 1, "a key is missing before the end of the file"},
        {TEXT("[a"), 1, "should end in \"]\" here, but the end of the file"},
        {TEXT("[a\n]"), 1, "should end in \"]\""},
        {TEXT("[a b]"), 1, "but \"b]\" follows"},
        {TEXT("[a.]"), 1, "a key is missing"},
        {TEXT("[ [a]]"), 1, "a key is missing"},
        {TEXT("[[a]"), 1, "should end in \"]]\" here"},
        {TEXT("[[a] ]"), 1, "should end in \"]]\" here"},
        {TEXT("[[]]"), 1, "a key is missing"},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

static void a_string_without_an_end_is_refused_where_it_begins(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("a=\""), 1, "no closing \""},
        {TEXT("a=\"x\ny\""), 1, "no closing \""},
        {TEXT("a=\"x\\\""), 1, "no closing \""},
        {TEXT("a=\"x\\\ny\""), 1, "no closing \""},
        {TEXT("a=\"\\"), 1, "no closing \""},
        {TEXT("a='"), 1, "no closing '"},
        {TEXT("a='x\r\n'"), 1, "no closing '"},
        {TEXT("\n'a=1"), 2, "no closing '"},
        {TEXT("\na=\"\"\"\n\n\n\"\""), 2, "no closing \"\"\""},
        {TEXT("a=\"\"\"\\\"\"\""), 1, "no closing \"\"\""},
        {TEXT("a=\"\"\"x\\"), 1, "no closing \"\"\""},
        {TEXT("a='''\n''"), 1, "no closing '''"},
        /* Two quotes before the closing three belong to the text; a third closes it and is too many. */
        {TEXT("a=\"\"\"x\"\"\"\"\"\""), 1, "the line should end here, but \"\\\"\" follows"},
        {TEXT("a='''x''''''"), 1, "the line should end here, but \"'\" follows"},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

static void an_unknown_escape_is_refused(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("a=\"\\x41\""), 1, "one of b t n f r \" \\ u U, not by \"x\""},
        {TEXT("a=\"\\e\""), 1, "not by \"e\""},
        {TEXT("a=\"\\ \""), 1, "not by \" \""},
        {TEXT("a=\"\\\t\""), 1, "not by \"\\x09\""},
        {TEXT("a=\"\\'\""), 1, "not by \"'\""},
        {TEXT("\"\\a\"=1"), 1, "not by \"a\""},
        {TEXT("a=\"\"\"\n\n\\q\"\"\""), 3, "not by \"q\""},
        {TEXT("a=\"\"\"\n\\ x\"\"\""), 2, "must be the last thing in its line"},
        {TEXT("a=\"\"\"\\ \"\"\""), 1, "must be the last thing in its line"},
        {TEXT("a=\"\\u\""), 1, "\\u takes exactly 4 hexadecimal digits"},
        {TEXT("a=\"\\u123\""), 1, "exactly 4"},
        {TEXT("a=\"\\u12g4\""), 1, "exactly 4"},
        {TEXT("a=\"\\U0010FFF\""), 1, "\\U exactly 8"},
        {TEXT("a=\"\\uD800\""), 1, "U+D800 is not a character"},
        {TEXT("a=\"\\uDFFF\""), 1, "U+DFFF is not a character"},
        {TEXT("a=\"\\U00110000\""), 1, "U+110000 is not a character"},
        {TEXT("a=\"\\UFFFFFFFF\""), 1, "U+FFFFFFFF is not a character"},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

static void a_word_that_is_no_value_is_refused(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("a="), 1, "a value is missing before the end of the file"},
        {TEXT("a=\n1"), 1, "a value is missing before the end of the line"},
        {TEXT("a= # none"), 1, "a value is missing before \"#\""},
        {TEXT("a==1"), 1, "a value is missing before \"=1\""},
        {TEXT("a=\xEF\xBB\xBF"
              "1"),
         1, "a value is missing"},
        {TEXT("a=True"), 1, "\"True\" is not a value; a string needs quotes"},
        {TEXT("a=truer"), 1, "\"truer\" is not a value"},
        {TEXT("a=tru"), 1, "\"tru\" is not a value"},
        {TEXT("a=Inf"), 1, "true, false, inf and nan small letters"},
        {TEXT("a=nan1"), 1, "\"nan1\" is not a value"},
        {TEXT("a=word"), 1, "\"word\" is not a value"},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

static void a_bad_number_is_refused(void **state)
{
    static const char *const words[] = {
        "01",     "00",   "+01",  "-00",   "0_1",  "1_",        "_1",          "1__2",  "+",     "-",
        "++1",    "+-1",  "+_1",  "1+1",   "1-",   "0x",        "0xg",         "0X1",   "0x_1",  "0x1_",
        "0x1__2", "+0x1", "-0x1", "0o8",   "0o",   "0O7",       "0b2",         "0b",    "0B1",   "0b_1",
        "1.",     ".1",   "+.1",  "1._1",  "1_.1", "1.1_",      "1..1",        "1.2.3", "01.5",  "1e",
        "1e+",    "1e_1", "1e1_", "1_e1",  "1.e1", "1.5e",      "1e1.5",       "1ee1",  "1e--1", "0x1.8",
        "+in",    "-na",  "+Inf", "--inf", "in_f", "199-09-09", "02026-05-07", "1f",
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        int length = snprintf(text, sizeof(text), "\na = %s\n", words[i]);

        check_refusal(&(struct refusal_row){text, (size_t)length, 2, "\" is not a "});
    }
}

static void a_number_out_of_range_is_refused(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("a=9223372036854775808"), 1, "is out of range; integers go from -92"},
        {TEXT("a=-9223372036854775809"), 1, "\"-9223372036854775809\" is out of range"},
        {TEXT("a=99999999999999999999999999"), 1, "is out of range"},
        {TEXT("a=0x8000000000000000"), 1, "is out of range"},
        {TEXT("a=0xffffffffffffffff"), 1, "is out of range"},
        {TEXT("a=0o1000000000000000000000"), 1, "is out of range"},
        {TEXT("a=1e309"), 1, "\"1e309\" is out of range; floats go up to"},
        {TEXT("a=-1.8e308"), 1, "is out of range"},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

static void a_date_or_time_that_does_not_exist_is_refused(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("a=1979-5-27"), 1, "is not a date or time: a date is written 1979-05-27"},
        {TEXT("a=1979-05-7"), 1, "a date is written"},
        {TEXT("a=1979-05"), 1, "a date is written"},
        {TEXT("a=1979-"), 1, "a date is written"},
        {TEXT("a=1979-05-27x"), 1, "a date is written"},
        {TEXT("a=1979-05-2707:32:00"), 1, "a date is written"},
        {TEXT("a=1979-00-01"), 1, "there is no such day"},
        {TEXT("a=1979-13-01"), 1, "there is no such day"},
        {TEXT("a=1979-01-00"), 1, "there is no such day"},
        {TEXT("a=1979-01-32"), 1, "there is no such day"},
        {TEXT("a=1979-04-31"), 1, "there is no such day"},
        {TEXT("a=1979-02-29"), 1, "there is no such day"},
        {TEXT("a=1900-02-29"), 1, "there is no such day"},
        {TEXT("a=2000-02-30"), 1, "there is no such day"},
        {TEXT("a=1979-05-27T"), 1, "a time is written 07:32:00"},
        {TEXT("a=1979-05-27T07"), 1, "a time is written"},
        {TEXT("a=1979-05-27 07:32"), 1, "a time is written"},
        {TEXT("a=1979-05-27T7:32:00"), 1, "a time is written"},
        {TEXT("a=1979-05-27T24:00:00"), 1, "hours end at 23"},
        {TEXT("a=1979-05-27T07:32:00+"), 1, "an offset is written Z or +07:00"},
        {TEXT("a=1979-05-27T07:32:00x"), 1, "an offset is written"},
        {TEXT("a=1979-05-27T07:32:00+7:00"), 1, "an offset is written"},
        {TEXT("a=1979-05-27T07:32:00+0700"), 1, "an offset is written"},
        {TEXT("a=1979-05-27T07:32:00+07"), 1, "an offset is written"},
        {TEXT("a=1979-05-27T07:32:00-07:0"), 1, "an offset is written"},
        {TEXT("a=1979-05-27T07:32:00+24:00"), 1, "an offset is written"},
        {TEXT("a=1979-05-27T07:32:00+07:60"), 1, "an offset is written"},
        {TEXT("a=1979-05-27T07:32:00Zx"), 1, "nothing may follow it"},
        {TEXT("a=07:32"), 1, "a time is written"},
        {TEXT("a=7:32:00"), 1, "a time is written"},
        {TEXT("a=07:32:0"), 1, "a time is written"},
        {TEXT("a=07:32:00."), 1, "a time is written"},
        {TEXT("a=07:60:00"), 1, "hours end at 23"},
        {TEXT("a=07:32:61"), 1, "or, in a leap second, 60"},
        {TEXT("a=07:32:00Z"), 1, "nothing may follow it"},
        {TEXT("a=1979-05-27  07:32:00"), 1, "the line should end here"},
        {TEXT("a=1979-05-27 x"), 1, "the line should end here"},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

static void a_bad_array_or_inline_table_is_refused(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("a=["), 1, "a value is missing before the end of the file"},
        {TEXT("a=[1"), 1, "the array of line 1 should go on with \",\" or end in \"]\""},
        {TEXT("a=[1\n\n2]"), 3, "the array of line 1 should go on"},
        {TEXT("a=[,]"), 1, "a value is missing before \",]\""},
        {TEXT("a=[1,,2]"), 1, "a value is missing"},
        {TEXT("a=[1}"), 1, "but \"}\" follows"},
        {TEXT("a=[b=1]"), 1, "\"b\" is not a value"},
        {TEXT("a={"), 1, "a key is missing before the end of the file"},
        {TEXT("a={\n}"), 1, "a key is missing before the end of the line"},
        {TEXT("a={b}"), 1, "after a key comes \"=\""},
        {TEXT("a={b=1"), 1, "should go on with \",\" or end in \"}\" in this line"},
        {TEXT("a={b=1\n}"), 1, "but the end of the line follows"},
        {TEXT("a={b=1 # c\n}"), 1, "but \"#\" follows"},
        {TEXT("a={b=1 c=2}"), 1, "but \"c=2}\" follows"},
        {TEXT("a={b=1,}"), 1, "no comma may stand before the closing \"}\""},
        {TEXT("a={b=1,,c=2}"), 1, "a key is missing"},
        {TEXT("a={b=1,\nc=2}"), 1, "a key is missing before the end of the line"},
        {TEXT("a={,}"), 1, "a key is missing before \",}\""},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

static void a_second_definition_is_refused_and_the_first_is_named(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("a=1\n\na=2"), 3, "\"a\" is defined already, in line 1; it may be defined once"},
        {TEXT("a=1\n'a'=2"), 2, "in line 1"},
        {TEXT("a=1\n\"\\u0061\"=2"), 2, "in line 1"},
        {TEXT("''=1\n\"\"=2"), 2, "\"\" is defined already"},
        {TEXT("a.b=1\na.b=2"), 2, "\"b\" is defined already"},
        {TEXT("a.b=1\na=2"), 2, "\"a\" is defined already"},
        {TEXT("a={b=1,b=2}"), 1, "\"b\" is defined already"},
        {TEXT("[a]\n[b]\n[a]"), 3, "in line 1"},
        {TEXT("[a.b]\n[a]\n[a]"), 3, "in line 2"},
        {TEXT("a=1\n[a]"), 2, "\"a\" is defined already"},
        {TEXT("a={}\n[a]"), 2, "\"a\" is defined already"},
        {TEXT("[a]\nb.x=1\n[a.b]"), 3, "\"b\" is defined already, in line 2"},
        {TEXT("[a.b.c]\n[a]\nb.x=1\n[a.b]"), 4, "\"b\" is defined already"},
        {TEXT("[a]\nb=1\n[a]"), 3, "\"a\" is defined already"},
        {TEXT("[a]\n[[a]]"), 2, "\"a\" is defined already"},
        {TEXT("[a.b]\n[[a]]"), 2, "\"a\" is defined already"},
        {TEXT("a=[]\n[[a]]"), 2, "\"a\" is defined already"},
        {TEXT("a=[{}]\n[[a]]"), 2, "\"a\" is defined already"},
        {TEXT("a.b=1\n[[a]]"), 2, "\"a\" is defined already"},
        {TEXT("[[a]]\n[a]"), 2, "\"a\" is defined already"},
        {TEXT("[[a.b]]\n[a]\nb=1"), 3, "\"b\" is defined already"},
        {TEXT("[[a]]\n[a.b]\n[a.b]"), 3, "\"b\" is defined already"},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

static void what_is_closed_cannot_be_extended(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("a=1\na.b=2"), 2, "\"a\" is of type integer since line 1; only a table can hold keys"},
        {TEXT("a=[]\na.b=2"), 2, "\"a\" is of type array since line 1; only a table"},
        {TEXT("a=1979-05-27\n[a.b]"), 2, "\"a\" is of type local date since line 1"},
        {TEXT("a='x'\n[[a.b]]"), 2, "\"a\" is of type string since line 1"},
        {TEXT("a=[{}]\n[a.b]"), 2, "\"a\" is of type array since line 1; only a table"},
        {TEXT("a={}\na.b=1"), 2, "nothing can be added to a table written in braces"},
        {TEXT("a={}\n[a.b]"), 2, "written in braces"},
        {TEXT("a={b={}}\n[a.b.c]"), 2, "written in braces"},
        {TEXT("a={b.c=1}\n[a.b.d]"), 2, "written in braces"},
        {TEXT("a={b={},b.c=1}"), 1, "written in braces"},
        {TEXT("a={b=1,b.c=1}"), 1, "\"b\" is of type integer"},
        {TEXT("[a.b]\n[a]\nb.c=1"), 3, "\"b\" is of type table since line 1; dotted keys cannot add"},
        {TEXT("[a.b.c]\n[a]\nb.c.d=1"), 3, "dotted keys cannot add to what has a header"},
        {TEXT("[[a.b]]\n[a]\nb.c=1"), 3, "dotted keys cannot add to what has a header"},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

static void a_hostile_name_cannot_forge_a_message(void **state)
{
    static const struct refusal_row rows[] = {
        {TEXT("\"\\n\\u001b\"=1\n\"\\n\\u001b\"=2"), 2, "\"\\x0a\\x1b\" is defined already"},
        {TEXT("a=1 \xE2\x80\xAE"), 1, "\"\\xe2\\x80\\xae\" follows"},
    };

    (void)state;
    check_refusals(rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_that_is_not_utf8_is_refused),
        cmocka_unit_test(control_characters_are_refused_everywhere),
        cmocka_unit_test(a_statement_that_is_not_one_is_refused),
        cmocka_unit_test(a_string_without_an_end_is_refused_where_it_begins),
        cmocka_unit_test(an_unknown_escape_is_refused),
        cmocka_unit_test(a_word_that_is_no_value_is_refused),
        cmocka_unit_test(a_bad_number_is_refused),
        cmocka_unit_test(a_number_out_of_range_is_refused),
        cmocka_unit_test(a_date_or_time_that_does_not_exist_is_refused),
        cmocka_unit_test(a_bad_array_or_inline_table_is_refused),
        cmocka_unit_test(a_second_definition_is_refused_and_the_first_is_named),
        cmocka_unit_test(what_is_closed_cannot_be_extended),
        cmocka_unit_test(a_hostile_name_cannot_forge_a_message),
    };

    return cmocka_run_group_tests_name("toml_refusals", tests, NULL, NULL);
}
