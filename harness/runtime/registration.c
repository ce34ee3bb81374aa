#include "harness/runtime/registration.h"

#include "harness/protocol/ring.h"
#include "harness/runtime/client.h"
#include "harness/runtime/managed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Variable {
    const void *host;
    const char *name;
    uint64_t module;
    bool asked; /* the broker has been asked for the fields below */
    cudaError_t error;
    uint64_t address, bytes;
    struct Variable *next;
} Variable;

/* The argument of __cudaRegisterFatBinary(). `data` points to a fatbin (simgpu/ptx/fatbin.h). */
typedef struct FatbinWrapper {
    uint32_t magic, version;
    const void *data;
    void *unused;
} FatbinWrapper;

typedef struct FatbinPrefix {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t payload_bytes;
} FatbinPrefix;

enum { WRAPPER_MAGIC = 0x466243b1 };
static const uint32_t FATBIN_MAGIC = 0xBA55ED50u;

static Function *functions;
static Variable *variables;

/* ---- modules ----------------------------------------------------------------------------------------------------- */

/* The handle is the module's number plus one, cast to a pointer. Code made by nvcc only passes it on. */
static void **handle_of(uint64_t module)
{
    return (void **)(uintptr_t)(module + 1);
}

static uint64_t module_of(void **handle)
{
    return (uint64_t)(uintptr_t)handle - 1;
}

static cudaError_t send_module(const FatbinPrefix *fatbin, size_t bytes, uint64_t *module)
{
    RingReply reply;
    client_lock();
    memcpy(client_staging(), fatbin, bytes);
    cudaError_t error = client_call(RING_MODULE, (RingWords){{bytes}}, &reply);
    *module = reply.value[0];
    client_unlock();
    return error;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    const FatbinWrapper *outer = wrapper;
    uint64_t module = UINT64_MAX - 1;
    caller_is_in(__builtin_return_address(0));
    if (outer->magic != WRAPPER_MAGIC)
        return handle_of(module);
    const FatbinPrefix *fatbin = outer->data;
    size_t bytes = fatbin->header_bytes + fatbin->payload_bytes;
    if (fatbin->magic == FATBIN_MAGIC && bytes <= RING_STAGING_BYTES)
        result(send_module(fatbin, bytes, &module));
    return handle_of(module);
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
}

/* A module lives until the process ends. */
void __cudaUnregisterFatBinary(void **handle)
{
}

char __cudaInitModule(void **handle)
{
    return 1;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

void __cudaRegisterFunction(void **handle, const char *host_function, char *device_function, const char *device_name,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size)
{
    Function *function = calloc(1, sizeof *function);
    if (function == NULL)
        return;
    function->host = host_function;
    function->name = device_name;
    function->module = module_of(handle);
    client_lock();
    function->next = functions;
    functions = function;
    client_unlock();
}

static cudaError_t name_call(RingKind kind, uint64_t module, const char *name, RingReply *reply)
{
    RingName body = {.module = module};
    if (strlen(name) >= sizeof body.name)
        return cudaErrorInvalidValue;
    strcpy(body.name, name);
    return client_call_body(kind, &body, sizeof body, NULL, 0, reply);
}

static cudaError_t ask_function(Function *function)
{
    RingReply reply;
    cudaError_t error = name_call(RING_FUNCTION, function->module, function->name, &reply);
    if (error != cudaSuccess)
        return error;
    function->id = reply.value[0];
    function->info = malloc(sizeof *function->info);
    if (function->info == NULL)
        return cudaErrorMemoryAllocation;
    memcpy(function->info, client_staging(), sizeof *function->info);
    return cudaSuccess;
}

cudaError_t function_find(const void *host, Function **found)
{
    client_lock();
    Function *function = functions;
    while (function != NULL && function->host != host && function != host)
        function = function->next;
    if (function != NULL && !function->asked) {
        function->asked = true;
        function->error = ask_function(function);
    }
    client_unlock();
    *found = function;
    return function == NULL ? cudaErrorInvalidResourceHandle : function->error;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

void __cudaRegisterVar(void **handle, char *host_variable, char *device_address, const char *device_name, int external,
                       size_t size, int constant, int global)
{
    Variable *variable = malloc(sizeof *variable);
    if (variable == NULL)
        return;
    client_lock();
    *variable = (Variable){.host = host_variable, .name = device_name, .module = module_of(handle), .next = variables};
    variables = variable;
    client_unlock();
}

static cudaError_t ask_variable(uint64_t module, const char *name, uint64_t *address, uint64_t *bytes)
{
    RingReply reply;
    cudaError_t error = name_call(RING_VARIABLE, module, name, &reply);
    *address = reply.value[0];
    *bytes = reply.value[1];
    return error;
}

cudaError_t variable_find(const void *host, uint64_t *address, uint64_t *bytes)
{
    client_lock();
    Variable *variable = variables;
    while (variable != NULL && variable->host != host)
        variable = variable->next;
    if (variable != NULL && !variable->asked) {
        variable->asked = true;
        variable->error = ask_variable(variable->module, variable->name, &variable->address, &variable->bytes);
    }
    client_unlock();
    if (variable == NULL)
        return cudaErrorInvalidSymbol;
    *address = variable->address;
    *bytes = variable->bytes;
    return variable->error;
}

/* A program can have the address of a variable only if the broker was asked for it. */
bool variable_holds(uint64_t address)
{
    client_lock();
    const Variable *variable = variables;
    while (variable != NULL &&
           !(variable->asked && variable->error == cudaSuccess && address - variable->address < variable->bytes))
        variable = variable->next;
    client_unlock();
    return variable != NULL;
}

/* Host code reaches a __managed__ variable through a pointer, which is filled in here. */
void __cudaRegisterManagedVar(void **handle, void **host_pointer, char *device_address, const char *device_name,
                              int external, size_t size, int constant, int global)
{
    uint64_t address, bytes;
    cudaError_t error = ask_variable(module_of(handle), device_name, &address, &bytes);
    if (error == cudaSuccess)
        error = managed_adopt(address, bytes);
    if (error == cudaSuccess)
        *host_pointer = (void *)(uintptr_t)address;
    result(error);
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    uint64_t found, bytes;
    cudaError_t error = address == NULL ? cudaErrorInvalidValue : variable_find(symbol, &found, &bytes);
    if (error == cudaSuccess)
        *address = (void *)(uintptr_t)found;
    return result(error);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    uint64_t address, bytes;
    cudaError_t error = size == NULL ? cudaErrorInvalidValue : variable_find(symbol, &address, &bytes);
    if (error == cudaSuccess)
        *size = bytes;
    return result(error);
}
