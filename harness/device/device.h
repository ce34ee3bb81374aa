/* device.h - a CUDA device as the broker sees it: the same operations on a simulated and on a real GPU.
 *
 * The operations come in groups. Every device offers the groups that a kernel needs; the others are NULL as a whole on
 * a device that cannot do such a thing, or has no need of it. No pointer inside a group is NULL. A new kind of device
 * is one more file that fills in the groups (device_sim.c, device_cuda.c); device_open.c opens it.
 *
 * Addresses  all device memory lies in the range of device_addresses.h.
 * Errors     operations return a cudaError_t value as a CudaError (ring.h); 0 is success. After a sticky error
 *            every operation returns that error.
 * Order      operations on one stream happen in order. A NULL stream is the legacy default stream, which waits for all
 *            other blocking streams, as they wait for it.
 * Threads    used by one thread at a time.  */
#ifndef HARNESS_DEVICE_DEVICE_H
#define HARNESS_DEVICE_DEVICE_H

#include "base/chacha20.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/protocol/ring.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/launch_limits.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== device files ================================================================================================ */

/* The files through which a process reaches one GPU and no other. */

enum { DEVICE_MAX_FILES = 4, DEVICE_MAX_FOLDERS = 3 };

/* The files need not exist. */
typedef struct DeviceFiles {
    size_t device_count, folder_count;
    char devices[DEVICE_MAX_FILES][64];         /* to be read, written and controlled */
    char folders[DEVICE_MAX_FOLDERS][PATH_MAX]; /* to be read, besides those of the system */
} DeviceFiles;

/* ==== device info ================================================================================================= */

/* A description of a CUDA device: its name, its limits, and the ceilings of its speed.
 *
 * Source   CUDA Runtime API 13.0, "cudaDeviceProp", for the limits. */

typedef struct DeviceInfo {
    char handle[64];       /* the name that opens this very device: "sim:h200", "cuda:0" */
    char id[64];           /* key of stored times: "sim-h200", or the model's name with dashes */
    char name[256];        /* as cudaDeviceProp.name has it */
    char uuid[48];         /* "GPU-5a0c...": this one device among all of its model; "" for the simulated GPU */
    char driver[64];       /* driver version; "simgpu" for the simulated GPU */
    char passed_over[300]; /* why "auto" did not take a GPU; "": it took one, or another device was named */
    char unconfined[160];  /* what of the broker's sandbox the kernel did not offer; "": nothing, or not open yet */
    bool modelled;         /* times come from a model, not from a clock */
    bool calibrated;       /* the model was fitted to measurements on such a GPU */
    int epoch;             /* version of the timing method: times of different epochs do not compare */
    int compute_major, compute_minor;
    uint32_t multiprocessors, warp_size;
    uint32_t max_threads_per_block, max_threads_per_multiprocessor, max_blocks_per_multiprocessor;
    uint32_t max_block[3], max_grid[3];
    uint32_t registers_per_block, registers_per_multiprocessor;
    uint32_t shared_bytes_per_block, shared_bytes_per_block_optin, shared_bytes_per_multiprocessor;
    uint32_t shared_reserved_bytes_per_block;
    uint32_t constant_bytes, l2_bytes;
    uint64_t memory_bytes;
    uint32_t clock_khz, memory_clock_khz, memory_bus_bits;
    double read_bytes_per_s, copy_bytes_per_s, fma_flops_per_s; /* measured ceilings; 0: not measured */
    double tf32_flops_per_s;                                    /* likewise, of the tensor cores in TF32 */
    double model_factors[MODEL_KINDS], doubts[MODEL_DOUBTS];    /* of modelled times: as in HardwareProfile */
    double usual_clock_mhz; /* of the multiprocessors under load, when the ceilings were measured; 0: unknown */
    double clock_gap_s;     /* host time minus event time of the same work; 0 until the device is calibrated */
    double launch_s;        /* an empty launch, timed as a call is: median, before any code of others; 0: unknown */
    double launch_spread_s; /* half of the 95 % interval of that median */
    double usual_launch_s;  /* launch_s when the ceilings were measured; 0: unknown */
    bool pageable_access;   /* kernels can read the judge's own host memory, so nothing is ranked on this device */
} DeviceInfo;

/* Returns what this host adds to every call: the excess of an empty launch over one on the host where the ceilings were
 * measured, but at most 5 us; 0 if it is unknown, or 0.6 us or less. Two hosts with the same GPU differed by 1.1 to 1.7
 * us, and 26 openings of the device on one host by up to 0.5 us (measured). */
double device_host_constant_s(const DeviceInfo *info);

/* A word for the device's times: "modelled", "modelled, uncalibrated", or "" where a clock takes them. */
const char *device_time_label(const DeviceInfo *info);

