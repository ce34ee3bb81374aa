import ctypes
from typing import Any, Dict, List

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    name = "Mirrored Filter"
    atol = 1e-04
    rtol = 1e-05
    num_gpus = 1
    access_tier = "free"

    def reference_impl(self, signal: torch.Tensor, taps: torch.Tensor, out: torch.Tensor, n: int, r: int):
        width = 2 * r + 1
        assert signal.shape == (n,)
        assert taps.shape == (width,)
        assert out.shape == (n,)
        out.copy_(torch.nn.functional.conv1d(signal.view(1, 1, -1), taps.flip(0).view(1, 1, -1), padding=r).view(-1))

    def get_solve_signature(self) -> Dict[str, tuple]:
        return {
            "signal": (ctypes.POINTER(ctypes.c_float), "in"),
            "taps": (ctypes.POINTER(ctypes.c_float), "in"),
            "out": (ctypes.POINTER(ctypes.c_float), "out"),
            "n": (ctypes.c_int, "in"),
            "r": (ctypes.c_int, "in"),
        }

    def _case(self, n, r, low=-1.0, high=1.0):
        kind = torch.float32
        return {
            "signal": torch.empty(n, device=self.device, dtype=kind).uniform_(low, high),
            "taps": torch.randn(2 * r + 1, device=self.device, dtype=kind) * 0.5,
            "out": torch.empty(n, device=self.device, dtype=kind),
            "n": n,
            "r": r,
        }

    def generate_example_test(self) -> Dict[str, Any]:
        return {
            "signal": torch.tensor([1.0, 2.0, 4.0], device=self.device),
            "taps": torch.tensor([1.0, -2.0, 3.0], device=self.device),
            "out": torch.empty(3, device=self.device),
            "n": 3,
            "r": 1,
        }

    def generate_functional_test(self) -> List[Dict[str, Any]]:
        cases = [self._case(n, r) for n, r in [(1, 0), (100, 3), (1000, 20)]]
        cases.append({**self._case(5, 1), "signal": torch.erfinv(torch.rand(5))})
        return cases

    def generate_performance_test(self) -> Dict[str, Any]:
        return self._case(1 << 20, 31, 0.0, 10.0)
