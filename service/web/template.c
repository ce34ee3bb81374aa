#include "service/web/template.h"

#include "base/html.h"
#include "leaderboard/database.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The assembler includes the files, relative to the folder that make runs in. C has no #embed before C23. */
#define PAGES(X) X(site) X(admin) X(class) X(problem) X(submission)
#define EMBEDDED(NAME)                                                                                                 \
    __asm__(".section .rodata\n" #NAME "_html:\n.incbin \"service/web/pages/" #NAME ".html\"\n.byte 0\n.previous\n");  \
    extern const char NAME##_html[] __attribute__((visibility("hidden")));
PAGES(EMBEDDED)

static const struct PagesFile {
    const char *name, *text;
} files[] = {
#define FILE_OF(NAME) {#NAME ".html", NAME##_html},
    PAGES(FILE_OF)};

typedef struct Rendering {
    Text *page;
    cJSON *root;
    const char *file, *start; /* of the template that is shown now; its first byte, for line numbers */
    bool is_check;            /* without values: every branch is looked at */
} Rendering;

typedef struct TemplateScope {
    const cJSON *value;
    size_t number; /* of the item; 0: none */
} TemplateScope;

__attribute__((format(printf, 3, 4))) static void fault(Rendering *rendering, const char *at, const char *format, ...)
{
    Text words = {0};
    va_list arguments;
    int line = 1;
    for (const char *c = rendering->start; c < at; c++)
        line += *c == '\n';
    va_start(arguments, format);
    text_vprintf(&words, format, arguments);
    va_end(arguments);
    html_add(rendering->page, "[%s:%d: %s]\n", rendering->file, line, words.data);
    text_free(&words);
}

/* ==== tags ======================================================================================================== */

typedef enum TagKind { TAG_VALUE, TAG_RAW, TAG_REMARK, TAG_PART, TAG_ELSE, TAG_OPEN, TAG_CLOSE } TagKind;

typedef struct Tag {
    TagKind kind;
    const char *begin, *end;  /* with its braces, or with its line where it stands alone */
    char word[16];            /* "each" */
    char name[80], rest[400]; /* "rows", "200" */
} Tag;

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " ");
}

/* The next word of a tag, up to a space. */
static const char *take_word(const char *at, const char *end, char *word, size_t size)
{
    size_t length = 0;
    for (at = skip_spaces(at); at < end && *at != ' '; at++)
        if (length + 1 < size)
            word[length++] = *at;
    word[length] = '\0';
    return at < end ? skip_spaces(at) : end;
}

/* Takes the line of a tag that has it for itself. */
static void take_line(Tag *tag, const char *text)
{
    const char *begin = tag->begin, *end = skip_spaces(tag->end);
    while (begin > text && begin[-1] == ' ')
        begin--;
    if ((begin == text || begin[-1] == '\n') && *end == '\n') {
        tag->begin = begin;
        tag->end = end + 1;
    }
}

/* False: there is none before `end`. */
static bool next_tag(const char *text, const char *at, const char *end, Tag *tag)
{
    static const struct {
        char sign;
        TagKind kind;
    } kinds[] = {{'{', TAG_RAW}, {'!', TAG_REMARK}, {'>', TAG_PART}, {'#', TAG_OPEN}, {'/', TAG_CLOSE}};
    const char *open = strstr(at, "{{"), *close = open == NULL ? NULL : strstr(open, "}}");
    if (close == NULL || close >= end)
        return false;
    if (open[2] == '#' && close[2] == '}') /* {{#table a|{b}}} */
        close++;
    *tag = (Tag){.kind = TAG_VALUE, .begin = open, .end = close + 2};
    const char *inside = open + 2;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (*inside == kinds[i].sign)
            tag->kind = kinds[i].kind;
    inside += tag->kind != TAG_VALUE;
    if (tag->kind == TAG_RAW)
        tag->end++; /* the third brace */
    if (tag->kind == TAG_OPEN || tag->kind == TAG_CLOSE)
        inside = take_word(inside, close, tag->word, sizeof tag->word);
    if (strcmp(tag->word, "table") != 0 && strcmp(tag->word, "wide") != 0) /* those have no name */
        inside = take_word(inside, close, tag->name, sizeof tag->name);
    snprintf(tag->rest, sizeof tag->rest, "%.*s", (int)(close - inside), inside);
    if (tag->kind == TAG_VALUE && strcmp(tag->name, "else") == 0)
        tag->kind = TAG_ELSE;
    if (tag->kind != TAG_VALUE && tag->kind != TAG_RAW)
        take_line(tag, text);
    return true;
}