/* ==== device tensor =============================================================================================== */

/* A tensor of device memory that a tensor map describes (DeviceTensorOps).
 *
 * Source   CUDA Driver API 13.0, Tensor Map Object Management. */

enum { DEVICE_TENSOR_DIMENSIONS = 5, DEVICE_TENSOR_MAP_BYTES = 128, DEVICE_TENSOR_MAP_ALIGNMENT = 64 };

/* The values are those of the driver's enumerations CUtensorMapDataType, ...Swizzle and ...FloatOOBfill. */
typedef enum DeviceTensorType {
    DEVICE_TENSOR_U8,
    DEVICE_TENSOR_U16,
    DEVICE_TENSOR_U32,
    DEVICE_TENSOR_S32,
    DEVICE_TENSOR_U64,
    DEVICE_TENSOR_S64,
    DEVICE_TENSOR_F16,
    DEVICE_TENSOR_F32,
    DEVICE_TENSOR_F64,
    DEVICE_TENSOR_BF16,
    DEVICE_TENSOR_F32_FLUSHED, /* to zero where it is subnormal */
    DEVICE_TENSOR_TF32,
    DEVICE_TENSOR_TF32_FLUSHED,
    DEVICE_TENSOR_TYPES
} DeviceTensorType;
typedef enum DeviceTensorSwizzle {
    DEVICE_TENSOR_NOT_SWIZZLED,
    DEVICE_TENSOR_SWIZZLE_32,
    DEVICE_TENSOR_SWIZZLE_64,
    DEVICE_TENSOR_SWIZZLE_128,
    DEVICE_TENSOR_SWIZZLES
} DeviceTensorSwizzle;

/* A tensor of device memory, and the box of it that one bulk copy moves. Dimension 0 is the innermost. */
typedef struct DeviceTensor {
    uint64_t address;
    uint64_t extents[DEVICE_TENSOR_DIMENSIONS];     /* elements */
    uint64_t strides[DEVICE_TENSOR_DIMENSIONS - 1]; /* bytes, of dimensions 1, 2 ... */
    uint32_t box[DEVICE_TENSOR_DIMENSIONS];         /* elements */
    uint32_t steps[DEVICE_TENSOR_DIMENSIONS];       /* every so many elements of the box are moved */
    uint32_t rank;
    DeviceTensorType type;
    DeviceTensorSwizzle swizzle;
    uint32_t promotion; /* CUtensorMapL2promotion, a hint */
    bool fills_nan;     /* what lies outside of the tensor reads as NaN, else as 0 */
} DeviceTensor;

/* ==== mistake ===================================================================================================== */

/* The kind of a mistake, its source line, and the array, the CUDA call or the limit that it concerns: all that may be told of it
 * where the data are secret.
 *
 * A text about a mistake says much more, but a submission can put what it likes into a text: names of kernels, sizes,
 * addresses, notes. So whoever writes a text sets the kind as well, from a fixed list (mistake.def). A submission chooses
 * the names here, too; those that may be told are chosen by grader/judge/wording.h. */

#define MISTAKE(constant, words) MISTAKE_##constant,
typedef enum MistakeKind {
#include "harness/device/mistake.def"
    MISTAKE_KINDS
} MistakeKind;
#undef MISTAKE

typedef enum MistakeSide { MISTAKE_SIDE_UNKNOWN, MISTAKE_BEFORE, MISTAKE_PAST, MISTAKE_SIDES } MistakeSide;

enum { MISTAKE_NAME_BYTES = 64 };

typedef struct Mistake {
    MistakeKind kind;
    int line; /* of the submission's own source; 0: unknown. A submission chooses it: `#line` can make it any number */
    MistakeSide side;               /* of the array at which an access lies outside of it */
    char array[MISTAKE_NAME_BYTES]; /* name of the array; "": unknown */
    char kernel[MISTAKE_NAME_BYTES];
    uint32_t parameter;            /* of the kernel, from 1: it points to the array; 0: unknown */
    char call[MISTAKE_NAME_BYTES]; /* the CUDA call that fails or is not provided; "": none, or unknown */
    LaunchLimit limit;             /* that a refused launch breaks; LAUNCH_FITS: unknown */
} Mistake;

/* `file` is the name of a source file as the compiler knew it, NULL: unknown. Lines of other files than the
 * submission's are unknown as well. */
Mistake mistake_at(MistakeKind kind, const char *file, int line);

/* "a kernel executes a trap, or an assertion fails"; of an unknown number the words of MISTAKE_OTHER. */
const char *mistake_words(MistakeKind kind);
/* The same, with the side and the name of the array, the call or the limit, as far as they are known: "a kernel reads past the end of
 * shared array 's'", "a kernel cannot be launched: its grid.y is above 65535". */
