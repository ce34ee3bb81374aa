/* answer.h - replies in JSON, and what a Status means to who asks.  */
#ifndef SERVICE_WEB_ANSWER_H
#define SERVICE_WEB_ANSWER_H

#include "leaderboard/store.h"
#include "service/course/class_watch.h"
#include "service/course/extensions.h"
#include "service/http/http.h"
#include "service/store/config.h"
#include "service/store/people.h"
#include "service/store/queue.h"
#include "service/store/slurm.h"
#include "service/store/submissions.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* ==== service ===================================================================================================== */

/* What every answer of the service needs. */

struct Visit;

typedef struct Service {
    const Config *config;
    Store *store;
    Store *reading[MOST_READERS]; /* the same store, to read it on other threads */
    size_t reading_count;
    Queue *queue;
    Slurm *slurm;            /* NULL: workers judge that are no batch jobs */
    struct Live *live;       /* live.h */
    ClassWatch *class_watch; /* NULL: there is no class */
    ClockWatch clock;
    double checked_s; /* when /healthz has tried the store last */
    Message store_trouble;
    const struct Route *const *routes; /* tables, up to NULL */
    /* Answers with a page that says what went wrong. */
    void (*show_error)(struct Visit *visit, int status, const char *text);
    /* Answers a form of somebody who is not logged in any more with the login, which keeps what was handed in. */
    void (*ask_for_login)(struct Visit *visit);
} Service;

typedef struct Visit { /* one request, and whose it is */
    Service *service;
    const HttpRequest *request;
    HttpReply *reply;
    Arena *arena;       /* the request's */
    bool is_known;      /* false: the visitor is unknown, and `person` is empty */
    bool hands_in_only; /* by a token that is for handing in for others alone */
    bool by_browser;    /* by a cookie, or by the proxy: not by something that only a program sends */
    Person person;
    bool is_limited;      /* a limit of the person refuses the request: 429 */
    bool wants_page;      /* an error is shown as a page, not as JSON */
    const char *argument; /* the part of the path that the route leaves open; NULL: none */
} Visit;

/* ==== queries ===================================================================================================== */

/* What a list of submissions leaves out: the queries "problem", "verdict", "since" (2026-01-31T12:00:00Z) and "most_ms". An empty one
 * leaves out nothing. BAD_INPUT: it is no such thing. */
struct SubmissionFilter;
MUST_USE Status filter_of_query(const Visit *visit, struct SubmissionFilter *filter, Message *why);

/* ==== routes ====================================================================================================== */

/* Who may ask for what, and which function answers. */

typedef enum RouteAccess {
    ACCESS_ALL,     /* everybody, without a login */
    ACCESS_READERS, /* likewise where the pages are public, else persons */
    ACCESS_PERSONS,
    ACCESS_PERSONS_AND_KITS, /* also with a token that only hands in for others */
    ACCESS_TEACHERS,
    ACCESS_TEACHERS_AND_KITS,
    ACCESS_ADMINS,
    ACCESS_WORKERS /* with a token that is for judging alone, or by the account that runs the server, on its socket */
} RouteAccess;

typedef enum RouteKind {
    ROUTE_DATA,
    ROUTE_CHANGES, /* data, and asking for it by GET changes the store, or what the server knows */
    ROUTE_PAGE     /* a person who is not known is led to the login, not refused */
} RouteKind;

typedef struct Route {
    const char *method, *path; /* "*" in the path stands for one part, which becomes visit->argument */
    RouteAccess access;
    void (*answer)(Visit *visit);
    RouteKind kind;
} Route;

/* The last one has no method. */
extern const Route api_routes[], operating_routes[], work_routes[];

/* ==== answer ====================================================================================================== */

/* Takes the object. */
void answer_json(Visit *visit, int status, cJSON *object);
/* {"error": "..."}, or a page that says it. */
__attribute__((format(printf, 3, 4))) void answer_error(Visit *visit, int status, const char *format, ...);
/* 404 for NOT_FOUND, 400 for BAD_INPUT, else 503. */
void answer_failure(Visit *visit, Status status, const Message *why);
/* Text as it is, of a type such as "application/json". */
void answer_text(Visit *visit, const char *type, const char *text);

/* 303: the browser is to go on there. The path must begin with '/'. */
void answer_redirect(Visit *visit, const char *path);

/* Ends an answer to a form: the browser goes on, or is told what is wrong. */
void answer_form(Visit *visit, Status status, const char *path, const Message *why);

/* A field of the form; `otherwise` without it. */
const char *form_field(const Visit *visit, const char *name, const char *otherwise);

/* The number of a "submission", a "batch", ... in visit->argument; 0: it is none, which has been answered. */
int64_t answer_number(Visit *visit, const char *noun);

/* ==== visible ===================================================================================================== */

/* These functions decide what a visitor may see of other people. */

/* Whether the visitor may see what belongs to this person: his own, and a teacher everybody's. */
bool visible_to(const Visit *visit, int64_t person);

/* The submission that the path names. False: there is none that the visitor may see, which has been answered. */
bool visible_submission(Visit *visit, StoredSubmission *row);

