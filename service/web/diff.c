#include "service/web/diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MOST_LINES = 2000 };

typedef struct Lines {
    const char **starts;
    size_t *lengths;
    size_t count;
} Lines;

static Lines split(const char *text, Arena *arena)
{
    Lines lines = {0};
    size_t most = 1;
    for (const char *at = text; *at != '\0'; at++)
        most += *at == '\n';
    lines.starts = arena_array(arena, most, sizeof *lines.starts);
    lines.lengths = arena_array(arena, most, sizeof *lines.lengths);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        bool has_return = length > 0 && text[length - 1] == '\r'; /* Windows ends lines with it */
        lines.starts[lines.count] = text;
        lines.lengths[lines.count++] = length - has_return;
        text += length + (text[length] == '\n');
    }
    return lines;
}

static bool is_same(const Lines *a, size_t i, const Lines *b, size_t k)
{
    return a->lengths[i] == b->lengths[k] && memcmp(a->starts[i], b->starts[k], a->lengths[i]) == 0;
}

/* ---- the list of changes ----------------------------------------------------------------------------------------- */

typedef struct Diff {
    Lines before, after;
    size_t i, k; /* next line of each */
    DiffLine *lines;
    size_t count;
} Diff;

static void add(Diff *diff, DiffKind kind)
{
    const Lines *from = kind == DIFF_ADDED ? &diff->after : &diff->before;
    size_t at = kind == DIFF_ADDED ? diff->k : diff->i;
    DiffLine *line = &diff->lines[diff->count++];
    *line = (DiffLine){.kind = kind, .text = from->starts[at], .length = from->lengths[at]};
    if (kind != DIFF_ADDED)
        line->before = ++diff->i;
    if (kind != DIFF_REMOVED)
        line->after = ++diff->k;
}

/* lengths[i][k]: of the longest common subsequence of the lines from i and from k on, before `end_i` and `end_k`. */
static void add_changes(Diff *diff, size_t end_i, size_t end_k, Arena *arena)
{
    size_t first_i = diff->i, first_k = diff->k, rows = end_i - first_i, columns = end_k - first_k,
           stride = columns + 1;
    uint16_t *lengths = NULL;
    if (rows <= MOST_LINES && columns <= MOST_LINES) {
        lengths = arena_array(arena, (rows + 1) * stride, sizeof *lengths);
        for (size_t i = rows; i-- > 0;)
            for (size_t k = columns; k-- > 0;) {
                uint16_t down = lengths[(i + 1) * stride + k], right = lengths[i * stride + k + 1];
                bool same = is_same(&diff->before, first_i + i, &diff->after, first_k + k);
                uint16_t both = (uint16_t)(lengths[(i + 1) * stride + k + 1] + 1);
                lengths[i * stride + k] = same ? both : down > right ? down : right;
            }
    }
    while (diff->i < end_i || diff->k < end_k) {
        size_t i = diff->i - first_i, k = diff->k - first_k;
        bool has_both = diff->i < end_i && diff->k < end_k;
        if (lengths != NULL && has_both && is_same(&diff->before, diff->i, &diff->after, diff->k))
            add(diff, DIFF_SAME);
        else if (diff->i < end_i &&
                 (diff->k == end_k || lengths == NULL || lengths[(i + 1) * stride + k] >= lengths[i * stride + k + 1]))
            add(diff, DIFF_REMOVED);
        else
            add(diff, DIFF_ADDED);
    }
}

DiffLine *diff_lines(const char *before, const char *after, Arena *arena, size_t *count)
{
    Diff diff = {.before = split(before, arena), .after = split(after, arena)};
    size_t end_i = diff.before.count, end_k = diff.after.count;
    diff.lines = arena_array(arena, end_i + end_k + 1, sizeof *diff.lines);
    while (diff.i < end_i && diff.k < end_k && is_same(&diff.before, diff.i, &diff.after, diff.k))
        add(&diff, DIFF_SAME);
    while (end_i > diff.i && end_k > diff.k && is_same(&diff.before, end_i - 1, &diff.after, end_k - 1)) {
        end_i--;
        end_k--;
    }
    add_changes(&diff, end_i, end_k, arena);
    while (diff.i < diff.before.count)
        add(&diff, DIFF_SAME);
    *count = diff.count;
    return diff.lines;
}
