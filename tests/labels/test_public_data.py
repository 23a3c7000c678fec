"""The public claim sets, all of them: counted against what their files say."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from voirdire.labels import (
    ImportOptions,
    SourceError,
    check_claim_set,
    import_file,
    load_claim_set,
    references,
    resolve_view,
)
from voirdire.labels.writing import write_claim_set
from voirdire.records import Claim, LabelRecord

SETS = [
    *("ambient", "ambient_linguists", "ambient_multi", "begin_wow_dev", "breaking_nli"),
    *("cad_nli_train", "condaqa_dev", "conj_nli_dev", "fever_it_a", "fever_symmetric_dev"),
    *("fool_me_twice_dev", "med", "neg_nli_mnli", "neg_nli_snli", "realsumm_a", "rte3_dev_de"),
    *("rte3_dev_fr", "rte3_dev_it", "scone_train", "summedits_ectsum", "summedits_scitldr"),
]
CLUSTERS = {"begin_wow_dev", "condaqa_dev", "fool_me_twice_dev", "scone_train"}


def source(shared: Path, name: str) -> Path:
    path = shared / "data" / "claims" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"PUBLIC DATA ABSENT: {path}")
    return path


@pytest.mark.parametrize("name", SETS)
def test_imports_without_fault_and_counts_agree(shared: Path, tmp_path: Path, name: str) -> None:
    path = source(shared, name)
    summary = import_file(path, tmp_path / "set")
    assert check_claim_set(tmp_path / "set") == []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert summary.rows == summary.claims == len(rows)
    assert summary.excluded == {}
    assert summary.families == len({row["family"] for row in rows})
    assert summary.variants == Counter(row["variant"] for row in rows)
    assert summary.languages == Counter(row["lang"] for row in rows)
    assert summary.annotators.get("published", 0) == sum(row["label"] is not None for row in rows)
    two_class = sum(row.get("label_space") == "binary" for row in rows)
    assert summary.label_spaces.get("two_class", 0) == two_class
    assert (summary.families_are == "clusters") == (name in CLUSTERS)


@pytest.mark.parametrize("name", ["realsumm_a", "breaking_nli"])
def test_our_majority_is_the_published_label(shared: Path, tmp_path: Path, name: str) -> None:
    path = source(shared, name)
    import_file(path, tmp_path / "set")
    made = load_claim_set(tmp_path / "set")
    view = resolve_view("auto", made.claims)
    found = references(made.claims, made.labels, view=view)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {row["id"]: row["label"] for row in rows} == {
        item.claim_id: item.label for item in found.items
    }
    assert found.rules.keys() <= {"unanimous", "majority", "none"}
    if name == "realsumm_a":
        assert view == "supported_or_not"
        assert found.reasons == {"tie": 22}
        assert set(found.labels.values()) == {"supported", "not_supported"}


def test_control_characters_are_refused_or_left_out_counted(shared: Path, tmp_path: Path) -> None:
    path = source(shared, "factcheck_gpt")
    with pytest.raises(SourceError) as caught:
        import_file(path, tmp_path / "set")
    assert caught.value.kinds == {"control character": 4}
    summary = import_file(path, tmp_path / "set", options=ImportOptions(skip_faulty=True))
    assert (summary.claims, summary.excluded) == (2910, {"control character": 4})


def test_a_set_whose_documents_were_not_passed_on_is_refused(shared: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        import_file(source(shared, "xsum_hallucination"), tmp_path / "set")
    assert caught.value.kinds["empty context"] == 2500
    assert list(tmp_path.iterdir()) == []


@pytest.mark.benchmark
def test_ten_thousand_claims_load_within_a_second(tmp_path: Path) -> None:
    claims = [
        Claim(
            id=f"c{n}", family=f"f{n // 4}", variant=("original", "negation")[n % 4 > 0],
            claim=f"Plan {n} costs 12 euros.", context=("It costs 12 euros. " * 10, str(n // 4)),
            language="en",
        )
        for n in range(10_000)
    ]  # fmt: skip
    labels = [
        LabelRecord(id=one.id, claim_id=one.id, annotator="a", label="supported") for one in claims
    ]
    write_claim_set(tmp_path / "set", claims, labels)
    start = time.process_time()
    load_claim_set(tmp_path / "set")
    assert time.process_time() - start < 1.0
