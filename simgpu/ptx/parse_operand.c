#include "simgpu/ptx/parse_operand.h"

#include "simgpu/ptx/parse_register.h"
#include "simgpu/ptx/parse_scope.h"
#include "simgpu/ptx/parse_token.h"

#include <string.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* addend: [("+" | "-") integer] */
int64_t parse_addend(Parser *p)
{
    if (consume(p, "+")) {
        bool minus = consume(p, "-");
        int64_t value = (int64_t)expect_integer(p);
        return minus ? (int64_t) - (uint64_t)value : value;
    }
    if (consume(p, "-"))
        return (int64_t)-expect_integer(p);
    return 0;
}

static uint64_t parse_sum(Parser *p, int depth);

/* factor: integer | "-" factor | "~" factor | "!" factor | "(" sum ")" */
static uint64_t parse_factor(Parser *p, int depth)
{
    if (depth == 16)
        refuse(p, &p->token, "a constant expression with more than 16 levels of nesting");
    if (consume(p, "-"))
        return -parse_factor(p, depth + 1);
    if (consume(p, "~"))
        return ~parse_factor(p, depth + 1);
    if (consume(p, "!"))
        return !parse_factor(p, depth + 1);
    if (!consume(p, "("))
        return expect_integer(p);
    uint64_t value = parse_sum(p, depth + 1);
    expect(p, ")");
    return value;
}

/* term: factor (("*" | "/" | "%") factor)* */
static uint64_t parse_term(Parser *p, int depth)
{
    uint64_t value = parse_factor(p, depth);
    for (;;) {
        Token operation = p->token;
        if (consume(p, "*")) {
            value *= parse_factor(p, depth);
        } else if (consume(p, "/") || consume(p, "%")) {
            int64_t left = (int64_t)value, right = (int64_t)parse_factor(p, depth);
            if (right == 0 || right == -1)
                refuse(p, &operation, "a division by %d in a constant expression", (int)right);
            value = (uint64_t)(*operation.text == '/' ? left / right : left % right);
        } else {
            return value;
        }
    }
}

/* sum: term (("+" | "-") term)* */
static uint64_t parse_sum(Parser *p, int depth)
{
    uint64_t value = parse_term(p, depth);
    for (;;) {
        if (consume(p, "+"))
            value += parse_term(p, depth);
        else if (consume(p, "-"))
            value -= parse_term(p, depth);
        else
            return value;
    }
}

static bool is_float(const Token *token)
{
    return token->kind == TOKEN_NUMBER && token->number_kind != NUMBER_INTEGER;
}

