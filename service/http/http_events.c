/* http_events.c - streams of events. While a stream has nothing to say, its connection is suspended, and costs no time. */
#include "service/http/http_events.h"

#include "base/allocated.h"
#include "base/clock.h"
#include "base/text.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 4096, LIVE_SECONDS = 15, MOST_PENDING = 65536 };

struct EventStream {
    EventStream *next, *previous; /* in the ring of all */
    struct MHD_Connection *connection;
    Text pending;
    bool is_suspended, is_closed;
    bool is_gone; /* the other side: nobody reads any more */
    double sent_s;
};

static EventStream ring = {.next = &ring, .previous = &ring};

EventStream *http_events_open(void)
{
    EventStream *stream = zeroed(1, sizeof *stream);
    stream->sent_s = now_s();
    stream->next = ring.next;
    stream->previous = &ring;
    ring.next->previous = stream;
    ring.next = stream;
    return stream;
}

static void wake(EventStream *stream)
{
    if (stream->is_suspended && stream->connection != NULL)
        MHD_resume_connection(stream->connection);
    stream->is_suspended = false;
}

static ssize_t read_pending(void *context, uint64_t position, char *buffer, size_t room)
{
    EventStream *stream = context;
    if (stream->pending.length == 0 && stream->is_closed)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (stream->pending.length == 0) {
        stream->is_suspended = true;
        MHD_suspend_connection(stream->connection);
        return 0;
    }
    size_t count = stream->pending.length < room ? stream->pending.length : room;
    memcpy(buffer, stream->pending.data, count);
    memmove(stream->pending.data, stream->pending.data + count, stream->pending.length - count);
    stream->pending.length -= count;
    return (ssize_t)count;
}

static void release(EventStream *stream)
{
    stream->next->previous = stream->previous;
    stream->previous->next = stream->next;
    text_free(&stream->pending);
    free(stream);
}

/* The connection has ended. The owner learns it when it sends next; a stream that he has closed is nobody's. */
static void connection_is_over(void *context)
{
    EventStream *stream = context;
    stream->is_gone = true;
    stream->connection = NULL;
    if (stream->is_closed)
        release(stream);
}

struct MHD_Response *http_events_response(EventStream *stream, struct MHD_Connection *connection)
{
    stream->connection = connection;
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES, read_pending, stream, connection_is_over);
}

/* A reader that does not read while much is sent is given up. */
static bool append(EventStream *stream, const char *text)
{
    if (stream->is_gone || stream->pending.length > MOST_PENDING) {
        http_events_close(stream);
        return false;
    }
    text_add(&stream->pending, text);
    stream->sent_s = now_s();
    wake(stream);
    return true;
}

bool http_events_send(EventStream *stream, const char *event, const char *data)
{
    Text text = {0};
    text_printf(&text, "event: %s\ndata: %s\n\n", event, data);
    const bool is_sent = append(stream, text.data);
    text_free(&text);
    return is_sent;
}

/* A comment now and then shows whether the connection still works, to both sides and to proxies. */
bool http_events_are_open(EventStream *stream)
{
    if (!stream->is_gone && now_s() < stream->sent_s + LIVE_SECONDS)
        return true;
    return append(stream, ": still here\n\n");
}

void http_events_close(EventStream *stream)
{
    stream->is_closed = true;
    if (stream->is_gone)
        release(stream);
    else
        wake(stream);
}

void http_events_forget_all(void)
{
    for (EventStream *stream = ring.next; stream != &ring; stream = stream->next)
        wake(stream);
}
