/* launcher.c - the program rnn-compile of the wheel: its code is in librnn-c.so.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

int rnnCompileMain(int argc, char **argv);

int main(int argc, char **argv) {
  return rnnCompileMain(argc, argv);
}
