/* start.h - how a program that simulated.c starts learns about its ring.  */
#ifndef TESTS_ATTACKS_NAIVE_START_H
#define TESTS_ATTACKS_NAIVE_START_H

#define START_RING "SIMULATED_RING" /* environment variable: the descriptor */

#endif
