#include "grader/report/kernel_names.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LOOKUPS = 200 };

/* A part of the source. */
typedef struct TextSpan {
    const char *start, *end;
} TextSpan;

/* ---- words ------------------------------------------------------------------------------------------------------- */

static bool begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

/* The next name at or behind `at`; an empty span at `end`: there is none. */
static TextSpan next_name(const char *at, const char *end)
{
    while (at < end && !begins_name(*at)) {
        bool number = isdigit((unsigned char)*at);
        at++;
        while (number && at < end && (text_in_word(*at) || *at == '.'))
            at++; /* 0x1F and 1.0f contain no names */
    }
    TextSpan name = {at, at};
    while (name.end < end && text_in_word(*name.end))
        name.end++;
    return name;
}

static bool is_word(TextSpan span, const char *word)
{
    size_t length = (size_t)(span.end - span.start);
    return strlen(word) == length && memcmp(span.start, word, length) == 0;
}

/* Copies with every run of spaces and line ends as one space. */
static void copy_span(TextSpan span, char *out, size_t size)
{
    size_t length = 0;
    for (const char *at = skip_spaces(span.start, span.end); at < span.end && length + 1 < size; at++) {
        bool space = isspace((unsigned char)*at);
        if (!space)
            out[length++] = *at;
        else if (length > 0 && out[length - 1] != ' ')
            out[length++] = ' ';
    }
    while (length > 0 && out[length - 1] == ' ')
        length--;
    out[length] = '\0';
}

/* Behind the bracket that closes the one at `at`; `end`: none does. */
static const char *behind_bracket(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        depth += (*at == '(' || *at == '[' || *at == '{') - (*at == ')' || *at == ']' || *at == '}');
        if (depth == 0)
            return at + 1;
    }
    return end;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static const char *start_of_line(const char *source, int line)
{
    const char *at = source;
    for (int i = 1; i < line && at != NULL; i++) {
        at = strchr(at, '\n');
        at = at == NULL ? NULL : at + 1;
    }
    return at == NULL ? source + strlen(source) : at;
}

int kernel_line(const char *source, const char *kernel)
{
    for (const char *at = source; (at = strstr(at, "__global__")) != NULL; at++) {
        const char *found = text_find_word(at, kernel);
        if (found != NULL && found < at + strcspn(at, "{;"))
            return text_line_at(source, (size_t)(found - source));
    }
    return 0;
}

int first_line_with(const char *source, const char *word)
{
    const char *found = strstr(source, word);
    return found == NULL ? 0 : text_line_at(source, (size_t)(found - source));
}

void copy_line(const char *source, int line, char *text, size_t size)
{
    const char *start = start_of_line(source, line);
    copy_span((TextSpan){start, start + strcspn(start, "\n")}, text, size);
}

int line_indent(const char *source, int line)
{
    const char *start = start_of_line(source, line);
    size_t spaces = strspn(start, " \t");
    return strchr("#\r\n", start[spaces]) != NULL ? -1 : (int)spaces;
}

/* From the definition of the kernel to the end of its body, or the whole source. A line outside of it is in a function
 * that the kernel calls, whose names are looked for in the whole source as well. */
static TextSpan body_of(const char *source, const char *kernel, int line)
{
    int first = kernel_line(source, kernel);
    TextSpan all = {source, source + strlen(source)};
    if (first == 0)
        return all;
    TextSpan body = {start_of_line(source, first), all.end};
    const char *brace = strchr(body.start, '{'), *place = start_of_line(source, line);
    body.end = brace == NULL ? all.end : behind_bracket(brace, all.end);
    return line == 0 || (place >= body.start && place < body.end) ? body : all;
}

