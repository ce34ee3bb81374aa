#include "service/web/live.h"

#include "base/arena.h"
#include "base/clock.h"
#include "service/web/answer.h"

#include <stdlib.h>
#include <string.h>

static const double PAUSE_S = 0.5;

typedef struct LiveFollower {
    EventStream *stream;
    int64_t person, submission;
    char *sent; /* what was sent last; NULL: nothing yet */
} LiveFollower;

struct Live {
    LiveFollower *followers;
    size_t count, capacity;
    uint64_t changes; /* queue_changes() when all was sent */
    double looked_s;
};

Live *live_new(void)
{
    return zeroed(1, sizeof(Live));
}

void live_free(Live *live)
{
    for (size_t i = 0; live != NULL && i < live->count; i++) {
        http_events_close(live->followers[i].stream);
        free(live->followers[i].sent);
    }
    if (live != NULL)
        free(live->followers);
    free(live);
}

bool live_open(Live *live, int64_t person, int64_t submission, EventStream **stream)
{
    int own = 0;
    for (size_t i = 0; i < live->count; i++)
        own += live->followers[i].person == person;
    if (own >= LIVE_STREAMS || !http_events_have_room())
        return false;
    if (live->count == live->capacity) {
        live->capacity = live->capacity == 0 ? 16 : 2 * live->capacity;
        live->followers = allocated(realloc(live->followers, live->capacity * sizeof *live->followers));
    }
    *stream = http_events_open();
    live->followers[live->count++] = (LiveFollower){.stream = *stream, .person = person, .submission = submission};
    live->changes = 0;
    return true;
}

/* The state as one line; NULL: it cannot be read now. */
static char *line_of(const Service *service, int64_t submission, bool *has_ended)
{
    Arena arena = {0};
    StoredSubmission row;
    cJSON *object = NULL;
    char *line = NULL;
    if (submissions_read(service->store, submission, &arena, &row, NULL) == STATUS_OK &&
        submission_json(service, &row, true, &object, NULL) == STATUS_OK) {
        line = cJSON_PrintUnformatted(object);
        *has_ended = submission_has_ended(&row);
        cJSON_Delete(object);
    }
    arena_free(&arena);
    return line;
}

/* False: the stream has ended. */
static bool follow(const Service *service, LiveFollower *follower)
{
    bool has_ended = false;
    char *line = line_of(service, follower->submission, &has_ended);
    if (line == NULL || (follower->sent != NULL && strcmp(line, follower->sent) == 0)) {
        free(line);
        return http_events_are_open(follower->stream);
    }
    free(follower->sent);
    follower->sent = line;
    if (!http_events_send(follower->stream, "state", line))
        return false;
    if (has_ended)
        http_events_close(follower->stream);
    return !has_ended;
}

void live_tick(Service *service)
{
    Live *live = service->live;
    const double now = now_s();
    if (now < live->looked_s + PAUSE_S)
        return;
    const uint64_t changes = queue_changes(service->queue);
    const bool is_new = changes != live->changes;
    size_t kept = 0;
    live->looked_s = now;
    live->changes = changes;
    for (size_t i = 0; i < live->count; i++) {
        LiveFollower *follower = &live->followers[i];
        if (is_new ? follow(service, follower) : http_events_are_open(follower->stream))
            live->followers[kept++] = *follower;
        else
            free(follower->sent);
    }
    live->count = kept;
}
