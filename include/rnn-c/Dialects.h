/* Dialects.h - registration of the dialects and passes, contexts, and attributes.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   librnn-c contains MLIR's own C API (mlir-c/IR.h and the other headers of core MLIR): link librnn-c and MLIR's shared
   library, and no libMLIRCAPI*.a. Types and ownership follow mlir-c. No function lets an exception out. */

#ifndef RNN_C_DIALECTS_H
#define RNN_C_DIALECTS_H

#include "mlir-c/IR.h"
#include "rnn-c/Diagnostics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the rnn dialects and their interface models to a registry. */
MLIR_CAPI_EXPORTED void rnnRegisterDialects(MlirDialectRegistry registry);

/* Makes everything that the pipelines create available to a context: the rnn dialects, all upstream dialects with their
   extensions, and the translations to LLVM IR. Loads the dialect rnn. May be called more than once, and for any number
   of contexts. */
MLIR_CAPI_EXPORTED void rnnContextRegister(MlirContext context);

/* Returns a new context with rnnContextRegister. The caller releases it by mlirContextDestroy. */
MLIR_CAPI_EXPORTED MlirContext rnnContextCreate(void);

/* Registers the passes and pipelines of this project for textual pipelines. May be called more than once, from any
 * thread. */
MLIR_CAPI_EXPORTED void rnnRegisterPasses(void);

/*===-- Attributes --------------------------------------------------------------------------------------------------===
   Values are given by their names in the IR. An unknown name gives a null attribute (mlirAttributeIsNull). */

/* `rnn_relu`, `rnn_tanh`, `lstm` or `gru`. */
MLIR_CAPI_EXPORTED MlirAttribute rnnCellModeAttrGet(MlirContext context, MlirStringRef name);
/* `unidirectional` or `bidirectional`. */
MLIR_CAPI_EXPORTED MlirAttribute rnnDirectionAttrGet(MlirContext context, MlirStringRef name);
/* `linear_input`, `skip_input` or `auto_select`. */
MLIR_CAPI_EXPORTED MlirAttribute rnnInputModeAttrGet(MlirContext context, MlirStringRef name);
/* `icfo` or `ifco`. */
MLIR_CAPI_EXPORTED MlirAttribute rnnGateLayoutAttrGet(MlirContext context, MlirStringRef name);
/* `runtime` or `fused`. */
MLIR_CAPI_EXPORTED MlirAttribute rnnLoweringAttrGet(MlirContext context, MlirStringRef name);
/* The name of the value of one of these attributes; empty for any other attribute. */
MLIR_CAPI_EXPORTED MlirStringRef rnnAttributeGetName(MlirAttribute attribute);

/*===-- Ops
 * ---------------------------------------------------------------------------------------------------------===*/

/* An operand by its name in the documentation of the op. */
typedef struct RnnNamedValue {
  MlirStringRef name;
  MlirValue value;
} RnnNamedValue;

/* Creates `rnn.cudnn_forward`, `rnn.cudnn_backprop`, `rnn.cudnn_canonical_to_params`, `rnn.block_lstm` or
   `rnn.block_lstm_grad` on tensors, with inferred result types. The operands may have any order; those of a list have
   the same name. Omitted attributes have their defaults. The op is verified, and the caller owns it until it is
   inserted into a block. Null on failure, with the reason in `diagnostics`. */
MLIR_CAPI_EXPORTED MlirOperation rnnLayerOpCreate(MlirLocation location, MlirStringRef name, intptr_t num_operands,
                                                  const RnnNamedValue *operands, intptr_t num_attributes,
                                                  const MlirNamedAttribute *attributes, RnnDiagnostics diagnostics);

#ifdef __cplusplus
}
#endif

#endif /* RNN_C_DIALECTS_H */
