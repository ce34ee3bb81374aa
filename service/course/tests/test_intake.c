/* test_intake.c - what is found in folders as other systems export them.  */
#include "base/tests/unit.h"

#include "base/scratch.h"
#include "base/text.h"
#include "service/course/gradescope_metadata.h"
#include "service/course/intake.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[200];

static int new_folder(void **state)
{
    return scratch_new(folder, sizeof folder, NULL) == STATUS_OK ? 0 : -1;
}

static int remove_folder(void **state)
{
    scratch_remove(folder);
    return 0;
}

/* Makes the folders that are missing. */
static void put(const char *name, const char *content)
{
    char path[1000];
    Text text = {0};
    Message why;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    text_append(&text, content, strlen(content));
    if (text_write_file(path, &text, &why) != STATUS_OK)
        fail_test("%s", why.text);
    text_free(&text);
}

/* "person|assignment|origin|version|received|late" for each file, "refused|origin|why" for each refusal. */
static void expect(const char *const *people, const char *const *assignments, const char *expected)
{
    Intake intake;
    Message why;
    Text text = {0};
    IntakeRules rules = {.people = people, .assignments = assignments};
    while (people != NULL && people[rules.person_count] != NULL)
        rules.person_count++;
    while (assignments != NULL && assignments[rules.assignment_count] != NULL)
        rules.assignment_count++;
    if (intake_read(folder, &rules, &intake, &why) != STATUS_OK)
        fail_test("%s", why.text);
    text_add(&text, "");
    for (size_t i = 0; i < intake.found_count; i++) {
        const FoundFile *file = &intake.found[i];
        text_printf(&text, "%s|%s|%s|%d|%lld|%d\n", file->person, file->assignment == NULL ? "" : file->assignment,
                    file->origin, file->version, (long long)file->received_s, file->marked_late);
    }
    for (size_t i = 0; i < intake.refused_count; i++)
        text_printf(&text, "refused|%s|%s\n", intake.refused[i].origin, intake.refused[i].why);
    for (size_t i = 0; i < intake.left_aside_count; i++)
        text_printf(&text, "aside|%s\n", intake.left_aside[i]);
    if (strcmp(text.data, expected) != 0)
        fail_test("expected\n%sfound\n%s", expected, text.data);
    text_free(&text);
    intake_free(&intake);
}

static void moodle_gives_folders_or_files(void **state)
{
    put("Ada Lovelace_17_assignsubmission_file_/conv.cu", "1");
    put("Ada Lovelace_17_assignsubmission_file_/report.pdf", "1");
    put("Jörg \"O'Neil\"_18_assignsubmission_file_conv.cu", "2");
    put("Eve_19_assignsubmission_onlinetext_/onlinetext.html", "3");
    put("Participant_20_assignsubmission_file_/x.cu", "3");
    put("Participant_21_assignsubmission_file_/x.cu", "3");
    expect(NULL, NULL,
           "Ada Lovelace||Ada Lovelace_17_assignsubmission_file_/conv.cu|0|0|0\n"
           "Jörg \"O'Neil\"||Jörg \"O'Neil\"_18_assignsubmission_file_conv.cu|0|0|0\n"
           "Participant 20||Participant_20_assignsubmission_file_/x.cu|0|0|0\n"
           "Participant 21||Participant_21_assignsubmission_file_/x.cu|0|0|0\n"
           "refused|Eve_19_assignsubmission_onlinetext_|holds no file whose name ends in .cu\n"
           "aside|Ada Lovelace_17_assignsubmission_file_/report.pdf\n"
           "aside|Eve_19_assignsubmission_onlinetext_/onlinetext.html\n");
}

static void namesakes_are_told_apart(void **state)
{
    put("Kim Lee_31_assignsubmission_file_/x.cu", "1");
    put("Kim Lee_32_assignsubmission_file_/x.cu", "2");
    expect(NULL, NULL,
           "Kim Lee (31)||Kim Lee_31_assignsubmission_file_/x.cu|0|0|0\n"
           "Kim Lee (32)||Kim Lee_32_assignsubmission_file_/x.cu|0|0|0\n");
}

