/* command_token.c - an administrator's work on the store itself: tokens, and a copy. The server may run meanwhile.  */
#include "service/commands/service_command.h"

#include "service/commands/administered_store.h"
#include "service/store/people.h"
#include "service/store/service_store.h"

#include <stdio.h>
#include <string.h>

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

static Status add_token(Store *store, const Options *options, const char *name, Arena *arena, Message *why)
{
    Person person;
    PersonRole role;
    Secret token;
    Status status = people_admit(store, name, arena, &person, why);
    if (status == STATUS_OK && options->role != NULL) {
        status = role_parse(options->role, &role, why);
        if (status == STATUS_OK)
            status = people_set_role(store, person.id, role, why);
    }
    if (status == STATUS_OK)
        status = token_add(store, person.id, options->hand_in_only ? TOKEN_FOR_HAND_IN : TOKEN_FOR_ALL, &token, why);
    if (status == STATUS_OK)
        status = audit_add(store, "administrator", options->hand_in_only ? "token add to hand in" : "token add", name,
                           why);
    if (status == STATUS_OK)
        printf("%s\n", token.hex);
    if (status == STATUS_OK)
        fprintf(stderr, "This token of %s is not kept and not shown again.\n", person.name);
    return status;
}

static Status revoke_tokens(Store *store, const char *name, Arena *arena, Message *why)
{
    Person person;
    Status status = people_find(store, name, arena, &person, why);
    if (status == STATUS_NOT_FOUND)
        return fail(STATUS_BAD_INPUT, why, "token: there is no person '%s'", name);
    if (status == STATUS_OK)
        status = tokens_revoke(store, person.id, why);
    return status == STATUS_OK ? audit_add(store, "administrator", "token revoke", name, why) : status;
}

Status command_token(const Options *options, int *exit_status, Message *why)
{
    Store *store;
    Arena arena = {0};
    const bool adds = options->operand_count == 2 && strcmp(options->operands[0], "add") == 0;
    const bool revokes = options->operand_count == 2 && strcmp(options->operands[0], "revoke") == 0;
    if (!adds && !revokes)
        return fail(STATUS_BAD_INPUT, why, "token: expected 'add NAME' or 'revoke NAME'");
    if (options->hand_in_only && (!adds || options->role != NULL))
        return fail(STATUS_BAD_INPUT, why, "token: option '--hand-in-only' belongs to 'add NAME', without a role");
    Status status = administered_store_open(options, &store, why);
    if (status == STATUS_OK)
        status = adds ? add_token(store, options, options->operands[1], &arena, why)
                      : revoke_tokens(store, options->operands[1], &arena, why);
    store_close(store);
    arena_free(&arena);
    *exit_status = 0;
    return status;
}

/* ---- a copy ------------------------------------------------------------------------------------------------------ */

Status command_backup(const Options *options, int *exit_status, Message *why)
{
    Store *store;
    Status status = options_expect_file(options, why);
    if (status != STATUS_OK)
        return status;
    status = administered_store_open(options, &store, why);
    if (status == STATUS_OK)
        status = service_store_backup(store, options->operands[0], why);
    store_close(store);
    *exit_status = 0;
    return status;
}
