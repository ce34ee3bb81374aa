/* test_export_name.c - whose a file is, by its name in an export.  */
#include "base/tests/unit.h"

#include "service/course/export_name.h"

#include <string.h>

static const struct {
    const char *name;
    bool is_folder;
    ExportName expected;
} names[] = {
    /* Moodle */
    {"Ada Lovelace_17_assignsubmission_file_", true, {EXPORT_MOODLE, "Ada Lovelace", "17", "", false}},
    {"Ada Lovelace_17_assignsubmission_file", true, {EXPORT_MOODLE, "Ada Lovelace", "17", "", false}},
    {"Jörg O'Neil_9_assignsubmission_file_conv.cu", false, {EXPORT_MOODLE, "Jörg O'Neil", "9", "conv.cu", false}},
    {"A_1_b_22_assignsubmission_file_a_b.cu", false, {EXPORT_MOODLE, "A_1_b", "22", "a_b.cu", false}},
    {"Participant_5_assignsubmission_onlinetext_", true, {EXPORT_MOODLE, "Participant", "5", "", false}},
    {"\"Ada\"\n Lovelace_17_assignsubmission_file_", true, {EXPORT_MOODLE, "\"Ada\" Lovelace", "17", "", false}},
    {"Ada_x_assignsubmission_file_", true, {EXPORT_PLAIN, "Ada_x_assignsubmission_file_", "", "", false}},
    {"_17_assignsubmission_file_", true, {EXPORT_PLAIN, "_17_assignsubmission_file_", "", "", false}},
    {"Ada_17_assignsubmission_files", true, {EXPORT_PLAIN, "Ada_17_assignsubmission_files", "", "", false}},
    /* Canvas */
    {"lovelaceada_17_42_conv.cu", false, {EXPORT_CANVAS, "lovelaceada", "17", "conv.cu", false}},
    {"lovelaceada_LATE_17_42_my_conv-1.cu", false, {EXPORT_CANVAS, "lovelaceada", "17", "my_conv-1.cu", true}},
    {"anon_x7Kq2_42_conv.cu", false, {EXPORT_CANVAS, "anon x7Kq2", "", "conv.cu", false}},
    {"anon_x7Kq2_LATE_42_conv.cu", false, {EXPORT_CANVAS, "anon x7Kq2", "", "conv.cu", true}},
    {"anon_LATE_x7Kq2_42_conv.cu", false, {EXPORT_CANVAS, "anon x7Kq2", "", "conv.cu", true}},
    {"lovelaceada_17_42_", false, {EXPORT_PLAIN, "lovelaceada_17_42_", "", "lovelaceada_17_42_", false}},
    {"lovelaceada_17_conv.cu", false, {EXPORT_PLAIN, "lovelaceada_17_conv", "", "lovelaceada_17_conv.cu", false}},
    {"lovelaceada_17_42_conv.cu", true, {EXPORT_PLAIN, "lovelaceada_17_42_conv.cu", "", "", false}},
    /* Moodle or Canvas: a file or a person with a name that was chosen for it */
    {"evemal_LATE_17_42_Bob_5_assignsubmission_file_x.cu", false, {EXPORT_UNCLEAR, "", "", "", false}},
    {"Bob_17_42_Eve_5_assignsubmission_file_x.cu", false, {EXPORT_UNCLEAR, "", "", "", false}},
    {"Bob_17_42_Eve_5_assignsubmission_file_", true, {EXPORT_MOODLE, "Bob_17_42_Eve", "5", "", false}},
    /* Gradescope */
    {"submission_123456", true, {EXPORT_GRADESCOPE, "submission_123456", "", "", false}},
    {"submission_12x", true, {EXPORT_PLAIN, "submission_12x", "", "", false}},
    {"submission_123456", false, {EXPORT_PLAIN, "submission_123456", "", "submission_123456", false}},
    /* plain */
    {"ada.cu", false, {EXPORT_PLAIN, "ada", "", "ada.cu", false}},
    {"-rf.cu", false, {EXPORT_PLAIN, "-rf", "", "-rf.cu", false}},
    {" ada\t\nl. .cu", false, {EXPORT_PLAIN, "ada l.", "", " ada\t\nl. .cu", false}},
    {"ada.tar.gz", false, {EXPORT_PLAIN, "ada", "", "ada.tar.gz", false}},
    {"\n", true, {EXPORT_PLAIN, "", "", "", false}},
    {"week-1-ada", true, {EXPORT_PLAIN, "week-1-ada", "", "", false}},
};

static void each_name_says_whose_it_is(void **state)
{
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Arena arena = {0};
        const ExportName read = export_name_read(names[i].name, names[i].is_folder, &arena);
        const ExportName *expected = &names[i].expected;
        if (read.kind != expected->kind || strcmp(read.person, expected->person) != 0 ||
            strcmp(read.id, expected->id) != 0 || strcmp(read.file, expected->file) != 0 ||
            read.marked_late != expected->marked_late)
            fail_test("'%s': kind %d, person '%s', id '%s', file '%s', late %d", names[i].name, (int)read.kind,
                      read.person, read.id, read.file, read.marked_late);
        arena_free(&arena);
    }
}

static const struct {
    const char *file;
    int version;
    size_t stem;
} versions[] = {
    {"kernel.cu", 0, 6},
    {"kernel-1.cu", 1, 6},
    {"kernel-12.cu", 12, 6},
    {"kernel (2).cu", 2, 6},
    {"kernel(2).cu", 0, 9},
    {"kernel2.cu", 0, 7},
    {"kernel-2024.cu", 0, 11},
    {"-1.cu", 0, 2},
    {"kernel-.cu", 0, 7},
    {"a-b-3.cu", 3, 3},
    {"a", 0, 1},
    {"", 0, 0},
    {" (1).cu", 0, 4},
    {"kernel-2).cu", 0, 9},
};

static void a_number_at_the_end_is_a_version(void **state)
{
    for (size_t i = 0; i < COUNT_OF(versions); i++) {
        size_t stem;
        const int version = export_version(versions[i].file, &stem);
        if (version != versions[i].version || stem != versions[i].stem)
            fail_test("'%s': version %d, stem %zu", versions[i].file, version, stem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_name_says_whose_it_is),
        cmocka_unit_test(a_number_at_the_end_is_a_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
