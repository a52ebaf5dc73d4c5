#!/usr/bin/env bash
# demo.sh - installs what is missing, builds, and trains the character model of examples/char-lstm.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
rnn_install_packages bible-kjv # the text: the King James Bible, in the public domain
rnn_configure
ninja -C "$RNN_BUILD_DIR" char-lstm
exec "$RNN_BUILD_DIR/bin/char-lstm" --out-dir="$RNN_BUILD_DIR/char-lstm" --check "$@"
