#!/usr/bin/env python3
"""import.py - makes a problem of an exercise that was written for another judge or course (`convjudge import`).

    import.py FOLDER HOME [ID]    FOLDER holds one of: challenge.py (LeetGPU), def.py (Tensara), problem.yaml or
                                  domjudge-problem.ini with data/ (Kattis, DOMjudge), or data of a lab (input0.raw,
                                  output.raw)

The Python of an exercise runs as it is, with a stand-in for torch (torch_stand_in.py), so that the loops and helpers of its
authors make the cases. Whatever the stand-in cannot know is listed with its line.

It writes problems/ID and testcases/ID below HOME, prints ID on the first line, and then what it could not translate."""
import ast
import ctypes
import hashlib
import inspect
import itertools
import json
import math
import pathlib
import re
import shutil
import signal
import struct
import sys
import textwrap
import types

sys.dont_write_bytecode = True # beside an installed file
import torch_stand_in
from torch_stand_in import C_OF_DTYPE, Module, Tensor, Unknown, note, notes, tensors_in

MOST_VALUES = 64             # in a JSON file; more go into a file of their own
MOST_EXACT = (1 << 53) - 1   # a whole number that a double holds exactly
MOST_ELEMENTS = 1 << 31      # of an array of a problem
MOST_APART = (1 << 32) - 1   # numbers of the generator "integers"
MOST_SECONDS = 10            # for one function of an exercise


def die(words):
    print(f"import: {words}", file=sys.stderr)
    sys.exit(2)


NPY_OF_C = {"float": ("<f4", "f"), "double": ("<f8", "d"), "__half": ("<f2", "e"), "signed char": ("|i1", "b"),
            "unsigned char": ("|u1", "B"), "short": ("<i2", "h"), "unsigned short": ("<u2", "H"), "int": ("<i4", "i"),
            "unsigned": ("<u4", "I"), "long long": ("<i8", "q"), "unsigned long long": ("<u8", "Q")}
FLOATS = ("float", "double", "__half", "__nv_bfloat16")


# ---- running the exercise --------------------------------------------------------------------------------------------

def base_class(name, **members):
    """What an exercise's class is derived from: it keeps what its constructor is given."""
    def begin(self, *arguments, **settings):
        self.device = "cuda"
        self.__dict__.update(settings)
        if arguments:
            self.name = arguments[0]
    return type(name, (), {"__init__": begin} | members)


def run(path, modules):
    """The class that the file defines, made once."""
    torch_stand_in.exercise_file = path
    torch_stand_in.stand_in()
    for name, value in modules.items():
        sys.modules[name] = Module(name)
        sys.modules[name].__dict__.update(value)
    bases = [one for value in modules.values() for one in value.values() if isinstance(one, type)]
    exercise = sys.modules["exercise"] = types.ModuleType("exercise")
    space = exercise.__dict__
    space["__file__"] = str(path)
    try:
        exec(compile(path.read_text(), str(path), "exec"), space)
        found = [one for one in space.values() if isinstance(one, type) and one not in bases and issubclass(one, tuple(bases))]
        return found[-1]() if found else die(f"{path}: expected a class that is derived from {bases[0].__name__}")
    except Exception as error: # of any kind: the file is not ours
        return die(f"{path}: line {failed_line(error)}: {type(error).__name__}: {error}")


def failed_line(error):
    lines = [getattr(error, "lineno", None)]
    at = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == str(torch_stand_in.exercise_file):
            lines.append(at.tb_lineno)
        at = at.tb_next
    return lines[-1] or 1


def too_long(*_):
    raise TimeoutError(f"it takes longer than {MOST_SECONDS} s")


def called(function, *arguments):
    """What the function returns; None and a note if it fails."""
    signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        return function(*arguments)
    except Exception as error: # likewise
        note(f"{torch_stand_in.exercise_file.name}:{failed_line(error)}", f"{function.__name__}() fails here without torch: {error}")
        return so_far(error, function)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def so_far(error, function):
    """The array that the function would have returned in its last line, as it was when it failed; None: there is none."""
    last = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0].body[-1]
    while isinstance(last, ast.With):
        last = last.body[-1]
    at = error.__traceback__
    while at is not None and at.tb_frame.f_code is not function.__code__:
        at = at.tb_next
    found = at.tb_frame.f_locals.get(last.value.id) if at is not None and isinstance(last, ast.Return) and isinstance(
        last.value, ast.Name) else None
    return found if isinstance(found, Tensor) else None


# ---- the exercise ----------------------------------------------------------------------------------------------------

RESERVED = set("""alignas alignof and asm auto bool break case catch char class concept const constexpr continue decltype default delete
    do double else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not nullptr
    operator or private protected public register requires return short signed sizeof static struct switch template this throw true try
    typedef typename union unsigned using virtual void volatile while xor solve main""".split())
MOST_PARAMETERS = 16 # of a problem


class Parameter:
    def __init__(self, name, c_type, role, shape=None):
        self.name, self.c_type, self.role, self.shape = name, c_type, role, shape # shape: expressions

        if name in RESERVED:
            self.name += "_"
            note("problem.json", f"the parameter {name} is called {self.name}: C++ reserves the name")

    def declared(self):
        if self.shape is None:
            return f"{self.c_type} {self.name}"
        return f"{'const ' if self.role == 'in' else ''}{self.c_type}* {self.name}"


class Case:
    """Sizes and scalars by name, tensors by name (outputs only where their numbers are known)."""
    def __init__(self, name, why, numbers, arrays, timed=False, sample=False):
        self.name, self.why, self.numbers, self.arrays, self.timed, self.sample = name, why, numbers, arrays, timed, sample


class Exercise:
    def __init__(self, title):
        self.title, self.statement, self.difficulty = title, "", "medium"
        self.function, self.parameters, self.cases = "solve", [], []
        self.absolute, self.relative, self.why = 1e-4, 1e-4, "a guess, which the imported exercise does not name"
        self.reference, self.driver, self.header, self.starter, self.headers = "", None, None, None, {}
        self.hidden = [] # sizes that solve() gets and the exercise's own function does not


def signature_of(exercise, function="solve", without=()):
    return f"void {function}({', '.join(one.declared() for one in exercise.parameters if one.name not in without)})"


def find_shapes(exercise, asserted):
    """Gives each array its extents as expressions over the sizes: those that the exercise asserts, else those that hold in all
    cases, else sizes of its own."""
    for parameter in exercise.parameters:
        tensors = [(case, case.arrays[parameter.name]) for case in exercise.cases if parameter.name in case.arrays]
        if parameter.shape is None or not tensors:
            continue
        stated = asserted.get(parameter.name)
        known = [(case.numbers, tensor.shape) for case, tensor in tensors if not tensor.is_guess]
        if stated is not None and all(holds(stated, numbers, shape) for numbers, shape in known):
            parameter.shape = stated if len(stated) <= 4 else [" * ".join(f"({extent})" for extent in stated)]
            continue
        if not known:
            note("problem.json", f"the shape of {parameter.name} is a guess: torch computes the array")
        ranks = {len(tensor.shape) for _, tensor in tensors}
        rank = ranks.pop() if len(ranks) == 1 else 1
        flat = not 1 <= rank <= 4 or len(ranks) > 0 # one after the other
        seen = [(case, (math.prod(tensor.shape),) if flat else tensor.shape) for case, tensor in tensors]
        parameter.shape = own_shape(exercise, parameter, seen)
        if parameter.shape is None:
            parameter.shape = own_shape(exercise, parameter, [(case, (math.prod(shape),)) for case, shape in seen])


