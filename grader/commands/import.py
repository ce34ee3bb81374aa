#!/usr/bin/env python3
"""import.py - makes a problem of an exercise that was written for another judge or course (`convjudge import`).

    import.py FOLDER HOME [ID]    FOLDER holds one of: challenge.py (LeetGPU), def.py (Tensara), problem.yaml or
                                  domjudge-problem.ini with data/ (Kattis, DOMjudge), or data of a lab (input0.raw,
                                  output.raw)

The Python of an exercise runs as it is, with a stand-in for torch that knows shapes, literal values and random numbers, so that
the loops and helpers of its authors make the cases. Whatever the stand-in cannot know is listed with its line.

It writes problems/ID and testcases/ID below HOME, prints ID on the first line, and then what it could not translate."""
import ast
import ctypes
import itertools
import json
import math
import pathlib
import re
import shutil
import struct
import sys
import types

MOST_VALUES = 64        # in a JSON file; more go into a file of their own
MOST_ELEMENTS = 1 << 24 # of a literal array
notes = []


def note(place, words):
    line = f"{place}: {words}"
    if line not in notes:
        notes.append(line)


def die(words):
    print(f"import: {words}", file=sys.stderr)
    sys.exit(2)


# ---- a stand-in for torch --------------------------------------------------------------------------------------------

C_OF_DTYPE = {"float32": "float", "float64": "double", "float16": "half", "bfloat16": "__nv_bfloat16", "int8": "signed char",
              "uint8": "unsigned char", "int16": "short", "int32": "int", "int64": "long long", "bool": "bool"}
NPY_OF_C = {"float": ("<f4", "f"), "double": ("<f8", "d"), "half": ("<f2", "e"), "signed char": ("|i1", "b"),
            "unsigned char": ("|u1", "B"), "short": ("<i2", "h"), "unsigned short": ("<u2", "H"), "int": ("<i4", "i"),
            "unsigned": ("<u4", "I"), "long long": ("<i8", "q")}
exercise_file = None # whose lines notes name


def here():
    """FILE:LINE of the exercise's own code that is running."""
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_filename != str(exercise_file):
        frame = frame.f_back
    return f"{exercise_file.name}:{frame.f_lineno}" if frame is not None else exercise_file.name


def dims(shape):
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    return tuple(int(extent) for extent in shape)


def flat(values):
    if isinstance(values, Tensor):
        return values.literal() or []
    if isinstance(values, (list, tuple)):
        return [one for value in values for one in flat(value)]
    return [values]


def shape_of(values):
    if isinstance(values, Tensor):
        return values.shape
    return (len(values), *(shape_of(values[0]) if values else ())) if isinstance(values, (list, tuple)) else ()


class Unknown:
    """A value that only torch itself would know."""
    def __init__(self, *_, **__):
        note(here(), "torch computes a value here; a size or a condition that depends on it is lost")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown()

    def __call__(self, *_, **__):
        return Unknown()

    def __bool__(self):
        return False


