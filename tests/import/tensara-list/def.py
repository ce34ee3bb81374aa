import torch
from problem import Problem


class row_sums(Problem):
    is_exact = False

    parameters = [
        {"name": "input", "type": "float", "pointer": True, "const": True},
        {"name": "dim", "type": "int", "pointer": False, "const": False},
        {"name": "register", "type": "float", "pointer": True, "const": False},
        {"name": "shape", "type": "int", "pointer": True, "const": True},
        {"name": "ndim", "type": "int", "pointer": False, "const": False},
    ]

    def __init__(self):
        super().__init__(name="row-sums")

    def reference_solution(self, values: torch.Tensor, dim: int) -> torch.Tensor:
        with torch.no_grad(), torch.autocast("cuda", enabled=False, dtype=torch.float32):
            return torch.sum(values, dim=dim)

    def generate_test_cases(self):
        cases = []
        for shape, dim in (((6, 7), 1), ((3, 4, 5), 0), ((64, 33), 0)):
            seed = Problem.get_seed(f"{self.name}_{shape}")
            cases.append({
                "name": f"{shape}, {dim}",
                "shape": shape,
                "dim": dim,
                "create_inputs": lambda shape=shape, dim=dim, seed=seed: (
                    torch.rand(shape, device="cuda", dtype=self.param_dtype("input"),
                               generator=torch.Generator(device="cuda").manual_seed(seed)) * 2.0 - 1.0,
                    dim,
                ),
            })
        return cases

    def generate_sample(self):
        return [{"name": "sample", "shape": (2, 2), "dim": 1,
                 "create_inputs": lambda: (torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 1)}]

    def verify_result(self, expected_output, actual_output):
        return torch.allclose(actual_output, expected_output, rtol=1e-4, atol=1e-4), {}

    def get_extra_params(self, test_case):
        return [torch.tensor(list(test_case["shape"]), dtype=torch.int32), len(test_case["shape"])]