def own_shape(exercise, parameter, seen):
    """An expression for each axis; sizes of their own for those that follow from no size, or None if that takes three or more."""
    sizes = [one.name for one in exercise.parameters if one.role == "size"]
    rank = len(seen[0][1])
    shape = []
    for axis in range(rank): # each size once, where another one is right as well
        used = [name for extent in shape if extent is not None for name in re.findall(r"\w+", extent)]
        shape.append(extent_of([(case.numbers, extents[axis]) for case, extents in seen], sorted(sizes, key=used.__contains__)))
    if shape.count(None) > 2:
        return None
    for axis in range(rank):
        extents = [extents[axis] for _, extents in seen]
        again = next((one for one in exercise.hidden if all(case.numbers.get(one) == extents[axis] for case, extents in seen)), None)
        if shape[axis] is None and again is not None:
            shape[axis] = again
        elif shape[axis] is None:
            shape[axis] = f"{parameter.name}_{'length' if rank == 1 else ('rows', 'columns', 'planes', 'others')[axis]}"
            while shape[axis] in sizes:
                shape[axis] += "_"
            note("problem.json", f"the extents of {parameter.name} ({', '.join(map(str, sorted(set(extents))))}) follow from no size: "
                 f"solve() gets them as {shape[axis]}, and the driver keeps it from submissions")
            exercise.hidden.append(shape[axis])
            exercise.parameters.append(Parameter(shape[axis], "int", "size"))
            for case in exercise.cases:
                case.numbers[shape[axis]] = 1
            for (case, _), extent in zip(seen, extents):
                case.numbers[shape[axis]] = extent
    return shape


def holds(stated, numbers, shape):
    values = [value_of(extent, numbers) for extent in stated]
    return None not in values and math.prod(values) == math.prod(shape)


def value_of(expression, numbers):
    """Of whole numbers and names alone; None: there is no such name, or a division by 0."""
    try:
        return eval(re.sub("/+", "//", expression), {}, numbers)
    except (NameError, ZeroDivisionError):
        return None


def extent_of(seen, sizes):
    """The simplest expression over the sizes that is right in all cases; None: there is none."""
    extents = {extent for _, extent in seen}
    pairs, triples = itertools.combinations_with_replacement(sizes, 2), itertools.combinations_with_replacement(sizes, 3)
    alone = [str(extent) for extent in extents] if len(extents) == 1 and extents <= {1, 2, 3, 4} else []
    once = extents == {1} and len(seen) > 1
    pooled = ("({0} + 2 * {1} - {2}) / {3} + 1", "({0} + 2 * {1} - {4} * ({2} - 1) - 1) / {3} + 1")
    for expression in itertools.chain(
            alone if once else [], sizes, alone, (f"{a} * {b}" for a, b in pairs), (f"{a} - {b} + 1" for a, b in itertools.permutations(sizes, 2)),
            (f"{k} * {a}" for k in range(2, 5) for a in sizes), (f"{a} / {k}" for k in (2, 4, 8, 16, 32) for a in sizes),
            (f"{a} + 1" for a in sizes), (f"2 * {a} - 1" for a in sizes), (f"{a} * {b} * {c}" for a, b, c in triples),
            (f"(2 * {a} + 1) * (2 * {a} + 1)" for a in sizes), (f"2 * {a} + 1" for a in sizes),
            (" * ".join(some) for some in itertools.combinations(sizes, 4)), (" * ".join(some) for some in itertools.combinations(sizes, 5)),
            (form.format(*some) for form in pooled for some in itertools.permutations(sizes, form.count("{"))) if len(sizes) < 9 else (),
            (f"({a} + {b} - 1) / {b}" for a, b in itertools.permutations(sizes, 2))):
        if all(value_of(expression, numbers) == extent for numbers, extent in seen):
            return expression
    return str(extents.pop()) if len(extents) == 1 else None


# ---- LeetGPU: challenge.py -------------------------------------------------------------------------------------------

C_OF_CTYPE = {ctypes.c_float: "float", ctypes.c_double: "double", ctypes.c_int: "int", ctypes.c_uint: "unsigned",
              ctypes.c_byte: "signed char", ctypes.c_ubyte: "unsigned char", ctypes.c_short: "short",
              ctypes.c_ushort: "unsigned short", ctypes.c_long: "long", ctypes.c_ulong: "size_t", ctypes.c_longlong: "long long",
              ctypes.c_ulonglong: "size_t", ctypes.c_bool: "bool", ctypes.c_char: "char"}
# Tensara's names of types; [VAR] is a floating-point type of the student's choice.
C_OF_NAME = {"[VAR]": "float", "float16": "__half", "half": "__half", "bfloat16": "__nv_bfloat16", "float8": "unsigned char",
             "float4": "unsigned char", "int8_t": "signed char", "uint8_t": "unsigned char", "int16_t": "short", "uint16_t": "unsigned short",
             "int32_t": "int", "uint32_t": "unsigned", "int64_t": "long long", "uint64_t": "unsigned long long"} | {
                 name: name for name in ("float", "double", "int", "size_t", "bool", "char", "unsigned", "long", "long long")}
ELEMENT_OF = {"long": "long long", "size_t": "unsigned long long", "bool": "unsigned char"} # types that only a number may have


def c_type_of(ctype, place):
    """(C type, whether it is a pointer)"""
    is_pointer = hasattr(ctype, "_type_") and not isinstance(ctype._type_, str)
    found = C_OF_CTYPE.get(ctype._type_ if is_pointer else ctype)
    if found is None and ctype is ctypes.c_void_p:
        found, is_pointer = "float", True
        note(place, "c_void_p names no element type: float stands for it")
    if found is None:
        note(place, f"the type {getattr(ctype, '__name__', ctype)} is unknown: int stands for it")
    return (ELEMENT_OF.get(found, found) if is_pointer else found) or "int", is_pointer


def line_of(tree, name):
    return next((node.lineno for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name), 1)


def source_of(path, tree, name):
    node = next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name), None)
    return "" if node is None else "\n".join(path.read_text().split("\n")[node.lineno - 1:node.end_lineno])