typedef struct Block { /* what stands between a tag and its end */
    const char *begin, *end;
    const char *or_begin, *or_end; /* behind the {{else}}; the same: there is none */
    const char *after;
} Block;

static bool block_of(Rendering *rendering, const Tag *open, const char *end, Block *block)
{
    Tag tag;
    int depth = 0;
    *block = (Block){.begin = open->end};
    for (const char *at = open->end; next_tag(rendering->start, at, end, &tag); at = tag.end) {
        if (tag.kind == TAG_ELSE && depth == 0) {
            block->end = tag.begin;
            block->or_begin = tag.end;
        }
        depth += tag.kind == TAG_OPEN ? 1 : tag.kind == TAG_CLOSE ? -1 : 0;
        if (depth >= 0)
            continue;
        if (strcmp(tag.word, open->word) != 0)
            fault(rendering, tag.begin, "{{/%s}} ends {{#%s}}", tag.word, open->word);
        block->after = tag.end;
        block->or_end = tag.begin;
        if (block->or_begin == NULL)
            block->end = block->or_begin = tag.begin;
        return true;
    }
    fault(rendering, open->begin, "{{#%s}} has no end", open->word);
    return false;
}

/* ==== names ======================================================================================================= */

/* The value of a name as it stands in a tag, "a.b?|filter"; NULL: there is none, which is a fault unless the name says that it may be so. */
static const cJSON *find(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const char *name,
                         Filtered *filtered)
{
    const char *at = name;
    const size_t length = strcspn(name, "?|");
    *filtered = (Filtered){.value = scope->value, .root = rendering->root};
    while (at < name + length && filtered->value != NULL) {
        char part[80];
        const size_t size = strcspn(at, ".?|");
        snprintf(part, sizeof part, "%.*s", (int)size, at);
        filtered->holder = filtered->value;
        if (strcmp(part, "root") == 0)
            filtered->value = rendering->root;
        else if (strcmp(part, "this") != 0)
            filtered->value = cJSON_GetObjectItemCaseSensitive(filtered->value, part);
        at += size + (at[size] == '.');
    }
    if (filtered->value == NULL && name[length] != '?' && !rendering->is_check)
        fault(rendering, tag->begin, "{{%s}} has no value", name);
    return filtered->value;
}

static bool is_true(const cJSON *value)
{
    if (cJSON_IsNumber(value))
        return value->valuedouble != 0 && !isnan(value->valuedouble);
    if (cJSON_IsString(value) || cJSON_IsRaw(value))
        return value->valuestring[0] != '\0';
    return cJSON_IsTrue(value) || cJSON_IsObject(value) || cJSON_GetArraySize(value) > 0;
}

/* NULL: the tag names none. */
static const Filter *filter_of(Rendering *rendering, const Tag *tag)
{
    const char *name = strchr(tag->name, '|');
    for (const Filter *filter = template_filters; name != NULL && filter->name != NULL; filter++)
        if (strcmp(filter->name, name + 1) == 0)
            return filter;
    if (name != NULL)
        fault(rendering, tag->begin, "there is no filter %s", name + 1);
    return NULL;
}

/* Whether a value stands inside of "<...>" and not in double quotes. */
static bool is_bare(const Rendering *rendering, const char *at)
{
    bool is_quoted = false;
    while (at > rendering->start && *--at != '<' && *at != '>')
        is_quoted ^= *at == '"';
    return *at == '<' && !is_quoted;
}

