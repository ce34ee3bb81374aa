#include "grader/commands/mutant_trial.h"

#include "base/clock.h"
#include "base/compile_cache.h"
#include "base/terminal.h"
#include "grader/judge/judge.h"
#include "grader/problem/key_stream.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ==== notes ======================================================================================================= */

static const char begins[] = "// also right: ", any[] = "any mutant";

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Goes behind `words` if they come next. */
static bool passes(const char **at, const char *words)
{
    const bool comes = strncmp(*at, words, strlen(words)) == 0;
    *at += comes ? strlen(words) : 0;
    return comes;
}

/* Returns the text up to one of `ends`, and moves `*at` there; NULL if the line ends first. */
static const char *part(MutantNotes *notes, const char **at, const char *ends)
{
    const size_t length = strcspn(*at, ends);
    const char *text = arena_printf(&notes->arena, "%.*s", (int)length, *at);
    *at += length;
    return **at == '\0' || **at == '\n' ? NULL : text;
}

/* `x` to `y`, or a kind of mistake. */
static bool read_item(MutantNotes *notes, int line, const char **at)
{
    MutantNote note = {.line = line};
    if (passes(at, "`")) {
        note.before = part(notes, at, "`\n");
        if (!passes(at, "` to `"))
            return false;
        note.after = part(notes, at, "`\n");
        if (!passes(at, "`"))
            return false;
    } else {
        note.mistake = part(notes, at, ",:\n");
        if (note.mistake == NULL || note.mistake[0] == '\0')
            return false;
    }
    notes->items = arena_grown(&notes->arena, notes->items, notes->count, &notes->capacity, sizeof *notes->items);
    notes->items[notes->count++] = note;
    return true;
}

static bool read_note(MutantNotes *notes, int line, const char *at)
{
    do
        if (!read_item(notes, line, &at))
            return false;
    while (passes(&at, ", "));
    return passes(&at, ": ") && *at != '\0' && *at != '\n';
}

static bool is_comment(const char *line)
{
    return strncmp(line + strspn(line, " "), "//", 2) == 0;
}

/* The line that the comment at `note` is about: its own, or the next line of code if it has no code. */
static int line_of(const char *source, const char *note)
{
    const char *line = note;
    int number = text_line_at(source, (size_t)(note - source));
    while (line > source && line[-1] != '\n')
        line--;
    for (; is_comment(line); number++) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return number;
}

Status mutant_notes_read(const char *path, const char *source, MutantNotes *notes, Message *why)
{
    *notes = (MutantNotes){0};
    for (const char *at = strstr(source, begins); at != NULL; at = strstr(at, begins)) {
        const int at_line = text_line_at(source, (size_t)(at - source)), line = line_of(source, at);
        at += strlen(begins);
        if (!read_note(notes, line, at))
            return fail(STATUS_BAD_INPUT, why,
                        "%s:%d: expected a note such as \"// also right: `<` to `<=`: WHY\", where both texts may be a "
                        "kind of mistake or \"any mutant\"",
                        path, at_line);
    }
    return STATUS_OK;
}