/* The statement that a line belongs to: back to the line with its beginning, and up to its semicolon. */
static TextSpan statement_at(const char *source, TextSpan body, int line)
{
    const char *start = start_of_line(source, line);
    TextSpan statement = {start, start};
    while (statement.end < body.end && *statement.end != ';')
        statement.end++;
    while (statement.start > body.start && strchr(";{}", statement.start[-1]) == NULL)
        statement.start--;
    return statement;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The value in "name = value;" or "name = value," of the first such place in the body; an empty span: there is none. */
static TextSpan value_of(TextSpan body, TextSpan name)
{
    for (TextSpan at = next_name(body.start, body.end); at.start < body.end; at = next_name(at.end, body.end)) {
        const char *equals = skip_spaces(at.end, body.end);
        bool same = at.end - at.start == name.end - name.start &&
                    memcmp(at.start, name.start, (size_t)(at.end - at.start)) == 0;
        if (!same || equals >= body.end || *equals != '=' || equals[1] == '=')
            continue;
        const char *end = equals + 1;
        while (end < body.end && *end != ';' && *end != ',')
            end = *end == '(' || *end == '[' ? behind_bracket(end, body.end) : end + 1;
        return (TextSpan){equals + 1, end};
    }
    return (TextSpan){body.end, body.end};
}

/* Whether an expression has different values in different threads of a block; with `member`, in those that differ in
 * threadIdx.x, say. `left`: how many more names may be looked up, so that no source takes long. */
static bool depends_on_thread(TextSpan body, TextSpan expression, const char *member, int *left)
{
    for (TextSpan name = next_name(expression.start, expression.end); name.start < expression.end;
         name = next_name(name.end, expression.end)) {
        if (is_word(name, "threadIdx") && (member == NULL || strncmp(name.end, member, strlen(member)) == 0))
            return true;
        if (name.start > expression.start && name.start[-1] == '.')
            continue; /* the z of blockIdx.z is no variable */
        if (--*left > 0 && depends_on_thread(body, value_of(body, name), member, left))
            return true;
    }
    return false;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

static ArrayUse array_use(TextSpan name, TextSpan index)
{
    ArrayUse use = {.name = ""};
    copy_span(name, use.name, sizeof use.name);
    copy_span(index, use.index, sizeof use.index);
    return use;
}

/* Everything from the first bracket behind a name to the last: "[a][b]"; an empty span: there is none. */
static TextSpan index_behind(TextSpan name, const char *end)
{
    TextSpan index = {name.end, name.end};
    while (index.end < end && *index.end == '[')
        index.end = behind_bracket(index.end, end);
    return index;
}

/* Whether an index multiplies what differs between neighbouring threads: `d * taps + k`. */
static bool multiplies_thread(TextSpan body, TextSpan index)
{
    for (TextSpan name = next_name(index.start, index.end); name.start < index.end;
         name = next_name(name.end, index.end)) {
        int left = MOST_LOOKUPS;
        TextSpan member = name.end < index.end && *name.end == '.' ? next_name(name.end, index.end) : name;
        const char *behind = skip_spaces(member.end, index.end);
        if (behind < index.end && *behind == '*' &&
            depends_on_thread(body, (TextSpan){name.start, member.end}, ".x", &left))
            return true;
    }
    return false;
}

static void find_arrays(TextSpan body, TextSpan statement, KernelNames *names)
{
    bool has_input = false, has_filter = false;
    const char *from = statement.start, *sum = from;
    while (sum + 1 < statement.end && !(sum[0] == '+' && sum[1] == '='))
        sum++;
    if (sum + 1 < statement.end)
        from = sum + 2; /* what stands before += is the sum */
    for (TextSpan name = next_name(from, statement.end); name.start < statement.end;
         name = next_name(name.end, statement.end)) {
        TextSpan index = index_behind(name, statement.end);
        if (index.end == index.start)
            continue;
        int left = MOST_LOOKUPS;
        bool by_thread = depends_on_thread(body, index, NULL, &left);
        if (by_thread && !has_input)
            names->input = array_use(name, index);
        if (by_thread && names->strided[0] == '\0' && multiplies_thread(body, index))
            copy_span(name, names->strided, sizeof names->strided);
        if (!by_thread && !has_filter)
            names->filter = array_use(name, index);
        has_input = has_input || by_thread;
        has_filter = has_filter || !by_thread;
    }
}

/* The name before "+=", or that of the first value in the statement. */
static void find_sum(TextSpan statement, KernelNames *names)
{
    for (const char *at = statement.start; at + 1 < statement.end; at++) {
        if (at[0] != '+' || at[1] != '=')
            continue;
        const char *end = at;
        while (end > statement.start && isspace((unsigned char)end[-1]))
            end--;
        names->has_several_sums = end > statement.start && end[-1] == ']';
        int indices = 0;
        for (; end > statement.start && end[-1] == ']'; indices++)
            while (end > statement.start && *--end != '[')
                continue;
        names->has_patch_of_sums = indices > 1;
        const char *start = end;
        while (start > statement.start && text_in_word(start[-1]))
            start--;
        copy_span((TextSpan){start, end}, names->sum, sizeof names->sum);
        return;
    }
}

/* The last "for (int k = 0; k < end; k++)" that begins before the end of the statement. */
static void find_loop(TextSpan body, TextSpan statement, KernelNames *names)
{
    TextSpan found = {NULL, NULL};
    for (TextSpan name = next_name(body.start, statement.end); name.start < statement.end;
         name = next_name(name.end, statement.end))
        if (is_word(name, "for"))
            found = name;
    if (found.start == NULL)
        return;
    const char *open = skip_spaces(found.end, body.end), *end = behind_bracket(open, body.end);
    const char *equals = memchr(open, '=', (size_t)(end - open)), *less = memchr(open, '<', (size_t)(end - open));
    if (equals == NULL || less == NULL)
        return;
    const char *last = equals;
    while (last > open && isspace((unsigned char)last[-1]))
        last--;
    const char *first = last;
    while (first > open && text_in_word(first[-1]))
        first--;
    copy_span((TextSpan){first, last}, names->loop, sizeof names->loop);
    less += less[1] == '=' ? 2 : 1;
    copy_span((TextSpan){less, less + strcspn(less, ";&")}, names->loop_end, sizeof names->loop_end);
}

/* ---- the thread's place ------------------------------------------------------------------------------------------ */

/* The first variable whose value contains `word`, such as "threadIdx.y", and blockIdx. */
static void find_place(TextSpan body, const char *word, char *name, char *value)
{
    const char *block = "blockIdx";
    for (TextSpan at = next_name(body.start, body.end); at.start < body.end; at = next_name(at.end, body.end)) {
        const char *equals = skip_spaces(at.end, body.end);
        char text[INDEX_ROOM];
        if (equals >= body.end || *equals != '=' || equals[1] == '=')
            continue;
        copy_span(value_of((TextSpan){at.start, body.end}, at), text, sizeof text);
        if (strstr(text, word) == NULL || strstr(text, block) == NULL)
            continue;
        copy_span(at, name, NAME_ROOM);
        snprintf(value, INDEX_ROOM, "%s", text);
        return;
    }
}

/* ---- what the statement calls things ----------------------------------------------------------------------------- */

static void copy_name(char *name, const char *from)
{
    if (name[0] == '\0')
        snprintf(name, NAME_ROOM, "%s", from);
}

static void use_statement_names(const Problem *problem, KernelNames *names)
{
    const char *inputs[2] = {"input", "filter"}, *output = "output";
    size_t count = 0;
    for (size_t i = 0; problem != NULL && i < problem->parameter_count; i++) {
        if (problem->parameters[i].role == ROLE_IN && count < 2)
            inputs[count++] = problem->parameters[i].name;
        if (problem->parameters[i].role == ROLE_OUT)
            output = problem->parameters[i].name;
    }
    copy_name(names->input.name, inputs[0]);
    copy_name(names->filter.name, inputs[1]);
    copy_name(names->output, output);
    copy_name(names->strided, names->input.name);
    copy_name(names->sum, "sum");
    copy_name(names->loop, "k");
}

void kernel_names_find(const char *source, const char *kernel, int line, const Problem *problem, KernelNames *names)
{
    TextSpan body = body_of(source, kernel, line), statement = statement_at(source, body, line);
    *names = (KernelNames){.has_several_sums = false};
    if (line > 0) {
        find_arrays(body, statement, names);
        find_sum(statement, names);
        find_loop(body, statement, names);
    }
    find_place(body, "threadIdx.x", names->column, names->column_is);
    find_place(body, "threadIdx.y", names->row, names->row_is);
    use_statement_names(problem, names);
}

void replace_word(const char *text, const char *word, const char *by, char *out, size_t size)
{
    Text replaced = {0};
    size_t length = strlen(word);
    for (const char *at = text; *at != '\0';) {
        bool starts = at == text || !(text_in_word(at[-1]) || at[-1] == '.');
        if (starts && length > 0 && strncmp(at, word, length) == 0 && !text_in_word(at[length])) {
            text_add(&replaced, by);
            at += length;
        } else {
            text_append(&replaced, at++, 1);
        }
    }
    snprintf(out, size, "%s", replaced.data == NULL ? "" : replaced.data);
    text_free(&replaced);
}
