#!/bin/sh
# hanging.sh - simulates a program of the bundle in which one test hangs or, as rnn-bundle-compare, one persistent kernel.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
case "$0 $*" in
  *--version*) echo "interface of a test" ;;
  *--list*) echo 1_2_3_4 ;;
  *rnn-bundle-compare*) if [ "$RNNRT_CLUSTERS" = 0 ]; then echo "| not available: RNNRT_CLUSTERS=0 |"; else echo "HANG fused, persistent kernel" && exit 3; fi ;;
  *--after=second*) echo "PASS f64 third" ;;
  *) echo "PASS f64 first" && echo "HANG f64 second" && exit 3 ;;
esac
