"""Reads from a shared object that nvcc made, for each kernel: how many instructions of a kind its PTX has, and how many
the machine code that ptxas made of it. Encoding of compute capability 9.0 as nvdisasm shows it for nvcc 13.0."""
import re
import struct
from collections import Counter

EM_CUDA, INSTRUCTION_BYTES, VARIABLES, BRA = 190, 16, 3, 0x147
OPERATIONS = {0x023: "FFMA", 0x0B9: "ULDC", 0x0BB: "ULDC", 0x181: "LDG", 0x182: "LDC", 0x184: "LDS", 0x186: "STG",
              0x188: "STS"}
WIDTHS = {5: ".64", 6: ".128"}  # bits 73 to 75; others are 32 bits or fewer
CONSTANT_OPERAND, FIRST_UNIFORM = 5, 0x080


def sections(image, start):
    """Names and contents of the sections of an ELF file that begins at `start`. System V gABI 4.1, chapter 4."""
    table, = struct.unpack_from("<Q", image, start + 0x28)
    size, count, names = struct.unpack_from("<HHH", image, start + 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", image, start + table + i * size) for i in range(count)]
    for name, _, _, _, offset, length in heads:
        at = start + heads[names][4] + name
        yield image[at:image.index(b"\0", at)].decode(), image[start + offset:start + offset + length]


def loops(words):
    """Stretches from the target of a backward branch to the branch: simgpu/cost/machine_code.c, branch_target()."""
    for index, (low, high) in enumerate(words):
        if low & 0x1FF == BRA:
            distance = low >> 34 | (high & 0x3FFFF) << 30
            distance -= (distance >> 47) << 48
            target = index + 1 + ((distance << 8 | low >> 16 & 0xFF) * 4) // INSTRUCTION_BYTES
            if target <= index:
                yield range(target, index + 1)


def kind_of(low, high):
    operation = low & 0x1FF
    bank = low >> 54 & 0x1F
    name = OPERATIONS.get(operation, "other")
    if name in ("LDC", "ULDC") and bank != VARIABLES:
        return name + " parameter"
    if name in ("LDC", "ULDC", "LDG", "LDS", "STG", "STS"):
        return name + WIDTHS.get(high >> 9 & 7, "") + " variable" * name.endswith("LDC")
    if low >> 9 & 7 == CONSTANT_OPERAND and operation < FIRST_UNIFORM and bank == VARIABLES:
        return "operand variable"
    return name


def machine_code(image):
    kernels = {}
    for found in re.finditer(b"\x7fELF\x02\x01", image):
        if struct.unpack_from("<H", image, found.start() + 18)[0] != EM_CUDA:
            continue
        for name, code in sections(image, found.start()):
            if name.startswith(".text."):
                words = list(struct.iter_unpack("<QQ", code))
                repeated = set().union(*loops(words))
                kinds = [kind_of(low, high) for low, high in words]
                kernels[name[6:]] = Counter(kinds) + Counter(
                    kind + " in a loop" for index, kind in enumerate(kinds) if index in repeated)
    return kernels


def ptx(image):
    kernels = {}
    for text in re.findall(rb"\.version [^\0]*\n[^\0]*", image):
        for entry in re.split(r"(?=\.entry )", text.decode())[1:]:
            name = re.match(r"\.entry (\w+)", entry).group(1)
            operations = re.findall(r"^\s*(?:@!?%\w+ )?([a-z][\w.]*)\s+[^;]*;", entry, re.MULTILINE)
            kernels[name] = Counter(operation.replace(".nc", "") for operation in operations)
    return kernels


def kernels(path):
    """{mangled name: (counts of PTX, counts of machine code)}"""
    with open(path, "rb") as file:
        image = file.read()
    code, text = machine_code(image), ptx(image)
    return {name: (text[name], code[name]) for name in code if name in text}


def of_ptx(counts, prefix):
    return sum(number for name, number in counts.items() if name.startswith(prefix))


def of_code(counts, prefix):
    """Not those counted again for being in a loop."""
    return sum(number for name, number in counts.items() if name.startswith(prefix) and not name.endswith("in a loop"))
