#include "service/course/class_file.h"

#include "base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ==== class time ================================================================================================== */

enum { HOUR_S = 3600, CLASS_DAY_S = 24 * 3600, LAST_OFFSET_HOUR = 14 };

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* `digits` digits, whose number is within [low, high]. */
static bool take_number(const char **at, int digits, int low, int high, int *value)
{
    *value = 0;
    for (int i = 0; i < digits; i++, (*at)++) {
        if (**at < '0' || **at > '9')
            return false;
        *value = *value * 10 + (**at - '0');
    }
    return *value >= low && *value <= high;
}

static bool take_letter(const char **at, char letter)
{
    if (**at != letter)
        return false;
    (*at)++;
    return true;
}

/* As if it were UTC; false: it is no time, or `parts` has a day that its month does not have. */
static bool take_local(const char **at, struct tm *parts, int64_t *local_s)
{
    int year, month, day, hour, minute, second = 0;
    *parts = (struct tm){0};
    const bool fits = take_number(at, 4, ZONE_FIRST_YEAR, ZONE_LAST_YEAR, &year) && take_letter(at, '-') &&
                      take_number(at, 2, 1, 12, &month) && take_letter(at, '-') && take_number(at, 2, 1, 31, &day) &&
                      take_letter(at, 'T') && take_number(at, 2, 0, 23, &hour) && take_letter(at, ':') &&
                      take_number(at, 2, 0, 59, &minute) &&
                      (!take_letter(at, ':') || take_number(at, 2, 0, 59, &second));
    if (!fits)
        return false;
    *parts = (struct tm){.tm_year = year - 1900,
                         .tm_mon = month - 1,
                         .tm_mday = day,
                         .tm_hour = hour,
                         .tm_min = minute,
                         .tm_sec = second};
    struct tm normal = *parts;
    *local_s = (int64_t)timegm(&normal);
    return normal.tm_mday == day; /* timegm() turns the 31st of a shorter month into the next month's first */
}

/* The month of a day that it does not have. */
static Status refuse_day(const char *written, const struct tm *parts, Message *why)
{
    static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
    struct tm last = {.tm_year = parts->tm_year, .tm_mon = parts->tm_mon + 1, .tm_mday = 0};
    (void)timegm(&last);
    return fail(STATUS_BAD_INPUT, why, "%s %d has %d days, found \"%s\"", months[parts->tm_mon], parts->tm_year + 1900,
                last.tm_mday, written);
}

/* "Z", "+01:00", or nothing. */
static bool take_offset(const char **at, bool *has_offset, int64_t *offset_s)
{
    int hour, minute;
    *offset_s = 0;
    *has_offset = **at != '\0';
    if (!*has_offset || take_letter(at, 'Z'))
        return **at == '\0';
    const int sign = **at == '-' ? -1 : 1;
    const bool fits = (take_letter(at, '+') || take_letter(at, '-')) &&
                      take_number(at, 2, 0, LAST_OFFSET_HOUR, &hour) && take_letter(at, ':') &&
                      take_number(at, 2, 0, 59, &minute) && **at == '\0';
    if (fits)
        *offset_s = sign * (hour * (int64_t)HOUR_S + minute * 60);
    return fits;
}

Status class_time_parse(const char *written, const Zone *zone, bool earlier, Arena *arena, ClassTime *time,
                        Message *why)
{
    const char *at = written;
    int64_t local_s, offset_s;
    struct tm parts;
    bool has_offset;
    const bool is_day = take_local(&at, &parts, &local_s);
    if (!is_day && parts.tm_mday > 0)
        return refuse_day(written, &parts, why);
    if (!is_day || !take_offset(&at, &has_offset, &offset_s))
        return fail(
            STATUS_BAD_INPUT, why,
            "expected a time from %d to %d such as \"2026-11-09T23:59\" or \"2026-11-09T23:59+01:00\", found \"%s\"",
            ZONE_FIRST_YEAR, ZONE_LAST_YEAR, written);
    *time = (ClassTime){.written = arena_string(arena, written), .kind = LOCAL_ONCE};
    time->utc_s = has_offset ? local_s - offset_s : zone_moment(zone, local_s, earlier, &time->kind);
    return STATUS_OK;
}

