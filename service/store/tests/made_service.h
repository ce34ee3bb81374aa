/* made_service.h - a service's database in a folder of its own, for tests of what reads or writes it.  */
#ifndef SERVICE_STORE_TESTS_MADE_SERVICE_H
#define SERVICE_STORE_TESTS_MADE_SERVICE_H

#include "base/tests/unit.h"

#include "leaderboard/database.h"
#include "service/store/judgings.h"
#include "service/store/people.h"
#include "service/store/service_store.h"
#include "service/store/submissions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static Store *store;
static Arena arena;
static Message why;

static inline void must(Status status)
{
    if (status != STATUS_OK)
        fail_test("%s", why.text);
}

static inline int new_service(void **state)
{
    strcpy(folder, "/tmp/convjudge-test-service.XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    return service_store_open(folder, &store, &why) == STATUS_OK ? 0 : -1;
}

static inline int remove_service(void **state)
{
    char command[80];
    store_close(store);
    store = NULL;
    arena_free(&arena);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static inline Person admitted(const char *name)
{
    Person person;
    must(people_admit(store, name, &arena, &person, &why));
    return person;
}

static const OrderRule rule = {.penalty_s = 60};

/* Hands in; the number of the submission. */
static inline int64_t handed_in(int64_t person, const char *key)
{
    int64_t id;
    bool is_new;
    const HandIn row = {.person = person,
                        .key = key,
                        .problem = "conv1d",
                        .revision = "r1",
                        .mode = "rank",
                        .sizes = "",
                        .file_name = "x.cu",
                        .source = "// nothing",
                        .source_hash = "50ce"};
    must(submissions_hand_in(store, &row, &rule, &id, &is_new, &why));
    return id;
}

static inline StoredSubmission stored(int64_t id)
{
    StoredSubmission row;
    must(submissions_read(store, id, &arena, &row, &why));
    return row;
}

/* What a query answers. */
static inline const char *asked(const char *question)
{
    static char answer[300];
    must(database_ask(store, question, answer, sizeof answer, &why));
    return answer;
}

#define test(function) cmocka_unit_test_setup_teardown(function, new_service, remove_service)

#endif