class Tensor:
    """A shape, a type, and a source of testcases: {"values": ...}, a generator, or None for what torch computes."""
    def __init__(self, shape, dtype, source):
        self.shape, self.dtype, self.source = tuple(shape), dtype or "float32", source
        self.device, self.requires_grad = "cuda", False

    def literal(self):
        count = self.numel()
        if self.source is None or count > MOST_ELEMENTS:
            return None
        kind = self.source.get("generator")
        if kind is None:
            return self.source["values"]
        if kind == "constant":
            return [self.source["value"]] * count
        if kind == "ramp":
            return [self.source["start"] + self.source["step"] * i for i in range(count)]
        return None

    def of(self, source):
        return Tensor(self.shape, self.dtype, source)

    def lost(self, what):
        note(here(), f"torch's {what}() computes an array here; random numbers stand for it")
        return self.of(None)

    def set_to(self, source):
        self.source = source
        return self

    # what keeps the numbers
    def numel(self):
        return math.prod(self.shape)
    nelement = numel

    def size(self, axis=None):
        return self.shape if axis is None else self.shape[axis]

    def dim(self):
        return len(self.shape)
    ndim = property(dim)

    def reshape(self, *shape):
        shape = list(dims(shape))
        if -1 in shape:
            shape[shape.index(-1)] = -self.numel() // math.prod(shape)
        return Tensor(shape, self.dtype, self.source)
    view = reshape

    def flatten(self):
        return self.reshape(-1)

    def unsqueeze(self, axis):
        shape = list(self.shape)
        shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, 1)
        return self.reshape(*shape)

    def squeeze(self, *_):
        return self.reshape(*[extent for extent in self.shape if extent != 1])

    def to(self, *kinds, dtype=None, **_):
        named = [kind for kind in kinds if kind in C_OF_DTYPE] + ([dtype] if dtype else [])
        return Tensor(self.shape, named[0] if named else self.dtype, self.source)
    type = to

    def same(self, *_, **__):
        return self
    contiguous = cuda = cpu = clone = detach = requires_grad_ = same

    def half(self):
        return self.to("float16")

    def float(self):
        return self.to("float32")

    def int(self):
        return self.to("int32")

    def long(self):
        return self.to("int64")

    def tolist(self):
        return self.literal() if self.literal() is not None else Unknown()

    def item(self):
        values = self.literal()
        return values[0] if values else Unknown()

    # what makes numbers in place
    def uniform_(self, low=0, high=1, **_):
        return self.set_to({"generator": "uniform", "low": low, "high": high})

    def normal_(self, mean=0, std=1, **_):
        return self.set_to({"generator": "normal", "mean": mean, "deviation": std})

    def random_(self, low=0, high=None, **_):
        low, high = (0, low) if high is None else (low, high)
        return self.set_to({"generator": "integers", "low": low, "high": high - 1})

    def fill_(self, value):
        return self.set_to({"generator": "constant", "value": value})

    def zero_(self):
        return self.fill_(0)

    # arithmetic with a number moves a generator's limits
    def scaled(self, factor, offset, what):
        if not isinstance(factor, (int, float)) or not isinstance(offset, (int, float)):
            return self.lost(what)
        source = dict(self.source or {})
        kind = source.get("generator")
        if self.source is None:
            return self.of(None)
        if kind == "normal":
            return self.of({**source, "mean": source["mean"] * factor + offset, "deviation": abs(source["deviation"] * factor)})
        if kind == "uniform" or (kind == "integers" and abs(factor) == 1 and offset == int(offset)):
            ends = sorted([source["low"] * factor + offset, source["high"] * factor + offset])
            return self.of({**source, "low": ends[0], "high": ends[1]}) if ends[0] < ends[1] else self.of(
                {"generator": "constant", "value": offset})
        if kind == "ramp":
            return self.of({**source, "start": source["start"] * factor + offset, "step": source["step"] * factor})
        values = self.literal()
        return self.of({"values": [value * factor + offset for value in values]}) if values is not None else self.lost(what)

    def __mul__(self, factor):
        return self.scaled(factor, 0, "*")
    __rmul__ = __mul__

    def __truediv__(self, divisor):
        return self.scaled(1 / divisor if isinstance(divisor, (int, float)) and divisor else None, 0, "/")

    def __add__(self, offset):
        return self.scaled(1, offset, "+")
    __radd__ = __add__

    def __sub__(self, offset):
        return self.scaled(1, -offset if isinstance(offset, (int, float)) else None, "-")

    def __rsub__(self, number):
        return self.scaled(-1, number, "-")

    def __neg__(self):
        return self.scaled(-1, 0, "-")

    def __len__(self):
        return self.shape[0]

    def __setitem__(self, index, value):
        values = self.literal()
        if values is None or not isinstance(index, int) or not isinstance(value, (int, float)) or self.dim() != 1:
            note(here(), "elements are set here; the array keeps its other numbers")
            return
        self.source = {"values": list(values)}
        self.source["values"][index] = value

    def __getitem__(self, index):
        values = self.literal()
        if values is not None and self.dim() == 1 and isinstance(index, (int, slice)):
            part = values[index]
            return Tensor((len(part),), self.dtype, {"values": part}) if isinstance(index, slice) else part
        return self.lost("[]")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: self.lost(name)


def made(source):
    def make(*shape, size=None, dtype=None, **_):
        return Tensor(dims(shape if size is None else (size,)), dtype, dict(source) if source else None)
    return make