def expression_of(node):
    """A judge's expression; None: it has something else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return str(node.value)
    if isinstance(node, ast.Name):
        return node.id
    operators = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%"}
    if isinstance(node, ast.BinOp) and type(node.op) in operators:
        left, right = expression_of(node.left), expression_of(node.right)
        return None if left is None or right is None else f"({left} {operators[type(node.op)]} {right})"
    return None


def plain(expression):
    """Without parentheses around all of it."""
    if not (expression.startswith("(") and expression.endswith(")")):
        return expression
    depth = 0
    for i, c in enumerate(expression[:-1]):
        depth += (c == "(") - (c == ")")
        if depth == 0 and i > 0:
            return expression
    return expression[1:-1]


def asserted_shapes(path, tree, function, sizes, constants):
    """From `assert output.shape == (rows, columns - 1)`; constants, and locals that are set before it, are filled in."""
    found, known = {}, {name: str(value) for name, value in constants.items() if type(value) is int and name not in sizes}
    body = next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function), None)
    for node in [] if body is None else body.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = expression_of(node.value)
            if value is not None:
                known[node.targets[0].id] = value
        if not (isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and isinstance(node.test.left, ast.Attribute)
                and node.test.left.attr == "shape" and isinstance(node.test.left.value, ast.Name)):
            continue
        right = node.test.comparators[-1]
        if isinstance(right, ast.Attribute): # another array's shape
            continue
        extents = [expression_of(one) for one in right.elts] if isinstance(right, ast.Tuple) else [None]
        extents = [plain(re.sub(r"\b[A-Za-z_]\w*\b", lambda m: known.get(m[0], m[0]), one)) if one else None for one in extents]
        extents = [str(value_of(one, {}) or one) if one else None for one in extents]
        if all(one and set(re.findall(r"\b[A-Za-z_]\w*\b", one)) <= set(sizes) for one in extents):
            found[node.test.left.value.id] = extents
        else:
            note(f"{path.name}:{node.lineno}", f"the shape of {node.test.left.value.id} is no expression over sizes: "
                 "it is taken from the cases")
    return found


def number_of(value, parameter, place):
    """What a testcase holds of a number; None: it is none."""
    if isinstance(value, (Unknown, Tensor)):
        value = float(value) if parameter.role == "scalar" else int(value)
    if not isinstance(value, (int, float)) or value != value:
        return None
    if parameter.role == "scalar":
        return value
    if abs(value) > MOST_EXACT:
        note(place, f"{value} for {parameter.name} is more than the judge's double holds exactly: {MOST_EXACT} stands for it")
    return int(max(min(value, MOST_EXACT), -MOST_EXACT))


def case_of(exercise, number, test, group, place):
    arrays = {one.name: test[one.name] for one in exercise.parameters if one.shape is not None and isinstance(test.get(one.name), Tensor)}
    numbers = {one.name: number_of(test.get(one.name), one, place) for one in exercise.parameters if one.shape is None}
    missing = [name for name, value in numbers.items() if value is None]
    missing += [one.name for one in exercise.parameters if one.role in ("in", "inout") and one.name not in arrays]
    if missing:
        note(place, f"{group} case {number} has no value for {', '.join(missing)} and is left out")
        return None
    most = max((tensor.numel() for tensor in arrays.values()), default=0)
    if any(tensor.numel() == 0 for tensor in arrays.values()):
        note(place, f"{group} case {number} has an array without elements, which a problem cannot have: it is left out")
        return None
    if most > MOST_ELEMENTS:
        note(place, f"{group} case {number} has an array of {most} elements, of which a problem may have {MOST_ELEMENTS}: it is left out")
        return None
    return Case(f"{group} {number}", "from the imported exercise", numbers, arrays, timed=group == "performance",
                sample=group == "example")


def described(source_of_settings):
    """A class of challenge_base.py whose objects describe an array: here they are one."""
    return lambda shape, *arguments, dtype="float32", **settings: Tensor(
        shape, dtype, source_of_settings(*arguments, **settings))


CHALLENGE_BASE = {
    "ChallengeBase": base_class("ChallengeBase"),
    "RandTensor": described(lambda low=0, high=1: {"generator": "uniform", "low": low, "high": high}),
    "RandnTensor": described(lambda mean=0, std=1: {"generator": "normal", "mean": mean, "deviation": std}),
    "RandIntTensor": described(lambda low, high: {"generator": "integers", "low": low, "high": high - 1}),
    "FullTensor": described(lambda value=0: {"generator": "constant", "value": value}),
    "OutTensor": described(lambda: {"generator": "constant", "value": 0})}


def read_leetgpu(folder):
    path = folder / "challenge.py"
    tree = ast.parse(path.read_text(), str(path))
    challenge = run(path, {"core": {}, "core.challenge_base": CHALLENGE_BASE})
    exercise = Exercise(getattr(challenge, "name", folder.name))
    exercise.reference = source_of(path, tree, "reference_impl")
    if hasattr(challenge, "atol") and hasattr(challenge, "rtol"):
        exercise.absolute, exercise.relative, exercise.why = challenge.atol, challenge.rtol, "atol and rtol of challenge.py"
    if getattr(challenge, "num_gpus", 1) != 1:
        note(path.name, f"num_gpus is {challenge.num_gpus}: the judge gives a submission one GPU")
    place = f"{path.name}:{line_of(tree, 'get_solve_signature')}"
    signature = called(challenge.get_solve_signature) or die(f"{place}: get_solve_signature() gives nothing")
    starter = "".join(one.read_text() for one in sorted((folder / "starter").glob("*.cu"))) if (folder / "starter").is_dir() else ""
    for name, row in signature.items():
        ctype, direction = row if isinstance(row, tuple) else (row, None)
        c_type, is_pointer = c_type_of(ctype, place)
        if direction is None: # older files: the starter says by const what is read
            is_read = re.search(rf"const\s+[\w ]+\*\s*{name}\b", starter) or (
                not re.search(rf"\*\s*{name}\b", starter) and not re.match(r"out|result|res$|C$", name))
            direction = "in" if not is_pointer or is_read else "out"
        role = direction if is_pointer else "scalar" if c_type in ("float", "double") else "size"
        exercise.parameters.append(Parameter(name, c_type, role, [] if is_pointer else None))
    names = dict(zip(signature, (one.name for one in exercise.parameters)))
    for group, function in (("example", "generate_example_test"), ("functional", "generate_functional_test"),
                            ("performance", "generate_performance_test")):
        place = f"{path.name}:{line_of(tree, function)}"
        tests = called(getattr(challenge, function)) if hasattr(challenge, function) else None
        for number, test in enumerate(tests if isinstance(tests, list) else [tests] if isinstance(tests, dict) else [], 1):
            case = case_of(exercise, number, {names.get(name, name): value for name, value in test.items()}, group, place)
            exercise.cases += [case] if case else []
    take_dtypes(exercise)
    sizes = [one.name for one in exercise.parameters if one.role == "size"]
    asserted = asserted_shapes(path, tree, "reference_impl", sizes, vars(sys.modules["exercise"]))
    find_shapes(exercise, {names.get(name, name): shape for name, shape in asserted.items()})
    exercise.difficulty = folder.parent.name if folder.parent.name in ("easy", "medium", "hard") else "medium"
    page = folder / "challenge.html"
    exercise.statement = text_of_html(page.read_text()) if page.exists() else ""
    if not page.exists():
        note("challenge.html", "it is missing: statement.md says only what challenge.py shows")
    return exercise


def take_dtypes(exercise):
    """Halves travel as 16-bit integers in ctypes; torch says which they are."""
    for parameter in exercise.parameters:
        kinds = {case.arrays[parameter.name].dtype for case in exercise.cases if parameter.name in case.arrays}
        if parameter.shape is not None and kinds & {"float16", "bfloat16"}:
            parameter.c_type = C_OF_DTYPE[(kinds & {"float16", "bfloat16"}).pop()]


def text_of_html(page):
    page = re.sub(r"(?is)<(script|style)\b.*?</\1>", "", page)
    for pattern, words in ((r"(?i)<h[1-6][^>]*>", "\n## "), (r"(?i)<li[^>]*>", "\n- "), (r"(?i)</?(code)[^>]*>", "`"),
                           (r"(?i)</?(p|div|br|ul|ol|pre|tr|h[1-6])[^>]*>", "\n"), (r"<[^>]+>", "")):
        page = re.sub(pattern, words, page)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&le;", "<="), ("&ge;", ">="), ("&times;", "x"),
                              ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&")):
        page = page.replace(entity, character)
    return re.sub(r"\n\s*\n+", "\n\n", "\n".join(line.strip() for line in page.split("\n"))).strip()


# ---- Tensara: def.py -------------------------------------------------------------------------------------------------

def front_matter(folder):
    """(keys, parameters as def.py would list them, the text below) of problem.md."""
    page = folder / "problem.md"
    parts = re.split(r"(?m)^---\s*$", page.read_text(), maxsplit=2) if page.exists() else []
    if len(parts) < 3:
        note("problem.md", "it is missing or has no front matter: names come from def.py")
        return {}, [], ""
    keys = dict(re.findall(r'(?m)^(\w+):\s*"?([^"\n]+?)"?\s*$', parts[1]))
    rows = [dict(re.findall(r"""(\w+):\s*["']?([^"'\n]+?)["']?\s*$""", item, re.M)) for item in re.split(r"(?m)^\s*-\s+(?=name:)", parts[1])[1:]]
    return keys, rows, parts[2].strip()


def is_set(value):
    return value in (True, "true", "True")


PROBLEM_BASE = base_class(
    "Problem", parameters=[], get_extra_params=lambda self, test: [],
    get_seed=staticmethod(lambda text: int(hashlib.sha256(text.encode()).hexdigest(), 16) % (1 << 32)),
    param_dtype=lambda self, which: dtype_of_name(next(
        (row["type"] for i, row in enumerate(self.parameters) if which in (i, row["name"])), "float")))


def dtype_of_name(name):
    c_type = ELEMENT_OF.get(C_OF_NAME.get(name, "float"), C_OF_NAME.get(name, "float"))
    return next((dtype for dtype, c in C_OF_DTYPE.items() if c == c_type), "float32")


def tensara_parameters(problem, path, tree, listed):
    """(name, C type, whether it is a pointer, whether it is const or None) of each."""
    if problem.parameters:
        listed = problem.parameters
    rows = []
    for row in listed:
        is_pointer, c_type = is_set(row.get("pointer", False)), C_OF_NAME.get(row.get("type"))
        if c_type is None:
            note(path.name, f"the type {row.get('type')} of {row['name']} is unknown: float stands for it")
        rows.append((row["name"], ELEMENT_OF.get(c_type, c_type or "float") if is_pointer else c_type or "float", is_pointer,
                     is_set(row["const"]) if "const" in row else None))
    if not hasattr(problem, "get_function_signature") or problem.parameters:
        return rows or die(f"{path}: expected a list \"parameters\", or get_function_signature()")
    place = f"{path.name}:{line_of(tree, 'get_function_signature')}"
    argtypes = (called(problem.get_function_signature) or die(f"{place}: get_function_signature() gives nothing"))["argtypes"]
    names = [row[0] for row in rows]
    if len(names) != len(argtypes):
        names = re.findall(r"ctypes\.[^\n#]*#\s*(\w+)", source_of(path, tree, "get_function_signature"))
        rows = []
    if len(names) != len(argtypes) or len(set(names)) != len(names):
        note(place, "the parameters have no names of their own: they are called p0, p1, ...")
        names = [f"p{i}" for i in range(len(argtypes))]
    return [(name, *c_type_of(ctype, place), rows[i][3] if rows else None) for i, (name, ctype) in enumerate(zip(names, argtypes))]


OUTPUT = object()


def values_of(rows, inputs, extra):
    """The value of each parameter, and OUTPUT for outputs: inputs, outputs and further values follow each other. Numbers among
    the inputs may be for the reference alone. None: nothing fits."""
    def fits(values):
        return len(values) == len(rows) and all(
            isinstance(value, Unknown) or (is_pointer and is_const is not True if value is OUTPUT else isinstance(value, Tensor) == is_pointer)
            for value, (_, _, is_pointer, is_const) in zip(values, rows))

    for given in (inputs, [value for value in inputs if isinstance(value, (Tensor, Unknown))]):
        outputs = max(len(rows) - len(given) - len(extra), 0)
        for at in [len(given), *range(len(given))]:
            values = given[:at] + [OUTPUT] * outputs + given[at:] + extra
            if fits(values):
                return values
    return None


def read_tensara(folder):
    path = folder / "def.py"
    tree = ast.parse(path.read_text(), str(path))
    problem = run(path, {"problem": {"Problem": PROBLEM_BASE}})
    keys, listed, text = front_matter(folder)
    exercise = Exercise(keys.get("title") or getattr(problem, "name", folder.name))
    exercise.statement, exercise.function = text, "solution"
    exercise.difficulty = keys.get("difficulty", "medium").lower()
    exercise.reference = source_of(path, tree, "reference_solution")
    rows = tensara_parameters(problem, path, tree, listed)
    tests = [(*test, values_of(rows, test[2], test[3])) for test in tests_of_tensara(problem, path, tree)]
    place = f"{path.name}:{line_of(tree, 'get_extra_params')}"
    for name, _, inputs, extra, values in tests:
        if values is None:
            note(place, f"expected values for {', '.join(row[0] for row in rows)} in the case \"{name}\", found {len(inputs)} inputs and "
                        f"{len(extra)} further ones, which do not fit: it is left out")
    tests = [test for test in tests if test[4] is not None]
    if not tests:
        return exercise
    outputs = [i for i, value in enumerate(tests[0][4]) if value is OUTPUT]
    if not outputs: # the last one that is not const
        outputs = [i for i, row in enumerate(rows) if row[2] and row[3] is not True][-1:]
        note(place, f"no array is left for an output: {rows[outputs[0]][0]} is read and written")
    for i, (name, c_type, is_pointer, _) in enumerate(rows):
        role = "size" if c_type not in ("float", "double", "__half", "__nv_bfloat16") else "scalar"
        if is_pointer:
            role = "in" if i not in outputs else "out" if tests[0][4][i] is OUTPUT else "inout"
        elif role == "scalar" and c_type not in ("float", "double"):
            c_type = "float"
        exercise.parameters.append(Parameter(name, c_type, role, [] if is_pointer else None))
    for number, (name, group, inputs, _, values) in enumerate(tests, 1):
        results = results_of(problem, inputs)
        for at, result in zip(outputs, results) if len(results) == len(outputs) else ():
            values[at] = result if values[at] is OUTPUT else values[at]
        case = case_of(exercise, number, {one.name: value for one, value in zip(exercise.parameters, values)}, group, place)
        if case:
            case.name, case.timed = str(name), group == "test"
            exercise.cases.append(case)
    find_shapes(exercise, {})
    first = next((one for one in exercise.parameters if one.role == "in"), None)
    for parameter in exercise.parameters:
        if parameter.role == "out" and not parameter.shape:
            parameter.shape = list(first.shape) if first is not None else ["1"]
            note(f"{path.name}:{line_of(tree, 'reference_solution')}",
                 f"the shape of {parameter.name} follows from torch alone: {' x '.join(parameter.shape)} stands for it")
    verify = source_of(path, tree, "verify_result")
    found = {key: re.search(rf"{key}\s*=\s*([\d.e-]+)", verify) for key in ("rtol", "atol")}
    if all(found.values()):
        exercise.relative, exercise.absolute, exercise.why = float(found["rtol"][1]), float(found["atol"][1]), "verify_result() of def.py"
    else:
        note(f"{path.name}:{line_of(tree, 'verify_result')}", "verify_result() has no rtol and atol as numbers: check \"tolerance\"")
    return exercise


def results_of(problem, inputs):
    """What the reference returns, of which the shape counts; what it loses on the way is no news."""
    known = len(notes)
    result = called(problem.reference_solution, *(one.clone() if isinstance(one, Tensor) else one for one in inputs))
    found = list(tensors_in([result]))
    notes[known:] = [] if found else [line for line in notes[known:] if "reference_solution() fails" in line]
    return found


def tests_of_tensara(problem, path, tree):
    """(name, group, inputs, further values) of each case, the sample first."""
    found = []
    for group, name in (("example", "generate_sample"), ("test", "generate_test_cases")):
        function = getattr(problem, name, None)
        if function is None:
            continue
        node = next(one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == name)
        asks_dtype = len(node.args.args) - len(node.args.defaults) > 1
        tests = called(function, *(["float32"] if asks_dtype else []))
        for test in [tests] if isinstance(tests, dict) else tests or []:
            inputs = called(test["create_inputs"])
            extra = called(problem.get_extra_params, test)
            if inputs is None or extra is None:
                continue
            inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
            found.append((test.get("name", f"{group} {len(found) + 1}"), group, inputs, list(extra)))
    return found


# ---- data of a lab ---------------------------------------------------------------------------------------------------

NUMBER = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?f?"
DATA = (".raw", ".dat", ".csv", ".txt", ".ppm", ".pgm", ".npy")


def read_npy(path):
    data = path.read_bytes()
    start = 10 if data[6] == 1 else 12
    length = int.from_bytes(data[8:start], "little")
    header = ast.literal_eval(data[start:start + length].decode("latin1").strip())
    code = {npy: (c, code) for c, (npy, code) in NPY_OF_C.items()}.get(header["descr"])
    if code is None or header["fortran_order"]:
        die(f"{path}: expected a .npy file in C order of one of {', '.join(npy for npy, _ in NPY_OF_C.values())}, found {header['descr']}")
    count = math.prod(header["shape"])
    values = struct.unpack(f"<{count}{code[1]}", data[start + length:])
    dtype = next(name for name, c in C_OF_DTYPE.items() if c == code[0])
    return Tensor(header["shape"] or (1,), dtype, {"values": list(values)})


def read_picture(path):
    """Levels from 0 to 1, as labs have them."""
    data = path.read_bytes()
    header = re.match(rb"(P[56])(?:\s|#[^\n]*\n)+(\d+)(?:\s|#[^\n]*\n)+(\d+)(?:\s|#[^\n]*\n)+(\d+)\s", data)
    if header is None or int(header[4]) > 255:
        die(f"{path}: expected a picture P5 or P6 with levels up to 255")
    width, height, most = (int(header[i]) for i in (2, 3, 4))
    shape = (height, width) if header[1] == b"P5" else (height, width, 3)
    levels = data[header.end():header.end() + math.prod(shape)]
    if len(levels) != math.prod(shape):
        die(f"{path}: expected {math.prod(shape)} levels, found {len(levels)}")
    note(path.name, f"its levels are divided by {most}, as labs do")
    return Tensor(shape, "float32", {"values": [level / most for level in levels]})


def read_text(path):
    """Numbers after their count or their extents, or a table."""
    rows = []
    for number, line in enumerate(path.read_text(errors="replace").split("\n"), 1):
        words = re.split(r"[\s,;]+", line.strip(" \t\r,;"))
        odd = next((word for word in words if word and not re.fullmatch(NUMBER, word)), None)
        if odd is not None:
            die(f"{path}: line {number}: expected a number, found '{odd[:20]}'")
        if words != [""]:
            rows.append([float(word.rstrip("f")) for word in words])
    numbers = [number for row in rows for number in row]
    is_table = path.suffix == ".csv" and all(len(row) == len(rows[0]) > 1 for row in rows)
    for rank in () if is_table else (len(rows[0]) if rows else 0, 1):
        shape = [int(number) for number in numbers[:rank] if number == int(number) and number > 0]
        if 1 <= rank <= 4 and len(shape) == rank and math.prod(shape) == len(numbers) - rank:
            return Tensor(shape, "float32", {"values": numbers[rank:]})
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        die(f"{path}: expected a count or extents, and so many numbers, or lines of equal length")
    shape = (len(rows), len(rows[0])) if len(rows) > 1 and len(rows[0]) > 1 else (len(numbers),)
    return Tensor(shape, "float32", {"values": numbers})


def read_data(path):
    return read_npy(path) if path.suffix == ".npy" else read_picture(path) if path.suffix in (".ppm", ".pgm") else read_text(path)


def lab_files(folder):
    """(inputs, outputs) of one case: input0.raw, input1.raw, output.raw."""
    files = sorted((one for one in folder.iterdir() if one.suffix in DATA), key=lambda one: (len(one.stem), one.name))
    return [one for one in files if re.match(r"in(put)?_?\d*$", one.stem)], [
        one for one in files if re.match(r"(out(put)?|expected|answer|solution)_?\d*$", one.stem)]


def add_sizes(exercise, name, tensors):
    """Expressions for the extents of an array: sizes that are there, numbers, or new sizes."""
    shape = []
    for axis in range(len(tensors[0].shape)):
        extents = [tensor.shape[axis] for tensor in tensors]
        same = [size for size in exercise.cases[0].numbers if all(case.numbers[size] == extent
                                                                  for case, extent in zip(exercise.cases, extents))]
        if len(set(extents)) == 1 and extents[0] <= 4 and axis == 2:
            shape.append(str(extents[0]))
        elif same:
            shape.append(same[0])
            if len(exercise.cases) == 1:
                note("problem.json", f"one case shows that {name} has {same[0]} elements along axis {axis}: check \"shape\"")
        else:
            size = f"{name}_" + (["length"] if len(tensors[0].shape) == 1 else ["rows", "columns", "planes", "others"])[axis]
            for case, extent in zip(exercise.cases, extents):
                case.numbers[size] = extent
            shape.append(size)
    return shape


def read_lab(folder, cases):
    exercise = Exercise(folder.resolve().name)
    for number, one in enumerate(cases, 1):
        inputs, outputs = lab_files(one)
        arrays = {f"input{i}": read_data(path) for i, path in enumerate(inputs)}
        arrays.update({f"output{i if len(outputs) > 1 else ''}": read_data(path) for i, path in enumerate(outputs)})
        if exercise.cases and {name: len(tensor.shape) for name, tensor in arrays.items()} != {
                name: len(tensor.shape) for name, tensor in exercise.cases[0].arrays.items()}:
            note(str(one.relative_to(folder)), "it has other arrays than the first case and is left out")
            continue
        exercise.cases.append(Case(f"data set {one.name}" if one != folder else "the data set", "from the lab's data", {}, arrays,
                                   sample=number == 1))
    for name, tensor in exercise.cases[0].arrays.items():
        shape = add_sizes(exercise, name, [case.arrays[name] for case in exercise.cases])
        exercise.parameters.append(Parameter(name, C_OF_DTYPE[tensor.dtype], "in" if name.startswith("input") else "out", shape))
    exercise.parameters += [Parameter(name, "int", "size") for name in exercise.cases[0].numbers]
    exercise.cases.append(Case(exercise.cases[0].name, "from the lab's data", exercise.cases[0].numbers, exercise.cases[0].arrays))
    page = next((one for one in (folder / "README.md", folder / "statement.md") if one.exists()), None)
    exercise.statement = page.read_text() if page else ""
    if page is None:
        note("README.md", "it is missing: statement.md says only what the data show")
    program = next((one for one in sorted(folder.rglob("*.c*")) if one.suffix in (".cu", ".cpp", ".c")
                    and "wbArg_read" in one.read_text(errors="replace")), None)
    if program is not None:
        make_program(exercise, program.relative_to(folder))
    return exercise


# The part of libwb that labs with vectors and matrices use.
WB_H = """/* Where the lab's library reads files, this header hands out the testcase's arrays, and wbSolution() takes the answer. */
#ifndef WB_H
#define WB_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct wbArg_t {
    int argc;
    char** argv;
};

