"""A bundle: verifies elsewhere, gives nothing away, and shows every change."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.cli.calling import voirdire
from voirdire.store import write_text

KEY = "sk-" + "test-Ab12Cd34Ef56Gh78Ij90"
MAIL = "anna.rossi@example.org"
HOME = "/home/anna"


POINTED = f"The plan costs 3 euros. Write to {MAIL}."
"""The context of the family f3, in which annotators marked their evidence."""


def pointed(labels: str, claims: str) -> str:
    """Evidence in the first label of f3: a sentence, half an address, the end, all of it."""
    lines = [json.loads(line) for line in labels.splitlines()]
    claim = next(one for one in map(json.loads, claims.splitlines()) if one["family"] == "f3")
    chosen = next(one for one in lines if one["claim_id"] == claim["id"])
    spans = [(0, 23), (POINTED.index("rossi"), POINTED.index(".org")), (len(POINTED) - 1, None)]
    chosen["evidence"] = [
        {"chunk": 0, "start": start, "end": end or len(POINTED), "text": POINTED[start:end]}
        for start, end in [*spans, (0, None)]
    ]
    return "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in lines)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with a key, an e-mail and a home path in claims, contexts and annotators."""
    root = tmp_path_factory.mktemp("bundle")
    lines = ["family,claim,context,a1,a2"]
    for k in range(30):
        planted = {3: f" Write to {MAIL}.", 4: f" The key is {KEY}.", 5: f" It is in {HOME}/x."}
        claim, context, label = [
            (f"The plan costs {k} euros.", f"The plan costs {k} euros.", "supported"),
            (f"The plan costs {k} euros.", f"The plan costs {k + 1} euros.", "contradicted"),
            (f"Support opens at {k}.", "Bicycles are rented by the day.", "unverifiable"),
        ][k % 3]
        more = planted.get(k, "")
        lines.append(f"f{k},{claim}{more},{context}{more},{label},{label}")
    write_text(root / "claims.csv", "\n".join(lines) + "\n")
    into = ("--into", "labels/s", "--language", "en")
    columns = ("--annotator-column", "a1=a1", "--annotator-column", "a2=a2")
    assert voirdire("import", "claims.csv", *into, *columns, cwd=root).returncode == 0
    labels = root / "labels/s/labels.jsonl"
    text = labels.read_text(encoding="utf-8")
    text = text.replace('"annotator":"a1"', f'"annotator":"{MAIL}"')
    claims = (root / "labels/s/claims.jsonl").read_text(encoding="utf-8")
    labels.write_text(pointed(text, claims), encoding="utf-8")
    write_text(
        root / "reports/s/study.toml",
        'name = "s"\nlabels = ["../../labels/s"]\n[[judges]]\nname = "words"\nuse = "lexical"\n',
    )
    for step in ("run", "agree", "report"):
        done = voirdire(step, "reports/s", cwd=root)
        assert done.returncode in (0, 1, 3), done.stderr
    return root


@pytest.fixture(scope="module")
def bundle(root: Path) -> Path:
    done = voirdire("bundle", "reports/s", "--into", "out/s.zip", "--json", cwd=root)
    assert done.returncode == 0, done.stderr
    manifest = json.loads(done.stdout)
    assert manifest["redacted"]["e-mail"] >= 3
    assert manifest["redacted"]["secret"] >= 2
    assert manifest["redacted"]["home"] >= 2
    return root / "out/s.zip"


