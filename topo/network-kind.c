#include "network-kind.h"

const TgNetworkKindRow *const tg_network_kinds[TG_NETWORK_KINDS] = {
    [TG_TORUS] = &tg_torus,         [TG_MESH] = &tg_mesh, [TG_RING] = &tg_ring,     [TG_LINE] = &tg_line,
    [TG_HYPERCUBE] = &tg_hypercube, [TG_FULL] = &tg_full, [TG_SWITCH] = &tg_switch,
};

const TgNetworkKindInfo *tg_network_kind_info(int kind) {
  return &tg_network_kinds[kind]->info;
}
