// Watch.h - ends the program if its current task exceeds a time limit, and prints the task's name: a GPU kernel in a
// deadlock can only be stopped by ending its process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_TOOLS_GPU_BUNDLE_WATCH_H
#define RNN_TOOLS_GPU_BUNDLE_WATCH_H

#include <csignal>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace bundle {

class Watch {
public:
  /// The exit status of a program that was ended.
  static constexpr int hung = 3;

  /// Sets the time limit of each task in seconds; 0: none.
  static void setPatience(unsigned seconds) {
    patience() = seconds;
    std::signal(SIGALRM, end);
  }
  /// Begins the next task. Flushes the output.
  static void begin(const std::string &name) {
    alarm(0);
    std::fflush(stdout);
    std::snprintf(text(), size, "HANG %s\n", name.c_str());
    alarm(patience());
  }
  static void finish() { alarm(0); }

private:
  static constexpr size_t size = 256;
  static unsigned &patience() {
    static unsigned seconds = 0;
    return seconds;
  }
  static char *text() {
    static char line[size] = "";
    return line;
  }
  /// Runs in a signal handler: async-signal-safe functions only.
  static void end(int) {
    size_t length = 0;
    while (text()[length])
      ++length;
    [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, text(), length); // the exit status reports the same
    _exit(hung);
  }
};

} // namespace bundle

#endif // RNN_TOOLS_GPU_BUNDLE_WATCH_H