ClassDeadline class_deadline_of(ClassTime due, const ClassLate *late, const Zone *zone, Arena *arena)
{
    ClassDeadline deadline = {.due = due,
                              .grace_end_s = due.utc_s + late->grace_minutes * 60,
                              .day_ends_s = arena_array(arena, (size_t)late->days, sizeof *deadline.day_ends_s),
                              .day_count = (size_t)late->days};
    const int64_t local_s = zone_local(zone, due.utc_s);
    LocalTimeKind kind;
    for (int64_t day = 0; day < late->days; day++)
        deadline.day_ends_s[day] = zone_moment(zone, local_s + (day + 1) * CLASS_DAY_S, false, &kind);
    return deadline;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static TimeText formatted(int64_t seconds_since_1970, const char *format)
{
    TimeText text;
    struct tm parts;
    const time_t seconds = (time_t)seconds_since_1970;
    gmtime_r(&seconds, &parts);
    if (strftime(text.text, sizeof text.text, format, &parts) == 0)
        snprintf(text.text, sizeof text.text, "%" PRId64, seconds_since_1970);
    return text;
}

TimeText class_time_local(const Zone *zone, int64_t utc_s)
{
    const int64_t local_s = zone_local(zone, utc_s);
    return formatted(local_s, local_s % 60 == 0 ? "%Y-%m-%d %H:%M" : "%Y-%m-%d %H:%M:%S");
}

TimeText class_time_utc(int64_t utc_s)
{
    return formatted(utc_s, "%Y-%m-%dT%H:%M:%SZ");
}

/* ==== zone ======================================================================================================== */

enum { WEEK_S = 7 * 24 * 3600, DAY_OF_ZONE_S = 24 * 3600 };

/* Where Debian's tzdata lies, and what the C library takes for the zone if TZ is not set. */
static const char FOLDER[] = "/usr/share/zoneinfo", DEFAULT_ZONE[] = ":/etc/localtime";

/* ---- the system's zones ------------------------------------------------------------------------------------------ */

static bool is_zone_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
    return name[0] != '\0' && name[0] != '/' && strspn(name, letters) == strlen(name) && strlen(name) < 100;
}

/* The C library takes a zone that it does not know for UTC, and says nothing. */
static Status check_zone(const char *name, Message *why)
{
    char path[256], magic[4] = "";
    if (access(FOLDER, F_OK) != 0)
        return fail(STATUS_NOT_FOUND, why, "this system has no time zones (%s): install the package tzdata", FOLDER);
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    FILE *file = is_zone_name(name) ? fopen(path, "rb") : NULL;
    const bool is_known = file != NULL && fread(magic, 1, sizeof magic, file) == sizeof magic &&
                          memcmp(magic, "TZif", sizeof magic) == 0;
    if (file != NULL)
        fclose(file);
    return is_known ? STATUS_OK
                    : fail(STATUS_NOT_FOUND, why,
                           "this system knows no zone \"%s\", expected a name such as \"Europe/Berlin\"; "
                           "`timedatectl list-timezones` lists them, the package tzdata holds them",
                           name);
}

static int64_t offset_at(int64_t utc_s)
{
    struct tm parts;
    const time_t seconds = (time_t)utc_s;
    localtime_r(&seconds, &parts);
    return parts.tm_gmtoff;
}

static int64_t year_begins(int year)
{
    struct tm parts = {.tm_year = year - 1900, .tm_mday = 1};
    return (int64_t)timegm(&parts);
}

/* The first moment after `before`, up to `after`, at which another offset holds. */
static int64_t change_between(int64_t before, int64_t after)
{
    const int64_t offset = offset_at(before);
    while (after - before > 1) {
        const int64_t middle = before + (after - before) / 2;
        *(offset_at(middle) == offset ? &before : &after) = middle;
    }
    return after;
}

/* No zone changes its offset twice within a week. */
static void tabulate(Arena *arena, Zone *zone)
{
    size_t capacity = 0;
    const int64_t first = year_begins(ZONE_FIRST_YEAR) - WEEK_S, last = year_begins(ZONE_LAST_YEAR + 1) + WEEK_S;
    for (int64_t at = first; at <= last; at += WEEK_S) {
        const int64_t offset = offset_at(at);
        if (zone->count > 0 && zone->offsets[zone->count - 1].offset_s == offset)
            continue;
        const int64_t from = zone->count == 0 ? INT64_MIN : change_between(at - WEEK_S, at);
        zone->offsets = arena_grown(arena, zone->offsets, zone->count, &capacity, sizeof *zone->offsets);
        zone->offsets[zone->count++] = (ZoneOffset){from, offset};
    }
}

/* TZ is never removed again: other threads may be reading the environment, which putting another value in its place does
 * not disturb. */
Status zone_read(const char *name, Arena *arena, Zone *zone, Message *why)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    char value[128];
    TRY(check_zone(name, why));
    *zone = (Zone){.name = arena_string(arena, name)};
    snprintf(value, sizeof value, ":%s/%s", FOLDER, name);
    pthread_mutex_lock(&one_at_a_time);
    const char *before = getenv("TZ");
    char *restored = allocated(strdup(before == NULL ? DEFAULT_ZONE : before));
    setenv("TZ", value, 1);
    tzset();
    tabulate(arena, zone);
    setenv("TZ", restored, 1);
    tzset();
    pthread_mutex_unlock(&one_at_a_time);
    free(restored);
    return STATUS_OK;
}

