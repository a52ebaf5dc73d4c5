//===- PersistentShapeTest.cpp - which recurrences have a persistent kernel ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/PersistentShape.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::rnn;

namespace {

class PersistentShapeTest : public ::testing::Test {
protected:
  PersistentQuery query(int64_t H, bool backward = false) {
    PersistentQuery query;
    query.backward = backward;
    query.element = Float16Type::get(&context);
    query.H = H;
    query.options.programmatic = true;
    return query;
  }
  int64_t blocksOf(const PersistentQuery &query) {
    FailureOr<int64_t> blocks = findPersistentShape(query, reason);
    return succeeded(blocks) ? *blocks : 0;
  }

  MLIRContext context;
  std::string reason;
};

TEST_F(PersistentShapeTest, ClusterSizes) {
  for (bool backward : {false, true}) {
    EXPECT_EQ(blocksOf(query(16, backward)), 2);
    EXPECT_EQ(blocksOf(query(512, backward)), 16);
  }
}

TEST_F(PersistentShapeTest, RequestedClusterSize) {
  PersistentQuery q = query(64);
  q.clusterSize = 8;
  EXPECT_EQ(blocksOf(q), 8);
  q.clusterSize = 3;
  EXPECT_EQ(blocksOf(q), 0);
  EXPECT_EQ(reason,
            "the recurrent weights of 64 units do not fit the registers and the shared memory of a cluster of 3 "
            "blocks");
}

TEST_F(PersistentShapeTest, Reasons) {
  EXPECT_EQ(blocksOf(query(4096)), 0);
  EXPECT_EQ(reason, "the recurrent weights of 4096 units do not fit the registers and the shared memory of the largest "
                    "cluster");
  PersistentQuery q = query(64);
  q.H.reset();
  EXPECT_EQ(blocksOf(q), 0);
  EXPECT_EQ(reason, "the number of units is known at run time only");
  q = query(64);
  q.element = Float64Type::get(&context);
  EXPECT_EQ(blocksOf(q), 0);
  EXPECT_EQ(reason, "persistent kernels support f16, bf16 and f32 only");
  q = query(64);
  q.options.programmatic = false;
  EXPECT_EQ(blocksOf(q), 0);
  EXPECT_EQ(reason, "clusters need compute capability 9.0; name the GPU, as --chip=sm_90a");
  q = query(64);
  q.isProjected = true;
  EXPECT_EQ(blocksOf(q), 0);
  EXPECT_EQ(reason, "the state goes through a projection in every step");
}

// A shape never exceeds the shared memory of a block, and keeps no more fragments in registers than there are.
TEST_F(PersistentShapeTest, ShapesFit) {
  for (int64_t H = 1; H <= 1100; H += 13)
    for (int64_t numGates : {1, 3, 4}) {
      PersistentQuery q = query(H);
      q.numGates = numGates;
      auto check = [&](const auto &shape) {
        if (failed(shape))
          return;
        EXPECT_LE(shape->getBytes(), PersistentLimits::maxBytes) << "H " << H;
        EXPECT_GE(shape->blocks * shape->getUnits(), H);
        EXPECT_LE(shape->getWeights().inRegisters, shape->getWeights().getFragmentsPerWarp());
        EXPECT_LE(shape->getThreads(), 256);
      };
      check(PersistentForwardShape::get(q, reason));
      q.backward = true;
      check(PersistentBackwardShape::get(q, reason));
    }
}

} // namespace
