#include "simgpu/ptx/parse_variable.h"

#include "simgpu/ptx/parse_operand.h"
#include "simgpu/ptx/parse_scope.h"
#include "simgpu/ptx/parse_token.h"

#include <string.h>

enum { MAX_VARIABLE_BYTES = 1 << 30 };

PtxSpace space_of(const Token *token)
{
    static const struct {
        const char *name;
        PtxSpace space;
    } spaces[] = {
        {".global", PTX_GLOBAL}, {".shared", PTX_SHARED}, {".local", PTX_LOCAL},
        {".const", PTX_CONST},   {".param", PTX_PARAM},
    };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (token_is(token, spaces[i].name))
            return spaces[i].space;
    return PTX_NO_SPACE;
}

/* ---- initial values ---------------------------------------------------------------------------------------------- */

static PtxVariable *find_variable(Parser *p, const Token *token)
{
    ScopedName *name = find_name(p, token->text, token->length);
    return name != NULL && name->kind == NAME_VARIABLE ? name->variable : NULL;
}

static bool is_function(Parser *p, const Token *token)
{
    ScopedName *name = find_name(p, token->text, token->length);
    return name != NULL && name->kind == NAME_FUNCTION;
}

static void store_bytes(unsigned char *data, uint64_t room, uint64_t offset, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes && offset + i < room; i++)
        data[offset + i] = (unsigned char)(value >> (8 * i));
}