static void add_value(Rendering *rendering, const TemplateScope *scope, const Tag *tag)
{
    Filtered filtered;
    const Filter *filter = filter_of(rendering, tag);
    if (rendering->is_check && is_bare(rendering, tag->begin))
        fault(rendering, tag->begin, "an attribute stands within double quotes");
    if (rendering->is_check)
        return;
    if (strcmp(tag->name, "loop") == 0) {
        html_add(rendering->page, "%zu", scope->number);
        return;
    }
    const cJSON *value = find(rendering, scope, tag, tag->name, &filtered);
    if (value == NULL && strchr(tag->name, '?') == NULL)
        return;
    if (cJSON_IsRaw(value) != (tag->kind == TAG_RAW))
        fault(rendering, tag->begin, tag->kind == TAG_RAW ? "{{%s}} is no markup" : "{{%s}} is markup", tag->name);
    else if (tag->kind == TAG_RAW)
        html_raw(rendering->page, value->valuestring);
    else if (filter != NULL && !cJSON_IsNull(value))
        filter->add(rendering->page, &filtered);
    else if (cJSON_IsObject(value) || cJSON_IsArray(value))
        fault(rendering, tag->begin, "{{%s}} is no single value", tag->name);
    else if (cJSON_IsNumber(value))
        html_add(rendering->page, "%.15g", value->valuedouble);
    else if (cJSON_IsString(value))
        html_text(rendering->page, value->valuestring);
}

/* ==== blocks ====================================================================================================== */

static void render(Rendering *rendering, const char *at, const char *end, const TemplateScope *scope);

static const cJSON *value_of(Rendering *rendering, const TemplateScope *scope, const Tag *tag)
{
    Filtered filtered;
    return find(rendering, scope, tag, tag->name + (tag->name[0] == '!'), &filtered);
}

/* The text before the {{else}}, or the text after it. */
static void render_branch(Rendering *rendering, const TemplateScope *scope, const Block *block, bool is_first)
{
    render(rendering, is_first ? block->begin : block->or_begin, is_first ? block->end : block->or_end, scope);
}

static void render_if(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const Block *block)
{
    const char *other = tag->rest[0] == '=' ? skip_spaces(tag->rest + 1) : NULL;
    const bool is_loop = strcmp(tag->name, "loop") == 0;
    const cJSON *value = is_loop ? NULL : value_of(rendering, scope, tag);
    bool holds = is_true(value) != (tag->name[0] == '!');
    if (other != NULL && (is_loop || cJSON_IsNumber(value)))
        holds = strtod(other, NULL) == (is_loop ? (double)scope->number : value->valuedouble);
    else if (other != NULL)
        holds = cJSON_IsString(value) && strcmp(value->valuestring, other) == 0;
    render_branch(rendering, scope, block, holds);
}

static void render_each(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const Block *block)
{
    const cJSON *item, *list = value_of(rendering, scope, tag);
    const size_t most = tag->rest[0] == '\0' ? SIZE_MAX : strtoul(tag->rest, NULL, 10);
    size_t number = 0;
    cJSON_ArrayForEach(item, list)
    {
        if (number == most)
            return;
        render_branch(rendering, &(TemplateScope){item, ++number}, block, true);
    }
    if (number == 0)
        render_branch(rendering, scope, block, false);
}

static void render_more(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const Block *block)
{
    cJSON *left = cJSON_CreateNumber(cJSON_GetArraySize(value_of(rendering, scope, tag)) - strtod(tag->rest, NULL));
    if (left->valuedouble > 0)
        render_branch(rendering, &(TemplateScope){left, 0}, block, true);
    cJSON_Delete(left);
}

static void render_with(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const Block *block)
{
    const cJSON *value = value_of(rendering, scope, tag);
    const TemplateScope inner = {value, 0};
    render_branch(rendering, is_true(value) ? &inner : scope, block, is_true(value));
}

/* "Case {name}" with the value. */
static void add_expanded(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const char *at,
                         size_t length)
{
    for (const char *end = at + length; at < end;) {
        char name[80];
        Filtered filtered;
        const size_t plain = strcspn(at, "{"), size = strcspn(at, "}");
        html_bytes(rendering->page, at, at + plain < end ? plain : (size_t)(end - at));
        if (at + plain >= end)
            return;
        snprintf(name, sizeof name, "%.*s", (int)(size - plain - 1), at + plain + 1);
        const cJSON *value = find(rendering, scope, tag, name, &filtered);
        html_text(rendering->page, cJSON_IsString(value) ? value->valuestring : "");
        at += size + 1;
    }
}

