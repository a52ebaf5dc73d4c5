# tf_step.py - saves a loss of an LSTM layer and its gradient as a SavedModel.
#
#   pip install tensorflow-cpu        tested with 2.21.0
#   python tf_step.py FOLDER
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import tensorflow as tf

T, B, I, H = 5, 2, 3, 4


class Step(tf.Module):

    @tf.function(input_signature=[tf.TensorSpec((T, B, I), name="x"), tf.TensorSpec((I + H, 4 * H), name="w"),
                                  tf.TensorSpec((4 * H,), name="b")])
    def step(self, x, w, b):
        with tf.GradientTape() as tape:
            tape.watch(w)
            state, peephole = tf.zeros((B, H)), tf.zeros((H,))
            h = tf.raw_ops.BlockLSTM(seq_len_max=tf.constant(T, tf.int64), x=x, cs_prev=state, h_prev=state, w=w,
                                     wci=peephole, wcf=peephole, wco=peephole, b=b, cell_clip=0.0).h
            loss = tf.reduce_sum(h * h)
        return {"loss": loss, "gradient": tape.gradient(loss, w)}


module = Step()
tf.saved_model.save(module, sys.argv[1], signatures=module.step)
