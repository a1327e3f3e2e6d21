/** @file results-print.h
 * Results for people: sizes against methods, and what was left out. */
#ifndef TG_RESULTS_PRINT_H
#define TG_RESULTS_PRINT_H

#include "chart.h"
#include "page.h"
#include "results.h"

TG_BEGIN_DECLS

/** A method in a table or a plot. */
typedef struct TgColumn {
  const char *head;
  const char *method;
  int32_t width; /**< 0: any */
} TgColumn;

/** What a cell shows of a row. */
typedef enum TgShow {
  TG_SHOW_TIME,        /**< tg_result_time_s() */
  TG_SHOW_WHOLE,       /**< tg_result_whole_s() */
  TG_SHOW_COLD,        /**< of the kernel, the second-level cache empty */
  TG_SHOW_FLOPS,       /**< Gflop/s */
  TG_SHOW_WHOLE_FLOPS, /**< Gflop/s in tg_result_whole_s() */
  TG_SHOW_BYTES,       /**< GB/s */
  TG_SHOW_COLD_BYTES   /**< GB/s, the second-level cache empty */
} TgShow;

/** The number in SI units: seconds, flop/s, bytes/s; NaN where there is none. `row` may be NULL. */
double tg_result_shown(const TgResult *row, TgShow show);

/** How many times as fast one method is as another. */
typedef struct TgRatio {
  const char *head;
  const char *slower;
  int32_t slower_width; /**< 0: any */
  const char *faster;
  int32_t faster_width;
  TgShow show; /**< TG_SHOW_TIME or TG_SHOW_WHOLE */
} TgRatio;

/** The ratio at a size; NaN where one of both has no row. */
double tg_results_ratio(const TgResults *results, const TgRatio *ratio, int64_t n);

/** A table: a line a size of the square rows, a column a method; none of methods that have no row. */
void tg_page_grid(TgPage *page, const TgResults *results, const TgColumn *columns, size_t count, TgShow show);
/** The first method's time over those of the others, likewise: "3.21". */
void tg_page_ratios(TgPage *page, const TgResults *results, const TgColumn *columns, size_t count);
/** Where it was measured, device and host. */
void tg_page_where(TgPage *page, const TgResults *results);
/** What was left out and why, which kernels as printed were wrong, and the notes, a line each. */
void tg_page_remarks(TgPage *page, const TgResults *results);
/** The notes alone. */
void tg_page_notes(TgPage *page, const TgResults *results);

/** A chart with the place where it was measured below its title. */
TgChart *tg_results_chart(const TgResults *results, const char *title);
/** The square rows of these methods as curves of a panel. */
void tg_panel_columns(TgPanel *panel, const TgResults *results, const TgColumn *columns, size_t count, TgShow show);

TG_END_DECLS

#endif