struct wbFile {
    const char* name;
    float* data;
    int rows, columns; /* of a vector: 1, its length */
};
extern wbFile wbFiles[];
void wbTake(const float* output, int count);

inline wbArg_t wbArg_read(int argc, char** argv)
{
    return {argc, argv};
}

inline const char* wbArg_getInputFile(wbArg_t args, int which)
{
    return args.argv[1 + which];
}

/* The caller frees the data. */
inline void* wbImport(const char* name, int* rows, int* columns)
{
    for (wbFile* file = wbFiles; file->name != nullptr; file++)
        if (std::strcmp(file->name, name) == 0) {
            const std::size_t bytes = sizeof(float) * file->rows * file->columns;
            void* copy = std::malloc(bytes);
            std::memcpy(copy, file->data, bytes);
            *rows = file->rows;
            *columns = file->columns;
            return copy;
        }
    std::fprintf(stderr, "wbImport: there is no file %s\\n", name);
    std::exit(1);
}

inline void* wbImport(const char* name, int* length)
{
    int rows, columns;
    void* data = wbImport(name, &rows, &columns);
    *length = rows * columns;
    return data;
}

inline void wbSolution(wbArg_t, const void* output, int length)
{
    wbTake(static_cast<const float*>(output), length);
}

inline void wbSolution(wbArg_t, const void* output, int rows, int columns)
{
    wbTake(static_cast<const float*>(output), rows * columns);
}