static void add_head(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const char *head, size_t length)
{
    const bool is_number = head[0] == '>', is_spare = head[is_number] == '-';
    const size_t signs = is_number + is_spare;
    html_raw(rendering->page, "<th scope=\"col\"");
    if (signs > 0)
        html_add(rendering->page, " class=\"%s%s%s\"", is_number ? "number" : "", signs == 2 ? " " : "",
                 is_spare ? "spare" : "");
    html_raw(rendering->page, ">");
    add_expanded(rendering, scope, tag, head + signs, length - signs);
    html_raw(rendering->page, "</th>");
}

static void render_table(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const Block *block)
{
    size_t length = strcspn(tag->rest, "|");
    html_raw(rendering->page, "<div class=\"scroll\" role=\"group\" aria-label=\"");
    add_expanded(rendering, scope, tag, tag->rest, length);
    html_add(rendering->page, "\" tabindex=\"0\">\n<table class=\"%s\">\n<thead><tr>",
             strcmp(tag->word, "wide") == 0 ? "wide" : "plain");
    for (const char *head = tag->rest + length; *head == '|'; head += length) {
        length = strcspn(++head, "|");
        add_head(rendering, scope, tag, head, length);
    }
    html_raw(rendering->page, "</tr></thead>\n<tbody>\n");
    render_branch(rendering, scope, block, true);
    html_raw(rendering->page, "</tbody>\n</table>\n</div>\n");
}

static void render_set(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const Block *block)
{
    Text markup = {0}, *page = rendering->page;
    rendering->page = &markup;
    render(rendering, block->begin, block->end, scope);
    rendering->page = page;
    cJSON_DeleteItemFromObjectCaseSensitive(rendering->root, tag->name);
    values_markup(rendering->root, tag->name, &markup);
}

static const struct BlockKind {
    const char *word;
    void (*render)(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const Block *block);
} block_kinds[] = {{"if", render_if},   {"each", render_each},   {"more", render_more}, {"with", render_with},
                   {"set", render_set}, {"table", render_table}, {"wide", render_table}};

/* A check looks at both branches. */
static void render_block(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const Block *block)
{
    const struct BlockKind *kind = NULL;
    for (size_t i = 0; i < sizeof block_kinds / sizeof *block_kinds; i++)
        if (strcmp(block_kinds[i].word, tag->word) == 0)
            kind = &block_kinds[i];
    if (kind == NULL)
        fault(rendering, tag->begin, "there is no {{#%s}}", tag->word);
    else if (kind->render == render_table && strchr(tag->rest, '|') == NULL)
        fault(rendering, tag->begin, "a table has heads");
    else if (!rendering->is_check)
        kind->render(rendering, scope, tag, block);
    if (rendering->is_check) {
        render_branch(rendering, scope, block, true);
        render_branch(rendering, scope, block, false);
    }
}

/* ==== templates =================================================================================================== */

typedef struct Definition { /* {{#page name}} */
    char name[80];
    const struct PagesFile *file;
    const char *begin, *end;
} Definition;

static Definition definitions[80];
static size_t definition_count;

/* Once: what stands outside of pages is a fault on `page`. */
static void index_files(Text *page)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        Rendering rendering = {.page = page, .file = files[i].name, .start = files[i].text};
        Tag tag;
        Block block;
        const char *end = files[i].text + strlen(files[i].text);
        for (const char *at = files[i].text; next_tag(files[i].text, at, end, &tag); at = block.after) {
            block.after = tag.end;
            if (tag.kind == TAG_REMARK)
                continue;
            if (tag.kind != TAG_OPEN || strcmp(tag.word, "page") != 0 ||
                definition_count == sizeof definitions / sizeof *definitions)
                fault(&rendering, tag.begin, "expected {{#page}}");
            else if (block_of(&rendering, &tag, end, &block)) {
                Definition *definition = &definitions[definition_count++];
                *definition = (Definition){.file = &files[i], .begin = block.begin, .end = block.end};
                snprintf(definition->name, sizeof definition->name, "%s", tag.name);
            }
        }
    }
}

/* NULL: there is none of this name. */
static const Definition *definition_of(Text *page, const char *name)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_at_a_time);
    if (definition_count == 0)
        index_files(page);
    pthread_mutex_unlock(&one_at_a_time);
    for (size_t i = 0; i < definition_count; i++)
        if (strcmp(definitions[i].name, name) == 0)
            return &definitions[i];
    return NULL;
}

