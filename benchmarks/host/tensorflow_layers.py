#!/usr/bin/env python3
"""A worker that runs TensorFlow's raw ops BlockLSTMV2 and BlockLSTMGradV2 on the CPU; see Worker.h.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import numpy as np
import tensorflow as tf

from worker import Problem, memory, serve


class Layer:
    def __init__(self, p):
        self.p = p
        x, c0, h0 = (tf.constant(p.numbers(name, *shape)) for name, shape in
                     (("x", (p.T, p.B, p.I)), ("c0", (p.B, p.H)), ("h0", (p.B, p.H))))
        w = tf.constant(np.concatenate([p.numbers("wx", p.I, 4 * p.H), p.numbers("wh", p.H, 4 * p.H)]))
        zeros, b = tf.zeros([p.H]), tf.constant(p.numbers("b", 4 * p.H))
        self.operands = dict(seq_len_max=tf.constant(p.T, tf.int64), x=x, cs_prev=c0, h_prev=h0, w=w, wci=zeros, wcf=zeros,
                             wco=zeros, b=b, use_peephole=False)
        # The gradients of the final state are those of the last step.
        dcs, dh = np.zeros((p.T, p.B, p.H), np.float32), p.numbers("dy", p.T, p.B, p.H)
        dcs[-1], dh[-1] = p.numbers("dcn", p.B, p.H), dh[-1] + p.numbers("dhn", p.B, p.H)
        self.grads = dict(cs_grad=tf.constant(dcs), h_grad=tf.constant(dh))
        self.saved = self.forward()
        self.backward()

    def forward(self):
        return tf.raw_ops.BlockLSTMV2(cell_clip=0.0, **self.operands)

    def backward(self):
        self.results = None  # frees those of the run before
        self.results = tf.raw_ops.BlockLSTMGradV2(**self.operands, **self.saved._asdict(), **self.grads)

    def gradients(self):
        result = self.results
        w = result.w_grad.numpy()
        return {"dx": result.x_grad, "dh0": result.h_prev_grad, "dc0": result.cs_prev_grad, "dwx": w[:self.p.I],
                "dwh": w[self.p.I:], "db": result.b_grad}


def main():
    problem = Problem()
    if not problem.lstm:
        sys.exit("error: TensorFlow has no op for a whole layer of GRU cells")
    tf.config.threading.set_intra_op_parallelism_threads(problem.threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.zeros([1])
    serve(f"TensorFlow {tf.__version__}", memory(), Layer(problem))


if __name__ == "__main__":
    main()
