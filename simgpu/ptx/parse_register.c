#include "simgpu/ptx/parse_register.h"

#include "simgpu/ptx/parse_scope.h"
#include "simgpu/ptx/parse_token.h"

#include <string.h>

enum { MAX_REGISTERS = 1 << 20 };

static int add_registers(Parser *p, const Token *at, PtxType type, uint64_t count)
{
    PtxFunction *function = p->function;
    if (count > MAX_REGISTERS || (uint64_t)function->register_count + count > MAX_REGISTERS)
        refuse(p, at, "more than %d registers", MAX_REGISTERS);
    int needed = function->register_count + (int)count;
    if (needed > p->register_capacity) {
        p->register_capacity = needed * 2;
        PtxType *grown = arena_array(p->arena, (size_t)p->register_capacity, sizeof *grown);
        if (function->register_count > 0)
            memcpy(grown, function->register_types, (size_t)function->register_count * sizeof *grown);
        function->register_types = grown;
    }
    for (int i = function->register_count; i < needed; i++)
        function->register_types[i] = type;
    function->register_count = needed;
    return needed - (int)count;
}

/* registers: ".reg" type name ["<" integer ">"] ("," name ["<" integer ">"])* ";" */
void parse_registers(Parser *p)
{
    expect(p, ".reg");
    Token word = expect_word(p, "a type");
    PtxType type = ptx_type(word.text + 1, word.length - 1);
    if (type == PTX_NO_TYPE)
        refuse(p, &word, "found %s, expected the type of a register", shown(p, &word));
    do {
        Token name = expect_word(p, "the name of a register");
        bool is_range = consume(p, "<");
        uint64_t count = is_range ? expect_integer(p) : 1;
        if (is_range)
            expect(p, ">");
        ScopedName *entry = add_name(p, &name, is_range ? NAME_REGISTER_RANGE : NAME_REGISTER);
        entry->first = add_registers(p, &name, type, count);
        entry->count = (int)count;
    } while (consume(p, ","));
    expect(p, ";");
}

/* "%r12" is register 12 of the range "%r<27>". */
int find_register(Parser *p, const Token *token)
{
    ScopedName *name = find_name(p, token->text, token->length);
    if (name != NULL)
        return name->kind == NAME_REGISTER ? name->first : -1;
    size_t prefix = token->length;
    int number = 0, power = 1;
    while (prefix > 1 && token->text[prefix - 1] >= '0' && token->text[prefix - 1] <= '9' && power < 10000000) {
        number += power * (token->text[--prefix] - '0');
        power *= 10;
        name = find_name(p, token->text, prefix);
        if (name != NULL && name->kind == NAME_REGISTER_RANGE && number < name->count)
            return name->first + number;
    }
    return -1;
}