def test_it_verifies_on_another_machine(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(bundle, tmp_path / "s.zip")
    for name in ("HOME", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def nobody(*args: object, **settings: object) -> None:
        raise AssertionError("a judge or the network was asked for")

    monkeypatch.setattr("voirdire.judges.registry.load", nobody)
    monkeypatch.setattr("socket.socket.connect", nobody)
    done = voirdire("verify", "s.zip", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Every number is confirmed" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.zip"]


def test_nothing_planted_is_inside(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        names = archive.namelist()
        inside = {name: archive.read(name).decode("utf-8") for name in names}
    assert "labels/s/claims.jsonl" in names
    assert "reports/s/report.html" in names
    assert any(name.endswith("/verdicts.jsonl") for name in names)
    for name, text in inside.items():
        for planted in (KEY, MAIL, HOME, "anna"):
            assert planted not in text, (name, planted)
    assert "[e-mail 1]" in inside["labels/s/labels.jsonl"]
    assert '"../../labels/s"' in inside["reports/s/study.toml"]


def test_no_digest_of_what_was_redacted_is_inside(bundle: Path) -> None:
    """A digest of a sentence with an address in it lets addresses be tried against it."""
    with zipfile.ZipFile(bundle) as archive:
        names = [name for name in archive.namelist() if name.endswith("verdicts.jsonl")]
        assert names
        for name in names:
            lines = archive.read(name).decode("utf-8").splitlines()
            assert lines
            assert not any("shown" in json.loads(line) for line in lines)


def test_a_bundle_named_where_a_study_is_wanted_is_told_so(bundle: Path, tmp_path: Path) -> None:
    done = voirdire("gate", bundle, cwd=tmp_path)
    assert done.returncode == 2
    assert f"a bundle is read by 'voirdire verify {bundle}'" in done.stderr
    done = voirdire("verify", "nothing.zip", cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no such file" in done.stderr
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "out")
    done = voirdire("verify", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert "did you mean out/reports/s?" in done.stderr


def test_evidence_points_into_the_redacted_context(bundle: Path) -> None:
    """Half an address is no address to a pattern: the whole replacement stands for it."""
    with zipfile.ZipFile(bundle) as archive:
        claims, labels = (
            [json.loads(line) for line in archive.read(f"labels/s/{name}.jsonl").splitlines()]
            for name in ("claims", "labels")
        )
    (label,) = [one for one in labels if one.get("evidence")]
    (claim,) = [one for one in claims if one["id"] == label["claim_id"]]
    for span in label["evidence"]:
        assert claim["context"][span["chunk"]][span["start"] : span["end"]] == span["text"]
    assert [span["text"] for span in label["evidence"]] == [
        "The plan costs 3 euros.",
        "[e-mail 1]",
        ".",
        "The plan costs 3 euros. Write to [e-mail 1].",
    ]
    assert "rossi" not in json.dumps(labels)


def test_the_same_study_gives_the_same_bytes(root: Path, bundle: Path) -> None:
    done = voirdire("bundle", "reports/s", "--into", "again.zip", cwd=root)
    assert done.returncode == 0, done.stderr
    assert (root / "again.zip").read_bytes() == bundle.read_bytes()


def repacked(bundle: Path, into: Path, change: dict[str, str | None]) -> Path:
    """The bundle with some files replaced, removed (None) or added."""
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(into, "w") as new:
        for name in old.namelist():
            text = change.get(name, "") if name in change else None
            if name not in change:
                new.writestr(name, old.read(name))
            elif text is not None:
                new.writestr(name, text)
        for name in change.keys() - set(old.namelist()):
            new.writestr(name, change[name] or "")
    return into


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"labels/s/labels.jsonl": ""}, 4, "was changed"),
        ({"reports/s/report.html": None}, 4, "is missing"),
        ({"reports/s/more.txt": "x"}, 4, "was added"),
        ({"../outside.txt": "x"}, 2, "a place outside itself"),
        ({"C:\\x": "x"}, 2, "a place outside itself"),
        ({"manifest.json": None}, 2, "no bundle"),
    ],
)
def test_a_changed_bundle_is_refused(
    bundle: Path, tmp_path: Path, change: dict[str, str | None], code: int, message: str
) -> None:
    repacked(bundle, tmp_path / "s.zip", change)
    done = voirdire("verify", "s.zip", cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert not (tmp_path.parent / "outside.txt").exists()


def test_a_number_changed_along_with_its_digest_is_found(bundle: Path, tmp_path: Path) -> None:
    from hashlib import sha256

    name = "reports/s/results/agreement.json"
    with zipfile.ZipFile(bundle) as archive:
        body = json.loads(archive.read(name))
        manifest = json.loads(archive.read("manifest.json"))
    body["judges"][0]["raw"]["k"] -= 1
    text = json.dumps(body)
    manifest["files"][name] = sha256(text.encode()).hexdigest()
    change: dict[str, str | None] = {name: text, "manifest.json": json.dumps(manifest)}
    repacked(bundle, tmp_path / "s.zip", change)
    done = voirdire("verify", "s.zip", cwd=tmp_path)
    assert done.returncode == 4
    assert "judges[0].raw.k" in done.stdout


def test_without_redaction_files_are_as_they_lay(root: Path) -> None:
    done = voirdire("bundle", "reports/s", "--into", "raw.zip", "--no-redaction", cwd=root)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(root / "raw.zip") as archive:
        for name in ("labels/s/claims.jsonl", "reports/s/results/agreement.json"):
            assert archive.read(name) == (root / name).read_bytes()
    assert voirdire("verify", "raw.zip", cwd=root).returncode == 0


def test_what_does_not_verify_is_not_packed(root: Path, tmp_path: Path) -> None:
    for name in ("labels", "reports"):
        shutil.copytree(root / name, tmp_path / name)
    path = tmp_path / "reports/s/results/agreement.json"
    body = json.loads(path.read_text(encoding="utf-8"))
    body["judges"][0]["kappa"]["value"] = 0.999
    path.write_text(json.dumps(body), encoding="utf-8")
    done = voirdire("bundle", "reports/s", "--into", "s.zip", cwd=tmp_path)
    assert done.returncode == 4
    assert not (tmp_path / "s.zip").exists()
    assert voirdire("bundle", "reports/s", "--into", "s.tar", cwd=tmp_path).returncode == 2
