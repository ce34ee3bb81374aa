/* All names of all scopes are in one hash table. Inlined assembly and call sequences declare the same register names
 * again and again in nested braces. A label can be used before it is declared, so labels are bound at the end of a
 * function. */
#include "simgpu/ptx/parse_scope.h"

#include "simgpu/ptx/parse_token.h"

#include <string.h>

struct LabelUse {
    LabelUse *next;
    PtxOperand *operand;
    Token token;
    int scopes[MAX_SCOPES / 8]; /* innermost scopes open at the use, enough for any real nesting */
    int depth;
};

static size_t bucket_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash % NAME_BUCKETS;
}

void open_scope(Parser *p)
{
    if (p->depth == MAX_SCOPES)
        refuse(p, &p->token, "more than %d nested scopes", MAX_SCOPES);
    p->open_scopes[p->depth++] = p->scope_count++;
}

void close_scope(Parser *p)
{
    p->depth--;
}

static bool is_open(const int *scopes, int depth, int scope)
{
    for (int i = depth; i-- > 0;)
        if (scopes[i] == scope)
            return true;
    return false;
}

ScopedName *find_name(Parser *p, const char *text, size_t length)
{
    for (ScopedName *name = p->buckets[bucket_of(text, length)]; name != NULL; name = name->next)
        if (name->length == length && memcmp(name->text, text, length) == 0 &&
            is_open(p->open_scopes, p->depth, name->scope))
            return name;
    return NULL;
}

ScopedName *add_name(Parser *p, const Token *token, NameKind kind)
{
    ScopedName *name = arena_alloc(p->arena, sizeof *name);
    *name = (ScopedName){
        .text = token->text, .length = token->length, .kind = kind, .scope = p->open_scopes[p->depth - 1]};
    ScopedName **bucket = &p->buckets[bucket_of(token->text, token->length)];
    name->next = *bucket;
    *bucket = name;
    return name;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

void note_label_use(Parser *p, PtxOperand *operand, const Token *token)
{
    LabelUse *use = arena_alloc(p->arena, sizeof *use);
    use->operand = operand;
    use->token = *token;
    enum { KEPT = sizeof use->scopes / sizeof *use->scopes };
    use->depth = p->depth < KEPT ? p->depth : KEPT;
    memcpy(use->scopes, p->open_scopes + p->depth - use->depth, (size_t)use->depth * sizeof *use->scopes);
    use->next = p->label_uses;
    p->label_uses = use;
}

static PtxLabel *find_label(Parser *p, const LabelUse *use)
{
    for (ScopedName *name = p->buckets[bucket_of(use->token.text, use->token.length)]; name != NULL; name = name->next)
        if (name->kind == NAME_LABEL && name->length == use->token.length &&
            memcmp(name->text, use->token.text, name->length) == 0 && is_open(use->scopes, use->depth, name->scope))
            return name->label;
    return NULL;
}

void bind_labels(Parser *p)
{
    for (LabelUse *use = p->label_uses; use != NULL; use = use->next) {
        use->operand->label = find_label(p, use);
        if (use->operand->label == NULL)
            refuse(p, &use->token, "found %s, which is not declared", shown(p, &use->token));
    }
    p->label_uses = NULL;
}
