/* class_facts.h - what each person of a class has handed in, from the store of a service.
 *
 * Only what was handed in for the ranking (mode "rank") to a problem of the class. People are those of all groups, whether they
 * have handed in or not, and students who have without being in a group.
 * Order    people by name (strcmp), facts by the time of their receipt; where only the time is known at which they were taken in
 *          from elsewhere, by that.
 * Owns     everything lives in `arena`.  */
#ifndef SERVICE_SCORES_CLASS_FACTS_H
#define SERVICE_SCORES_CLASS_FACTS_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"
#include "service/class/class_file.h"
#include "service/class/submission_fact.h"
#include "service/scores/judged_fact.h"
#include "service/store/submissions.h"

#include <stddef.h>

typedef struct PersonFacts {
    const char *person;
    SubmissionFact *facts;
    const StoredSubmission **rows; /* of each fact, by the same index */
    size_t count;
} PersonFacts;

/* Reads the names of a problem's hidden cases. `id` must live as long as the names. */
MUST_USE Status case_names_read(const char *id, Arena *arena, CaseNames *names, Message *why);

MUST_USE Status class_facts_read(Store *store, const ClassFile *class, Arena *arena, PersonFacts **people,
                                 size_t *count, Message *why);
/* The same for one person. */
MUST_USE Status class_facts_of_person(Store *store, const ClassFile *class, int64_t person, Arena *arena,
                                      PersonFacts *facts, Message *why);

#endif
