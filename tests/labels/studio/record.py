"""Makes the recorded exports anew, from a real server.

Run from the checkout: ``LS_SERVER_BIN=... python -m tests.labels.studio.record``. What people do
here is what `test_recorded` expects; keep the two together.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from tests.labels.studio.conftest import FIXTURES, Hand, verdict_result
from tests.servers.label_studio import LabelStudio, program
from voirdire.labels import write_claim_set
from voirdire.labels.studio import PushOptions, Server, push
from voirdire.records import Claim

CLAIMS = [
    Claim(
        id=f"c{n}",
        family=f"f{n}",
        variant="original",
        claim=f"Plan {n} costs 12 euros a month.",
        context=(f"🌉 Plan {n} is 12 euros a month.\r\nNot more.", "Two seats are included."),
        language="en",
    )
    for n in range(1, 9)
]


def act(hands: list[Hand], tasks: dict[str, int]) -> None:
    """Every kind of annotation there is."""
    one, two, three = hands
    span = (16, 24, "12 euros")
    one.label(tasks["c1"], "supported", confidence="high", comment="fine", spans=[span])
    two.label(tasks["c1"], "supported")
    three.label(tasks["c1"], "contradicted")
    one.label(tasks["c2"], "supported")
    one.label(tasks["c2"], "contradicted", comment="second thoughts")
    two.skip(tasks["c2"], verdict_result("supported"))
    for hand in hands:
        hand.skip(tasks["c3"])
    one.give(tasks["c4"], [])
    two.give(tasks["c4"], verdict_result("definitely"))
    three.give(tasks["c4"], [{"foo": 1}])
    one.give(tasks["c5"], verdict_result("supported") + verdict_result("unverifiable"))
    edited = two.label(tasks["c5"], "supported")
    three.change(edited, "unverifiable")
    deleted = three.label(tasks["c5"], "supported")
    one.delete(deleted)
    one.label(tasks["c6"], "unverifiable", spans=[(4, 12, "not what stands there")])


def main() -> None:
    """Write the recordings."""
    with LabelStudio(program()) as server, tempfile.TemporaryDirectory() as place:
        hands = [Hand(server, server.person(name)) for name in ("ann1", "ann2", "ann3")]
        folder = Path(place) / "set"
        write_claim_set(folder, CLAIMS)
        report = push(folder, Server(server.url + "/", server.token), PushOptions(overlap=3))
        state = json.loads((folder / "studio" / "push.json").read_text(encoding="utf-8"))
        names = {item["item"]: item["claim_id"] for item in state["items"]}
        project = report.projects[0]
        rows = server.api("GET", f"/api/tasks?project={project}&page_size=100&fields=all")["tasks"]
        act(hands, {names[row["data"]["item_id"]]: row["id"] for row in rows})
        FIXTURES.mkdir(exist_ok=True)
        _write("push.json", json.dumps({**state, "server": "http://studio.example"}, indent=1))
        for kind, name in (
            ("JSON", "export.json"),
            ("JSON_MIN", "export_min.json"),
            ("CSV", "export.csv"),
        ):
            path = f"/api/projects/{project}/export?exportType={kind}&download_all_tasks=true"
            _write(name, _text(server, path))


def _text(server: LabelStudio, path: str) -> str:
    import urllib.request

    request = urllib.request.Request(server.url + path)
    request.add_header("Authorization", f"Token {server.token}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    raw: bytes = opener.open(request, timeout=60).read()
    if path.endswith("CSV&download_all_tasks=true"):
        return raw.decode("utf-8")
    found: Any = json.loads(raw)
    return json.dumps(found, ensure_ascii=False, indent=1)


def _write(name: str, text: str) -> None:
    (FIXTURES / name).write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    main()
