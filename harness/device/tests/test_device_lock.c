#include "base/tests/unit.h"

#include "harness/device/device_monitor.h"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char UUID[] = "GPU-01234567-89ab-cdef-0123-456789abcdef";
static char folder[64], path[160];

static int set_up(void **state)
{
    strcpy(folder, "/tmp/test_device_lock.XXXXXX");
    if (mkdtemp(folder) == NULL || chmod(folder, 01777) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/convjudge-%s.lock", folder, UUID);
    return setenv("CONVJUDGE_LOCKS", folder, 1);
}

static int tear_down(void **state)
{
    if (unlink(path) != 0)
        rmdir(path);
    return rmdir(folder);
}

static int lock(void)
{
    int descriptor;
    Message why;
    if (device_lock_try(UUID, &descriptor, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return descriptor;
}

static void expect_refusal(const char *text)
{
    int descriptor;
    Message why = {0};
    assert_int_equal(device_lock_try(UUID, &descriptor, &why), STATUS_SYSTEM);
    assert_int_equal(descriptor, -1);
    if (strstr(why.text, text) == NULL ||
        strstr(
            why.text,
            "; remove it, or set CONVJUDGE_LOCKS to a folder that every user can write to, the same for all users") ==
            NULL)
        fail_test("\"%s\" does not say \"%s\"", why.text, text);
}

/* Starts a child that calls `work` and then lives until it is killed, at most a minute. `work` returns whether it
 * succeeded. */
static pid_t child(bool (*work)(void))
{
    int ends[2];
    char done = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t process = fork();
    if (process == 0) {
        alarm(60);
        done = work() ? 'y' : 'n';
        (void)!write(ends[1], &done, 1);
        for (;;)
            pause();
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &done, 1), 1);
    close(ends[0]);
    assert_int_equal(done, 'y');
    return process;
}

static void end(pid_t process)
{
    kill(process, SIGKILL);
    assert_int_equal(waitpid(process, NULL, 0), process);
}

static bool takes_the_lock(void)
{
    int descriptor;
    return device_lock_try(UUID, &descriptor, NULL) == STATUS_OK && descriptor >= 0;
}

/* ---- holding ----------------------------------------------------------------------------------------------------- */

static void a_second_process_is_told_who_has_the_lock(void **state)
{
    char expected[200];
    int descriptor;
    Message why = {0};
    pid_t holder = child(takes_the_lock);
    assert_int_equal(device_lock_try(UUID, &descriptor, &why), STATUS_OK);
    assert_int_equal(descriptor, -1);
    const struct passwd *account = getpwuid(getuid());
    snprintf(expected, sizeof expected, "process %d (test_device_lock) of %s", (int)holder,
             account != NULL ? account->pw_name : "user ");
    assert_int_equal(strncmp(why.text, expected, strlen(expected)), 0);
    end(holder);
}

/* As of a container's user, whom this host does not know. */
static void a_holder_whose_user_has_no_name_is_told_by_number(void **state)
{
    static const char expected[] = "process 1234 (other) of user 4000000000";
    int descriptor;
    Message why = {0};
    pid_t holder = child(takes_the_lock);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("1234 4000000000 other\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(device_lock_try(UUID, &descriptor, &why), STATUS_OK);
    assert_int_equal(strncmp(why.text, expected, strlen(expected)), 0);
    end(holder);
}

static void a_killed_holder_holds_nothing(void **state)
{
    end(child(takes_the_lock));
    int descriptor = lock();
    assert_true(descriptor >= 0);
    close(descriptor);
}

static void the_lock_is_held_until_all_copies_are_closed(void **state)
{
    int descriptor = lock(), copy = dup(descriptor);
    close(descriptor);
    assert_int_equal(lock(), -1);
    close(copy);
    descriptor = lock();
    assert_true(descriptor >= 0);
    assert_int_equal(fcntl(descriptor, F_GETFD), FD_CLOEXEC);
    close(descriptor);
}

static void devices_are_locked_each_for_itself(void **state)
{
    int first = lock(), second;
    Message why;
    assert_true(first >= 0);
    assert_int_equal(device_lock_try("GPU-other", &second, &why), STATUS_OK);
    assert_true(second >= 0);
    close(first);
    close(second);
    snprintf(path, sizeof path, "%s/convjudge-GPU-other.lock", folder);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/convjudge-%s.lock", folder, UUID);
}

static void a_holder_who_signs_with_control_characters_is_not_quoted(void **state)
{
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666), second;
    static const char *const signatures[] = {"", "x", "12 0 \033[31mfake", "12 0", "12 0 \n"};
    Message why;
    assert_int_equal(flock(descriptor, LOCK_EX), 0);
    for (size_t i = 0; i < COUNT_OF(signatures); i++) {
        assert_int_equal(ftruncate(descriptor, 0), 0);
        assert_int_equal(pwrite(descriptor, signatures[i], strlen(signatures[i]), 0), strlen(signatures[i]));
        assert_int_equal(device_lock_try(UUID, &second, &why), STATUS_OK);
        assert_int_equal(second, -1);
        assert_string_equal(why.text, "another process");
    }
    close(descriptor);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static bool makes_the_file_under_a_strict_umask(void)
{
    umask(077);
    return takes_the_lock();
}

static void every_user_can_open_the_file_whatever_the_umask(void **state)
{
    struct stat file;
    end(child(makes_the_file_under_a_strict_umask));
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(file.st_mode, S_IFREG | 0666);
}

static bool is_another_user_and_takes_the_lock(void)
{
    return setuid(65534) == 0 && takes_the_lock();
}

static void another_user_takes_the_lock_by_the_same_file(void **state)
{
    if (getuid() != 0)
        return; /* only root can become another user */
    close(lock());
    end(child(is_another_user_and_takes_the_lock));
    int descriptor = lock();
    assert_true(descriptor >= 0);
    close(descriptor);
}

static void a_removed_file_is_made_anew(void **state)
{
    int first = lock();
    assert_int_equal(unlink(path), 0);
    int second = lock();
    assert_true(second >= 0);
    assert_int_equal(lock(), -1);
    close(first);
    close(second);
}

static void a_link_in_the_files_place_is_not_followed(void **state)
{
    char target[100];
    snprintf(target, sizeof target, "%s/target", folder);
    close(open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    assert_int_equal(symlink(target, path), 0);
    expect_refusal("is a symbolic link");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(target, path), 0);
    expect_refusal("is not a regular file with one name");
    assert_int_equal(unlink(target), 0);
    close(lock());
}

static void a_folder_in_the_files_place_is_refused(void **state)
{
    assert_int_equal(mkdir(path, 0777), 0);
    expect_refusal("Is a directory");
}

static void a_fifo_in_the_files_place_is_refused(void **state)
{
    assert_int_equal(mkfifo(path, 0666), 0);
    expect_refusal("is not a regular file with one name");
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    setenv("CONVJUDGE_LOCKS", "/nonexistent/locks", 1);
    expect_refusal("/nonexistent/locks/convjudge-GPU-01234567-89ab-cdef-0123-456789abcdef.lock");
    setenv("CONVJUDGE_LOCKS", folder, 1);
    close(lock());
}

static bool is_refused_the_folder(void)
{
    Message why = {0};
    int descriptor;
    return (getuid() != 0 || setuid(65534) == 0) && device_lock_try(UUID, &descriptor, &why) == STATUS_SYSTEM &&
           strstr(why.text, "Permission denied") != NULL;
}

static void a_folder_that_cannot_be_written_is_named(void **state)
{
    assert_int_equal(chmod(folder, 0555), 0);
    end(child(is_refused_the_folder));
}

static void without_a_chosen_folder_it_is_one_that_all_can_write(void **state)
{
    char here[100], uuid[40];
    struct stat run, file;
    int descriptor;
    Message why;
    bool for_all = stat("/run/lock", &run) == 0 && (run.st_mode & S_IWOTH) != 0 && access("/run/lock", W_OK) == 0;
    snprintf(uuid, sizeof uuid, "GPU-of-test-%d", (int)getpid());
    snprintf(here, sizeof here, "%s/convjudge-%s.lock", for_all ? "/run/lock" : "/tmp", uuid);
    unsetenv("CONVJUDGE_LOCKS");
    assert_int_equal(device_lock_try(uuid, &descriptor, &why), STATUS_OK);
    setenv("CONVJUDGE_LOCKS", folder, 1);
    assert_true(descriptor >= 0);
    assert_int_equal(stat(here, &file), 0);
    assert_int_equal(unlink(here), 0);
    close(descriptor);
    close(lock());
}

static void what_no_gpu_is_called_makes_no_file(void **state)
{
    static const char *const uuids[] = {"", "../GPU", "GPU/1", "GPU 1", "GPU\n"};
    int descriptor;
    Message why;
    for (size_t i = 0; i < COUNT_OF(uuids); i++)
        assert_int_equal(device_lock_try(uuids[i], &descriptor, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "'GPU\n' is not the uuid of a GPU");
    close(lock());
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

typedef struct Heard {
    int times;
    char last[200];
    pid_t ends; /* process that is to end when `tell` is called; 0: none */
} Heard;

static void hear(void *context, const char *holder, double waited_s)
{
    Heard *heard = context;
    heard->times++;
    snprintf(heard->last, sizeof heard->last, "%s", holder);
    if (heard->ends != 0 && heard->times == 1)
        end(heard->ends);
}

static void waiting_tells_who_has_the_lock_and_gives_up(void **state)
{
    Heard heard = {0};
    int descriptor;
    Message why = {0};
    pid_t holder = child(takes_the_lock);
    assert_int_equal(device_lock_wait(UUID, 1.5, hear, &heard, &descriptor, &why), STATUS_BUSY);
    assert_int_equal(descriptor, -1);
    assert_true(heard.times >= 1);
    assert_non_null(strstr(heard.last, "(test_device_lock) of "));
    assert_non_null(strstr(why.text, " is still in use after "));
    assert_non_null(strstr(why.text, heard.last));
    assert_int_equal(device_lock_wait(UUID, 0.1, NULL, NULL, &descriptor, &why), STATUS_BUSY);
    end(holder);
}

static void waiting_ends_when_the_holder_does(void **state)
{
    Heard heard = {.ends = child(takes_the_lock)};
    int descriptor;
    Message why = {0};
    if (device_lock_wait(UUID, 60, hear, &heard, &descriptor, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_true(descriptor >= 0);
    assert_int_equal(heard.times, 1);
    close(descriptor);
}

static int told; /* end of a pipe */

static void tell_parent(void *context, const char *holder, double waited_s)
{
    (void)!write(told, "w", 1);
}

/* Starts a child that waits for the lock of `held`, and ends when it has the lock. */
static pid_t waiting_child(int held)
{
    int ends[2], descriptor;
    char waits;
    Message why;
    assert_int_equal(pipe(ends), 0);
    told = ends[1];
    pid_t process = fork();
    if (process == 0) {
        close(held); /* a copy would hold the lock as well */
        close(ends[0]);
        signal(SIGPIPE, SIG_IGN);
        _exit(device_lock_wait(UUID, 60, tell_parent, NULL, &descriptor, &why) == STATUS_OK ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &waits, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return process;
}

static void nobody_passes_by_who_waits(void **state)
{
    int status = -1, held = lock();
    assert_true(held >= 0);
    pid_t waiting = waiting_child(held);
    close(held);
    assert_int_equal(lock(), -1); /* the other process looks ten times per second */
    assert_int_equal(waitpid(waiting, &status, 0), waiting);
    assert_int_equal(status, 0);
    held = lock();
    assert_true(held >= 0);
    close(held);
}

static void a_free_lock_is_had_without_a_word(void **state)
{
    Heard heard = {0};
    int descriptor;
    Message why;
    assert_int_equal(device_lock_wait(UUID, 0, hear, &heard, &descriptor, &why), STATUS_OK);
    assert_true(descriptor >= 0);
    assert_int_equal(heard.times, 0);
    close(descriptor);
}

static void waiting_for_a_file_that_cannot_be_ends_at_once(void **state)
{
    Heard heard = {0};
    int descriptor;
    Message why = {0};
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(device_lock_wait(UUID, 60, hear, &heard, &descriptor, &why), STATUS_SYSTEM);
    assert_non_null(strstr(why.text, "Is a directory"));
    assert_int_equal(heard.times, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_second_process_is_told_who_has_the_lock),
        TEST(a_holder_whose_user_has_no_name_is_told_by_number),
        TEST(a_killed_holder_holds_nothing),
        TEST(the_lock_is_held_until_all_copies_are_closed),
        TEST(devices_are_locked_each_for_itself),
        TEST(a_holder_who_signs_with_control_characters_is_not_quoted),
        TEST(every_user_can_open_the_file_whatever_the_umask),
        TEST(another_user_takes_the_lock_by_the_same_file),
        TEST(a_removed_file_is_made_anew),
        TEST(a_link_in_the_files_place_is_not_followed),
        TEST(a_folder_in_the_files_place_is_refused),
        TEST(a_fifo_in_the_files_place_is_refused),
        TEST(a_folder_that_is_not_there_is_named),
        TEST(a_folder_that_cannot_be_written_is_named),
        TEST(without_a_chosen_folder_it_is_one_that_all_can_write),
        TEST(what_no_gpu_is_called_makes_no_file),
        TEST(waiting_tells_who_has_the_lock_and_gives_up),
        TEST(waiting_ends_when_the_holder_does),
        TEST(nobody_passes_by_who_waits),
        TEST(a_free_lock_is_had_without_a_word),
        TEST(waiting_for_a_file_that_cannot_be_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