void mistake_add(Text *out, const Mistake *mistake);

/* ==== device check ================================================================================================ */

/* Checks of the kernels and of the order of a call on a simulated device, and their findings. */

typedef struct DeviceNamed { /* an array of the call, for messages */
    const char *name;
    uint64_t address, bytes;
    uint32_t element_bytes;
    bool is_unwritten; /* its contents mean nothing: reading it before a kernel has written it is a finding */
} DeviceNamed;

enum { DEVICE_MAX_FINDINGS = 4, DEVICE_MAX_NAMED = 16, DEVICE_POISON_WORDS = 1024 };

typedef struct DeviceFinding { /* undefined behaviour that did not stop the kernel */
    bool is_undefined;         /* the kernel used a value that could be anything: of an inactive lane in a shuffle, */
    bool is_unwritten;         /*   or of bytes that nothing has written, */
    bool is_global;            /*     in global memory */
    Mistake mistake;
    char text[600]; /* one sentence: what happened, and where */
} DeviceFinding;

typedef struct DeviceFindings {
    DeviceFinding items[DEVICE_MAX_FINDINGS];
    uint32_t count, more; /* findings listed here; findings beyond those */
} DeviceFindings;

/* The order in which a call's operations are carried out, where CUDA does not order them (sim/sim_queue.h). */
typedef enum DeviceOrderKind {
    DEVICE_ORDER_LATE,   /* as late as possible, and of several operations the last one first */
    DEVICE_ORDER_ISSUED, /* as the submission asked for them */
    DEVICE_ORDER_DRAWN   /* when, and which one first, is drawn with DeviceCheck.sample_key */
} DeviceOrderKind;
typedef struct DeviceOrder {
    DeviceOrderKind kind;
    bool is_exact;        /* conflicts are found to the byte, which takes longer; else by what lies between the first
                           * and the last byte that is used */
    uint32_t held, until; /* DEVICE_ORDER_ISSUED: operation `held`, counted from 1, waits as long as it may, and until
                           * operation `until` has been carried out; 0: none */
} DeviceOrder;

enum { DEVICE_PARTY_BYTES = 200 };
typedef struct DeviceParty {       /* an operation */
    char name[DEVICE_PARTY_BYTES]; /* "kernel blur on stream 2" */
    uint32_t place; /* where host code asked for it (RingRequest.place), as the submission says; 0: unknown */
} DeviceParty;

/* Two operations that nothing orders, though they use the same memory; or a copy whose memory the host can use too
 * early. */
typedef struct DeviceConflict {
    DeviceOrder order; /* the order of the submission, but with these two exchanged */
    Mistake mistake;
    DeviceParty first, second; /* `second` does not wait for `first`; without a name it is the host, */
    bool is_of_function;       /*   or the user of what `first`, a function of the host, does */
    bool is_race;              /* both change the same bytes (DeviceOrder.is_exact): they may do so at the same time */
    char place[100];           /* of a race: "output[12]" */
} DeviceConflict;

enum { DEVICE_MAX_CONFLICTS = 8 };
typedef struct DeviceConflicts {
    DeviceConflict items[DEVICE_MAX_CONFLICTS];
    uint32_t count, more;    /* conflicts listed here; conflicts beyond those */
    bool is_fault_unordered; /* a kernel ended with a fault, before something that was asked for earlier */
} DeviceConflicts;

/* Bytes of undefined values that show: of floats of 2e8, which win a maximum, and of NaN, which survives a factor of
 * zero. Where new memory is to hold one of them, every other block holds the other one in shared and local memory and in
 * variables that are not set, because a kernel may notice results that are all NaN, and do without them. */
enum { DEVICE_LARGE_BYTE = 0x4D, DEVICE_NAN_BYTE = 0xFF };

/* Checks of the kernels of a call, and their findings. */
typedef struct DeviceCheck {
    DeviceNamed arrays[DEVICE_MAX_NAMED];
    size_t array_count;
    uint8_t uninitialised_byte; /* value of every byte of new memory; 0: the device chooses */
    bool sanitize; /* look for races, which are faults where they can change the result: in a few blocks of each launch.
                      * With is_untimed: in launches of moderate size, and for reads of uninitialised memory, too */
    bool is_untimed; /* nobody asks for times and counters: as long as there was no timed event, a device with modelled
                      * times may count instructions only, and give launches any time */
    bool is_secret;  /* the call must leave no trace outside of the device, such as a translated kernel on disk */
    const Chacha20Key *sample_key; /* decides which blocks of large launches are looked at, and what is drawn in
                                    * DEVICE_ORDER_DRAWN; NULL: the device chooses */
    bool samples_blocks; /* launches that would take long may run a random sample of their blocks, drawn with sample_key
                          * (DeviceStatistics.sampled_share) */
    uint64_t output_address, output_bytes;       /* with samples_blocks: the output, whose 32-bit words held */
    uint32_t output_poison[DEVICE_POISON_WORDS]; /* these before the call, over and over */
    DeviceOrder order;
    DeviceFindings findings;   /* filled in; faults are not among them */
    DeviceConflicts conflicts; /* filled in */
} DeviceCheck;

