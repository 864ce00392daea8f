/* What kernels/levels.cl and the host (../levels.c) agree on: values on a device, and the operations on them. After level_ops.h.
 * Read by OpenCL C and by C, where uint is uint32_t and so on; all fields lie where both compilers put them. */

/* The forms of a value. What has none is LEVEL_FAIL with the reason LEVEL_LEFT: the host has to do it. */
enum {
    LEVEL_FAIL,   /* a: the reason, prim: where it arose, + 1 */
    LEVEL_INT,    /* a */
    LEVEL_PAIR,   /* a, b */
    LEVEL_GRID,   /* h x w cells */
    LEVEL_STAMP,  /* the same at row a and column b, which are not both 0 */
    LEVEL_INDICES,  /* indices: h rows of 64 bits, the box they fill exactly, from row a and column b on; n of them */
    LEVEL_OBJECT, /* cells: h x w, LEVEL_ABSENT where there is none; box and number as in a patch */
    LEVEL_EMPTY_SET,
    LEVEL_EMPTY_TUPLE,
    LEVEL_OBJECTS,  /* n > 0 objects of a grid, a set: LevelPart of each, then for the cells of h x w from row a and
                     * column b on the number of their object + 1 or 0 (ushort), then their colors, 0 to 9 */
    LEVEL_FUNCTION, /* a primitive, a constant: a: its operation */
};

enum { /* sets of them, for level_ops.h */
    IS_INT = 1 << LEVEL_INT,
    IS_PAIR = 1 << LEVEL_PAIR,
    IS_NUMBERS = IS_INT | IS_PAIR,
    IS_GRID = 1 << LEVEL_GRID,
    IS_INDICES = 1 << LEVEL_INDICES,
    IS_OBJECT = 1 << LEVEL_OBJECT,
    IS_PATCH = IS_INDICES | IS_OBJECT,
    IS_NOTHING = 1 << LEVEL_EMPTY_SET,
    IS_OBJECTS = 1 << LEVEL_OBJECTS,
    IS_FUNCTION = 1 << LEVEL_FUNCTION,
    IS_ANY = 0xffff,
};

enum { LEVEL_TYPE = 1, LEVEL_RANGE = 2, LEVEL_EMPTY = 3, LEVEL_LIMIT = 9, LEVEL_LEFT = 11 }; /* Reason */
enum { LEVEL_ABSENT = -128, LEVEL_MAX_SIDE = 255, LEVEL_MAX_CELLS = 8192, LEVEL_MAX_STEPS = 4096 };
enum { LEVEL_MAX_PLANE = 1024 }; /* cells of a grid whose objects are told apart */

typedef struct LevelValue {
    ushort form, prim;
    uint steps; /* of the call */
    int a, b;
    ushort h, w;
    uint n;
    ulong at; /* of the cells or rows, from the start of the device's memory */
} LevelValue;

typedef struct LevelPart { /* an object: its cells, its box in the plane, and a bit for each color */
    ushort n, top, left, h, w, colors;
} LevelPart;

#define LEVEL_CONSTANT 0x80000000u /* of an argument: it is a constant, else a slot */
typedef struct LevelNode {
    uint op, prim; /* the primitive + 1 */
    uint slot, kept;
    uint arg[4];
} LevelNode;

typedef struct LevelHead {
    ulong nodes, values, constants, expected, verdicts, status;
    ulong pool[2], end[2]; /* memory of values: of those that stay, and of those that come down */
    uint used[2];          /* of it, in units of 16 bytes */
    uint samples, core;    /* core: not the dialect */
    uint uppermost, spare; /* that primitive + 1 */
} LevelHead;

/* What became of a call, in 32 bits: its steps, the primitive in which it failed + 1, the reason or 0. */
#define LEVEL_STATUS(steps, prim, reason) ((uint)(steps) << 16 | (uint)(prim) << 4 | (uint)(reason))

/* SampleVerdict of search/run/run.h, as far as a device judges. */
enum { LEVEL_RIGHT, LEVEL_WRONG, LEVEL_WRONG_SIZE, LEVEL_NOT_GRID, LEVEL_FAILED, LEVEL_UNKNOWN = 6 };

#define LEVEL_ID(primitive, first, second, third, what) LEVEL_##primitive,
#define LEVEL_NO_ID(name, primitive)
enum { LEVEL_FUNCTIONS(LEVEL_ID) LEVEL_NO_FUNCTION, LEVEL_TABLE(LEVEL_ID, LEVEL_NO_ID) LEVEL_OPS };