enum wbTime { Generic, GPU, Compute, Copy };
enum wbLevel { TRACE, ERROR };
#define wbLog(level, ...) ((void)0)
#define wbTime_start(kind, ...) ((void)0)
#define wbTime_stop(kind, ...) ((void)0)

#endif
"""


def make_program(exercise, place):
    """Submissions are programs, as the lab's own: a driver hands the arrays to main()."""
    arrays = [one for one in exercise.parameters if one.shape is not None]
    inputs, outputs = [one for one in arrays if one.role == "in"], [one for one in arrays if one.role == "out"]
    if len(outputs) != 1 or any(len(one.shape) > 2 for one in arrays):
        note(str(place), "a driver for its main() needs one output, and vectors or matrices: here submissions define solve()")
        return
    rows = [" * ".join(f"({extent})" for extent in one.shape[:-1]) or "1" for one in arrays]
    files = "".join(f'    wbFiles[{i}] = {{"{one.name}", on_host({one.name}, ({rows[i]}) * ({one.shape[-1]})), {rows[i]}, {one.shape[-1]}}};\n'
                    for i, one in enumerate(inputs))
    names = "".join(f'    static char {one.name}_file[] = "{one.name}";\n' for one in inputs)
    exercise.function, exercise.headers = "main", {"wb.h": WB_H}
    exercise.header = "/* The lab is a program, whose main() reads its files with wb.h. */\n"
    exercise.driver = f"""// Calls the lab's main() with the names of files, whose contents are the testcase's arrays.
#include "wb.h"

wbFile wbFiles[{len(inputs) + 1}];
static float* wb_answer;
static int wb_expected;

void wbTake(const float* output, int count)
{{
    if (count != wb_expected) {{
        std::fprintf(stderr, "wbSolution: %d elements, expected %d\\n", count, wb_expected);
        std::exit(1);
    }}
    cudaMemcpy(wb_answer, output, count * sizeof(float), cudaMemcpyHostToDevice);
}}

// The submission's main(), with or without arguments. By this name C++ allows to call it, and it still returns by itself.
extern "C" int student_main(int, char**) __asm__("main");

static float* on_host(const float* device, int count)
{{
    float* host = static_cast<float*>(std::malloc(count * sizeof(float)));
    cudaMemcpy(host, device, count * sizeof(float), cudaMemcpyDeviceToHost);
    return host;
}}

extern "C" {signature_of(exercise)}
{{
    static char program[] = "lab";
{names}    char* arguments[] = {{program, {", ".join(f"{one.name}_file" for one in inputs)}, nullptr}};
{files}    wb_answer = {outputs[0].name};
    wb_expected = ({rows[-1]}) * ({outputs[0].shape[-1]});
    student_main({len(inputs) + 1}, arguments);
    for (wbFile* file = wbFiles; file->name != nullptr; file++)
        std::free(file->data);
}}
"""
    exercise.starter = """// problem: {id}
#include <wb.h>

int main(int argc, char** argv)
{{
    wbArg_t args = wbArg_read(argc, argv);
    // TODO: wbImport() the inputs, compute on the GPU, and hand the output to wbSolution()
    (void)args;
    return 0;
}}
"""


