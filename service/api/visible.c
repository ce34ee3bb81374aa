#include "service/api/visible.h"

#include "service/api/answer.h"

bool visible_to(const Visit *visit, int64_t person)
{
    return visit->is_known && (visit->person.id == person || visit->person.role >= PERSON_TEACHER);
}

/* To whoever has handed it in for its author, by a token for that. */
static Status check_sender(const Visit *visit, int64_t id, bool *is_sender, Message *why)
{
    int64_t sender = 0;
    Status status = visit->hands_in_only ? submissions_sender(visit->service->store, id, &sender, why) : STATUS_OK;
    *is_sender = sender != 0 && sender == visit->person.id;
    return status;
}

bool visible_submission(Visit *visit, StoredSubmission *row)
{
    Message why;
    bool is_sender = false;
    const int64_t id = answer_number(visit, "submission");
    if (id == 0)
        return false;
    Status status = submissions_read(visit->service->store, id, visit->arena, row, &why);
    if (status == STATUS_OK)
        status = check_sender(visit, id, &is_sender, &why);
    if (status == STATUS_OK && !is_sender && !visible_to(visit, row->person_id))
        status = fail(STATUS_NOT_FOUND, &why, "there is no submission %lld", (long long)id);
    if (status != STATUS_OK)
        answer_failure(visit, status, &why);
    return status == STATUS_OK;
}

const char *visible_name(const Visit *visit, const char *name, int64_t *id)
{
    Person person = {0};
    *id = 0;
    if (people_find(visit->service->store, name, visit->arena, &person, NULL) != STATUS_OK)
        return name;
    *id = person.id;
    return person.pseudonym[0] == '\0' || visible_to(visit, person.id) ? name : person.pseudonym;
}

Status visible_standings(const Visit *visit, Standing *standings, size_t count, int64_t **submissions, Message *why)
{
    Status status = STATUS_OK;
    *submissions = arena_array(visit->arena, count + 1, sizeof **submissions);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        int64_t person;
        standings[i].person = visible_name(visit, standings[i].person, &person);
        if (person != 0 && visible_to(visit, person))
            status = submissions_of_run(visit->service->store, standings[i].run, &(*submissions)[i], why);
    }
    return status;
}
