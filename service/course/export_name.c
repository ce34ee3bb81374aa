#include "service/course/export_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VERSION_DIGITS = 3 };

const char *export_person(const char *name, size_t length, Arena *arena)
{
    char *person = arena_copy(arena, name, length), *to = person;
    for (const char *from = person; *from != '\0'; from++) {
        const bool is_space = (unsigned char)*from <= ' ' || *from == 0x7F;
        if (!is_space)
            *to++ = *from;
        else if (to > person && to[-1] != ' ')
            *to++ = ' ';
    }
    while (to > person && to[-1] == ' ')
        to--;
    *to = '\0';
    return person;
}

/* The number of digits that a text begins with. */
static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* "Ada Lovelace_17_assignsubmission_file_x.cu". What stands before the number may hold '_' itself. */
static bool read_moodle(const char *name, Arena *arena, ExportName *read)
{
    static const char *const marks[] = {"_assignsubmission_file", "_assignsubmission_onlinetext"};
    const char *mark = NULL;
    size_t length = 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && mark == NULL; i++) {
        mark = strstr(name, marks[i]);
        length = strlen(marks[i]);
    }
    if (mark == NULL || (mark[length] != '\0' && mark[length] != '_'))
        return false;
    const char *id = mark;
    while (id > name && isdigit((unsigned char)id[-1]))
        id--;
    if (id == mark || id < name + 2 || id[-1] != '_')
        return false;
    *read = (ExportName){.kind = EXPORT_MOODLE,
                         .person = export_person(name, (size_t)(id - 1 - name), arena),
                         .id = arena_copy(arena, id, (size_t)(mark - id)),
                         .file = arena_string(arena, mark[length] == '_' ? mark + length + 1 : "")};
    return true;
}

/* "_LATE" is taken off the text that follows a name. */
static bool take_late(const char **at)
{
    const bool is_late = strncmp(*at, "LATE_", 5) == 0;
    *at += is_late ? 5 : 0;
    return is_late;
}

/* "lovelaceada_LATE_17_42_x-1.cu", "anon_x7Kq2_LATE_42_x.cu" or "anon_LATE_x7Kq2_42_x.cu". */
static bool read_canvas(const char *name, Arena *arena, ExportName *read)
{
    const char *at = strchr(name, '_');
    if (at == NULL || at == name)
        return false;
    const size_t person = (size_t)(at++ - name);
    const bool is_anonymous = person == 4 && strncmp(name, "anon", 4) == 0;
    bool is_late = take_late(&at);
    const char *id = at;
    const size_t id_length = is_anonymous ? strcspn(at, "_") : digits(at);
    if (id_length == 0 || id[id_length] != '_')
        return false;
    at += id_length + 1;
    is_late = take_late(&at) || is_late;
    const size_t file_id = digits(at);
    if (file_id == 0 || at[file_id] != '_' || at[file_id + 1] == '\0')
        return false;
    *read = (ExportName){.kind = EXPORT_CANVAS,
                         .person = is_anonymous ? arena_printf(arena, "anon %.*s", (int)id_length, id)
                                                : export_person(name, person, arena),
                         .id = is_anonymous ? "" : arena_copy(arena, id, id_length),
                         .file = arena_string(arena, at + file_id + 1),
                         .marked_late = is_late};
    return true;
}

static bool is_gradescope(const char *name)
{
    static const char prefix[] = "submission_";
    const char *number = name + sizeof prefix - 1;
    return strncmp(name, prefix, sizeof prefix - 1) == 0 && digits(number) > 0 && number[digits(number)] == '\0';
}

ExportName export_name_read(const char *name, bool is_folder, Arena *arena)
{
    ExportName read, other;
    const bool is_moodle = read_moodle(name, arena, &read), is_canvas = !is_folder && read_canvas(name, arena, &other);
    if (is_moodle && is_canvas)
        return (ExportName){.kind = EXPORT_UNCLEAR, .person = "", .id = "", .file = ""};
    if (is_moodle || is_canvas)
        return is_moodle ? read : other;
    if (is_folder)
        return (ExportName){.kind = is_gradescope(name) ? EXPORT_GRADESCOPE : EXPORT_PLAIN,
                            .person = export_person(name, strlen(name), arena),
                            .id = "",
                            .file = ""};
    const char *dot = strrchr(name, '.');
    size_t stem = dot == NULL ? strlen(name) : (size_t)(dot - name);
    if (stem > 4 && strncmp(name + stem - 4, ".tar", 4) == 0)
        stem -= 4;
    return (ExportName){
        .kind = EXPORT_PLAIN, .person = export_person(name, stem, arena), .id = "", .file = arena_string(arena, name)};
}

int export_version(const char *file, size_t *stem)
{
    const char *dot = strrchr(file, '.');
    const size_t length = dot == NULL ? strlen(file) : (size_t)(dot - file);
    const bool has_bracket = length > 0 && file[length - 1] == ')';
    size_t end = length - has_bracket, begin = end;
    while (begin > 0 && isdigit((unsigned char)file[begin - 1]))
        begin--;
    *stem = length;
    if (begin == end || end - begin > MOST_VERSION_DIGITS)
        return 0;
    if (has_bracket && begin >= 3 && file[begin - 1] == '(' && file[begin - 2] == ' ')
        *stem = begin - 2;
    else if (!has_bracket && begin >= 2 && file[begin - 1] == '-')
        *stem = begin - 1;
    return *stem == length ? 0 : atoi(file + begin);
}