# ---- Kattis and DOMjudge ---------------------------------------------------------------------------------------------

DRIVER_OF_MAIN = """// Calls the submission's main(), once for each testcase, with the numbers of the input on its standard input, and takes the
// numbers that it prints.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

// The submission's main(), with or without arguments. By this name C++ allows to call it, and it still returns by itself.
extern "C" int student_main(int, char**) __asm__("main");

extern "C" void solve(const float* input, float* output, int input_length, int output_length)
{
    std::string text;
    float* host = static_cast<float*>(std::malloc(sizeof(float) * (input_length + output_length)));
    cudaMemcpy(host, input, sizeof(float) * input_length, cudaMemcpyDeviceToHost);
    for (int i = 0; i < input_length; i++) {
        char word[32];
        std::snprintf(word, sizeof word, "%.9g\\n", host[i]);
        text += word;
    }
    char* printed = nullptr;
    std::size_t bytes = 0;
    std::FILE *own_input = stdin, *own_output = stdout;
    std::istringstream in(text);
    std::ostringstream out;
    std::streambuf *own_in = std::cin.rdbuf(in.rdbuf()), *own_out = std::cout.rdbuf(out.rdbuf());
    stdin = fmemopen(const_cast<char*>(text.data()), text.size(), "r");
    stdout = open_memstream(&printed, &bytes);
    std::cin.clear();
    char name[] = "program";
    char* arguments[] = {name, nullptr};
    student_main(1, arguments);
    std::fclose(stdin);
    std::fclose(stdout);
    stdin = own_input;
    stdout = own_output;
    std::cin.rdbuf(own_in);
    std::cout.rdbuf(own_out);
    std::string all = std::string(printed, bytes) + out.str();
    std::free(printed);
    std::istringstream words(all);
    int found = 0;
    float number;
    for (; words >> number; found++)
        if (found < output_length)
            host[input_length + found] = number;
    if (found != output_length)
        std::fprintf(stderr, "the program printed %d numbers, expected %d\\n", found, output_length);
    else
        cudaMemcpy(output, host + input_length, sizeof(float) * output_length, cudaMemcpyHostToDevice);
    std::free(host);
}
"""


def numbers_of(path, package):
    numbers = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        for word in line.split():
            try:
                numbers.append(float(word))
            except ValueError:
                note(f"{path.relative_to(package)}:{number}", f"expected numbers alone, found '{word}': the case is left out")
                return None
    if any(abs(value) > 1 << 24 and value == int(value) for value in numbers):
        note(str(path.relative_to(package)), "a whole number is too large for a float: it is rounded")
    return Tensor((len(numbers),), "float32", {"values": numbers}) if numbers else None


