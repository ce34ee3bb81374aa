/* A reader of C++ that knows just enough: a statement that begins with two names in a row, a type and a variable,
 * declares variables, those without `=` get no value, and those with `[` are arrays.  */
#include "grader/judge/wording.h"

#include "base/clock.h"
#include "grader/check/checker.h"
#include "harness/compile/compile.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ==== array name ================================================================================================== */

/* The next name at or behind `*at`, which moves behind it; length 0: there is none. */
static Name next_name(const char **at)
{
    const char *start = *at;
    while (*start != '\0' && !(isalpha((unsigned char)*start) || *start == '_'))
        start += text_in_word(*start) ? strspn(start, "0123456789") : 1;
    const char *end = start;
    while (text_in_word(*end))
        end++;
    *at = end;
    return (Name){start, (size_t)(end - start)};
}

static bool is_among(Name name, const Name *names, int count)
{
    for (int i = 0; i < count; i++)
        if (name_equals(name, names[i]))
            return true;
    return false;
}

/* Is the name one of the first that begin so and that the source follows by this character? */
static bool may_be_told(const char *source, const char *name, const char *beginning, char follower)
{
    Name known[MAX_TOLD_NAMES], one, wanted = {name, strlen(name)};
    int count = 0;
    for (const char *at = source; count < MAX_TOLD_NAMES && (one = next_name(&at)).length > 0;)
        if (at[strspn(at, " \t\r\n")] == follower && strncmp(one.text, beginning, strlen(beginning)) == 0 &&
            !is_among(one, known, count))
            known[count++] = one;
    return wanted.length > 0 && is_among(wanted, known, count);
}

bool array_name_may_be_told(const char *source, const char *name)
{
    return may_be_told(source, name, "", '[');
}

bool call_name_may_be_told(const char *source, const char *name)
{
    return may_be_told(source, name, "cu", '(');
}

/* The parenthesis that opens the parameters of a kernel; NULL: the source declares none of that name, or several. */
static const char *parameters_of(const char *source, Name kernel)
{
    const char *found = NULL;
    for (const char *at = source; (at = text_find_word(at, "__global__")) != NULL;) {
        Name last = {0}, one;
        const char *open = at;
        while ((one = next_name(&open)).length > 0) { /* the kernel's name is followed by the first parenthesis */
            last = one;
            open += strspn(open, " \t\r\n");
            if (*open == '(' && !name_equals(one, (Name){"__launch_bounds__", 17}))
                break;
        }
        at += strlen("__global__");
        if (*open != '(' || !name_equals(last, kernel))
            continue;
        if (found != NULL)
            return NULL;
        found = open;
    }
    return found;
}

bool array_name_of_parameter(const char *source, const char *kernel, uint32_t number, char *name, size_t size)
{
    const char *scope = strrchr(kernel, ':'), *start = scope == NULL ? kernel : scope + 1;
    const char *at = parameters_of(source, (Name){start, strcspn(start, "<")});
    Name last = {0};
    if (at == NULL)
        return false;
    for (int depth = 0; number > 0 && *at != '\0';) {
        if (isdigit((unsigned char)*at)) {
            at += strspn(at, "0123456789");
            continue;
        }
        if (text_in_word(*at)) {
            last = next_name(&at);
            continue;
        }
        depth += (*at == '(' || *at == '<' || *at == '[') - (*at == ')' || *at == '>' || *at == ']');
        if (depth == 0 || (depth == 1 && *at == ','))
            number--;
        if (depth == 0)
            break;
        at++;
    }
    if (number > 0 || last.length == 0 || last.length >= size)
        return false;
    snprintf(name, size, "%.*s", (int)last.length, last.text);
    return true;
}

/* ==== local variable ============================================================================================== */

typedef struct Declared {
    bool is_unset, is_array;
} Declared;

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_one_of(Name name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (name_equals(name, (Name){words[i], strlen(words[i])}))
            return true;
    return false;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

/* Skips blanks and comments. */
static const char *skip_space(const char *at, const char *end)
{
    for (at = skip_blanks(at, end); end - at >= 2 && at[0] == '/' && (at[1] == '/' || at[1] == '*');
         at = skip_blanks(at, end)) {
        const char *close = strstr(at, at[1] == '/' ? "\n" : "*/");
        if (close == NULL || close >= end)
            return end;
        at = close + (at[1] == '/' ? 1 : 2);
    }
    return at;
}

/* Reads a name; length 0: there is none. */
static Name read_name(const char **at, const char *end)
{
    Name name = {.text = *at};
    if (*at < end && is_name_start(**at))
        while (*at < end && (is_name_start(**at) || isdigit((unsigned char)**at)))
            (*at)++;
    name.length = (size_t)(*at - name.text);
    return name;
}

/* Skips "[4][8]". */
static const char *skip_extents(const char *at, const char *end)
{
    while (at < end && *at == '[') {
        const char *close = memchr(at, ']', (size_t)(end - at));
        at = close == NULL ? end : skip_space(close + 1, end);
    }
    return at;
}

/* Skips the value of a declared variable, up to the comma or the end behind it. */
static const char *skip_value(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end && *at != ';' && (depth > 0 || *at != ','); at++)
        depth += (*at == '(' || *at == '{' || *at == '[') - (*at == ')' || *at == '}' || *at == ']');
    return at;
}

