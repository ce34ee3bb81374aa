#include "service/web/template.h"

#include "base/arena.h"
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

typedef enum TagKind { TAG_VALUE, TAG_RAW, TAG_REMARK, TAG_PART, TAG_ELSE, TAG_OPEN, TAG_CLOSE } TagKind;

typedef struct Tag {
    TagKind kind;
    const char *begin, *end; /* with its braces, or with its line where it stands alone */
    const char *word;        /* "each" */
    const char *name, *rest; /* "rows", "200" */
    const Filter *filter;    /* NULL: the name has none; without a name itself: an unknown one */
    size_t other, close;     /* of an opening tag, the numbers of its {{else}} and of its end; 0: there is none */
} Tag;

typedef struct Template {    /* a file, taken apart once */
    const char *name, *text; /* without the indentation of lines */
    Tag *tags;
    size_t count, capacity;
    Arena arena;
} Template;

typedef struct Rendering {
    Text *page;
    cJSON *root;
    const Template *template; /* that is shown now */
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
    for (const char *c = rendering->template->text; c < at; c++)
        line += *c == '\n';
    va_start(arguments, format);
    text_vprintf(&words, format, arguments);
    va_end(arguments);
    html_add(rendering->page, "[%s:%d: %s]\n", rendering->template->name, line, words.data);
    text_free(&words);
}

/* ==== tags ======================================================================================================== */

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " ");
}

