/* quantity.h - numbers as people read them: one function for each kind of quantity, so that a kind looks the same
 * wherever it is shown.
 *
 * Every text is ASCII and takes at most QUANTITY_COLUMNS columns, whatever the number, so that a column that is one
 * wider never runs into its neighbour. A number that is too large or too small for its form stands as ">LIMIT" or
 * "<LIMIT"; one that is negative or NaN is absent and stands as "-". Exact numbers are in the JSON files.
 *
 * Use      text_printf(out, "%9s", quantity_time(1.5).text)  */
#ifndef GRADER_TERMINAL_QUANTITY_H
#define GRADER_TERMINAL_QUANTITY_H

enum { QUANTITY_COLUMNS = 8 };

typedef struct Quantity {
    char text[2 * QUANTITY_COLUMNS]; /* at most QUANTITY_COLUMNS of them */
} Quantity;

/* A time in milliseconds, with four digits and the unit that suits: "41.23 us", "1.234 ms", "12.35 s", "2.778 h". */
Quantity quantity_time(double ms);
/* A share as a percentage, with `decimals` (0 or 1) below a hundred percent: 0.506 is "50.6 %" or "51 %". */
Quantity quantity_percent(double share, int decimals);
/* Billions of something per second, with four digits, or all digits before the point: "202.4", "25295". */
Quantity quantity_rate(double rate);
/* One number over another, with three digits, or all digits before the point: "1.11", "0.25", "2047". */
Quantity quantity_ratio(double ratio);
/* A number of events, whole or with a letter for thousands: "640", "16.4K", "2.1M". */
Quantity quantity_count(double count);
/* The mean of small whole numbers, such as lanes per warp: "31.5". */
Quantity quantity_mean(double mean);
/* A rounding error, of any magnitude, with two digits: "3.1e-08". */
Quantity quantity_error(double error);

#endif
