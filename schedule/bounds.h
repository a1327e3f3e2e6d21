/** @file bounds.h
 * Lower bounds on communication of classical (not Strassen-like) matrix multiplication C (m×n) = A (m×k) · B (k×n).
 * All in words (elements), for the processor that communicates most. */
#ifndef TG_BOUNDS_H
#define TG_BOUNDS_H

#include "base.h"

TG_BEGIN_DECLS

/** Memory-independent: H. Al Daas, G. Ballard, L. Grigori, S. Kumar, K. Rouse, Brief Announcement: Tight
 * Memory-Independent Parallel Matrix Multiplication Communication Lower Bounds, SPAA 2022 (arXiv 2205.13407). With the
 * dimensions sorted m >= n >= k: at least D - (mn + mk + nk)/p words, where D is (mn + mk)/p + nk for p <= m/n,
 * 2 (m n k²/p)^(1/2) + mn/p for p <= mn/k², and 3 (mnk/p)^(2/3) beyond. Holds where one copy of the inputs and outputs
 * is spread over the processors and the work, or the data, is balanced. */
double tg_bound_memory_independent(double m, double n, double k, double processors);

/** Memory-dependent, per processor: 2mnk/(p √M) - 2M words, M the memory of a processor in words: T. M. Smith, B.
 * Lowery, J. Langou, R. A. van de Geijn, A Tight I/O Lower Bound for Matrix Multiplication, arXiv 1702.02017. May be
 * negative, which is no bound. */
double tg_bound_memory_dependent(double m, double n, double k, double processors, double memory_words);

TG_END_DECLS

#endif