/* ==== device ====================================================================================================== */

typedef struct Device Device;
typedef struct DeviceModule DeviceModule; /* a loaded fatbin */
typedef struct DeviceFunction DeviceFunction;
typedef struct DeviceStream DeviceStream;
typedef struct DeviceEvent DeviceEvent;
typedef struct DeviceArray DeviceArray; /* a CUDA array: memory that only copies, textures and surfaces can reach */
typedef struct ExecutionProfile ExecutionProfile; /* sim/execution_profile.h */

/* This is no CUDA error: a copy from or to the submission's own memory must come first, and nothing has been changed.
 * After DeviceSimulationOps.take_turn(), repeat the request. Only a simulated device answers so. */
enum { DEVICE_HOST_TURN = -1 };

/* ---- memory and copies ------------------------------------------------------------------------------------------- */

/* The origin of the contents of some device memory. Copies within the device keep it. Zeros have none. A simulated GPU
 * knows it for every byte. A real one does not report what kernels store: there, memory is the host's while it still
 * holds the values that the host has put there (host_origin.h). */
typedef enum ContentOrigin {                 /* from the best to the worst */
                             ORIGIN_UNKNOWN, /* nothing is known against it */
                             ORIGIN_KERNELS,
                             ORIGIN_LIKE_HOST, /* a part looks as the host left it, though kernels ran since; they may have computed the same */
                             ORIGIN_NO_KERNEL, /* no kernel was launched since the last reset */
                             ORIGIN_HOST       /* a part of it, at least, came from the host */
} ContentOrigin;

typedef struct DeviceMemoryOps {
    /* Fails with CUDA_ERROR_MEMORY_ALLOCATION past the limit. */
    CudaError (*alloc)(Device *device, uint64_t bytes, uint64_t *address);
    /* An address at which alloc_at() finds room for so many bytes now. */
    CudaError (*find_room)(Device *device, uint64_t bytes, uint64_t *address);
    /* As alloc(), at an address within such room, for a caller that writes all of it before anything reads it; fails
     * likewise where that place is not free. */
    CudaError (*alloc_at)(Device *device, uint64_t address, uint64_t bytes);
    CudaError (*release)(Device *device, uint64_t address);
    void (*set_limit)(Device *device, uint64_t bytes);
    uint64_t (*allocated_bytes)(Device *device);
    /* True if [address, address + bytes) lies in one living allocation or module variable. */
    bool (*owns)(Device *device, uint64_t address, uint64_t bytes);
    /* Finds the origin of the present contents, and reads them if it must. The range lies in one allocation. */
    CudaError (*origin)(Device *device, uint64_t address, uint64_t bytes, uint32_t element_bytes,
                        ContentOrigin *origin);
    /* Forgets the origin of this range. */
    void (*forget_origin)(Device *device, uint64_t address, uint64_t bytes);
} DeviceMemoryOps;

/* Between device addresses and host memory of the broker. `read` returns when the bytes have arrived; `write` may
 * return as soon as the source can be reused. */
typedef struct DeviceCopyOps {
    CudaError (*write)(Device *device, uint64_t to, const void *from, uint64_t bytes, DeviceStream *stream);
    CudaError (*read)(Device *device, void *to, uint64_t from, uint64_t bytes, DeviceStream *stream);
    CudaError (*copy)(Device *device, uint64_t to, uint64_t from, uint64_t bytes, DeviceStream *stream);
    CudaError (*fill)(Device *device, uint64_t to, uint8_t value, uint64_t bytes, DeviceStream *stream);
} DeviceCopyOps;

/* ---- modules and kernels ----------------------------------------------------------------------------------------- */

/* Functions and variables are found by the mangled names that nvcc registers. */
typedef struct DeviceModuleOps {
    Status (*load)(Device *device, const void *image, size_t bytes, DeviceModule **module, Message *why);
    void (*unload)(Device *device, DeviceModule *module);
    DeviceFunction *(*function)(DeviceModule *module, const char *name);
    bool (*variable)(DeviceModule *module, const char *name, uint64_t *address, uint64_t *bytes);
} DeviceModuleOps;

