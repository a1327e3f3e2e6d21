#include "palette.h"

#include <glib.h>

const TgMatrixStyle tg_matrix_style[TG_MATRICES] = {
    {"A", "#0072B2", "solid", "#005A8C", "#D6E8F5"},
    {"B", "#D55E00", "dashed", "#B34700", "#FBE5D6"},
    {"C", "#009E73", "dotted", "#00684B", "#D5EFE6"},
};

/* Sixteen equidistant colours of cividis; straight lines between them. */
static const uint8_t cividis[][3] = {{0, 34, 78},     {0, 46, 108},    {30, 58, 111},   {53, 69, 108},
                                     {71, 81, 108},   {87, 93, 109},   {102, 105, 112}, {117, 117, 117},
                                     {132, 130, 121}, {148, 142, 119}, {165, 156, 116}, {183, 169, 110},
                                     {200, 184, 102}, {219, 199, 90},  {238, 214, 73},  {254, 232, 56}};

void tg_cividis(double value, char colour[8]) {
  double at = CLAMP(value, 0, 1) * (G_N_ELEMENTS(cividis) - 1);
  int low = MIN((int)at, (int)G_N_ELEMENTS(cividis) - 2);
  int rgb[3];
  for (int c = 0; c < 3; c++)
    rgb[c] = (int)(cividis[low][c] + (at - low) * (cividis[low + 1][c] - cividis[low][c]) + 0.5);
  g_snprintf(colour, 8, "#%02x%02x%02x", (unsigned)rgb[0] & 255, (unsigned)rgb[1] & 255, (unsigned)rgb[2] & 255);
}
