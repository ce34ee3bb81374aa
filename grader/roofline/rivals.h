/* rivals.h - programs of others that a problem's reference solutions should beat, timed on the same device.
 *
 * solutions/<id>/rivals/ holds two kinds:
 *
 *     *.cu         kernels behind solve(), which the judge times as it times a submission; the ladder reads them
 *     pytorch.py   what PyTorch is to do. grader/roofline/pytorch_rivals.py runs it, times it, and prints a JSON object
 *                  (docs/formats.md). Without python3, PyTorch or a GPU it says so, and the rivals are missing.  */
#ifndef GRADER_ROOFLINE_RIVALS_H
#define GRADER_ROOFLINE_RIVALS_H

#include "base/status.h"
#include "grader/roofline/roofline.h"

/* Adds what PyTorch reaches, where the problem has a pytorch.py. That it cannot be timed is one more program, which is missing, and no
 * failure. Nobody else may time anything on the device meanwhile. */
MUST_USE Status rivals_time_pytorch(Roofline *roofline, Message *why);

/* The same from what the script has printed. BAD_INPUT: that is not as docs/formats.md says. */
MUST_USE Status rivals_take(Roofline *roofline, const char *text, size_t length, Message *why);

/* What the script is told: {"cases": [{"name": ..., "sizes": {...}}]}. */
void rivals_ask(const Roofline *roofline, Text *out);

#endif
