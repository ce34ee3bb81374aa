/* class_file.h - class.json: the assignments of a class, what is due when, and what gives how many points.
 *
 * class_read.h reads it. docs/reference/formats.md describes every key, docs/guides/run-a-class.md shows them by example.
 * Times    `utc_s` counts seconds since 1970. Local times are of the file's zone. A deadline that clocks show twice is
 *          the later one, `opens` the earlier one, so that nobody loses time.
 * Owns     all strings and lists live in `arena`.  */
#ifndef SERVICE_COURSE_CLASS_FILE_H
#define SERVICE_COURSE_CLASS_FILE_H

#include "base/arena.h"
#include "base/status.h"
#include "service/store/submissions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== zone ======================================================================================================== */

/* A time zone by name, and from local times to moments and back.
 *
 * zone_read() lets the C library read the system's time zones (package tzdata) and keeps all changes of the offset in a table;
 * the other functions are pure and may be called from any thread. zone_read() itself sets and restores the variable TZ, so a
 * program calls it before it starts threads that read the environment for the first time.
 * Units    seconds since 1970, without leap seconds; `local_s` is what the clock on the wall shows, counted as if it were UTC.
 * Range    the years ZONE_FIRST_YEAR to ZONE_LAST_YEAR; nothing changes outside of them. */

enum { ZONE_FIRST_YEAR = 2000, ZONE_LAST_YEAR = 2099 };

typedef struct ZoneOffset {
    int64_t from_s;   /* the offset holds from this moment on */
    int64_t offset_s; /* what is added to UTC; east is positive */
} ZoneOffset;

typedef struct Zone {
    const char *name;    /* "Europe/Berlin" */
    ZoneOffset *offsets; /* oldest first; at least one */
    size_t count;
} Zone;

/* A local time: daylight saving skips some and shows others twice. */
typedef enum LocalTimeKind { LOCAL_ONCE, LOCAL_SKIPPED, LOCAL_TWICE } LocalTimeKind;

/* NOT_FOUND: the system does not know the zone, or no zones at all; the message says what to install. */
MUST_USE Status zone_read(const char *name, Arena *arena, Zone *zone, Message *why);

int64_t zone_local(const Zone *zone, int64_t utc_s);

/* The moment at which clocks show `local_s`. One that they show twice is the second, or with `earlier` the first. One that
 * they skip is counted on with the offset from before: 02:30 is the moment half an hour after 02:00, at which they show 03:30. */
int64_t zone_moment(const Zone *zone, int64_t local_s, bool earlier, LocalTimeKind *kind);

/* ==== class file ================================================================================================== */

typedef struct ClassTime {
    int64_t utc_s;
    const char *written; /* as in the file: "2026-11-09T23:59"; NULL: the key is absent */
    LocalTimeKind kind;  /* LOCAL_ONCE where the file gives an offset */
} ClassTime;

typedef struct ClassSpelling { /* of a person's name in another system, or the number there */
    const char *written, *person;
    bool is_id;
} ClassSpelling;

typedef struct ClassGroup {
    const char *name;
    const char **people; /* in the order of the file */
    size_t person_count;
} ClassGroup;

/* What is handed in up to `grace_end_s` is in time. What comes up to day_ends_s[n] is n + 1 days late: a day ends at the
 * deadline's local time, so it has 23 or 25 hours when clocks change. What comes after the last of them does not count. */
typedef struct ClassDeadline {
    ClassTime due;
    int64_t grace_end_s;
    int64_t *day_ends_s;
    size_t day_count;
} ClassDeadline;

typedef struct ClassLate {
    int64_t grace_minutes;
    double percent_per_day; /* of the points that the submission gets, for each day begun */
    int64_t days;           /* 0: nothing late counts */
} ClassLate;

typedef enum ClassCounts { COUNTS_BEST, COUNTS_LAST } ClassCounts;

/* From when on students see something. SHOW_CLOSED: from class_closes_s() on. */
typedef enum ClassShowKind { SHOW_ALWAYS, SHOW_CLOSED, SHOW_NEVER, SHOW_FROM } ClassShowKind;
typedef struct ClassShow {
    ClassShowKind kind;
    ClassTime from; /* SHOW_FROM */
} ClassShow;

typedef struct ClassCaseGroup { /* all points if every one of its cases is accepted, else none */
    const char *name;
    const char **cases; /* names of sample and hidden cases; "samples" and "hidden" of the file are spelt out here */
    size_t case_count;
    double points;
} ClassCaseGroup;

typedef enum ClassMeasure { MEASURE_NONE, MEASURE_ROOFLINE, MEASURE_RUNG, MEASURE_PERCENTILE } ClassMeasure;

typedef struct ClassBand { /* the highest band that was reached gives its points, not those of the bands below it */
    double at_least;       /* MEASURE_ROOFLINE: share of the roofline, 0 to 1; MEASURE_PERCENTILE: 0 to 100 */
    const char *rung;      /* MEASURE_RUNG: file name of a reference solution, "shared_tile.cu"; else NULL */
    double points;
} ClassBand;

typedef struct ClassProblem {
    const char *problem; /* its id */
    double accepted;     /* points for the verdict Accepted */
    ClassCaseGroup *groups;
    size_t group_count;
    ClassMeasure measure;
    ClassBand *bands; /* fewest points first */
    size_t band_count;
} ClassProblem;

