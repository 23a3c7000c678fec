"""The built-in judges and the small local LLM on both starter sets; run by hand, resumable.

    python -m tests.studies.local_llm_study FOLDER [--families 60] [--repeats 5] [--judges a,b]

Needs the extra ``local-llm``. Families of the ``dev`` split give the model its examples and are
left out; of the others the first ``--families`` are examined. Prints a table, and writes the two
studies to FOLDER. Run again after a stop, it goes on where it stood.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tests.servers.llama import MODEL, LlamaServer, absent
from voirdire.records import LABELS, AgreementResult, Estimate
from voirdire.store import (
    ClaimSetPaths,
    JudgeConfig,
    StudyConfig,
    dump_study,
    write_text,
)
from voirdire.studies import agree, open_study, run_study

ROOT = Path(__file__).resolve().parents[2]
PORT_FILE = "port.txt"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def lines(values: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def make_study(folder: Path, language: str, families: int, repeats: int, judges: list[str],
               base_url: str) -> Path:  # fmt: skip
    """A claim set of some families, an examples file from ``dev``, and a study over the rest."""
    source = ClaimSetPaths(ROOT / "labels" / f"starter-{language}")
    claims, labels = rows(source.claims), rows(source.labels)
    split = json.loads(source.splits.read_text(encoding="utf-8"))["families"]
    kept = [name for name in sorted(split) if split[name] != "dev"][:families]
    chosen = [claim for claim in claims if claim["family"] in kept]
    ids = {claim["id"] for claim in chosen}
    target = ClaimSetPaths(folder / f"set-{language}")
    write_text(target.claims, lines(chosen))
    write_text(target.labels, lines([one for one in labels if one["claim_id"] in ids]))
    info = f'schema = "voirdire/claim-set"\nschema_version = "1.0"\nname = "some-{language}"\n'
    write_text(target.info, info)
    study = folder / f"study-{language}"
    write_text(study / "examples.jsonl", lines(examples(claims, labels, split)))
    known = {
        "constant": JudgeConfig(name="constant", use="constant"),
        "lexical": JudgeConfig(name="lexical", use=f"lexical:{language}"),
        "nli-mini": JudgeConfig(name="nli-mini", use="nli-mini"),
        "gemma": JudgeConfig(
            name="gemma",
            use="llm:base",
            parameters={
                "model": MODEL, "base_url": base_url, "output": "grammar", "language": language,
                "examples": "examples.jsonl", "temperature": 1.0, "concurrency": 2,
                "timeout": 300.0,
            },
        ),
    }  # fmt: skip
    config = StudyConfig(
        name=study.name,
        labels=(f"../set-{language}",),
        judges=tuple(known[name] for name in judges),
        repeats=repeats,
        parts=("variant!*negation*",),
    )
    write_text(study / "study.toml", dump_study(config))
    return study


def examples(
    claims: list[dict[str, Any]], labels: list[dict[str, Any]], split: dict[str, str]
) -> list[dict[str, Any]]:
    """Two of each label, short ones first, each from a ``dev`` family of its own."""
    said = {one["claim_id"]: one["label"] for one in labels}
    dev = [claim for claim in claims if split[claim["family"]] == "dev"]
    dev.sort(key=lambda claim: (len(claim["claim"]) + sum(map(len, claim["context"])), claim["id"]))
    used: set[str] = set()
    found = []
    for label in LABELS * 2:
        one = next(c for c in dev if said[c["id"]] == label and c["family"] not in used)
        used.add(one["family"])
        found.append({"claim": one["claim"], "context": one["context"], "label": label,
                      "split": "dev", "family": one["family"], "id": one["id"]})  # fmt: skip
    return found


def number(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return "undefined"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.2f}"
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def table(language: str, result: AgreementResult, decisions: dict[str, str]) -> list[str]:
    found = []
    for judge in result.judges:
        by_variant = {one.value: one for one in judge.slices if one.kind == "variant"}
        cells = [
            number(by_variant[name].raw) if name in by_variant else "-"
            for name in ("negation", "paraphrase")
        ]
        found.append(
            f"| {judge.judge} | {language} | {number(judge.kappa)} | {' | '.join(cells)} | "
            f"{decisions.get(judge.judge, '-')} |"
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--families", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--judges", default="constant,lexical,gemma")
    parser.add_argument("--languages", default="en,it")
    given = parser.parse_args()
    if absent():
        sys.exit(f"the extra local-llm is absent: {', '.join(absent())}")
    server = LlamaServer(slots=2, context=4096)
    remembered = given.folder / PORT_FILE
    if remembered.exists():  # the address is part of who answers: a run goes on at the same one
        server.use_port(int(remembered.read_text(encoding="utf-8")))
    write_text(remembered, str(server.port))
    server.start()
    out = ["| judge | set | kappa | right on negations | right on paraphrases | decision |",
           "|---|---|---|---|---|---|"]  # fmt: skip
    try:
        for language in given.languages.split(","):
            study = make_study(given.folder, language, given.families, given.repeats,
                               given.judges.split(","), server.base_url)  # fmt: skip
            opened = open_study(study)
            run_study(opened, tell=lambda said: print(said, file=sys.stderr))
            result, decided = agree(opened, command=sys.argv[1:])
            verdicts = {one.judge: one.decision for one in decided.decisions}
            out += table(language, result, verdicts)
    finally:
        server.kill()
    print("\n".join(out))


if __name__ == "__main__":
    main()