/* ---- from one to the other --------------------------------------------------------------------------------------- */

static int64_t offset_of(const Zone *zone, int64_t utc_s)
{
    size_t i = zone->count - 1;
    while (i > 0 && zone->offsets[i].from_s > utc_s)
        i--;
    return zone->offsets[i].offset_s;
}

int64_t zone_local(const Zone *zone, int64_t utc_s)
{
    return utc_s + offset_of(zone, utc_s);
}

/* At most one change lies within a day on either side, so the offsets of both sides are all that can hold. */
int64_t zone_moment(const Zone *zone, int64_t local_s, bool earlier, LocalTimeKind *kind)
{
    const int64_t before = local_s - offset_of(zone, local_s - DAY_OF_ZONE_S);
    const int64_t after = local_s - offset_of(zone, local_s + DAY_OF_ZONE_S);
    const bool before_fits = zone_local(zone, before) == local_s, after_fits = zone_local(zone, after) == local_s;
    *kind = before_fits && after_fits && before != after ? LOCAL_TWICE
            : before_fits || after_fits                  ? LOCAL_ONCE
                                                         : LOCAL_SKIPPED;
    if (*kind == LOCAL_TWICE)
        return earlier ? (before < after ? before : after) : (before < after ? after : before);
    return before_fits || !after_fits ? before : after;
}

/* ==== class file ================================================================================================== */

void class_file_free(ClassFile *file)
{
    arena_free(&file->arena);
    *file = (ClassFile){0};
}

const ClassAssignment *class_assignment(const ClassFile *file, const char *id)
{
    for (size_t i = 0; i < file->assignment_count; i++)
        if (strcmp(file->assignments[i].id, id) == 0)
            return &file->assignments[i];
    return NULL;
}

const ClassProblem *class_problem(const ClassAssignment *assignment, const char *problem)
{
    for (size_t i = 0; i < assignment->problem_count; i++)
        if (strcmp(assignment->problems[i].problem, problem) == 0)
            return &assignment->problems[i];
    return NULL;
}

/* ---- people ------------------------------------------------------------------------------------------------------ */

bool class_has_person(const ClassFile *file, const char *person)
{
    for (size_t i = 0; i < file->group_count; i++)
        if (text_is_among(person, file->groups[i].people, file->groups[i].person_count))
            return true;
    return false;
}

bool class_takes_part(const ClassAssignment *assignment, const char *person)
{
    for (size_t i = 0; i < assignment->group_count; i++)
        if (text_is_among(person, assignment->groups[i]->people, assignment->groups[i]->person_count))
            return true;
    return assignment->group_count == 0;
}

const char **class_people(const ClassFile *file, Arena *arena, size_t *count)
{
    size_t all = 0;
    for (size_t i = 0; i < file->group_count; i++)
        all += file->groups[i].person_count;
    const char **people = arena_array(arena, all + 1, sizeof *people);
    all = 0;
    for (size_t i = 0; i < file->group_count; i++)
        for (size_t j = 0; j < file->groups[i].person_count; j++)
            people[all++] = file->groups[i].people[j];
    if (all > 0)
        qsort(people, all, sizeof *people, order_texts);
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (*count == 0 || strcmp(people[*count - 1], people[i]) != 0)
            people[(*count)++] = people[i];
    return people;
}

const char **class_spellings(const ClassFile *file, Arena *arena, size_t *count)
{
    const char **people = class_people(file, arena, count);
    const char **all = arena_array(arena, *count + file->spelling_count + 1, sizeof *all);
    memcpy((void *)all, (const void *)people, *count * sizeof *all);
    for (size_t i = 0; i < file->spelling_count; i++)
        if (!file->spellings[i].is_id)
            all[(*count)++] = file->spellings[i].written;
    return all;
}

const char *class_name_of(const ClassFile *file, const char *name, const char *id)
{
    for (size_t i = 0; i < file->spelling_count; i++) {
        const ClassSpelling *spelling = &file->spellings[i];
        if (strcmp(spelling->written, spelling->is_id ? id : name) == 0)
            return spelling->person;
    }
    return name;
}

const char *class_id_of(const ClassFile *file, const char *person)
{
    for (size_t i = 0; i < file->spelling_count; i++)
        if (file->spellings[i].is_id && strcmp(file->spellings[i].person, person) == 0)
            return file->spellings[i].written;
    return "";
}