void mutant_notes_free(MutantNotes *notes)
{
    arena_free(&notes->arena);
    *notes = (MutantNotes){0};
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* " ... " in a note stands for whatever is there. */
static bool is_text(const char *noted, const Text *text)
{
    const char *gap = strstr(noted, " ... ");
    if (gap == NULL)
        return strcmp(noted, text->data) == 0;
    const size_t before = (size_t)(gap - noted), after = strlen(gap + 5);
    return text->length > before + after && strncmp(noted, text->data, before) == 0 &&
           strcmp(gap + 5, text->data + text->length - after) == 0;
}

static bool names(const MutantNote *note, const char *source, const Mutant *mutant)
{
    if (note->line != mutant->line)
        return false;
    if (note->mistake != NULL)
        return strcmp(note->mistake, any) == 0 || strcmp(note->mistake, mutant->mistake) == 0;
    Text before = {0}, after = {0};
    mutant_texts(source, mutant, &before, &after);
    const bool same = is_text(note->before, &before) && is_text(note->after, &after);
    text_free(&before);
    text_free(&after);
    return same;
}

bool mutant_notes_find(MutantNotes *notes, const char *source, const Mutant *mutant)
{
    bool found = false;
    for (size_t i = 0; i < notes->count; i++)
        if (names(&notes->items[i], source, mutant))
            notes->items[i].found = found = true;
    return found;
}

Status mutant_notes_check(const char *path, const MutantNotes *notes, Message *why)
{
    for (size_t i = 0; i < notes->count; i++) {
        const MutantNote *note = &notes->items[i];
        if (!note->found && note->mistake != NULL)
            return fail(STATUS_BAD_INPUT, why, "%s:%d: this line has no mutant of the kind '%s'", path, note->line,
                        note->mistake);
        if (!note->found)
            return fail(STATUS_BAD_INPUT, why, "%s:%d: this line has no mutant that turns `%s` into `%s`", path,
                        note->line, note->before, note->after);
    }
    return STATUS_OK;
}

void mutant_note_add(const char *source, const Mutant *mutant, Text *text)
{
    Text before = {0}, after = {0};
    if (mutant->shown != NULL) {
        text_add(text, mutant->mistake);
        return;
    }
    mutant_texts(source, mutant, &before, &after);
    text_printf(text, "`%s` to `%s`", before.data, after.data);
    text_free(&before);
    text_free(&after);
}

/* ==== mutant pool ================================================================================================= */

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool has_mutants(const char *path)
{
    const size_t length = strlen(path);
    return strstr(path, "/accepted/") != NULL && length > 3 && strcmp(path + length - 3, ".cu") == 0;
}

static Status read_files(const Problem *problem, const Paths *solutions, MutantPool *pool, Message *why)
{
    Status status = STATUS_OK;
    pool->files = arena_array(&pool->arena, solutions->count, sizeof *pool->files);
    for (size_t i = 0; i < solutions->count && status == STATUS_OK; i++) {
        const char *path = solutions->items[i], *shown = strstr(path, "solutions/");
        PoolFile *file = &pool->files[pool->file_count];
        if (!has_mutants(path))
            continue;
        status = submission_read(path, &file->submission, why);
        if (status != STATUS_OK)
            break;
        pool->file_count++;
        file->shown = arena_string(&pool->arena, shown == NULL ? path : shown);
        mutants_make(file->submission.source.data, problem, &file->mutants);
        pool->count += file->mutants.count;
    }
    return status;
}

static const char *kept(MutantPool *pool, Text *text)
{
    const char *copy = arena_string(&pool->arena, text->data);
    text_free(text);
    return copy;
}

static void list_mutants(MutantPool *pool)
{
    PoolMutant *item = pool->items = arena_array(&pool->arena, pool->count, sizeof *pool->items);
    for (size_t file = 0; file < pool->file_count; file++)
        for (size_t i = 0; i < pool->files[file].mutants.count; i++, item++) {
            Text before = {0}, after = {0};
            *item = (PoolMutant){.file = file, .mutant = &pool->files[file].mutants.items[i]};
            mutant_lines(pool->files[file].submission.source.data, item->mutant, &before, &after);
            item->before = kept(pool, &before);
            item->after = kept(pool, &after);
        }
}

/* ---- those that are right ---------------------------------------------------------------------------------------- */

/* `items` are the mutants of a file; those that are not noted go to place `*kept`, which is none behind theirs. */
static Status take_out_noted(MutantPool *pool, size_t file, const PoolMutant *items, size_t *kept, Message *why)
{
    const char *path = pool->files[file].shown, *source = pool->files[file].submission.source.data;
    MutantNotes notes;
    Status status = mutant_notes_read(path, source, &notes, why);
    for (size_t i = 0; i < pool->files[file].mutants.count && status == STATUS_OK; i++) {
        if (mutant_notes_find(&notes, source, items[i].mutant))
            pool->noted++;
        else
            pool->items[(*kept)++] = items[i];
    }
    THEN(status, mutant_notes_check(path, &notes, why));
    mutant_notes_free(&notes);
    return status;
}

/* Removes all noted mutants; the others move forward in the same list. */
static Status take_out_all_noted(MutantPool *pool, Message *why)
{
    const PoolMutant *items = pool->items;
    size_t kept = 0;
    Status status = STATUS_OK;
    for (size_t file = 0; file < pool->file_count && status == STATUS_OK; file++) {
        status = take_out_noted(pool, file, items, &kept, why);
        items += pool->files[file].mutants.count;
    }
    pool->count = kept;
    return status;
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

static Digest draw_of(const MutantPool *pool, const PoolMutant *item, uint64_t seed)
{
    Hash hash;
    hash_begin(&hash);
    hash_add(&hash, &seed, sizeof seed);
    hash_add_strings(&hash, (const char *const[]){pool->files[item->file].shown, item->mutant->mistake, item->before,
                                                  item->after, NULL});
    return hash_end(&hash);
}

static int compare_draws(const void *left, const void *right)
{
    const PoolMutant *a = left, *b = right;
    const int order = strcmp(a->draw.hex, b->draw.hex);
    return order != 0 ? order : (a->mutant > b->mutant) - (a->mutant < b->mutant); /* one file's, which lie in a row */
}

static void shuffle(MutantPool *pool, uint64_t seed)
{
    for (size_t i = 0; i < pool->count; i++)
        pool->items[i].draw = draw_of(pool, &pool->items[i], seed);
    if (pool->count > 0)
        qsort(pool->items, pool->count, sizeof *pool->items, compare_draws);
}

typedef struct PoolTurn {
    size_t round, at; /* how many mutants of the same kind come before; the place before the sorting */
} PoolTurn;

static int compare_turns(const void *left, const void *right)
{
    const PoolTurn *a = left, *b = right;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* A mutant of each kind, then a second one of each, and so on. */
static void take_turns(MutantPool *pool)
{
    PoolTurn *turns = arena_array(&pool->arena, pool->count, sizeof *turns);
    PoolMutant *ordered = arena_array(&pool->arena, pool->count, sizeof *ordered);
    for (size_t i = 0; i < pool->count; i++) {
        turns[i].at = i;
        for (size_t k = 0; k < i; k++)
            turns[i].round += strcmp(pool->items[k].mutant->mistake, pool->items[i].mutant->mistake) == 0;
    }
    qsort(turns, pool->count, sizeof *turns, compare_turns);
    for (size_t i = 0; i < pool->count; i++)
        ordered[i] = pool->items[turns[i].at];
    pool->items = ordered;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

Status mutant_pool_open(const Problem *problem, const Paths *solutions, uint64_t seed, MutantPool *pool, Message *why)
{
    *pool = (MutantPool){0};
    TRY(read_files(problem, solutions, pool, why));
    list_mutants(pool);
    Status status = take_out_all_noted(pool, why);
    shuffle(pool, seed);
    take_turns(pool);
    return status;
}

void mutant_pool_free(MutantPool *pool)
{
    for (size_t i = 0; i < pool->file_count; i++) {
        mutants_free(&pool->files[i].mutants);
        submission_free(&pool->files[i].submission);
    }
    arena_free(&pool->arena);
    *pool = (MutantPool){0};
}

/* ==== mutant trial ================================================================================================ */

enum { MAX_WORKERS = 64 };

typedef struct TrialRequest {
    size_t file, mutant;
    Digest original; /* "": of no interest */
} TrialRequest;

typedef struct TrialWorker {
    pid_t process;
    int link; /* a socket: requests one way, outcomes the other */
    bool busy;
    TrialRequest asked;
} TrialWorker;

struct MutantTrial {
    const Problem *problem;
    const MutantPool *pool;
    const char *device;
    GeneratorKey secret;
    TrialWorker workers[MAX_WORKERS];
    size_t count;
};

/* ---- in a worker ------------------------------------------------------------------------------------------------- */

static void keep_result(const Result *result, const TrialRequest *request, TrialOutcome *outcome)
{
    const CaseResult *failed = result_failed_case(result);
    outcome->verdict = result->verdict;
    outcome->machine_code = result->compiled.machine_code;
    outcome->same_code = request->original.hex[0] != '\0' &&
                         strcmp(request->original.hex, outcome->machine_code.hex) == 0;
    outcome->by_timed_case = failed != NULL && failed->group == CASE_TIMED;
    snprintf(outcome->text, sizeof outcome->text, "%s", result->text);
}

static void judge_source(const MutantTrial *trial, const TrialRequest *request, const Text *source,
                         TrialOutcome *outcome)
{
    Submission submission = trial->pool->files[request->file].submission;
    Result result = {0};
    Message why = {0};
    submission.source = *source;
    submission.hash = hash_of_one(source->data, source->length);
    const JudgeJob job = {.problem = trial->problem,
                          .submission = &submission,
                          .secret = &trial->secret,
                          .device = trial->device,
                          .shows_durations = true,
                          .same_as = request->original.hex[0] == '\0' ? NULL : &request->original};
    outcome->status = judge_submission(&job, &result, &why);
    if (outcome->status == STATUS_OK)
        keep_result(&result, request, outcome);
    else
        snprintf(outcome->text, sizeof outcome->text, "%.*s", (int)sizeof outcome->text - 1, why.text);
    result_free(&result);
}

static void serve(const MutantTrial *trial, const TrialRequest *request, TrialOutcome *outcome)
{
    const Text *original = &trial->pool->files[request->file].submission.source;
    Text source = {0};
    *outcome = (TrialOutcome){0};
    if (request->mutant == TRIAL_ORIGINAL)
        text_add(&source, original->data);
    else
        mutant_source(original->data, trial->pool->items[request->mutant].mutant, &source);
    judge_source(trial, request, &source, outcome);
    text_free(&source);
}

/* Sockets of type SOCK_SEQPACKET keep the borders of messages, so one is received whole or not at all. */
static void work(const MutantTrial *trial, int link)
{
    TrialRequest request;
    TrialOutcome outcome;
    while (recv(link, &request, sizeof request, 0) == sizeof request) {
        serve(trial, &request, &outcome);
        if (send(link, &outcome, sizeof outcome, MSG_NOSIGNAL) != sizeof outcome)
            break;
    }
    _exit(0);
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

/* As many workers as this process may use processors. */
static size_t mutant_trial_width(void)
{
    const size_t count = processors_usable();
    return count > MAX_WORKERS ? MAX_WORKERS : count;
}

/* `workers`: how many there will be. Each keeps to its own processors: the threads of 64 oracles and simulated GPUs with
 * 64 threads each would keep each other from working. */
static Status start_worker(MutantTrial *trial, size_t workers, Message *why)
{
    const pid_t parent = getpid();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return fail_errno(why, "no socket for a worker that judges mutants");
    const pid_t child = fork();
    if (child == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
            _exit(1);
        close(ends[0]);
        for (size_t i = 0; i < trial->count; i++)
            close(trial->workers[i].link);
        processors_keep_share(trial->count, workers);
        work(trial, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return fail_errno(why, "no process for a worker that judges mutants");
    }
    trial->workers[trial->count++] = (TrialWorker){.process = child, .link = ends[0]};
    return STATUS_OK;
}

Status mutant_trial_start(const Problem *problem, const MutantPool *pool, const char *device, uint64_t seed,
                          size_t count, MutantTrial **trial, Message *why)
{
    MutantTrial *new = *trial = zeroed(1, sizeof **trial);
    Status status = STATUS_OK;
    new->problem = problem;
    new->pool = pool;
    new->device = device;
    (void)key_read(hash_of_one(&seed, sizeof seed).hex, &new->secret); /* a hash has as many digits as a key */
    fflush(NULL); /* otherwise a worker might write once more what is buffered */
    count = count < MAX_WORKERS ? count : MAX_WORKERS;
    while (status == STATUS_OK && new->count < count)
        status = start_worker(new, count, why);
    return status;
}

/* A worker that is judging is killed: its answer interests nobody any more. What it started dies with it. */
void mutant_trial_stop(MutantTrial *trial)
{
    if (trial == NULL)
        return;
    for (size_t i = 0; i < trial->count; i++) {
        if (trial->workers[i].busy)
            kill(trial->workers[i].process, SIGKILL);
        close(trial->workers[i].link);
    }
    for (size_t i = 0; i < trial->count; i++)
        while (waitpid(trial->workers[i].process, NULL, 0) < 0 && errno == EINTR)
            ;
    free(trial);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static TrialWorker *free_worker(const MutantTrial *trial)
{
    for (size_t i = 0; i < trial->count; i++)
        if (!trial->workers[i].busy)
            return (TrialWorker *)&trial->workers[i];
    return NULL;
}

/* Whether a worker is free, so that mutant_trial_ask() may be called. */
static bool mutant_trial_is_free(const MutantTrial *trial)
{
    return free_worker(trial) != NULL;
}

Status mutant_trial_ask(MutantTrial *trial, size_t file, size_t mutant, const Digest *original, Message *why)
{
    TrialWorker *worker = free_worker(trial);
    worker->asked = (TrialRequest){.file = file, .mutant = mutant, .original = *original};
    worker->busy = true;
    if (send(worker->link, &worker->asked, sizeof worker->asked, MSG_NOSIGNAL) != sizeof worker->asked)
        return fail_errno(why, "a worker that judges mutants has ended");
    return STATUS_OK;
}

/* The first worker whose answer is there; NULL: nobody has been asked. */
static TrialWorker *answering_worker(MutantTrial *trial)
{
    struct pollfd links[MAX_WORKERS];
    size_t asked = 0;
    for (size_t i = 0; i < trial->count; i++) {
        links[i] = (struct pollfd){.fd = trial->workers[i].busy ? trial->workers[i].link : -1, .events = POLLIN};
        asked += trial->workers[i].busy;
    }
    while (asked > 0) {
        if (poll(links, trial->count, -1) <= 0)
            continue;
        for (size_t i = 0; i < trial->count; i++)
            if (links[i].revents != 0)
                return &trial->workers[i];
    }
    return NULL;
}

Status mutant_trial_wait(MutantTrial *trial, TrialDone *done, bool *answered, Message *why)
{
    TrialWorker *worker = answering_worker(trial);
    *answered = worker != NULL;
    if (worker == NULL)
        return STATUS_OK;
    *done = (TrialDone){.file = worker->asked.file, .mutant = worker->asked.mutant};
    if (recv(worker->link, &done->outcome, sizeof done->outcome, 0) != sizeof done->outcome)
        return fail(STATUS_SYSTEM, why, "a worker that judges mutants has ended without an answer");
    worker->busy = false;
    return STATUS_OK;
}

/* ==== check mutants =============================================================================================== */

/* The usual seed is the same each time, so that a second check finds in the compile cache what the first one judged. */
enum { USUAL_SAMPLE = 20, USUAL_SEED = 1 };

typedef enum MutantFate {
    FATE_REFUSED,        /* does not compile */
    FATE_SAME_CODE,      /* compiles to the machine code of the original */
    FATE_BEYOND_JUDGE,   /* needs what the judge lacks */
    FATE_FOUND,          /* is not accepted */
    FATE_FOUND_IN_TIMED, /* the same, by a timed case alone */
    FATE_SURVIVED,       /* is accepted */
    FATES
} MutantFate;

struct MutantCheck {
    MutantPool pool;
    MutantTrial *trial;
    Digest *codes; /* of the files as they are */
    uint64_t seed;
    size_t wanted; /* mutants to grade */
    size_t counts[FATES];
    Digest content;
    size_t known; /* graded mutants that an earlier check of the same content has judged */
    Progress progress;
    double start_s;
};

/* ---- what is wanted ---------------------------------------------------------------------------------------------- */

static Status read_number(const char *option, const char *text, uint64_t *number, Message *why)
{
    char *end;
    *number = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && strlen(text) < 19)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "check-problem: option '--%s': expected a whole number, found '%s'", option,
                text);
}

static Status read_options(const Options *options, uint64_t *wanted, uint64_t *seed, Message *why)
{
    Status status = STATUS_OK;
    *wanted = options->thorough ? SIZE_MAX : USUAL_SAMPLE;
    if (options->thorough && options->mutants != NULL)
        return fail(STATUS_BAD_INPUT, why,
                    "check-problem: '--thorough' takes all mutants, so '--mutants' cannot be given");
    *seed = USUAL_SEED;
    if (options->mutants != NULL)
        status = read_number("mutants", options->mutants, wanted, why);
    if (options->seed != NULL)
        THEN(status, read_number("seed", options->seed, seed, why));
    return status;
}

Status check_mutants_open(const Options *options, const Problem *problem, const Paths *solutions,
                          const CheckDevice *device, const Digest *content, MutantCheck **check, Message *why)
{
    uint64_t wanted = 0, seed = 0;
    *check = NULL;
    Status status = read_options(options, &wanted, &seed, why);
    TRY(status);
    MutantCheck *new = *check = zeroed(1, sizeof *new);
    new->seed = seed;
    new->content = *content;
    new->progress = progress_new(stderr);
    status = mutant_pool_open(problem, solutions, seed, &new->pool, why);
    if (status != STATUS_OK || wanted == 0)
        return status;
    new->wanted = wanted < new->pool.count ? wanted : new->pool.count;
    new->codes = zeroed(new->pool.file_count, sizeof *new->codes);
    return mutant_trial_start(problem, &new->pool, device->modelled ? device->name : "sim", seed, mutant_trial_width(),
                              &new->trial, why);
}

void check_mutants_close(MutantCheck *check)
{
    if (check == NULL)
        return;
    mutant_trial_stop(check->trial);
    mutant_pool_free(&check->pool);
    free(check->codes);
    free(check);
}

/* ---- what was judged before -------------------------------------------------------------------------------------- */

static Digest outcome_key(const MutantCheck *check, const TrialDone *done)
{
    const Text *original = &check->pool.files[done->file].submission.source;
    Text mutant = {0};
    Hash hash;
    if (done->mutant != TRIAL_ORIGINAL)
        mutant_source(original->data, check->pool.items[done->mutant].mutant, &mutant);
    hash_begin(&hash);
    hash_add_string(&hash, check->content.hex);
    hash_add(&hash, &check->seed, sizeof check->seed); /* from which the data follow */
    hash_add_strings(&hash, (const char *const[]){"mutant", original->data, mutant.data, NULL});
    text_free(&mutant);
    return hash_end(&hash);
}

static bool recall(const MutantCheck *check, TrialDone *done)
{
    const Digest key = outcome_key(check, done);
    Text bytes = {0};
    const bool is_known = compile_cache_read(NULL, &key, &bytes) && bytes.length == sizeof done->outcome;
    if (is_known)
        memcpy(&done->outcome, bytes.data, sizeof done->outcome);
    text_free(&bytes);
    return is_known;
}

/* A fault of the judge is not kept. */
static void remember(const MutantCheck *check, const TrialDone *done)
{
    const Digest key = outcome_key(check, done);
    Text bytes = {0};
    if (done->outcome.status != STATUS_OK || done->outcome.verdict == VERDICT_JUDGE_ERROR)
        return;
    text_append(&bytes, (const char *)&done->outcome, sizeof done->outcome);
    compile_cache_write(NULL, &key, &bytes);
    text_free(&bytes);
}

/* ---- the originals ----------------------------------------------------------------------------------------------- */

static Status fail_outcome(const char *file, const TrialOutcome *outcome, Message *why)
{
    return fail(outcome->status, why, "%s: %s", file, outcome->text);
}

static Status keep_code(MutantCheck *check, const TrialDone *done, Message *why)
{
    const char *file = check->pool.files[done->file].shown;
    if (done->outcome.status != STATUS_OK)
        return fail_outcome(file, &done->outcome, why);
    if (done->outcome.verdict != VERDICT_ACCEPTED)
        return fail(STATUS_BAD_INPUT, why, "%s: only mutants of accepted files say anything, but it gets %s: %s", file,
                    verdict_name(done->outcome.verdict), done->outcome.text);
    check->codes[done->file] = done->outcome.machine_code;
    return STATUS_OK;
}

/* Whether the file is accepted, and what its machine code is. */
static Status judge_originals(MutantCheck *check, Message *why)
{
    size_t asked = 0;
    bool answered = true;
    Status status = STATUS_OK;
    while (status == STATUS_OK && answered) {
        TrialDone done = {.file = asked, .mutant = TRIAL_ORIGINAL};
        if (asked < check->pool.file_count && recall(check, &done)) {
            status = keep_code(check, &done, why);
            asked++;
            continue;
        }
        if (asked < check->pool.file_count && mutant_trial_is_free(check->trial)) {
            status = mutant_trial_ask(check->trial, asked++, TRIAL_ORIGINAL, &(Digest){0}, why);
            continue;
        }
        progress_note(&check->progress, "%zu of %zu files as they are", asked, check->pool.file_count);
        status = mutant_trial_wait(check->trial, &done, &answered, why);
        if (status != STATUS_OK || !answered)
            continue;
        remember(check, &done);
        status = keep_code(check, &done, why);
    }
    return status;
}

/* ---- the mutants ------------------------------------------------------------------------------------------------- */

static MutantFate fate_of(const TrialOutcome *outcome)
{
    if (outcome->same_code)
        return FATE_SAME_CODE;
    switch (outcome->verdict) {
    case VERDICT_COMPILE_ERROR: return FATE_REFUSED;
    case VERDICT_JUDGE_ERROR: return FATE_BEYOND_JUDGE;
    case VERDICT_ACCEPTED: return FATE_SURVIVED;
    default: return outcome->by_timed_case ? FATE_FOUND_IN_TIMED : FATE_FOUND;
    }
}

/* The line of the progress is ended first, since both may go to one terminal. */
static void print_survivor(MutantCheck *check, const PoolMutant *item)
{
    const PoolFile *file = &check->pool.files[item->file];
    Text note = {0};
    progress_end(&check->progress, "one is accepted");
    printf("# survivor: %s:%d: %s\n#   - %s\n#   + %s\n", file->shown, item->mutant->line, item->mutant->mistake,
           item->before, item->after);
    mutant_note_add(file->submission.source.data, item->mutant, &note);
    printf("#   if it is right: // also right: %s: WHY\n", note.data);
    text_free(&note);
    fflush(stdout);
    progress_begin(&check->progress, "mutants", 0);
}

static Status count_outcome(MutantCheck *check, const TrialDone *done, Message *why)
{
    const PoolMutant *item = &check->pool.items[done->mutant];
    if (done->outcome.status != STATUS_OK)
        return fail_outcome(check->pool.files[done->file].shown, &done->outcome, why);
    const MutantFate fate = fate_of(&done->outcome);
    check->counts[fate]++;
    if (fate == FATE_SURVIVED)
        print_survivor(check, item);
    return STATUS_OK;
}

static size_t found(const MutantCheck *check)
{
    return check->counts[FATE_FOUND] + check->counts[FATE_FOUND_IN_TIMED];
}

/* Only these count: the others say nothing about the cases. */
static size_t graded(const MutantCheck *check)
{
    return found(check) + check->counts[FATE_SURVIVED];
}

void check_mutants_name(const MutantCheck *check, Text *name)
{
    text_printf(name, "the cases find the mistakes in %zu mutants of the reference solutions, ", graded(check));
    if (check->wanted < check->pool.count)
        text_printf(name, "a sample of %zu", check->pool.count);
    else
        text_add(name, "all that compile and differ");
    text_printf(name, " (seed %llu)", (unsigned long long)check->seed);
}

static void show_progress(MutantCheck *check)
{
    const size_t done = graded(check);
    const double spent_s = now_s() - check->start_s;
    if (done <= check->known)
        progress_note(&check->progress, "%zu of %zu", done, check->wanted);
    else
        progress_note(&check->progress, "%zu of %zu, %zu survived, about %.0f s left", done, check->wanted,
                      check->counts[FATE_SURVIVED],
                      spent_s / (double)(done - check->known) * (double)(check->wanted - done));
}

/* A mutant that says nothing is replaced by the next one, so those that are `under_way` may still count. */
static Status judge_mutants(MutantCheck *check, Message *why)
{
    size_t asked = 0, under_way = 0;
    Status status = STATUS_OK;
    check->start_s = now_s();
    while (status == STATUS_OK) {
        const bool more = asked < check->pool.count && graded(check) + under_way < check->wanted;
        TrialDone done = {.file = more ? check->pool.items[asked].file : 0, .mutant = asked};
        bool answered;
        if (more && recall(check, &done)) {
            const size_t before = graded(check);
            status = count_outcome(check, &done, why);
            check->known += graded(check) - before;
            asked++;
            continue;
        }
        if (more && mutant_trial_is_free(check->trial)) {
            status = mutant_trial_ask(check->trial, done.file, asked++, &check->codes[done.file], why);
            under_way++;
            continue;
        }
        show_progress(check);
        status = mutant_trial_wait(check->trial, &done, &answered, why);
        if (status != STATUS_OK || !answered)
            break;
        under_way--;
        remember(check, &done);
        status = count_outcome(check, &done, why);
    }
    return status;
}

static void print_counts(const MutantCheck *check)
{
    const size_t *counts = check->counts;
    printf("# mutants: %zu found, of these %zu by a timed case alone; %zu survived\n", found(check),
           counts[FATE_FOUND_IN_TIMED], counts[FATE_SURVIVED]);
    printf("# left out: %zu do not compile, %zu compile to the original's code, %zu need what the judge lacks, "
           "%zu are noted as equivalent\n",
           counts[FATE_REFUSED], counts[FATE_SAME_CODE], counts[FATE_BEYOND_JUDGE], check->pool.noted);
    if (check->known > 0)
        printf("# judged before: %zu of these\n", check->known);
}

bool check_mutants_are_wanted(const MutantCheck *check)
{
    return check->wanted > 0;
}

Status check_mutants_run(MutantCheck *check, Message *why)
{
    char outcome[100];
    fflush(stdout);
    progress_begin(&check->progress, "mutants", 0);
    Status status = judge_originals(check, why);
    THEN(status, judge_mutants(check, why));
    snprintf(outcome, sizeof outcome, "%zu of %zu found in %.0f s", found(check), graded(check),
             now_s() - check->start_s);
    progress_end(&check->progress, status == STATUS_OK ? outcome : "failed");
    TRY(status);
    print_counts(check);
    if (check->counts[FATE_SURVIVED] == 0)
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "a case for each survivor above, or a note at its line why it is right");
}
