"""A study packed into one file that verifies anywhere: no network, no keys, no judges.

Claims, labels and raw verdicts go in with the results, so that whoever holds the file can make
every number again. What looks like personal data or a secret is replaced first; the seals are then
made anew for the redacted files, and whatever number depends on the text (a slice by length, say)
with them, so that what is inside agrees with itself. The same study gives the same bytes.
"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from voirdire import __version__
from voirdire.errors import SealBroken, UsageError
from voirdire.judges.runs import read_runs
from voirdire.records import (
    AgreementResult,
    DecisionResult,
    InvarianceResult,
    PolicyResult,
    Provenance,
    Record,
    VarianceResult,
)
from voirdire.records.bundles import BundleManifest
from voirdire.records.operating import OperatingPoint
from voirdire.store import (
    ClaimSetPaths,
    StudyPaths,
    claims_digest,
    dump_study,
    file_digest,
    read_document,
    read_lines,
    write_document,
)
from voirdire.store.documents import dump_document
from voirdire.store.files import read_text, write_bytes, write_text
from voirdire.store.pseudonyms import Pseudonyms
from voirdire.studies.comparing import Comparison, compare
from voirdire.studies.evidence_again import point_again
from voirdire.studies.looks import rename_look
from voirdire.studies.noise_again import policies_again, variance_again
from voirdire.studies.operating_point import find_operating_point
from voirdire.studies.study import Study, open_study
from voirdire.studies.verification import verify

__all__ = ["MANIFEST", "bundle_study"]

MANIFEST = "manifest.json"
_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every file inside: when a file was packed is no part of what it says."""
_KINDS: dict[str, type[Record]] = {
    "agreement": AgreementResult,
    "invariance": InvarianceResult,
    "decision": DecisionResult,
}


def bundle_study(study: Study, into: Path, *, redact: bool = True) -> BundleManifest:
    """Verify a study and pack it.

    Parameters
    ----------
    study : Study
    into : Path
        The zip file to be written, whole or not at all.
    redact : bool
        Replace what looks like personal data or a secret, and what the claim sets want out.

    Raises
    ------
    UsageError
        If the study has no results yet, or the file's name does not end in ``.zip``.
    SealBroken
        If the results are not what claims, labels and verdicts give.
    StoreError
        If the file system refuses.
    """
    if into.suffix != ".zip":
        raise UsageError("a bundle's name ends in .zip", where=str(into))
    differences = verify(study)
    if differences:
        raise SealBroken(
            f"{len(differences)} numbers differ from the stored results, first "
            f"{differences[0].file} {differences[0].place}",
            where=str(study.paths.results),
            todo=f"make them anew with 'voirdire agree {study.paths.root}', then pack",
        )
    with tempfile.TemporaryDirectory(prefix="voirdire-") as scratch:
        stage = Path(scratch)
        home = stage / "reports" / study.config.name
        names = Pseudonyms(sorted({one for chosen in study.claims.sets for one in chosen.redact}))
        _copy(study, stage, home, names if redact else None)
        remade = _seal_again(home, stage) if names.found else ()
        manifest = BundleManifest(
            study=study.config.name,
            folder=home.relative_to(stage).as_posix(),
            tool_version=__version__,
            files={name: sha256(data).hexdigest() for name, data in _files(stage)},
            redacted=dict(sorted(names.found.items())),
            remade=remade,
        )
        write_bytes(into, _zipped(manifest, dict(_files(stage))))
    return manifest


def _copy(study: Study, stage: Path, home: Path, names: Pseudonyms | None) -> None:
    """Everything the numbers rest on, with paths that hold inside the bundle."""
    places = _set_folders(study)
    for source, folder in places.items():
        old, new = ClaimSetPaths(source), ClaimSetPaths(stage / "labels" / folder)
        for one, two in (
            (old.claims, new.claims),
            (old.labels, new.labels),
            (old.splits, new.splits),
            (old.info, new.info),
        ):
            _copy_file(one, two, names)
        if names is not None and new.labels.exists():
            point_again(old, new, names)
    config = study.config.model_copy(
        update={"labels": tuple(f"../../labels/{folder}" for folder in places.values())}
    )
    text = dump_study(config)
    write_text(StudyPaths(home).config, names.text(text) if names else text)
    old_paths, new_paths = study.paths, StudyPaths(home)
    for run in reversed(read_runs(old_paths)):
        if run.seal is not None:
            _copy_file(old_paths.verdicts(run.run_id), new_paths.verdicts(run.run_id), names)
            _copy_file(
                old_paths.run_document(run.run_id), new_paths.run_document(run.run_id), names
            )
    for path in sorted(old_paths.results.glob("*.json")):
        _copy_file(path, new_paths.results / path.name, names)
    for name in ("report.html", "memo.html", "report.json", "report.md", "rows.csv"):
        _copy_file(old_paths.root / name, home / name, names)


def _set_folders(study: Study) -> dict[Path, str]:
    """Each claim set's folder to its name in the bundle, unique, in the order of the study."""
    folders: dict[Path, str] = {}
    for chosen in study.claims.sets:
        name, number = chosen.path.resolve().name or "set", 1
        while name in folders.values():
            number += 1
            name = f"{chosen.path.resolve().name}-{number}"
        folders[chosen.path] = name
    return folders


