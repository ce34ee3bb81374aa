import ctypes
import torch
from typing import Any, Dict, List, Tuple

from problem import Problem


class mirror(Problem):
    def __init__(self):
        super().__init__(name="mirror")

    def reference_solution(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return a * 2 + b

    def generate_test_cases(self, dtype: torch.dtype) -> List[Dict[str, Any]]:
        sizes = [(512, 256), (1000, 300)]
        return [
            {
                "name": f"{rows} x {cols}",
                "rows": rows,
                "cols": cols,
                "create_inputs": lambda m=rows, n=cols: (
                    torch.rand((m, n), device="cuda", dtype=dtype) * 10.0 - 5.0,
                    torch.randn((m, n), device="cuda", dtype=dtype),
                ),
            }
            for rows, cols in sizes
        ]

    def generate_sample(self, dtype: torch.dtype = torch.float32) -> Dict[str, Any]:
        return {
            "name": "2 x 2",
            "rows": 2,
            "cols": 2,
            "create_inputs": lambda: (
                torch.tensor([[1.0, 2.0], [3.0, 4.0]], device="cuda", dtype=dtype),
                torch.tensor([[5.0, 6.0], [7.0, 8.0]], device="cuda", dtype=dtype),
            ),
        }

    def verify_result(self, expected_output: torch.Tensor, actual_output: torch.Tensor, dtype: torch.dtype) -> Tuple[bool, Dict[str, Any]]:
        return torch.allclose(actual_output, expected_output, rtol=1e-4, atol=1e-5), {}

    def get_function_signature(self) -> Dict[str, Any]:
        return {
            "argtypes": [
                ctypes.POINTER(ctypes.c_float),  # a
                ctypes.POINTER(ctypes.c_float),  # b
                ctypes.POINTER(ctypes.c_float),  # c
                ctypes.c_size_t,  # rows
                ctypes.c_size_t,  # cols
            ],
            "restype": None,
        }

    def get_flops(self, test_case: Dict[str, Any]) -> int:
        return 2 * test_case["rows"] * test_case["cols"]

    def get_extra_params(self, test_case: Dict[str, Any]) -> List[Any]:
        return [test_case["rows"], test_case["cols"]]
