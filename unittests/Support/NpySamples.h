// NpySamples.h - files as NumPy 2.4.6 writes them, byte for byte (numpy.save; version 2 and 3 by numpy.lib.format).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_SUPPORT_NPYSAMPLES_H
#define RNN_UNITTESTS_SUPPORT_NPYSAMPLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace samples {

/// An array of characters whose terminating zero is not data.
template <size_t N> constexpr llvm::StringRef bytes(const char (&text)[N]) {
  return llvm::StringRef(text, N - 1);
}

// clang-format off
inline constexpr llvm::StringRef f4Matrix = bytes(
    "\223NUMPY\001\000v\000{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }               "
    "                                           \012\000\000\200?\000\000\000@\000\000@@\000\000\200@"
    "\000\000\240@\000\000\320@");
inline constexpr llvm::StringRef f4Fortran = bytes(
    "\223NUMPY\001\000v\000{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }                "
    "                                           \012\000\000\200?\000\000\200@\000\000\000@\000\000\240"
    "@\000\000@@\000\000\320@");
inline constexpr llvm::StringRef f8Scalar = bytes(
    "\223NUMPY\001\000v\000{'descr': '<f8', 'fortran_order': False, 'shape': (), }                   "
    "                                           \012\232\231\231\231\231\231\271\277");
inline constexpr llvm::StringRef f2Vector = bytes(
    "\223NUMPY\001\000v\000{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }                 "
    "                                           \012\000<\000\301\000|");
inline constexpr llvm::StringRef boolVector = bytes(
    "\223NUMPY\001\000v\000{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }                 "
    "                                           \012\001\000");
inline constexpr llvm::StringRef i1Vector = bytes(
    "\223NUMPY\001\000v\000{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }                 "
    "                                           \012\377\002");
inline constexpr llvm::StringRef u1Vector = bytes(
    "\223NUMPY\001\000v\000{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }                 "
    "                                           \012\377\002");
inline constexpr llvm::StringRef i2Vector = bytes(
    "\223NUMPY\001\000v\000{'descr': '<i2', 'fortran_order': False, 'shape': (1,), }                 "
    "                                           \012\376\377");
inline constexpr llvm::StringRef u2Vector = bytes(
    "\223NUMPY\001\000v\000{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }                 "
    "                                           \012\200?\000@");
inline constexpr llvm::StringRef i4Cube = bytes(
    "\223NUMPY\001\000v\000{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3, 4), }             "
    "                                           \012\000\000\000\000\014\000\000\000\004\000\000\000\020"
    "\000\000\000\010\000\000\000\024\000\000\000\001\000\000\000\015\000\000\000\005\000\000\000\021"
    "\000\000\000\011\000\000\000\025\000\000\000\002\000\000\000\016\000\000\000\006\000\000\000\022"
    "\000\000\000\012\000\000\000\026\000\000\000\003\000\000\000\017\000\000\000\007\000\000\000\023"
    "\000\000\000\013\000\000\000\027\000\000\000");
inline constexpr llvm::StringRef i8Empty = bytes(
    "\223NUMPY\001\000v\000{'descr': '<i8', 'fortran_order': False, 'shape': (0, 3), }               "
    "                                           \012");
inline constexpr llvm::StringRef u8Vector = bytes(
    "\223NUMPY\001\000v\000{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }                 "
    "                                           \012\377\377\377\377\377\377\377\377");
inline constexpr llvm::StringRef bigEndian = bytes(
    "\223NUMPY\001\000v\000{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }                 "
    "                                           \012?\200\000\000");
inline constexpr llvm::StringRef structured = bytes(
    "\223NUMPY\001\000v\000{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': ("
    "1,), }                                     \012\000\000\000\000\000\000\000\000");
inline constexpr llvm::StringRef complex = bytes(
    "\223NUMPY\001\000v\000{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }                 "
    "                                           \012\000\000\000\000\000\000\000\000");
inline constexpr llvm::StringRef text = bytes(
    "\223NUMPY\001\000v\000{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }                 "
    "                                           \012a\000\000\000b\000\000\000");
inline constexpr llvm::StringRef version2 = bytes(
    "\223NUMPY\002\000t\000\000\000{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }       "
    "                                                 \012\000\000\200?\000\000\000@\000\000@@\000\000"
    "\200@\000\000\240@\000\000\320@");
inline constexpr llvm::StringRef version3 = bytes(
    "\223NUMPY\003\000t\000\000\000{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }       "
    "                                                 \012\000\000\200?\000\000\000@\000\000@@\000\000"
    "\200@\000\000\240@\000\000\320@");
// clang-format on

/// Files that are read without an explicit type, and those that are not.
inline constexpr llvm::StringRef readable[] = {f4Matrix, f4Fortran, f8Scalar, f2Vector, boolVector, i1Vector, u1Vector,
                                               i2Vector, i4Cube,    i8Empty,  u8Vector, version2,   version3};
inline constexpr llvm::StringRef refused[] = {u2Vector, bigEndian, structured, complex, text};

} // namespace samples

#endif // RNN_UNITTESTS_SUPPORT_NPYSAMPLES_H