/* Without spaces and signs, and with the last word first: "Lovelace, Ada" and Canvas's "lovelaceada" are alike. */
static const char *folded(const char *name, bool last_first, Arena *arena)
{
    const char *space = last_first ? strrchr(name, ' ') : NULL;
    const char *turned = space == NULL ? name : arena_printf(arena, "%s%.*s", space, (int)(space - name), name);
    char *text = (char *)arena_string(arena, turned), *end = text;
    for (const char *c = turned; *c != '\0'; c++)
        if (strchr(" ,.-_'", *c) == NULL)
            *end++ = *c;
    *end = '\0';
    return text;
}

const char *class_nearest(const ClassFile *file, const char *name, Arena *arena)
{
    const char *nearest = NULL, *word = folded(name, false, arena);
    size_t count;
    int least = INT_MAX;
    const char **people = class_people(file, arena, &count);
    for (size_t i = 0; i < 2 * count; i++) {
        const int edits = suggestion_edits(word, folded(people[i / 2], i % 2 == 1, arena));
        if (edits >= 0 && edits < least) {
            least = edits;
            nearest = people[i / 2];
        }
    }
    return nearest;
}

const ClassOverride *class_override(const ClassFile *file, const ClassAssignment *assignment, const char *person,
                                    const char *problem)
{
    for (size_t i = 0; i < file->override_count; i++) {
        const ClassOverride *override = &file->overrides[i];
        if (override->assignment == assignment && strcmp(override->person, person) == 0 &&
            strcmp(override->problem, problem) == 0)
            return override;
    }
    return NULL;
}

/* ---- deadlines --------------------------------------------------------------------------------------------------- */

const ClassExtension *class_extension(const ClassFile *file, const ClassAssignment *assignment, const char *person)
{
    for (size_t i = 0; i < file->extension_count; i++)
        if (file->extensions[i].assignment == assignment && strcmp(file->extensions[i].person, person) == 0)
            return &file->extensions[i];
    return NULL;
}

const ClassDeadline *class_deadline(const ClassFile *file, const ClassAssignment *assignment, const char *person)
{
    const ClassExtension *extension = class_extension(file, assignment, person);
    return extension == NULL ? &assignment->deadline : &extension->deadline;
}

int64_t class_last_moment(const ClassDeadline *deadline)
{
    const int64_t last_day = deadline->day_count == 0 ? INT64_MIN : deadline->day_ends_s[deadline->day_count - 1];
    return last_day > deadline->grace_end_s ? last_day : deadline->grace_end_s;
}

int64_t class_closes_s(const ClassFile *file, const ClassAssignment *assignment)
{
    int64_t last = class_last_moment(&assignment->deadline);
    for (size_t i = 0; i < file->extension_count; i++) {
        const int64_t extended = class_last_moment(&file->extensions[i].deadline);
        if (file->extensions[i].assignment == assignment && extended > last)
            last = extended;
    }
    return last;
}

bool class_shows(const ClassFile *file, const ClassAssignment *assignment, const ClassShow *show, int64_t now_s)
{
    switch (show->kind) {
    case SHOW_ALWAYS: return true;
    case SHOW_CLOSED: return now_s > class_closes_s(file, assignment);
    case SHOW_NEVER: return false;
    case SHOW_FROM: return now_s >= show->from.utc_s;
    }
    return false;
}

const char **class_problems_with_groups(const ClassFile *file, Arena *arena, size_t *count)
{
    size_t most = 0;
    for (size_t i = 0; i < file->assignment_count; i++)
        most += file->assignments[i].problem_count;
    const char **names = arena_array(arena, most + 1, sizeof *names);
    *count = 0;
    for (size_t i = 0; i < file->assignment_count; i++)
        for (size_t k = 0; k < file->assignments[i].problem_count; k++) {
            const ClassProblem *problem = &file->assignments[i].problems[k];
            if (problem->group_count > 0 && !text_is_among(problem->problem, names, *count))
                names[(*count)++] = problem->problem;
        }
    return names;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

double class_problem_points(const ClassProblem *problem)
{
    double points = problem->accepted;
    for (size_t i = 0; i < problem->group_count; i++)
        points += problem->groups[i].points;
    return problem->band_count == 0 ? points : points + problem->bands[problem->band_count - 1].points;
}

double class_assignment_points(const ClassAssignment *assignment)
{
    double points = 0;
    for (size_t i = 0; i < assignment->problem_count; i++)
        points += class_problem_points(&assignment->problems[i]);
    return points;
}

/* ---- where results lie --------------------------------------------------------------------------------------------- */

const char *class_state_folder(const char *class_file, const char *submissions, Arena *arena)
{
    static const char ending[] = ".json";
    const char *from = class_file == NULL ? submissions : class_file;
    size_t length = strlen(from);
    while (length > 1 && from[length - 1] == '/')
        length--;
    if (class_file != NULL && length > sizeof ending && strcmp(from + length - (sizeof ending - 1), ending) == 0)
        length -= sizeof ending - 1;
    return arena_printf(arena, "%.*s.state", (int)length, from);
}
