#include "service/commands/completion.h"

#include "base/paths.h"
#include "grader/problem/problem_list.h"
#include "service/commands/subcommand.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- words that change ------------------------------------------------------------------------------------------- */

/* Where they cannot be listed, there is nothing to complete. */
void completion_problems(Text *text)
{
    Arena arena = {0};
    const char **ids;
    size_t count = 0;
    text_add(text, "");
    if (problem_list(&arena, &ids, &count, NULL) == STATUS_OK)
        for (size_t i = 0; i < count; i++)
            text_printf(text, "%s\n", ids[i]);
    arena_free(&arena);
}

void completion_devices(Text *text)
{
    char pattern[PATH_MAX];
    glob_t found;
    text_add(text, "auto\ncuda\ncuda:0\nsim\ncpu\n");
    if (paths_home("simgpu/profiles/*.json", pattern, sizeof pattern, NULL) != STATUS_OK ||
        glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        text_printf(text, "sim:%.*s\n", (int)strcspn(name, "."), name);
    }
    globfree(&found);
}

/* ---- words that stay --------------------------------------------------------------------------------------------- */

static void add_options(const Subcommand *subcommand, Text *text)
{
    const Option *option;
    for (int n = 0; (option = options_of(subcommand->name, n)) != NULL; n++)
        text_printf(text, "--%s ", option->name);
    text_add(text, "--help");
}

/* Options whose value is neither a problem nor a device: after them come files. Rows of one name stand together. */
static void add_value_options(Text *text)
{
    const Option *option;
    const char *before = "";
    for (int n = 0; (option = options_of("", n)) != NULL; n++) {
        if (option->kind == OPTION_FLAG || strcmp(option->name, "problem") == 0 ||
            strcmp(option->name, "device") == 0 || strcmp(option->name, before) == 0)
            continue;
        text_printf(text, "%s--%s", before[0] == '\0' ? "" : "|", option->name);
        before = option->name;
    }
}

static void add_cases(const char *format, Text *text)
{
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++) {
        Text options = {0};
        add_options(subcommand, &options);
        text_printf(text, "    %s) options=", subcommand->name);
        text_printf(text, format[0] == '(' ? "(%s) ;;\n" : "'%s' ;;\n", options.data);
        text_free(&options);
    }
}

/* ---- scripts ----------------------------------------------------------------------------------------------------- */

/* Bash takes a colon and an equals sign for words of their own; what has been typed of such a word must not be repeated. */
void completion_bash(Text *text)
{
    Text values = {0};
    add_value_options(&values);
    text_add(text, "# Completion of convjudge for bash, made by convjudge --completion bash.\n"
                   "_convjudge() {\n"
                   "    local word previous line options program=${COMP_WORDS[0]} command typed='' files='*.@(cu|c)'\n"
                   "    local -a words=()\n"
                   "    line=${COMP_LINE:0:COMP_POINT}\n"
                   "    word=${line##*[[:space:]]}\n"
                   "    line=${line%\"$word\"}\n"
                   "    read -ra words <<<\"$line\"\n"
                   "    previous=${words[-1]}\n"
                   "    if [[ $word == --*=* ]]; then previous=${word%%=*} typed=${word%%=*}=; word=${word#*=}; fi\n"
                   "    COMPREPLY=()\n"
                   "    if ((${#words[@]} == 1)); then\n"
                   "        mapfile -t COMPREPLY < <(compgen -W '");
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++)
        text_printf(text, "%s ", subcommand->name);
    text_add(text, "help --help --version' -- \"$word\")\n"
                   "        return\n"
                   "    fi\n"
                   "    command=${words[1]}\n"
                   "    case $command in\n");
    add_cases("'", text);
    text_printf(
        text,
        "    *) return ;;\n"
        "    esac\n"
        "    case $previous in\n"
        "    --problem) mapfile -t COMPREPLY < <(compgen -W \"$(\"$program\" --completion problems 2>/dev/null)\" -- "
        "\"$word\") ;;\n"
        "    --device) mapfile -t COMPREPLY < <(compgen -W \"$(\"$program\" --completion devices 2>/dev/null)\" -- "
        "\"$word\") ;;\n"
        "    %s) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
        "    *)\n"
        "        if [[ $word == -* ]]; then\n"
        "            mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
        "        else\n"
        "            shopt -q extglob && files='!*.@(cu|c)' || files='!*.c*'\n"
        "            mapfile -t COMPREPLY < <(compgen -f -X \"$files\" -- \"$word\"; compgen -d -S / -- \"$word\")\n"
        "        fi\n"
        "        ;;\n"
        "    esac\n"
        "    if [[ $typed == '' && $word == *:* && $COMP_WORDBREAKS == *:* ]]; then\n"
        "        COMPREPLY=(\"${COMPREPLY[@]#\"${word%%:*}:\"}\")\n"
        "    fi\n"
        "}\n"
        "complete -o filenames -F _convjudge convjudge\n",
        values.data);
    text_free(&values);
}

void completion_zsh(Text *text)
{
    Text values = {0};
    add_value_options(&values);
    text_add(text, "#compdef convjudge\n"
                   "# Completion of convjudge for zsh, made by convjudge --completion zsh.\n"
                   "_convjudge() {\n"
                   "  local -a commands options\n"
                   "  commands=(\n");
    for (const Subcommand *subcommand = subcommands; subcommand->name != NULL; subcommand++) {
        text_printf(text, "    '%s:", subcommand->name);
        for (const char *at = subcommand->what; *at != '\0'; at++)
            text_printf(text, *at == '\'' ? "'\\''" : "%c", *at);
        text_add(text, "'\n");
    }
    text_add(text, "  )\n"
                   "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
                   "  case $words[2] in\n");
    add_cases("(", text);
    text_printf(text,
                "  esac\n"
                "  case $words[CURRENT-1] in\n"
                "    --problem) compadd -- ${(f)\"$($words[1] --completion problems 2>/dev/null)\"} ;;\n"
                "    --device) compadd -- ${(f)\"$($words[1] --completion devices 2>/dev/null)\"} ;;\n"
                "    %s) _files ;;\n"
                "    *) if [[ $PREFIX == -* ]]; then compadd -- $options; else _files -g '*.(cu|c)'; fi ;;\n"
                "  esac\n"
                "}\n"
                "if [[ $funcstack[1] == _convjudge ]]; then _convjudge \"$@\"; else compdef _convjudge convjudge; fi\n",
                values.data);
    text_free(&values);
}
