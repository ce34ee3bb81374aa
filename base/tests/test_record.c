#include "base/tests/unit.h"

#include "base/record.h"
#include "base/tests/record_pages.h"

#include <string.h>

/* A struct with a member of each kind. */

typedef struct Point {
    int x, y;
} Point;

typedef enum Colour { COLOUR_RED, COLOUR_GREEN } Colour;

typedef struct Thing {
    const char *title;
    char name[8];
    double seconds;
    bool flag;
    int small;
    int64_t large;
    uint32_t unsigned_small;
    uint64_t unsigned_large;
    Colour colour;
    uint32_t size[3];
    Point inside, part;
    Point *behind;
    Point *points;
    size_t point_count;
    const char **words;
    size_t word_count;
    int by_hand;
} Thing;

RECORD(point_table, Point, ROW(Point, x, "x", .required = true), ROW(Point, y, "y", .about = "where it is"));

RECORD(part_table, Point, ROW(Point, x, "left", .about = "of the same object"));

RECORD(pair_table, Thing, ROW(Thing, small, "small_again", .sparse = true, .about = "a second name"));

static const char *const colours[] = {"red", "green", NULL};

RECORD_PUT(put_hand, Thing, cJSON_AddBoolToObject(object, row->key, it->by_hand == 7 && root == record))

static Status take_hand(const RecordReading *reading, const cJSON *item, const RecordRow *row, void *record)
{
    ((Thing *)record)->by_hand = cJSON_IsTrue(item) ? 7 : 0;
    return STATUS_OK;
}

static Status check_even(const RecordReading *reading, const cJSON *item, const void *member)
{
    return *(const int64_t *)member % 2 == 0 ? STATUS_OK
                                             : json_fail(reading->file, item, reading->why, "expected an even number");
}

static Status check_part(const RecordReading *reading, const cJSON *item, const void *member)
{
    const Point *part = member;
    return part->x != 13 ? STATUS_OK
                         : json_fail(reading->file, item, reading->why, "expected another \"left\" than 13");
}

static Status take_words(const RecordReading *reading, const cJSON *list, const RecordRow *row, void *record)
{
    Thing *thing = record;
    thing->words = arena_array(reading->arena, (size_t)cJSON_GetArraySize(list), sizeof *thing->words);
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (!cJSON_IsString(item) || reading->root != record)
            return json_fail(reading->file, item, reading->why, "expected a word");
        thing->words[thing->word_count++] = arena_string(reading->arena, item->valuestring);
    }
    return STATUS_OK;
}

RECORD_WHEN(has_points, Thing, it->point_count > 0)

RECORD(thing_table, Thing, ROW_SCHEMA("schema", 3),
       ROW(Thing, title, "title", .required = true, .high = 20, .about = "a text"),
       ROW(Thing, name, "name", .sparse = true, .about = "a short one"),
       ROW(Thing, seconds, "ms", .scale = 1e3, .low = 0, .high = 5000, .sparse = true, .about = "a time"),
       ROW(Thing, flag, "flag", .about = "yes or no"), ROW(Thing, small, "small", .low = -4, .high = 4),
       ROW(Thing, large, "large", .check = check_even), ROW(Thing, unsigned_small, "unsigned"),
       ROW(Thing, unsigned_large, "unsigned_large", .about = "whole numbers"),
       ROW(Thing, colour, "colour", .names = colours, .about = "a name"),
       ROW_NUMBERS(Thing, size, "size", .low = 0, .high = 64, .about = "three numbers"),
       ROW_OBJECT(Thing, inside, "inside", point_table), ROW_OBJECT(Thing, part, NULL, part_table, .check = check_part),
       ROW_SAME("again", pair_table, .about = "another view", .when = has_points),
       ROW_BEHIND(Thing, behind, "behind", point_table, .brief = true, .about = "perhaps a point, x and y"),
       ROW_LIST(Thing, points, point_count, "points", point_table, .about = "a list"),
       ROW_TEXTS(Thing, words, word_count, "words", .sparse = true, .take = take_words, .about = "texts"),
       ROW_HAND("hand", .json = JSON_BOOLEAN, .put = put_hand, .take = take_hand, .about = "by hand"));

