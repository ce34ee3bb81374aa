/* Recursive descent over the tokens of lexer.h: one function per grammar rule, with the rule above it.
 *
 * An error leaves through one longjmp(), since everything that was made lies in the module's arena. An error in the
 * operands of an instruction leaves only that instruction.  */
#include "simgpu/ptx/parser.h"

#include "simgpu/ptx/parse_operand.h"

#include <string.h>

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
        instruction->refusal = p->refusal;
        p->label_uses = label_uses; /* a name that looked like a label may be a texture */
        skip_to(p, ";");
    }
}

/* Of the function's last instruction, among those on the same line. */
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