/* If a statement that begins here declares `wanted` as a local variable, says how. */
static void read_declaration(const char *at, const char *end, Name wanted, Declared *declared)
{
    static const char *const no_types[] = {"return",  "else",       "goto",   "case",         "using", "extern",
                                           "typedef", "__shared__", "static", "__constant__", "new",   "__device__"};
    Name name = read_name(&at, end), type = {0};
    if (is_one_of(name, no_types, sizeof no_types / sizeof *no_types))
        return;
    while (name.length > 0) { /* the last name in a row is the variable */
        at = skip_space(at, end);
        bool is_pointer = at < end && (*at == '*' || *at == '&');
        at = skip_space(at + is_pointer, end);
        Name next = read_name(&at, end);
        if (next.length == 0)
            break;
        type = name;
        name = next;
    }
    while (type.length > 0 && name.length > 0) {
        at = skip_space(at, end);
        bool is_array = at < end && *at == '[';
        at = skip_extents(at, end);
        bool has_end = at < end && (*at == ';' || *at == ',');
        if (name_equals(name, wanted))
            *declared = (Declared){has_end, is_array};
        at = has_end ? at : skip_value(at, end);
        if (at >= end || *at != ',')
            return;
        at = skip_space(at + 1, end);
        name = read_name(&at, end);
    }
}

/* Parameters have a value, and are no arrays. */
static void read_parameters(const char *at, const char *end, Name wanted, Declared *declared)
{
    while (at < end && *at != ')' && *at != ';' && *at != '=') {
        const Name name = read_name(&at, end);
        if (name.length > 0 && name_equals(name, wanted) && *skip_space(at, end) != '[')
            *declared = (Declared){0};
        at += name.length == 0;
    }
}

/* Does `at` begin with two names in a row? */
static bool is_declaration(const char *at, const char *end)
{
    const Name first = read_name(&at, end);
    at = skip_space(at, end);
    while (at < end && (*at == '*' || *at == '&'))
        at = skip_space(at + 1, end);
    return first.length > 0 && read_name(&at, end).length > 0;
}

/* Returns what the last declaration of the name before `end` says. */
static Declared declared_as(const char *source, const char *end, Name wanted)
{
    Declared declared = {0};
    bool is_in_parentheses = false;
    for (const char *at = skip_space(source, end); at < end; at = skip_space(at + 1, end)) {
        if (is_declaration(at, end))
            (is_in_parentheses ? read_parameters : read_declaration)(at, end, wanted, &declared);
        while (at < end && strchr(";{}()", *at) == NULL)
            at++;
        is_in_parentheses = at < end && *at == '(';
    }
    return declared;
}

static bool is_unset(const char *source, const char *end, const char *behind, Name name)
{
    return declared_as(source, end, name).is_unset;
}

static bool is_indexed_array(const char *source, const char *end, const char *behind, Name name)
{
    behind = skip_space(behind, end);
    return behind < end && *behind == '[' && declared_as(source, end, name).is_array;
}

/* The only name on the line that `is_wanted`; `behind` is what follows it there. */
static const char *only_name_on(const char *source, long line, size_t *length,
                                bool (*is_wanted)(const char *source, const char *end, const char *behind, Name name))
{
    const char *const start = text_line(source, line);
    Name found = {0};
    if (start == NULL)
        return NULL;
    const char *const end = start + strcspn(start, "\n");
    for (const char *at = start; at < end;) {
        bool is_member = at > start && (at[-1] == '.' || isdigit((unsigned char)at[-1]));
        const Name name = read_name(&at, end);
        at += name.length == 0;
        if (name.length == 0 || is_member || !is_wanted(source, end, at, name))
            continue;
        if (found.length > 0 && !name_equals(found, name))
            return NULL;
        found = name;
    }
    *length = found.length;
    return found.length > 0 ? found.text : NULL;
}

const char *unset_variable_on(const char *source, long line, size_t *length)
{
    return only_name_on(source, line, length, is_unset);
}