RECORD_OPEN(open_table, Thing, ROW_SCHEMA("schema", 3), ROW(Thing, small, "small"));

static Status read_text(const RecordTable *table, const char *text, Arena *arena, Thing *thing, Message *why)
{
    JsonFile file;
    Status status = json_parse("f.json", text, strlen(text), &file, why);
    if (status != STATUS_OK)
        return status;
    status = record_read(table, &file, file.root, arena, thing, why);
    json_free(&file);
    return status;
}

static void all_kinds_read_back_as_themselves(void **state)
{
    Point points[] = {{1, 2}, {3, 4}}, behind = {5, 6};
    const char *words[] = {"a", "b \"c\""};
    const Thing thing = {.title = "t",
                         .name = "seven77",
                         .seconds = 0.1,
                         .flag = true,
                         .small = -3,
                         .large = (int64_t)1 << 52,
                         .unsigned_small = 4000000000u,
                         .unsigned_large = (uint64_t)1 << 53,
                         .colour = COLOUR_GREEN,
                         .size = {1, 2, 64},
                         .inside = {7, 8},
                         .part = {9, 0},
                         .behind = &behind,
                         .points = points,
                         .point_count = 2,
                         .words = words,
                         .word_count = 2,
                         .by_hand = 7};
    Thing read = {.title = NULL};
    Text first = {0}, second = {0};
    Arena arena = {0};
    Message why = {0};
    record_print(&thing_table, &thing, &first);
    if (read_text(&thing_table, first.data, &arena, &read, &why) != STATUS_OK)
        fail_test("%s", why.text);
    record_print(&thing_table, &read, &second);
    assert_string_equal(first.data, second.data);
    assert_true(read.seconds == thing.seconds);
    assert_int_equal(read.behind->y, 6);
    assert_int_equal(read.points[1].y, 4);
    assert_string_equal(read.words[1], "b \"c\"");
    assert_true(read.large == thing.large && read.unsigned_small == thing.unsigned_small);
    text_free(&first);
    text_free(&second);
    arena_free(&arena);
}

static void what_is_sparse_or_null_is_left_out(void **state)
{
    const Thing thing = {.title = "t", .seconds = -1};
    Text text = {0};
    record_print(&thing_table, &thing, &text);
    for (char *at = text.data; (at = strpbrk(at, "\n\t")) != NULL;)
        memmove(at, at + 1, strlen(at));
    assert_string_equal(
        text.data, "{\"schema\":3,\"title\":\"t\",\"flag\":false,\"small\":0,\"large\":0,\"unsigned\":0,"
                   "\"unsigned_large\":0,\"colour\":\"red\",\"size\":[0, 0, 0],\"inside\":{\"x\":0,\"y\":0},\"left\":0,"
                   "\"points\":[],\"hand\":false}");
    text_free(&text);
}

