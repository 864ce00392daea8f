/* What kernels/levels.cl and the host (../levels.c) agree on: values on a device, and the operations on them. Read by
 * OpenCL C and by C, where uint is uint32_t and so on; all fields lie where both compilers put them. */

/* The forms of a value. What has none is LEVEL_FAIL with the reason LEVEL_LEFT: the host has to do it. */
enum {
    LEVEL_FAIL,   /* a: the reason, prim: where it arose, + 1 */
    LEVEL_INT,    /* a */
    LEVEL_PAIR,   /* a, b */
    LEVEL_GRID,   /* h x w cells */
    LEVEL_STAMP,  /* the same at row a and column b, which are not both 0 */
    LEVEL_PATCH,  /* indices: h rows of 64 bits, the box they fill exactly, from row a and column b on; n of them */
    LEVEL_OBJECT, /* cells: h x w, LEVEL_ABSENT where there is none; box and number as in a patch */
    LEVEL_EMPTY_SET,
    LEVEL_EMPTY_TUPLE,
};

enum { LEVEL_TYPE = 1, LEVEL_RANGE = 2, LEVEL_EMPTY = 3, LEVEL_LIMIT = 9, LEVEL_LEFT = 11 }; /* Reason */
enum { LEVEL_ABSENT = -128, LEVEL_MAX_SIDE = 255, LEVEL_MAX_CELLS = 8192, LEVEL_MAX_STEPS = 4096 };

typedef struct LevelValue {
    ushort form, prim;
    uint steps; /* of the call */
    int a, b;
    ushort h, w;
    uint n;
    ulong at; /* of the cells or rows, from the start of the device's memory */
} LevelValue;

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
    uint samples, spare;
} LevelHead;

/* What became of a call, in 32 bits: its steps, the primitive in which it failed + 1, the reason or 0. */
#define LEVEL_STATUS(steps, prim, reason) ((uint)(steps) << 16 | (uint)(prim) << 4 | (uint)(reason))

/* SampleVerdict of search/run/run.h, as far as a device judges. */
enum { LEVEL_RIGHT, LEVEL_WRONG, LEVEL_WRONG_SIZE, LEVEL_NOT_GRID, LEVEL_FAILED, LEVEL_UNKNOWN = 6 };

enum {
    LEVEL_ROT90,
    LEVEL_ROT180,
    LEVEL_ROT270,
    LEVEL_HMIRROR,
    LEVEL_VMIRROR,
    LEVEL_DMIRROR,
    LEVEL_CMIRROR,
    LEVEL_TOPHALF,
    LEVEL_BOTTOMHALF,
    LEVEL_LEFTHALF,
    LEVEL_RIGHTHALF,
    LEVEL_TRIM,
    LEVEL_CROP,
    LEVEL_SUBGRID,
    LEVEL_REPLACE,
    LEVEL_SWITCH,
    LEVEL_CELLWISE,
    LEVEL_UPSCALE,
    LEVEL_HUPSCALE,
    LEVEL_VUPSCALE,
    LEVEL_DOWNSCALE,
    LEVEL_HCONCAT,
    LEVEL_VCONCAT,
    LEVEL_CANVAS,
    LEVEL_SHAPE,
    LEVEL_HEIGHT,
    LEVEL_WIDTH,
    LEVEL_PORTRAIT,
    LEVEL_OFCOLOR,
    LEVEL_ASINDICES,
    LEVEL_ASOBJECT,
    LEVEL_FILL,
    LEVEL_UNDERFILL,
    LEVEL_COVER,
    LEVEL_PAINT,
    LEVEL_UNDERPAINT,
    LEVEL_RECOLOR,
    LEVEL_SHIFT,
    LEVEL_COMBINE,
    LEVEL_INTERSECTION,
    LEVEL_DIFFERENCE,
    LEVEL_BOX,
    LEVEL_INBOX,
    LEVEL_OUTBOX,
    LEVEL_BACKDROP,
    LEVEL_DELTA,
    LEVEL_CORNER_UL,
    LEVEL_CORNER_UR,
    LEVEL_CORNER_LL,
    LEVEL_CORNER_LR,
    LEVEL_CENTER,
    LEVEL_UPPERMOST,
    LEVEL_LOWERMOST,
    LEVEL_LEFTMOST,
    LEVEL_RIGHTMOST,
    LEVEL_SIZE,
    LEVEL_MOSTCOLOR,
    LEVEL_LEASTCOLOR,
    LEVEL_COLORCOUNT,
    LEVEL_ADD,
    LEVEL_SUBTRACT,
    LEVEL_MULTIPLY,
    LEVEL_DOUBLE,
    LEVEL_HALVE,
    LEVEL_INCREMENT,
    LEVEL_DECREMENT,
    LEVEL_INVERT,
    LEVEL_FIRST,
    LEVEL_LAST,
    LEVEL_ASTUPLE,
    LEVEL_STAMP_KEEP,
    LEVEL_STAMP_ERASE,
    LEVEL_STAMP_PAINT,
    LEVEL_STAMP_TRIM,
    LEVEL_STAMP_BOX,
    LEVEL_STAMP_HOME,
    LEVEL_STAMP_MAIN,
    LEVEL_STAMP_FILL,
    LEVEL_STAMP_TURN,
    LEVEL_STAMP_RAYS,
    LEVEL_STAMP_FRAME,
    LEVEL_STAMP_JOIN,
    LEVEL_STAMP_HALF,
    LEVEL_STAMP_PASTE,
    LEVEL_STAMP_CORNER,
    LEVEL_STAMP_SCALE,
    LEVEL_STAMP_TILE,
    LEVEL_STAMP_LAY,
    LEVEL_STAMP_TABLE,
    LEVEL_OPS
};