const char *local_array_on(const char *source, long line, size_t *length)
{
    return only_name_on(source, line, length, is_indexed_array);
}

/* ==== wording ===================================================================================================== */

enum { MAX_QUOTED = 80 };

/* The text of a line without the blanks around it; NULL: there is none. */
static const char *line_at(const char *source, long line, size_t *length)
{
    const char *start = text_line(source, line);
    if (start == NULL)
        return NULL;
    start += strspn(start, " \t\r");
    *length = strcspn(start, "\n");
    while (*length > 0 && isspace((unsigned char)start[*length - 1]))
        (*length)--;
    return *length == 0 ? NULL : start;
}

static void add_quoted(Text *out, const char *quoted, size_t length)
{
    bool is_cut = length > MAX_QUOTED;
    for (length = is_cut ? MAX_QUOTED : length; is_cut && length > 0 && (quoted[length] & 0xC0) == 0x80;)
        length--; /* never cuts a UTF-8 character in two */
    text_add(out, ": `");
    text_append(out, quoted, length);
    text_add(out, is_cut ? "...`" : "`");
}

/* A place is "(FILE:LINE)". */
static void add_with_lines(Text *out, const char *message, const Submission *submission)
{
    const char *name = submission->file_name;
    while (*message != '\0') {
        size_t length = strlen(name);
        bool is_place = *message == '(' && strncmp(message + 1, name, length) == 0 && message[1 + length] == ':';
        if (!is_place) {
            text_append(out, message++, 1);
            continue;
        }
        char *end;
        long line = strtol(message + length + 2, &end, 10);
        const char *quoted = *end == ')' ? line_at(submission->source.data, line, &length) : NULL;
        text_append(out, message, (size_t)(end - message));
        if (quoted != NULL)
            add_quoted(out, quoted, length);
        message = end;
    }
}

/* Replaces the name under which the compiler knew the source. */
static void add_own_name(Text *out, const char *message, const char *file_name)
{
    const char *found;
    while ((found = strstr(message, COMPILE_SOURCE_NAME)) != NULL) {
        text_append(out, message, (size_t)(found - message));
        text_add(out, file_name);
        message = found + strlen(COMPILE_SOURCE_NAME);
    }
    text_add(out, message);
}

/* A part of a message without a name, because the simulated GPU does not know it, and the words that name it if the
 * line shows which one it is. */
typedef struct Unnamed {
    const char *words, *before, *behind; /* "uses a variable before" becomes "uses 'sum' before" */
    const char *(*name_on)(const char *source, long line, size_t *length);
} Unnamed;

static const Unnamed unnamed[] = {{"uses a variable before", "uses ", " before", unset_variable_on},
                                  {"of a local array", "of local array ", "", local_array_on}};

static void add_with_variable(Text *out, const char *message, const Submission *submission, long line)
{
    for (size_t i = 0; i < sizeof unnamed / sizeof *unnamed; i++) {
        const Unnamed *one = &unnamed[i];
        const char *found = strstr(message, one->words);
        size_t length;
        const char *name = found == NULL || submission->source.data == NULL
                               ? NULL
                               : one->name_on(submission->source.data, line, &length);
        if (name == NULL)
            continue;
        text_append(out, message, (size_t)(found - message));
        text_printf(out, "%s'%.*s'%s%s", one->before, (int)(length < MAX_QUOTED ? length : MAX_QUOTED), name,
                    one->behind, found + strlen(one->words));
        return;
    }
    text_add(out, message);
}

/* Names the parameter in "kernel blur: block ... of an allocation of 100 bytes (parameter 2)". */
static void add_with_parameter(Text *out, const char *message, const Submission *submission)
{
    static const char kernel_is[] = "kernel ", parameter_is[] = " (parameter ";
    char kernel[MISTAKE_NAME_BYTES] = "", name[MISTAKE_NAME_BYTES];
    const char *at = strstr(message, kernel_is), *found = strstr(message, parameter_is);
    size_t length = at == NULL ? 0 : strcspn(at + strlen(kernel_is), " ");
    if (length > 1 && length <= sizeof kernel)
        snprintf(kernel, length, "%s", at + strlen(kernel_is)); /* without the colon behind it */
    uint32_t number = found == NULL ? 0 : (uint32_t)strtoul(found + strlen(parameter_is), NULL, 10);
    if (submission->source.data == NULL ||
        !array_name_of_parameter(submission->source.data, kernel, number, name, sizeof name)) {
        text_add(out, message);
        return;
    }
    found += strcspn(found, ")");
    text_append(out, message, (size_t)(found - message));
    text_printf(out, ", '%s'%s", name, found);
}

