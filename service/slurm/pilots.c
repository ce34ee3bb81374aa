#include "service/slurm/pilots.h"

#include <stdlib.h>
#include <string.h>

static const double FIRST_PAUSE_S = 2, MOST_PAUSE_S = 300;

/* squeue(1), JOB STATE CODES. A job that is requeued or suspended will run again. */
static PilotState state_named(const char *name, size_t length)
{
    static const char *const ends[] = {"COMPLETING",    "COMPLETED", "CANCELLED",    "FAILED",
                                       "TIMEOUT",       "NODE_FAIL", "BOOT_FAIL",    "DEADLINE",
                                       "OUT_OF_MEMORY", "PREEMPTED", "SPECIAL_EXIT", "REVOKED"};
    static const char *const running[] = {"RUNNING", "SUSPENDED", "STOPPED", "STAGE_OUT", "SIGNALING", "RESIZING"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strlen(ends[i]) == length && strncmp(ends[i], name, length) == 0)
            return PILOT_ENDING;
    for (size_t i = 0; i < sizeof running / sizeof *running; i++)
        if (strlen(running[i]) == length && strncmp(running[i], name, length) == 0)
            return PILOT_RUNNING;
    return PILOT_PENDING;
}

/* "17|RUNNING|None" */
static bool parse_line(const char *line, size_t length, Arena *arena, PilotJob *pilot)
{
    const char *text = arena_copy(arena, line, length);
    const char *state = strchr(text, '|'), *reason = state == NULL ? NULL : strchr(state + 1, '|');
    char *end;
    pilot->job = strtoll(text, &end, 10);
    if (pilot->job <= 0 || end != state || reason == NULL)
        return false;
    pilot->state = state_named(state + 1, (size_t)(reason - state - 1));
    pilot->reason = reason + 1;
    return true;
}

Status pilots_parse(const char *text, Arena *arena, PilotJob **pilots, size_t *count, Message *why)
{
    size_t capacity = 0;
    *pilots = NULL;
    *count = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        *pilots = arena_grown(arena, *pilots, *count, &capacity, sizeof **pilots);
        if (length > 0 && !parse_line(text, length, arena, &(*pilots)[(*count)++]))
            return fail(STATUS_BAD_INPUT, why, "squeue: expected \"JOB|STATE|REASON\", found \"%.*s\"",
                        (int)(length < 200 ? length : 200), text);
        text += length + (text[length] == '\n');
    }
    return STATUS_OK;
}

/* A number from 1 that one of the characters in `after` follows, or nothing. */
static int64_t number_of(const char *text, const char *after)
{
    char *end;
    const long long number = strtoll(text, &end, 10);
    return number > 0 && text[0] >= '1' && text[0] <= '9' && (*end == '\0' || strchr(after, *end) != NULL) ? number : 0;
}

int64_t pilots_job_of_sbatch(const char *text)
{
    return number_of(text, ";\n");
}

int64_t pilots_job_of_worker(const char *worker)
{
    static const char prefix[] = "slurm-";
    return strncmp(worker, prefix, sizeof prefix - 1) == 0 ? number_of(worker + sizeof prefix - 1, "-") : 0;
}

int64_t pilots_alive(const PilotJob *pilots, size_t count)
{
    int64_t alive = 0;
    for (size_t i = 0; i < count; i++)
        alive += pilots[i].state != PILOT_ENDING;
    return alive;
}

int64_t pilots_to_start(int64_t waiting, int64_t alive, int64_t most)
{
    const int64_t worth = (waiting + SUBMISSIONS_PER_PILOT - 1) / SUBMISSIONS_PER_PILOT;
    const int64_t wanted = worth < most ? worth : most;
    return wanted > alive ? wanted - alive : 0;
}

double pilots_pause_s(int failures)
{
    double pause = failures > 0 ? FIRST_PAUSE_S : 0;
    for (int i = 1; i < failures && pause < MOST_PAUSE_S; i++)
        pause *= 2;
    return pause < MOST_PAUSE_S ? pause : MOST_PAUSE_S;
}

bool pilots_is_ordinary(const char *reason)
{
    static const char *const ordinary[] = {"", "None", "Resources", "Priority", "BeginTime", "(null)"};
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++)
        if (strcmp(reason, ordinary[i]) == 0)
            return true;
    return false;
}