static void render_definition(Rendering rendering, const Definition *definition, const TemplateScope *scope)
{
    rendering.file = definition->file->name;
    rendering.start = definition->file->text;
    render(&rendering, definition->begin, definition->end, scope);
}

static void render_part(Rendering *rendering, const TemplateScope *scope, const Tag *tag)
{
    TemplateScope inner = *scope;
    Filtered filtered;
    const Definition *part = definition_of(rendering->page, tag->name);
    if (part == NULL)
        fault(rendering, tag->begin, "there is no page %s", tag->name);
    if (part == NULL || rendering->is_check)
        return;
    if (tag->rest[0] != '\0')
        inner.value = find(rendering, scope, tag, tag->rest, &filtered);
    if (inner.value != NULL)
        render_definition(*rendering, part, &inner);
}

/* Without the indentation of lines. */
static void add_markup(Rendering *rendering, const char *at, const char *end)
{
    while (at < end) {
        if (at == rendering->start || at[-1] == '\n')
            at = skip_spaces(at);
        const char *line = at;
        while (at < end && *at++ != '\n')
            ;
        if (at > line)
            text_append(rendering->page, line, (size_t)(at - line));
    }
}

static void render(Rendering *rendering, const char *at, const char *end, const TemplateScope *scope)
{
    Tag tag;
    Block block;
    for (; next_tag(rendering->start, at, end, &tag); at = tag.end) {
        add_markup(rendering, at, tag.begin);
        if (tag.kind == TAG_VALUE || tag.kind == TAG_RAW)
            add_value(rendering, scope, &tag);
        else if (tag.kind == TAG_PART)
            render_part(rendering, scope, &tag);
        else if (tag.kind == TAG_CLOSE || tag.kind == TAG_ELSE)
            fault(rendering, tag.begin, "nothing that {{%s}} could belong to",
                  tag.kind == TAG_ELSE ? "else" : tag.word);
        else if (tag.kind == TAG_OPEN && !block_of(rendering, &tag, end, &block))
            return;
        if (tag.kind == TAG_OPEN) {
            render_block(rendering, scope, &tag, &block);
            tag.end = block.after;
        }
    }
    add_markup(rendering, at, end);
}

/* ---- values without a name --------------------------------------------------------------------------------------- */

/* Adds the insides of all tags of a template and of its parts. */
static void add_names(Text *names, const Definition *definition, size_t depth)
{
    Tag tag;
    for (const char *at = definition->begin; next_tag(definition->file->text, at, definition->end, &tag);
         at = tag.end) {
        const Definition *part = tag.kind == TAG_PART && depth < 5 ? definition_of(names, tag.name) : NULL;
        text_printf(names, "%s %s\n", tag.name, tag.rest);
        if (part != NULL)
            add_names(names, part, depth + 1);
    }
}

/* Documents that others wrote are references, and may hold more than a page shows. */
static void check_names(Text *page, const char *template, const Text *names, const cJSON *values)
{
    const cJSON *value;
    cJSON_ArrayForEach(value, values)
    {
        if (value->string != NULL && strcmp(value->string, "uncertainty") != 0 &&
            strcmp(value->string, "model_terms") != 0 &&
            strcmp(value->string, "model_factor") != 0 && /* of |measured */
            text_find_word(names->data, value->string) == NULL)
            html_add(page, "[%s: nothing shows the value %s]\n", template, value->string);
        if ((value->type & cJSON_IsReference) == 0)
            check_names(page, template, names, value);
        if (cJSON_IsObject(value) && cJSON_IsArray(values)) /* the others have the same names */
            return;
    }
}

void template_show(Text *page, const char *name, cJSON *values)
{
    const Definition *definition = definition_of(page, name);
    Rendering rendering = {.page = page, .root = values, .file = name, .start = ""};
    Text names = {0};
    if (definition == NULL) {
        fault(&rendering, "", "there is no such page");
        return;
    }
    render_definition(rendering, definition, &(TemplateScope){values, 0});
    add_names(&names, definition, 0);
    check_names(page, name, &names, values);
    text_free(&names);
}

