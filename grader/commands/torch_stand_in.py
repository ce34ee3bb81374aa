"""torch_stand_in.py - what import.py gives an exercise's Python in place of torch, and of other modules that are not here.

A tensor knows its shape and type, and either its numbers, or the generator of testcases that makes such numbers, or neither.
Small arrays are computed as torch would. Of large ones the shape is right wherever a rule below gives it. Whatever is lost is
noted with the line of the exercise that asked for it."""
import dis
import importlib.machinery
import itertools
import math
import operator
import random
import sys
import types

MOST_COMPUTED = 1 << 14 # elements of an array whose numbers are computed
C_OF_DTYPE = {"float32": "float", "float64": "double", "float16": "__half", "bfloat16": "__nv_bfloat16", "int8": "signed char",
              "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "int32": "int", "uint32": "unsigned",
              "int64": "long long", "uint64": "unsigned long long", "bool": "unsigned char", "float8_e4m3fn": "unsigned char",
              "float8_e5m2": "unsigned char", "float8_e8m0fnu": "unsigned char", "float4_e2m1fn_x2": "unsigned char"}
OTHER_NAMES = {"float": "float32", "double": "float64", "half": "float16", "short": "int16", "int": "int32", "long": "int64"}
FLOATING = ("float32", "float64", "float16", "bfloat16")
RANDOM = ("uniform", "normal", "integers") # generators
exercise_file = None # whose lines notes name
notes = []
drawing = random.Random(1)


def note(place, words):
    line = f"{place}: {words}"
    if line not in notes:
        notes.append(line)


def here():
    """FILE:LINE of the exercise's own code that is running."""
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_filename != str(exercise_file):
        frame = frame.f_back
    return f"{exercise_file.name}:{frame.f_lineno}" if frame is not None else exercise_file.name


# ---- what is unknown -------------------------------------------------------------------------------------------------

def unpacked(value, frame):
    """`a, b = value`: as many as the running instruction takes."""
    code = frame.f_code.co_code
    is_unpacked = dis.opname[code[frame.f_lasti]] == "UNPACK_SEQUENCE"
    return iter([value] * code[frame.f_lasti + 1] if is_unpacked else [])


class Unknown:
    """A value or function that only torch, or a module that is not here, would know. Settings such as no_grad() do nothing."""
    def __init__(self, name):
        self.__name__ = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"{self.__name__}.{name}")

    def __call__(self, *arguments, **settings):
        tensors = list(tensors_in([*arguments, *settings.values()]))
        if tensors:
            return tensors[0].lost(self.__name__, is_guess=True)
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else Unknown(self.__name__)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __iter__(self):
        return unpacked(self, sys._getframe(1))

    def guessed(self):
        note(here(), f"{self.__name__}() computes a number here, on which a size or a condition depends: 1 stands for it")
        return 1
    __int__ = __index__ = guessed

    def __float__(self):
        return float(self.guessed())

    def __bool__(self):
        note(here(), f"{self.__name__}() decides here: it is taken to be false")
        return False

    def same(self, *_):
        return self
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = same
    __floordiv__ = __rfloordiv__ = __mod__ = __pow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = same


class Module(types.ModuleType):
    """torch, and modules that are not here: what they lack is unknown."""
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"{self.__name__}.{name}")


class MissingModules:
    """Finds every module, after all others have failed to."""
    def find_spec(self, name, *_):
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        if "." not in spec.name:
            note(here(), f"the module {spec.name} is not here: what it computes is lost")
        return Module(spec.name)

    def exec_module(self, _):
        pass


class Device(str):
    type = property(lambda self: self.split(":")[0])


# ---- shapes ----------------------------------------------------------------------------------------------------------

def dims(shape):
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    return tuple(int(extent) for extent in shape)


def shape_of(values):
    if isinstance(values, Tensor):
        return values.shape
    return (len(values), *(shape_of(values[0]) if values else ())) if isinstance(values, (list, tuple)) else ()


def flat(values):
    if isinstance(values, Tensor):
        return values.numbers() or [0] * values.numel()
    return [one for value in values for one in flat(value)] if isinstance(values, (list, tuple)) else [values]


def tensors_in(values):
    for one in values:
        if isinstance(one, Tensor):
            yield one
        elif isinstance(one, (list, tuple)):
            yield from tensors_in(one)


def strides_of(shape):
    return [math.prod(shape[axis + 1:]) for axis in range(len(shape))]


