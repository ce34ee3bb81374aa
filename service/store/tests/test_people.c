#include "service/store/tests/made_service.h"

#include <locale.h>

static TokenScope scope;

static void a_person_is_admitted_once(void **state)
{
    const Person first = admitted("ada"), second = admitted("ada");
    assert_int_equal(first.id, second.id);
    assert_int_equal(first.role, PERSON_STUDENT);
    Person nobody;
    assert_int_equal(people_find(store, "bob", &arena, &nobody, &why), STATUS_NOT_FOUND);
    assert_int_equal(people_admit(store, "two\nlines", &arena, &nobody, &why), STATUS_BAD_INPUT);
    assert_int_equal(people_admit(store, "../admin", &arena, &nobody, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "the name holds a '/', expected one without");
}

static void a_token_is_its_owners_until_it_is_revoked(void **state)
{
    const Person ada = admitted("ada");
    Secret token, cookie;
    Person owner;
    must(token_add(store, ada.id, TOKEN_FOR_ALL, &token, &why));
    must(token_owner(store, token.hex, &arena, &owner, &scope, &why));
    assert_string_equal(owner.name, "ada");
    must(login_begin(store, token.hex, &cookie, &why));
    must(login_owner(store, cookie.hex, &arena, &owner, &why));
    assert_int_equal(owner.id, ada.id);
    must(tokens_revoke(store, ada.id, &why));
    assert_int_equal(token_owner(store, token.hex, &arena, &owner, &scope, &why), STATUS_NOT_FOUND);
    assert_int_equal(login_owner(store, cookie.hex, &arena, &owner, &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "not logged in");
    assert_int_equal(login_begin(store, token.hex, &cookie, &why), STATUS_NOT_FOUND);
}

static void a_token_to_hand_in_opens_no_login(void **state)
{
    Secret token, cookie;
    Person owner;
    must(token_add(store, admitted("gradescope").id, TOKEN_FOR_HAND_IN, &token, &why));
    must(token_owner(store, token.hex, &arena, &owner, &scope, &why));
    assert_int_equal(scope, TOKEN_FOR_HAND_IN);
    assert_int_equal(login_begin(store, token.hex, &cookie, &why), STATUS_NOT_FOUND);
    must(tokens_revoke(store, owner.id, &why));
    assert_int_equal(token_owner(store, token.hex, &arena, &owner, &scope, &why), STATUS_NOT_FOUND);
}

static void the_database_holds_no_secret(void **state)
{
    Secret token, cookie, invitation;
    char question[400];
    must(token_add(store, admitted("ada").id, TOKEN_FOR_ALL, &token, &why));
    must(login_begin(store, token.hex, &cookie, &why));
    must(people_add_group(store, "class A", 0, &invitation, &why));
    const Secret *const secrets[] = {&token, &cookie, &invitation};
    for (size_t i = 0; i < COUNT_OF(secrets); i++) {
        snprintf(
            question, sizeof question,
            "SELECT (SELECT count(*) FROM token WHERE hash = '%s') + (SELECT count(*) FROM login WHERE hash = '%s' OR"
            " token = '%s')",
            secrets[i]->hex, secrets[i]->hex, secrets[i]->hex);
        assert_string_equal(asked(question), "0");
    }
}

static void each_login_has_another_cookie(void **state)
{
    Secret token, first, second;
    Person owner;
    must(token_add(store, admitted("ada").id, TOKEN_FOR_ALL, &token, &why));
    must(login_begin(store, token.hex, &first, &why));
    must(login_begin(store, token.hex, &second, &why));
    assert_string_not_equal(first.hex, second.hex);
    must(login_end(store, first.hex, &why));
    assert_int_equal(login_owner(store, first.hex, &arena, &owner, &why), STATUS_NOT_FOUND);
    must(login_owner(store, second.hex, &arena, &owner, &why));
}

static void a_login_ends_by_itself(void **state)
{
    Secret token, cookie;
    Person owner;
    must(token_add(store, admitted("ada").id, TOKEN_FOR_ALL, &token, &why));
    must(login_begin(store, token.hex, &cookie, &why));
    must(database_run(store, "UPDATE login SET expires_s = 1", &why));
    assert_int_equal(login_owner(store, cookie.hex, &arena, &owner, &why), STATUS_NOT_FOUND);
}

static void a_pseudonym_cannot_be_somebody_elses_name(void **state)
{
    const Person ada = admitted("ada"), bob = admitted("bob");
    must(people_set_pseudonym(store, ada.id, "Snow Leopard", &why));
    assert_int_equal(people_set_pseudonym(store, bob.id, "snow leopard", &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "is taken"));
    assert_int_equal(people_set_pseudonym(store, bob.id, "ADA", &why), STATUS_BAD_INPUT);
    assert_string_equal(admitted("ada").pseudonym, "Snow Leopard");
    must(people_set_pseudonym(store, ada.id, "", &why));
    assert_string_equal(admitted("ada").pseudonym, "");
}

static void a_pseudonym_cannot_look_like_somebody_elses_name(void **state)
{
    /* With a Cyrillic a, a Greek capital A, an accent of its own, wide letters, a space, letters of mathematics and in circles. */
    static const char *const alike[] = {"аda", "Adä", "ΑDA", "áda", "ａｄａ", "a da"};
    static const char *const unseen[] = {"a\xc2\xad"
                                         "da" /* soft hyphen */,
                                         "ada\xe2\x81\xa0", "ada\xef\xb8\x8f", "\xe3\x85\xa4"};
    admitted("ada");
    const Person bob = admitted("bob"), eve = admitted("eve");
    must(people_rename(store, &eve, "zoe", "root", &why)); /* a former name is one, too */
    for (size_t i = 0; i < COUNT_OF(alike); i++) {
        assert_int_equal(people_set_pseudonym(store, bob.id, alike[i], &why), STATUS_BAD_INPUT);
        if (strstr(why.text, "is taken or looks like one that is") == NULL)
            fail_test("%s: %s", alike[i], why.text);
    }
    for (size_t i = 0; i < COUNT_OF(unseen); i++) {
        assert_int_equal(people_set_pseudonym(store, bob.id, unseen[i], &why), STATUS_BAD_INPUT);
        assert_non_null(strstr(why.text, "cannot be seen or printed"));
    }
    must(people_set_pseudonym(store, bob.id, "adam", &why));
    must(people_set_pseudonym(store, bob.id, "Bob", &why)); /* one's own name is one's own */
}

static void a_pseudonym_ends_when_somebody_of_that_name_comes(void **state)
{
    const Person bob = admitted("bob");
    must(people_set_pseudonym(store, bob.id, "Eve", &why));
    admitted("еve");
    assert_string_equal(admitted("bob").pseudonym, "");
    assert_string_equal(asked("SELECT action || ' ' || object FROM audit"), "end pseudonym bob");
}

static void a_name_is_one_name_however_its_marks_are_written(void **state)
{
    const Person one = admitted("Jos\xc3\xa9"), other = admitted("Jose\xcc\x81"), plain = admitted("Jose");
    assert_int_equal(one.id, other.id);
    assert_int_not_equal(one.id, plain.id);
    assert_string_equal(admitted("Nguye\xcc\x82\xcc\x83n").name, "Nguy\xe1\xbb\x85n");
}

static void an_invitation_leads_into_its_group(void **state)
{
    Secret invitation;
    PersonGroup group;
    Person *people;
    size_t count;
    const Person ada = admitted("ada");
    admitted("bob");
    must(people_add_group(store, "class A", 0, &invitation, &why));
    assert_int_equal(people_add_group(store, "class A", 0, &invitation, &why), STATUS_BAD_INPUT);
    must(people_add_group(store, "class B", 0, &invitation, &why));
    must(people_join_group(store, invitation.hex, ada.id, &arena, &group, &why));
    must(people_join_group(store, invitation.hex, ada.id, &arena, &group, &why));
    assert_string_equal(group.name, "class B");
    assert_int_equal(group.members, 1);
    must(people_list(store, group.id, &arena, &people, &count, &why));
    assert_int_equal(count, 1);
    assert_string_equal(people[0].name, "ada");
    must(people_list(store, 0, &arena, &people, &count, &why));
    assert_int_equal(count, 2);
    assert_int_equal(people_join_group(store, "guess", ada.id, &arena, &group, &why), STATUS_NOT_FOUND);
    PersonGroup *groups;
    must(people_list_groups(store, &arena, &groups, &count, &why));
    assert_int_equal(count, 2);
}

static void roles_have_names(void **state)
{
    PersonRole role;
    const Person ada = admitted("ada");
    must(role_parse("teacher", &role, &why));
    must(people_set_role(store, ada.id, role, &why));
    assert_int_equal(admitted("ada").role, PERSON_TEACHER);
    assert_string_equal(role_name(PERSON_ADMIN), "admin");
    assert_int_equal(role_parse("king", &role, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "unknown role 'king', expected student, teacher or admin"));
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        test(a_person_is_admitted_once),
        test(a_token_is_its_owners_until_it_is_revoked),
        test(a_token_to_hand_in_opens_no_login),
        test(the_database_holds_no_secret),
        test(each_login_has_another_cookie),
        test(a_login_ends_by_itself),
        test(a_pseudonym_cannot_be_somebody_elses_name),
        test(a_pseudonym_cannot_look_like_somebody_elses_name),
        test(a_pseudonym_ends_when_somebody_of_that_name_comes),
        test(a_name_is_one_name_however_its_marks_are_written),
        test(an_invitation_leads_into_its_group),
        test(roles_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
