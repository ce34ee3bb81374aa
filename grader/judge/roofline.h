/* roofline.h - how fast each timed case of a problem can be on a device, and how fast known programs are.
 *
 * A roofline is the time that one resource of the device needs for the work of the direct algorithm, if nothing else takes
 * time: device memory for the bytes that must move, the float32 units or the tensor cores for the operations. Bytes and
 * operations follow from the formulas of problem.json. The direct roofline is the larger of the first two; an algorithm
 * that needs fewer operations, such as a Fourier transform, can be faster.
 *
 * Units    seconds where the name says _s; shares of 1. A time, rate or share of 0 is unknown.
 * Owns     everything lies in the arena.
 * Source   Williams, Waterman and Patterson, Roofline, Communications of the ACM 52 (2009), 65.  */
#ifndef GRADER_JUDGE_ROOFLINE_H
#define GRADER_JUDGE_ROOFLINE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"
#include "harness/device/device.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== roofline ==================================================================================================== */

typedef struct Roofs { /* of one case */
    double bytes_s;    /* all bytes, at the rate of a copy within device memory */
    double float32_s;  /* all operations, as float32 fused multiply-adds */
    double tf32_s;     /* all operations, on tensor cores in TF32 */
} Roofs;

typedef struct RooflineCase {
    const Testcase *testcase;
    Roofs roofs;
} RooflineCase;

typedef enum Precision { PRECISION_FLOAT32, PRECISION_TF32, PRECISIONS } Precision;

typedef struct TimedProgram { /* a reference solution or a rival */
    const char *name;         /* "tiled.cu", "cuDNN (PyTorch 2.9.0)" */
    const char *missing;      /* why there are no times: one sentence; NULL: there are */
    bool is_rival;
    Precision precision;
    MeasuredTime *times;   /* [case_count]; ms 0: none in this case */
    const char **variants; /* [case_count]: the fastest way to call it, "channels last"; NULL: there is one alone */
} TimedProgram;

typedef struct Roofline {
    const Problem *problem; /* the caller's */
    DeviceInfo device;
    RooflineCase *cases;
    size_t case_count;
    TimedProgram *programs;
    size_t program_count, program_room;
    Arena arena;
} Roofline;

/* The rooflines of all timed cases of `set`, which must outlive them; no programs yet. */
Roofline roofline_new(const Problem *problem, const TestcaseSet *set, const DeviceInfo *device);
void roofline_free(Roofline *roofline);

/* A new program without times. The name is copied. Pointers to other programs become invalid. */
TimedProgram *roofline_add(Roofline *roofline, const char *name, bool is_rival, Precision precision);
/* Returns the number of the case with this name; `case_count`: no case has it. */
size_t roofline_case(const Roofline *roofline, const char *name);

/* The time that the precision's roofline allows: of bytes and of operations the one that takes longer. */
double roofs_direct_s(const Roofs *roofs, Precision precision);

/* The share of the roofline that a program reaches in a case. */
double roofline_share(const Roofline *roofline, const TimedProgram *program, size_t which);

/* The fastest reference solution of a case; NULL: none has a time. */
const TimedProgram *roofline_best(const Roofline *roofline, size_t which);

/* True if a rival is too close to the best reference solution of the same precision: their intervals overlap, or the
 * rival takes less than 10 % longer. */
bool roofline_is_close(const Roofline *roofline, const TimedProgram *rival, size_t which);

/* The programs with a time in a case, fastest first. Returns their number. `sorted` has room for all programs. */
size_t roofline_sort(const Roofline *roofline, size_t which, const TimedProgram **sorted);

/* Sorts by that mean in the same way. */
size_t roofline_sort_means(const Roofline *roofline, const TimedProgram **sorted);

void roofline_report(const Roofline *roofline, Text *out);
void roofline_json(const Roofline *roofline, Text *out); /* docs/reference/formats.md */

/* ==== rivals ====================================================================================================== */

/* Programs of others that a problem's reference solutions should beat, timed on the same device.
 *
 * solutions/<id>/rivals/ holds two kinds:
 *
 *     *.cu         kernels behind solve(), which the judge times as it times a submission; the ladder reads them
 *     pytorch.py   what PyTorch is to do. grader/judge/pytorch_rivals.py runs it, times it, and prints a JSON object
 *                  (docs/reference/formats.md). Without python3, PyTorch or a GPU it says so, and the rivals are missing. */

/* Adds what PyTorch reaches, where the problem has a pytorch.py. That it cannot be timed is one more program, which is missing, and no
 * failure. Nothing else may be timed on the device meanwhile. */
MUST_USE Status rivals_time_pytorch(Roofline *roofline, Message *why);

/* The same from what the script has printed. BAD_INPUT: that is not as docs/reference/formats.md says. */
MUST_USE Status rivals_take(Roofline *roofline, const char *text, size_t length, Message *why);

/* Writes the input of the script: {"cases": [{"name": ..., "sizes": {...}}]}. */
void rivals_ask(const Roofline *roofline, Text *out);

#endif
