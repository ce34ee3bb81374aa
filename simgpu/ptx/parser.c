/* Recursive descent over the tokens of lexer.h: one function per grammar rule, with the rule above it.
 *
 * An error leaves through one longjmp(), since everything that was made lies in the module's arena. An error in the
 * operands of an instruction leaves only that instruction.
 *
 * All names of all scopes are in one hash table. Inlined assembly and call sequences declare the same register names
 * again and again in nested braces. A label can be used before it is declared, so labels are bound at the end of a
 * function. */
#include "simgpu/ptx/parser.h"

#include "simgpu/ptx/lexer.h"
#include "simgpu/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ==== parser state ================================================================================================ */

/* The state of the parser of PTX text, which all its files share.
 *
 * A function parse_x reads the grammar rule x, which stands above it, and leaves the token behind it in `token`.
 *
 * Owns     nothing: everything that is made lies in the arena of the module, so that giving up halfway leaks nothing.
 * Errors   refuse() does not return: it jumps back into ptx_parse(), or from the operands of an
 *          instruction to the end of that instruction. Any function that takes a token may end so. */

enum { NAME_BUCKETS = 1024, MAX_SCOPES = 200 };

typedef enum NameKind { NAME_REGISTER, NAME_REGISTER_RANGE, NAME_VARIABLE, NAME_FUNCTION, NAME_LABEL } NameKind;

typedef struct ScopedName {
    struct ScopedName *next; /* in the bucket, newest first */
    const char *text;
    size_t length;
    NameKind kind;
    int scope;
    int first, count; /* registers */
    PtxVariable *variable;
    PtxLabel *label;
} ScopedName;

typedef struct LabelUse LabelUse;

typedef struct Parser {
    Lexer lexer;
    Token token; /* the next one */
    PtxModule *module;
    Arena *arena;
    jmp_buf *give_up;    /* where refuse() jumps to: the end of the instruction, or out of the module */
    const char *refusal; /* what refuse() said, and about which line */
    int refused_line;

    ScopedName *buckets[NAME_BUCKETS];
    int open_scopes[MAX_SCOPES], depth, scope_count;

    PtxFunction *function;
    LabelUse *label_uses;
    uint32_t unused_bytes; /* of the next instruction, if that is a load */
    bool in_call;          /* "(" begins a list, not an expression */
    size_t instruction_capacity;
    int register_capacity;
    int file, line;    /* of the latest .loc */
    int function_file; /* of the function's first .loc */
} Parser;

/* ==== parse token ================================================================================================= */

/* Gives up because of the token `at`. */
__attribute__((format(printf, 3, 4), noreturn)) static void refuse(Parser *p, const Token *at, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->refusal = arena_string(p->arena, text);
    p->refused_line = at->line;
    longjmp(*p->give_up, 1);
}