/* What the visitor may call the person of this name: the pseudonym, if there is one; "somebody" to one who has not
 * logged in, unless names are public. `*id` is 0 where nobody has the name. */
const char *visible_name(const Visit *visit, const char *name, int64_t *id);

/* Gives the first `most` standings, and the visitor's own, the names that the visitor may see, and finds the submissions that he may
 * open, 0 for others. The rest keeps its names for a teacher alone. */
MUST_USE Status visible_standings(const Visit *visit, Standing *standings, size_t count, size_t most,
                                  int64_t **submissions, Message *why);

/* ==== place ======================================================================================================= */

/* The place of a run in the class, in the documents that its worker wrote.
 *
 * A worker knows only what it judged itself, so that the server puts its own count in the place of the worker's: as the board is
 * now, and as the visitor may see it. */

/* Takes the place in the class out of a result.json. */
void place_take_out(cJSON *result);

/* A document of any kind as this visitor may read it. */
MUST_USE Status place_document(const Visit *visit, const StoredSubmission *row, const char *kind, const char *text,
                               const char **shown, Message *why);

/* ==== submission json ============================================================================================= */

/* A submission as docs/reference/api.md shows it. */

/* "waiting", "judging", "judged", "held" or "withdrawn". */
const char *submission_state(const StoredSubmission *row);
bool submission_has_ended(const StoredSubmission *row);
/* "ranked", or why a run does not rank. */
const char *submission_rank_words(const StoredSubmission *row);

/* `whole`: with what takes a look at the queue or at the board: jobs ahead, progress, rank. */
MUST_USE Status submission_json(const Service *service, const StoredSubmission *row, bool whole, cJSON **object,
                                Message *why);

/* ==== class rules ================================================================================================= */

/* What class.json says about a request: whether submitting is allowed, and what of others is shown. */

/* NULL: the server has no class. Lives as long as the request. */
const ClassFile *class_of(const Visit *visit);

/* BAD_INPUT: a student hands in for the ranking of a problem whose assignments have not opened yet. Tries and tests are practice. */
MUST_USE Status class_expect_open(const Visit *visit, const char *problem, const char *mode, Message *why);

/* The same for this visitor: a teacher sees everything. */
bool class_hides_board_from(const Visit *visit, const char *problem);
/* Whether this visitor may see the problem: before an assignment with it opens, only people who have logged in do. */
bool class_shows_problem(const Visit *visit, const char *problem);
/* How much of the next step of a problem's ladder this visitor sees: the sketch, if `code` is false, or the code of its example.
 * Without a class.json students see sketches. */
bool class_shows_step(const Visit *visit, const char *problem, bool code);

/* The assignments that a submission could count for; 0: it is no hand-in for ranking, or nobody knows when it was handed in, or there
 * is no class. */
size_t class_dues_of(const Service *service, const StoredSubmission *row, Arena *arena, Due **dues);

/* The submission that the path names, with its source (NULL: the database does not have it). False: there is none that the visitor may
 * read, which has been answered. */
bool class_readable_source(Visit *visit, StoredSubmission *row, const char **source);
/* How many other people have submitted something to a problem. */
MUST_USE Status class_source_people(const Visit *visit, const char *problem, int64_t *count, Message *why);
/* The newest of each of them that the visitor may read: of so many people from number `first` on, in an order that stays; at most `most`
 * sources. */
MUST_USE Status class_open_sources(const Visit *visit, const char *problem, int64_t first, int64_t people, size_t most,
                                   StoredSubmission **rows, size_t *count, Message *why);

/* ==== parts of lists ============================================================================================== */

/* Long lists are shown in parts, "?page=2". */
enum { PEOPLE_ON_A_PAGE = 100 };

typedef struct ListPart {
    int64_t page, pages; /* 1, 2, ... */
    int64_t first;       /* number of its first person, from 0 */
} ListPart;

/* The part of a list of `count` people that the query asks for; the last one, if there are not so many. */
ListPart list_part(const Visit *visit, int64_t count, int64_t on_a_page);
/* What the visitor may call the file: a name may tell who wrote it. */
const char *class_file_name(const Visit *visit, const StoredSubmission *row);

/* ==== workers ===================================================================================================== */

/* The workers of the service and what each does, from the store's attempts and from what the queue sees.
 *
 * States   "judging"; "idle"; "gets no work"; "not there": it has judged or failed within a week, and neither judges nor waits
 *          now; "ended": likewise, a pilot in Slurm, which ends when it has nothing to do.
 * Owns     nothing; all lives in the arena of the visit. */

typedef struct KnownWorker {
    const char *name, *device, *state;
    const char *since;      /* when its last attempt was offered or ended; NULL: it has had none */
    const char *drained;    /* why it gets no work; NULL: it does */
    int64_t judging;        /* a submission; 0: none */
    int64_t judged, failed; /* attempts */
} KnownWorker;

/* By name; first those that have ever had an attempt. */
MUST_USE Status workers_known(const Visit *visit, KnownWorker **workers, size_t *count, Message *why);

#endif
