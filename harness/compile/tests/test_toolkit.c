/* toolkit.c: finding the compiler. */
#include "base/tests/unit.h"
#include "harness/compile/toolkit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Toolkit found_at(const char *nvcc)
{
    Toolkit toolkit;
    Message why;
    setenv("CONVJUDGE_NVCC", nvcc, 1);
    if (toolkit_find(&toolkit, &why) != STATUS_OK)
        fail_test("%s", why.text);
    unsetenv("CONVJUDGE_NVCC");
    return toolkit;
}

static void write_script(const char *path, const char *line)
{
    FILE *script = fopen(path, "w");
    assert_non_null(script);
    fprintf(script, "#!/bin/sh\n%s\n", line);
    fclose(script);
    chmod(path, 0700);
}

/* Debian and many sites have a one-line script on PATH that calls the compiler in another folder. */
static void a_script_that_calls_nvcc_leads_to_the_toolkit(void **state)
{
    char folder[] = "/tmp/convjudge-toolkit-XXXXXX", path[PATH_MAX], call[PATH_MAX + 20];
    Toolkit direct, toolkit, again;
    Message why;
    if (toolkit_find_nvcc(&direct, &why) != STATUS_OK)
        skip();
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/nvcc", folder);
    snprintf(call, sizeof call, "exec %s \"$@\"", direct.compiler);
    write_script(path, call);
    toolkit = found_at(path);
    write_script(path, "exit 1");
    again = found_at(path);
    unlink(path);
    rmdir(folder);
    assert_memory_equal(&again, &toolkit, sizeof again); /* nvcc was not asked again */
    assert_string_equal(toolkit.root, direct.root);
    assert_string_equal(toolkit.compiler, direct.compiler);
    assert_string_equal(toolkit.version, direct.version);
}

static Digest hash_of(const char *root, const char *name)
{
    Toolkit toolkit = {0};
    Hash hash;
    snprintf(toolkit.root, sizeof toolkit.root, "%s", root);
    snprintf(toolkit.name, sizeof toolkit.name, "%s", name);
    hash_begin(&hash);
    toolkit_hash(&toolkit, &hash);
    return hash_end(&hash);
}

/* Two checkouts may each have fetched it. */
static void the_same_compiler_in_another_folder_is_the_same(void **state)
{
    char first[] = "/tmp/convjudge-toolkit-XXXXXX", second[] = "/tmp/convjudge-toolkit-XXXXXX", path[PATH_MAX];
    char *const roots[] = {mkdtemp(first), mkdtemp(second)};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/bin", roots[i]);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof path, "%s/bin/ptxas", roots[i]);
        write_script(path, "exit 0");
    }
    const Digest digest = hash_of(first, "nvcc 13.0.88");
    assert_string_equal(hash_of(second, "nvcc 13.0.88").hex, digest.hex);
    assert_string_not_equal(hash_of(second, "nvcc 13.0.89").hex, digest.hex);
    write_script(path, "exit 10");
    assert_string_not_equal(hash_of(second, "nvcc 13.0.88").hex, digest.hex);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/bin/ptxas", roots[i]);
        unlink(path);
        *strrchr(path, '/') = '\0';
        rmdir(path);
        assert_int_equal(rmdir(roots[i]), 0);
    }
}

static void a_program_other_than_nvcc_is_named(void **state)
{
    Toolkit toolkit;
    Message why;
    setenv("CONVJUDGE_NVCC", "/bin/true", 1);
    assert_int_equal(toolkit_find(&toolkit, &why), STATUS_NOT_FOUND);
    unsetenv("CONVJUDGE_NVCC");
    assert_non_null(strstr(why.text, "/true: does not report its toolkit's folder"));
    setenv("CONVJUDGE_NVCC", "/nowhere/nvcc", 1);
    assert_int_equal(toolkit_find(&toolkit, &why), STATUS_NOT_FOUND);
    unsetenv("CONVJUDGE_NVCC");
    assert_string_equal(why.text, "CONVJUDGE_NVCC=/nowhere/nvcc: no such program");
}

/* Looks for the toolkit of an nvcc that is a script; "FOLDER" in its text is where it lies. */
static Status find_with_script(const char *text, Toolkit *toolkit, Message *why)
{
    char folder[] = "/tmp/convjudge-toolkit-XXXXXX", path[PATH_MAX], command[2 * PATH_MAX];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/bin/nvcc", folder);
    snprintf(command, sizeof command, "mkdir %s/bin", folder);
    assert_int_equal(system(command), 0);
    write_script(path, text);
    snprintf(command, sizeof command, "sed -i 's|FOLDER|%s|g' %s", folder, path);
    assert_int_equal(system(command), 0);
    setenv("CONVJUDGE_NVCC", path, 1);
    const Status status = toolkit_find(toolkit, why);
    unsetenv("CONVJUDGE_NVCC");
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return status;
}

