#include "base/tests/unit.h"

#include "simgpu/cost/machine_program.h"

#include <string.h>

enum { MOST = 16 };

/* A stretch each: falls through, or ends with a branch to a stretch, or with the end of the kernel. */
typedef enum Ending { FALLS, MAY_BRANCH, BRANCHES, MAY_EXIT, EXITS } Ending;

typedef struct Stretch {
    Ending ends;
    int64_t target;
} Stretch;

static MachineFlow flow_of(const Stretch *stretches, size_t count)
{
    MachineInstruction instructions[MOST + 1];
    MachineFlow flow;
    memset(instructions, 0, sizeof instructions);
    for (size_t i = 0; i < count; i++) {
        bool branches = stretches[i].ends == MAY_BRANCH || stretches[i].ends == BRANCHES;
        bool exits = stretches[i].ends == MAY_EXIT || stretches[i].ends == EXITS;
        instructions[i] = (MachineInstruction){.operation = branches ? MACHINE_BRA
                                                            : exits  ? MACHINE_EXIT
                                                                     : MACHINE_MOV,
                                               .is_conditional = stretches[i].ends == MAY_BRANCH ||
                                                                 stretches[i].ends == MAY_EXIT,
                                               .leads = true,
                                               .target = branches ? stretches[i].target : -1};
    }
    machine_flow_find(instructions, count, &flow);
    assert_int_equal(flow.count, count);
    return flow;
}

/* Stretch `known` ran 100 times; checks which others then ran at least as often, as a text of 0 and 1. */
static void check(const Stretch *stretches, size_t count, size_t known, const char *expected)
{
    double runs[MOST] = {0};
    char found[MOST + 1] = {0};
    MachineFlow flow = flow_of(stretches, count);
    runs[known] = 100;
    machine_flow_raise(&flow, runs);
    for (size_t i = 0; i < count; i++)
        found[i] = runs[i] == 100 ? '1' : '0';
    assert_string_equal(found, expected);
    machine_flow_free(&flow);
}

/* 0: branch to 2; 1; 2: the end. */
static void both_ends_of_a_condition_run_as_often_as_its_inside(void **state)
{
    const Stretch stretches[] = {{MAY_BRANCH, 2}, {FALLS, 0}, {EXITS, 0}};
    check(stretches, 3, 1, "111");
    check(stretches, 3, 0, "101");
    check(stretches, 3, 2, "101");
}

/* 1 to 4 are a loop, in which 2 is a slow path that lies between 1 and 3. */
static void a_loop_with_a_slow_path_runs_as_a_whole(void **state)
{
    const Stretch stretches[] = {{FALLS, 0}, {MAY_BRANCH, 3}, {FALLS, 0}, {FALLS, 0}, {MAY_BRANCH, 1}, {EXITS, 0}};
    check(stretches, 6, 1, "010110");
    check(stretches, 6, 3, "010110");
    check(stretches, 6, 2, "011110"); /* nothing is known of the code around the loop */
    check(stretches, 6, 0, "110111");
}

/* 1 to 4 are a loop around the loop of 2 and 3. */
static void an_inner_loop_says_nothing_of_the_outer_one(void **state)
{
    const Stretch stretches[] = {{FALLS, 0}, {FALLS, 0}, {FALLS, 0}, {MAY_BRANCH, 2}, {MAY_BRANCH, 1}, {EXITS, 0}};
    check(stretches, 6, 2, "001100");
    check(stretches, 6, 1, "011110");
    check(stretches, 6, 4, "011110");
}

/* Two ways back to the same start: 3 is only the slower one. */
static void a_way_that_a_loop_may_skip_is_not_assumed(void **state)
{
    const Stretch stretches[] = {{FALLS, 0}, {FALLS, 0}, {MAY_BRANCH, 1}, {MAY_BRANCH, 1}, {EXITS, 0}};
    check(stretches, 5, 1, "01100");
    check(stretches, 5, 3, "01110");
}

static void what_follows_an_exit_may_run_less_often(void **state)
{
    const Stretch stretches[] = {{MAY_EXIT, 0}, {FALLS, 0}, {EXITS, 0}};
    check(stretches, 3, 0, "100");
    check(stretches, 3, 1, "111");
}

/* A loop that may be entered in its middle, of which little is known, code that nothing leads to, and a branch to itself. */
static void odd_code_does_no_harm(void **state)
{
    const Stretch stretches[] = {{MAY_BRANCH, 3}, {FALLS, 0}, {FALLS, 0},    {MAY_BRANCH, 2},
                                 {EXITS, 0},      {FALLS, 0}, {BRANCHES, 6}, {MAY_BRANCH, 99}};
    check(stretches, 8, 2, "00100000");
    check(stretches, 8, 6, "00000010");
    MachineFlow flow;
    machine_flow_find(NULL, 0, &flow);
    machine_flow_raise(&flow, (double[1]){0});
    machine_flow_free(&flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ends_of_a_condition_run_as_often_as_its_inside),
        cmocka_unit_test(a_loop_with_a_slow_path_runs_as_a_whole),
        cmocka_unit_test(an_inner_loop_says_nothing_of_the_outer_one),
        cmocka_unit_test(a_way_that_a_loop_may_skip_is_not_assumed),
        cmocka_unit_test(what_follows_an_exit_may_run_less_often),
        cmocka_unit_test(odd_code_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