def read_package(folder):
    """Programs that read standard input: a driver hands the numbers to main()."""
    settings = (folder / "problem.yaml", folder / "domjudge-problem.ini")
    text = "\n".join(one.read_text() for one in settings if one.exists())
    name = re.search(r"(?m)^\s*name\s*[:=]\s*(?:\n\s+\w+:\s*)?['\"]?([^'\"\n]+)", text)
    exercise = Exercise(name[1].strip() if name else folder.resolve().name)
    exercise.function, exercise.driver = "main", DRIVER_OF_MAIN
    exercise.header = "/* The exercise is a program: main() reads standard input, and prints the answer. */\n"
    exercise.starter = STARTER_OF_MAIN
    exercise.parameters = [Parameter("input", "float", "in", ["input_length"]), Parameter("output", "float", "out", ["output_length"]),
                           Parameter("input_length", "int", "size"), Parameter("output_length", "int", "size")]
    for group in ("sample", "secret"):
        for path in sorted((folder / "data" / group).rglob("*.in")):
            answer = path.with_suffix(".ans") if path.with_suffix(".ans").exists() else path.with_suffix(".out")
            if not answer.exists():
                note(str(path.relative_to(folder)), "expected an answer beside it (.ans or .out), found none: the case is left out")
                continue
            given, expected = numbers_of(path, folder), numbers_of(answer, folder)
            if given is not None and expected is not None:
                exercise.cases.append(Case(f"{group} {path.stem}", "from the imported package",
                                           {"input_length": given.numel(), "output_length": expected.numel()},
                                           {"input": given, "output": expected}, sample=group == "sample"))
    tolerance = {key: float(value) for key, value in re.findall(r"(float(?:_absolute|_relative)?_tolerance)\s+([\d.eE-]+)", text)}
    general = tolerance.get("float_tolerance", 0)
    exercise.absolute = max(tolerance.get("float_absolute_tolerance", general), 0)
    exercise.relative = max(tolerance.get("float_relative_tolerance", general), 2e-7)
    exercise.why = "validator_flags of the package; a float itself is rounded by 6e-8"
    if re.search(r"(?m)^\s*validation\s*:\s*custom", text):
        note("problem.yaml", "it has a validator of its own: the judge compares numbers instead")
    pages = sorted(one for folder_of in ("problem_statement", "statement", ".") for one in (folder / folder_of).glob("problem*.*")
                   if one.suffix in (".md", ".tex", ".html"))
    exercise.statement = pages[0].read_text() if pages else ""
    if pages and pages[0].suffix == ".tex":
        note(str(pages[0].relative_to(folder)), "the statement is LaTeX: it stands in statement.md as it is")
    if not pages:
        note("problem_statement", "no statement in .md, .tex or .html was found")
    for kind in ("input_validators", "input_format_validators", "output_validators", "generators"):
        if (folder / kind).is_dir():
            note(kind, "programs of the package are not taken over")
    return exercise


# ---- writing ---------------------------------------------------------------------------------------------------------

STARTER_OF_MAIN = """// problem: {id}
#include <cstdio>

int main()
{{
    // TODO: read numbers from standard input, compute on the GPU, and print the result
    float number;
    while (std::scanf("%f", &number) == 1) {{
    }}
    std::printf("0\\n");
}}
"""


def npy_of(tensor, c_type):
    npy, code = NPY_OF_C.get(c_type, NPY_OF_C["float"])
    shape = ", ".join(map(str, tensor.shape)) + ("," if len(tensor.shape) == 1 else "")
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (npy, shape)
    header += " " * (-(11 + len(header)) % 64) + "\n"
    values = tensor.numbers()
    if code not in "fde":
        values = [int(value) for value in values]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)


WHOLE = {"levels": 0, "why": "Whole numbers are compared exactly."}


def is_random(tensor):
    return tensor.source is None or tensor.source.get("generator") in ("uniform", "normal", "integers")


class Writer:
    def __init__(self, home, ident, exercise):
        self.home, self.id, self.exercise, self.files = home, ident, exercise, 0

    def put(self, path, content):
        path = self.home / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def source(self, parameter, tensor, timed):
        """Of testcases: numbers as they are, in a file if there are many, or a generator."""
        if timed and not is_random(tensor): # of whole numbers none is timed
            values = tensor.numbers() or [tensor.source.get("value", 0)]
            low, high = min(values), max(values)
            high = high if high > low else low + 1
            note("hidden.json", f"each timed call gets new data: random numbers from {low} to {high} stand for {parameter.name}")
            return {"generator": "uniform", "low": low, "high": high}
        if tensor.source is None:
            return {"generator": "uniform", "low": -1, "high": 1} if parameter.c_type in FLOATS else {
                "generator": "integers", "low": 0, "high": 9}
        generator = tensor.source.get("generator")
        if generator in ("uniform", "normal") and parameter.c_type not in FLOATS:
            return {"generator": "integers", "low": math.floor(tensor.source.get("low", 0)), "high": math.ceil(tensor.source.get("high", 9))}
        if generator == "integers":
            low, high = (max(-MOST_EXACT, min(tensor.source[end], MOST_EXACT)) for end in ("low", "high"))
            if high - low > MOST_APART:
                note("hidden.json", f"numbers of {parameter.name} reach up to {high}, further than the judge draws: {low + MOST_APART} stands for it")
            return {"generator": "integers", "low": low, "high": min(high, low + MOST_APART)}
        if generator is not None:
            return tensor.source
        values = tensor.numbers()
        if tensor.numel() != math.prod(tensor.shape) or len(values) != math.prod(tensor.shape): # of a guessed shape
            return self.source(parameter, tensor.of(None), timed)
        if len(values) <= MOST_VALUES and all(math.isfinite(value) for value in values):
            return {"values": [float(value) if parameter.c_type in FLOATS else int(value) for value in values]}
        self.files += 1
        name = f"{parameter.name}{self.files}.npy"
        rank = len(parameter.shape)
        self.put(f"testcases/{self.id}/{name}", npy_of(tensor if len(tensor.shape) == rank else tensor.reshape(-1), parameter.c_type))
        return {"file": name}

    def case(self, case):
        item = {"name": case.name}
        if not case.sample:
            item["why"] = case.why
        item["sizes"] = case.numbers
        arrays = [one for one in self.exercise.parameters if one.shape is not None]
        fixed = [one.name for one in arrays if one.role in ("in", "inout") and one.c_type not in FLOATS and
                 one.name in case.arrays and not is_random(case.arrays[one.name])]
        is_timed = case.timed and not fixed
        if case.timed and fixed:
            note("hidden.json", f"\"{case.name}\" is not timed: each timed call gets new data, and {', '.join(fixed)} cannot be random")
        item["inputs"] = {one.name: self.source(one, case.arrays[one.name], is_timed) for one in arrays
                          if one.role in ("in", "inout") and one.name in case.arrays}
        if self.has_answers:
            answers = {one.name: self.source(one, case.arrays[one.name], False) for one in arrays if one.role == "out"}
            answers = {name: answer.get("values", answer) for name, answer in answers.items()}
            item["expected"] = answers if len(answers) > 1 else next(iter(answers.values()))
        if is_timed:
            item["timed"] = True
        return item

    def write(self):
        exercise = self.exercise
        self.has_answers = not exercise.reference
        signature = signature_of(exercise)
        outputs = [one for one in exercise.parameters if one.role in ("out", "inout")]
        arrays = [one for one in exercise.parameters if one.shape is not None]
        folder = f"problems/{self.id}"
        self.put(f"{folder}/problem.json", json.dumps(self.problem(signature, arrays, outputs), indent=2) + "\n")
        self.put(f"{folder}/statement.md", self.statement(signature))
        self.put(f"{folder}/oracle.h", self.oracle(outputs))
        if exercise.function == "solution" or exercise.hidden:
            call_own_function(exercise)
        if exercise.driver:
            self.put(f"{folder}/driver.cu", exercise.driver)
            self.put(f"{folder}/student.h", exercise.header)
        for name, text in exercise.headers.items():
            self.put(f"{folder}/{name}", text)
        self.put(f"{folder}/starter.cu", (exercise.starter or self.starter()).format(id=self.id))
        if not any(one.sample for one in exercise.cases):
            least = min(exercise.cases, key=lambda case: sum(tensor.numel() for tensor in case.arrays.values()))
            exercise.cases.append(Case(least.name, least.why, least.numbers, least.arrays, sample=True))
            note("sample.json", f"the exercise has no sample: the least of its cases stands for one, \"{least.name}\"")
        for name, wanted in (("sample", [one for one in exercise.cases if one.sample]),
                             ("hidden", [one for one in exercise.cases if not one.sample])):
            if not wanted:
                note(f"{name}.json", "the exercise has no case for it")
            unique(wanted)
            self.put(f"testcases/{self.id}/{name}.json", json.dumps({"schema": 1, "cases": [self.case(one) for one in wanted]}, indent=1) + "\n")

    def problem(self, signature, arrays, outputs):
        exercise, parameters = self.exercise, []
        seen = {name: [case.numbers[name] for case in exercise.cases if name in case.numbers]
                for name in (one.name for one in exercise.parameters)}
        for one in exercise.parameters:
            item = {"name": one.name, "role": one.role}
            if one.shape is not None:
                item["shape"] = one.shape
                if one in outputs and one.c_type not in FLOATS and self.tolerance(outputs) is not WHOLE:
                    item["tolerance"] = WHOLE
            else:
                item["min"] = min([1, *seen[one.name]]) if one.role == "size" else min(seen[one.name], default=-1)
                item["max"] = max(seen[one.name], default=1)
                note("problem.json", f"\"max\" of {one.name} is the largest of the cases, {item['max']}: compare it with the statement")
            parameters.append(item)
        count = " + ".join(" * ".join(extent if extent.isalnum() else f"({extent})" for extent in one.shape) for one in arrays)
        most = max(((math.prod(case.arrays[one.name].shape) if one.name in case.arrays else 0)
                    for case in exercise.cases for one in arrays), default=1)
        note("problem.json", "\"operations\" counts two for each element of the arrays: put in the formula of the direct method")
        headers = {"headers": list(exercise.headers)} if exercise.headers else {}
        limits = {item["name"]: item for item in parameters}
        conditions = constraints(arrays, limits)
        if not all(value_of(one, {name: item.get("min") for name, item in limits.items()}) for one in conditions):
            for name, numbers in seen.items(): # the least that the cases have, since smaller ones do not go together
                limits[name].update({"min": min(numbers)} if "min" in limits[name] and numbers else {})
        return headers | {
            "schema": 1, "id": self.id, "title": exercise.title, "difficulty": exercise.difficulty, "signature": signature,
            "parameters": parameters, "constraints": conditions, "operations": f"2 * ({count})", "bytes": f"4 * ({count})",
            "tolerance": self.tolerance(outputs),
            "limits": {"device_mebibytes": 1024 + most // 65536, "host_mebibytes": 2048, "host_seconds": 5, "wall_seconds": 60,
                       "sim_warp_instructions": 2000000000, "source_bytes": 262144},
            "rules": {"kernel_must_write_output": exercise.function != "main"},
            "timing": {"blocks": 3, "warm_up_calls": 3, "timed_calls": 100}}

    def tolerance(self, outputs):
        if all(one.c_type not in FLOATS for one in outputs):
            return WHOLE
        return {"absolute": self.exercise.absolute, "relative": self.exercise.relative, "why": f"From {self.exercise.why}."}

    def statement(self, signature):
        text = self.exercise.statement or "TODO: say what is asked, with the formula and its index ranges."
        title = "" if text.lstrip().startswith("# ") else f"# {self.exercise.title}\n\n"
        called_as = signature if self.exercise.driver is None else "see student.h"
        return f"{title}{text.strip()}\n\n## What to hand in\n\n    {called_as}\n"

    def oracle(self, outputs):
        """A first one; where the answers are known, it is never asked."""
        comment = "".join(f" *     {line}\n" for line in self.exercise.reference.replace("*/", "* /").split("\n")) if self.exercise.reference else ""
        about = " * The exercise computes it like this:\n *\n" + comment if comment else " * Every case has its answer, so nothing asks for it yet.\n"
        text = "/* TODO: one element of each output, in double precision (docs/guides/add-a-problem.md).\n *\n" + about + " */\n"
        text += "#define ORACLE_SINGLE /* plain C: a Real is a double */\n" if self.exercise.reference else ""
        for one in outputs:
            name = "oracle" if len(outputs) == 1 else f"oracle_{one.name}"
            indices = ", ".join(f"long {letter}" for letter, _ in zip("ijkl", one.shape))
            text += f"ORACLE Sum {name}(const Case *c, {indices})\n{{\n    return SUM_ZERO;\n}}\n"
        if self.exercise.reference:
            note("oracle.h", "torch computes the answers: write the formula of one element, which stands there as Python")
        return text

    def starter(self):
        function = signature_of(self.exercise, self.exercise.function, self.exercise.hidden)
        return f'// problem: {{id}}\n#include <cuda_runtime.h>\n\n// All pointers are device pointers.\nextern "C" {function}\n{{{{\n    // TODO: launch kernels\n}}}}\n'