#define SAY_WHERE                                                                                                      \
    "[ \"$1\" != --dryrun ] || printf '#$ _HERE_=FOLDER/bin\\n-D__CUDACC_VER_MAJOR__=13 -D__CUDACC_VER_MINOR__=0 "     \
    "-D__CUDACC_VER_BUILD__=88\\n'\n"

/* It says that it is where it is, and nothing more. */
static void an_nvcc_that_compiles_for_no_gpu_is_named(void **state)
{
    Toolkit toolkit;
    Message why;
    assert_int_equal(find_with_script(SAY_WHERE, &toolkit, &why), STATUS_NOT_FOUND);
    assert_non_null(strstr(why.text, "/bin/nvcc: does not report which GPUs it compiles for; run `make toolchain`, or "
                                     "install the CUDA toolkit and set CUDA_HOME to its folder"));
}

/* Each question is answered when it is asked for the second time. The exit status is that of a killed process: the
 * first process of its namespace, which the script may be, cannot kill itself. */
static void an_nvcc_that_is_killed_is_asked_again(void **state)
{
    static const char text[] = "[ -e FOLDER/$1 ] || { touch FOLDER/$1; exit 137; }\n" SAY_WHERE
                               "[ \"$1\" != --list-gpu-code ] || echo sm_90\n";
    Toolkit toolkit;
    Message why;
    assert_int_equal(find_with_script(text, &toolkit, &why), STATUS_OK);
    assert_string_equal(toolkit.name, "nvcc 13.0.88");
    assert_int_equal(toolkit.architecture_count, 1);
}

static void an_nvcc_that_is_always_killed_is_no_missing_one(void **state)
{
    Toolkit toolkit;
    Message why;
    assert_int_equal(find_with_script("exit 137\n", &toolkit, &why), STATUS_SYSTEM);
    assert_non_null(strstr(why.text, "/bin/nvcc: was killed by signal 9 before it could report its toolkit's folder"));
}

/* Two that have the same process id, each in its namespace, would overwrite each other's files in /tmp. */
static void an_nvcc_has_a_folder_of_its_own_for_temporary_files(void **state)
{
    static const char text[] =
        "[ -d \"$TMPDIR\" ] || exit 1\n"
        "[ -e FOLDER/$1 ] || echo \"$TMPDIR\" >FOLDER/$1\n"
        "[ ! -e \"$TMPDIR\"/file ] || exit 1\n"
        "touch \"$TMPDIR\"/file\n" SAY_WHERE
        "[ \"$1\" != --list-gpu-code ] || { cmp -s FOLDER/--dryrun FOLDER/--list-gpu-code && exit 1\n"
        "[ ! -e \"$(cat FOLDER/--dryrun)\" ] || exit 1; echo sm_90; }\n";
    Toolkit toolkit;
    Message why;
    if (find_with_script(text, &toolkit, &why) != STATUS_OK)
        fail_test("%s", why.text);
}

static int chosen_for(const Toolkit *toolkit, int compute)
{
    Message why;
    int architecture;
    assert_int_equal(toolkit_architecture(toolkit, compute, &architecture, &why), STATUS_OK);
    return architecture;
}

static void a_device_gets_the_newest_code_that_it_can_run(void **state)
{
    const Toolkit toolkit = {.name = "nvcc 13.0.88", .architectures = {75, 80, 90, 110, 103}, .architecture_count = 5};
    Message why;
    char option[80];
    int architecture;
    assert_int_equal(chosen_for(&toolkit, 90), 90);
    assert_int_equal(chosen_for(&toolkit, 89), 80);
    assert_int_equal(chosen_for(&toolkit, 130), 110); /* newer than the compiler: from PTX */
    assert_int_equal(toolkit_architecture(&toolkit, 70, &architecture, &why), STATUS_UNSUPPORTED);
    assert_non_null(strstr(why.text, "a GPU of compute capability 7.0 is older than all that nvcc 13.0.88"));
    assert_int_equal(toolkit_gencode(&toolkit, 90, "", option, sizeof option, &why), STATUS_OK);
    assert_string_equal(option, "arch=compute_90,code=[sm_90,compute_90]");
    assert_int_equal(toolkit_gencode(&toolkit, 90, "a", option, sizeof option, &why), STATUS_OK);
    assert_string_equal(option, "arch=compute_90a,code=[sm_90a,compute_90a]");
}

