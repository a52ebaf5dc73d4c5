#!/usr/bin/env bash
# check-format.sh - fails if a C or C++ file that changed since BASE does not conform to .clang-format.
#
#   scripts/check-format.sh [BASE]    BASE: the point where this branch left origin/main or main; on main, the commit before
#   scripts/check-format.sh --fix [BASE]    formats these files
#   scripts/check-format.sh --all | --fix --all    every file
#
# Exits with 77 if there is no clang-format-22 (formatting depends on the version) or no history to compare with.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fix=0
if [ "${1:-}" = --fix ]; then
  fix=1
  shift
fi

format="${CLANG_FORMAT:-$(command -v clang-format-22 || true)}"
if [ -z "$format" ]; then
  echo "skipped: there is no clang-format-22 (Debian: clang-format-22)"
  exit 77
fi

patterns=('*.h' '*.c' '*.cpp')
if [ "${1:-}" = --all ]; then
  mapfile -t files < <(git ls-files -- "${patterns[@]}")
else
  base="${1:-}"
  for main in origin/main main; do
    [ -n "$base" ] || base="$(git merge-base HEAD "$main" 2> /dev/null || true)"
  done
  if [ -z "$base" ] || [ "$(git rev-parse "$base")" = "$(git rev-parse HEAD)" ]; then
    base="$(git rev-parse --quiet --verify HEAD~1 || true)"
  fi
  if [ -z "$base" ]; then
    echo "skipped: no commit to compare with"
    exit 77
  fi
  # Files of the index and the working tree count too.
  mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- "${patterns[@]}")
fi
[ ${#files[@]} -gt 0 ] || { echo "no C or C++ file changed"; exit 0; }

if [ "$fix" -eq 1 ]; then
  "$format" -i "${files[@]}"
elif ! "$format" --dry-run -Werror "${files[@]}"; then
  echo "error: run scripts/check-format.sh --fix${1:+ $1} and commit the result" >&2
  exit 1
fi