static void canvas_marks_versions_and_late_ones(void **state)
{
    put("lovelaceada_17_42_conv-10.cu", "3");
    put("lovelaceada_17_41_conv-2.cu", "2");
    put("lovelaceada_17_43_conv.cu", "1");
    put("neiljorg_LATE_18_44_conv.cu", "4");
    put("neiljorg_18_45_text.html", "5");
    expect(
        NULL, NULL,
        "lovelaceada||lovelaceada_17_43_conv.cu|0|0|0\n"
        "lovelaceada||lovelaceada_17_41_conv-2.cu|2|0|0\n"
        "lovelaceada||lovelaceada_17_42_conv-10.cu|10|0|0\n"
        "neiljorg||neiljorg_LATE_18_44_conv.cu|0|0|1\n"
        "refused|neiljorg_18_45_text.html|is neither a CUDA source nor an archive, expected a name that ends in .cu\n");
}

static const char metadata[] =
    "---\nsubmission_1:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '17'\n    :email: a@x.org\n"
    "  :created_at: 2026-11-09 22:58:00.529690000 Z\n  :score: 1.0\n"
    "submission_2:\n  :submitters:\n  - :name: \"J\\xF6rg\"\n    :sid:\n    :email: j@x.org\n"
    "  - :name: Bob\n    :email: b@x.org\n  :created_at: 2026-11-09T14:58:00.5-08:00\n";

static void gradescope_says_who_and_when(void **state)
{
    put("assignment_5_export/submission_metadata.yml", metadata);
    put("assignment_5_export/submission_1/conv.cu", "1");
    put("assignment_5_export/submission_2/conv.cu", "2");
    put("assignment_5_export/submission_3/conv.cu", "3");
    expect(NULL, NULL,
           "Ada Lovelace||assignment_5_export/submission_1/conv.cu|0|1794265080|0\n"
           "Bob||assignment_5_export/submission_2/conv.cu|0|1794265080|0\n"
           "Jörg||assignment_5_export/submission_2/conv.cu|0|1794265080|0\n"
           "submission_3||assignment_5_export/submission_3/conv.cu|0|0|0\n");
}

static void a_broken_list_of_gradescope_is_named(void **state)
{
    put("submission_metadata.yml", "a: [1\nb: 2\n");
    put("submission_1/conv.cu", "1");
    Intake intake;
    Message why;
    const IntakeRules rules = {0};
    assert_int_equal(intake_read(folder, &rules, &intake, &why), STATUS_OK);
    assert_int_equal(intake.refused_count, 1);
    assert_non_null(strstr(intake.refused[0].why, "submission_metadata.yml:2: did not find expected ',' or ']'"));
    intake_free(&intake);
    put("submission_metadata.yml", "- 1\n");
    assert_int_equal(intake_read(folder, &rules, &intake, &why), STATUS_OK);
    assert_non_null(strstr(intake.refused[0].why, "expected a key for each submission, as Gradescope writes it"));
    assert_string_equal(intake.found[0].person, "submission_1");
    intake_free(&intake);
}

static void run(const char *command)
{
    char line[1000];
    snprintf(line, sizeof line, "cd '%s' && { %s\n} >/dev/null 2>&1", folder, command);
    assert_int_equal(system(line), 0);
}

