import ctypes

import torch
from core.challenge_base import ChallengeBase, FullTensor, OutTensor, RandIntTensor, RandTensor

LEAST = 4


class Challenge(ChallengeBase):
    name = "Scaled Blocks"
    atol = 0.001
    rtol = 0.001

    def reference_impl(self, x, scales, out, block, shift):
        assert x.shape == out.shape
        out.copy_((x - shift) * scales.repeat_interleave(block)[: x.shape[0]])

    def get_solve_signature(self):
        return {
            "x": (ctypes.POINTER(ctypes.c_int64), "in"),
            "scales": (ctypes.POINTER(ctypes.c_float), "in"),
            "out": (ctypes.POINTER(ctypes.c_float), "out"),
            "block": (ctypes.c_int, "in"),
            "shift": (ctypes.c_int, "in"),
        }

    def _case(self, n, block, shift):
        mask = torch.rand(n) > 0.5
        return {
            "x": torch.randint(-9, 10, (n,), dtype=torch.int64) * mask,
            "scales": torch.cat([torch.ones(1), torch.rand((n + block - 1) // block - 1)]),
            "out": torch.empty(n),
            "block": block,
            "shift": shift,
        }

    def generate_example_test(self):
        return {"x": torch.tensor([1, -2, 3]), "scales": torch.tensor([2.0, 0.5]), "out": torch.empty(3), "block": 2, "shift": -1}

    def generate_functional_test(self):
        return [self._case(n, block, -2) for n, block in ((LEAST, 4), (100, 7), (1000, 32))]

    def generate_performance_test(self):
        return {
            "x": RandIntTensor((65536,), -9, 10, dtype="int64"),
            "scales": RandTensor((2048,), 0.5, 1.5),
            "out": OutTensor((65536,)),
            "block": 32,
            "shift": 3,
        }