/* number: ["-"] float | sum */
static void parse_number(Parser *p, PtxOperand *operand)
{
    Lexer ahead = p->lexer;
    Token next = lexer_next(&ahead);
    bool minus = token_is(&p->token, "-") && is_float(&next);
    operand->kind = PTX_IMMEDIATE;
    if (minus)
        advance(p);
    if (!is_float(&p->token)) {
        operand->number = parse_sum(p, 0);
        return;
    }
    Token token = advance(p);
    operand->number_kind = token.number_kind;
    operand->number = token.number;
    if (minus)
        operand->number ^= token.number_kind == NUMBER_FLOAT32 ? 1ull << 31 : 1ull << 63;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_special_register(const Token *token)
{
    static const char *const names[] = {"%tid.x",
                                        "%tid.y",
                                        "%tid.z",
                                        "%ntid.x",
                                        "%ntid.y",
                                        "%ntid.z",
                                        "%ctaid.x",
                                        "%ctaid.y",
                                        "%ctaid.z",
                                        "%nctaid.x",
                                        "%nctaid.y",
                                        "%nctaid.z",
                                        "%laneid",
                                        "%warpid",
                                        "%nwarpid",
                                        "%lanemask_eq",
                                        "%lanemask_le",
                                        "%lanemask_lt",
                                        "%lanemask_ge",
                                        "%lanemask_gt",
                                        "%clock",
                                        "%clock_hi",
                                        "%clock64",
                                        "%globaltimer",
                                        "%globaltimer_lo",
                                        "%globaltimer_hi",
                                        "%smid",
                                        "%nsmid",
                                        "%gridid",
                                        "%dynamic_smem_size",
                                        "%total_smem_size",
                                        "%envreg1",
                                        "%envreg2",
                                        "%clusterid.x",
                                        "%clusterid.y",
                                        "%clusterid.z",
                                        "%nclusterid.x",
                                        "%nclusterid.y",
                                        "%nclusterid.z",
                                        "%cluster_ctaid.x",
                                        "%cluster_ctaid.y",
                                        "%cluster_ctaid.z",
                                        "%cluster_nctaid.x",
                                        "%cluster_nctaid.y",
                                        "%cluster_nctaid.z",
                                        "%cluster_ctarank",
                                        "%cluster_nctarank",
                                        "%is_explicit_cluster"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (token_is(token, names[i]))
            return true;
    return false;
}

/* name: register | special register | variable addend | function | label | "_" */
static void parse_name(Parser *p, PtxOperand *operand)
{
    Token token = advance(p);
    operand->register_index = find_register(p, &token);
    if (operand->register_index >= 0) {
        operand->kind = PTX_REGISTER;
        return;
    }
    operand->name = copy_text(p, &token);
    ScopedName *name = find_name(p, token.text, token.length);
    if (token_is(&token, "_")) {
        operand->kind = PTX_SINK;
    } else if (token_is(&token, "WARP_SZ")) {
        operand->kind = PTX_IMMEDIATE;
        operand->number = 32;
    } else if (is_special_register(&token)) {
        operand->kind = PTX_SPECIAL;
    } else if (name != NULL && name->kind == NAME_VARIABLE) {
        operand->kind = PTX_VARIABLE;
        operand->variable = name->variable;
        operand->number = (uint64_t)parse_addend(p);
    } else if (name != NULL && name->kind == NAME_FUNCTION) {
        operand->kind = PTX_FUNCTION;
    } else if (token.text[0] == '%') {
        refuse(p, &token, "found %s, which is not a declared register", shown(p, &token));
    } else {
        operand->kind = PTX_LABEL;
        note_label_use(p, operand, &token);
    }
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* Counts the operands up to `close`, so that their array never has to move: uses of labels keep pointers into it. */
static int count_elements(const Parser *p, const char *close)
{
    Lexer ahead = p->lexer;
    int count = 1;
    for (Token token = p->token; token.kind != TOKEN_END && !token_is(&token, close); token = lexer_next(&ahead))
        count += token_is(&token, ",");
    return count;
}

/* elements: operand ("," operand)* close */
void parse_elements(Parser *p, PtxOperand *operand, const char *close, int depth)
{
    int room = count_elements(p, close);
    operand->elements = arena_array(p->arena, (size_t)room, sizeof *operand->elements);
    while (!token_is(&p->token, close)) {
        if (operand->element_count == room)
            refuse(p, &p->token, "found %s, expected '%s'", shown(p, &p->token), close);
        parse_operand(p, &operand->elements[operand->element_count++], depth + 1);
        if (!consume(p, ","))
            break;
    }
    expect(p, close);
}

/* address: "[" (register | variable | integer) addend ["," "{" elements "}"] "]" */
static void parse_address(Parser *p, PtxOperand *operand, int depth)
{
    Token token = p->token;
    if (token.kind == TOKEN_NUMBER) {
        operand->number = expect_integer(p);
    } else {
        parse_name(p, operand);
        if (operand->kind != PTX_REGISTER && operand->kind != PTX_VARIABLE)
            refuse(p, &token, "found %s, expected an address", shown(p, &token));
        if (operand->kind == PTX_REGISTER)
            operand->number = (uint64_t)parse_addend(p);
    }
    if (operand->kind != PTX_REGISTER)
        operand->register_index = -1;
    operand->kind = PTX_ADDRESS;
    if (consume(p, ",")) {
        expect(p, "{");
        parse_elements(p, operand, "}", depth);
    }
    expect(p, "]");
}

static bool starts_number(const Token *token)
{
    return token->kind == TOKEN_NUMBER || token_is(token, "-") || token_is(token, "~") || token_is(token, "(");
}

/* operand: ["!"] name ["|" name] | number | address | "{" elements "}" | "(" elements ")" */
void parse_operand(Parser *p, PtxOperand *operand, int depth)
{
    operand->register_index = -1;
    if (depth == 4)
        refuse(p, &p->token, "operands with more than 4 levels of nesting");
    if (consume(p, "[")) {
        parse_address(p, operand, depth);
    } else if (consume(p, "{")) {
        operand->kind = PTX_VECTOR;
        parse_elements(p, operand, "}", depth);
    } else if (p->in_call && consume(p, "(")) {
        operand->kind = PTX_LIST;
        parse_elements(p, operand, ")", depth);
    } else if (starts_number(&p->token)) {
        parse_number(p, operand);
    } else {
        operand->negated = consume(p, "!");
        if (p->token.kind != TOKEN_WORD)
            refuse(p, &p->token, "found %s, expected an operand", shown(p, &p->token));
        parse_name(p, operand);
        if (consume(p, "|")) {
            PtxOperand *pair = arena_array(p->arena, 2, sizeof *pair);
            pair[0] = *operand;
            parse_operand(p, &pair[1], depth + 1);
            *operand = (PtxOperand){.kind = PTX_PAIR, .elements = pair, .element_count = 2, .register_index = -1};
        }
    }
}
