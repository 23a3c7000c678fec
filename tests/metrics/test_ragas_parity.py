"""The same verdicts give the same numbers as Ragas' own code, run in its own environment.

Set VOIRDIRE_RAGAS_PYTHON to the Python of an environment with ``ragas==0.4.3`` (it cannot share
ours: see the extra ``ragas`` in pyproject).
"""

from __future__ import annotations

import json
import os
import random
import subprocess

import pytest

from voirdire.metrics import answer_faithfulness, context_precision, context_recall

RAGAS = os.environ.get("VOIRDIRE_RAGAS_PYTHON", "")
pytestmark = pytest.mark.skipif(
    not RAGAS,
    reason="VOIRDIRE_RAGAS_PYTHON is not set: parity with Ragas 0.4.3 is NOT checked",
)

SCRIPT = """
import json, sys, types
from importlib.metadata import version
assert version("ragas") == "0.4.3", version("ragas")
from ragas.metrics._context_precision import LLMContextPrecisionWithReference as Precision
from ragas.metrics._context_recall import LLMContextRecall as Recall
from ragas.metrics._faithfulness import Faithfulness
plain = types.SimpleNamespace
found = []
for case in json.load(sys.stdin):
    items = [plain(verdict=v, attributed=v) for v in case]
    found.append([
        Precision._calculate_average_precision(Precision(), items),
        Faithfulness._compute_score(Faithfulness(), plain(statements=items)),
        Recall._compute_score(Recall(), items),
    ])
print("RESULT" + json.dumps(found))
"""


def test_precision_faithfulness_and_recall_equal_ragas() -> None:
    rng = random.Random(1)
    cases = [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 0], [1]]
    cases += [[rng.randint(0, 1) for _ in range(rng.randint(1, 12))] for _ in range(200)]
    done = subprocess.run(
        [RAGAS, "-c", SCRIPT],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "RAGAS_DO_NOT_TRACK": "true"},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.rpartition("RESULT")[2])
    for case, (precision, faithfulness, recall) in zip(cases, found, strict=True):
        labels = ["supported" if one else "unverifiable" for one in case]
        assert context_precision(case).value == pytest.approx(precision, abs=1e-9)
        assert answer_faithfulness(labels).score == pytest.approx(faithfulness, abs=1e-9)
        assert context_recall(case).value == pytest.approx(recall, abs=1e-9)
