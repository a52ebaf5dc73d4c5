//===- Runtime.cpp - a runtime session of rnn-run ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include "rnn_runtime/abi.h"

using namespace mlir::rnn;

/// Takes the status over.
static llvm::Error toError(rnnrt_status_t status) {
  if (rnnrt_status_code(status) == RNNRT_STATUS_OK)
    return llvm::Error::success();
  std::string message =
      std::string(rnnrt_status_code_name(rnnrt_status_code(status))) + ": " + rnnrt_status_message(status);
  rnnrt_status_release(status);
  return llvm::createStringError(message);
}

llvm::Expected<std::unique_ptr<RuntimeSession>> RuntimeSession::create(llvm::StringRef target, int64_t dropoutDraw) {
  auto session = std::make_unique<RuntimeSession>();
  if (llvm::Error error = toError(rnnrt_device_create(target.str().c_str(), nullptr, &session->device)))
    return std::move(error);
  if (llvm::Error error = toError(rnnrt_stream_create(session->device, &session->stream)))
    return std::move(error);
  rnnrt_call_options_t options;
  rnnrt_call_options_init(&options);
  if (dropoutDraw >= 0)
    options.dropout_draw = dropoutDraw;
  if (llvm::Error error = toError(rnnrt_call_create(session->device, session->stream, &options, &session->call)))
    return std::move(error);
  return session;
}

RuntimeSession::~RuntimeSession() {
  if (call)
    rnnrt_call_release(call);
  if (stream)
    rnnrt_stream_release(stream);
  if (device)
    rnnrt_device_release(device);
}

llvm::Expected<llvm::SmallVector<HostTensor>>
RuntimeSession::run(const CompiledModule &module, llvm::StringRef function, llvm::ArrayRef<HostTensor> inputs) {
  rnnrt_call_reset(call);
  auto outputs = module.invoke(function, call, inputs);
  if (!outputs)
    return outputs.takeError();
  if (llvm::Error error = toError(rnnrt_status_clone(rnnrt_call_status(call))))
    return std::move(error);
  if (llvm::Error error = toError(rnnrt_stream_synchronize(stream)))
    return std::move(error);
  return outputs;
}

llvm::Expected<llvm::SmallVector<RuntimeSymbol>> RuntimeSession::getSymbols(llvm::StringRef target) {
  llvm::SmallVector<RuntimeSymbol> symbols;
  auto append = [&](const rnnrt_abi_symbol_t *table, size_t count) {
    for (const rnnrt_abi_symbol_t &symbol : llvm::ArrayRef(table, count))
      symbols.push_back({symbol.name, symbol.address});
  };
  size_t count = 0;
  const rnnrt_abi_symbol_t *table = rnnrt_abi_symbols(&count);
  append(table, count);
  if (llvm::Error error = toError(rnnrt_abi_target_symbols(target.str().c_str(), &table, &count)))
    return std::move(error);
  append(table, count);
  return symbols;
}
