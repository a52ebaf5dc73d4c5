"""A worker that multiplies matrices by PyTorch, for the part `linalg` of host.py (Matmul.h).

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import re

import torch

from worker import memory, numbers, serve


class Matmul:
    def __init__(self, shape, threads, bf16):
        torch.set_num_threads(threads)
        is_transposed = shape.endswith(",t")
        M, N, K = map(int, shape.removesuffix(",t").split(","))
        kind = torch.bfloat16 if bf16 else torch.float32
        self.a = torch.from_numpy(numbers("x", (M, K), 1.0, bf16)).to(kind)
        self.b = torch.from_numpy(numbers("wx", (N, K) if is_transposed else (K, N), 1 / K ** 0.5, bf16)).to(kind)
        if is_transposed:
            self.b = self.b.T
        self.forward()

    def forward(self):
        with torch.no_grad():
            self.c = self.a @ self.b

    def gradients(self):
        return {"dx": self.c.float().numpy()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cell")
    parser.add_argument("--shape", required=True, metavar="M,N,K[,t]")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--type", choices=["f32", "bf16"], default="f32")
    arguments = parser.parse_args()
    loaded = memory()
    serve(f"PyTorch {re.split('[a+]', torch.__version__)[0]}", loaded,
          Matmul(arguments.shape, arguments.threads, arguments.type == "bf16"))


if __name__ == "__main__":
    main()
