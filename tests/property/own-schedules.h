/** @file own-schedules.h
 * Small schedules that do what the library does not: transposed left factors, mirrored sums, sums that begin with zero,
 * every collective. All run on grids of equal extents. */
#ifndef OWN_SCHEDULES_H
#define OWN_SCHEDULES_H

#include "algo-library.h"

#define OWN(name, text)                                                                                                \
  { name, "schedule " name "\n" text, sizeof "schedule " name "\n" text - 1 }

static const TgLibraryEntry own_schedules[] = {
    OWN("left", "grid i:p\n"
                "computes C = A' * B\n"
                "place A(t,i) on (i) as A[t] for t in p\n"
                "place B(i,0), C(i,0) on (i)\n"
                "allgather B along i into T\n"
                "repeat t in p\n"
                "  C += A[t]' * T[t]\n"),
    OWN("mirror", "grid i:q, j:q\n"
                  "computes C = A * A'\n"
                  "place A(i,0), C(i,j) on (i,j)\n"
                  "place A(j,0) on (i,j) as T[0]\n"
                  "C = A * T' where i <= j\n"
                  "copy C into D where i < j\n"
                  "transpose D where i < j\n"
                  "move D to (j,i) into C where i < j\n"),
    OWN("turn", "grid i:q, j:q\n"
                "computes C = A' * A\n"
                "place A(i,j), C(i,j) on (i,j)\n"
                "copy A into T\n"
                "transpose T\n"
                "move T to (j,i)\n"
                "repeat s in q\n"
                "  broadcast T along j from s into P\n"
                "  broadcast A along i from s into Q\n"
                "  C += P * Q\n"),
    OWN("sums", "grid i:p\n"
                "place A(t,i) on (i) as A[t] for t in p\n"
                "place B(i,0), C(i,0) on (i)\n"
                "repeat t in p\n"
                "  zero D[t]\n"
                "  D[t] += A[t] * B\n"
                "zero E\n"
                "repeat t in p\n"
                "  copy E into F\n"
                "  copy D[t] into F[0] where i > 0\n"
                "  reduce F along i to t\n"
                "  add D[t] to (t) into F[0] where i == 0\n"
                "  copy F into C where i == t\n"),
    OWN("scatter_sums", "grid t:p\n"
                        "place A(u,t) on (t) as A[u] for u in p\n"
                        "place B(t,0), C(t,0) on (t)\n"
                        "repeat u in p\n"
                        "  X[u] = A[u] * B\n"
                        "reducescatter X along t into C\n"),
    OWN("deal", "grid i:p\n"
                "place A(t,0) on (0) as S[t] for t in p\n"
                "place B(0,0) on (p-1)\n"
                "place C(t,0) on (0) as R[t] for t in p\n"
                "scatter S along i from 0 into A\n"
                "broadcast B along i from p-1\n"
                "C = A * B\n"
                "gather C along i to 0 into R\n"),
    OWN("shuffle", "grid t:p\n"
                   "computes C = A'\n"
                   "place A(t,u) on (t) as A[u] for u in p\n"
                   "place C(t,u) on (t) as C[u] for u in p\n"
                   "alltoall A along t into C\n"
                   "repeat u in p\n"
                   "  transpose C[u]\n"),
};

#endif
