#include "base/tests/unit.h"

#include "base/text.h"
#include "service/course/class_file.h"
#include "service/course/class_read.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char whole[] =
    "{\"schema\": 1, \"title\": \"Parallel programming\", \"zone\": \"Europe/Berlin\",\n"
    " \"groups\": [{\"name\": \"tutorial 1\", \"people\": [\"bob\", \"ada\"]}, {\"name\": \"tutorial 2\", \"people\": [\"eve\"]}],\n"
    " \"assignments\": [\n"
    "  {\"id\": \"week-1\", \"title\": \"One dimension\", \"opens\": \"2026-11-02T08:00\", \"due\": \"2026-11-09T23:59\",\n"
    "   \"late\": {\"grace_minutes\": 10, \"percent_per_day\": 10, \"days\": 3}, \"counts\": \"last\", \"groups\": [\"tutorial 1\"],\n"
    "   \"show\": {\"points\": \"2026-11-20T12:00\", \"board\": \"always\", \"sources\": \"closed\"},\n"
    "   \"problems\": [{\"problem\": \"conv1d\", \"points\": {\"accepted\": 4,\n"
    "     \"cases\": [{\"name\": \"samples\", \"cases\": [\"samples\"], \"points\": 1},\n"
    "               {\"name\": \"odd sizes\", \"cases\": [\"prime sizes\", \"1025 elements, 33 taps\"], \"points\": 3}],\n"
    "     \"speed\": {\"measure\": \"roofline\", \"bands\": [{\"at_least\": 0.05, \"points\": 1}, {\"at_least\": 0.25, \"points\": 2}]}}}]},\n"
    "  {\"id\": \"week-2\", \"due\": \"2026-11-16T22:59:30Z\",\n"
    "   \"problems\": [{\"problem\": \"conv2d\", \"points\": {\"speed\": {\"measure\": \"rung\",\n"
    "     \"bands\": [{\"rung\": \"naive\", \"points\": 1}, {\"rung\": \"shared_tile.cu\", \"points\": 2}]}}}]}],\n"
    " \"extensions\": [{\"person\": \"ada\", \"assignment\": \"week-1\", \"due\": \"2026-11-16T23:59\", \"why\": \"ill\", \"by\": \"grace\"}],\n"
    " \"handed_out\": [\"handout/\"], \"earlier\": [\"/srv/2025\"]}\n";

static Status read_text(const char *text, ClassFile *class, Message *why)
{
    char path[] = "/tmp/convjudge-class-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    Status status = class_file_read(path, class, why);
    unlink(path);
    return status;
}

/* The whole file with `from` replaced by `to`. */
static Status read_changed(const char *from, const char *to, ClassFile *class, Message *why)
{
    Text text = {0};
    const char *at = strstr(whole, from);
    if (at == NULL)
        fail_test("the file does not hold '%s'", from);
    text_append(&text, whole, (size_t)(at - whole));
    text_add(&text, to);
    text_add(&text, at + strlen(from));
    Status status = read_text(text.data, class, why);
    text_free(&text);
    return status;
}

