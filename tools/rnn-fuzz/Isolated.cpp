//===- Isolated.cpp - runs code in a child process ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isolated.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::rnn::fuzz;

/// Defined in builds with coverage.
extern "C" int __llvm_profile_write_file(void) __attribute__((weak));

/// Writes a message of kind `S` (step) or `R` (result), each ended by a zero byte.
static void send(int pipe, char kind, llvm::StringRef text) {
  std::string message = kind + text.str();
  message.push_back('\0');
  for (size_t done = 0; done < message.size();) {
    ssize_t count = write(pipe, message.data() + done, message.size() - done);
    if (count <= 0)
      _exit(3);
    done += count;
  }
}

static void limitMemory() {
  // Sizes in mutated modules are arbitrary. An allocation that exceeds the limit fails instead of exhausting the
  // machine. Sanitizers reserve terabytes of addresses.
  rlimit limit{4ull << 30, 4ull << 30};
  if (!dlsym(RTLD_DEFAULT, "__sanitizer_set_death_callback"))
    setrlimit(RLIMIT_AS, &limit);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

static int64_t getSeconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec;
}

/// The limit is one of processor time, which does not depend on other programs. A child that waits instead of
/// computing may take ten times as long.
static int64_t getSecondsLeft(pid_t child, unsigned seconds, int64_t elapsed) {
  clockid_t clock;
  const int64_t used = clock_getcpuclockid(child, &clock) == 0 ? getSeconds(clock) : 0;
  return std::min<int64_t>(seconds - used, int64_t(seconds) * 10 - elapsed);
}

Isolated mlir::rnn::fuzz::runIsolated(unsigned seconds, llvm::function_ref<std::string(ReportStep)> function) {
  int pipes[2];
  FILE *errors = std::tmpfile();
  if (!errors || pipe(pipes) != 0)
    llvm::report_fatal_error("rnn-fuzz needs a temporary file and a pipe");
  llvm::outs().flush();
  pid_t child = fork();
  if (child < 0)
    llvm::report_fatal_error("rnn-fuzz cannot fork");
  if (child == 0) {
    close(pipes[0]);
    dup2(fileno(errors), STDERR_FILENO);
    limitMemory();
    // Standard output of the child is not part of the report.
    if (!std::freopen("/dev/null", "w", stdout))
      _exit(3);
    send(pipes[1], 'R', function([&](llvm::StringRef step) { send(pipes[1], 'S', step); }));
    if (__llvm_profile_write_file)
      __llvm_profile_write_file();
    _exit(0); // destructors of static objects are those of the parent
  }
  close(pipes[1]);

  Isolated result;
  std::string stream;
  const int64_t start = getSeconds(CLOCK_MONOTONIC);
  while (true) {
    int64_t left = getSecondsLeft(child, seconds, getSeconds(CLOCK_MONOTONIC) - start);
    pollfd wait{pipes[0], POLLIN, 0};
    int ready = left > 0 ? poll(&wait, 1, static_cast<int>(left * 1000)) : 0;
    if ((ready < 0 && errno == EINTR) || (ready == 0 && left > 0))
      continue;
    if (ready <= 0) {
      result.timedOut = true;
      kill(child, SIGKILL);
      break;
    }
    char buffer[4096];
    ssize_t count = read(pipes[0], buffer, sizeof(buffer));
    if (count <= 0)
      break;
    stream.append(buffer, count);
  }
  close(pipes[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && !result.timedOut)
    result.signal = WTERMSIG(status);
  // A sanitizer reports an error and exits.
  else if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    result.signal = SIGABRT;

  for (llvm::StringRef rest = stream; !rest.empty();) {
    auto [message, others] = rest.split('\0');
    if (message.consume_front("S"))
      result.step = message.str();
    else if (message.consume_front("R"))
      result.text = message.str(), result.returned = true;
    rest = others;
  }
  long size = std::fseek(errors, 0, SEEK_END) == 0 ? std::ftell(errors) : 0, from = std::max(size - 2000, 0l);
  result.errors.resize(size - from);
  std::fseek(errors, from, SEEK_SET);
  result.errors.resize(std::fread(result.errors.data(), 1, result.errors.size(), errors));
  std::fclose(errors);
  return result;
}
