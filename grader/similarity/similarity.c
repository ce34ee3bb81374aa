#include "grader/similarity/similarity.h"

#include "base/allocated.h"
#include "base/paths.h"
#include "grader/judge/compilation.h"
#include "grader/similarity/source_share.h"
#include "harness/compile/toolkit.h"
#include "harness/device/open/device_open.h"
#include "harness/sandbox/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is compared -------------------------------------------------------------------------------------------- */

static Program *add_program(Similarities *found, Program program)
{
    found->programs = arena_grown(&found->arena, found->programs, found->count, &found->capacity, sizeof program);
    found->programs[found->count] = program;
    return &found->programs[found->count++];
}

static bool is_known(const Similarities *found, const char *person, const char *source_hash)
{
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->programs[i].author, person) == 0 &&
            strcmp(found->programs[i].submission.hash.hex, source_hash) == 0)
            return true;
    return false;
}

static Status add_run(Store *store, int64_t id, Similarities *found, Message *why)
{
    Arena *arena = &found->arena;
    RecordedRun recorded;
    Text name = {0}, source = {0};
    Status status = store_run(store, id, arena, &recorded, why);
    if (status != STATUS_OK)
        return status;
    if (recorded.run.source == NULL) {
        found->without_source++;
        return STATUS_OK;
    }
    text_add(&name, recorded.run.file_name);
    text_add(&source, recorded.run.source);
    Program program = {.author = recorded.run.person,
                       .file_name = recorded.run.file_name,
                       .run = id,
                       .time_utc = recorded.run.time_utc,
                       .is_persons = true,
                       .submission = {.path = recorded.run.file_name, .file_name = name.data, .source = source}};
    strcpy(program.submission.hash.hex, hash_of_one(source.data, source.length).hex);
    add_program(found, program);
    return STATUS_OK;
}

