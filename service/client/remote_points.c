#include "service/client/remote_points.h"

#include "service/client/api_call.h"

static const double MOST_POINTS = 1e9;

static Status take_part(const JsonFile *file, const cJSON *item, Arena *arena, OutcomePoints *points, Message *why)
{
    const char *name = cJSON_IsObject(item) ? json_string(item, "name") : NULL;
    const char *text = cJSON_IsObject(item) ? json_string(item, "text") : NULL;
    if (name == NULL)
        return json_fail(file, item, why, "expected points, an object with a \"name\"");
    *points = (OutcomePoints){.name = arena_string(arena, name),
                              .reason = arena_string(arena, text == NULL ? "" : text)};
    Status status = json_number(file, item, "points", 0, MOST_POINTS, &points->points, why);
    return status == STATUS_OK ? json_number(file, item, "most", 0, MOST_POINTS, &points->most, why) : status;
}

static Status take_parts(const JsonFile *file, Arena *arena, Outcome *outcome, Message *why)
{
    const cJSON *parts = json_get(file->root, "parts"), *item;
    OutcomePoints *points = arena_array(arena, (size_t)cJSON_GetArraySize(parts), sizeof *points);
    Status status = STATUS_OK;
    size_t count = 0;
    cJSON_ArrayForEach(item, parts)
    {
        if (status == STATUS_OK)
            status = take_part(file, item, arena, &points[count++], why);
    }
    outcome->points = points;
    outcome->point_count = count;
    outcome->points_are_public = cJSON_IsTrue(json_get(file->root, "shown"));
    return status;
}

/* 404, 409 and 403: an older server, no class, nothing decided, not for students yet. */
static bool has_none(Status status)
{
    return status == STATUS_NOT_FOUND || status == STATUS_BUSY || status == STATUS_SYSTEM;
}

Status remote_points_read(const Server *server, const RemoteSubmission *submission, Arena *arena, Outcome *outcome,
                          Message *why)
{
    JsonFile file;
    Status status = api_get(server, api_path("submissions/%lld/points", (long long)submission->number), &file, why);
    if (status != STATUS_OK)
        return has_none(status) ? STATUS_OK : status;
    status = take_parts(&file, arena, outcome, why);
    json_free(&file);
    return status;
}
