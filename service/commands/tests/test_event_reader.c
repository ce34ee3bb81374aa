#include "base/tests/unit.h"

#include <string.h>

#include "service/commands/command_submit.h"

typedef struct Taken {
    Text all;
    size_t wanted; /* events until enough is taken */
} Taken;

static bool take(void *context, const Text *data)
{
    Taken *taken = context;
    text_add(&taken->all, data->data);
    text_add(&taken->all, "|");
    return --taken->wanted > 0;
}

/* Feeds a stream in pieces of `step` bytes, and expects what was taken. */
static void expect(const char *stream, size_t step, const char *expected)
{
    Taken taken = {.wanted = 100};
    EventReader reader = {.take = take, .context = &taken};
    text_add(&taken.all, "");
    for (size_t at = 0; at < strlen(stream); at += step) {
        size_t left = strlen(stream) - at;
        assert_true(event_reader_add(&reader, stream + at, left < step ? left : step));
    }
    assert_string_equal(taken.all.data, expected);
    event_reader_free(&reader);
    text_free(&taken.all);
}

static void events_come_however_the_stream_is_cut(void **state)
{
    static const char stream[] =
        "event: state\ndata: {\"a\": 1}\n\n: a comment\r\nid: 7\r\ndata:two\r\ndata: lines\r\n\r\n\n\ndata\n\n";
    for (size_t step = 1; step <= sizeof stream; step++)
        expect(stream, step, "{\"a\": 1}|two\nlines|");
}

static void an_event_without_its_end_does_not_count(void **state)
{
    expect("data: one\n\ndata: two\n", 4, "one|");
    expect("data: \n\n", 3, "|");
}

static void a_reader_that_has_enough_ends_the_stream(void **state)
{
    static const char stream[] = "data: one\n\ndata: two\n\ndata: three\n\n";
    Taken taken = {.wanted = 2};
    EventReader reader = {.take = take, .context = &taken};
    assert_false(event_reader_add(&reader, stream, strlen(stream)));
    assert_string_equal(taken.all.data, "one|two|");
    event_reader_free(&reader);
    text_free(&taken.all);
}

static void an_endless_line_ends_the_stream(void **state)
{
    char piece[4096];
    Taken taken = {.wanted = 100};
    EventReader reader = {.take = take, .context = &taken};
    size_t pieces = 0;
    memset(piece, 'x', sizeof piece);
    while (event_reader_add(&reader, piece, sizeof piece))
        assert_true(++pieces <= EVENT_MAX_BYTES / sizeof piece);
    event_reader_free(&reader);
}

static void an_endless_event_ends_the_stream(void **state)
{
    static const char line[] = "data: 0123456789\n";
    Taken taken = {.wanted = 100};
    EventReader reader = {.take = take, .context = &taken};
    size_t lines = 0;
    while (event_reader_add(&reader, line, strlen(line)))
        assert_true(++lines <= EVENT_MAX_BYTES / 10);
    event_reader_free(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_however_the_stream_is_cut),
        cmocka_unit_test(an_event_without_its_end_does_not_count),
        cmocka_unit_test(a_reader_that_has_enough_ends_the_stream),
        cmocka_unit_test(an_endless_line_ends_the_stream),
        cmocka_unit_test(an_endless_event_ends_the_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
