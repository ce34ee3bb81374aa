/* look.h - a look inside the kernels of one call: what warps ask of memory, how often a block reads each element and from
 * where, when blocks run, and what the compiler made of each line.
 *
 * The views are plain data, as `convjudge look --json` writes them; the service keeps them, and draws the same pictures.
 *
 * Block      what is said of one block is of the one in the middle of the grid, in the first launch of each kernel
 *            (simgpu/engine/request.h). Bulk copies are not among the requests, but among the reads.
 * Sequences  texts that stand for many numbers: "start+step*count" with spaces between them. "4+0*2" are two fours, and
 *            so is "4*2"; a number alone stands for itself.
 * Owns       nothing: all lives in an arena of the caller's.  */
#ifndef GRADER_REPORT_LOOK_H
#define GRADER_REPORT_LOOK_H

#include "base/arena.h"
#include "base/record.h"
#include "base/status.h"
#include "base/terminal.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/report/explain.h"
#include "harness/compile/listing.h"

/* ==== views ======================================================================================================= */

typedef struct LookRequest {
    uint32_t warp, time; /* which time of the warp, from 1 */
    const char *lanes;   /* a sequence: of each lane the place of its first byte in the array; -1: it is not active */
    uint32_t got; /* sectors of global memory or a texture, wavefronts of shared, different words of constant memory */
} LookRequest;

#define NAMELESS_SHARED "shared memory" /* LookAccess.array where it is not known */

typedef struct LookAccess { /* of a line to an array: a loop that is unrolled has several instructions for it */
    int line;
    const char *kernel, *array;
    const char *space; /* "global", "shared", "constant", "texture" */
    bool is_store;
    uint32_t bytes;         /* of a lane */
    uint32_t element_bytes; /* of the array; 4: unknown */
    uint32_t skew;          /* bytes from a multiple of 128 to the array's start */
    LookRequest *requests;
    size_t request_count;
} LookAccess;

enum { LOOK_MOST_ROWS = 24, LOOK_MOST_COLUMNS = 48, LOOK_LEVELS = 5 };

typedef struct LookMap { /* how often a block reads elements of an array: a part of its last two dimensions */
    const char *kernel, *array;
    uint32_t first_row, first_column, row_step, column_step; /* a cell is row_step x column_step elements */
    uint32_t rows, columns;
    double elements; /* that the block reads */
    /* Sequences of rows x columns: of an element, the mean over the cell; 0: nothing of it is read. Its loads by threads;
     * by warps, that is requests to the L1; from the L2; from memory; and the blocks that read it, of this one and its
     * neighbours. Constant memory has the first two alone. */
    const char *cells[LOOK_LEVELS];
    double means[LOOK_LEVELS]; /* over the elements */
} LookMap;

typedef struct LookPart {
    const char *name; /* "load/store units" */
    double share;     /* of the kernel's time, 0 to 1 */
} LookPart;

typedef struct LookKernel {          /* its blocks over time */
    const char *name, *grid, *block; /* "128 x 128" */
    double seconds;                  /* modelled, of all launches */
    uint64_t launches;
    uint32_t resident, places;  /* blocks on a multiprocessor, on all of them, at most */
    const char *resident_limit; /* "registers" */
    double waves;               /* that the grid fills all places */
    LookPart *parts;            /* what the time is spent on, most first */
    size_t part_count;
    uint32_t rows, step;  /* a row for each `step`-th multiprocessor */
    uint32_t most_waves;  /* blocks that a place runs one after the other */
    const char *together; /* a sequence of TIMELINE_COLUMNS: blocks under way */
    const char *turns;    /* of rows x TIMELINE_COLUMNS: which of its place's blocks is under way, from 1; 0: none */
} LookKernel;

typedef struct LookLine {
    int line;
    double share;                       /* of the call's time, 0 to 1 */
    uint64_t executions;                /* by warps */
    uint32_t live_registers;            /* that hold values there, of PTX */
    const char *ptx, *sass;             /* an instruction on each line; "": none */
    size_t ptx_left_out, sass_left_out; /* instructions that are not shown */
} LookLine;

typedef struct LookView {
    const char *case_name;
    double seconds;      /* modelled, of the call's kernels */
    const char *no_sass; /* why there is no machine code; "": there is */
    const char *unseen;  /* "bulk copies": not among the requests; "": nothing */
    LookAccess *accesses;
    size_t access_count;
    LookMap *maps;
    size_t map_count;
    LookKernel *kernels;
    size_t kernel_count;
    LookLine *lines;
    size_t line_count;
    int hottest_line; /* whose accesses take most wavefronts; 0: no line of the file accesses memory */
} LookView;

extern const RecordTable look_table;

typedef struct Look {
    const Problem *problem;
    Sizes sizes;
    const char *case_name;
    const Explanation *explanation;
    const Listing *listing;
} Look;

void look_view(const Look *look, Arena *arena, LookView *view);
/* Whether one that was read from a file can be shown. */
bool look_view_is_sound(const LookView *view);
/* Whether any access of the line was seen. */
bool look_has_line(const LookView *view, int line);
/* Writes the `count` numbers of a sequence; false: it has more or fewer. */
bool look_numbers(const char *sequence, double *numbers, size_t count);

/* ==== pictures ==================================================================================================== */

/* Which of the requests is drawn: the `access`-th of the line, the first that is at least at `warp` and `time`. */
typedef struct LookChoice {
    int line;
    size_t access;
    uint32_t warp, time;
    const char
        *address; /* of the page, for links to other choices: "/submissions/3/look"; NULL: all accesses of the line
                          * are shown, and there are no links */
} LookChoice;

/* For the terminal, by characters. `source` is the submission's. */
void look_write(const LookView *view, const char *source, int line, TerminalStyle style, Text *out);
/* Markup: pictures, and the same in words and tables. */
void look_sections(const LookView *view, const char *source, const LookChoice *choice, Text *page);
/* A page of its own. */
MUST_USE Status look_page(const LookView *view, const char *file_name, const char *source, int line, Text *page,
                          Message *why);

#endif