/* The next word of a tag, up to a space. */
static const char *take_word(const char **at, const char *end, Arena *arena)
{
    const char *begin = skip_spaces(*at), *stop = begin;
    while (stop < end && *stop != ' ')
        stop++;
    *at = stop < end ? skip_spaces(stop) : end;
    return arena_copy(arena, begin, begin < stop ? (size_t)(stop - begin) : 0);
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

/* The filter of a name, "received|moment". */
static const Filter *filter_of(const char *name)
{
    const char *bar = strchr(name, '|');
    const Filter *filter = bar == NULL ? NULL : template_filters;
    while (filter != NULL && filter->name != NULL && strcmp(filter->name, bar + 1) != 0)
        filter++;
    return filter;
}

/* False: there is none any more. */
static bool next_tag(const char *text, const char *at, Arena *arena, Tag *tag)
{
    static const struct {
        char sign;
        TagKind kind;
    } kinds[] = {{'{', TAG_RAW}, {'!', TAG_REMARK}, {'>', TAG_PART}, {'#', TAG_OPEN}, {'/', TAG_CLOSE}};
    const char *open = strstr(at, "{{"), *close = open == NULL ? NULL : strstr(open, "}}");
    if (close == NULL)
        return false;
    if (open[2] == '#' && close[2] == '}') /* {{#table a|{b}}} */
        close++;
    *tag = (Tag){.kind = TAG_VALUE, .begin = open, .end = close + 2, .word = "", .name = ""};
    const char *inside = open + 2;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (*inside == kinds[i].sign)
            tag->kind = kinds[i].kind;
    inside += tag->kind != TAG_VALUE;
    if (tag->kind == TAG_RAW)
        tag->end++; /* the third brace */
    if (tag->kind == TAG_OPEN || tag->kind == TAG_CLOSE)
        tag->word = take_word(&inside, close, arena);
    if (strcmp(tag->word, "table") != 0 && strcmp(tag->word, "wide") != 0) /* those have no name */
        tag->name = take_word(&inside, close, arena);
    tag->rest = arena_copy(arena, inside, (size_t)(close - inside));
    tag->filter = filter_of(tag->name);
    if (tag->kind == TAG_VALUE && strcmp(tag->name, "else") == 0)
        tag->kind = TAG_ELSE;
    if (tag->kind != TAG_VALUE && tag->kind != TAG_RAW)
        take_line(tag, text);
    return true;
}

static const char *without_indentation(const char *markup, Arena *arena)
{
    char *text = arena_string(arena, markup), *to = text;
    for (const char *at = skip_spaces(markup); *at != '\0'; at = at[0] == '\n' ? skip_spaces(at + 1) : at + 1)
        *to++ = *at;
    *to = '\0';
    return text;
}

/* Finds all tags, and the end of each block. */
static Template take_apart(const char *name, const char *markup)
{
    enum { DEPTH = 32 };
    Template template = {.name = name};
    Tag tag;
    size_t open[DEPTH], depth = 0;
    template.text = without_indentation(markup, &template.arena);
    for (const char *at = template.text; next_tag(template.text, at, &template.arena, &tag); at = tag.end) {
        const size_t number = template.count++;
        template.tags = arena_grown(&template.arena, template.tags, number, &template.capacity, sizeof tag);
        template.tags[number] = tag;
        if (tag.kind == TAG_OPEN && depth < DEPTH)
            open[depth++] = number;
        else if (tag.kind == TAG_ELSE && depth > 0)
            template.tags[open[depth - 1]].other = number;
        else if (tag.kind == TAG_CLOSE && depth > 0)
            template.tags[open[--depth]].close = number;
    }
    return template;
}

typedef struct Span { /* of a template: its text, and its tags */
    const char *begin, *end;
    size_t first, last; /* the last one not included */
} Span;

typedef struct Block { /* what stands between a tag and its {{else}}, and between that and the tag's end */
    Span yes, no;
} Block;

static bool block_of(Rendering *rendering, size_t open, Block *block)
{
    const Tag *tags = rendering->template->tags, *tag = &tags[open];
    const size_t close = tag->close, other = tag->other == 0 ? close : tag->other;
    if (close == 0) {
        fault(rendering, tag->begin, "{{#%s}} has no end", tag->word);
        return false;
    }
    if (strcmp(tags[close].word, tag->word) != 0)
        fault(rendering, tags[close].begin, "{{/%s}} ends {{#%s}}", tags[close].word, tag->word);
    const bool has_other = other != close;
    *block = (Block){
        .yes = {tag->end, tags[other].begin, open + 1, other},
        .no = {has_other ? tags[other].end : tags[close].begin, tags[close].begin, other + has_other, close}};
    return true;
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
        memcpy(part, at, size < sizeof part ? size : sizeof part - 1);
        part[size < sizeof part ? size : sizeof part - 1] = '\0';
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

/* Whether a value stands inside of "<...>" and not in double quotes. */
static bool is_bare(const Rendering *rendering, const char *at)
{
    bool is_quoted = false;
    while (at > rendering->template->text && *--at != '<' && *at != '>')
        is_quoted ^= *at == '"';
    return *at == '<' && !is_quoted;
}

static void add_value(Rendering *rendering, const TemplateScope *scope, const Tag *tag)
{
    Filtered filtered;
    const bool has_filter = tag->filter != NULL && tag->filter->name != NULL;
    if (tag->filter != NULL && !has_filter)
        fault(rendering, tag->begin, "there is no filter %s", strchr(tag->name, '|') + 1);
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
    else if (has_filter && !cJSON_IsNull(value))
        tag->filter->add(rendering->page, &filtered);
    else if (cJSON_IsObject(value) || cJSON_IsArray(value))
        fault(rendering, tag->begin, "{{%s}} is no single value", tag->name);
    else if (cJSON_IsNumber(value))
        html_add(rendering->page, "%.15g", value->valuedouble);
    else if (cJSON_IsString(value))
        html_text(rendering->page, value->valuestring);
}

/* ==== blocks ====================================================================================================== */

static void render(Rendering *rendering, const Span *span, const TemplateScope *scope);

static const cJSON *value_of(Rendering *rendering, const TemplateScope *scope, const Tag *tag)
{
    Filtered filtered;
    return find(rendering, scope, tag, tag->name + (tag->name[0] == '!'), &filtered);
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
    render(rendering, holds ? &block->yes : &block->no, scope);
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
        render(rendering, &block->yes, &(TemplateScope){item, ++number});
    }
    if (number == 0)
        render(rendering, &block->no, scope);
}

static void render_more(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const Block *block)
{
    cJSON *left = cJSON_CreateNumber(cJSON_GetArraySize(value_of(rendering, scope, tag)) - strtod(tag->rest, NULL));
    if (left->valuedouble > 0)
        render(rendering, &block->yes, &(TemplateScope){left, 0});
    cJSON_Delete(left);
}

static void render_with(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const Block *block)
{
    const cJSON *value = value_of(rendering, scope, tag);
    if (is_true(value))
        render(rendering, &block->yes, &(TemplateScope){value, 0});
    else
        render(rendering, &block->no, scope);
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
    render(rendering, &block->yes, scope);
    html_raw(rendering->page, "</tbody>\n</table>\n</div>\n");
}

static void render_set(Rendering *rendering, const TemplateScope *scope, const Tag *tag, const Block *block)
{
    Text markup = {0}, *page = rendering->page;
    rendering->page = &markup;
    render(rendering, &block->yes, scope);
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
        render(rendering, &block->yes, scope);
        render(rendering, &block->no, scope);
    }
}