typedef struct DeviceFunctionInfo {
    uint32_t parameter_count, parameter_bytes;
    const uint32_t *parameter_offsets, *parameter_sizes; /* [parameter_count]; they live as long as the module */
    uint32_t registers;                                  /* per thread */
    bool registers_estimated;                            /* no launch is refused because of an estimate */
    uint32_t static_shared_bytes, local_bytes, constant_bytes, max_threads_per_block;
    uint32_t max_dynamic_shared_bytes;
    uint32_t cluster[3];             /* __cluster_dims__, in blocks; 0: none, or not known */
    int ptx_version, binary_version; /* 90 for 9.0 */
} DeviceFunctionInfo;

typedef struct DeviceLaunch {
    DeviceFunction *function;
    LaunchShape shape;
    const void *parameters; /* [parameter_bytes], each parameter at its offset in PTX */
    size_t parameter_bytes;
    DeviceStream *stream;
    bool is_cooperative;  /* all blocks are under way at once, so that they can wait for each other */
    bool is_programmatic; /* it may begin before the kernel before on its stream has ended; a real GPU waits for that */
} DeviceLaunch;

typedef struct DeviceKernelOps {
    void (*info)(DeviceFunction *function, DeviceFunctionInfo *info);
    /* Sets the limit of dynamic shared memory, as cudaFuncSetAttribute() does. */
    CudaError (*set_dynamic_shared)(DeviceFunction *function, uint32_t bytes);
    /* Bytes of a thread's stack, and of the heap that malloc() in kernels takes from, as cudaDeviceSetLimit() does. */
    CudaError (*set_stack)(Device *device, uint32_t bytes);
    CudaError (*set_heap)(Device *device, uint32_t bytes);
    /* Blocks of that shape that one multiprocessor can hold at once. */
    uint32_t (*occupancy)(Device *device, DeviceFunction *function, uint32_t threads, uint32_t dynamic_shared_bytes);
    CudaError (*launch)(Device *device, const DeviceLaunch *launch);
} DeviceKernelOps;

/* ---- streams and events ------------------------------------------------------------------------------------------ */

typedef enum DeviceStreamKind {
    DEVICE_STREAM_BLOCKING,     /* it waits for the legacy default stream, and holds it up */
    DEVICE_STREAM_OF_THREAD,    /* the same, as cudaStreamPerThread */
    DEVICE_STREAM_NON_BLOCKING, /* it does neither */
    DEVICE_STREAM_OF_GRAPH      /* the same, for a branch of graphs */
} DeviceStreamKind;

typedef struct DeviceStreamOps {
    CudaError (*create)(Device *device, DeviceStreamKind kind, DeviceStream **stream);
    CudaError (*destroy)(Device *device, DeviceStream *stream);
    CudaError (*synchronize)(Device *device, DeviceStream *stream);
    CudaError (*synchronize_all)(Device *device);
    CudaError (*query)(Device *device, DeviceStream *stream);
    CudaError (*wait_event)(Device *device, DeviceStream *stream, DeviceEvent *event);
} DeviceStreamOps;

/* Only timed events have a time: seconds on the device's own clock. */
typedef struct DeviceEventOps {
    CudaError (*create)(Device *device, bool is_timed, DeviceEvent **event);
    CudaError (*destroy)(Device *device, DeviceEvent *event);
    CudaError (*record)(Device *device, DeviceEvent *event, DeviceStream *stream);
    CudaError (*synchronize)(Device *device, DeviceEvent *event);
    CudaError (*query)(Device *device, DeviceEvent *event);
    CudaError (*elapsed)(Device *device, DeviceEvent *start, DeviceEvent *stop, double *seconds);
} DeviceEventOps;

/* ---- arrays and textures ----------------------------------------------------------------------------------------- */

/* Type of one channel of an array or a texture; the values are those of CUarray_format (cuda.h of CUDA 13.0). */
typedef enum DeviceFormat {
    DEVICE_UINT8 = 0x01,
    DEVICE_UINT16 = 0x02,
    DEVICE_UINT32 = 0x03,
    DEVICE_SINT8 = 0x08,
    DEVICE_SINT16 = 0x09,
    DEVICE_SINT32 = 0x0a,
    DEVICE_FLOAT16 = 0x10,
    DEVICE_FLOAT32 = 0x20
} DeviceFormat;

typedef struct DeviceShape {       /* of an array */
    uint64_t width, height, depth; /* elements; 0: the array has no such dimension */
    DeviceFormat format;
    uint32_t channels; /* 1, 2 or 4 */
    bool gather;       /* tex2Dgather() may read it */
    bool layered;      /* it has one dimension or two, and `depth` layers of them */
    bool surface;      /* made for surfaces, although an H200's driver makes them of any array */
} DeviceShape;

typedef struct DevicePlace { /* one end of a copy of a box: the first of the three that is set */
    DeviceArray *array;
    void *host;
    uint64_t address;
    uint64_t pitch, slice_rows; /* host and device memory: bytes from row to row, rows from slice to slice */
    uint64_t x_bytes, y, z;     /* an array: where the box begins; else 0 */
} DevicePlace;