/* Each row is refused with this message. */
static const struct {
    const char *text, *message;
} refused[] = {
    {"{\"schema\": 2, \"title\": \"\"}", "f.json:1: schema: expected a whole number from 3 to 3"},
    {"{\"title\": \"t\"}", "f.json:1: the key \"schema\" is missing"},
    {"{\"schema\": 3,\n \"titel\": \"t\"}", "f.json:2: titel: unknown key; did you mean 'title'?"},
    {"{\"schema\": 3,\n \"title\": 1}", "f.json:2: title: expected a string"},
    {"{\"schema\": 3, \"title\": \"123456789012345678901\"}", "title: expected at most 20 bytes, found 21"},
    {"{\"schema\": 3, \"title\": \"\",\n\"name\": \"12345678\"}", "f.json:2: name: expected at most 7 bytes, found 8"},
    {"{\"schema\": 3, \"title\": \"\", \"ms\": 5001}", "ms: expected a number from 0 to 5000"},
    {"{\"schema\": 3, \"title\": \"\", \"flag\": 1}", "flag: expected true or false"},
    {"{\"schema\": 3, \"title\": \"\", \"small\": 5}", "small: expected a whole number from -4 to 4"},
    {"{\"schema\": 3, \"title\": \"\", \"large\": 3}", "large: expected an even number"},
    {"{\"schema\": 3, \"title\": \"\", \"unsigned\": -1}", "unsigned: expected a whole number from 0 to 4294967295"},
    {"{\"schema\": 3, \"title\": \"\", \"colour\": \"blue\"}", "expected \"red\" or \"green\", found \"blue\""},
    {"{\"schema\": 3, \"title\": \"\", \"inside\":\n{\"y\": 1}}", "inside: the key \"x\" is missing"},
    {"{\"schema\": 3, \"title\": \"\", \"points\": [{\"x\": 1},\n{\"x\": \"1\"}]}", "f.json:2: x: expected a number"},
    {"{\"schema\": 3, \"title\": \"\", \"points\": [\n1]}", "f.json:2: expected an object"},
    {"{\"schema\": 3, \"title\": \"\", \"words\": [1]}", "expected a word"},
    {"{\"schema\": 3, \"title\": \"\", \"size\": [1, 2]}", "size: expected 3 numbers"},
    {"{\"schema\": 3, \"title\": \"\", \"size\": [1, 2,\n65]}", "f.json:2: expected a whole number from 0 to 64"},
    {"{\"schema\": 3, \"title\": \"\",\n\"left\": 13}", "expected another \"left\" than 13"},
    {"{\"schema\": 3, \"title\": \"\", \"left\": true}", "left: expected a number"},
    {"{\"schema\": 3, \"title\": \"\", \"hand\": 1}", "hand: expected true or false"},
};

static void bad_objects_are_refused_with_line_and_key(void **state)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        Message why = {0};
        Thing thing = {.title = NULL};
        Arena arena = {0};
        assert_int_equal(read_text(&thing_table, refused[i].text, &arena, &thing, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, refused[i].message) == NULL)
            fail_test("row %zu: \"%s\" does not hold \"%s\"", i, why.text, refused[i].message);
        arena_free(&arena);
    }
}

static void a_key_that_is_absent_keeps_the_members_value(void **state)
{
    Thing thing = {.seconds = 2, .small = 3, .colour = COLOUR_GREEN};
    Arena arena = {0};
    Message why = {0};
    assert_int_equal(read_text(&thing_table, "{\"schema\": 3, \"title\": \"t\"}", &arena, &thing, &why), STATUS_OK);
    assert_true(thing.seconds == 2 && thing.small == 3 && thing.colour == COLOUR_GREEN);
    arena_free(&arena);
}

static void an_open_table_leaves_other_keys_alone(void **state)
{
    static const char text[] = "{\"schema\": 3, \"new\": 1, \"small\": 2}";
    Thing thing = {.title = NULL};
    Arena arena = {0};
    Message why = {0};
    assert_int_equal(read_text(&thing_table, text, &arena, &thing, &why), STATUS_BAD_INPUT);
    assert_int_equal(read_text(&open_table, text, &arena, &thing, &why), STATUS_OK);
    assert_int_equal(thing.small, 2);
    arena_free(&arena);
}

static void the_page_has_a_line_for_each_meaning(void **state)
{
    Text text = {0};
    print_markdown(&thing_table, &text);
    assert_string_equal(text.data,
                        "| key | meaning |\n|---|---|\n| `title` | a text |\n| `name` | a short one |\n"
                        "| `ms` | a time |\n| `flag` | yes or no |\n"
                        "| `small`, `large`, `unsigned`, `unsigned_large` | whole numbers |\n"
                        "| `colour` | a name |\n| `size` | three numbers |\n| `inside.x`, `.y` | where it is |\n"
                        "| `left` | of the same object |\n| `again` | another view |\n"
                        "| `again.small_again` | a second name |\n| `behind` | perhaps a point, x and y |\n"
                        "| `points` | a list |\n"
                        "| `points[].x`, `.y` | where it is |\n| `words` | texts |\n| `hand` | by hand |\n");
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_read_back_as_themselves),
        cmocka_unit_test(what_is_sparse_or_null_is_left_out),
        cmocka_unit_test(bad_objects_are_refused_with_line_and_key),
        cmocka_unit_test(a_key_that_is_absent_keeps_the_members_value),
        cmocka_unit_test(an_open_table_leaves_other_keys_alone),
        cmocka_unit_test(the_page_has_a_line_for_each_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
