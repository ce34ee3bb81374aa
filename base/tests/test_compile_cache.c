/* compile_cache.c: what is trusted, what is shared, and what goes first. */
#include "base/compile_cache.h"
#include "base/tests/unit.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char parent[] = "/tmp/test_compile_cache.XXXXXX", folder[64];

static Digest key_of(const char *text)
{
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, text);
    return hash_end(&hash);
}

static const char *path_of(const char *name)
{
    static char path[200];
    Digest key = key_of(name);
    snprintf(path, sizeof path, "%s/%s", folder, key.hex);
    return path;
}

static void write_text(const char *name, const char *content)
{
    Digest key = key_of(name);
    Text text = {0};
    text_add(&text, content);
    compile_cache_write(folder, &key, &text);
    text_free(&text);
}

static bool holds(const char *name, const char *expected)
{
    Digest key = key_of(name);
    Text text = {0};
    bool found = compile_cache_read(folder, &key, &text);
    if (found)
        assert_string_equal(text.data, expected);
    text_free(&text);
    return found;
}

static void shell(const char *format, const char *argument)
{
    char command[400];
    snprintf(command, sizeof command, format, argument);
    assert_int_equal(system(command), 0);
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (entries != NULL)
        closedir(entries);
    return count;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static void what_was_written_is_read(void **state)
{
    assert_false(holds("a", "alpha"));
    write_text("a", "alpha");
    write_text("b", "");
    assert_true(holds("a", "alpha"));
    assert_true(holds("b", ""));
    assert_false(holds("c", ""));
    write_text("a", "another alpha");
    assert_true(holds("a", "another alpha"));
    assert_int_equal(files_in_folder(), 2);
}

static void folder_and_entries_are_private(void **state)
{
    struct stat info;
    write_text("a", "alpha");
    assert_int_equal(stat(folder, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(stat(path_of("a"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void a_library_is_loaded_from_its_entry(void **state)
{
    Digest key = key_of("library"), other = key_of("no library");
    Text content = {0};
    Message why;
    char path[100];
    snprintf(path, sizeof path, "%s/library.so", parent);
    shell("echo 'int answer(void) { return 42; }' | gcc -shared -fPIC -x c - -o %s", path);
    if (text_read_file(path, 1 << 20, &content, &why) != STATUS_OK)
        fail_test("%s", why.text);
    unlink(path);
    assert_null(compile_cache_load(folder, &key));
    compile_cache_write(folder, &key, &content);
    text_free(&content);
    void *library = compile_cache_load(folder, &key);
    assert_non_null(library);
    int (*answer)(void) = (int (*)(void))(intptr_t)dlsym(library, "answer");
    assert_int_equal(answer(), 42);
    dlclose(library);
    write_text("no library", "text");
    assert_null(compile_cache_load(folder, &other));
}

/* ---- trust ------------------------------------------------------------------------------------------------------- */

static void a_damaged_entry_is_ignored_and_replaced(void **state)
{
    write_text("a", "alpha");
    const char *path = path_of("a");
    for (int byte = 0; byte < 5 + 64; byte++) {
        char found;
        int file = open(path, O_RDWR);
        assert_int_equal(pread(file, &found, 1, byte), 1);
        found ^= 1;
        assert_int_equal(pwrite(file, &found, 1, byte), 1);
        close(file);
        assert_false(holds("a", ""));
        write_text("a", "alpha");
        assert_true(holds("a", "alpha"));
    }
}

static void a_truncated_or_longer_entry_is_ignored(void **state)
{
    static const off_t lengths[] = {0, 1, 63, 64, 68, 70, 1000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        write_text("a", "alpha");
        assert_int_equal(truncate(path_of("a"), lengths[i]), 0);
        assert_false(holds("a", ""));
    }
}

static void an_entry_under_another_name_is_ignored(void **state)
{
    char from[200];
    write_text("a", "alpha");
    snprintf(from, sizeof from, "%s", path_of("a"));
    assert_int_equal(link(from, path_of("b")), 0);
    assert_false(holds("b", ""));
    assert_true(holds("a", "alpha"));
}

static void a_symbolic_link_is_no_entry(void **state)
{
    char elsewhere[100];
    write_text("a", "alpha");
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", parent);
    assert_int_equal(rename(path_of("a"), elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path_of("a")), 0);
    assert_false(holds("a", ""));
    write_text("a", "another alpha"); /* replaces the link, not what it points to */
    assert_true(holds("a", "another alpha"));
    struct stat info;
    assert_int_equal(stat(elsewhere, &info), 0);
    assert_int_equal(info.st_size, 5 + 64);
    unlink(elsewhere);
}

static void an_entry_that_others_can_write_is_ignored(void **state)
{
    write_text("a", "alpha");
    assert_int_equal(chmod(path_of("a"), 0620), 0);
    assert_false(holds("a", ""));
    assert_int_equal(chmod(path_of("a"), 0602), 0);
    assert_false(holds("a", ""));
    assert_int_equal(chmod(path_of("a"), 0644), 0);
    assert_true(holds("a", "alpha"));
}

static void an_entry_of_another_user_is_ignored(void **state)
{
    if (geteuid() != 0)
        skip(); /* only root can give files away */
    write_text("a", "alpha");
    assert_int_equal(chown(path_of("a"), 65534, 65534), 0);
    assert_false(holds("a", ""));
    write_text("a", "alpha");
    assert_true(holds("a", "alpha"));
}

/* Nothing is read from the folder or written into it. */
static void expect_unused(void)
{
    char place[200];
    int lock, before = files_in_folder();
    assert_false(holds("a", ""));
    write_text("b", "beta");
    assert_false(compile_cache_workplace(folder, place, sizeof place, &lock));
    assert_int_equal(files_in_folder(), before);
}

static void a_folder_of_another_user_is_not_used(void **state)
{
    if (geteuid() != 0)
        skip();
    write_text("a", "alpha");
    assert_int_equal(chown(folder, 65534, 65534), 0);
    expect_unused();
    assert_int_equal(chown(folder, 0, 0), 0);
    assert_true(holds("a", "alpha"));
}

static void a_folder_that_others_can_write_is_not_used(void **state)
{
    write_text("a", "alpha");
    assert_int_equal(chmod(folder, 0770), 0);
    expect_unused();
    assert_int_equal(chmod(folder, 01777), 0);
    expect_unused();
    assert_int_equal(chmod(folder, 0755), 0);
    assert_true(holds("a", "alpha"));
}

static void a_symbolic_link_is_no_folder(void **state)
{
    char elsewhere[100];
    write_text("a", "alpha");
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", parent);
    assert_int_equal(rename(folder, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, folder), 0);
    expect_unused();
    assert_int_equal(unlink(folder), 0);
    assert_int_equal(rename(elsewhere, folder), 0);
    assert_true(holds("a", "alpha"));
}

/* ---- sharing ----------------------------------------------------------------------------------------------------- */

static void a_half_written_entry_is_not_seen(void **state)
{
    char place[200], inside[220];
    int lock;
    write_text("a", "alpha");
    shell("touch %s/.new.0123456789abcdef", folder); /* nobody has locked it: its writer was killed */
    assert_true(compile_cache_workplace(folder, place, sizeof place, &lock));
    snprintf(inside, sizeof inside, "%s/source.c", place);
    shell("touch %s", inside);
    write_text("b", "beta");
    assert_int_equal(files_in_folder(), 3); /* the workplace is in use */
    assert_int_equal(compile_cache_sweep(folder), 1);
    close(lock); /* as the system does for a process that ends */
    assert_int_equal(compile_cache_sweep(folder), 0);
    assert_int_equal(files_in_folder(), 2);
    write_text("c", "gamma");
    assert_true(holds("a", "alpha") && holds("b", "beta") && holds("c", "gamma"));
}

static void fill(Text *text, char letter)
{
    for (int i = 0; i < 20000; i++)
        text_append(text, &letter, 1);
}

/* One of 16 writers of the same few entries. It reads what others write: whole entries or none. */
static void write_and_read(int number)
{
    Text text = {0};
    fill(&text, (char)('a' + number));
    for (int round = 0; round < 200; round++) {
        char name[2] = {(char)('0' + round % 3), '\0'};
        Digest key = key_of(name);
        Text found = {0};
        compile_cache_write(folder, &key, &text);
        if (!compile_cache_read(folder, &key, &found) || found.length != text.length ||
            strspn(found.data, (char[]){found.data[0], '\0'}) != found.length)
            _exit(1);
        text_free(&found);
    }
    text_free(&text);
    _exit(0);
}

static void sixteen_writers_do_not_disturb_each_other(void **state)
{
    for (int i = 0; i < 16; i++)
        if (fork() == 0)
            write_and_read(i);
    for (int i = 0, status; i < 16; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(files_in_folder(), 3);
}

static void a_killed_writer_leaves_whole_entries_or_none(void **state)
{
    for (int round = 0; round < 40; round++) {
        pid_t writer = fork();
        if (writer == 0)
            for (;;)
                write_and_read(round % 20);
        usleep(1000 + 397 * (unsigned)round);
        kill(writer, SIGKILL);
        assert_int_equal(waitpid(writer, NULL, 0), writer);
        for (char name[2] = "0"; name[0] < '3'; name[0]++) {
            Digest key = key_of(name);
            Text found = {0};
            bool is_file = access(path_of(name), F_OK) == 0;
            assert_int_equal(compile_cache_read(folder, &key, &found), is_file);
            text_free(&found);
        }
    }
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void the_least_recently_used_entries_go_first(void **state)
{
    write_text("read again", "kept");
    write_text("not read", "gone");
    shell("cd %s && touch -d 2001-01-01 *", folder);
    shell("cd %s && seq -f %%064.0f 4100 | xargs touch -d 2002-02-02", folder);
    assert_true(holds("read again", "kept"));
    write_text("new", "kept too");
    assert_int_equal(files_in_folder(), COMPILE_CACHE_ENTRIES);
    assert_true(holds("read again", "kept"));
    assert_true(holds("new", "kept too"));
    assert_false(holds("not read", ""));
}

static void no_more_than_a_gibibyte_is_kept(void **state)
{
    write_text("old", "gone");
    shell("cd %s && touch -d 2001-01-01 * && for i in 1 2 3 4 5; do truncate -s 250M $(seq -f %%064.0f $i $i); done",
          folder);
    write_text("new", "kept");
    assert_true(holds("new", "kept"));
    assert_false(holds("old", ""));
    assert_int_equal(files_in_folder(), 1 + 4);
}

static void other_files_in_the_folder_are_left_alone(void **state)
{
    write_text("a", "alpha");
    shell(
        "cd %s && mkdir -p mine $(seq -f %%064.0f 7 7) && touch -d 2001-01-01 mine mine/too $(seq -f %%064.0f 8 8).txt",
        folder);
    shell("cd %s && seq -f %%064.0f 10 4100 | xargs touch -d 2002-02-02", folder);
    write_text("b", "beta");
    assert_int_equal(files_in_folder(), COMPILE_CACHE_ENTRIES + 3);
    shell("cd %s && ls mine/too *.txt >/dev/null", folder);
}

/* ---- without ----------------------------------------------------------------------------------------------------- */

static void a_folder_that_cannot_be_made_is_no_error(void **state)
{
    char place[200];
    int lock;
    Digest key = key_of("a");
    Text text = {0};
    compile_cache_write("/proc/no/such/folder", &key, &text);
    assert_false(compile_cache_read("/proc/no/such/folder", &key, &text));
    assert_null(compile_cache_load("/proc/no/such/folder", &key));
    assert_false(compile_cache_workplace("/proc/no/such/folder", place, sizeof place, &lock));
}

/* Root may write everywhere, so another user does this. */
static void a_read_only_folder_is_read(void **state)
{
    write_text("a", "alpha");
    if (geteuid() == 0)
        shell("chown -R 65534 %s", parent);
    assert_int_equal(chmod(folder, 0500), 0);
    pid_t reader = fork();
    if (reader == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        write_text("b", "beta");
        _exit(holds("a", "alpha") && !holds("b", "") && files_in_folder() == 1 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_int_equal(status, 0);
    if (geteuid() == 0)
        shell("chown -R 0 %s", parent);
}

static int make_parent(void **state)
{
    return mkdtemp(parent) == NULL || chmod(parent, 0755) != 0 ? -1 : 0;
}

static int begin(void **state)
{
    snprintf(folder, sizeof folder, "%s/cache", parent);
    return 0;
}

static int end(void **state)
{
    chmod(folder, 0755); /* nobody but root removes files from a folder that is read-only */
    shell("rm -rf %s", folder);
    return 0;
}

static int remove_parent(void **state)
{
    return rmdir(parent);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_written_is_read),
        TEST(folder_and_entries_are_private),
        TEST(a_library_is_loaded_from_its_entry),
        TEST(a_damaged_entry_is_ignored_and_replaced),
        TEST(a_truncated_or_longer_entry_is_ignored),
        TEST(an_entry_under_another_name_is_ignored),
        TEST(a_symbolic_link_is_no_entry),
        TEST(an_entry_that_others_can_write_is_ignored),
        TEST(an_entry_of_another_user_is_ignored),
        TEST(a_folder_of_another_user_is_not_used),
        TEST(a_folder_that_others_can_write_is_not_used),
        TEST(a_symbolic_link_is_no_folder),
        TEST(a_half_written_entry_is_not_seen),
        TEST(sixteen_writers_do_not_disturb_each_other),
        TEST(a_killed_writer_leaves_whole_entries_or_none),
        TEST(the_least_recently_used_entries_go_first),
        TEST(no_more_than_a_gibibyte_is_kept),
        TEST(other_files_in_the_folder_are_left_alone),
        TEST(a_folder_that_cannot_be_made_is_no_error),
        TEST(a_read_only_folder_is_read),
    };
    return cmocka_run_group_tests(tests, make_parent, remove_parent);
}