static inline bool device_place_is_host(const DevicePlace *place)
{
    return place->array == NULL && place->host != NULL;
}

typedef struct DeviceBox { /* each extent is at least 1 */
    uint64_t width_bytes, height, depth;
} DeviceBox;

typedef struct DeviceArrayOps {
    /* The array's bytes count against the memory limit. The shape must be one that array_check() accepts. */
    CudaError (*create)(Device *device, const DeviceShape *shape, DeviceArray **array);
    CudaError (*destroy)(Device *device, DeviceArray *array);
    /* Copies a box between device memory, arrays and host memory. At most one end is host memory, which can be reused
     * when the copy returns. The caller has checked that the box lies within both ends. */
    CudaError (*copy_box)(Device *device, const DevicePlace *to, const DevicePlace *from, const DeviceBox *box,
                          DeviceStream *stream);
    /* Fills `height` rows of `width` bytes each, `pitch` bytes apart. */
    CudaError (*fill_rows)(Device *device, uint64_t to, uint64_t pitch, uint8_t value, uint64_t width, uint64_t height,
                           DeviceStream *stream);
} DeviceArrayOps;

/* The values are those of the driver's enumerations CUaddress_mode and CUfilter_mode. */
typedef enum DeviceAddressMode {
    DEVICE_ADDRESS_WRAP,
    DEVICE_ADDRESS_CLAMP,
    DEVICE_ADDRESS_MIRROR,
    DEVICE_ADDRESS_BORDER,
    DEVICE_ADDRESS_MODES
} DeviceAddressMode;
typedef enum DeviceFilterMode { DEVICE_FILTER_POINT, DEVICE_FILTER_LINEAR, DEVICE_FILTER_MODES } DeviceFilterMode;

enum { DEVICE_MAX_LEVELS = 16 }; /* of a mipmapped array */

typedef struct DeviceTexture { /* what a texture object reads, and how */
    DeviceArray *array;        /* NULL: device memory at `address`, with this format: */
    uint64_t address;
    DeviceFormat format;
    uint32_t channels;
    uint64_t bytes;         /* size of linear memory; 0: rows of a pitch */
    uint64_t width, height; /* rows of a pitch: elements of a row, and rows */
    uint64_t pitch;         /* bytes from row to row */
    DeviceAddressMode address_mode[3];
    DeviceFilterMode filter_mode;
    bool as_integer; /* 8-bit and 16-bit integers are not mapped to [0, 1] or [-1, 1] */
    bool normalized; /* coordinates are fractions of the extents */
    bool srgb;
    uint32_t max_anisotropy;
    float border[4];
    uint32_t levels;                       /* of a mipmapped array: */
    DeviceArray *level[DEVICE_MAX_LEVELS]; /* the arrays of all levels; the first is `array` */
    DeviceFilterMode level_filter;
    float level_bias, least_level, most_level;
} DeviceTexture;

typedef struct DeviceTextureOps {
    /* `handle` is what a kernel gets as its cudaTextureObject_t. CUDA_ERROR_NOT_SUPPORTED: the device has no textures
     * of that kind. */
    CudaError (*create)(Device *device, const DeviceTexture *texture, uint64_t *handle);
    CudaError (*destroy)(Device *device, uint64_t handle);
    /* The same for a cudaSurfaceObject_t. */
    CudaError (*create_surface)(Device *device, DeviceArray *array, uint64_t *handle);
    CudaError (*destroy_surface)(Device *device, uint64_t handle);
} DeviceTextureOps;

typedef struct DeviceTensorOps {
    /* Writes the CUtensorMap of a tensor that tensor_refusal() (launch_check.h) accepts. CUDA_ERROR_NOT_SUPPORTED: the device has no
     * such tensor maps. */
    CudaError (*encode)(Device *device, const DeviceTensor *tensor, uint8_t map[DEVICE_TENSOR_MAP_BYTES]);
} DeviceTensorOps;

/* ---- what the judge asks about a call ---------------------------------------------------------------------------- */

typedef struct DeviceBracket { /* the device work of one solve(), on both clocks */
    double event_s;            /* from the first operation to the end of the last, by the device's own clock */
    double host_s;             /* the same by the host's clock; 0 on a device with one clock */
    double ended_s;            /* when the work had ended, by now_s(); 0 on a device with one clock */
    double busy_s;             /* the larger of the two, less the time during which the device was seen idle */
    bool pending;              /* work was still running when solve() returned */
    bool gate_forged;          /* something opened the gate that holds the work back, and it was not the judge */
} DeviceBracket;