static void the_toolkit_here_makes_code_for_the_h200(void **state)
{
    Toolkit toolkit;
    Message why;
    if (toolkit_find(&toolkit, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_int_equal(chosen_for(&toolkit, 90), 90);
}

static void clang_is_taken_where_it_is_asked_for(void **state)
{
    Toolkit toolkit;
    Message why;
    char id[20] = "sim-h200";
    setenv("CONVJUDGE_COMPILER", "clang", 1);
    Status status = toolkit_find(&toolkit, &why);
    unsetenv("CONVJUDGE_COMPILER");
    if (status != STATUS_OK) { /* clang is not installed everywhere */
        assert_non_null(strstr(why.text, "clang"));
        return;
    }
    assert_int_equal(toolkit.kind, TOOLKIT_CLANG);
    assert_true(toolkit.major >= 16);
    assert_memory_equal(toolkit.name, "clang ", 6);
    assert_memory_equal(toolkit.compiler, toolkit.root, strlen(toolkit.root));
    assert_int_equal(chosen_for(&toolkit, 90), 90);
    toolkit_mark_times(&toolkit, id, sizeof id);
    assert_string_equal(id, "sim-h200-clang");
}

/* Finds clang in a folder that holds this script alone; NULL: nothing. */
static void expect_no_clang(const char *line, const char *text)
{
    char folder[] = "/tmp/convjudge-toolkit-XXXXXX", path[PATH_MAX], folders[PATH_MAX];
    Toolkit toolkit;
    Message why;
    snprintf(folders, sizeof folders, "%s", getenv("PATH"));
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/clang", folder);
    if (line != NULL)
        write_script(path, line);
    setenv("PATH", folder, 1);
    setenv("CONVJUDGE_COMPILER", "clang", 1);
    Status status = toolkit_find(&toolkit, &why);
    unsetenv("CONVJUDGE_COMPILER");
    setenv("PATH", folders, 1);
    unlink(path);
    rmdir(folder);
    assert_int_equal(status, STATUS_NOT_FOUND);
    if (strstr(why.text, text) == NULL)
        fail_test("%s", why.text);
}

static void a_clang_that_is_missing_or_does_not_do_is_named(void **state)
{
    expect_no_clang(NULL, "no clang 16 or later found");
    expect_no_clang("echo clang version 14.0.6", "clang 14.0.6 is too old, expected 16 or later");
    expect_no_clang("echo clang version 19.0.0",
                    "/clang: does not report which GPUs it compiles for; run `make toolchain`");
}

static void nvcc_leaves_the_key_of_times_as_it_is(void **state)
{
    const Toolkit toolkit = {.kind = TOOLKIT_NVCC};
    char id[20] = "sim-h200";
    toolkit_mark_times(&toolkit, id, sizeof id);
    assert_string_equal(id, "sim-h200");
}

static void a_compiler_of_another_name_is_refused(void **state)
{
    Toolkit toolkit;
    Message why;
    setenv("CONVJUDGE_COMPILER", "icc", 1);
    assert_int_equal(toolkit_find(&toolkit, &why), STATUS_BAD_INPUT);
    unsetenv("CONVJUDGE_COMPILER");
    assert_string_equal(why.text, "CONVJUDGE_COMPILER=icc: expected nvcc or clang");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clang_that_is_missing_or_does_not_do_is_named), /* before one is found, which is kept */
        cmocka_unit_test(a_script_that_calls_nvcc_leads_to_the_toolkit),
        cmocka_unit_test(the_same_compiler_in_another_folder_is_the_same),
        cmocka_unit_test(a_program_other_than_nvcc_is_named),
        cmocka_unit_test(an_nvcc_that_compiles_for_no_gpu_is_named),
        cmocka_unit_test(an_nvcc_that_is_killed_is_asked_again),
        cmocka_unit_test(an_nvcc_that_is_always_killed_is_no_missing_one),
        cmocka_unit_test(an_nvcc_has_a_folder_of_its_own_for_temporary_files),
        cmocka_unit_test(a_device_gets_the_newest_code_that_it_can_run),
        cmocka_unit_test(the_toolkit_here_makes_code_for_the_h200),
        cmocka_unit_test(clang_is_taken_where_it_is_asked_for),
        cmocka_unit_test(nvcc_leaves_the_key_of_times_as_it_is),
        cmocka_unit_test(a_compiler_of_another_name_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
