/* test_archive.c - archives as students hand them in, and as attackers do.  */
#include "base/tests/refusal.h"

#include "base/text.h"
#include "service/course/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static char made[1 << 20];
static size_t made_length;
static struct archive *writer;
static const char *password;

static void begin(int (*format)(struct archive *), int (*filter)(struct archive *))
{
    writer = archive_write_new();
    format(writer);
    if (filter != NULL)
        filter(writer);
    archive_write_set_bytes_in_last_block(writer, 1);
    if (password != NULL && (archive_write_set_passphrase(writer, password) != ARCHIVE_OK ||
                             archive_write_set_options(writer, "zip:encryption=traditional") != ARCHIVE_OK))
        fail_test("%s", archive_error_string(writer));
    if (archive_write_open_memory(writer, made, sizeof made, &made_length) != ARCHIVE_OK)
        fail_test("%s", archive_error_string(writer));
}

static void add(const char *name, unsigned kind, const char *target, const char *content, size_t length)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, kind);
    archive_entry_set_perm(entry, 0644);
    if (target != NULL)
        archive_entry_set_symlink(entry, target);
    archive_entry_set_size(entry, kind == AE_IFREG ? (la_int64_t)length : 0);
    if (archive_write_header(writer, entry) != ARCHIVE_OK)
        fail_test("%s", archive_error_string(writer));
    archive_write_data(writer, content, length);
    archive_entry_free(entry);
}

static void add_file(const char *name, const char *content)
{
    add(name, AE_IFREG, NULL, content, strlen(content));
}

static void end(void)
{
    archive_write_close(writer);
    archive_write_free(writer);
}

static bool is_cuda(const char *name)
{
    const size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".cu") == 0;
}

static Status unpack(Arena *arena, ArchiveMember **members, size_t *count, Message *why)
{
    return archive_unpack(made, made_length, is_cuda, arena, members, count, why);
}

static void expect_refused(const char *reason)
{
    Arena arena = {0};
    ArchiveMember *members;
    size_t count;
    Message why = {0};
    assert_int_equal(unpack(&arena, &members, &count, &why), STATUS_BAD_INPUT);
    if (strstr(why.text, reason) == NULL)
        fail_test("expected '%s', found '%s'", reason, why.text);
    assert_int_equal(count, 0);
    arena_free(&arena);
}

static void each_kind_gives_its_files(void **state)
{
    static int (*const formats[])(struct archive *) = {archive_write_set_format_zip, archive_write_set_format_7zip,
                                                       archive_write_set_format_pax_restricted,
                                                       archive_write_set_format_gnutar};
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        Arena arena = {0};
        ArchiveMember *members;
        size_t count;
        Message why = {0};
        begin(formats[i], i == 2 ? archive_write_add_filter_gzip : NULL);
        add("work", AE_IFDIR, NULL, "", 0);
        add_file("work/-J\xC3\xB6rg's kernel.cu", "__global__");
        add_file("work/report.pdf", "%PDF");
        add_file("empty.cu", "");
        end();
        if (unpack(&arena, &members, &count, &why) != STATUS_OK)
            fail_test("format %zu: %s", i, why.text);
        assert_int_equal(count, 3);
        bool found = false;
        for (size_t m = 0; m < count; m++) { /* 7z stores empty files last */
            if (strcmp(members[m].name, "work/-J\xC3\xB6rg's kernel.cu") == 0) {
                found = true;
                assert_string_equal(members[m].bytes, "__global__");
            }
            if (strcmp(members[m].name, "work/report.pdf") == 0)
                assert_null(members[m].bytes);
        }
        assert_true(found);
        arena_free(&arena);
    }
}

static void names_that_lead_out_are_refused(void **state)
{
    static const char *const names[] = {"../x.cu", "a/../../x.cu", "/etc/x.cu", "a\\..\\x.cu", "C:x.cu", "a/.."};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        begin(archive_write_set_format_pax_restricted, NULL);
        add_file("fine.cu", "fine");
        add_file(names[i], "evil");
        end();
        expect_refused("a path that leads out of the folder");
    }
}

static void links_and_devices_are_refused(void **state)
{
    begin(archive_write_set_format_pax_restricted, NULL);
    add("x.cu", AE_IFLNK, "/etc/passwd", "", 0);
    end();
    expect_refused("holds the link 'x.cu', expected files and folders");
    begin(archive_write_set_format_zip, NULL);
    add("x.cu", AE_IFLNK, "/etc/passwd", "/etc/passwd", 11);
    end();
    expect_refused("holds the link 'x.cu'");
    begin(archive_write_set_format_pax_restricted, NULL);
    add("x.cu", AE_IFIFO, NULL, "", 0);
    end();
    expect_refused("holds 'x.cu', which is neither a file nor a folder");
}

static void a_bomb_is_refused(void **state)
{
    const size_t large = (size_t)ARCHIVE_MOST_BYTES + 1;
    char *zeros = calloc(1, large);
    begin(archive_write_set_format_zip, NULL);
    add("x.cu", AE_IFREG, NULL, zeros, large);
    end();
    expect_refused("holds more than 64 MiB, the limit of an archive");
    begin(archive_write_set_format_pax_restricted, archive_write_add_filter_gzip);
    add("x.txt", AE_IFREG, NULL, zeros, large);
    end();
    expect_refused("holds more than 64 MiB");
    free(zeros);
}