long wording_line(const char *message, const char *file_name)
{
    size_t length = strlen(file_name);
    for (const char *at = message; (at = strstr(at, file_name)) != NULL; at += length)
        if (at > message && at[-1] == '(' && at[length] == ':')
            return strtol(at + length + 1, NULL, 10);
    return 0;
}

static const char *text_of(const Text *text)
{
    return text->data == NULL ? "" : text->data;
}

void wording_add(Text *out, const Submission *submission, const char *message)
{
    Text own = {0}, parameter = {0}, named = {0};
    add_own_name(&own, message, submission->file_name);
    add_with_parameter(&parameter, text_of(&own), submission);
    add_with_variable(&named, text_of(&parameter), submission,
                      wording_line(text_of(&parameter), submission->file_name));
    add_with_lines(out, text_of(&named), submission);
    text_free(&own);
    text_free(&parameter);
    text_free(&named);
}

/* Leaves the array and the call a name only if it may be told. */
static void choose_name(Mistake *mistake, const char *source)
{
    char *name = mistake->array;
    if (source == NULL || !call_name_may_be_told(source, mistake->call))
        mistake->call[0] = '\0';
    if (source != NULL && array_name_may_be_told(source, name))
        return;
    if (source == NULL ||
        !array_name_of_parameter(source, mistake->kernel, mistake->parameter, name, sizeof mistake->array) ||
        !array_name_may_be_told(source, name))
        name[0] = '\0';
}

/* Adds the judge's own words for the kind of mistake, with the name of the array if it may be told, and its place. */
static void wording_add_mistake(Text *out, const Submission *submission, Mistake mistake)
{
    Text words = {0};
    choose_name(&mistake, submission->source.data);
    mistake_add(&words, &mistake);
    add_with_variable(out, text_of(&words), submission, mistake.line);
    text_free(&words);
    wording_add_place(out, submission, mistake.line);
}

void wording_add_place(Text *out, const Submission *submission, long line)
{
    size_t length;
    const char *quoted = line_at(submission->source.data, line, &length);
    if (quoted == NULL)
        return;
    text_printf(out, " (%s:%ld", submission->file_name, line);
    add_quoted(out, quoted, length);
    text_add(out, ")");
}

/* ==== hidden finding ============================================================================================== */

/* Adds what is known of the output, and what stands between that and the mistake. */
static void add_output(Text *out, const HiddenFinding *finding)
{
    const char *nature = wrong_nature_words(finding->output.nature);
    text_add(out, wrong_place_words(finding->output.place));
    if (nature[0] != '\0')
        text_printf(out, ": %s", nature);
    if (finding->output.place != WRONG_PLACE_NOWHERE && finding->mistake.kind != MISTAKE_NONE)
        text_add(out, "; ");
}

static Mistake mistake_of(const HiddenFinding *finding)
{
    Mistake mistake = finding->mistake;
    if (finding->output.place == WRONG_PLACE_NOWHERE && mistake.kind == MISTAKE_NONE)
        mistake.kind = MISTAKE_OTHER;
    return mistake;
}

void hidden_finding_add(Text *out, const HiddenFinding *finding, const Submission *submission)
{
    add_output(out, finding);
    wording_add_mistake(out, submission, mistake_of(finding));
    if (finding->also != MISTAKE_NONE && finding->also != finding->mistake.kind)
        text_printf(out, "; also: %s", mistake_words(finding->also));
}

void hidden_finding_add_kind(Text *out, const HiddenFinding *finding)
{
    add_output(out, finding);
    text_add(out, mistake_words(mistake_of(finding).kind));
}

double hidden_error(double max_error)
{
    return max_error > 0 && max_error <= HIDDEN_LARGEST_ERROR ? fmax(checker_coarse(max_error), HIDDEN_LEAST_ERROR) : 0;
}

/* ==== hidden duration ============================================================================================= */

static const double LEAST_S = 0.25;

double hidden_duration(double seconds)
{
    double shown_s = LEAST_S;
    while (shown_s < seconds)
        shown_s *= 2;
    return shown_s;
}

double hidden_duration_extended(double seconds, double more_s)
{
    double shown_s = hidden_duration(seconds);
    const double most_s = shown_s + more_s;
    while (2 * shown_s <= most_s)
        shown_s *= 2;
    return shown_s;
}

double hidden_duration_wait(double start_s)
{
    const double shown_s = hidden_duration(now_s() - start_s);
    for (double left_s; (left_s = start_s + shown_s - now_s()) > 0;) {
        const struct timespec left = {.tv_sec = (time_t)left_s,
                                      .tv_nsec = (long)(1e9 * (left_s - (double)(time_t)left_s))};
        nanosleep(&left, NULL);
    }
    return shown_s;
}