def like(source):
    return lambda other, dtype=None, **_: Tensor(other.shape, dtype or other.dtype, dict(source) if source else None)


def tensor(values, dtype=None, **_):
    numbers = flat(values)
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in numbers)
    return Tensor(shape_of(values), dtype or ("int64" if whole and numbers else "float32"), {"values": numbers})


def arange(*ends, dtype=None, step=None, **_):
    start, end = (0, ends[0]) if len(ends) == 1 else ends[:2]
    step = ends[2] if len(ends) > 2 else step or 1
    return Tensor((max(0, math.ceil((end - start) / step)),), dtype or "int64", {"generator": "ramp", "start": start, "step": step})


def linspace(start, end, steps, dtype=None, **_):
    return Tensor((steps,), dtype, {"generator": "ramp", "start": start, "step": (end - start) / max(steps - 1, 1)})


def eye(rows, columns=None, dtype=None, **_):
    columns = columns or rows
    return Tensor((rows, columns), dtype, {"values": [float(i == k) for i in range(rows) for k in range(columns)]})


def randint(low, high=None, size=None, dtype=None, **_):
    if isinstance(high, (tuple, list)):
        low, high, size = 0, low, high
    return Tensor(dims((size,)), dtype or "int64", {"generator": "integers", "low": low, "high": high - 1})


def full(shape, value, dtype=None, **_):
    return Tensor(dims((shape,)) if not isinstance(shape, int) else (shape,), dtype, {"generator": "constant", "value": value})


