/* parse_scope.h - names in their scopes, and labels.  */
#ifndef SIMGPU_PTX_PARSE_SCOPE_H
#define SIMGPU_PTX_PARSE_SCOPE_H

#include "simgpu/ptx/parser_state.h"

void open_scope(Parser *p);
void close_scope(Parser *p);
/* The newest of that name in the open scopes; NULL: none. */
ScopedName *find_name(Parser *p, const char *text, size_t length);
/* Declares a name in the innermost scope; the caller fills in what it stands for. */
ScopedName *add_name(Parser *p, const Token *token, NameKind kind);
/* Notes that bind_labels() is to set `operand->label`; so the operand must not move. */
void note_label_use(Parser *p, PtxOperand *operand, const Token *token);
/* Binds the uses of labels in a function at its end. */
void bind_labels(Parser *p);

#endif
