#include "service/course/gradescope_metadata.h"

#include "base/arena.h"
#include "base/text.h"
#include "service/course/export_name.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <yaml.h>

enum { MOST_BYTES = 64 << 20 };

static const char *scalar_of(const yaml_node_t *node)
{
    return node != NULL && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

static yaml_node_t *value_of(yaml_document_t *document, const yaml_node_t *mapping, const char *key)
{
    if (mapping == NULL || mapping->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top; pair++)
        if (strcmp(scalar_of(yaml_document_get_node(document, pair->key)), key) == 0)
            return yaml_document_get_node(document, pair->value);
    return NULL;
}

/* "2026-11-09 22:58:00.529690000 Z" or "2026-11-09T14:58:00.5-08:00"; 0 without a zone, which says nothing certain. */
static int64_t parse_time(const char *text)
{
    struct tm parts = {0};
    int end = 0, hours = 0, minutes = 0;
    if (sscanf(text, "%4d-%2d-%2d%*[ T]%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &parts.tm_hour,
               &parts.tm_min, &parts.tm_sec, &end) != 6 ||
        end == 0)
        return 0;
    text += end;
    text += text[0] == '.' ? 1 + strspn(text + 1, "0123456789") : 0;
    text += strspn(text, " ");
    const int sign = text[0] == '+' ? 1 : text[0] == '-' ? -1 : 0;
    if (sign == 0
            ? strcmp(text, "Z") != 0 && strcmp(text, "UTC") != 0
            : sscanf(text + 1, "%2d:%2d", &hours, &minutes) != 2 && sscanf(text + 1, "%2d%2d", &hours, &minutes) != 2)
        return 0;
    parts.tm_year -= 1900;
    parts.tm_mon -= 1;
    const int64_t seconds = timegm(&parts);
    return seconds <= 0 ? 0 : seconds - sign * (3600 * (int64_t)hours + 60 * (int64_t)minutes);
}

static void take_people(yaml_document_t *document, const yaml_node_t *list, Arena *arena,
                        GradescopeSubmission *submission)
{
    if (list == NULL || list->type != YAML_SEQUENCE_NODE)
        return;
    const yaml_node_item_t *first = list->data.sequence.items.start, *top = list->data.sequence.items.top;
    submission->people = arena_array(arena, (size_t)(top - first) + 1, sizeof *submission->people);
    for (const yaml_node_item_t *item = first; item < top; item++) {
        const yaml_node_t *person = yaml_document_get_node(document, *item);
        const char *name = scalar_of(value_of(document, person, ":name"));
        const char *sid = scalar_of(value_of(document, person, ":sid"));
        const char *email = scalar_of(value_of(document, person, ":email"));
        const char *called = name[0] != '\0' ? name : email[0] != '\0' ? email : sid;
        submission->people[submission->person_count++] = (MetadataPerson){
            export_person(called, strlen(called), arena), arena_string(arena, sid[0] != '\0' ? sid : email)};
    }
}

static Status take_document(const char *path, yaml_document_t *document, Arena *arena, GradescopeMetadata *metadata,
                            Message *why)
{
    const yaml_node_t *root = yaml_document_get_root_node(document);
    if (root == NULL || root->type != YAML_MAPPING_NODE)
        return fail(STATUS_BAD_INPUT, why, "%s: expected a key for each submission, as Gradescope writes it", path);
    const yaml_node_pair_t *first = root->data.mapping.pairs.start, *top = root->data.mapping.pairs.top;
    metadata->items = arena_array(arena, (size_t)(top - first) + 1, sizeof *metadata->items);
    for (const yaml_node_pair_t *pair = first; pair < top; pair++) {
        const yaml_node_t *body = yaml_document_get_node(document, pair->value);
        GradescopeSubmission *submission = &metadata->items[metadata->count++];
        submission->folder = arena_string(arena, scalar_of(yaml_document_get_node(document, pair->key)));
        submission->received_s = parse_time(scalar_of(value_of(document, body, ":created_at")));
        take_people(document, value_of(document, body, ":submitters"), arena, submission);
    }
    return STATUS_OK;
}

Status gradescope_metadata_read(const char *path, Arena *arena, GradescopeMetadata *metadata, Message *why)
{
    Text text = {0};
    yaml_parser_t parser;
    yaml_document_t document;
    *metadata = (GradescopeMetadata){0};
    if (access(path, F_OK) != 0)
        return fail(STATUS_NOT_FOUND, why, "%s: there is no such file", path);
    Status status = text_read_file(path, MOST_BYTES, &text, why);
    if (status != STATUS_OK) {
        text_free(&text);
        return status;
    }
    if (!yaml_parser_initialize(&parser))
        out_of_memory();
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.data, text.length);
    if (yaml_parser_load(&parser, &document)) {
        status = take_document(path, &document, arena, metadata, why);
        yaml_document_delete(&document);
    } else {
        status = fail(STATUS_BAD_INPUT, why, "%s:%zu: %s", path, parser.problem_mark.line + 1,
                      parser.problem == NULL ? "not YAML" : parser.problem);
    }
    yaml_parser_delete(&parser);
    text_free(&text);
    return status;
}

const GradescopeSubmission *gradescope_metadata_of(const GradescopeMetadata *metadata, const char *folder)
{
    for (size_t i = 0; i < metadata->count; i++)
        if (strcmp(metadata->items[i].folder, folder) == 0)
            return &metadata->items[i];
    return NULL;
}