static void clones_have_the_time_of_their_commit(void **state)
{
    if (system("git --version >/dev/null 2>&1") != 0)
        skip();
    run("export GIT_COMMITTER_DATE='1700000000 +0100' GIT_AUTHOR_DATE='1600000000 +0000' HOME=$PWD;"
        " for who in ada bob-2; do git init -q hw-1-$who && cd hw-1-$who && echo 1 >x.cu && git add x.cu &&"
        " git -c user.name=A -c user.email='a@x> 5' commit -qm 'committer x <y> 7' && cd .. || exit 1; done;"
        " cd hw-1-bob-2 && git pack-refs --all && git gc -q && touch evil && git config core.fsmonitor \"touch $PWD/ran\" &&"
        " git config core.pager \"touch $PWD/ran\"");
    put("hw-1-eve/.git/HEAD", "ref: ../../../secret\n");
    put("hw-1-eve/x.cu", "1");
    expect(NULL, NULL,
           "ada||hw-1-ada/x.cu|0|1700000000|0\n"
           "bob-2||hw-1-bob-2/x.cu|0|1700000000|0\n"
           "eve||hw-1-eve/x.cu|0|0|0\n"
           "aside|hw-1-ada/.git\naside|hw-1-bob-2/.git\naside|hw-1-bob-2/evil\naside|hw-1-eve/.git\n");
    char path[300];
    snprintf(path, sizeof path, "%s/hw-1-bob-2/ran", folder);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void a_commit_that_takes_much_memory_has_no_time(void **state)
{
    if (system("git --version >/dev/null 2>&1") != 0)
        skip();
    run("git init -q bomb && cd bomb && echo 1 >x.cu &&"
        " { printf 'author A <a@x> 1700000000 +0000\\ncommitter A <a@x> 1700000000 +0000\\n\\n'; head -c 80M /dev/zero; } |"
        " git hash-object -w -t commit --literally --stdin >commit && mv commit .git/HEAD");
    expect(NULL, NULL, "bomb||bomb/x.cu|0|0|0\naside|bomb/.git\n");
}

static void classroom_gathers_clones_in_a_folder(void **state)
{
    put("hw-submissions/hw-ada/.git/HEAD", "");
    put("hw-submissions/hw-ada/x.cu", "1");
    put("bob.cu", "1");
    expect(NULL, NULL,
           "ada||hw-submissions/hw-ada/x.cu|0|0|0\n"
           "bob||bob.cu|0|0|0\n"
           "aside|hw-submissions/hw-ada/.git\n");
}

static void plain_names_are_people(void **state)
{
    static const char *const class[] = {"ada", "ada-2", "cem", NULL};
    put("ada.cu", "1");
    put("ada (3).cu", "2");
    put("ada-1.cu", "3");
    put("-rf.cu", "4");
    put("bob-1.cu", "5");
    put("a\nb/x.cu", "6");
    put("cem_conv2.cu", "7");
    put("ada-2.cu", "8");
    put(".hidden", "9");
    expect(NULL, NULL,
           "-rf||-rf.cu|0|0|0\n"
           "a b||a\nb/x.cu|0|0|0\n"
           "ada||ada.cu|0|0|0\n"
           "ada||ada-1.cu|1|0|0\n"
           "ada||ada-2.cu|2|0|0\n"
           "ada||ada (3).cu|3|0|0\n"
           "bob-1||bob-1.cu|1|0|0\n"
           "cem_conv2||cem_conv2.cu|0|0|0\n"
           "aside|.hidden\n");
    expect(class, NULL,
           "-rf||-rf.cu|0|0|0\n"
           "a b||a\nb/x.cu|0|0|0\n"
           "ada||ada.cu|0|0|0\n"
           "ada||ada-1.cu|1|0|0\n"
           "ada||ada (3).cu|3|0|0\n"
           "ada-2||ada-2.cu|2|0|0\n"
           "bob-1||bob-1.cu|1|0|0\n"
           "cem||cem_conv2.cu|0|0|0\n"
           "aside|.hidden\n");
}

static void folders_of_assignments_are_opened(void **state)
{
    static const char *const assignments[] = {"week-1", "week-2", NULL};
    put("week-1/ada.cu", "1");
    put("week-2/ada/x.cu", "1");
    put("week-2/ada/week-1/bob.cu", "1");
    expect(NULL, assignments,
           "ada|week-1|week-1/ada.cu|0|0|0\n"
           "ada|week-2|week-2/ada/week-1/bob.cu|0|0|0\n"
           "ada|week-2|week-2/ada/x.cu|0|0|0\n");
}

/* Names inside of what a student handed in are the student's: they make nobody else the author. */
static void names_in_a_submission_say_nothing(void **state)
{
    put("ada/Bob_17_assignsubmission_file_/x.cu", "1");
    put("ada/submission_metadata.yml", metadata);
    put("eve.cu", "1");
    expect(NULL, NULL,
           "ada||ada/Bob_17_assignsubmission_file_/x.cu|0|0|0\n"
           "eve||eve.cu|0|0|0\n"
           "aside|ada/submission_metadata.yml\n");
}

static void remove_entry(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    scratch_remove(path);
}

/* The first of a class has nobody beside him. */
static void names_in_the_only_submission_say_nothing(void **state)
{
    static const char *const class[] = {"ada", "Bob", NULL};
    put("Ada_5_assignsubmission_file_/Bob_17_assignsubmission_file_x.cu", "1");
    expect(NULL, NULL, "Ada||Ada_5_assignsubmission_file_/Bob_17_assignsubmission_file_x.cu|0|0|0\n");
    remove_entry("Ada_5_assignsubmission_file_");
    put("ada/Bob_17_assignsubmission_file_x.cu", "1");
    put("ada/Bob/.git/HEAD", "");
    put("ada/Bob/x.cu", "1");
    expect(class, NULL,
           "ada||ada/Bob/x.cu|0|0|0\n"
           "ada||ada/Bob_17_assignsubmission_file_x.cu|0|0|0\n"
           "aside|ada/Bob/.git\n");
}

/* "lee-bob" would be Bob otherwise, who has handed in as well. */
static void repositories_of_two_people_make_nobody_else_the_author(void **state)
{
    put("lee-ann/.git/HEAD", "");
    put("lee-ann/x.cu", "1");
    put("lee-bob/.git/HEAD", "");
    put("lee-bob/x.cu", "1");
    put("bob/x.cu", "1");
    expect(NULL, NULL,
           "bob||bob/x.cu|0|0|0\n"
           "lee-ann||lee-ann/x.cu|0|0|0\n"
           "lee-bob||lee-bob/x.cu|0|0|0\n"
           "aside|lee-ann/.git\naside|lee-bob/.git\n");
}

static void names_that_fit_two_people_are_refused(void **state)
{
    put("evemal_LATE_17_42_Bob_5_assignsubmission_file_x.cu", "1");
    expect(NULL, NULL,
           "refused|evemal_LATE_17_42_Bob_5_assignsubmission_file_x.cu|has a name that Moodle or Canvas can have made, "
           "for different people; rename it to PERSON.cu\n");
}

static void links_are_refused_by_name(void **state)
{
    char path[300];
    put("ada/y.txt", "1");
    snprintf(path, sizeof path, "%s/ada/x.cu", folder);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    snprintf(path, sizeof path, "%s/bob", folder);
    assert_int_equal(symlink("ada", path), 0);
    put("cem.rar", "1");
    put("dan.zip", "no zip");
    expect(NULL, NULL,
           "refused|ada/x.cu|is a link or no file at all, expected a file\n"
           "refused|bob|is a link or no file at all, expected a file or a folder\n"
           "refused|cem.rar|is a kind of archive that is not unpacked, expected .zip, .tar.gz, .tar.xz or .7z\n"
           "refused|dan.zip|cannot be unpacked: Unrecognized archive format\n"
           "aside|ada/y.txt\n");
}

static void names_without_a_person_and_deep_folders_are_refused(void **state)
{
    put("\n\n/x.cu", "1");
    put(".cu", "1");
    put("ada/1/2/3/4/5/6/7/8/9/10/11/12/13/x.cu", "1");
    expect(NULL, NULL,
           "refused|\n\n|its name holds nothing that could be the name of a person\n"
           "refused|ada/1/2/3/4/5/6/7/8/9/10/11/12/13|lies too deep in folders\n"
           "aside|.cu\n");
}

static void archives_in_archives_are_opened_twice(void **state)
{
    put("work/conv.cu", "1");
    put("work/._conv.cu", "1");
    put("deep/x.cu", "1");
    run("tar czf ada.tar.gz work && tar cf one.tar deep && tar cf two.tar one.tar && tar cf bob.tar two.tar &&"
        " mkdir cem && tar cJf cem/a.txz one.tar && tar cf eve.tar --exclude='*.cu' work && rm -r work deep one.tar two.tar");
    expect(
        NULL, NULL,
        "ada||ada.tar.gz/work/conv.cu|0|0|0\n"
        "cem||cem/a.txz/one.tar/deep/x.cu|0|0|0\n"
        "refused|bob.tar/two.tar/one.tar|is an archive in an archive in an archive, expected at most one in another\n"
        "refused|eve.tar|holds no file whose name ends in .cu\n"
        "aside|ada.tar.gz/work/._conv.cu\n");
}

static void what_is_no_folder_is_refused(void **state)
{
    Intake intake;
    Message why;
    const IntakeRules rules = {0};
    assert_int_equal(intake_read("/no/such/folder", &rules, &intake, &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "/no/such/folder: there is no such folder");
    assert_int_equal(intake_read("/dev/null", &rules, &intake, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "/dev/null: not a folder, expected one with the submissions of the class");
}

#define test(function) cmocka_unit_test_setup_teardown(function, new_folder, remove_folder)

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        test(moodle_gives_folders_or_files),
        test(namesakes_are_told_apart),
        test(canvas_marks_versions_and_late_ones),
        test(gradescope_says_who_and_when),
        test(a_broken_list_of_gradescope_is_named),
        test(clones_have_the_time_of_their_commit),
        test(a_commit_that_takes_much_memory_has_no_time),
        test(classroom_gathers_clones_in_a_folder),
        test(plain_names_are_people),
        test(folders_of_assignments_are_opened),
        test(names_in_a_submission_say_nothing),
        test(names_in_the_only_submission_say_nothing),
        test(repositories_of_two_people_make_nobody_else_the_author),
        test(names_that_fit_two_people_are_refused),
        test(links_are_refused_by_name),
        test(names_without_a_person_and_deep_folders_are_refused),
        test(archives_in_archives_are_opened_twice),
        test(what_is_no_folder_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