typedef struct ClassAssignment {
    const char *id, *title;
    ClassTime opens; /* written NULL: open from the beginning, and utc_s is INT64_MIN */
    ClassDeadline deadline;
    ClassLate late;
    ClassCounts counts;
    const ClassGroup **groups; /* group_count 0: everybody */
    size_t group_count;
    ClassShow points, board, sources; /* one's own points; the board; the sources of others */
    ClassShow sketch, code;           /* of the next step of a problem's ladder */
    ClassProblem *problems;
    size_t problem_count;
} ClassAssignment;

typedef struct ClassExtension {
    const char *person;
    const ClassAssignment *assignment;
    ClassDeadline deadline; /* with the assignment's grace and late days behind it */
    const char *why, *by;
} ClassExtension;

typedef struct ClassOverride { /* a teacher's points in place of those that are counted */
    const char *person;
    const ClassAssignment *assignment;
    const char *problem; /* its id */
    double points;
    const char *why, *by;
} ClassOverride;

typedef struct ClassFile {
    const char *path;
    const char *title; /* "" unless given */
    Zone zone;
    ClassGroup *groups;
    size_t group_count;
    ClassSpelling *spellings;
    size_t spelling_count, spelling_capacity;
    ClassAssignment *assignments;
    size_t assignment_count;
    ClassExtension *extensions;
    size_t extension_count;
    HandInLimits limits; /* 0: that of the server */
    ClassOverride *overrides;
    size_t override_count;
    const char **handed_out, **earlier; /* paths; relative ones have become those of the file's folder */
    size_t handed_out_count, earlier_count;
    Arena arena;
} ClassFile;

void class_file_free(ClassFile *file);

/* NULL: there is none. */
const ClassAssignment *class_assignment(const ClassFile *file, const char *id);
const ClassProblem *class_problem(const ClassAssignment *assignment, const char *problem);
/* NULL: the person has no extension of this assignment. */
const ClassExtension *class_extension(const ClassFile *file, const ClassAssignment *assignment, const char *person);
/* The deadline of one person, extended or not. */
const ClassDeadline *class_deadline(const ClassFile *file, const ClassAssignment *assignment, const char *person);

/* Whether any group holds the person. */
bool class_has_person(const ClassFile *file, const char *person);
/* Whether the assignment is for a person: one of its groups holds him, or it names no group. */
bool class_takes_part(const ClassAssignment *assignment, const char *person);
/* All people of all groups, sorted by strcmp(), each once; the list lives in `arena`. */
const char **class_people(const ClassFile *file, Arena *arena, size_t *count);
/* The same with other spellings of their names, in no order. */
const char **class_spellings(const ClassFile *file, Arena *arena, size_t *count);
/* NULL: the person's points are those that are counted. */
const ClassOverride *class_override(const ClassFile *file, const ClassAssignment *assignment, const char *person,
                                    const char *problem);

/* The person whom another system calls so or gives this number ("": none); `name` itself where no group says so. */
const char *class_name_of(const ClassFile *file, const char *name, const char *id);
/* The number in another system; "": no group has it. */
const char *class_id_of(const ClassFile *file, const char *person);
/* Whom a name means that no group holds: the name in a group that is most like it, however names and surnames are ordered; NULL:
 * none is like it. */
const char *class_nearest(const ClassFile *file, const char *name, Arena *arena);

/* The problems for which some assignment gives points for groups of cases, each once; the list lives in `arena`. */
const char **class_problems_with_groups(const ClassFile *file, Arena *arena, size_t *count);

/* The last moment at which something handed in counts: after all late days, for this person, or for everybody. */
int64_t class_last_moment(const ClassDeadline *deadline);
int64_t class_closes_s(const ClassFile *file, const ClassAssignment *assignment);
/* Whether a thing is shown at a moment. */
bool class_shows(const ClassFile *file, const ClassAssignment *assignment, const ClassShow *show, int64_t now_s);

/* The most points of a problem, and of an assignment. */
double class_problem_points(const ClassProblem *problem);
double class_assignment_points(const ClassAssignment *assignment);

/* ==== class time ================================================================================================== */

/* The times of class.json as they are written: "2026-11-09T23:59", with seconds or without, in the class's
 * zone, or with an offset of its own: "2026-11-09T22:59:00Z", "2026-11-09T23:59+01:00". */

/* `earlier`: of two moments with the same local time the earlier one counts. BAD_INPUT: it is no such time. */
MUST_USE Status class_time_parse(const char *written, const Zone *zone, bool earlier, Arena *arena, ClassTime *time,
                                 Message *why);

/* Grace and late days of a deadline. */
ClassDeadline class_deadline_of(ClassTime due, const ClassLate *late, const Zone *zone, Arena *arena);

typedef struct TimeText {
    char text[64];
} TimeText;
/* "2026-11-09 23:59", with seconds only if they are not 0. */
TimeText class_time_local(const Zone *zone, int64_t utc_s);
/* "2026-11-09T22:59:00Z" */
TimeText class_time_utc(int64_t utc_s);

/* The folder of state (service_store.h) of a class, if nobody names another: "course/class.state" for "course/class.json"; without a
 * class file (NULL) "submissions.state" for the folder "submissions/". */
const char *class_state_folder(const char *class_file, const char *submissions, Arena *arena);

#endif
