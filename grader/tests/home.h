/* home.h - a home folder of the judge that a test makes for itself: problems, testcases, and the judge's own files.
 *
 * CONVJUDGE_HOME names it, so that whatever reads problems reads these.  */
#ifndef GRADER_TESTS_HOME_H
#define GRADER_TESTS_HOME_H

#include "base/text.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[64];

/* Writes a file below the home folder, and the folders that lead to it. */
static inline void home_write(const char *relative, const char *content)
{
    char path[1024];
    Text text = {0};
    Message why;
    snprintf(path, sizeof path, "%s/%s", home, relative);
    for (char *slash = strchr(path + strlen(home) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    text_add(&text, content);
    if (text_write_file(path, &text, &why) != STATUS_OK)
        fail_test("%s", why.text);
    text_free(&text);
}

/* A link to one of the judge's own folders. */
static inline int home_link(const char *name)
{
    char here[512], target[600], link[600];
    if (getcwd(here, sizeof here) == NULL)
        return -1;
    snprintf(target, sizeof target, "%s/%s", here, name);
    snprintf(link, sizeof link, "%s/%s", home, name);
    return symlink(target, link);
}

static inline int home_new(void **state)
{
    strcpy(home, "/tmp/test_home.XXXXXX");
    if (mkdtemp(home) == NULL)
        return -1;
    return home_link("base") + home_link("grader") + home_link("simgpu") + setenv("CONVJUDGE_HOME", home, 1);
}

static inline int home_remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    return remove(path);
}

static inline int home_remove(void **state)
{
    return nftw(home, home_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A copy of `text` with `from` replaced by `to`; the test fails where there is no `from`. */
static inline char *replaced(const char *text, const char *from, const char *to)
{
    Text result = {0};
    const char *at = strstr(text, from);
    if (at == NULL)
        fail_test("nothing to replace: %s", from);
    text_append(&result, text, (size_t)(at - text));
    text_add(&result, to);
    text_add(&result, at + strlen(from));
    return result.data;
}

/* --- a small problem, in two dimensions, with inputs of every element type ---------------------------------------- */

static const char home_problem[] =
    "{\"schema\": 1, \"id\": \"blend\", \"title\": \"Blend\", \"difficulty\": \"easy\",\n"
    "\"signature\": \"void solve(const float* a, const int* b, const unsigned char *mask, float* out, "
    "int rows, int cols)\",\n"
    "\"parameters\": [\n"
    "{\"name\": \"a\", \"role\": \"in\", \"shape\": [\"rows\", \"cols\"]},\n"
    "{\"name\": \"b\", \"role\": \"in\", \"shape\": [\"rows\", \"cols\"]},\n"
    "{\"name\": \"mask\", \"role\": \"in\", \"shape\": [\"cols\"]},\n"
    "{\"name\": \"out\", \"role\": \"out\", \"shape\": [\"rows\", \"cols\"]},\n"
    "{\"name\": \"rows\", \"role\": \"size\", \"min\": 1, \"max\": 1000},\n"
    "{\"name\": \"cols\", \"role\": \"size\", \"min\": 2, \"max\": 1000}],\n"
    "\"constraints\": [\"rows <= 2 * cols\"],\n"
    "\"operations\": \"3 * rows * cols\",\n"
    "\"bytes\": \"12 * rows * cols + cols\",\n"
    "\"tolerance\": {\"sum_factor\": 32, \"max_factor\": 4, \"rms\": 2e-5, \"why\": \"as for sums\"},\n"
    "\"limits\": {\"device_mebibytes\": 10, \"host_mebibytes\": 20, \"host_seconds\": 5, \"wall_seconds\": 6.5,\n"
    " \"sim_warp_instructions\": 1000, \"source_bytes\": 1024},\n"
    "\"rules\": {\"kernel_must_write_output\": true},\n"
    "\"timing\": {\"blocks\": 3, \"warm_up_calls\": 0, \"timed_calls\": 100}}\n";

/* out = a + b where the mask is not zero, else a */
static const char home_oracle[] = "ORACLE Sum oracle(const Case *c, long row, long col)\n"
                                  "{\n"
                                  "    long i = row * c->cols + col;\n"
                                  "    Sum sum = sum_add(SUM_ZERO, at(c->a, i), 1);\n"
                                  "    return sum_add(sum, at(c->b, i) * at(c->mask, col), 1);\n"
                                  "}\n";

static const char home_sample[] = "{\"schema\": 1, \"cases\": [\n"
                                  "{\"name\": \"by hand\", \"sizes\": {\"rows\": 1, \"cols\": 2},\n"
                                  " \"inputs\": {\"a\": {\"values\": [1, 2.5]},\n"
                                  " \"b\": {\"values\": [-7, 2147483647]},\n"
                                  " \"mask\": {\"values\": [1, 0]}},\n"
                                  " \"expected\": [-6, 2.5]}]}\n";

static const char home_hidden[] =
    "{\"schema\": 1, \"cases\": [\n"
    "{\"name\": \"fast\", \"why\": \"speed\", \"timed\": true, \"sizes\": {\"rows\": 3, \"cols\": 4},\n"
    " \"inputs\": {\"a\": {\"generator\": \"normal\"}, \"b\": {\"generator\": \"integers\"},"
    " \"mask\": {\"generator\": \"integers\", \"low\": 1, \"high\": 1}}},\n"
    "{\"name\": \"larger\", \"why\": \"rows that do not end with a vector\", \"sizes\": {\"rows\": 37, \"cols\": 29},\n"
    " \"inputs\": {\"a\": {\"generator\": \"uniform\", \"low\": -3, \"high\": 5, \"seed\": 7},\n"
    " \"b\": {\"generator\": \"integers\", \"low\": -100, \"high\": 100, \"seed\": 8},\n"
    " \"mask\": {\"generator\": \"impulse\", \"position\": 3}}},\n"
    "{\"name\": \"steps\", \"why\": \"generators without a seed\", \"sizes\": {\"rows\": 2, \"cols\": 3},\n"
    " \"inputs\": {\"a\": {\"generator\": \"ramp\", \"start\": 1, \"step\": 0.5},\n"
    " \"b\": {\"generator\": \"impulse\", \"value\": -4},\n"
    " \"mask\": {\"generator\": \"constant\", \"value\": 255}}}]}\n";

/* The same with bytes as its output. */
static inline void home_write_levels(const char *tolerance)
{
    char *bytes = replaced(home_problem, "float* out", "unsigned char* out");
    char *text = replaced(bytes, "{\"sum_factor\": 32, \"max_factor\": 4, \"rms\": 2e-5, \"why\": \"as for sums\"}",
                          tolerance);
    home_write("problems/blend/problem.json", text);
    free(bytes);
    free(text);
}

/* Every file of the small problem, as it should be. */
static inline int home_with_problem(void **state)
{
    int status = home_new(state);
    if (status == 0) {
        home_write("problems/blend/problem.json", home_problem);
        home_write("problems/blend/oracle.h", home_oracle);
        home_write("testcases/blend/sample.json", home_sample);
        home_write("testcases/blend/hidden.json", home_hidden);
    }
    return status;
}

#endif
