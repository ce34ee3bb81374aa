#!/usr/bin/env python3
"""Writes the plan of driver.cu: solutions, and sizes to call them with.

Usage: tools/hardware/plan.py OBJECTS KIND [FOLDER]...     KIND: timed, the timed cases; or recorded, h200/sizes.json: those that
                                                           h200/times.txt, counters.csv and lanes.csv are of
       tools/hardware/plan.py OBJECTS shapes               shapes.cu: blocks of all shapes, along rows and across
       tools/hardware/plan.py OBJECTS variants FOLDER [CASES]
                                                           the kernels of variants.py in FOLDER, each with the first CASES
                                                           timed cases, behind an accepted solution of their problem

OBJECTS is the folder of the shared objects, <problem>.<solution>.so each; those that are not there are left out, and
solutions that use textures, which cudart.c does not have. FOLDERs of
solutions/<problem>/ are by default accepted; with these comes wavefronts.cu. A case is named
<problem>/<solution>/<number of the timed case>.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def evaluate(expression, sizes):
    """An expression over sizes (docs/reference/formats.md); whole numbers, none of them negative here."""
    if not re.fullmatch(r"[\w\s+*/%()-]+", expression):
        sys.exit(f"plan: '{expression}': expected an expression over sizes")
    return eval(expression.replace("/", "//"), {"__builtins__": {}}, sizes)


def argument(parameter, sizes, signature):
    if parameter["role"] == "size":
        return f"i:{sizes[parameter['name']]}"
    count = 1
    for extent in parameter["shape"]:
        count *= evaluate(extent, sizes)
    is_bytes = re.search(r"unsigned char\s*\*\s*" + parameter["name"] + r"\b", signature)
    if parameter["role"] == "out":
        return f"o:{count if is_bytes else 4 * count}"
    return f"{'b' if is_bytes else 'f'}:{count}"


def plan_shapes(objects):
    for across, way in enumerate(("along", "across")):
        for x, y in ((32, 8), (16, 16), (8, 32), (256, 1), (32, 32)):
            sizes = [(width, taps) for width in (1024, 3072) for taps in (3, 15)]
            for number, (width, taps) in enumerate(sizes, 1):
                print(f"shapes/{x}x{y}_{way}/{number}", objects / "shapes.so", f"f:{width**2}", f"f:{taps**2}",
                      f"o:{4 * width**2}", *(f"i:{word}" for word in (width, taps, across, x, y)))


def sizes_of(identifier, kind):
    if kind == "recorded":
        return json.loads((ROOT / "tools/hardware/h200/sizes.json").read_text()).get(identifier, [])
    cases = json.loads((ROOT / "testcases" / identifier / "hidden.json").read_text())["cases"]
    return [case["sizes"] for case in cases if case.get("timed")]


def plan_variants(objects, folder, most=9):
    for path in sorted((ROOT / "problems").glob("*/problem.json")):
        problem = json.loads(path.read_text())
        identifier = problem["id"]
        accepted = [library for library in sorted(objects.glob(f"{identifier}.*.so")) if "textures" not in library.name]
        for number, sizes in enumerate(sizes_of(identifier, "timed")[:most], 1):
            words = [argument(p, sizes, problem["signature"]) for p in problem["parameters"]]
            for library in accepted[:1] + sorted(folder.glob(f"{identifier}.*.so")):
                print(f"{identifier}/{library.name.split('.')[1]}/{number}", library, *words)


def main():
    if len(sys.argv) >= 4 and sys.argv[2] == "variants":
        plan_variants(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3]), *map(int, sys.argv[4:5]))
        return
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    objects, kind = pathlib.Path(sys.argv[1]), sys.argv[2]
    if kind == "shapes":
        plan_shapes(objects)
        return
    if kind not in ("timed", "recorded"):
        sys.exit(f"plan: unknown kind '{kind}': expected timed, recorded, shapes or variants")
    folders = sys.argv[3:] or ["accepted"]
    for path in sorted((ROOT / "problems").glob("*/problem.json")):
        problem = json.loads(path.read_text())
        identifier = problem["id"]
        timed = sizes_of(identifier, kind)
        for folder in folders:
            for source in sorted((ROOT / "solutions" / identifier / folder).glob("*.cu")):
                library = objects / f"{identifier}.{source.stem}.so"
                if not library.exists() or "cudaTextureObject_t" in source.read_text():
                    continue
                for number, sizes in enumerate(timed, 1):
                    words = [argument(p, sizes, problem["signature"]) for p in problem["parameters"]]
                    print(f"{identifier}/{source.stem}/{number}", library, *words)
    if (objects / "accesses.wavefronts.so").exists() and kind == "recorded" and not sys.argv[3:]:
        print("accesses/wavefronts/1", objects / "accesses.wavefronts.so")


main()