/* Each change is refused with this message. */
static const struct {
    const char *from, *to, *message;
} refused[] = {
    {"\"schema\": 1", "\"schema\": 2", ":1: schema: expected a whole number from 1 to 1"},
    {"\"schema\": 1, ", "", "the key \"schema\" is missing"},
    {"\"title\": \"Par", "\"titel\": \"Par", ":1: titel: unknown key; did you mean 'title'?"},
    {"\"title\": \"Parallel programming\"", "\"title\": \"\"", ":1: title: expected 1 to 256 bytes of text, found 0"},
    {"Parallel programming", "\\u0007", "title: expected no control character"},
    {"\"title\": \"One", "\"id\": \"a\", \"title\": \"One", ":4: id: this key is repeated"},
    {"Europe/Berlin", "Europe/Bielefeld",
     ":1: zone: this system knows no zone \"Europe/Bielefeld\", expected a name such as \"Europe/Berlin\"; `timedatectl list-timezones` lists them, the package tzdata holds them"},
    {"Europe/Berlin", "../../../etc/passwd", "zone: this system knows no zone"},
    {"Europe/Berlin", "/etc/localtime", "zone: this system knows no zone"},
    {"Europe/Berlin", "tzdata.zi", "zone: this system knows no zone"},
    {"Europe/Berlin", "", "zone: this system knows no zone"},
    {"[\"bob\", \"ada\"]", "[\"bob\", 1]", ":2: expected the name of a person"},
    {"[\"bob\", \"ada\"]", "[\"bob\", \" \"]", ":2: the name begins or ends with a space"},
    {"[\"bob\", \"ada\"]", "[\"bob\", \"bob\"]", ":2: \"bob\" is listed twice in group \"tutorial 1\""},
    {"\"tutorial 2\"", "\"tutorial 1\"", ":2: name: there are two groups \"tutorial 1\""},
    {"\"eve\"", "{\"id\": \"17\"}", "name"},
    {"\"bob\", \"ada\"", "{\"name\": \"bob\", \"also\": [\"B\"]}, {\"name\": \"ada\", \"also\": [\"B\"]}",
     ":2: \"B\" is \"bob\" already, found it for \"ada\""},
    {"\"bob\", \"ada\"", "{\"name\": \"bob\", \"id\": \"7\"}, {\"name\": \"ada\", \"id\": \"7\"}",
     ":2: id: \"7\" is \"bob\" already, found it for \"ada\""},
    {"\"bob\", \"ada\"", "{\"name\": \"bob\", \"also\": [\"eve\"]}, \"ada\"",
     ":2: groups: \"eve\" is a person and another spelling of \"bob\""},
    {"[\"eve\"]", "\"eve\"", ":2: people: expected an array"},
    {"\"week-1\"", "\"Week 1\"",
     ":4: id: expected lower-case letters, digits and dashes such as \"week-1\", found \"Week 1\""},
    {"\"week-2\"", "\"week-1\"", ":11: id: there are two assignments \"week-1\""},
    {"2026-11-02T08:00", "2026-11-09T23:59",
     ":4: due: expected a time after \"opens\" (2026-11-09T23:59), found 2026-11-09T23:59"},
    {"2026-11-09T23:59", "2026-11-09",
     ":4: due: expected a time from 2000 to 2099 such as \"2026-11-09T23:59\" or \"2026-11-09T23:59+01:00\", found \"2026-11-09\""},
    {"2026-11-09T23:59", "2026-11-31T23:59", "November 2026 has 30 days, found \"2026-11-31T23:59\""},
    {"2026-11-09T23:59", "2026-11-09T24:00", "found \"2026-11-09T24:00\""},
    {"2026-11-09T23:59", "1999-11-09T23:59", "found \"1999-11-09T23:59\""},
    {"2026-11-09T23:59", "2026-11-09T23:59+15:00", "found \"2026-11-09T23:59+15:00\""},
    {"2026-11-09T23:59", "2026-11-09T23:59Zulu", "found \"2026-11-09T23:59Zulu\""},
    {"2026-11-09T23:59", "2026-11-09T23:59 ", "found \"2026-11-09T23:59 \""},
    {"2026-11-02T08:00", "soon", ":4: opens: expected a time"},
    {"\"grace_minutes\": 10", "\"grace_minutes\": -1", ":5: grace_minutes: expected a whole number from 0 to 10080"},
    {"\"percent_per_day\": 10", "\"percent_per_day\": 101", ":5: percent_per_day: expected a number from 0 to 100"},
    {"\"percent_per_day\": 10, \"days\": 3", "\"percent_per_day\": 10", ":5: late: \"percent_per_day\" needs \"days\""},
    {"\"days\": 3", "\"days\": 1.5", ":5: days: expected a whole number from 0 to 366"},
    {"\"days\": 3", "\"weeks\": 3", ":5: weeks: unknown key"},
    {"\"last\"", "\"newest\"", ":5: counts: expected \"best\" or \"last\", found \"newest\""},
    {"[\"tutorial 1\"]", "[]", ":5: groups: expected a group; without this key it is for everybody"},
    {"[\"tutorial 1\"]", "[\"tutorial 3\"]", ":5: expected the name of a group in \"groups\", found tutorial 3"},
    {"[\"tutorial 1\"]", "[7]", ":5: expected the name of a group in \"groups\", found something else"},
    {"[\"tutorial 1\"]", "[\"tutorial 1\", \"tutorial 1\"]", ":5: \"tutorial 1\" is listed twice"},
    {"\"sources\": \"closed\"", "\"sources\": \"later\"",
     ":6: sources: expected \"always\", \"closed\", \"never\" or a time"},
    {"\"sources\": \"closed\"", "\"source\": \"closed\"", ":6: source: unknown key; did you mean 'sources'?"},
    {"\"conv1d\"", "\"conv9d\"", ":7: problem: unknown problem 'conv9d'"},
    {"\"conv1d\"", "\"../conv1d\"", ":7: problem: "},
    {"\"accepted\": 4", "\"accepted\": -4", ":7: accepted: expected a number from 0 to 1000000"},
    {"\"accepted\": 4", "\"accepted\": 1e999", ":7: accepted: expected a number"},
    {"\"accepted\": 4", "\"accepted\": NaN", ":7: not valid JSON from here on"},
    {"[\"samples\"]", "[]", ":8: cases: expected at least one case"},
    {"[\"samples\"]", "[3]", ":8: expected a list of names of cases"},
    {"[\"samples\"]", "[\"samples\", \"moving average of four\"]",
     ":8: case \"moving average of four\" is listed twice in group \"samples\""},
    {"prime sizes", "prime size",
     ":9: no case is called \"prime size\"; did you mean 'prime sizes'? expected one of: samples, hidden,"},
    {"prime sizes", "longest input, five taps",
     ":9: \"longest input, five taps\" is a timed case, expected a sample or a hidden one"},
    {"\"odd sizes\"", "\"samples\"", ":9: name: there are two groups \"samples\""},
    {"\"roofline\"", "\"speed\"", ":10: measure: expected \"roofline\", \"rung\" or \"percentile\", found \"speed\""},
    {"0.25", "0.05", ":10: at_least: expected more than in the band before (0.05), found 0.05"},
    {"0.25", "25", ":10: at_least: expected a number from 0 to 1"},
    {"\"points\": 2}]}}}]},", "\"points\": 1}]}}}]},",
     ":10: points: expected more points than in the band before (1), found 1"},
    {"\"rung\": \"naive\"", "\"rung\": \"naif\"", ":13: rung: conv2d has no reference solution \"naif\""},
    {"\"rung\": \"naive\"", "\"rung\": \"shared_tile\"", ":13: rung: \"shared_tile.cu\" is listed twice"},
    {"\"rung\": \"naive\"", "\"at_least\": 1", ":13: at_least: unknown key"},
    {"[{\"rung\": \"naive\", \"points\": 1}, {\"rung\": \"shared_tile.cu\", \"points\": 2}]", "[]",
     ":13: bands: expected at least one band"},
    {"\"points\": 1}, {\"rung\"", "\"points\": 0}, {\"rung\": \"constant_memory\", \"points\": 0}, {\"rung\"",
     "points: expected more points"},
    {"{\"speed\": {\"measure\": \"rung\",", "{\"speed\": {\"measure\": \"percentile\",", "rung: unknown key"},
    {"\"conv2d\", \"points\": {", "\"conv2d\", \"points\": {\"best\": 1, ", ":12: best: unknown key"},
    {"[{\"problem\": \"conv2d\",",
     "[{\"problem\": \"conv1d\", \"points\": {\"accepted\": 1}}, {\"problem\": \"conv1d\", \"points\": {\"accepted\": 1}}, {\"problem\": \"conv2d\",",
     ":12: problem: \"conv1d\" is listed twice"},
    {"[{\"problem\": \"conv2d\",", "[{\"problem\": \"conv3d\", \"points\": {}}, {\"problem\": \"conv2d\",",
     ":12: points: expected more than 0 points in all"},
    {"\"person\": \"ada\"", "\"person\": \"mallory\"", ":14: person: no group holds \"mallory\""},
    {"\"person\": \"ada\"", "\"person\": \"eve\"", ":14: person: \"eve\" is in no group of assignment \"week-1\""},
    {"\"assignment\": \"week-1\"", "\"assignment\": \"week-3\"", ":14: assignment: there is no assignment \"week-3\""},
    {"2026-11-16T23:59", "2026-11-09T23:59",
     ":14: due: expected a time after that of assignment \"week-1\" (2026-11-09T23:59), found 2026-11-09T23:59"},
    {"[{\"person\"",
     "[{\"person\": \"ada\", \"assignment\": \"week-1\", \"due\": \"2026-12-01T12:00\", \"why\": \"x\", \"by\": \"y\"}, {\"person\"",
     ":14: person: \"ada\" has two extensions of assignment \"week-1\""},
    {"\"why\": \"ill\", ", "", "the key \"why\" is missing"},
    {"[\"handout/\"]", "[1]", ":15: expected a string"},
    {"]}\n", "]} {}", "not valid JSON from here on"},
};