/* A bracket times one solve(): from the first operation after `begin` to the end of the last one before `end`, over
 * all streams. */
typedef struct DeviceTimingOps {
    /* Waits for earlier work, makes the caches cold, and holds every stream until the first call that has to wait. */
    CudaError (*begin)(Device *device);
    /* Waits for all work. */
    CudaError (*end)(Device *device, DeviceBracket *bracket);
} DeviceTimingOps;

/* The kind of a fault on the device, for the student. */
typedef enum DeviceFaultKind {
    DEVICE_NO_FAULT,
    DEVICE_FAULT,       /* illegal address, misaligned access, trap, bad barrier: a sticky error */
    DEVICE_TIME_LIMIT,  /* a kernel ran past its budget or the time limit */
    DEVICE_UNSUPPORTED, /* this device cannot run the kernel: an instruction is not implemented */
    DEVICE_BAD_LAUNCH   /* CUDA refuses the launch; not sticky */
} DeviceFaultKind;
typedef struct DeviceFault {
    DeviceFaultKind kind;
    Mistake mistake;
    char text[600]; /* one sentence, with kernel, block, thread, address and source line where they are known */
} DeviceFault;

/* Sums since the last reset. A device without counters sets has_counters to false. */
typedef struct DeviceStatistics {
    uint64_t kernels, copies;
    bool has_counters;
    SimCounters counters;
    double occupancy;               /* of the longest kernel */
    char limiter[16];               /* of the longest kernel */
    char longest[256];              /* its name */
    uint64_t executed_instructions; /* warp instructions that a simulated device really executed */
    double sampled_share;   /* of the blocks of a kernel, those that ran: 1, or less, of one kernel at most, with
                              * DeviceCheck.samples_blocks. The other elements of its arrays were not computed */
    double drawn_share;     /* SimReport.drawn_share of that kernel, and */
    uint64_t certain_bytes; /* SimReport.certain_bytes, of the output */
    double sample_error;    /* largest of SimReport.sample_error */
    bool is_doubtful;       /* the model does not know, or does not believe, the machine code of a kernel */
    bool has_uneven_blocks; /* the busiest multiprocessor has a quarter more work than among like blocks */
    bool uses_streams;      /* kernels were in different streams */
    bool waits_for_host;    /* between two operations the device had nothing to do */
    bool is_sample_unsound; /* something read memory that such a kernel had left incomplete: nothing here counts */
} DeviceStatistics;

typedef struct DeviceReportOps {
    /* Clears statistics, fault, and the time that counts against the time limit. */
    void (*reset)(Device *device);
    void (*statistics)(Device *device, DeviceStatistics *statistics);
    /* The first fault since the last reset. */
    void (*fault)(Device *device, DeviceFault *fault);
} DeviceReportOps;

/* ---- groups that only some devices offer ------------------------------------------------------------------------- */

/* Operations of a device that works on its own while the host continues. */
typedef struct DeviceHardwareOps {
    /* Times the judge's own operations and sets clock_gap_s, launch_s and launch_spread_s of Device.info. Nothing else may
     * use the device meanwhile, and no code of others may have been loaded, which could make them seem longer. Once,
     * before the first bracket. */
    CudaError (*calibrate)(Device *device);
    /* Waiting for the device fails with CUDA_ERROR_LAUNCH_TIMEOUT once it has worked this long since the last reset;
     * 0: no limit. */
    void (*set_time_limit)(Device *device, double seconds);
    /* Starts the work that a bracket holds back; called when the host code has been silent for a while. */
    void (*start_held_work)(Device *device);
    /* False while work is under way. Asked for now and then, so that a bracket learns how long the device was idle. */
    bool (*is_idle)(Device *device);
    /* Writes what kernels have printed so far to this process's standard output, if all work has ended. */
    void (*flush_output)(Device *device);
    /* Announces host memory that copies are about to use often, so that the device can copy it faster. */
    void (*pin)(Device *device, void *memory, size_t bytes);
    void (*unpin)(Device *device, void *memory);
} DeviceHardwareOps;

/* The exchange is one piece of device memory that two processes share, each of which has opened the device: one creates
 * it, the other joins it through its descriptor. It lies outside the range of device addresses, so that no address
 * given to the other operations can mean it. CUDA_ERROR_NOT_SUPPORTED: the driver cannot share memory. */
typedef struct DeviceExchangeOps {
    CudaError (*create)(Device *device, uint64_t bytes, int *descriptor);
    CudaError (*join)(Device *device, int descriptor, uint64_t bytes);
    CudaError (*leave)(Device *device);
    /* Copies from and to device memory, finished on return; `offset` counts from the start of the exchange. */
    CudaError (*put)(Device *device, uint64_t offset, uint64_t from, uint64_t bytes);
    CudaError (*take)(Device *device, uint64_t to, uint64_t offset, uint64_t bytes);
} DeviceExchangeOps;