static void too_many_files_are_refused(void **state)
{
    char name[32];
    begin(archive_write_set_format_zip, NULL);
    for (int i = 0; i <= ARCHIVE_MOST_MEMBERS; i++) {
        snprintf(name, sizeof name, "%d.cu", i);
        add_file(name, "");
    }
    end();
    expect_refused("holds more than 2000 files, the limit of an archive");
}

static void a_name_twice_is_refused(void **state)
{
    begin(archive_write_set_format_zip, NULL);
    add_file("x.cu", "one");
    add_file("x.cu", "two");
    end();
    expect_refused("holds 'x.cu' twice");
}

static void damage_is_refused(void **state)
{
    begin(archive_write_set_format_zip, NULL);
    add_file("x.cu", "some content that is long enough to be compressed, compressed, compressed");
    end();
    memset(made + 40, 'X', 20);
    expect_refused("cannot be unpacked: ");
    strcpy(made, "this is no archive");
    made_length = strlen(made);
    expect_refused("cannot be unpacked: Unrecognized archive format");
    made_length = 0;
    expect_refused("cannot be unpacked: ");
}

static bool is_silent;

/* Stands before that of libarchive, which need not have words for a failure. */
const char *archive_error_string(struct archive *archive)
{
    const char *(*words)(struct archive *) = dlsym(RTLD_NEXT, "archive_error_string");
    return is_silent ? NULL : words(archive);
}

static void damage_without_words_is_refused(void **state)
{
    strcpy(made, "this is no archive");
    made_length = strlen(made);
    is_silent = true;
    expect_refused("cannot be unpacked: it is damaged");
    is_silent = false;
}

/* Every cut and many changed bytes: none may end the caller or take it long. */
static void whatever_is_broken_does_no_harm(void **state)
{
    begin(archive_write_set_format_7zip, NULL);
    add_file("x.cu", "content");
    end();
    const size_t whole = made_length;
    for (size_t i = 0; i < whole; i += 5) {
        Arena arena = {0};
        ArchiveMember *members;
        size_t count;
        Message why = {0};
        made[i] ^= 0x55;
        Status status = unpack(&arena, &members, &count, &why);
        assert_true(status == STATUS_OK || status == STATUS_BAD_INPUT);
        made[i] ^= 0x55;
        arena_free(&arena);
    }
}

static void a_password_is_named(void **state)
{
    password = "secret";
    begin(archive_write_set_format_zip, NULL);
    password = NULL;
    add_file("x.cu", "content");
    end();
    expect_refused("is protected by a password");
}

static void endings_tell_what_is_unpacked(void **state)
{
    assert_true(archive_is_named("x.ZIP"));
    assert_true(archive_is_named("x.tar.gz"));
    assert_true(archive_is_named("x.tgz"));
    assert_true(archive_is_named("x.7z"));
    assert_false(archive_is_named(".zip"));
    assert_false(archive_is_named("x.rar"));
    assert_true(archive_is_foreign("x.rar"));
    assert_true(archive_is_foreign("x.cu.gz"));
    assert_false(archive_is_foreign("x.tar.gz"));
    assert_false(archive_is_foreign("x.cu"));
}

/* ---- what the system refuses -------------------------------------------------------------------------------------- */

static Status try_to_unpack(Message *why)
{
    Arena arena = {0};
    ArchiveMember *members;
    size_t count;
    return unpack(&arena, &members, &count, why);
}

static Status unpack_without_a_process(Message *why)
{
    refuse_processes();
    return try_to_unpack(why);
}

static Status unpack_without_a_filter(Message *why)
{
    refuse_call(SYS_prctl, EINVAL); /* without which libseccomp loads none */
    return try_to_unpack(why);
}

static bool end_at(const char *name)
{
    abort();
}

static void an_archive_that_ends_its_program_is_refused(void **state)
{
    Arena arena = {0};
    ArchiveMember *members;
    size_t count;
    Message why;
    begin(archive_write_set_format_zip, NULL);
    add_file("a.cu", "a");
    end();
    assert_int_equal(archive_unpack(made, made_length, end_at, &arena, &members, &count, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "crashes the program that unpacks it");
    arena_free(&arena);
}

static void what_the_system_refuses_is_named(void **state)
{
    begin(archive_write_set_format_zip, NULL);
    add_file("a.cu", "a");
    end();
    assert_string_equal(said_by_child(unpack_without_a_process),
                        "no process can be started that unpacks it: Resource temporarily unavailable");
    assert_string_equal(said_by_child(unpack_without_a_filter),
                        "cannot be unpacked safely: the kernel offers no filter of system calls");
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_gives_its_files),
        cmocka_unit_test(names_that_lead_out_are_refused),
        cmocka_unit_test(links_and_devices_are_refused),
        cmocka_unit_test(a_bomb_is_refused),
        cmocka_unit_test(too_many_files_are_refused),
        cmocka_unit_test(a_name_twice_is_refused),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(damage_without_words_is_refused),
        cmocka_unit_test(whatever_is_broken_does_no_harm),
        cmocka_unit_test(a_password_is_named),
        cmocka_unit_test(endings_tell_what_is_unpacked),
        cmocka_unit_test(an_archive_that_ends_its_program_is_refused),
        cmocka_unit_test(what_the_system_refuses_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