static uint64_t number_as(const Token *token, PtxType type)
{
    if (token->number_kind == NUMBER_FLOAT64 && type == PTX_F32) {
        double wide;
        memcpy(&wide, &token->number, sizeof wide);
        float narrow = (float)wide;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    return token->number;
}

static void add_relocation(Parser *p, PtxVariable *variable, uint64_t offset, uint64_t mask)
{
    Token name = expect_word(p, "the name of a variable");
    bool generic = token_is(&name, "generic");
    if (generic) {
        expect(p, "(");
        name = expect_word(p, "the name of a variable");
    }
    PtxRelocation *relocation = arena_alloc(p->arena, sizeof *relocation);
    relocation->target = find_variable(p, &name);
    if (is_function(p, &name))
        relocation->function = copy_text(p, &name);
    else if (relocation->target == NULL || relocation->target->type == PTX_OTHER_TYPE)
        refuse(p, &name, "found %s, expected the name of a variable declared before", shown(p, &name));
    if (generic)
        expect(p, ")");
    relocation->addend = parse_addend(p);
    relocation->offset = (uint32_t)offset;
    relocation->bytes = ptx_type_bytes(variable->type);
    relocation->mask = mask;
    relocation->next = variable->relocations;
    variable->relocations = relocation;
}

/* value: ["-"] number | mask "(" address ")" | address, where address: name addend | "generic" "(" name ")" addend */
static void parse_initial_value(Parser *p, PtxVariable *variable, unsigned char *data, uint64_t offset)
{
    bool minus = consume(p, "-");
    if (p->token.kind != TOKEN_NUMBER) {
        add_relocation(p, variable, offset, 0);
        return;
    }
    Token number = advance(p);
    if (consume(p, "(")) {
        add_relocation(p, variable, offset, number.number);
        expect(p, ")");
        return;
    }
    uint64_t bits = number_as(&number, variable->type);
    if (minus && number.number_kind == NUMBER_INTEGER)
        bits = -bits;
    else if (minus)
        bits ^= 1ull << (8 * ptx_type_bytes(variable->type) - 1);
    store_bytes(data, variable->bytes, offset, bits, ptx_type_bytes(variable->type));
}

/* values: value | "{" [values ("," values)*] "}" ; nested braces are the rows of an array */
static void parse_initial_values(Parser *p, PtxVariable *variable, unsigned char *data, uint64_t *offset, int depth)
{
    if (!consume(p, "{")) {
        if (*offset + ptx_type_bytes(variable->type) > variable->bytes)
            refuse(p, &p->token, "more initial values than '%s' has room for", variable->name);
        parse_initial_value(p, variable, data, *offset);
        *offset += ptx_type_bytes(variable->type);
        return;
    }
    if (depth == 8)
        refuse(p, &p->token, "initial values with more than 8 levels of nesting");
    while (!token_is(&p->token, "}")) {
        parse_initial_values(p, variable, data, offset, depth + 1);
        if (!consume(p, ","))
            break;
    }
    expect(p, "}");
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

/* dimensions: ("[" [integer] "]")* */
static void parse_dimensions(Parser *p, PtxVariable *variable)
{
    while (consume(p, "[")) {
        if (consume(p, "]")) {
            variable->is_unsized = true;
            variable->bytes = 0;
            continue;
        }
        Token at = p->token;
        uint64_t count = expect_integer(p);
        if (count > MAX_VARIABLE_BYTES || variable->bytes * count > MAX_VARIABLE_BYTES)
            refuse(p, &at, "'%s' takes more than %d bytes", variable->name, MAX_VARIABLE_BYTES);
        variable->bytes *= count;
        expect(p, "]");
    }
}

/* declarator: space (".align" integer | ".v2" | ".v4" | ".ptr" [space] [".align" integer] | type)* name dimensions
 * ["=" values]; what follows .ptr is about the memory that a parameter points to */
PtxVariable *parse_variable(Parser *p)
{
    PtxVariable *variable = arena_alloc(p->arena, sizeof *variable);
    Token space = advance(p);
    variable->space = space_of(&space);
    uint64_t lanes = 1;
    bool is_pointer = false;
    while (p->token.kind == TOKEN_WORD && p->token.text[0] == '.') {
        Token word = advance(p);
        if (token_is(&word, ".align") && is_pointer)
            expect_integer(p);
        else if (token_is(&word, ".align"))
            variable->align = (uint32_t)expect_integer(p);
        else if (token_is(&word, ".ptr"))
            is_pointer = true;
        else if (token_is(&word, ".v2") || token_is(&word, ".v4"))
            lanes = (uint64_t)(word.text[2] - '0');
        else if (token_is(&word, ".attribute") || token_is(&word, ".noinline"))
            while (!consume(p, ")"))
                advance(p);
        else if (ptx_type(word.text + 1, word.length - 1) != PTX_NO_TYPE)
            variable->type = ptx_type(word.text + 1, word.length - 1);
        else if (space_of(&word) == PTX_NO_SPACE)
            refuse(p, &word, "found %s in a declaration, expected a type", shown(p, &word));
    }
    Token name = expect_word(p, "the name of a variable");
    variable->name = copy_text(p, &name);
    if (variable->type == PTX_NO_TYPE)
        refuse(p, &name, "'%s' has no type", variable->name);
    variable->bytes = ptx_type_bytes(variable->type) * lanes;
    if (variable->align == 0)
        variable->align = (uint32_t)variable->bytes;
    if (variable->align > 4096 || (variable->align & (variable->align - 1)) != 0)
        refuse(p, &name, "'%s' is aligned to %u bytes, expected a power of two up to 4096", variable->name,
               variable->align);
    parse_dimensions(p, variable);
    add_name(p, &name, NAME_VARIABLE)->variable = variable;
    if (token_is(&p->token, "=") && variable->type == PTX_OTHER_TYPE) {
        skip_to(p, ";"); /* the modes of a sampler, for example */
    } else if (consume(p, "=")) {
        unsigned char *data = arena_alloc(p->arena, variable->bytes + 8);
        uint64_t used = 0;
        parse_initial_values(p, variable, data, &used, 0);
        variable->initial = data;
        variable->initial_bytes = used;
    }
    return variable;
}

/* variables: declarator ("," name dimensions)* ";" ; compilers write only the first form */
void parse_variables(Parser *p, PtxVariable **list)
{
    PtxVariable *variable = parse_variable(p);
    expect(p, ";");
    variable->next = *list;
    *list = variable;
}
