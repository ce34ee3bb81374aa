/* The lab is a program. Its main() is called by the driver, once for each testcase. */
#define main student_main
