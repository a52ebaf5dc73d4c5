/* half.c - checks conversions to and from f16 and bf16 by arithmetic on doubles.

   --flushes: the processor's instruction for f32 to bf16 takes numbers below the smallest normal one for zero, as those
   of AVX512-BF16 do. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "half.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A format: bits of the fraction, and the exponent of the smallest normal number. */
typedef struct {
  int fraction, lowest;
} format_t;
static const format_t f16 = {10, -14}, bf16 = {7, -126};

/* The value of a half-precision number. */
static double decode(format_t format, uint16_t bits) {
  int exponents = 15 - format.fraction, magnitude = bits & 0x7fff;
  int exponent = magnitude >> format.fraction, fraction = magnitude & ((1 << format.fraction) - 1);
  double value;
  if (exponent == (1 << exponents) - 1)
    value = fraction ? (double)NAN : (double)INFINITY;
  else if (!exponent)
    value = ldexp(fraction, format.lowest - format.fraction);
  else
    value = ldexp(fraction + (1 << format.fraction), exponent - 1 + format.lowest - format.fraction);
  return bits >> 15 ? -value : value;
}

/* Whether `bits` is `x` rounded to the nearest, ties to even: no neighbour is nearer, and of two equally near ones it
   is the even one. */
static int isRounded(format_t format, double x, uint16_t bits) {
  double value = decode(format, bits);
  if (isnan(x))
    return isnan(value);
  if (!signbit(x) != !(bits >> 15))
    return 0;
  x = fabs(x), value = fabs(value), bits &= 0x7fff;
  uint16_t infinity = (uint16_t)(0x7fff - ((1 << format.fraction) - 1));
  if (bits > infinity)
    return 0;
  /* Beyond the largest number, the next one would be a power of two. */
  double top = ldexp(1, 2 - format.lowest);
  double here = bits == infinity ? top : value;
  double below = bits ? decode(format, bits - 1) : -1;
  double above = bits == infinity ? (double)INFINITY : bits + 1 == infinity ? top : decode(format, bits + 1);
  if (bits == infinity && x >= top)
    return 1;
  double distance = fabs(x - here), toBelow = bits ? x - below : (double)INFINITY, toAbove = above - x;
  if (toBelow < distance || toAbove < distance)
    return 0;
  return (toBelow != distance && toAbove != distance) || !(bits & 1);
}

static rnnrt_call_t *call;
static int wrong;

static void check(rnnrt_status_t status) {
  if (!status)
    return;
  puts(rnnrt_status_message(status));
  exit(1);
}

static void compare(const char *what, format_t format, double x, uint16_t bits) {
  if (isRounded(format, x, bits))
    return;
  if (++wrong < 10)
    printf("wrong: %s of %a is %04x = %a\n", what, x, bits, decode(format, bits));
}

/* `x`, or for a subnormal value a zero with its sign, as an instruction returns that flushes subnormals. */
static int isFlushed(format_t format, double x, uint16_t bits) {
  return fabs(x) < ldexp(1, format.lowest) && bits == (signbit(x) ? 0x8000 : 0);
}

int main(int argc, char **argv) {
  int flushes = argc > 1 && !strcmp(argv[1], "--flushes");
  enum { PER_NUMBER = 9, COUNT = 2 * 65536 * PER_NUMBER };
  static double wide[COUNT];
  static float single[COUNT];
  static uint16_t all[65536];
  rnnrt_device_t *device;
  check(rnnrt_device_create("host", NULL, &device));
  check(rnnrt_call_create(device, NULL, NULL, &call));

  int64_t count = 65536;
  for (int k = 0; k < 65536; ++k)
    all[k] = (uint16_t)k;
  rnnrt_tensor_t x = rnnrt_tensor_make(all, RNNRT_DTYPE_F16, 1, &count), y, h, b;
  check(half_widen(call, &x, &y));
  for (int k = 0; k < 65536; ++k) {
    double expected = decode(f16, all[k]), got = ((float *)y.data)[k];
    if (!(isnan(expected) ? isnan(got) : expected == got && !signbit(expected) == !signbit(got)) && ++wrong < 10)
      printf("wrong: %04x is %a and not %a\n", k, expected, got);
  }
  rnnrt_tensor_release(&y);

  /* Each number of both formats, the midpoint to the next one, and values close to both. */
  count = 0;
  for (int k = 0; k < 2 * 65536; ++k) {
    format_t format = k < 65536 ? f16 : bf16;
    double here = decode(format, (uint16_t)k), next = decode(format, (uint16_t)(k + 1)), middle = (here + next) / 2;
    double places[] = {here, middle, next};
    for (int place = 0; place < 3; ++place) {
      wide[count++] = places[place];
      wide[count++] = nextafter(places[place], INFINITY);
      wide[count++] = nextafterf((float)places[place], -INFINITY);
    }
  }
  x = rnnrt_tensor_make(wide, RNNRT_DTYPE_F64, 1, &count);
  check(half_narrow64(call, &x, &h, &b));
  for (int64_t k = 0; k < count; ++k) {
    compare("f64 to f16", f16, wide[k], ((uint16_t *)h.data)[k]);
    compare("f64 to bf16", bf16, wide[k], ((uint16_t *)b.data)[k]);
    single[k] = (float)wide[k];
  }
  rnnrt_tensor_release(&h);
  rnnrt_tensor_release(&b);
  x = rnnrt_tensor_make(single, RNNRT_DTYPE_F32, 1, &count);
  check(half_narrow(call, &x, &h, &b));
  for (int64_t k = 0; k < count; ++k) {
    compare("f32 to f16", f16, single[k], ((uint16_t *)h.data)[k]);
    uint16_t bits = ((uint16_t *)b.data)[k];
    if (!flushes || !isFlushed(bf16, single[k], bits))
      compare("f32 to bf16", bf16, single[k], bits);
  }
  rnnrt_tensor_release(&h);
  rnnrt_tensor_release(&b);
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  return wrong != 0;
}