/* ==== templates =================================================================================================== */

typedef struct Definition { /* {{#page name}} */
    const char *name;
    const Template *template;
    Span span;
    Text names; /* the insides of all tags, and of those of its parts */
} Definition;

static Template templates[sizeof files / sizeof *files];
static Definition definitions[80];
static size_t definition_count;

static const Definition *find_definition(const char *name)
{
    for (size_t i = 0; i < definition_count; i++)
        if (strcmp(definitions[i].name, name) == 0)
            return &definitions[i];
    return NULL;
}

static void add_names(Text *names, const Definition *definition, size_t depth)
{
    for (size_t i = definition->span.first; i < definition->span.last; i++) {
        const Tag *tag = &definition->template->tags[i];
        const Definition *part = tag->kind == TAG_PART && depth < 5 ? find_definition(tag->name) : NULL;
        text_printf(names, "%s %s\n", tag->name, tag->rest);
        if (part != NULL)
            add_names(names, part, depth + 1);
    }
}

static void index_template(Rendering *rendering)
{
    const Template *template = rendering->template;
    Block block;
    for (size_t i = 0; i < template->count; i++) {
        const Tag *tag = &template->tags[i];
        if (tag->kind == TAG_REMARK)
            continue;
        if (tag->kind != TAG_OPEN || strcmp(tag->word, "page") != 0 ||
            definition_count == sizeof definitions / sizeof *definitions)
            fault(rendering, tag->begin, "expected {{#page}}");
        else if (block_of(rendering, i, &block)) {
            definitions[definition_count++] = (Definition){tag->name, template, block.yes, {0}};
            i = tag->close;
        }
    }
}

/* Once: what stands outside of pages is a fault on `page`. */
static void index_files(Text *page)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        templates[i] = take_apart(files[i].name, files[i].text);
        index_template(&(Rendering){.page = page, .template = &templates[i]});
    }
    for (size_t i = 0; i < definition_count; i++)
        add_names(&definitions[i].names, &definitions[i], 0);
}

/* NULL: there is none of this name. */
static const Definition *definition_of(Text *page, const char *name)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_at_a_time);
    if (definition_count == 0)
        index_files(page);
    pthread_mutex_unlock(&one_at_a_time);
    return find_definition(name);
}

static void render_definition(Rendering rendering, const Definition *definition, const TemplateScope *scope)
{
    rendering.template = definition->template;
    render(&rendering, &definition->span, scope);
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

static void render(Rendering *rendering, const Span *span, const TemplateScope *scope)
{
    const char *at = span->begin;
    for (size_t i = span->first; i < span->last; i++) {
        const Tag *tag = &rendering->template->tags[i];
        Block block;
        text_append(rendering->page, at, (size_t)(tag->begin - at));
        at = tag->end;
        if (tag->kind == TAG_VALUE || tag->kind == TAG_RAW)
            add_value(rendering, scope, tag);
        else if (tag->kind == TAG_PART)
            render_part(rendering, scope, tag);
        else if (tag->kind == TAG_CLOSE || tag->kind == TAG_ELSE)
            fault(rendering, tag->begin, "nothing that {{%s}} could belong to",
                  tag->kind == TAG_ELSE ? "else" : tag->word);
        else if (tag->kind == TAG_OPEN && !block_of(rendering, i, &block))
            return;
        if (tag->kind == TAG_OPEN) {
            render_block(rendering, scope, tag, &block);
            i = tag->close;
            at = rendering->template->tags[i].end;
        }
    }
    text_append(rendering->page, at, (size_t)(span->end - at));
}

/* ---- values without a name --------------------------------------------------------------------------------------- */

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
    const Template nothing = {.name = name, .text = ""};
    Rendering rendering = {.page = page, .root = values, .template = &nothing};
    if (definition == NULL) {
        fault(&rendering, nothing.text, "there is no such page");
        return;
    }
    render_definition(rendering, definition, &(TemplateScope){values, 0});
    check_names(page, name, &definition->names, values);
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
    Template template = take_apart("test.html", markup);
    Rendering rendering = {.page = page, .root = values, .template = &template, .is_check = values == NULL};
    const Span all = {template.text, template.text + strlen(template.text), 0, template.count};
    render(&rendering, &all, &(TemplateScope){values, 0});
    arena_free(&template.arena);
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
