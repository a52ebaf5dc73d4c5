#!/usr/bin/env bash
# demo.sh - installs the packages that are missing, builds examples/char-lstm, and trains its character models: one of the
# cudnn ops, one of the block ops. With arguments (see char-lstm --help), trains one model with these options.
#
# The first run takes 5 to 8 minutes on two cores, 75 s of them for training.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
echo "== 1/3: packages"
rnn_install_packages bible-kjv # the text: the King James Bible, in the public domain
echo "== 2/3: build"
rnn_configure > /dev/null
rnn_build char-lstm
echo "== 3/3: training"
train() { "$RNN_BUILD_DIR/bin/char-lstm" --out-dir="$RNN_BUILD_DIR/char-lstm" --check "$@"; }
if [ $# -gt 0 ]; then
  train "$@"
else
  train --model=cudnn --seconds=45
  train --model=block --seconds=30
fi
