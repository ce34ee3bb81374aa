#include "grader/problem/identify.h"

#include "grader/problem/problem.h"
#include "grader/problem/problem_list.h"
#include "grader/problem/problem_read.h"
#include "grader/problem/signature.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { PROBLEM_LINE_WITHIN = 50 };

/* The id of a line "// problem: ID" or a comment "/" "* problem: ID *" "/"; NULL if the line is neither. */
static const char *id_of_line(const char *at, const char *end, Arena *arena)
{
    static const char word[] = "problem:";
    while (at < end && isspace((unsigned char)*at))
        at++;
    if (end - at < 2 || at[0] != '/' || (at[1] != '/' && at[1] != '*'))
        return NULL;
    for (at += 2; at < end && isspace((unsigned char)*at);)
        at++;
    if ((size_t)(end - at) < strlen(word) || memcmp(at, word, strlen(word)) != 0)
        return NULL;
    for (at += strlen(word); at < end && isspace((unsigned char)*at);)
        at++;
    const char *stop = at;
    while (stop < end && !isspace((unsigned char)*stop) && *stop != '*')
        stop++;
    return arena_copy(arena, at, (size_t)(stop - at));
}

const char *identify_by_line(const char *source, size_t length, Arena *arena)
{
    const char *end = source + length;
    for (int line = 0; line < PROBLEM_LINE_WITHIN && source < end; line++) {
        const char *stop = memchr(source, '\n', (size_t)(end - source));
        stop = stop == NULL ? end : stop;
        const char *id = id_of_line(source, stop, arena);
        if (id != NULL)
            return id;
        source = stop < end ? stop + 1 : end;
    }
    return NULL;
}

static Status read_signature(const char *id, Arena *arena, Signature *signature, Message *why)
{
    Problem problem;
    Status status = problem_read(id, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = signature_parse(problem.signature, arena, signature, why);
    problem_free(&problem);
    return status;
}

/* Joins the ids: "conv1d, conv2d". */
static const char *joined(Arena *arena, const char *const *ids, size_t count)
{
    const char *text = "";
    for (size_t i = 0; i < count; i++)
        text = arena_printf(arena, "%s%s%s", text, i > 0 ? ", " : "", ids[i]);
    return text;
}

/* Moves the ids of the problems whose signature fits to the front; returns their number. */
static size_t keep_fitting(const char **ids, const Signature *signatures, size_t count, const Signature *wanted,
                           bool names_too)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (signature_matches(&signatures[i], wanted, names_too))
            ids[kept++] = ids[i];
    return kept;
}

static const char advice[] = "add --problem ID, or a line '// problem: ID' to the file";

static Status choose(const char *const *all, const Signature *signatures, size_t count, const Signature *wanted,
                     Arena *arena, const char **id, Message *why)
{
    const char **fitting = arena_array(arena, count + 1, sizeof *fitting);
    memcpy(fitting, all, count * sizeof *fitting);
    size_t by_types = keep_fitting(fitting, signatures, count, wanted, false);
    if (by_types == 0)
        return fail(STATUS_NOT_FOUND, why,
                    "line %d: no problem has the parameters of this solve(); known problems: %s; %s", wanted->line,
                    joined(arena, all, count), advice);
    if (by_types > 1) {
        const char **named = arena_array(arena, count + 1, sizeof *named);
        memcpy(named, all, count * sizeof *named);
        size_t by_names = keep_fitting(named, signatures, count, wanted, true);
        if (by_names != 1)
            return fail(STATUS_NOT_FOUND, why, "line %d: the parameters of solve() fit several problems: %s; %s",
                        wanted->line, joined(arena, fitting, by_types), advice);
        fitting = named;
    }
    *id = fitting[0];
    return STATUS_OK;
}

Status identify_problem(const char *source, size_t length, Arena *arena, const char **id, Message *why)
{
    Signature wanted;
    const char **ids;
    size_t count;
    if ((*id = identify_by_line(source, length, arena)) != NULL)
        return STATUS_OK;
    Status status = problem_list(arena, &ids, &count, why);
    if (status != STATUS_OK)
        return status;
    status = signature_find(source, length, arena, &wanted, why);
    if (status != STATUS_OK)
        return fail(status, why,
                    "no definition of \"void solve(...)\" found, which would tell the problem; known problems: %s",
                    joined(arena, ids, count));
    Signature *signatures = arena_array(arena, count + 1, sizeof *signatures);
    for (size_t i = 0; i < count; i++) {
        status = read_signature(ids[i], arena, &signatures[i], why);
        if (status != STATUS_OK)
            return status;
    }
    return choose(ids, signatures, count, &wanted, arena, id, why);
}
