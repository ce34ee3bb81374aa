#!/usr/bin/env python3
"""reference.py - prints the parts of docs/reference/ that follow from tables in the code.

A page has such a part between the lines `<!-- printed: NAME -->` and `<!-- end -->`. Each NAME is a function below.
It also holds the routes to api.md, the verdicts to verdicts.md, each link of a page to the tree and its headings, and each
command that a page names to the tables of commands and options, or to the Makefile.

Usage: tests/reference.py check    names each page that is stale, and each route or target that is missing
       tests/reference.py write    renews the pages
"""
import pathlib
import re
import subprocess
import sys
import textwrap

STRING = r'"((?:[^"\\]|\\.)*)"'
ACCESS = {"ALL": "anyone", "READERS": "readers", "PERSONS": "persons", "PERSONS_AND_KITS": "persons, kits",
          "TEACHERS": "teachers", "TEACHERS_AND_KITS": "teachers, kits", "ADMINS": "administrators", "WORKERS": "workers"}
READERS = {"STUDENT": "Students", "INSTRUCTOR": "Instructors", "AUTHOR": "Authors of problems",
           "ADMINISTRATOR": "Administrators"}
OF_OTHER_PROGRAMS = {"nv", "build-arg", "security-opt", "signal", "constraint", "nodelist"} # podman's, Apptainer's, Slurm's
WIDTH, MOST_NAMED = 120, 6
faults = 0


def fault(words):
    global faults
    faults += 1
    print("lint:", words)


def read(path):
    return pathlib.Path(path).read_text()


def rows(path, *names):
    """Yields the name and the arguments of each row; neighbouring strings are one."""
    source = re.sub(r"/\*.*?\*/|^ *#.*?$", "", read(path), flags=re.S | re.M)
    argument = rf"\s*((?:{STRING}\s*|\w+\s*)*),?"
    for row in re.finditer(rf"^({'|'.join(names)})\(((?:{STRING}|[^()\"])*)\)", source, re.M):
        found = [match[1] for match in re.finditer(argument, row[2]) if match[0]]
        yield row[1], ["".join(re.findall(STRING, text)).replace('\\"', '"') if '"' in text else text.strip()
                       for text in found]


def cell(text):
    return re.sub(r"(?<!`)(<\w+>)", r"`\1`", text.replace("|", "\\|"))


# ---- printed parts -------------------------------------------------------------------------------------------------


def options():
    return [dict(zip(("kind", "member", "name", "argument", "commands", "what"), arguments))
            for _, arguments in rows("grader/commands/options.def", "OPTION", "MORE")]


def commands():
    """A part for each reader; for each command its forms, what it does, and its options."""
    table = [arguments for _, arguments in rows("service/commands/subcommands.def", "LOCAL", "ONLINE")]
    taken = options()
    for reader, title in READERS.items():
        yield f"## {title}\n"
        for _, name, _, _, operands, what, more in (row for row in table if row[0].removesuffix("_RARELY") == reader):
            of_it = list(dict.fromkeys(option["name"] for option in taken if name in option["commands"].split()))
            forms = operands.encode().decode("unicode_escape").split("\n")
            yield f"### {name}\n"
            yield from (f"    convjudge {name}{' [OPTION]...' if of_it else ''} {form}".rstrip() for form in forms)
            yield "\n" + filled(f"{what}. {more}")
            if of_it:
                yield "\n" + filled(", ".join(f"`--{one}`" for one in of_it))
            yield ""


def option_list():
    """A row for each option; where commands take it in different meanings, one for each of these."""
    yield "| option | meaning |\n|---|---|"
    for option in options():
        same = sum(other["name"] == option["name"] for other in options())
        of_them = re.sub(r"\* ?", "", option["commands"]).split()
        of_them = ", ".join(of_them) if len(of_them) <= MOST_NAMED else "others"
        argument = " " + option["argument"] if option["argument"] else ""
        yield f"| `--{option['name']}{cell(argument)}` | {of_them + ': ' if same > 1 else ''}{cell(option['what'])} |"


def filled(text, indent=""):
    return textwrap.fill(text, WIDTH, break_on_hyphens=False, subsequent_indent=indent)


def mistakes():
    """The mistakes of a kernel without these words, then the others."""
    kinds = {}
    for name, arguments in rows("harness/device/mistake.def", "MISTAKE", "OUTSIDE"):
        if name == "OUTSIDE":
            kinds.setdefault(f"outside of {arguments[2]}", []).append(arguments[1])
        elif arguments[1]:
            kinds[arguments[1].rstrip(": ")] = []
    words = [f"a kernel {' or '.join(verbs)} {rest}" if verbs else rest for rest, verbs in kinds.items()]
    of_kernels = r"a kernel (?!and |that )"
    yield "### A kernel\n"
    yield from (filled("- " + re.sub(of_kernels, "", kind), "  ") for kind in words if re.match(of_kernels, kind))
    yield "\n### Other\n"
    yield from (filled("- " + kind, "  ") for kind in words if not re.match(of_kernels, kind))


def outputs():
    yield from (filled("- " + arguments[1], "  ") for _, arguments in
                rows("grader/check/wrong_output.def", "WRONG_NATURE") if arguments[1])


def facts():
    """A row for each fact of a submission."""
    yield "| fact | what it is |\n|---|---|"
    for name, about in re.findall(rf"^FACT\((\w+), {STRING}", read("grader/report/facts.def"), re.M):
        yield f"| `{name}` | {cell(about)} |"


