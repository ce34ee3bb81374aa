/* The tables of commands and options, and what is made of them. */
#include "base/tests/unit.h"

#include "service/commands/command_line.h"

#include <string.h>

static bool is_command(const char *name, size_t length)
{
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++)
        if (strlen(subcommand->name) == length && strncmp(subcommand->name, name, length) == 0)
            return true;
    return false;
}

static void an_option_belongs_to_commands_that_exist(void **state)
{
    const Option *option;
    for (int n = 0; (option = options_of("", n)) != NULL; n++)
        for (const char *at = option->takers, *end; *at != '\0'; at = end + (*end == ' ')) {
            end = at + strcspn(at, " ");
            if (!is_command(at, (size_t)(end - at)) && (at != option->takers || *at != '*'))
                fail_test("--%s: no command: \"%s\"", option->name, at);
        }
}

static void options_without_an_argument_are_flags(void **state)
{
    const Option *option;
    for (int n = 0; (option = options_of("", n)) != NULL; n++)
        if ((option->kind == OPTION_FLAG) != (option->argument[0] == '\0') || option->what[0] == '\0')
            fail_test("--%s %s: \"%s\"", option->name, option->argument, option->what);
}

/* Which row of an option holds for a command must not depend on the order of rows. */
static void a_command_has_each_option_once(void **state)
{
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++) {
        const Option *option, *other;
        for (int n = 0; (option = options_of(subcommand->name, n)) != NULL; n++)
            for (int k = 0; k < n && (other = options_of(subcommand->name, k)) != NULL; k++)
                if (strcmp(option->name, other->name) == 0)
                    fail_test("%s: --%s", subcommand->name, option->name);
    }
}

static void what_a_command_must_have_it_takes(void **state)
{
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++)
        for (const char *at = subcommand->operands; (at = strstr(at, "--")) != NULL; at++) {
            const Option *option;
            int n = 0;
            at += 2;
            while ((option = options_of(subcommand->name, n++)) != NULL)
                if (strcspn(at, " |\n") == strlen(option->name) && strncmp(at, option->name, strlen(option->name)) == 0)
                    break;
            if (option == NULL)
                fail_test("%s: --%s", subcommand->name, at);
        }
}

static size_t lines_of(const Text *text)
{
    size_t count = 0;
    for (const char *at = text->data; (at = strchr(at, '\n')) != NULL; at++)
        count++;
    return count;
}

static void the_overview_has_all_commands_in_forty_lines(void **state)
{
    Text text = {0};
    help_overview(&text);
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++)
        if (strstr(text.data, subcommand->reader < RARELY ? subcommand->what : subcommand->name) == NULL)
            fail_test("%s is missing", subcommand->name);
    assert_true(lines_of(&text) <= 40);
    text_free(&text);
}

static void the_help_of_a_command_has_all_its_options_in_narrow_lines(void **state)
{
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++) {
        const Option *option;
        Text text = {0}, term = {0};
        help_of(subcommand, &text);
        for (int n = 0; (option = options_of(subcommand->name, n)) != NULL; n++) {
            text_add(&term, "\n    ");
            help_term(option, &term);
            if (strstr(text.data, term.data) == NULL)
                fail_test("%s: %s", subcommand->name, text.data);
            text_free(&term);
        }
        for (const char *line = text.data; *line != '\0'; line += strcspn(line, "\n") + 1)
            if (strcspn(line, "\n") > 110)
                fail_test("%s: %.*s", subcommand->name, (int)strcspn(line, "\n"), line);
        text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_belongs_to_commands_that_exist),
        cmocka_unit_test(options_without_an_argument_are_flags),
        cmocka_unit_test(a_command_has_each_option_once),
        cmocka_unit_test(what_a_command_must_have_it_takes),
        cmocka_unit_test(the_overview_has_all_commands_in_forty_lines),
        cmocka_unit_test(the_help_of_a_command_has_all_its_options_in_narrow_lines),
    };
    return cmocka_run_group_tests_name("help", tests, NULL, NULL);
}