/* The token in quotes, for messages. At most 60 characters of a token, printable, for messages. */
static const char *shown(Parser *p, const Token *token)
{
    if (token->kind == TOKEN_END)
        return "the end of the text";
    char *copy = arena_printf(p->arena, "'%.*s'", (int)(token->length < 60 ? token->length : 60), token->text);
    for (char *c = copy; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return copy;
}

/* Takes the token, whatever it is. */
static Token advance(Parser *p)
{
    Token taken = p->token;
    p->token = lexer_next(&p->lexer);
    if (p->token.kind == TOKEN_BAD)
        refuse(p, &p->token, "found %s, expected PTX", shown(p, &p->token));
    return taken;
}

/* Takes the token if it is `text`. */
static bool consume(Parser *p, const char *text)
{
    if (!token_is(&p->token, text))
        return false;
    advance(p);
    return true;
}

/* Takes the token, which must be `text`. */
static void expect(Parser *p, const char *text)
{
    if (!consume(p, text))
        refuse(p, &p->token, "found %s, expected '%s'", shown(p, &p->token), text);
}

/* Skips the tokens before the next `text`, which must come. */
static void skip_to(Parser *p, const char *text)
{
    while (!token_is(&p->token, text)) {
        if (p->token.kind == TOKEN_END)
            refuse(p, &p->token, "found the end of the text, expected '%s'", text);
        advance(p);
    }
}

/* `what` is for the message: "a label". */
static Token expect_word(Parser *p, const char *what)
{
    if (p->token.kind != TOKEN_WORD)
        refuse(p, &p->token, "found %s, expected %s", shown(p, &p->token), what);
    return advance(p);
}

static uint64_t expect_integer(Parser *p)
{
    if (p->token.kind != TOKEN_NUMBER || p->token.number_kind != NUMBER_INTEGER)
        refuse(p, &p->token, "found %s, expected an integer", shown(p, &p->token));
    return advance(p).number;
}

static char *copy_text(Parser *p, const Token *token)
{
    return arena_copy(p->arena, token->text, token->length);
}

/* ==== parse scope ================================================================================================= */

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

static void open_scope(Parser *p)
{
    if (p->depth == MAX_SCOPES)
        refuse(p, &p->token, "more than %d nested scopes", MAX_SCOPES);
    p->open_scopes[p->depth++] = p->scope_count++;
}

static void close_scope(Parser *p)
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

/* The newest of that name in the open scopes; NULL: none. */
static ScopedName *find_name(Parser *p, const char *text, size_t length)
{
    for (ScopedName *name = p->buckets[bucket_of(text, length)]; name != NULL; name = name->next)
        if (name->length == length && memcmp(name->text, text, length) == 0 &&
            is_open(p->open_scopes, p->depth, name->scope))
            return name;
    return NULL;
}

/* Declares a name in the innermost scope; the caller fills in what it stands for. */
static ScopedName *add_name(Parser *p, const Token *token, NameKind kind)
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

/* Notes that bind_labels() is to set `operand->label`; so the operand must not move. */
static void note_label_use(Parser *p, PtxOperand *operand, const Token *token)
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

/* Binds the uses of labels in a function at its end. */
static void bind_labels(Parser *p)
{
    for (LabelUse *use = p->label_uses; use != NULL; use = use->next) {
        use->operand->label = find_label(p, use);
        if (use->operand->label == NULL)
            refuse(p, &use->token, "found %s, which is not declared", shown(p, &use->token));
    }
    p->label_uses = NULL;
}

/* ==== parse register ============================================================================================== */

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
static void parse_registers(Parser *p)
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

/* The number of a register in the function; -1: no register has that name. "%r12" is register 12 of the range "%r<27>". */
static int find_register(Parser *p, const Token *token)
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

/* ==== parse operand =============================================================================================== */

static void parse_operand(Parser *p, PtxOperand *operand, int depth);

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* addend: [("+" | "-") integer] */
static int64_t parse_addend(Parser *p)
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

/* Reads the elements of `operand`, and `close` behind them.
 * elements: operand ("," operand)* close */
static void parse_elements(Parser *p, PtxOperand *operand, const char *close, int depth)
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

/* `operand` is all zero; `depth` is the number of operands around this one.
 * operand: ["!"] name ["|" name] | number | address | "{" elements "}" | "(" elements ")" */
static void parse_operand(Parser *p, PtxOperand *operand, int depth)
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

/* ==== parse variable ============================================================================================== */

enum { MAX_VARIABLE_BYTES = 1 << 30 };

/* The state space that ".shared" and its like name; PTX_NO_SPACE: the token names none. */
static PtxSpace space_of(const Token *token)
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
static PtxVariable *parse_variable(Parser *p)
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

/* Adds each variable at the front of the list.
 * variables: declarator ("," name dimensions)* ";" ; compilers write only the first form */
static void parse_variables(Parser *p, PtxVariable **list)
{
    PtxVariable *variable = parse_variable(p);
    expect(p, ";");
    variable->next = *list;
    *list = variable;
}

/* ==== parser ====================================================================================================== */

enum { MAX_FILES = 4096 };

static void skip_statement(Parser *p)
{
    skip_to(p, ";");
    expect(p, ";");
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static PtxInstruction *add_instruction(Parser *p)
{
    PtxFunction *function = p->function;
    function->instructions = arena_grown(p->arena, function->instructions, (size_t)function->instruction_count,
                                         &p->instruction_capacity, sizeof *function->instructions);
    return &function->instructions[function->instruction_count++];
}

/* operands: [operand ("," operand)*], up to a ";" */
static void parse_operands(Parser *p, PtxInstruction *instruction)
{
    instruction->operands = arena_array(p->arena, PTX_MAX_OPERANDS, sizeof *instruction->operands);
    int count = 0;
    while (!token_is(&p->token, ";")) {
        if (count == PTX_MAX_OPERANDS)
            refuse(p, &p->token, "more than %d operands", PTX_MAX_OPERANDS);
        parse_operand(p, &instruction->operands[count++], 0);
        if (!consume(p, ","))
            break;
    }
    if (!token_is(&p->token, ";"))
        refuse(p, &p->token, "found %s, expected ';'", shown(p, &p->token));
    instruction->operand_count = (uint8_t)count;
}

/* Skips operands that the parser does not understand (samplers, special registers of later PTX), and keeps the
 * reason. */
static void try_operands(Parser *p, PtxInstruction *instruction)
{
    LabelUse *const label_uses = p->label_uses;
    jmp_buf *const outer = p->give_up;
    jmp_buf here;
    if (setjmp(here) == 0) {
        p->give_up = &here;
        parse_operands(p, instruction);
        p->give_up = outer;
    } else {
        p->give_up = outer;
        if (p->token.kind == TOKEN_BAD)
            longjmp(*outer, 1);
        instruction->refusal = p->refusal;
        p->label_uses = label_uses; /* a name that looked like a label may be a texture */
        skip_to(p, ";");
    }
}

/* The function's last instruction, among those on the same line. */
static int place_on_line(const PtxFunction *function)
{
    const PtxInstruction *last = &function->instructions[function->instruction_count - 1];
    bool is_first = function->instruction_count == 1 || last[-1].ptx_line != last->ptx_line;
    return is_first ? 0 : last[-1].place + 1;
}

/* instruction: ["@" ["!"] register] opcode operands ";" */
static void parse_instruction(Parser *p)
{
    PtxInstruction *instruction = add_instruction(p);
    *instruction = (PtxInstruction){.guard = -1, .file = p->file, .line = p->line, .unused_bytes = p->unused_bytes};
    p->unused_bytes = 0;
    if (consume(p, "@")) {
        instruction->guard_negated = consume(p, "!");
        Token guard = expect_word(p, "a predicate");
        instruction->guard = find_register(p, &guard);
        if (instruction->guard < 0 || p->function->register_types[instruction->guard] != PTX_PRED)
            refuse(p, &guard, "found %s, expected a predicate register", shown(p, &guard));
    }
    Token opcode = expect_word(p, "an instruction");
    instruction->opcode = copy_text(p, &opcode);
    instruction->ptx_line = opcode.line;
    instruction->place = place_on_line(p->function);
    p->in_call = strncmp(instruction->opcode, "call", 4) == 0;
    try_operands(p, instruction);
    expect(p, ";");
}

/* loc: ".loc" file line column ["," "function_name" label ["+" integer] "," "inlined_at" file line column] Code inlined
 * from another file, mostly a CUDA header, counts for the line of its caller. If the caller was inlined from there as
 * well, it counts for the line to which the caller's own .loc, which comes first, was assigned. */
static void parse_loc(Parser *p)
{
    expect(p, ".loc");
    int file = (int)expect_integer(p), line = (int)expect_integer(p);
    expect_integer(p);
    if (p->function_file == 0)
        p->function_file = file;
    while (consume(p, ",")) {
        Token word = expect_word(p, "function_name or inlined_at");
        if (!token_is(&word, "inlined_at")) {
            expect_word(p, "a label");
            parse_addend(p);
            continue;
        }
        int caller_file = (int)expect_integer(p), caller_line = (int)expect_integer(p);
        expect_integer(p);
        if (file != p->function_file) {
            file = caller_file;
            line = caller_line;
        }
        if (file != p->function_file && p->file == p->function_file)
            return;
    }
    p->file = file;
    p->line = line;
}

/* branchtargets: ".branchtargets" label ("," label)* ";" */
static void parse_branch_targets(Parser *p, PtxLabel *label)
{
    PtxOperand list = {0};
    parse_elements(p, &list, ";", 0);
    label->targets = list.elements;
    label->target_count = list.element_count;
}

/* label: name ":" [branchtargets | ".callprototype" ... ";"] */
static void parse_label(Parser *p, const Token *token)
{
    PtxLabel *label = arena_alloc(p->arena, sizeof *label);
    label->name = copy_text(p, token);
    label->instruction = p->function->instruction_count;
    add_name(p, token, NAME_LABEL)->label = label;
    if (consume(p, ".branchtargets"))
        parse_branch_targets(p, label);
    else if (consume(p, ".callprototype"))
        while (!consume(p, ";"))
            advance(p);
}

/* Looks one token ahead: a label is a name followed by a colon. */
static bool is_label(const Parser *p)
{
    Lexer ahead = p->lexer;
    Token next = lexer_next(&ahead);
    return p->token.kind == TOKEN_WORD && token_is(&next, ":");
}

static void parse_block(Parser *p);

/* The bytes that a string such as "used_bytes_mask 4095" leaves out; 0 for any other string. */
static uint32_t left_out_bytes(const Token *string)
{
    static const char name[] = "used_bytes_mask ";
    uint64_t mask = 0;
    if (string->kind != TOKEN_STRING || string->length < sizeof name ||
        memcmp(string->text, name, sizeof name - 1) != 0)
        return 0;
    for (size_t i = sizeof name - 1; i < string->length; i++) {
        if (string->text[i] < '0' || string->text[i] > '9' || mask > UINT32_MAX)
            return 0;
        mask = 10 * mask + (uint64_t)(string->text[i] - '0');
    }
    return ~(uint32_t)mask;
}

/* pragma: ".pragma" string ("," string)* ";" (PTX ISA 9.0, Pragma Strings: "used_bytes_mask" tells which bytes of the
 * next load are used: the compiler has made one vector load of several loads and of gaps between or behind them) */
static void parse_pragma(Parser *p)
{
    expect(p, ".pragma");
    for (; !token_is(&p->token, ";") && p->token.kind != TOKEN_END; advance(p))
        p->unused_bytes |= left_out_bytes(&p->token);
    expect(p, ";");
}

/* statement: registers | variables | loc | pragma | block | label | instruction */
static void parse_statement(Parser *p)
{
    if (token_is(&p->token, ".reg")) {
        parse_registers(p);
    } else if (space_of(&p->token) != PTX_NO_SPACE) {
        parse_variables(p, &p->function->variables);
    } else if (token_is(&p->token, ".loc")) {
        parse_loc(p);
    } else if (token_is(&p->token, ".pragma")) {
        parse_pragma(p);
    } else if (token_is(&p->token, "{")) {
        parse_block(p);
    } else if (is_label(p)) {
        Token name = advance(p);
        expect(p, ":");
        parse_label(p, &name);
    } else {
        parse_instruction(p);
    }
}

/* block: "{" statement* "}" */
static void parse_block(Parser *p)
{
    expect(p, "{");
    open_scope(p);
    while (!token_is(&p->token, "}")) {
        if (p->token.kind == TOKEN_END)
            refuse(p, &p->token, "found the end of the text, expected '}'");
        parse_statement(p);
    }
    close_scope(p);
    expect(p, "}");
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void append_variable(PtxVariable **list, PtxVariable *variable)
{
    while (*list != NULL)
        list = &(*list)->next;
    *list = variable;
}

/* parameters: "(" [declarator ("," declarator)*] ")" */
static PtxVariable *parse_parameters(Parser *p, uint32_t *count, uint32_t *bytes)
{
    PtxVariable *list = NULL;
    uint64_t offset = 0;
    expect(p, "(");
    while (!token_is(&p->token, ")")) {
        if (space_of(&p->token) != PTX_PARAM)
            refuse(p, &p->token, "found %s, expected .param", shown(p, &p->token));
        PtxVariable *parameter = parse_variable(p);
        offset = (offset + parameter->align - 1) / parameter->align * parameter->align;
        parameter->address = offset;
        offset += parameter->bytes;
        if (offset > 32764) /* PTX ISA, Kernel Function Parameters */
            refuse(p, &p->token, "more than 32764 bytes of parameters");
        append_variable(&list, parameter);
        ++*count;
        if (!consume(p, ","))
            break;
    }
    expect(p, ")");
    *bytes = (uint32_t)offset;
    return list;
}

/* limit: ".maxntid" x ["," y ["," z]] | another performance directive with its numbers */
static void parse_limits(Parser *p, PtxFunction *function)
{
    while (p->token.kind == TOKEN_WORD && p->token.text[0] == '.') {
        Token directive = advance(p);
        uint64_t product = 1;
        uint32_t extents[3] = {1, 1, 1}, count = 0;
        while (p->token.kind == TOKEN_NUMBER || token_is(&p->token, ",")) {
            if (p->token.kind == TOKEN_NUMBER && product < 1u << 20)
                product *= p->token.number;
            if (p->token.kind == TOKEN_NUMBER && count < 3)
                extents[count++] = (uint32_t)p->token.number;
            advance(p);
        }
        if (token_is(&directive, ".maxntid") || token_is(&directive, ".reqntid"))
            function->max_threads = (uint32_t)(product < 1u << 20 ? product : 1u << 20);
        else if (token_is(&directive, ".reqnctapercluster") && count > 0)
            memcpy(function->cluster, extents, sizeof function->cluster);
        else if (token_is(&directive, ".pragma"))
            advance(p);
    }
}

/* function: (".entry" | ".func" [parameters]) name [parameters] limit* (";" | block) */
static void parse_function(Parser *p, bool is_entry)
{
    PtxFunction *function = arena_alloc(p->arena, sizeof *function);
    uint32_t ignored_count = 0, ignored_bytes;
    int outer_depth = p->depth;
    function->is_entry = is_entry;
    p->function = function;
    p->register_capacity = 0;
    p->instruction_capacity = 0;
    p->file = p->line = p->function_file = 0;
    if (!is_entry && p->token.kind == TOKEN_WORD && p->token.text[0] == '.')
        advance(p); /* .noreturn, for example */
    open_scope(p);
    if (!is_entry && token_is(&p->token, "("))
        function->results = parse_parameters(p, &ignored_count, &ignored_bytes);
    Token name = expect_word(p, "the name of a function");
    function->name = copy_text(p, &name);
    p->depth = outer_depth;
    add_name(p, &name, NAME_FUNCTION);
    p->depth = outer_depth + 1;
    if (token_is(&p->token, "("))
        function->parameters = parse_parameters(p, &function->parameter_count, &function->parameter_bytes);
    parse_limits(p, function);
    if (!consume(p, ";")) {
        function->has_body = true;
        parse_block(p);
        bind_labels(p);
    }
    close_scope(p);
    /* A definition replaces its declaration, whichever comes first. */
    for (PtxFunction **other = &p->module->functions; *other != NULL; other = &(*other)->next)
        if (strcmp((*other)->name, function->name) == 0) {
            if ((*other)->has_body && !function->has_body)
                return;
            *other = (*other)->next;
            break;
        }
    function->next = p->module->functions;
    p->module->functions = function;
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

/* file: ".file" integer string ["," integer "," integer] */
static void parse_file(Parser *p)
{
    Token at = advance(p);
    uint64_t number = expect_integer(p);
    if (number >= MAX_FILES)
        refuse(p, &at, "file number %llu, the limit is %d", (unsigned long long)number, MAX_FILES);
    if (p->token.kind != TOKEN_STRING)
        refuse(p, &p->token, "found %s, expected a file name", shown(p, &p->token));
    Token name = advance(p);
    if (p->module->files == NULL)
        p->module->files = arena_array(p->arena, MAX_FILES, sizeof *p->module->files);
    p->module->files[number] = copy_text(p, &name);
    p->module->file_count = MAX_FILES;
    while (consume(p, ","))
        expect_integer(p);
}

/* section: ".section" name "{" anything "}" */
static void skip_section(Parser *p)
{
    advance(p);
    expect_word(p, "the name of a section");
    expect(p, "{");
    while (p->token.kind != TOKEN_END && !token_is(&p->token, "}"))
        advance(p);
    expect(p, "}");
}

/* directive: [".visible" | ".extern" | ".weak" | ".common"] (function | variables) | file | section | ... */
static void parse_directive(Parser *p)
{
    if (consume(p, ".visible") || consume(p, ".extern") || consume(p, ".weak") || consume(p, ".common"))
        return; /* the linking does not matter, since there is only one module */
    if (consume(p, ".entry"))
        parse_function(p, true);
    else if (consume(p, ".func"))
        parse_function(p, false);
    else if (space_of(&p->token) != PTX_NO_SPACE)
        parse_variables(p, &p->module->variables);
    else if (token_is(&p->token, ".file"))
        parse_file(p);
    else if (token_is(&p->token, ".section"))
        skip_section(p);
    else if (consume(p, ".version") || consume(p, ".address_size"))
        advance(p);
    else if (consume(p, ".target"))
        do
            expect_word(p, "a target");
        while (consume(p, ","));
    else if (token_is(&p->token, ".pragma") || token_is(&p->token, ".alias"))
        skip_statement(p);
    else if (!consume(p, ";"))
        refuse(p, &p->token, "found %s, expected a directive", shown(p, &p->token));
}

/* module: directive* */
static void parse_module(Parser *p)
{
    open_scope(p);
    advance(p);
    if (!token_is(&p->token, ".version"))
        refuse(p, &p->token, "found %s, expected .version at the start of PTX", shown(p, &p->token));
    while (p->token.kind != TOKEN_END)
        parse_directive(p);
}

/* The address 0 is no function's. */
static void number_functions(PtxModule *module)
{
    uint64_t address = FUNCTION_WINDOW;
    for (PtxFunction *function = module->functions; function != NULL; function = function->next)
        function->address = address += FUNCTION_ADDRESSES;
}

Status ptx_parse(const char *name, const char *text, size_t length, PtxModule *module, Message *why)
{
    *module = (PtxModule){0};
    module->name = arena_string(&module->arena, name);
    Parser *parser = arena_alloc(&module->arena, sizeof *parser);
    parser->lexer = lexer_new(text, length);
    parser->module = module;
    parser->arena = &module->arena;
    jmp_buf give_up;
    parser->give_up = &give_up;
    if (setjmp(give_up) != 0) {
        fail(STATUS_BAD_INPUT, why, "%s:%d: %s", name, parser->refused_line, parser->refusal);
        ptx_free(module);
        return STATUS_BAD_INPUT;
    }
    parse_module(parser);
    number_functions(module);
    return STATUS_OK;
}

void ptx_free(PtxModule *module)
{
    arena_free(&module->arena);
    *module = (PtxModule){0};
}

const PtxFunction *ptx_function(const PtxModule *module, const char *name)
{
    for (const PtxFunction *function = module->functions; function != NULL; function = function->next)
        if (strcmp(function->name, name) == 0)
            return function;
    return NULL;
}
