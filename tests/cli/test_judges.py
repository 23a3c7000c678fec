"""``voirdire judges`` as it is typed."""

from __future__ import annotations

import json

import pytest

from voirdire.cli.main import main


def test_table_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["judges"])
    assert ended.value.code == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header == "judge\tpresets\twhat it is\tlacks\tto mend, run"
    listed = {row.split("\t")[0]: row.split("\t") for row in rows}
    assert "lexical:didactic-it" in listed["lexical"][1]
    assert listed["constant"][3] == "nothing"
    with pytest.raises(SystemExit):
        main(["judges", "--json"])
    described = {judge["name"]: judge for judge in json.loads(capsys.readouterr().out)}
    assert set(described) == set(listed)
    assert "threshold" in described["lexical"]["parameters"]
