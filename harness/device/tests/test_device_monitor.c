/* The monitor of a GPU, with a management library that stands in for NVIDIA's (tests/fake/nvml.c).  */
#include "base/tests/unit.h"

#include "harness/device/device_monitor.h"
#include "harness/tests/build_folder.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET "sm_clock 1980\nmax_sm_clock 1980\ntemperature 35\nslowdown_temperature 87\nreasons 0x1\n"

static const double USUAL_MHZ = 1980;
static char settings[64], draft[80];

/* Sets the values that the GPU reports from now on. */
static void answer(const char *text)
{
    FILE *file = fopen(draft, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(draft, settings), 0);
}

static int set_up_names(void **state)
{
    char path[PATH_MAX];
    strcpy(settings, "/tmp/fake-nvml-XXXXXX");
    int file = mkstemp(settings);
    if (file < 0)
        return -1;
    close(file);
    snprintf(draft, sizeof draft, "%s.draft", settings);
    find_built("libnvml.so.1", path, sizeof path);
    setenv("CONVJUDGE_FAKE_NVML", settings, 1);
    return setenv("CONVJUDGE_NVML", path, 1);
}

static int tear_down_names(void **state)
{
    return unlink(settings);
}

/* The processes that the fake names are sleeping children. */
static pid_t child(const char *name)
{
    pid_t process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, name);
        for (;;)
            pause();
    }
    for (;;) { /* until the child has its name */
        char path[64], found[64] = "";
        snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
        FILE *file = fopen(path, "r");
        if (file != NULL && fgets(found, sizeof found, file) != NULL)
            found[strcspn(found, "\n")] = '\0';
        if (file != NULL)
            fclose(file);
        if (strcmp(found, name) == 0)
            return process;
        usleep(1000);
    }
}

static void end(pid_t process)
{
    kill(process, SIGKILL);
    assert_int_equal(waitpid(process, NULL, 0), process);
}

