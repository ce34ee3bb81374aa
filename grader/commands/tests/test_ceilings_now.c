#include "base/tests/unit.h"

#include "grader/commands/command_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIGURES = 7 };

static char folder[] = "/tmp/test_ceilings_now.XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) != NULL ? setenv("CONVJUDGE_LOCKS", folder, 1) : -1;
}

static int remove_folder(void **state)
{
    char lock[100];
    snprintf(lock, sizeof lock, "%s/convjudge-Made-Up.lock", folder);
    return unlink(lock) == 0 ? rmdir(folder) : -1;
}

/* The simulated GPU with the fewest multiprocessors stands for a real one, which has a lock. */
static void the_step_says_what_was_measured(void **state)
{
    const CeilingsWork work = {.bytes = 1 << 16, .rounds = 1, .repetitions = 1};
    const DeviceInfo info = {.handle = "sim:rtx3060", .uuid = "Made-Up"};
    FILE *stream = tmpfile();
    Progress progress = progress_new(stream);
    Ceilings found;
    Message why = {0};
    double said[FIGURES];
    if (ceilings_now(&info, &work, &progress, &found, &why) != STATUS_OK)
        fail_test("%s", why.text);
    rewind(stream);
    assert_int_equal(fscanf(stream,
                            "ceilings read %lf GB/s, copy %lf GB/s, FMA %lf TFLOP/s, TF32 %lf TFLOP/s, %lf MHz, clock "
                            "gap %lf us, launch %lf us",
                            &said[0], &said[1], &said[2], &said[3], &said[4], &said[5], &said[6]),
                     FIGURES);
    fclose(stream);
    const double expected[FIGURES] = {found.read_bytes_per_s * 1e-9,
                                      found.copy_bytes_per_s * 1e-9,
                                      found.fma_flops_per_s * 1e-12,
                                      found.tf32_flops_per_s * 1e-12,
                                      found.sm_clock_mhz,
                                      found.clock_gap_us,
                                      found.launch_us};
    for (int i = 0; i < FIGURES; i++)
        assert_true(fabs(said[i] - expected[i]) <= 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_step_says_what_was_measured)};
    return cmocka_run_group_tests_name("ceilings_now", tests, make_folder, remove_folder);
}