/* ---- for tests --------------------------------------------------------------------------------------------------- */

void template_check(Text *faults)
{
    const TemplateScope nothing = {0};
    definition_of(faults, "");
    for (size_t i = 0; i < definition_count; i++) {
        Text page = {0};
        const Rendering rendering = {.page = &page, .is_check = true};
        const char *found;
        render_definition(rendering, &definitions[i], &nothing);
        if (page.data != NULL && (found = strstr(page.data, ".html:")) != NULL)
            text_printf(faults, "%s\n", found);
        text_free(&page);
    }
}

void template_try(Text *page, const char *markup, cJSON *values)
{
    Rendering rendering = {
        .page = page, .root = values, .file = "test.html", .start = markup, .is_check = values == NULL};
    render(&rendering, markup, markup + strlen(markup), &(TemplateScope){values, 0});
}

/* ==== values ====================================================================================================== */

/* One "name=%d"; what follows it. */
static const char *put_one(cJSON *object, const char *at, va_list *arguments)
{
    char name[40], conversion[24], text[400];
    const size_t name_length = strcspn(at, "="), length = strcspn(at + name_length + 1, " ");
    snprintf(name, sizeof name, "%.*s", (int)name_length, at);
    snprintf(conversion, sizeof conversion, "%.*s", (int)length, at + name_length + 1);
    const char kind = conversion[length - 1];
    if (kind == 's') {
        const char *string = va_arg(*arguments, const char *);
        cJSON_AddItemToObject(object, name, string == NULL ? cJSON_CreateNull() : cJSON_CreateString(string));
    } else if (kind == 'd' || kind == 'u') {
        const bool is_long = strchr(conversion, 'l') != NULL || strchr(conversion, 'z') != NULL;
        const int64_t number = is_long ? va_arg(*arguments, int64_t) : va_arg(*arguments, int);
        cJSON_AddNumberToObject(object, name, (double)number);
    } else if (strcmp(conversion, "%g") == 0) {
        cJSON_AddNumberToObject(object, name, va_arg(*arguments, double));
    } else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, sizeof text, conversion, va_arg(*arguments, double));
#pragma GCC diagnostic pop
        cJSON_AddStringToObject(object, name, text);
    }
    return skip_spaces(at + name_length + 1 + length);
}

void values_put(cJSON *object, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    while (*format != '\0')
        format = put_one(object, format, &arguments);
    va_end(arguments);
}

void values_time(cJSON *object, MeasuredTime time)
{
    values_put(object, "time_ms=%g uncertainty=%g", time.ms, time.uncertainty);
    if (time.model[0] != '\0')
        values_put(object, "model_terms=%s", time.model);
}

void values_markup(cJSON *object, const char *name, Text *markup)
{
    cJSON_AddRawToObject(object, name, markup->length == 0 ? "" : markup->data);
    text_free(markup);
}

cJSON *values_row(cJSON *list)
{
    cJSON *row = cJSON_CreateObject();
    cJSON_AddItemToArray(list, row);
    return row;
}

static void take_object(Arena *arena, sqlite3_stmt *row, void *item)
{
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const char *name = sqlite3_column_name(row, i);
        switch (sqlite3_column_type(row, i)) { /* before it is taken as a text, which changes it */
        case SQLITE_NULL: cJSON_AddNullToObject(object, name); break;
        case SQLITE_TEXT: cJSON_AddStringToObject(object, name, (const char *)sqlite3_column_text(row, i)); break;
        default: cJSON_AddNumberToObject(object, name, sqlite3_column_double(row, i));
        }
    }
    *(cJSON **)item = object;
}

Status values_query(Store *store, cJSON *list, Message *why, const char *sql, const char *types, ...)
{
    Arena arena = {0};
    Rows rows = {.arena = &arena, .item_bytes = sizeof(cJSON *)};
    va_list parameters;
    va_start(parameters, types);
    Status status = database_vquery(store, &rows, take_object, why, sql, types, parameters);
    va_end(parameters);
    for (size_t i = 0; i < rows.count; i++)
        cJSON_AddItemToArray(list, ((cJSON **)(void *)rows.items)[i]);
    arena_free(&arena);
    return status;
}
