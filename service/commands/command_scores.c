/* command_scores.c - the points of a class, from the store of the service or of `grade-class`.  */
#include "service/commands/service_command.h"

#include "grader/terminal/json_target.h"
#include "grader/ranking/person.h"
#include "service/class/class_read.h"
#include "service/class/class_state.h"
#include "service/classroom/class_watch.h"
#include "service/commands/administered_store.h"
#include "service/scores/scores_csv.h"
#include "service/scores/scores_json.h"
#include "service/scores/summary_facts.h"
#include "service/store/service_store.h"
#include "service/summary/class_summary.h"
#include "service/summary/summary_page.h"
#include "service/summary/summary_text.h"

#include <string.h>
#include <unistd.h>

static Status expect_two_places(const char *names, const char *one, const char *other, Message *why)
{
    if (one != NULL && other != NULL && strcmp(one, other) == 0)
        return fail(STATUS_BAD_INPUT, why, "scores: %s: expected two places, found %s twice", names, one);
    return STATUS_OK;
}

static Status check_options(const Options *options, Message *why)
{
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK && options->class_file == NULL)
        status = fail(STATUS_BAD_INPUT, why, "scores: expected --class FILE, the class.json");
    if (status == STATUS_OK)
        status = expect_two_places("--csv and --json", options->csv, options->json, why);
    if (status == STATUS_OK)
        status = expect_two_places("--csv and --summary", options->csv, options->summary, why);
    if (status == STATUS_OK)
        status = expect_two_places("--json and --summary", options->json, options->summary, why);
    if (status == STATUS_OK)
        status = json_target_check(options->summary, options->class_file, why);
    if (status == STATUS_OK)
        status = json_target_check(options->json, options->class_file, why);
    return status == STATUS_OK ? json_target_check(options->csv, options->class_file, why) : status;
}

static Status write_text(const char *place, Text *text, Message *why)
{
    Status status = json_target_write(place, text, why);
    text_free(text);
    return status;
}

/* The name says which form is wanted. */
static void add_summary(const char *place, const Summary *summary, Text *text)
{
    static const char page[] = ".html";
    const size_t length = strlen(place);
    const Site alone = {.is_static = true, .is_alone = true};
    if (length >= strlen(page) && strcmp(place + length - strlen(page), page) == 0)
        summary_page(text, &alone, summary);
    else
        summary_text(text, summary);
}

/* Standard output gets a line for each person, unless one of the files goes there. */
static Status write_scores(const Options *options, const Scores *scores, const Summary *summary, Arena *arena,
                           Message *why)
{
    Text text = {0};
    Status status = STATUS_OK;
    bool is_taken = false;
    if (options->csv != NULL) {
        scores_csv(scores, arena, &text);
        status = write_text(options->csv, &text, why);
        is_taken = strcmp(options->csv, "-") == 0;
    }
    if (status == STATUS_OK && options->json != NULL) {
        scores_json(scores, arena, &text);
        status = write_text(options->json, &text, why);
        is_taken = is_taken || strcmp(options->json, "-") == 0;
    }
    if (status == STATUS_OK && options->summary != NULL) {
        add_summary(options->summary, summary, &text);
        status = write_text(options->summary, &text, why);
        is_taken = is_taken || strcmp(options->summary, "-") == 0;
    }
    if (status != STATUS_OK || is_taken)
        return status;
    scores_print(scores, &text);
    return write_text("-", &text, why);
}

/* Where `grade-class` has left results for this class file, and nobody names another place, they are what is meant. */
static Status open_store(const Options *options, Arena *arena, Store **store, Message *why)
{
    Options chosen = *options;
    const char *folder = class_state_folder(options->class_file, NULL, arena);
    char path[SERVICE_PATH_BYTES];
    Message ignored;
    if (options->state == NULL && options->config == NULL && service_store_path(folder, path, &ignored) == STATUS_OK &&
        access(path, F_OK) == 0)
        chosen.state = folder;
    return administered_store_open(&chosen, store, why);
}

Status command_scores(const Options *options, int *exit_status, Message *why)
{
    ClassFile class = {0};
    Scores scores;
    Facts facts = {0};
    Summary summary = {0};
    Store *store = NULL;
    Arena arena = {0};
    char person[PERSON_MAX_BYTES + 1];
    Status status = check_options(options, why);
    if (status == STATUS_OK)
        status = class_file_read(options->class_file, &class, why);
    if (status == STATUS_OK)
        status = open_store(options, &arena, &store, why);
    person_login(person);
    if (status == STATUS_OK)
        status = class_take_for(&class, store, person, why);
    if (status == STATUS_OK)
        status = store_begin_reading(store, why);
    if (status == STATUS_OK) {
        status = scores_read(store, &class, &arena, &scores, why);
        if (status == STATUS_OK && options->summary != NULL)
            status = summary_facts_read(store, &scores, &facts, why);
        if (store_end_reading(store, status == STATUS_OK ? why : NULL) != STATUS_OK && status == STATUS_OK)
            status = STATUS_SYSTEM;
    }
    if (status == STATUS_OK && options->summary != NULL)
        summary = summary_of(&facts, class.title[0] == '\0' ? "The class" : class.title, utc_now().text, &arena);
    if (status == STATUS_OK)
        status = write_scores(options, &scores, &summary, &arena, why);
    facts_free(&facts);
    store_close(store);
    class_file_free(&class);
    arena_free(&arena);
    *exit_status = 0;
    return status;
}