class Torch(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def lost(*arguments, **_):
            tensors = [one for one in flat_tensors(arguments)]
            return tensors[0].lost(f"torch.{name}") if tensors else Unknown()
        return lost


def flat_tensors(arguments):
    for one in arguments:
        if isinstance(one, Tensor):
            yield one
        elif isinstance(one, (list, tuple)):
            yield from flat_tensors(one)


class Nothing:
    """torch.no_grad(), torch.cuda and others, which change no number."""
    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __call__(self, *arguments, **_):
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else Nothing()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


def stand_in():
    torch = Torch("torch")
    for name in C_OF_DTYPE:
        setattr(torch, name, name)
    zeros, ones = {"generator": "constant", "value": 0}, {"generator": "constant", "value": 1}
    uniform, normal = {"generator": "uniform", "low": 0, "high": 1}, {"generator": "normal", "mean": 0, "deviation": 1}
    for name, source in (("empty", None), ("zeros", zeros), ("ones", ones), ("rand", uniform), ("randn", normal)):
        setattr(torch, name, made(source))
        setattr(torch, name + "_like", like(source))
    torch.full_like = lambda other, value, dtype=None, **_: full(other.shape, value, dtype or other.dtype)
    for name in ("float", "half", "double", "int", "long", "short"):
        setattr(torch, name, {"float": "float32", "half": "float16", "double": "float64", "int": "int32", "long": "int64",
                              "short": "int16"}[name])
    torch.__dict__.update(tensor=tensor, arange=arange, linspace=linspace, eye=eye, randint=randint, full=full, Tensor=Tensor,
                          as_tensor=tensor, dtype=str, device=lambda name="cuda", *_: name, manual_seed=lambda *_: None, no_grad=Nothing,
                          inference_mode=Nothing, autocast=Nothing, cuda=Nothing(), backends=Nothing(), Size=tuple,
                          Generator=Nothing)
    return torch


def base_class(name):
    """What an exercise's class is derived from: it keeps what its constructor is given."""
    def begin(self, *arguments, **settings):
        self.device = "cuda"
        self.__dict__.update(settings)
        if arguments:
            self.name = arguments[0]
    return type(name, (), {"__init__": begin})


def run(path, modules):
    """The class that the file defines, made once."""
    global exercise_file
    exercise_file = path
    torch = stand_in()
    sys.modules.update({"torch": torch, "torch.nn": torch, "torch.nn.functional": torch})
    torch.nn = torch.functional = torch.F = torch
    for name, value in modules.items():
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__dict__.update(value)
    bases = [one for value in modules.values() for one in value.values()]
    space = {"__name__": "exercise", "__file__": str(path)}
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
        if at.tb_frame.f_code.co_filename == str(exercise_file):
            lines.append(at.tb_lineno)
        at = at.tb_next
    return lines[-1] or 1


def called(function, *arguments):
    """What the function returns; None and a note if it fails."""
    try:
        return function(*arguments)
    except Exception as error: # likewise
        note(f"{exercise_file.name}:{failed_line(error)}", f"{function.__name__}() fails here without torch: {error}")
        return None


# ---- the exercise ----------------------------------------------------------------------------------------------------

class Parameter:
    def __init__(self, name, c_type, role, shape=None):
        self.name, self.c_type, self.role, self.shape = name, c_type, role, shape # shape: expressions

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


def signature_of(exercise):
    return f"void solve({', '.join(one.declared() for one in exercise.parameters)})"


def find_shapes(exercise, asserted):
    """Gives each array its extents as expressions over the sizes: those that the exercise asserts, else those that hold in all
    cases."""
    sizes = [one.name for one in exercise.parameters if one.role == "size"]
    for parameter in exercise.parameters:
        if parameter.shape is None:
            continue
        seen = [(case.numbers, case.arrays[parameter.name].shape) for case in exercise.cases if parameter.name in case.arrays]
        ranks = {len(shape) for _, shape in seen}
        rank = ranks.pop() if len(ranks) == 1 else 1
        if len(ranks) > 0 or rank > 4 or rank < 1: # one after the other
            seen = [(numbers, (math.prod(shape),)) for numbers, shape in seen]
            rank = 1
        stated = asserted.get(parameter.name)
        if stated is not None and len(stated) > 4:
            stated = [" * ".join(f"({extent})" for extent in stated)]
        if stated is not None and (not seen or all(holds(stated, numbers, shape) for numbers, shape in seen)):
            parameter.shape = stated
        elif seen:
            parameter.shape = [extent_of([(numbers, shape[axis]) for numbers, shape in seen], sizes, parameter.name)
                               for axis in range(rank)]


def holds(stated, numbers, shape):
    try:
        values = [eval(extent.replace("/", "//"), {}, dict(numbers)) for extent in stated] # whole numbers and names alone
    except (NameError, ZeroDivisionError):
        return False
    return math.prod(values) == math.prod(shape)


def extent_of(seen, sizes, name):
    """The simplest expression over the sizes that is right in all cases."""
    for expression in itertools.chain(sizes, (f"{a} * {b}" for a, b in itertools.combinations_with_replacement(sizes, 2)),
                                      (f"{a} - {b} + 1" for a, b in itertools.permutations(sizes, 2)),
                                      (f"{k} * {a}" for k in range(2, 5) for a in sizes), (f"{a} + 1" for a in sizes),
                                      (f"{a} * {b} * {c}" for a, b, c in itertools.combinations_with_replacement(sizes, 3)),
                                      (f"(2 * {a} + 1) * (2 * {a} + 1)" for a in sizes), (f"2 * {a} + 1" for a in sizes)):
        if all(eval(expression, {}, dict(numbers)) == extent for numbers, extent in seen):
            return expression
    extents = {extent for _, extent in seen}
    if len(extents) > 1:
        note("problem.json", f"the extents of {name} ({', '.join(map(str, sorted(extents)))}) follow from no size: "
             "expected an expression in \"shape\", found none")
    return str(max(extents))


# ---- LeetGPU: challenge.py -------------------------------------------------------------------------------------------

C_OF_CTYPE = {ctypes.c_float: "float", ctypes.c_double: "double", ctypes.c_int: "int", ctypes.c_uint: "unsigned",
              ctypes.c_byte: "signed char", ctypes.c_ubyte: "unsigned char", ctypes.c_short: "short",
              ctypes.c_ushort: "unsigned short", ctypes.c_long: "long", ctypes.c_ulong: "size_t", ctypes.c_longlong: "long long",
              ctypes.c_ulonglong: "size_t", ctypes.c_bool: "bool", ctypes.c_char: "char"}


def c_type_of(ctype, place):
    """(C type, whether it is a pointer)"""
    is_pointer = hasattr(ctype, "_type_") and not isinstance(ctype._type_, str)
    found = C_OF_CTYPE.get(ctype._type_ if is_pointer else ctype)
    if found is None and ctype is ctypes.c_void_p:
        found, is_pointer = "float", True
        note(place, "c_void_p names no element type: float stands for it")
    if found is None:
        note(place, f"the type {ctype.__name__} is unknown: int stands for it")
    return found or "int", is_pointer


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


def asserted_shapes(path, tree, function, sizes):
    """From `assert output.shape == (rows, columns - 1)`; locals that are set before it are filled in."""
    found, known = {}, {}
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
        extents = [expression_of(one) for one in right.elts] if isinstance(right, ast.Tuple) else [None]
        extents = [plain(re.sub(r"\b[A-Za-z_]\w*\b", lambda m: known.get(m[0], m[0]), one)) if one else None for one in extents]
        if all(one and set(re.findall(r"\b[A-Za-z_]\w*\b", one)) <= set(sizes) for one in extents):
            found[node.test.left.value.id] = extents
        else:
            note(f"{path.name}:{node.lineno}", f"the shape of {node.test.left.value.id} is no expression over sizes: "
                 "it is taken from the cases")
    return found


def case_of(exercise, number, test, group, place):
    arrays = {one.name: test[one.name] for one in exercise.parameters if isinstance(test.get(one.name), Tensor)}
    numbers = {one.name: test.get(one.name) for one in exercise.parameters if one.shape is None}
    missing = [name for name, value in numbers.items() if not isinstance(value, (int, float))]
    missing += [one.name for one in exercise.parameters if one.role in ("in", "inout") and one.name not in arrays]
    if missing:
        note(place, f"{group} case {number} has no value for {', '.join(missing)} and is left out")
        return None
    numbers = {name: int(value) if isinstance(value, bool) else value for name, value in numbers.items()}
    return Case(f"{group} {number}", "from the imported exercise", numbers, arrays, timed=group == "performance",
                sample=group == "example")


def read_leetgpu(folder):
    path = folder / "challenge.py"
    tree = ast.parse(path.read_text(), str(path))
    challenge = run(path, {"core": {}, "core.challenge_base": {"ChallengeBase": base_class("ChallengeBase")}})
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
    for group, function in (("example", "generate_example_test"), ("functional", "generate_functional_test"),
                            ("performance", "generate_performance_test")):
        place = f"{path.name}:{line_of(tree, function)}"
        tests = called(getattr(challenge, function)) if hasattr(challenge, function) else None
        for number, test in enumerate(tests if isinstance(tests, list) else [tests] if isinstance(tests, dict) else [], 1):
            case = case_of(exercise, number, test, group, place)
            exercise.cases += [case] if case else []
    take_dtypes(exercise)
    sizes = [one.name for one in exercise.parameters if one.role == "size"]
    find_shapes(exercise, asserted_shapes(path, tree, "reference_impl", sizes))
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
    """(keys, names of parameters, the text below) of problem.md."""
    page = folder / "problem.md"
    parts = re.split(r"(?m)^---\s*$", page.read_text(), maxsplit=2) if page.exists() else []
    if len(parts) < 3:
        note("problem.md", "it is missing or has no front matter: names come from the comments of def.py")
        return {}, [], ""
    keys = dict(re.findall(r'(?m)^(\w+):\s*"?([^"\n]+?)"?\s*$', parts[1]))
    return keys, re.findall(r'(?m)^\s*-\s*name:\s*"?(\w+)"?', parts[1]), parts[2].strip()


def read_tensara(folder):
    path = folder / "def.py"
    tree = ast.parse(path.read_text(), str(path))
    problem = run(path, {"problem": {"Problem": base_class("Problem")}})
    keys, names, text = front_matter(folder)
    exercise = Exercise(keys.get("title") or getattr(problem, "name", folder.name))
    exercise.statement, exercise.function = text, "solution"
    exercise.difficulty = keys.get("difficulty", "medium").lower()
    exercise.reference = source_of(path, tree, "reference_solution")
    place = f"{path.name}:{line_of(tree, 'get_function_signature')}"
    argtypes = (called(problem.get_function_signature) or die(f"{place}: get_function_signature() gives nothing"))["argtypes"]
    if len(names) != len(argtypes):
        names = re.findall(r"ctypes\.[^\n#]*#\s*(\w+)", source_of(path, tree, "get_function_signature"))
    if len(names) != len(argtypes) or len(set(names)) != len(names):
        note(place, "the parameters have no names: they are called p0, p1, ...")
        names = [f"p{i}" for i in range(len(argtypes))]
    rows = [c_type_of(ctype, place) for ctype in argtypes]
    tests = tests_of_tensara(problem, path, tree)
    most = max((len(tensors) for _, _, tensors, _ in tests), default=0)
    pointers = [name for name, (_, is_pointer) in zip(names, rows) if is_pointer]
    if most >= len(pointers) > 0:
        note(place, "no array is left for an output: the last one is read and written")
    for name, (c_type, is_pointer) in zip(names, rows):
        role = "size" if c_type not in ("float", "double") else "scalar"
        if is_pointer:
            role = "in" if pointers.index(name) < most else "out"
            role = "inout" if most >= len(pointers) and name == pointers[-1] else role
        exercise.parameters.append(Parameter(name, c_type, role, [] if is_pointer else None))
    values = [name for name, (_, is_pointer) in zip(names, rows) if not is_pointer]
    for number, (name, group, tensors, extra) in enumerate(tests, 1):
        if len(extra) != len(values):
            note(f"{path.name}:{line_of(tree, 'get_extra_params')}",
                 f"expected {len(values)} values for {', '.join(values)} in the case \"{name}\", found {len(extra)}: it is left out")
            continue
        case = case_of(exercise, number, {**dict(zip(pointers, tensors)), **dict(zip(values, extra))}, group, place)
        if case:
            case.name, case.timed = str(name), group == "test"
            exercise.cases.append(case)
    find_shapes(exercise, {})
    first = next((one for one in exercise.parameters if one.role == "in"), None)
    for parameter in exercise.parameters:
        if parameter.role == "out" and first is not None:
            parameter.shape = list(first.shape)
            note(f"{path.name}:{line_of(tree, 'reference_solution')}",
                 f"the shape of {parameter.name} follows from torch alone: that of {first.name} stands for it")
    tolerances = re.search(r"rtol=([\d.e-]+),\s*atol=([\d.e-]+)", source_of(path, tree, "verify_result"))
    if tolerances:
        exercise.relative, exercise.absolute, exercise.why = float(tolerances[1]), float(tolerances[2]), "verify_result() of def.py"
    else:
        note(f"{path.name}:{line_of(tree, 'verify_result')}", "verify_result() has no rtol and atol as numbers: check \"tolerance\"")
    return exercise


def tests_of_tensara(problem, path, tree):
    """(name, group, tensors, extra parameters) of each case, the sample first."""
    found = []
    for group, name in (("example", "generate_sample"), ("test", "generate_test_cases")):
        function = getattr(problem, name, None)
        if function is None:
            continue
        node = next(one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == name)
        takes_dtype = len(node.args.args) > 1
        tests = called(function, *(["float32"] if takes_dtype else []))
        for test in [tests] if isinstance(tests, dict) else tests or []:
            arrays = called(test["create_inputs"])
            extra = called(problem.get_extra_params, test) if hasattr(problem, "get_extra_params") else []
            if arrays is None or extra is None:
                continue
            arrays = arrays if isinstance(arrays, (list, tuple)) else [arrays]
            found.append((test.get("name", f"{group} {len(found) + 1}"), group, list(flat_tensors(arrays)), list(extra)))
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
    values = tensor.literal()
    if code not in "fde":
        values = [int(value) for value in values]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)