static DeviceMonitor *open_monitor(void)
{
    DeviceMonitor *opened;
    Message why;
    if (device_monitor_open("GPU-1234", &opened, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return opened;
}

/* Asserts what disturbs a measurement on a GPU that reports `text`; NULL: nothing does. */
static void expect_disturbance(const char *text, const pid_t *own, size_t own_count, double usual_mhz,
                               const char *expected)
{
    char found[300];
    DeviceMonitor *opened = open_monitor();
    answer(text);
    bool disturbed = device_monitor_disturbed(opened, own, own_count, usual_mhz, found, sizeof found);
    device_monitor_close(opened);
    if (disturbed != (expected != NULL) || strcmp(found, disturbed ? expected : "") != 0)
        fail_test("expected \"%s\", found \"%s\"", expected == NULL ? "" : expected, found);
}

/* ---- the library ------------------------------------------------------------------------------------------------- */

/* These tests come first: a process opens the library only once, but can try again after a failure. */
static void without_the_library_there_is_nothing_to_open(void **state)
{
    char library[PATH_MAX];
    DeviceMonitor *opened;
    Message why = {0};
    snprintf(library, sizeof library, "%s", getenv("CONVJUDGE_NVML"));
    setenv("CONVJUDGE_NVML", "/nonexistent/libnvidia-ml.so.1", 1);
    assert_int_equal(device_monitor_open("GPU-1234", &opened, &why), STATUS_NOT_FOUND);
    assert_non_null(strstr(why.text, "no management library (NVML) here: /nonexistent/libnvidia-ml.so.1"));
    setenv("CONVJUDGE_NVML", library, 1);
}

static void another_library_is_named_with_what_it_lacks(void **state)
{
    char library[PATH_MAX];
    DeviceMonitor *opened;
    Message why = {0};
    snprintf(library, sizeof library, "%s", getenv("CONVJUDGE_NVML"));
    setenv("CONVJUDGE_NVML", "libm.so.6", 1);
    assert_int_equal(device_monitor_open("GPU-1234", &opened, &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "libm.so.6: has no nvmlInit_v2");
    setenv("CONVJUDGE_NVML", library, 1);
}

static void a_library_without_its_driver_says_so(void **state)
{
    DeviceMonitor *opened;
    Message why = {0};
    answer("no_driver 1\n");
    assert_int_equal(device_monitor_open("GPU-1234", &opened, &why), STATUS_NOT_FOUND);
    assert_non_null(strstr(why.text, "does not start: Driver Not Loaded"));
}

static void a_device_that_the_library_does_not_know_is_not_found(void **state)
{
    DeviceMonitor *opened;
    Message why = {0};
    answer("uuid GPU-5678\n");
    assert_int_equal(device_monitor_open("GPU-1234", &opened, &why), STATUS_NOT_FOUND);
    assert_string_equal(why.text, "NVML does not know GPU-1234: Not Found");
    answer("uuid GPU-1234\n");
    device_monitor_close(open_monitor());
}

/* ---- the state --------------------------------------------------------------------------------------------------- */

static void the_state_is_read(void **state)
{
    DeviceState found;
    DeviceMonitor *opened = open_monitor();
    answer("sm_clock 1965\nmemory_clock 3201\nmax_sm_clock 1980\ntemperature 41\nslowdown_temperature 87\n"
           "power 71500\nreasons 0x24\n");
    device_monitor_read(opened, &found);
    assert_int_equal(found.sm_clock_mhz, 1965);
    assert_int_equal(found.memory_clock_mhz, 3201);
    assert_int_equal(found.max_sm_clock_mhz, 1980);
    assert_int_equal(found.temperature_c, 41);
    assert_int_equal(found.slowdown_temperature_c, 87);
    assert_true(found.power_w == 71.5);
    assert_int_equal(found.reasons, NVML_REASON_POWER_CAP | NVML_REASON_SOFTWARE_THERMAL);
    device_monitor_close(opened);
}

static void what_the_device_cannot_tell_is_0_and_disturbs_nobody(void **state)
{
    DeviceState found;
    DeviceMonitor *opened = open_monitor();
    answer("");
    memset(&found, 0xFF, sizeof found);
    device_monitor_read(opened, &found);
    device_monitor_close(opened);
    assert_true(found.sm_clock_mhz == 0 && found.memory_clock_mhz == 0 && found.max_sm_clock_mhz == 0);
    assert_true(found.temperature_c == 0 && found.slowdown_temperature_c == 0 && found.power_w == 0);
    assert_int_equal(found.reasons, 0);
    expect_disturbance("", NULL, 0, USUAL_MHZ, NULL);
    expect_disturbance("reasons 0x4\ntemperature 99\n", NULL, 0, USUAL_MHZ, NULL);
}

static void reasons_have_words(void **state)
{
    static const struct {
        uint32_t reasons;
        const char *words;
    } cases[] = {
        {0, ""},
        {NVML_REASON_IDLE, "idle"},
        {NVML_REASON_POWER_CAP | NVML_REASON_SOFTWARE_THERMAL, "power cap, thermal slowdown"},
        {NVML_REASON_HARDWARE_SLOWDOWN | NVML_REASON_HARDWARE_THERMAL, "hardware slowdown, hardware thermal slowdown"},
        {NVML_REASON_APPLICATION_SETTING, "clock setting"},
        {NVML_REASON_SYNC_BOOST | NVML_REASON_POWER_BRAKE, "sync boost, power brake"},
        {NVML_REASON_DISPLAY_SETTING, "display clock setting"},
        {0x80000200u, "reason 0x200, reason 0x80000000"},
    };
    char text[100];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        device_monitor_reasons(cases[i].reasons, text, sizeof text);
        assert_string_equal(text, cases[i].words);
    }
    device_monitor_reasons(UINT32_MAX, text, sizeof text);
    assert_int_equal(strlen(text), sizeof text - 1);
}

/* ---- clock and temperature --------------------------------------------------------------------------------------- */

static void a_clock_that_something_holds_disturbs(void **state)
{
    static const struct {
        const char *answer;
        double usual_mhz;
        const char *expected;
    } cases[] = {
        {"sm_clock 1200\nreasons 0x4\n", 1980, "the clock is held at 1200 MHz (usually 1980): power cap"},
        {"sm_clock 1200\nreasons 0x28\n", 1980,
         "the clock is held at 1200 MHz (usually 1980): hardware slowdown, thermal slowdown"},
        {"sm_clock 1200\nreasons 0x400\n", 1980, "the clock is held at 1200 MHz (usually 1980): reason 0x400"},
        {"sm_clock 1200\nmax_sm_clock 1755\nreasons 0x2\n", 0,
         "the clock is held at 1200 MHz (usually 1755): clock setting"},
        {"sm_clock 1200\nreasons 0x4\n", 0, NULL},    /* the usual clock is unknown */
        {"sm_clock 1200\nreasons 0x4\n", 1200, NULL}, /* the usual clock */
        {"sm_clock 1950\nreasons 0x4\n", 1980, NULL}, /* lower by a step or two */
        {"sm_clock 345\nreasons 0x1\n", 1980, NULL},  /* idle */
        {"sm_clock 345\nreasons 0x3\n", 1980, NULL},  /* idle, and would be held */
        {"sm_clock 345\nreasons 0x0\n", 1980, NULL},  /* changing */
        {"sm_clock 345\n", 1980, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_disturbance(cases[i].answer, NULL, 0, cases[i].usual_mhz, cases[i].expected);
}

static void a_hot_gpu_disturbs(void **state)
{
    expect_disturbance("temperature 91\nslowdown_temperature 87\n", NULL, 0, USUAL_MHZ,
                       "the GPU is at 91 C and slows down from 87 C on");
    expect_disturbance("temperature 87\nslowdown_temperature 87\n", NULL, 0, USUAL_MHZ,
                       "the GPU is at 87 C and slows down from 87 C on");
    expect_disturbance("temperature 86\nslowdown_temperature 87\n", NULL, 0, USUAL_MHZ, NULL);
}

/* ---- other processes --------------------------------------------------------------------------------------------- */

static void the_judges_own_processes_disturb_nobody(void **state)
{
    pid_t own[] = {child("broker"), child("oracle"), 0};
    char text[200];
    snprintf(text, sizeof text, QUIET "process %d\nprocess %d\nprocess %d\n", (int)own[0], (int)own[1], (int)own[0]);
    expect_disturbance(text, own, COUNT_OF(own), USUAL_MHZ, NULL);
    end(own[0]);
    end(own[1]);
}

static void another_process_is_named(void **state)
{
    pid_t own = child("broker"), other = child("python3");
    char text[200], expected[100];
    snprintf(text, sizeof text, QUIET "process %d\nprocess %d\n", (int)own, (int)other);
    snprintf(expected, sizeof expected, "process %d (python3) uses the GPU", (int)other);
    expect_disturbance(text, &own, 1, USUAL_MHZ, expected);
    end(own);
    end(other);
}

static void the_name_that_a_process_chose_moves_no_cursor(void **state)
{
    pid_t other = child("a\033[2Jb");
    char text[200], expected[100];
    snprintf(text, sizeof text, QUIET "process %d\n", (int)other);
    snprintf(expected, sizeof expected, "process %d (a?[2Jb) uses the GPU", (int)other);
    expect_disturbance(text, NULL, 0, USUAL_MHZ, expected);
    end(other);
}

/* As in a container: process numbers above the kernel's limit do not exist here. */
static void unknown_numbers_beyond_the_judges_own_are_others(void **state)
{
    static const char outside[] = "a process outside this container uses the GPU";
    pid_t own[] = {child("broker"), child("oracle")};
    char text[200];
    expect_disturbance(QUIET "process 99000001\nprocess 99000002\n", own, 2, USUAL_MHZ, NULL);
    expect_disturbance(QUIET "process 99000001\n", own, 2, USUAL_MHZ, NULL);
    expect_disturbance(QUIET "process 99000001\nprocess 99000002\nprocess 99000003\n", own, 2, USUAL_MHZ, outside);
    expect_disturbance(QUIET "process 99000001\n", NULL, 0, USUAL_MHZ, outside);
    snprintf(text, sizeof text, QUIET "process %d\nprocess 99000001\nprocess 99000002\n", (int)own[0]);
    expect_disturbance(text, own, 2, USUAL_MHZ, outside);
    own[0] = (end(own[0]), 0);
    expect_disturbance(QUIET "process 99000001\nprocess 99000002\n", own, 2, USUAL_MHZ, outside);
    end(own[1]);
}

static void more_processes_than_can_be_listed_disturb(void **state)
{
    static char text[300 * 20];
    size_t length = 0;
    for (int i = 0; i < 257; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "process %d\n", 99000000 + i);
    expect_disturbance(text, NULL, 0, USUAL_MHZ, "more than 256 processes use the GPU");
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

typedef struct Heard {
    int times;
    char last[300];
    bool cools; /* when `tell` is called */
} Heard;

static void hear(void *context, const char *disturbance, double waited_s)
{
    Heard *heard = context;
    heard->times++;
    snprintf(heard->last, sizeof heard->last, "%s", disturbance);
    if (heard->cools)
        answer(QUIET);
}

static void waiting_ends_when_nothing_disturbs_any_more(void **state)
{
    Heard heard = {.cools = true};
    DeviceMonitor *opened = open_monitor();
    Message why = {0};
    answer("temperature 91\nslowdown_temperature 87\n");
    if (device_monitor_wait(opened, NULL, 0, USUAL_MHZ, 60, hear, &heard, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_int_equal(heard.times, 1);
    assert_string_equal(heard.last, "the GPU is at 91 C and slows down from 87 C on");
    assert_int_equal(device_monitor_wait(opened, NULL, 0, USUAL_MHZ, 0, hear, &heard, &why), STATUS_OK);
    assert_int_equal(heard.times, 1);
    device_monitor_close(opened);
}

static void waiting_gives_up_and_says_what_disturbs(void **state)
{
    DeviceMonitor *opened = open_monitor();
    Message why = {0};
    answer("sm_clock 1200\nreasons 0x4\n");
    assert_int_equal(device_monitor_wait(opened, NULL, 0, USUAL_MHZ, 0.2, NULL, NULL, &why), STATUS_BUSY);
    assert_string_equal(why.text, "the clock is held at 1200 MHz (usually 1980): power cap");
    device_monitor_close(opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_library_there_is_nothing_to_open),
        cmocka_unit_test(another_library_is_named_with_what_it_lacks),
        cmocka_unit_test(a_library_without_its_driver_says_so),
        cmocka_unit_test(a_device_that_the_library_does_not_know_is_not_found),
        cmocka_unit_test(the_state_is_read),
        cmocka_unit_test(what_the_device_cannot_tell_is_0_and_disturbs_nobody),
        cmocka_unit_test(reasons_have_words),
        cmocka_unit_test(a_clock_that_something_holds_disturbs),
        cmocka_unit_test(a_hot_gpu_disturbs),
        cmocka_unit_test(the_judges_own_processes_disturb_nobody),
        cmocka_unit_test(another_process_is_named),
        cmocka_unit_test(the_name_that_a_process_chose_moves_no_cursor),
        cmocka_unit_test(unknown_numbers_beyond_the_judges_own_are_others),
        cmocka_unit_test(more_processes_than_can_be_listed_disturb),
        cmocka_unit_test(waiting_ends_when_nothing_disturbs_any_more),
        cmocka_unit_test(waiting_gives_up_and_says_what_disturbs),
    };
    return cmocka_run_group_tests(tests, set_up_names, tear_down_names);
}