/* Each source of each person once, by its first accepted run. */
static Status add_people(Store *store, const char *problem, Similarities *found, Message *why)
{
    Arena arena = {0};
    RecordedRun *runs = NULL;
    size_t count = 0;
    Status status = STATUS_OK;
    if (store != NULL)
        status = store_list_runs(store, problem, NULL, &arena, &runs, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if (strcmp(runs[i].run.verdict, verdict_name(VERDICT_ACCEPTED)) == 0 &&
            !is_known(found, runs[i].run.person, runs[i].run.source_hash))
            status = add_run(store, runs[i].id, found, why);
    arena_free(&arena);
    return status;
}

static int select_cuda(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot != NULL && strcmp(dot, ".cu") == 0;
}

/* Adds the .cu files of a folder under one author. A missing folder is an error if it must be there. */
static Status add_folder(const char *folder, const char *author, bool must_exist, Similarities *found, Message *why)
{
    struct dirent **entries;
    Status status = STATUS_OK;
    int count = scandir(folder, &entries, select_cuda, alphasort);
    if (count < 0 && must_exist)
        return fail(STATUS_NOT_FOUND, why, "%s: cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        Program program = {.author = arena_string(&found->arena, author), .time_utc = ""};
        if (status == STATUS_OK)
            status = submission_read(arena_printf(&found->arena, "%s/%s", folder, entries[i]->d_name),
                                     &program.submission, why);
        if (status == STATUS_OK) {
            program.file_name = program.submission.file_name;
            add_program(found, program);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return status;
}

static Status add_references(const char *problem, Similarities *found, Message *why)
{
    char relative[200], folder[4096];
    snprintf(relative, sizeof relative, "solutions/%s/accepted", problem);
    Status status = paths_home(relative, folder, sizeof folder, why);
    return status == STATUS_OK ? add_folder(folder, "reference", false, found, why) : status;
}

/* A problem without a starter hands nothing out. */
static Status read_handout(const char *problem, Submission *handout, Message *why)
{
    char relative[200], path[4096];
    Message missing;
    snprintf(relative, sizeof relative, "problems/%s/starter.cu", problem);
    Status status = paths_home(relative, path, sizeof path, why);
    if (status == STATUS_OK && submission_read(path, handout, &missing) != STATUS_OK)
        *handout = (Submission){0};
    handout->path = "starter.cu";
    return status;
}

/* ---- device code ------------------------------------------------------------------------------------------------- */

typedef struct Compiling {
    const Problem *problem;
    DeviceInfo device;
    Toolkit toolkit;
    char scratch[4096];
} Compiling;

/* A source that does not compile here has no fingerprints. */
static Status fingerprint(const Compiling *compiling, const Submission *submission, Arena *arena, Fingerprints *code,
                          Message *why)
{
    Compiled compiled;
    *code = (Fingerprints){0};
    Status status = compilation_of(compiling->problem, submission, &compiling->device, &compiling->toolkit,
                                   compiling->scratch, &compiled, why);
    if (status != STATUS_OK)
        return status;
    if (compiled.outcome == COMPILE_OK)
        *code = fingerprints_of(&compiled, 10 * compiling->device.compute_major + compiling->device.compute_minor,
                                arena);
    compiled_free(&compiled);
    return STATUS_OK;
}

static Status fingerprint_all(Compiling *compiling, const Submission *handout, Progress *progress, Similarities *found,
                              Message *why)
{
    Fingerprints handed_out = {0};
    Status status = device_describe("sim", &compiling->device, why);
    if (status == STATUS_OK)
        status = toolkit_find(&compiling->toolkit, why);
    if (status == STATUS_OK)
        status = scratch_new(compiling->scratch, sizeof compiling->scratch, why);
    if (status != STATUS_OK)
        return status;
    progress_begin(progress, "compile", (int)found->count);
    if (handout->source.length > 0)
        status = fingerprint(compiling, handout, &found->arena, &handed_out, why);
    for (size_t i = 0; i < found->count && status == STATUS_OK; i++) {
        Program *program = &found->programs[i];
        status = fingerprint(compiling, &program->submission, &found->arena, &program->code, why);
        found->not_compiled += program->code.count == 0;
        fingerprints_remove(&program->code, &handed_out);
        progress_advance(progress);
    }
    progress_end(progress, status == STATUS_OK ? "done" : "failed");
    scratch_remove(compiling->scratch);
    return status;
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */

static Status compare_sources(const Submission *handout, Similarities *found, float *shares, Message *why)
{
    Arena arena = {0};
    Text *rest = arena_array(&arena, found->count, sizeof *rest);
    for (size_t i = 0; i < found->count; i++)
        source_share_leave_out(found->programs[i].submission.source.data,
                               handout->source.length > 0 ? handout->source.data : "", &rest[i]);
    Status status = source_share_all(rest, found->count, shares, why);
    for (size_t i = 0; i < found->count; i++)
        text_free(&rest[i]);
    arena_free(&arena);
    return status;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

void similarity_rate(SimilarPair *pair, double source_a, double source_b)
{
    const Program *x = pair->a, *y = pair->b;
    pair->same_source = strcmp(x->submission.hash.hex, y->submission.hash.hex) == 0;
    pair->source_a = pair->same_source ? 1 : source_a;
    pair->source_b = pair->same_source ? 1 : source_b;
    pair->code_a = fingerprints_share(&x->code, &y->code);
    pair->code_b = fingerprints_share(&y->code, &x->code);
    pair->same_code = x->code.count > 0 && x->code.count == y->code.count && pair->code_a == 1;
    pair->most = fmax(fmax(pair->source_a, pair->source_b), fmax(pair->code_a, pair->code_b));
    pair->mean = fmax(pair->source_a + pair->source_b, pair->code_a + pair->code_b) / 2;
}

static int by_share(const void *a, const void *b)
{
    const SimilarPair *x = a, *y = b;
    int order = (x->mean < y->mean) - (x->mean > y->mean);
    return order != 0 ? order : (x->most < y->most) - (x->most > y->most);
}

/* Sorts by the two authors, then the most similar first. */
static int by_authors(const void *a, const void *b)
{
    const SimilarPair *x = a, *y = b;
    int order = strcmp(x->a->author, y->a->author);
    if (order == 0)
        order = strcmp(x->b->author, y->b->author);
    if (order == 0) /* a person may be called like a folder */
        order = x->b->is_persons - y->b->is_persons;
    return order != 0 ? order : by_share(a, b);
}

/* Whether two programs are by different people, or one is a person's and the other is not. */
static bool are_of_interest(const Program *a, const Program *b)
{
    return (a->is_persons || b->is_persons) && (a->is_persons != b->is_persons || strcmp(a->author, b->author) != 0);
}

/* The person comes first; of two people the one with the smaller name. */
static SimilarPair pair_of(const Similarities *found, size_t a, size_t b, const float *shares)
{
    const Program *x = &found->programs[a], *y = &found->programs[b];
    bool swap = x->is_persons != y->is_persons ? y->is_persons : strcmp(x->author, y->author) > 0;
    double share_x = (double)shares[a * found->count + b], share_y = (double)shares[b * found->count + a];
    SimilarPair pair = {.a = swap ? y : x, .b = swap ? x : y};
    similarity_rate(&pair, swap ? share_y : share_x, swap ? share_x : share_y);
    return pair;
}

static bool have_same_authors(const SimilarPair *x, const SimilarPair *y)
{
    return strcmp(x->a->author, y->a->author) == 0 && strcmp(x->b->author, y->b->author) == 0 &&
           x->b->is_persons == y->b->is_persons;
}

static void list_pairs(Similarities *found, double threshold, const float *shares)
{
    size_t capacity = 0, kept = 0;
    for (size_t a = 0; a < found->count; a++)
        for (size_t b = a + 1; b < found->count; b++) {
            if (!are_of_interest(&found->programs[a], &found->programs[b]))
                continue;
            SimilarPair pair = pair_of(found, a, b, shares);
            if (pair.most < threshold)
                continue;
            found->pairs = arena_grown(&found->arena, found->pairs, found->pair_count, &capacity, sizeof pair);
            found->pairs[found->pair_count++] = pair;
        }
    if (found->pair_count == 0)
        return;
    qsort(found->pairs, found->pair_count, sizeof *found->pairs, by_authors);
    for (size_t i = 0; i < found->pair_count; i++)
        if (i == 0 || !have_same_authors(&found->pairs[i], &found->pairs[kept - 1]))
            found->pairs[kept++] = found->pairs[i];
    found->pair_count = kept;
    qsort(found->pairs, found->pair_count, sizeof *found->pairs, by_share);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static Status gather(Store *store, const char *problem, const char *also, Similarities *found, Message *why)
{
    Status status = add_people(store, problem, found, why);
    if (status == STATUS_OK)
        status = add_references(problem, found, why);
    if (status == STATUS_OK && also != NULL)
        status = add_folder(also, also, true, found, why);
    return status;
}

Status similarities_find(Store *store, const Problem *problem, const char *also, double threshold, Progress *progress,
                         Similarities *found, Message *why)
{
    Compiling compiling = {.problem = problem};
    Submission handout = {0};
    *found = (Similarities){.has_sources = source_share_is_there()};
    Status status = gather(store, problem->id, also, found, why);
    float *shares = zeroed(found->count * found->count + 1, sizeof *shares);
    if (status == STATUS_OK)
        status = read_handout(problem->id, &handout, why);
    if (status == STATUS_OK)
        status = fingerprint_all(&compiling, &handout, progress, found, why);
    if (status == STATUS_OK && found->has_sources && found->count > 1)
        status = compare_sources(&handout, found, shares, why);
    if (status == STATUS_OK)
        list_pairs(found, threshold, shares);
    submission_free(&handout);
    free(shares);
    return status;
}

void similarities_free(Similarities *found)
{
    for (size_t i = 0; i < found->count; i++)
        submission_free(&found->programs[i].submission);
    arena_free(&found->arena);
    *found = (Similarities){0};
}
