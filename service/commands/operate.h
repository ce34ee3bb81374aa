/* operate.h - the rows of what administrators' commands write as JSON.  */
#ifndef SERVICE_COMMANDS_OPERATE_H
#define SERVICE_COMMANDS_OPERATE_H

/* The rows of a batch, and of what it changes of a submission, as `convjudge rejudge --json` writes them. */
extern const struct RecordTable rejudge_batch_table, rejudge_row_table;

#endif
