#!/usr/bin/env bash
# demo.sh - installs what is missing, builds, and trains the character models of examples/char-lstm, one by the cudnn ops
# and one by the block ops. With arguments (see char-lstm --help) it trains one model as they say.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
rnn_install_packages bible-kjv # the text: the King James Bible, in the public domain
rnn_configure
ninja -C "$RNN_BUILD_DIR" char-lstm
train() { "$RNN_BUILD_DIR/bin/char-lstm" --out-dir="$RNN_BUILD_DIR/char-lstm" --check "$@"; }
if [ $# -gt 0 ]; then
  train "$@"
else
  train --model=cudnn --seconds=45
  train --model=block --seconds=30
fi