static void each_mistake_is_refused_with_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ClassFile class;
        Message why = {0};
        if (read_changed(refused[i].from, refused[i].to, &class, &why) != STATUS_BAD_INPUT ||
            strstr(why.text, refused[i].message) == NULL)
            fail_test("expected '%s' for '%s', found '%s'", refused[i].message, refused[i].to, why.text);
    }
}

static void a_file_without_assignments_or_of_problems_is_refused(void **state)
{
    static const char *const texts[][2] = {
        {"{\"schema\": 1, \"zone\": \"UTC\", \"assignments\": []}", "assignments: expected at least one assignment"},
        {"{\"schema\": 1, \"zone\": \"UTC\", \"assignments\": [{\"id\": \"a\", \"due\": \"2026-01-01T00:00\", \"problems\": []}]}",
         "problems: expected at least one problem"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        ClassFile class;
        Message why = {0};
        assert_int_equal(read_text(texts[i][0], &class, &why), STATUS_BAD_INPUT);
        assert_non_null(strstr(why.text, texts[i][1]));
    }
}

static void a_missing_file_is_not_found(void **state)
{
    ClassFile class;
    Message why = {0};
    (void)state;
    assert_int_equal(class_file_read("/nowhere/class.json", &class, &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "/nowhere/class.json: there is no such file, expected a class.json");
}

static ClassFile read_whole(void)
{
    ClassFile class;
    Message why = {0};
    if (read_text(whole, &class, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return class;
}

static void all_keys_are_read(void **state)
{
    ClassFile class = read_whole();
    (void)state;
    const ClassAssignment *first = class_assignment(&class, "week-1"), *second = class_assignment(&class, "week-2");
    assert_string_equal(class.title, "Parallel programming");
    assert_string_equal(first->title, "One dimension");
    assert_string_equal(second->title, "week-2");
    assert_string_equal(class_time_utc(first->opens.utc_s).text, "2026-11-02T07:00:00Z");
    assert_string_equal(class_time_utc(first->deadline.due.utc_s).text, "2026-11-09T22:59:00Z");
    assert_string_equal(class_time_local(&class.zone, first->deadline.due.utc_s).text, "2026-11-09 23:59");
    assert_string_equal(class_time_local(&class.zone, second->deadline.due.utc_s).text, "2026-11-16 23:59:30");
    assert_int_equal(first->deadline.grace_end_s - first->deadline.due.utc_s, 600);
    assert_int_equal(first->deadline.day_count, 3);
    assert_int_equal(first->counts, COUNTS_LAST);
    assert_int_equal(second->counts, COUNTS_BEST);
    const ClassProblem *problem = class_problem(first, "conv1d");
    assert_int_equal(problem->group_count, 2);
    assert_int_equal(problem->groups[0].case_count, 4);
    assert_string_equal(problem->groups[0].cases[3], "moving average of four");
    assert_string_equal(problem->groups[1].cases[1], "1025 elements, 33 taps");
    assert_int_equal(problem->measure, MEASURE_ROOFLINE);
    assert_float_equal(problem->bands[1].at_least, 0.25, 0);
    assert_float_equal(class_assignment_points(first), 10, 0);
    assert_string_equal(class_problem(second, "conv2d")->bands[0].rung, "naive.cu");
    assert_null(class_problem(first, "conv2d"));
    assert_string_equal(class.extensions[0].why, "ill");
    assert_string_equal(class.handed_out[0], "/tmp/handout/");
    assert_string_equal(class.earlier[0], "/srv/2025");
    class_file_free(&class);
}

static void groups_say_who_takes_part(void **state)
{
    ClassFile class = read_whole();
    size_t count;
    (void)state;
    const char **people = class_people(&class, &class.arena, &count);
    assert_int_equal(count, 3);
    assert_string_equal(people[0], "ada");
    assert_string_equal(people[2], "eve");
    assert_true(class_takes_part(&class.assignments[0], "bob"));
    assert_false(class_takes_part(&class.assignments[0], "eve"));
    assert_true(class_takes_part(&class.assignments[1], "mallory"));
    assert_false(class_has_person(&class, "mallory"));
    class_file_free(&class);
}

static void a_person_has_ids_and_other_spellings(void **state)
{
    ClassFile class;
    Message why;
    (void)state;
    assert_int_equal(read_changed("\"bob\"",
                                  "{\"name\": \"bob\", \"id\": \"17\", \"also\": [\"Bob Moor\", \"moorbob\"]}", &class,
                                  &why),
                     STATUS_OK);
    assert_string_equal(class_name_of(&class, "moorbob", ""), "bob");
    assert_string_equal(class_name_of(&class, "anything", "17"), "bob");
    assert_string_equal(class_name_of(&class, "17", ""), "17");
    assert_string_equal(class_id_of(&class, "bob"), "17");
    assert_string_equal(class_id_of(&class, "ada"), "");
    class_file_free(&class);
}

static void the_nearest_name_is_found_whatever_the_order_of_its_words(void **state)
{
    ClassFile class;
    Message why;
    (void)state;
    assert_int_equal(read_changed("\"bob\"", "\"Ada Lovelace\"", &class, &why), STATUS_OK);
    assert_string_equal(class_nearest(&class, "lovelaceada", &class.arena), "Ada Lovelace");
    assert_string_equal(class_nearest(&class, "Lovelace, Ada", &class.arena), "Ada Lovelace");
    assert_string_equal(class_nearest(&class, "Ada Lovelaec", &class.arena), "Ada Lovelace");
    assert_string_equal(class_nearest(&class, "evee", &class.arena), "eve");
    assert_null(class_nearest(&class, "Grace Hopper", &class.arena));
    class_file_free(&class);
}

static void overrides_are_read_and_mistakes_refused(void **state)
{
    static const char override[] =
        "\"overrides\": [{\"person\": \"%s\", \"assignment\": \"week-1\", \"problem\": \"%s\","
        " \"points\": 2.5, \"why\": \"shown on paper\", \"by\": \"grace\"}],\n \"handed_out\"";
    static const struct {
        const char *person, *problem, *message;
    } wrong[] = {{"eve", "conv1d", "\"eve\" is in no group of assignment \"week-1\""},
                 {"mallory", "conv1d", "no group holds \"mallory\""},
                 {"ada", "conv2d", "assignment \"week-1\" has no problem \"conv2d\""}};
    ClassFile class;
    Message why;
    char text[400];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, override, wrong[i].person, wrong[i].problem);
        assert_int_equal(read_changed("\"handed_out\"", text, &class, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, wrong[i].message) == NULL)
            fail_test("%s", why.text);
    }
    const char *twice =
        "\"overrides\": [{\"person\": \"ada\", \"assignment\": \"week-1\", \"problem\": \"conv1d\", \"points\": 1,"
        " \"why\": \"x\", \"by\": \"grace\"}, {\"person\": \"ada\", \"assignment\": \"week-1\", \"problem\": \"conv1d\","
        " \"points\": 2, \"why\": \"y\", \"by\": \"grace\"}], \"handed_out\"";
    assert_int_equal(read_changed("\"handed_out\"", twice, &class, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "\"ada\" has two overrides of problem \"conv1d\""));
    snprintf(text, sizeof text, override, "ada", "conv1d");
    assert_int_equal(read_changed("\"handed_out\"", text, &class, &why), STATUS_OK);
    const ClassOverride *found = class_override(&class, &class.assignments[0], "ada", "conv1d");
    assert_float_equal(found->points, 2.5, 0);
    assert_null(class_override(&class, &class.assignments[0], "bob", "conv1d"));
    class_file_free(&class);
}

static void an_assignment_closes_after_the_last_extension_with_its_late_days(void **state)
{
    ClassFile class = read_whole();
    const ClassAssignment *first = &class.assignments[0], *second = &class.assignments[1];
    (void)state;
    const int64_t closes_s = class_closes_s(&class, first);
    assert_string_equal(class_time_utc(closes_s).text, "2026-11-19T22:59:00Z");
    assert_string_equal(class_time_utc(class_last_moment(class_deadline(&class, first, "bob"))).text,
                        "2026-11-12T22:59:00Z");
    assert_ptr_equal(class_deadline(&class, first, "ada"), &class.extensions[0].deadline);
    assert_ptr_equal(class_deadline(&class, second, "ada"), &second->deadline);
    assert_int_equal(class_closes_s(&class, second), second->deadline.due.utc_s);
    assert_false(class_shows(&class, first, &first->sources, closes_s));
    assert_true(class_shows(&class, first, &first->sources, closes_s + 1));
    assert_true(class_shows(&class, first, &first->board, 0));
    assert_false(class_shows(&class, first, &first->points, first->points.from.utc_s - 1));
    assert_true(class_shows(&class, first, &first->points, first->points.from.utc_s));
    assert_int_equal(second->points.kind, SHOW_CLOSED);
    assert_false(class_shows(&class, second, &second->sources, INT64_MAX));
    class_file_free(&class);
}

static void paths_are_checked_where_they_are_needed(void **state)
{
    ClassFile class = read_whole();
    Message why = {0};
    (void)state;
    class.handed_out[0] = "/";
    class.earlier[0] = "/";
    assert_int_equal(class_file_check_paths(&class, &why), STATUS_OK);
    class.handed_out[0] = "/nowhere/handout";
    assert_int_equal(class_file_check_paths(&class, &why), STATUS_BAD_INPUT);
    assert_non_null(
        strstr(why.text, ": handed_out: expected a folder or a file that can be read, found none at /nowhere/handout"));
    class_file_free(&class);
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_is_refused_with_its_line),
        cmocka_unit_test(a_file_without_assignments_or_of_problems_is_refused),
        cmocka_unit_test(a_missing_file_is_not_found),
        cmocka_unit_test(all_keys_are_read),
        cmocka_unit_test(groups_say_who_takes_part),
        cmocka_unit_test(a_person_has_ids_and_other_spellings),
        cmocka_unit_test(the_nearest_name_is_found_whatever_the_order_of_its_words),
        cmocka_unit_test(overrides_are_read_and_mistakes_refused),
        cmocka_unit_test(an_assignment_closes_after_the_last_extension_with_its_late_days),
        cmocka_unit_test(paths_are_checked_where_they_are_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
