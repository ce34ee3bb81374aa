#include "service/grading/class_progress.h"

#include "service/store/judgings.h"

#include <string.h>

enum { FEW = 3 }; /* as many must have ended before anything is said of the rest */

ClassProgress class_progress_begin(double now_s)
{
    return (ClassProgress){.start_s = now_s, .at_start = SIZE_MAX};
}

static bool has_ended(const char *state)
{
    return strcmp(state, "recorded") == 0 || strcmp(state, "held") == 0 || strcmp(state, "cancelled") == 0;
}

static const JudgingState *state_of(const JudgingState *states, size_t count, int64_t submission)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (states[middle].submission == submission)
            return &states[middle];
        if (states[middle].submission < submission)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Texts that stay the same are not copied at every look. */
static const char *kept(Arena *arena, const char *before, const char *now)
{
    return strcmp(before, now) == 0 ? before : arena_string(arena, now);
}

static Status take_state(Store *store, ClassRun *run, HandedIn *item, const JudgingState *state, Message *why)
{
    Arena *arena = &run->intake->arena;
    item->state = kept(arena, item->state, state->state);
    item->verdict = kept(arena, item->verdict, state->verdict);
    if (strcmp(item->state, "held") != 0)
        return STATUS_OK;
    return judgings_last_failure(store, item->submission, arena, &item->failure, why);
}

static Status look_at(Store *store, ClassRun *run, const JudgingState *states, size_t count, ClassProgress *progress,
                      void (*ended)(void *context, const HandedIn *item), void *context, Message *why)
{
    Status status = STATUS_OK;
    progress->ended = progress->total = progress->running = progress->held = 0;
    for (size_t i = 0; i < run->count && status == STATUS_OK; i++) {
        HandedIn *item = &run->items[i];
        const JudgingState *state = state_of(states, count, item->submission);
        const bool had_ended = has_ended(item->state);
        if (state != NULL && !had_ended)
            status = take_state(store, run, item, state, why);
        if (item->same_as != NULL)
            continue;
        progress->total++;
        progress->ended += has_ended(item->state);
        progress->running += strcmp(item->state, "running") == 0;
        progress->held += strcmp(item->state, "held") == 0;
        if (status == STATUS_OK && !had_ended && has_ended(item->state))
            ended(context, item);
    }
    return status;
}

Status class_progress_look(Store *store, ClassRun *run, ClassProgress *progress,
                           void (*ended)(void *context, const HandedIn *item), void *context, Message *why)
{
    Arena arena = {0};
    JudgingState *states;
    size_t count;
    int64_t first = INT64_MAX, last = 0;
    for (size_t i = 0; i < run->count; i++) {
        first = run->items[i].submission < first ? run->items[i].submission : first;
        last = run->items[i].submission > last ? run->items[i].submission : last;
    }
    Status status = judgings_states(store, first, last, &arena, &states, &count, why);
    if (status == STATUS_OK)
        status = look_at(store, run, states, count, progress, ended, context, why);
    if (status == STATUS_OK && progress->at_start == SIZE_MAX)
        progress->at_start = progress->ended;
    arena_free(&arena);
    return status;
}

static double rate_per_s(const ClassProgress *progress, double now_s)
{
    const size_t done = progress->ended - progress->at_start;
    return done < FEW || now_s <= progress->start_s ? 0 : (double)done / (now_s - progress->start_s);
}

double class_progress_left_s(const ClassProgress *progress, double now_s)
{
    const double rate = rate_per_s(progress, now_s);
    return rate > 0 ? (double)(progress->total - progress->ended) / rate : -1;
}

static void add_duration(Text *text, double seconds)
{
    const long long whole = (long long)(seconds + 0.5);
    if (whole < 60)
        text_printf(text, "%lld s", whole);
    else if (whole < 3600)
        text_printf(text, "%lld min", (whole + 30) / 60);
    else
        text_printf(text, "%lld h %lld min", whole / 3600, whole % 3600 / 60);
}

void class_progress_add(const ClassProgress *progress, double now_s, Text *text)
{
    const double left_s = class_progress_left_s(progress, now_s);
    text_printf(text, "%zu of %zu judged", progress->ended, progress->total);
    if (progress->running > 0)
        text_printf(text, ", %zu under way", progress->running);
    if (left_s < 0)
        return;
    text_printf(text, ", %.0f an hour, ", 3600 * rate_per_s(progress, now_s));
    add_duration(text, left_s);
    text_add(text, " left");
}
