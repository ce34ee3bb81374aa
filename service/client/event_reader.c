#include "service/client/event_reader.h"

#include <string.h>

static void empty(Text *text)
{
    text->length = 0;
    text_add(text, "");
}

/* The data of an event may be on several lines. */
static void add_data(EventReader *stream, const char *value)
{
    if (stream->has_data)
        text_add(&stream->data, "\n");
    stream->has_data = true;
    text_add(&stream->data, value + (value[0] == ' '));
}

/* An empty line ends an event. */
static bool end_event(EventReader *stream)
{
    bool goes_on = !stream->has_data || stream->take(stream->context, &stream->data);
    stream->has_data = false;
    empty(&stream->data);
    return goes_on;
}

static bool end_line(EventReader *stream)
{
    Text *line = &stream->line;
    bool goes_on = true;
    text_add(line, "");
    if (line->length > 0 && line->data[line->length - 1] == '\r')
        line->data[--line->length] = '\0';
    if (line->length == 0)
        goes_on = end_event(stream);
    else if (strncmp(line->data, "data:", 5) == 0)
        add_data(stream, line->data + 5);
    empty(line);
    return goes_on;
}

bool event_reader_add(EventReader *stream, const char *bytes, size_t count)
{
    bool goes_on = true;
    while (goes_on && count > 0) {
        const char *end = memchr(bytes, '\n', count);
        size_t length = end == NULL ? count : (size_t)(end - bytes);
        if (stream->line.length + stream->data.length + length > EVENT_MAX_BYTES)
            return false;
        text_append(&stream->line, bytes, length);
        if (end != NULL)
            goes_on = end_line(stream);
        bytes += length + (end != NULL);
        count -= length + (end != NULL);
    }
    return goes_on;
}

void event_reader_free(EventReader *stream)
{
    text_free(&stream->line);
    text_free(&stream->data);
    stream->has_data = false;
}