def constraints(arrays, limits):
    """That no extent is below 1, and no array too large, where sizes within their limits could make it so."""
    most = {name: item["max"] for name, item in limits.items() if "max" in item}
    found = []
    for array in arrays:
        found += [f"{extent} >= 1" for extent in array.shape if re.search("[-/]", extent)]
        if (math.prod(value_of(extent, most) or 1 for extent in array.shape)) > MOST_ELEMENTS:
            found.append(" * ".join(f"({extent})" for extent in array.shape) + f" <= {MOST_ELEMENTS}")
    return list(dict.fromkeys(found))


def call_own_function(exercise):
    """A driver that hands the arrays on as they are, without the sizes that the exercise keeps to itself."""
    own = signature_of(exercise, exercise.function, exercise.hidden)
    rename = "#define solve student_solve\n" if exercise.function == "solve" else ""
    exercise.header = f'/* The function of the exercise: pointers are device pointers. */\n{rename}extern "C" {own};\n'
    called_as = "student_solve" if rename else exercise.function
    names = ", ".join(one.name for one in exercise.parameters if one.name not in exercise.hidden)
    exercise.driver = (f"// Calls the exercise's function.\n{'#undef solve' if rename else ''}\n" if rename else "// Calls the exercise's function.\n") + (
        f'extern "C" {signature_of(exercise)}\n{{\n    {called_as}({names});\n}}\n')


def unique(cases):
    used = {}
    for case in cases:
        case.name = re.sub(r"[\x00-\x1f]", " ", case.name)[:80]
        used[case.name] = used.get(case.name, 0) + 1
        if used[case.name] > 1:
            case.name += f" ({used[case.name]})"


def find(folder):
    if (folder / "challenge.py").exists():
        return read_leetgpu(folder)
    if (folder / "def.py").exists():
        return read_tensara(folder)
    if (folder / "data" / "secret").is_dir() and ((folder / "problem.yaml").exists() or (folder / "domjudge-problem.ini").exists()):
        return read_package(folder)
    cases = [one for one in [folder, *sorted(path for path in folder.rglob("*") if path.is_dir())] if all(lab_files(one))]
    if cases:
        return read_lab(folder, cases)
    return die(f"{folder}: expected challenge.py, def.py, data/secret with problem.yaml or domjudge-problem.ini, or data of a lab "
               f"(input0.raw and output.raw, or with one of {', '.join(DATA)})")


def main():
    folder = pathlib.Path(sys.argv[1])
    home = pathlib.Path(sys.argv[2])
    if not folder.is_dir():
        die(f"{folder}: no such folder")
    exercise = find(folder)
    if not exercise.cases:
        for line in notes:
            print(line, file=sys.stderr)
        die(f"{folder}: no case could be read")
    ident = sys.argv[3] if len(sys.argv) > 3 else re.sub(r"[^a-z0-9]+", "-", exercise.title.lower()).strip("-")[:64].strip("-")
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", ident):
        die(f"'{ident}' is not an id, expected lower-case letters, digits and dashes, such as my-conv")
    for kind in ("problems", "testcases", "solutions"):
        if (home / kind / ident).exists():
            die(f"{kind}/{ident} exists already; name another with --problem ID")
    try:
        Writer(home, ident, exercise).write()
    except BaseException:
        for kind in ("problems", "testcases"):
            shutil.rmtree(home / kind / ident, ignore_errors=True)
        raise
    print(ident)
    print("\n".join(notes))


if __name__ == "__main__":
    main()