PRINTED = {"commands": commands, "options": option_list, "mistakes": mistakes, "outputs": outputs, "facts": facts}


def printed(page):
    return re.sub(r"(<!-- printed: (\w+) -->\n).*?(?=<!-- end -->)",
                  lambda part: part[1] + "\n" + "\n".join(PRINTED[part[2]]()).rstrip() + "\n\n", page, flags=re.S)


# ---- what pages must name ------------------------------------------------------------------------------------------


def check_routes():
    page = read("docs/reference/api.md")
    for route in re.finditer(r'^    \{"(\w+)", "([^"]+)", ACCESS_(\w+), \w+, false\},', read("service/web/api_routes.c"), re.M):
        path = re.sub(r"(?<=/)\*", "[A-Z]+", re.escape(route[2]).replace(r"\*", "*"))
        if not re.search(rf"^\| `{route[1]} {path}` \| {ACCESS[route[3]]} \|", page, re.M):
            fault(f"docs/reference/api.md has no row `{route[1]} {route[2]}` for {ACCESS[route[3]]}")


def check_defects():
    page = read("docs/reference/advice.md")
    for name in re.findall(r'^    \{"(\w+)", \w+, (?:true|false)\},', read("grader/report/advisor.c"), re.M):
        if f"\n### {name}\n" not in page:
            fault(f"docs/reference/advice.md has no section {name}")


def check_verdicts():
    page = read("docs/reference/verdicts.md")
    for name in re.findall(r'\[VERDICT_\w+\] = \{"([^"]+)"', read("grader/judge/result.c")):
        if f"\n| {name} |" not in page:
            fault(f"docs/reference/verdicts.md has no row for {name}")


def anchors(path):
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^(```|~~~).*?^\1", "", read(path), flags=re.S | re.M), re.M)
    names = [re.sub(r"[^\w\- ]", "", re.sub(r"&[lg]t;", "", heading.lower())).replace(" ", "-") for heading in headings]
    return {f"{name}-{names[:i].count(name)}" if name in names[:i] else name for i, name in enumerate(names)}


def pages(*patterns):
    return subprocess.run(["git", "ls-files", "--", *patterns], check=True, capture_output=True, text=True).stdout.split()


def code(page):
    """Yields what a page shows as code: the spans in its text, and the lines of its blocks."""
    text = []
    for line in re.sub(r"\\\n\s*", "", read(page)).splitlines():
        if re.match(r" {4}\s*\S", line):
            yield line.strip()
        text.append("" if line.startswith("    ") else line)
    for fence in re.findall(r"^```.*?\n(.*?)^```", "\n".join(text), re.M | re.S):
        yield from fence.splitlines()
    yield from (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```", "", "\n".join(text), flags=re.M | re.S)))


def check_commands():
    """Each command of the judge and of make exists, and takes the options or variables that are written after it."""
    names = {arguments[1] for _, arguments in rows("service/commands/subcommands.def", "LOCAL", "ONLINE")}
    taken = {(option["name"], command) for option in options() for command in option["commands"].replace("*", " ".join(names)).split()}
    makefile = read("Makefile")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.M))
    variables = set(" ".join(re.findall(r"^(?:settings|others) +:= (.*)$", makefile, re.M)).split())

    def check(page, words):
        command = re.search(r"(?:^|(?<!-u)[ /])(convjudge|make) ([a-z][a-z-]*)(.*)", words) or re.match(r"()([a-z][a-z-]*)(.*)", words)
        program, name, rest = command.groups() if command else ("", "", "")
        if program == "make" and name not in targets or program == "convjudge" and name not in names | {"help"}:
            fault(f"{page}: there is no {program} {name}: {words}")
        for option in re.findall(r"(?<![\w-])--([a-z][a-z-]*)", rest) if name in names and program != "make" else ():
            if (option, name) not in taken:
                fault(f"{page}: {name} takes no --{option}: {words}")
        for option in re.findall(r"^--([a-z][a-z-]*)", words):
            if option not in OF_OTHER_PROGRAMS | {name for name, _ in taken}:
                fault(f"{page}: no command takes --{option}: {words}")
        for variable in re.findall(r"\b([A-Z]+)=", rest) if program == "make" else ():
            if variable not in variables:
                fault(f"{page}: make has no variable {variable}: {words}")

    for page in pages("*.md", ":!lab", ":!CHANGELOG.md"):
        for words in (words for line in code(page) for words in re.split(r" *(?:\|\|?|&&|;|#|\$\() *", line)):
            if not re.search(r"\S {3}", words): # a drawing
                check(page, words)


def check_links():
    for page in pages("*.md", ":!tests/verdicts"):
        for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", re.sub(r"`[^`]*`", "", read(page))):
            path = pathlib.Path(page).parent / target if target else pathlib.Path(page)
            if not path.exists():
                fault(f"{page}: there is no {target}")
            elif anchor and path.suffix == ".md" and anchor not in anchors(path):
                fault(f"{page}: {target} has no part #{anchor}")


if sys.argv[1:] not in (["check"], ["write"]):
    sys.exit(__doc__)
for path in sorted(pathlib.Path("docs/reference").glob("*.md")):
    now = printed(read(path))
    if now != read(path) and sys.argv[1] == "check":
        fault(f"{path} is stale; renew it with: tests/reference.py write")
    elif now != read(path):
        path.write_text(now)
if sys.argv[1] == "check":
    check_routes()
    check_verdicts()
    check_defects()
    check_links()
    check_commands()
sys.exit(faults > 0)