def _copy_file(source: Path, goal: Path, names: Pseudonyms | None) -> None:
    if not source.exists():
        return
    data = source.read_bytes()
    if names is not None:
        before, text = names.found.total(), read_text(source)
        ways = {".jsonl": names.lines, ".json": names.document, ".html": names.html}
        text = ways.get(source.suffix, names.text)(text)
        if names.found.total() > before:
            data = text.encode("utf-8")
    write_bytes(goal, data)


def _seal_again(home: Path, stage: Path) -> tuple[str, ...]:
    """Seals and results of the redacted files; the names of the results that became others."""
    study = open_study(home)
    digest = claims_digest(study.claims.claims)
    stored = {name: read_document(study.paths.result(name), _KINDS[name]) for name in _KINDS}
    agreement = stored["agreement"]
    assert isinstance(agreement, AgreementResult)
    used = {judge.run_id for judge in agreement.judges} | _other_runs(study)
    for run in read_runs(study.paths):
        if run.seal is None:
            continue
        _forget_shown(study.paths.verdicts(run.run_id))
        seal = run.seal.model_copy(update={"sha256": file_digest(study.paths.verdicts(run.run_id))})
        change: dict[str, object] = {"seal": seal}
        if run.run_id in used:
            change["claims_sha256"] = digest
        write_document(study.paths.run_document(run.run_id), run.model_copy(update=change))
    decided = stored["decision"]
    assert isinstance(decided, DecisionResult)
    then = decided.look
    made = _made_then(
        compare(
            study,
            runs={j.judge: j.run_id for j in agreement.judges},
            look=then.number if then else None,
        ),
        agreement.provenance,
    )
    if then is not None and made.decisions.look is not None:  # ids may have been redacted
        rename_look(study, then.digest, made.decisions.look.digest)
    remade = []
    for name, record in (
        ("agreement", made.agreement),
        ("invariance", made.invariance),
        ("decision", made.decisions),
        ("people", made.people),
        ("contest", made.contest),
        ("operating-point", _operating_point(study)),
        ("variance", _variance(study)),
        ("policy", _policy(study)),
    ):
        path = study.paths.result(name)
        if record is None or not path.exists():
            continue
        text = dump_document(record)
        if text != read_text(path):
            remade.append(path.relative_to(stage).as_posix())
            write_text(path, text)
    return tuple(remade)


def _forget_shown(path: Path) -> None:
    """Take the digests of what was shown out of a verdict file.

    They are of the texts before redaction: whoever has the rest of a sentence could try telephone
    numbers against them until one fits.
    """
    lines = [dict(line.value) for line in read_lines(path)]
    for line in lines:
        line.pop("shown", None)
    write_text(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def _operating_point(study: Study) -> OperatingPoint | None:
    path = study.paths.result("operating-point")
    if not path.exists():
        return None
    then = read_document(path, OperatingPoint)
    made = find_operating_point(
        study,
        judge=then.judge,
        false_accept=then.false_accept,
        false_reject=then.false_reject,
        target=then.kept.target,
        delta=then.kept.delta,
        run_id=then.run_id,
    )
    return made.model_copy(update={"provenance": _origin_then(made.provenance, then.provenance)})


def _other_runs(study: Study) -> set[str]:
    """Runs that the operating point, the variance and the alert policies rest on."""
    variance, policy = study.paths.result("variance"), study.paths.result("policy")
    used: set[str] = set()
    point = study.paths.result("operating-point")
    if point.exists():
        used.add(read_document(point, OperatingPoint).run_id)
    if variance.exists():
        used.update(*(one.runs for one in read_document(variance, VarianceResult).judges))
    if policy.exists():
        used.update(*(one.baseline_runs for one in read_document(policy, PolicyResult).policies))
    return used


def _variance(study: Study) -> VarianceResult | None:
    path = study.paths.result("variance")
    if not path.exists():
        return None
    then = read_document(path, VarianceResult)
    made = variance_again(study, then)
    return made.model_copy(update={"provenance": _origin_then(made.provenance, then.provenance)})


def _policy(study: Study) -> PolicyResult | None:
    path = study.paths.result("policy")
    if not path.exists():
        return None
    then = read_document(path, PolicyResult)
    made = policies_again(study, then)
    return made.model_copy(update={"provenance": _origin_then(made.provenance, then.provenance)})


def _made_then(made: Comparison, then: Provenance) -> Comparison:
    """The same results, said to be made when and with what the study's own were."""
    origin = _origin_then(made.agreement.provenance, then)
    return Comparison(
        made.agreement.model_copy(update={"provenance": origin}),
        made.invariance.model_copy(update={"provenance": origin}),
        made.decisions.model_copy(update={"provenance": origin}),
        made.people.model_copy(update={"provenance": origin}),
        made.contest and made.contest.model_copy(update={"provenance": origin}),
    )


def _origin_then(now: Provenance, then: Provenance) -> Provenance:
    kept = ("made_at", "command", "tool_version", "python", "packages")
    return now.model_copy(update={name: getattr(then, name) for name in kept})


def _files(stage: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(stage.rglob("*")):
        if path.is_file():
            yield path.relative_to(stage).as_posix(), path.read_bytes()


def _zipped(manifest: BundleManifest, files: Mapping[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        first = {MANIFEST: dump_document(manifest).encode("utf-8")}
        for name, data in (first | dict(files)).items():
            entry = zipfile.ZipInfo(name, date_time=_TIME)
            entry.create_system = 3  # the same on every system
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=9)
    return held.getvalue()
