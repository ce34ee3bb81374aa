/* command_scores.c - the points of a class, from the store of the service or of `grade-class`.  */
#include "service/commands/service_command.h"

#include "grader/terminal/json_target.h"
#include "service/class/class_read.h"
#include "service/commands/administered_store.h"
#include "service/scores/scores_csv.h"
#include "service/scores/scores_json.h"

#include <string.h>

static Status check_options(const Options *options, Message *why)
{
    Status status = options_expect_no_file(options, why);
    if (status == STATUS_OK && options->class_file == NULL)
        status = fail(STATUS_BAD_INPUT, why, "scores: expected --class FILE, the class.json");
    if (status == STATUS_OK && options->csv != NULL && options->json != NULL &&
        strcmp(options->csv, options->json) == 0)
        status = fail(STATUS_BAD_INPUT, why, "scores: --csv and --json: expected two places, found %s twice",
                      options->csv);
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

/* Standard output gets a line for each person, unless one of the files goes there. */
static Status write_scores(const Options *options, const Scores *scores, Arena *arena, Message *why)
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
    if (status != STATUS_OK || is_taken)
        return status;
    scores_print(scores, &text);
    return write_text("-", &text, why);
}

Status command_scores(const Options *options, int *exit_status, Message *why)
{
    ClassFile class = {0};
    Scores scores;
    Store *store = NULL;
    Arena arena = {0};
    Status status = check_options(options, why);
    if (status == STATUS_OK)
        status = class_file_read(options->class_file, &class, why);
    if (status == STATUS_OK)
        status = administered_store_open(options, &store, why);
    if (status == STATUS_OK)
        status = store_begin_reading(store, why);
    if (status == STATUS_OK) {
        status = scores_read(store, &class, &arena, &scores, why);
        if (store_end_reading(store, status == STATUS_OK ? why : NULL) != STATUS_OK && status == STATUS_OK)
            status = STATUS_SYSTEM;
    }
    if (status == STATUS_OK)
        status = write_scores(options, &scores, &arena, why);
    store_close(store);
    class_file_free(&class);
    arena_free(&arena);
    *exit_status = 0;
    return status;
}