class Writer:
    def __init__(self, home, ident, exercise):
        self.home, self.id, self.exercise, self.files = home, ident, exercise, 0

    def put(self, path, content):
        path = self.home / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def source(self, parameter, tensor, timed):
        """Of testcases: numbers as they are, in a file if there are many, or a generator."""
        values = tensor.literal()
        if tensor.source is None:
            return {"generator": "uniform", "low": -1, "high": 1} if parameter.c_type in ("float", "double", "half") else {
                "generator": "integers", "low": 0, "high": 9}
        if "generator" in tensor.source and not (tensor.source["generator"] in ("uniform", "normal") and
                                                 parameter.c_type not in ("float", "double", "half", "__nv_bfloat16")):
            return tensor.source
        if values is None:
            return {"generator": "integers", "low": math.floor(tensor.source.get("low", 0)), "high": math.ceil(tensor.source.get("high", 9))}
        if len(values) <= MOST_VALUES:
            return {"values": values}
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
        item["inputs"] = {one.name: self.source(one, case.arrays[one.name], case.timed) for one in arrays
                          if one.role in ("in", "inout") and one.name in case.arrays}
        known = [one for one in arrays if one.role == "out" and one.name in case.arrays and
                 "values" in (case.arrays[one.name].source or {})]
        if len(known) == 1 and self.has_answers:
            answer = self.source(known[0], case.arrays[known[0].name], False)
            item["expected"] = answer.get("values", answer)
        if case.timed:
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
        if exercise.function == "solution":
            prototype = signature.replace("void solve", "void solution")
            exercise.header = f'/* A function of the exercise\'s own: pointers are device pointers. */\nextern "C" {prototype};\n'
            exercise.driver = (f'// Calls solution() as it is.\nextern "C" {signature}\n{{\n    solution('
                               f"{', '.join(one.name for one in exercise.parameters)});\n}}\n")
        if exercise.driver:
            self.put(f"{folder}/driver.cu", exercise.driver)
            self.put(f"{folder}/student.h", exercise.header)
        for name, text in exercise.headers.items():
            self.put(f"{folder}/{name}", text)
        self.put(f"{folder}/starter.cu", (exercise.starter or self.starter(signature)).format(id=self.id))
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
        return headers | {
            "schema": 1, "id": self.id, "title": exercise.title, "difficulty": exercise.difficulty, "signature": signature,
            "parameters": parameters, "constraints": [], "operations": f"2 * ({count})", "bytes": f"4 * ({count})",
            "tolerance": self.tolerance(outputs),
            "limits": {"device_mebibytes": 1024 + most // 65536, "host_mebibytes": 2048, "host_seconds": 5, "wall_seconds": 60,
                       "sim_warp_instructions": 2000000000, "source_bytes": 262144},
            "rules": {"kernel_must_write_output": exercise.function != "main"},
            "timing": {"blocks": 3, "warm_up_calls": 3, "timed_calls": 100}}

    def tolerance(self, outputs):
        if all(one.c_type not in ("float", "double", "half", "__nv_bfloat16") for one in outputs):
            return {"levels": 0, "why": "whole numbers are compared exactly"}
        return {"absolute": self.exercise.absolute, "relative": self.exercise.relative, "why": f"From {self.exercise.why}."}

    def statement(self, signature):
        text = self.exercise.statement or "TODO: say what is asked, with the formula and its index ranges."
        title = "" if text.lstrip().startswith("# ") else f"# {self.exercise.title}\n\n"
        called_as = signature if self.exercise.function == "solve" else "see student.h"
        return f"{title}{text.strip()}\n\n## What to hand in\n\n    {called_as}\n"

    def oracle(self, outputs):
        """A first one; where the answers are known, it is never asked."""
        comment = "".join(f" *     {line}\n" for line in self.exercise.reference.replace("*/", "* /").split("\n")) if self.exercise.reference else ""
        about = " * The exercise computes it like this:\n *\n" + comment if comment else " * Every case has its answer, so nothing asks for it yet.\n"
        text = "/* TODO: one element of each output, in double precision (docs/guides/add-a-problem.md).\n *\n" + about + " */\n"
        for one in outputs:
            name = "oracle" if len(outputs) == 1 else f"oracle_{one.name}"
            indices = ", ".join(f"long {letter}" for letter, _ in zip("ijkl", one.shape))
            text += f"ORACLE Sum {name}(const Case *c, {indices})\n{{\n    return SUM_ZERO;\n}}\n"
        if self.exercise.reference:
            note("oracle.h", "torch computes the answers: write the formula of one element, which stands there as Python")
        return text

    def starter(self, signature):
        function = signature.replace("void solve", f"void {self.exercise.function}")
        return f'// problem: {{id}}\n#include <cuda_runtime.h>\n\n// All pointers are device pointers.\nextern "C" {function}\n{{{{\n    // TODO: launch kernels\n}}}}\n'


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