def broadcast(*shapes):
    rank = max(map(len, shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(max(extents) if 0 not in extents else 0 for extents in zip(*padded))


def axes_of(axis, rank):
    """All axes where none is named."""
    named = range(rank) if axis is None or axis == () else [axis] if isinstance(axis, int) else axis
    return sorted(int(one) % rank for one in named) if rank else []


def per_axis(value, rank):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank


def window_shape(extents, kernel, stride, padding, dilation, is_ceil=False):
    """Of a convolution or pooling (torch, Conv2d, "Shape")."""
    rank = len(extents)
    kernel, stride, padding, dilation = (per_axis(one, rank) for one in (kernel, stride, padding, dilation))
    if padding and isinstance(padding[0], str):
        padding = [d * (k - 1) / 2 if padding[0] == "same" else 0 for d, k in zip(dilation, kernel)]
    return tuple((math.ceil if is_ceil else math.floor)((n + 2 * p - d * (k - 1) - 1) / s) + 1
                 for n, k, s, p, d in zip(extents, kernel, stride, padding, dilation))


# ---- tensors ---------------------------------------------------------------------------------------------------------

def drawn(source, count):
    """Numbers of a generator."""
    kind = source["generator"]
    if kind == "constant":
        return [source["value"]] * count
    if kind == "ramp":
        return [source["start"] + source["step"] * i for i in range(count)]
    draw = {"uniform": lambda: drawing.uniform(source["low"], source["high"]),
            "normal": lambda: drawing.gauss(source["mean"], source["deviation"]),
            "integers": lambda: drawing.randint(source["low"], source["high"])}[kind]
    return [draw() for _ in range(count)]


class Tensor:
    """Of `source`: {"values": ...}, a generator, or None where the numbers are lost. With `is_guess` the shape is one, too."""
    def __init__(self, shape, dtype=None, source=None, is_guess=False):
        self.shape, self.dtype, self.source, self.is_guess = tuple(shape), dtype or "float32", source, is_guess
        self.device, self.is_cuda, self.requires_grad, self.viewed = Device("cuda"), True, False, None

    def numel(self):
        return math.prod(self.shape)
    nelement = numel

    def numbers(self):
        """None: they are lost, or too many. What is random is drawn once and stays."""
        if self.source is None or ("generator" in self.source and self.numel() > MOST_COMPUTED):
            return None
        if self.source.get("generator") in ("constant", "ramp"):
            return drawn(self.source, self.numel())
        if "generator" in self.source:
            self.set_to({"values": drawn(self.source, self.numel())})
        return self.source["values"]

    def set_to(self, source):
        self.source = source
        if self.viewed is not None:
            self.viewed.set_to(source)
        return self

    def lost(self, what, shape=None, dtype=None, is_guess=False):
        if not any(line.startswith(f"{here()}: ") for line in notes):
            note(here(), f"{what}() computes an array here; random numbers stand for it")
        return Tensor(self.shape if shape is None else shape, dtype or self.dtype, None, is_guess or self.is_guess)

    def size(self, axis=None):
        return self.shape if axis is None else self.shape[axis]

    def dim(self):
        return len(self.shape)
    ndim = property(dim)

    # the same numbers, in another order or shape
    def view(self, *shape, dtype=None):
        if dtype or (shape and shape[0] in C_OF_DTYPE):
            return self.lost("view", dtype=dtype or shape[0])
        shape = list(dims(shape))
        if -1 in shape:
            shape[shape.index(-1)] = -self.numel() // (math.prod(shape) or 1)
        result = Tensor(shape, self.dtype, self.source, self.is_guess)
        result.viewed = self
        return result
    reshape = view

    def flatten(self, first=0, last=-1):
        last %= max(self.dim(), 1)
        return self.view(*self.shape[:first], math.prod(self.shape[first:last + 1]), *self.shape[last + 1:])
    ravel = flatten

    def unsqueeze(self, axis):
        shape = list(self.shape)
        shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, 1)
        return self.view(*shape)

    def squeeze(self, axis=None):
        gone = axes_of(axis, self.dim())
        return self.view(*[extent for i, extent in enumerate(self.shape) if extent != 1 or i not in gone])

    def taken(self, shape, position, what):
        """A tensor whose element at `index` is this one's at position(index)."""
        kind = (self.source or {}).get("generator")
        if kind in ("constant", *RANDOM):
            return Tensor(shape, self.dtype, dict(self.source), self.is_guess)
        values = self.numbers()
        if values is None or math.prod(shape) > MOST_COMPUTED:
            return self.lost(what, shape)
        return Tensor(shape, self.dtype, {"values": [values[position(i)] for i in itertools.product(*map(range, shape))]}, self.is_guess)

    def permute(self, *axes):
        axes = [axis % self.dim() for axis in dims(axes)]
        strides = strides_of(self.shape)
        return self.taken([self.shape[axis] for axis in axes], lambda i: sum(n * strides[axis] for n, axis in zip(i, axes)), "permute")

    def transpose(self, first=0, second=1):
        axes = list(range(self.dim()))
        if axes:
            axes[first], axes[second] = axes[second], axes[first]
        return self.permute(*axes) if axes else self
    swapaxes = t = transpose
    T = property(lambda self: self.permute(*reversed(range(self.dim()))))
    mT = property(lambda self: self.transpose(-2, -1))

    def expand(self, *shape):
        shape = dims(shape)
        own = (1,) * (len(shape) - self.dim()) + self.shape
        shape = [mine if asked == -1 else asked for mine, asked in zip(own, shape)]
        strides = [stride if extent > 1 else 0 for stride, extent in zip(strides_of(own), own)]
        return self.taken(shape, lambda i: sum(map(operator.mul, i, strides)), "expand")

    def expand_as(self, other):
        return self.expand(*other.shape)

    def repeat(self, *times):
        times = dims(times)
        own = (1,) * (len(times) - self.dim()) + self.shape
        strides = strides_of(own)
        return self.taken(list(map(operator.mul, own, times)),
                          lambda i: sum(n % extent * stride for n, extent, stride in zip(i, own, strides)), "repeat")
    tile = repeat

    def repeat_interleave(self, times, dim=None):
        if dim is None:
            return self.flatten().repeat_interleave(times, 0)
        shape, strides, dim = list(self.shape), strides_of(self.shape), dim % self.dim()
        shape[dim] *= int(times)
        return self.taken(shape, lambda i: sum((n // int(times) if axis == dim else n) * strides[axis] for axis, n in enumerate(i)),
                          "repeat_interleave")

    def flip(self, *axes):
        axes, strides = axes_of(dims(axes), self.dim()), strides_of(self.shape)
        return self.taken(self.shape, lambda i: sum((self.shape[axis] - 1 - n if axis in axes else n) * strides[axis]
                                                    for axis, n in enumerate(i)), "flip")

    def picked(self, index):
        """(shape, positions) of a part; the positions are None if they are unknown or too many."""
        items = [one for item in (index if isinstance(index, tuple) else (index,)) for one in indices_of(item)]
        if any(item is Ellipsis for item in items):
            at = next(i for i, item in enumerate(items) if item is Ellipsis)
            named = sum(item is not None and item is not Ellipsis for item in items)
            items[at:at + 1] = [slice(None)] * (self.dim() - named)
        items += [slice(None)] * (self.dim() - sum(item is not None for item in items))
        start, axis, parts, lists = 0, 0, [], []
        strides = strides_of(self.shape)
        for item in items:
            if item is None:
                parts.append([0])
                continue
            if isinstance(item, slice):
                parts.append([n * strides[axis] for n in range(self.shape[axis])[item]])
            elif isinstance(item, Tensor):
                parts += [None] if not lists else []
                lists.append((item, strides[axis], self.shape[axis]))
            else:
                start += int(item) % max(self.shape[axis], 1) * strides[axis]
            axis += 1
        listed = broadcast(*(item.shape for item, _, _ in lists))
        shape = [extent for part in parts for extent in (listed if part is None else [len(part)])]
        numbers = [spread(item, listed) for item, _, _ in lists] if math.prod(shape) <= MOST_COMPUTED else [None]
        if math.prod(shape) > MOST_COMPUTED or any(one is None for one in numbers):
            return shape, None
        joint = [sum(int(n) % max(extent, 1) * stride for n, (_, stride, extent) in zip(row, lists)) for row in zip(*numbers)]
        return shape, [start + sum(offsets) for offsets in itertools.product(*(joint if part is None else part for part in parts))]

    def __getitem__(self, index):
        shape, positions = self.picked(index)
        kind = (self.source or {}).get("generator")
        if positions is None or (kind not in ("constant", "ramp") and kind and self.numel() > MOST_COMPUTED):
            return self.taken(shape, None, "[]") if kind in ("constant", *RANDOM) else self.lost("[]", shape)
        values = self.numbers()
        if values is None:
            return self.lost("[]", shape)
        return Tensor(shape, self.dtype, {"values": [values[at] for at in positions]}, self.is_guess)

    def __setitem__(self, index, value):
        shape, positions = self.picked(index)
        own = self.numbers()
        value = value if isinstance(value, Tensor) else tensor(value)
        given = spread(value, shape)
        if positions is not None and own is not None and given is not None and len(given) == len(positions):
            own = list(own)
            for at, number in zip(positions, given):
                own[at] = number
            self.set_to({"values": own})
        elif (value.source or {}).get("generator") in RANDOM:
            note(here(), "part of an array gets random numbers here: all of it gets such numbers")
            self.set_to(dict(value.source))
        else:
            note(here(), "elements are set here; the array keeps its other numbers")

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return unpacked(self, sys._getframe(1)) if self.is_guess else (self[i] for i in range(self.shape[0]))

    # other types
    def to(self, *kinds, dtype=None, **_):
        named = [kind for kind in kinds if kind in C_OF_DTYPE] + ([dtype] if dtype else [])
        return self.typed(named[0]) if named else self

    def typed(self, dtype):
        source = self.source
        if dtype not in FLOATING and source is not None and "values" in source:
            source = {"values": [int(value) if math.isfinite(value) else 0 for value in source["values"]]}
        return Tensor(self.shape, dtype, source, self.is_guess)

    def type(self, dtype):
        return self.typed(dtype)

    def type_as(self, other):
        return self.typed(other.dtype)

    def same(self, *_, **__):
        return self
    contiguous = cuda = cpu = detach = requires_grad_ = numpy = pin_memory = same

    def clone(self, *_, **__):
        return Tensor(self.shape, self.dtype, self.source and dict(self.source), self.is_guess)

    def copy_(self, other, *_, **__):
        return self.set_to(other.source)

    def tolist(self):
        values = self.numbers()
        if values is None:
            note(here(), "numbers of an array are asked for here, which are unknown: 1 stands for each")
            values = [1] * self.numel()
        for extent in reversed(self.shape[1:]):
            values = [values[i:i + extent] for i in range(0, len(values), extent)]
        return values

    def item(self):
        values = self.numbers()
        return values[0] if values else Unknown("item")

    def __int__(self):
        return int(self.item())
    __index__ = __int__

    def __float__(self):
        return float(self.item())

    def __bool__(self):
        return bool(self.item())

    # numbers in place
    def uniform_(self, low=0, high=1, **settings):
        low, high = settings.get("a", settings.get("from", low)), settings.get("b", settings.get("to", high))
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

    def masked_fill(self, mask, value):
        return where(mask, value, self)

    def scaled(self, factor, offset):
        """A generator with other limits; None: it cannot say that."""
        source = dict(self.source or {})
        kind = source.get("generator")
        if kind == "normal":
            return self.of({**source, "mean": source["mean"] * factor + offset, "deviation": abs(source["deviation"] * factor)})
        if kind == "uniform" or (kind == "integers" and abs(factor) == 1 and offset == int(offset)):
            ends = sorted([source["low"] * factor + offset, source["high"] * factor + offset])
            return self.of({**source, "low": ends[0], "high": ends[1]} if ends[0] < ends[1] else {"generator": "constant", "value": ends[0]})
        if kind == "ramp":
            return self.of({**source, "start": source["start"] * factor + offset, "step": source["step"] * factor})
        return self.of({**source, "value": source["value"] * factor + offset}) if kind == "constant" else None

    def of(self, source):
        return Tensor(self.shape, self.dtype, source, self.is_guess)

    def __getattr__(self, name):
        """A function of torch with the tensor as its first argument; with a trailing _ in place."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name in OTHER_NAMES or name == "bool":
            return lambda: self.typed(OTHER_NAMES.get(name, name))
        if name.endswith("_"):
            return lambda *arguments, **settings: self.set_to(getattr(self, name[:-1])(*arguments, **settings).source)
        function = sys.modules["torch"].__dict__.get(name, Unknown(name))
        return lambda *arguments, **settings: function(self, *arguments, **settings)


def indices_of(item):
    """A mask is as many lists of indices as it has axes."""
    if isinstance(item, (list, range)):
        item = tensor(list(item))
    if not isinstance(item, Tensor) or item.dtype not in ("bool", "uint8"):
        return [item.item() if isinstance(item, Tensor) and item.dim() == 0 and item.numbers() else item]
    values = item.numbers()
    if values is None: # half of them, say
        return [Tensor((max(item.numel() // 2, 1),), "int64", None, True) for _ in item.shape]
    found = [i for i, value in zip(itertools.product(*map(range, item.shape)), values) if value]
    return [tensor([i[axis] for i in found], dtype="int64") for axis in range(item.dim())]


def spread(value, shape):
    """Its numbers, repeated along axes of extent 1; None: they are unknown."""
    values = value.numbers()
    if values is None or math.prod(shape) > MOST_COMPUTED:
        return None
    if tuple(value.shape) == tuple(shape):
        return values
    own = (1,) * (len(shape) - value.dim()) + value.shape
    if len(own) != len(shape) or any(mine not in (1, extent) for mine, extent in zip(own, shape)):
        return values if len(values) == math.prod(shape) else None
    strides = [stride if extent > 1 else 0 for stride, extent in zip(strides_of(own), own)]
    return [values[sum(map(operator.mul, i, strides))] for i in itertools.product(*map(range, shape))]


# ---- arithmetic ------------------------------------------------------------------------------------------------------

def elementwise(name, function, dtype=None):
    def compute(*operands, out=None, **_):
        operands = [one if isinstance(one, Tensor) else tensor(one) for one in operands if isinstance(one, (Tensor, int, float, list))]
        first = next((one for one in operands if one.dim()), operands[0])
        shape = broadcast(*(one.shape for one in operands))
        kinds = [one.dtype for one in operands if one.dim()] or [one.dtype for one in operands]
        kind = dtype or next((one for one in kinds if one in FLOATING), None) or (
            "float32" if name == "/" or any(one.dtype in FLOATING for one in operands) else kinds[0])
        lists = [spread(one, shape) for one in operands]
        try:
            values = None if any(one is None for one in lists) else [function(*row) for row in zip(*lists)]
        except (ArithmeticError, ValueError, TypeError): # a logarithm of 0, or bits of floats
            values = None
        result = first.lost(name, shape, kind) if values is None else Tensor(shape, kind, {"values": values})
        if values is None and kind == "bool" and shape:
            result.source = {"generator": "integers", "low": 0, "high": 1}
        result.is_guess = any(one.is_guess for one in operands)
        return out.set_to(result.source) if out is not None else result
    return compute


def scaling(name, function, number_of):
    """An operator that with a number moves a generator's limits: number_of(number) is (factor, offset)."""
    compute = elementwise(name, function)

    def operate(own, other):
        moved = own.scaled(*number_of(other)) if isinstance(other, (int, float)) and other == other else None
        return compute(own, other) if moved is None else moved
    return operate


ELEMENTWISE = {
    "abs": abs, "neg": operator.neg, "exp": math.exp, "log": math.log, "log2": math.log2, "sqrt": math.sqrt, "rsqrt": lambda x: x ** -0.5,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "tanh": math.tanh, "erf": math.erf, "floor": math.floor, "ceil": math.ceil,
    "round": round, "square": lambda x: x * x, "relu": lambda x: max(x, 0), "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "minimum": min, "maximum": max, "pow": operator.pow, "remainder": operator.mod, "add": operator.add, "sub": operator.sub,
    "mul": operator.mul, "div": operator.truediv}
COMPARISONS = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
               "isinf": math.isinf, "isnan": math.isnan, "logical_not": operator.not_}


def drawn_like(result, parts):
    """The result; if its numbers are lost, the generator of its largest part draws others."""
    parts = [one for one in parts if isinstance(one, Tensor) and (one.source or {}).get("generator") in RANDOM]
    if result.source is None and parts:
        result.source = dict(max(parts, key=Tensor.numel).source)
    return result


def where(mask, a, b, **_):
    return drawn_like(elementwise("where", lambda c, x, y: x if c else y)(mask, a, b), (a, b))


for symbol, word in (("//", "floordiv"), ("%", "mod"), ("**", "pow"), ("<<", "lshift"), (">>", "rshift"), ("&", "and_"), ("|", "or_"),
                     ("^", "xor")):
    compute_ = elementwise(symbol, getattr(operator, word))
    setattr(Tensor, f"__{word.strip('_')}__", compute_)
    setattr(Tensor, f"__r{word.strip('_')}__", lambda own, other, compute_=compute_: compute_(tensor(other), own))
for word in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Tensor, f"__{word}__", elementwise(word, COMPARISONS[word], "bool"))
Tensor.__hash__ = object.__hash__
Tensor.__add__ = Tensor.__radd__ = scaling("+", operator.add, lambda number: (1, number))
Tensor.__sub__ = scaling("-", operator.sub, lambda number: (1, -number))
Tensor.__rsub__ = scaling("-", lambda own, other: other - own, lambda number: (-1, number))
Tensor.__mul__ = Tensor.__rmul__ = scaling("*", operator.mul, lambda number: (number, 0))
Tensor.__truediv__ = scaling("/", operator.truediv, lambda number: (1 / number if number else math.inf, 0))
Tensor.__rtruediv__ = elementwise("/", lambda own, other: other / own)
Tensor.__neg__ = lambda self: self * -1
Tensor.__invert__ = elementwise("~", lambda x: not x, "bool")
Tensor.__matmul__ = lambda self, other: matmul(self, other)


def clamp(value, min=None, max=None, **_):
    low, high = -math.inf if min is None else min, math.inf if max is None else max
    source = value.source or {}
    if source.get("generator") == "uniform" and low <= source["low"] and source["high"] <= high:
        return value
    result = elementwise("clamp", lambda x: type(x)(low if x < low else high if x > high else x))(value)
    if result.source is None and -math.inf < low < high < math.inf:
        result.source = {"generator": "uniform", "low": low, "high": high}
    return result


# ---- sums and the like, and orders -----------------------------------------------------------------------------------

def groups(value, axes):
    """The numbers of each result along the axes, in its order; None: they are unknown."""
    values = value.numbers()
    if values is None:
        return None
    kept = [axis for axis in range(value.dim()) if axis not in axes]
    found = {}
    for i, number in zip(itertools.product(*map(range, value.shape)), values):
        found.setdefault(tuple(i[axis] for axis in kept), []).append(number)
    return list(found.values())


def reduction(name, function, dtype=None, has_indices=False):
    def reduce(value, dim=None, keepdim=False, *_, axis=None, out=None, **__):
        if isinstance(dim, Tensor):
            return elementwise(name, function if function not in (None, sum) else max)(value, dim)
        dim = axis if dim is None else dim
        axes = axes_of(dim, value.dim())
        shape = [1 if axis in axes else extent for axis, extent in enumerate(value.shape) if keepdim or axis not in axes]
        rows = groups(value, axes) if function else None
        result = value.lost(name, shape, dtype) if not rows else Tensor(shape, dtype or value.dtype, {"values": list(map(function, rows))})
        if not has_indices or dim is None:
            return result
        return Pair((result, Tensor(shape, "int64", {"values": [row.index(function(row)) for row in rows]} if rows else None)))
    return reduce


class Pair(tuple):
    values, indices = property(lambda self: self[0]), property(lambda self: self[1])


def sort(value, dim=-1, descending=False, k=None, **_):
    rank = max(value.dim(), 1)
    shape = [k if k is not None and axis == dim % rank else extent for axis, extent in enumerate(value.shape)]
    rows = groups(value, [dim % rank]) if dim % rank == rank - 1 else None
    if rows is None:
        return Pair((value.lost("sort", shape), value.lost("sort", shape, "int64")))
    orders = [sorted(range(len(row)), key=row.__getitem__, reverse=descending)[:k] for row in rows]
    return Pair((Tensor(shape, value.dtype, {"values": [row[i] for row, order in zip(rows, orders) for i in order]}),
                 Tensor(shape, "int64", {"values": [i for order in orders for i in order]})))


def cumulated(function):
    def cumulate(value, dim=-1, **_):
        rows = groups(value, [dim % max(value.dim(), 1)]) if dim % max(value.dim(), 1) == value.dim() - 1 else None
        if rows is None:
            return value.lost("cumsum")
        return value.of({"values": [number for row in rows for number in itertools.accumulate(row, function)]})
    return cumulate


# ---- functions of torch ----------------------------------------------------------------------------------------------

def made(source):
    def make(*shape, size=None, dtype=None, out=None, **_):
        return Tensor(dims(shape if size is None else (size,)), dtype, dict(source) if source else {"generator": "constant", "value": 0})
    return make


def like(source):
    return lambda other, dtype=None, **_: Tensor(other.shape, dtype or other.dtype, dict(source), other.is_guess)


def tensor(values, dtype=None, **_):
    numbers = flat(values)
    if dtype is None:
        is_whole = all(isinstance(number, int) for number in numbers) and numbers
        dtype = "bool" if is_whole and all(isinstance(number, bool) for number in numbers) else "int64" if is_whole else "float32"
    return Tensor(shape_of(values), dtype, {"values": numbers})


def arange(*ends, dtype=None, step=None, end=None, **_):
    ends = (*ends, end) if end is not None else ends
    start, end = (0, ends[0]) if len(ends) == 1 else ends[:2]
    step = ends[2] if len(ends) > 2 else step or 1
    return Tensor((max(0, math.ceil((end - start) / step)),), dtype or "int64", {"generator": "ramp", "start": start, "step": step})


def linspace(start, end, steps, dtype=None, **_):
    return Tensor((steps,), dtype, {"generator": "ramp", "start": start, "step": (end - start) / max(steps - 1, 1)})


def eye(rows, columns=None, dtype=None, **_):
    columns = columns or rows
    if rows * columns > MOST_COMPUTED:
        return Tensor((rows, columns), dtype).lost("eye")
    return Tensor((rows, columns), dtype, {"values": [float(i == k) for i in range(rows) for k in range(columns)]})


def randint(low, high=None, size=None, dtype=None, **_):
    if isinstance(high, (tuple, list)):
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    low, high = int(low), int(high)
    return Tensor(dims((size,)), dtype or "int64", {"generator": "integers", "low": low, "high": max(high - 1, low)})


def randperm(count, dtype="int64", **_):
    if count > MOST_COMPUTED:
        return Tensor((count,), dtype).lost("randperm")
    return Tensor((count,), dtype, {"values": drawing.sample(range(count), count)})


def full(shape, value, dtype=None, **_):
    whole = isinstance(value, int) and not isinstance(value, bool)
    return Tensor(dims((shape,)), dtype or ("int64" if whole else "float32"), {"generator": "constant", "value": value})


def cat(parts, dim=0, **_):
    shape, dim = list(parts[0].shape), dim % max(parts[0].dim(), 1)
    shape[dim] = sum(part.shape[dim] for part in parts)
    lists = [part.numbers() for part in parts] if math.prod(shape) <= MOST_COMPUTED else [None]
    if any(one is None for one in lists):
        return drawn_like(parts[0].lost("cat", shape), parts)
    steps = [math.prod(part.shape[dim:]) for part in parts]
    values = [number for row in range(math.prod(shape[:dim])) for one, step in zip(lists, steps) for number in one[row * step:(row + 1) * step]]
    return Tensor(shape, parts[0].dtype, {"values": values})


def stack(parts, dim=0, **_):
    return cat([part.unsqueeze(dim) for part in parts], dim)


def split(value, size, dim=0):
    dim %= value.dim()
    sizes = [size] * math.ceil(value.shape[dim] / size) if isinstance(size, int) else size
    ends = list(itertools.accumulate(sizes))
    return tuple(value[(slice(None),) * dim + (slice(end - one, min(end, value.shape[dim])),)] for one, end in zip(sizes, ends))


def chunk(value, count, dim=0):
    return split(value, math.ceil(value.shape[dim] / count), dim)


def meshgrid(*parts, indexing="ij"):
    parts = parts[0] if isinstance(parts[0], (list, tuple)) else parts
    shape = [part.numel() for part in parts]
    grids = [part.view(*[-1 if i == axis else 1 for i in range(len(parts))]).expand(*shape) for axis, part in enumerate(parts)]
    return tuple(grids if indexing == "ij" else [grid.transpose(0, 1) for grid in grids])


def matmul(a, b, *_, **__):
    a_shape, b_shape = a.shape if a.dim() > 1 else (1, *a.shape), b.shape if b.dim() > 1 else (*b.shape, 1)
    shape = [*broadcast(a_shape[:-2], b_shape[:-2]), *([a_shape[-2]] if a.dim() > 1 else []), *([b_shape[-1]] if b.dim() > 1 else [])]
    return a.lost("matmul", shape)


def einsum(equation, *operands):
    operands = operands[0] if isinstance(operands[0], (list, tuple)) else operands
    terms, _, result = equation.replace(" ", "").partition("->")
    extents = {letter: extent for term, one in zip(terms.split(","), operands) for letter, extent in zip(term, one.shape)}
    return operands[0].lost("einsum", [extents.get(letter, 1) for letter in result])


def convolution(rank):
    def convolve(value, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        shape = (*value.shape[:-rank - 1], weight.shape[0], *window_shape(value.shape[-rank:], weight.shape[-rank:], stride, padding, dilation))
        return value.lost(f"conv{rank}d", shape)
    return convolve


def pooling(rank):
    def pool(value, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False, **_):
        dilation = 1 if isinstance(dilation, bool) else dilation # avg_pool has ceil_mode there
        shape = (*value.shape[:-rank], *window_shape(value.shape[-rank:], kernel_size, stride or kernel_size, padding, dilation, ceil_mode))
        result = value.lost(f"pool{rank}d", shape)
        return (result, Tensor(shape, "int64")) if return_indices else result
    return pool


def pad(value, widths, *_, **__):
    shape = list(value.shape)
    for axis, (before, after) in enumerate(zip(widths[::2], widths[1::2]), 1):
        shape[-axis] += before + after
    return value.lost("pad", shape)


def loss(name):
    return lambda value, *_, reduction="mean", **__: value.lost(name, () if reduction != "none" else value.shape)


def same_shape(name):
    return lambda value, *_, **__: value.lost(name)


def stand_in():
    """The modules of torch."""
    torch = Module("torch")
    torch.__dict__.update({name: name for name in C_OF_DTYPE} | OTHER_NAMES)
    constants = {"empty": None, "zeros": {"generator": "constant", "value": 0}, "ones": {"generator": "constant", "value": 1},
                 "rand": {"generator": "uniform", "low": 0, "high": 1}, "randn": {"generator": "normal", "mean": 0, "deviation": 1}}
    for name, source in constants.items():
        setattr(torch, name, made(source))
        setattr(torch, name + "_like", like(source or constants["zeros"]))
    for name, function in ELEMENTWISE.items():
        setattr(torch, name, elementwise(name, function))
    for name, function in COMPARISONS.items():
        setattr(torch, name, elementwise(name, function, "bool"))
    for name, function in (("sum", sum), ("mean", lambda row: sum(row) / len(row)), ("prod", math.prod), ("amax", max), ("amin", min),
                           ("std", None), ("var", None), ("logsumexp", None), ("median", None)):
        setattr(torch, name, reduction(name, function))
    torch.norm = lambda value, p=2, dim=None, keepdim=False, **_: reduction("norm", None)(value, dim, keepdim)
    torch.any, torch.all = reduction("any", any, "bool"), reduction("all", all, "bool")
    torch.argmax, torch.argmin = (reduction(name, lambda row, of=of: row.index(of(row)), "int64") for name, of in (("argmax", max), ("argmin", min)))
    torch.max, torch.min = reduction("max", max, None, True), reduction("min", min, None, True)
    for rank in (1, 2, 3):
        setattr(torch, f"conv{rank}d", convolution(rank))
        setattr(torch, f"max_pool{rank}d", pooling(rank))
        setattr(torch, f"avg_pool{rank}d", pooling(rank))
    for name in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "kl_div", "cross_entropy", "nll_loss", "binary_cross_entropy",
                 "binary_cross_entropy_with_logits", "hinge_embedding_loss", "triplet_margin_loss", "margin_ranking_loss"):
        setattr(torch, name, loss(name))
    for name in ("softmax", "log_softmax", "gelu", "silu", "elu", "selu", "leaky_relu", "mish", "softplus", "logsigmoid", "hardsigmoid",
                 "hardswish", "hardtanh", "layer_norm", "batch_norm", "group_norm", "instance_norm", "rms_norm", "normalize", "dropout",
                 "tril", "triu", "cdf", "scaled_dot_product_attention"):
        setattr(torch, name, same_shape(name))
    torch.cosine_similarity = lambda a, b, dim=1, **_: reduction("cosine_similarity", None)(a, dim)
    torch.__dict__.update(
        tensor=tensor, as_tensor=tensor, where=where, from_numpy=tensor, arange=arange, linspace=linspace, eye=eye, randint=randint, randperm=randperm,
        full=full, full_like=lambda other, value, dtype=None, **_: full(other.shape, value, dtype or other.dtype), clamp=clamp, clip=clamp,
        sort=sort, topk=lambda value, k, dim=-1, largest=True, **_: sort(value, dim, largest, k),
        argsort=lambda value, dim=-1, descending=False, **_: sort(value, dim, descending).indices,
        cumsum=cumulated(operator.add), cumprod=cumulated(operator.mul), cat=cat, concat=cat, stack=stack, split=split, chunk=chunk,
        unbind=lambda value, dim=0: tuple(value[(slice(None),) * (dim % value.dim()) + (i,)] for i in range(value.shape[dim])),
        meshgrid=meshgrid, matmul=matmul, mm=matmul, bmm=matmul, mv=matmul, dot=matmul, scaled_mm=matmul, einsum=einsum, pad=pad,
        linear=lambda value, weight, *_: matmul(value, weight.T), outer=lambda a, b: a.lost("outer", (*a.shape, *b.shape)),
        bincount=lambda value, weights=None, minlength=1: value.lost("bincount", (minlength,)),
        nonzero=lambda value, **_: stack(indices_of(value != 0), 1), numel=Tensor.numel, equal=lambda a, b: bool((a == b).all()),
        Tensor=Tensor, dtype=str, device=Device, Size=tuple, pi=math.pi, inf=math.inf, nan=math.nan, manual_seed=drawing.seed)
    for name in ("reshape", "flatten", "transpose", "permute", "squeeze", "unsqueeze", "flip", "tile", "repeat_interleave", "masked_fill"):
        setattr(torch, name, getattr(Tensor, name))
    sys.modules.update({"torch": torch, "torch.nn": torch, "torch.nn.functional": torch})
    torch.nn = torch.functional = torch.F = torch
    sys.meta_path.append(MissingModules())
