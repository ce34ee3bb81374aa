/* http_events.h - answers that stay open: server-sent events. A stream costs memory alone while nothing is sent.
 *
 * Source   HTML Living Standard, section "Server-sent events".  */
#ifndef SERVICE_HTTP_HTTP_EVENTS_H
#define SERVICE_HTTP_HTTP_EVENTS_H

#include <stdbool.h>

typedef struct EventStream EventStream;

EventStream *http_events_open(void);
/* `data` is one line. False: the other side is gone, and the stream must not be used any more. */
bool http_events_send(EventStream *stream, const char *event, const char *data);
/* Whether the other side is still there; if not, the stream must not be used any more. */
bool http_events_are_open(EventStream *stream);
/* Sends what is left and ends the stream. */
void http_events_close(EventStream *stream);

/* ---- for the server alone ---------------------------------------------------------------------------------------- */

struct MHD_Connection;
/* The answer whose body the stream is. */
struct MHD_Response *http_events_response(EventStream *stream, struct MHD_Connection *connection);
/* Wakes all streams, as libmicrohttpd demands before its end. */
void http_events_forget_all(void);

#endif