/* Finds out how kernels read an array: through constant memory, or directly. */
typedef struct DeviceProbe {
    const uint32_t *words, *others; /* [count], disjoint. While a kernel runs, each word of its module's constant
                                     * variables that equals words[i] is replaced by others[i] */
    size_t count;
    uint64_t source, target; /* allocations: the array, and what is computed from it */
    char direct_load[400];   /* filled in: "kernel blur (blur.cu:31)", the first kernel that stored into the target and
                              * loaded from the source, and where it did; "": none so far */
    int direct_line;         /* the line of it (Mistake.line) */
} DeviceProbe;

/* Operations of a simulated device. Probe, profile and check stay the caller's, and hold for every kernel until they
 * are set to NULL. */
typedef struct DeviceSimulationOps {
    /* Warp-instructions that kernels may execute until the next call, and each of their blocks on its own; 0: unlimited. */
    void (*set_budget)(Device *device, uint64_t warp_instructions, uint64_t of_a_block);
    /* Takes what kernels have printed since the last call; returns its length. */
    size_t (*take_output)(Device *device, char *buffer, size_t size);
    void (*set_probe)(Device *device, DeviceProbe *probe);
    /* Every launch and copy is added to the profile. */
    void (*set_profile)(Device *device, ExecutionProfile *profile);
    void (*set_check)(Device *device, DeviceCheck *check);
    /* Sets the place of the next request in the submission's host code (RingRequest.place). */
    void (*set_place)(Device *device, uint32_t place);
    /* The host has worked for so long, and has asked for nothing meanwhile: what it asks for next begins later. */
    void (*host_works)(Device *device, double seconds);
    /* Processor time of the thread that has had kernels run, while they ran. */
    double (*kernel_seconds)(Device *device);
    /* Carries out what an operation on the stream would come after, and the host knows that it has ended; or all
     * operations. No waiting is entered into the modelled time. */
    CudaError (*finish)(Device *device, DeviceStream *stream);
    CudaError (*settle)(Device *device);
    /* A copy between the device and memory that only the submission can reach. It is carried out when its turn is
     * taken, between the device and `staging`, where the box is packed: rows and slices follow each other without
     * gaps. `is_due`: its turn has come already. `away`: the address of the bytes there, if they are one row; 0: unknown. */
    CudaError (*copy_away)(Device *device, const DevicePlace *place, const DeviceBox *box, bool to_device,
                           uint64_t away, DeviceStream *stream, uint64_t *turn, bool *is_due);
    /* A function of the host. It runs when its turn has been taken, without staging. */
    CudaError (*host_call)(Device *device, DeviceStream *stream, uint64_t *turn, bool *is_due);
    /* Makes these bytes of one allocation new memory, in the order of the stream: memory is allocated or freed on the
     * stream, which takes no time. */
    CudaError (*renew)(Device *device, uint64_t address, uint64_t bytes, bool is_freed, DeviceStream *stream);
    CudaError (*take_turn)(Device *device, uint64_t turn, uint8_t *staging);
    /* Writes and reads that wait for nothing, and for which nothing waits; no `copy` and no `fill`. */
    const DeviceCopyOps *copies_at_once;
    /* Returns the turn of the last DEVICE_HOST_TURN. */
    uint64_t (*turn)(Device *device);
    /* Whether a kernel is being compiled, for which unloading its module waits. */
    bool (*is_compiling)(Device *device);
} DeviceSimulationOps;

/* ---- the device -------------------------------------------------------------------------------------------------- */

struct Device {
    DeviceInfo info;
    void (*close)(Device *device);
    const DeviceMemoryOps *memory;
    const DeviceCopyOps *copies;
    const DeviceModuleOps *modules;
    const DeviceKernelOps *kernels;
    const DeviceStreamOps *streams;
    const DeviceEventOps *events;
    const DeviceArrayOps *arrays;
    const DeviceTextureOps *textures;
    const DeviceTensorOps *tensors;
    const DeviceTimingOps *timing;
    const DeviceReportOps *report;
    const DeviceHardwareOps *hardware;     /* NULL: each operation is finished when it returns */
    const DeviceExchangeOps *exchange;     /* NULL: the device's memory belongs to this process alone */
    const DeviceSimulationOps *simulation; /* NULL: a real GPU */
};

/* Calibrates a device that has a clock (DeviceHardwareOps); on others it does nothing. */
MUST_USE Status device_calibrate(Device *device, Message *why);
/* Pin and unpin host memory (DeviceHardwareOps) on a device that can; on others they do nothing. */
void device_pin(Device *device, void *memory, size_t bytes);
void device_unpin(Device *device, void *memory);

#endif
