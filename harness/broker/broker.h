/* broker.h - the process that owns the device: it carries out what the runner asks for, and runs calls of solve() for
 * the grader. Trusted, and disposable: one serves one runner and is then replaced.  */
#ifndef HARNESS_BROKER_BROKER_H
#define HARNESS_BROKER_BROKER_H

/* The program `convjudge broker DESCRIPTOR DEVICE`: arguments from "broker" on; the exit status. The descriptor is the
 * broker's end of the control socket (control.h). */
int broker_main(int argc, char **argv);

#endif
