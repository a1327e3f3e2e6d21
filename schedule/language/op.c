#include "op.h"

static const TgOpTraits table[TG_OPS] = {
    [TG_OP_STEP] = {"step", .is_block = true},
    [TG_OP_REPEAT] = {"repeat", .is_block = true},
    [TG_OP_MOVE] = {"move", .is_direct = true},
    [TG_OP_ADD] = {"add", .is_direct = true, .adds = true, .makes = true},
    [TG_OP_BROADCAST] = {"broadcast", .is_collective = true, .from_root = true},
    [TG_OP_REDUCE] = {"reduce", .is_collective = true, .to_root = true, .adds = true, .makes = true},
    [TG_OP_ALLGATHER] = {"allgather", .is_collective = true, .fills = true},
    [TG_OP_REDUCESCATTER] = {"reducescatter", .is_collective = true, .splits = true, .adds = true, .makes = true},
    [TG_OP_ALLTOALL] = {"alltoall", .is_collective = true, .splits = true, .fills = true},
    [TG_OP_SCATTER] = {"scatter", .is_collective = true, .from_root = true, .splits = true},
    [TG_OP_GATHER] = {"gather", .is_collective = true, .to_root = true, .fills = true},
    [TG_OP_MULTIPLY] = {"multiply", .makes = true},
    [TG_OP_COPY] = {.word = "copy"},
    [TG_OP_ZERO] = {"zero", .makes = true},
    [TG_OP_TRANSPOSE] = {"transpose", .makes = true},
};

const TgOpTraits *tg_op_traits(int op) {
  return &table[op];
}

bool tg_op_travels(int op) {
  return table[op].is_direct || table[op].is_collective;
}

int64_t tg_op_items(int op, int64_t length) {
  return (table[op].splits ? length : 1) * (table[op].fills ? length : 1);
}

int64_t tg_op_item(int op, int64_t length, int64_t from, int64_t to) {
  if (!table[op].splits) return table[op].fills ? from : 0;
  return table[op].fills ? from * length + to : to;
}
