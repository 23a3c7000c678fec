"""``voirdire score``: what a user sees."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import time

import pytest

from tests.cli.calling import voirdire
from tests.servers import faults
from voirdire.store import exclusive

BASIC = "The Basic plan costs 12 euro a month."
ROWS = [
    {"id": "a1", "question": "What does Basic cost?", "contexts": [BASIC], "answer": BASIC},
    {"id": "a2", "question": "What does Pro cost?", "contexts": [BASIC],
     "answer": "The Basic plan costs 15 euro a month. It is green."},
    {"id": "a3", "question": "Who are you?", "contexts": ["x"], "answer": "Hello!"},
    {"id": "a4", "question": "Fee?", "contexts": [BASIC], "answer": "I don't know.",
     "should_refuse": True},
]  # fmt: skip


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def score(tmp_path, *options, **env):
    return voirdire("score", *options, cwd=tmp_path, **env)


def test_scores_and_says_what_is_not_a_score(tmp_path, answers) -> None:
    done = score(tmp_path, answers, "--judge", "lexical", "--into", "s", "--history", "h.jsonl")
    assert done.returncode == 0, done.stderr
    assert "faithfulness\t2 of 2\t0.50" in done.stdout
    assert "0.0 % (0 of 2)" in done.stdout
    assert "faithfulness: nothing to check\tnothing to divide by\t1" in done.stdout
    assert "refused, and should\t1.00" in done.stdout
    assert sorted(path.name for path in (tmp_path / "s").iterdir() if path.name != ".lock") == [
        "answers.jsonl", "claims.jsonl", "score.json", "summary.json",
    ]  # fmt: skip
    (line,) = (tmp_path / "h.jsonl").read_text().splitlines()
    assert json.loads(line)["n"] == 3
    again = score(tmp_path, answers, "--judge", "lexical", "--into", "s", "--history", "h.jsonl")
    assert again.stdout == done.stdout
    assert "holds this evaluation already" in again.stderr
    assert len((tmp_path / "h.jsonl").read_text().splitlines()) == 1


def test_watch_reads_the_history(tmp_path, answers) -> None:
    for number in range(6):
        done = score(tmp_path, answers, "--judge", "lexical", "--into", f"s{number}", "--history",
                     "h.jsonl")  # fmt: skip
        assert done.returncode == 0, done.stderr
    watched = voirdire("watch", "h.jsonl", "--policy", "naive", cwd=tmp_path)
    assert watched.returncode == 0, watched.stderr
    assert "ok" in watched.stdout


def test_json_is_the_summary(tmp_path, answers) -> None:
    done = score(tmp_path, answers, "--judge", "lexical", "--into", "s", "--json")
    body = json.loads(done.stdout)
    written = json.loads((tmp_path / "s" / "summary.json").read_text())
    assert written.pop("schema") == "voirdire/score-summary"
    written.pop("schema_version")
    assert body == written
    assert body["metrics"][0]["histogram"][9] == 1


def test_a_pilot_asks_before_it_goes_on(tmp_path, answers) -> None:
    call = (answers, "--judge", "lexical", "--into", "s", "--pilot", "2")
    done = score(tmp_path, *call)
    assert done.returncode == 0, done.stderr
    assert "2 answers are left; run the same command with --yes" in done.stderr
    assert not (tmp_path / "s" / "summary.json").exists()
    done = score(tmp_path, *call, "--yes")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "s" / "summary.json").exists()
    keys = [(row["answer"], row["claim"]) for row in map(
        json.loads, (tmp_path / "s" / "claims.jsonl").read_text().splitlines())]  # fmt: skip
    assert len(keys) == len(set(keys)) == 3


def test_a_queue_is_ready_to_push(tmp_path, answers) -> None:
    done = score(tmp_path, answers, "--judge", "lexical", "--into", "s", "--queue", "q/traffic",
                 "--queue-size", "2", "--operating-point", "0.8")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "2 claims for people" in done.stderr
    assert voirdire("check", "q/traffic", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("none.jsonl",), 2, "no such file"),
        (("answers.jsonl", "--sample", "500"), 2, "'500' is no share"),
        (("answers.jsonl", "--strata", "langage"), 2, "did you mean 'language'?"),
        (("answers.jsonl", "--column", "answer"), 2, "FIELD=COLUMN"),
        (("answers.jsonl", "--column", "answer=antwort"), 2, "no column 'antwort'"),
        (("answers.jsonl", "--history", "h.csv"), 2, ".jsonl or .ndjson"),
        (("answers.jsonl", "--study", "nowhere"), 2, "study.toml"),
        (("answers.jsonl", "--split", "llm"), 2, "model"),
        (("answers.jsonl", "--metric", "taste"), 2, "'taste' is not one of"),
    ],
)
def test_mistakes_are_said_with_what_to_do(tmp_path, answers, options, code, said) -> None:
    done = score(tmp_path, *options, "--judge", "lexical", "--into", "s")
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_twin_ids_stop_everything_before_anything_is_written(tmp_path) -> None:
    (tmp_path / "a.jsonl").write_text((json.dumps(ROWS[0]) + "\n") * 2)
    done = score(tmp_path, "a.jsonl", "--judge", "lexical", "--into", "s")
    assert done.returncode == 2
    assert "the id 'a1' stands in line 1 too" in done.stderr
    assert not (tmp_path / "s").exists()


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("openai", reason="THE EXTRA llm IS ABSENT")
    claims = {"claims": [{"quote": BASIC, "claim": BASIC, "resolved": True}]}
    faults.CONTENTS["cli-split"] = (json.dumps(claims), {})
    with faults.FaultServer() as running:
        yield running


def model_options(server, name):
    return [f"model={name}", f"base_url={server.base_url}", "key_env=", "price_in=1",
            "price_out=2"]  # fmt: skip


def as_options(flag, values):
    return [word for value in values for word in (flag, value)]


def test_money_is_counted_and_a_ceiling_stops_and_resumes(tmp_path, answers, server) -> None:
    call = [
        answers, "--judge", "llm", *as_options("--param", model_options(server, "good")),
        "--split", "llm", *as_options("--model-param", model_options(server, "cli-split")),
        "--into", "s",
    ]  # fmt: skip
    stopped = score(tmp_path, *call, "--max-calls", "3")
    assert stopped.returncode == 3, stopped.stderr
    assert "stopped at --max-calls 3" in stopped.stderr
    before = len(server.requests)
    pilot = score(tmp_path, *call, "--pilot", "4", "--json")
    assert pilot.returncode == 0, pilot.stderr
    done = score(tmp_path, *call)
    assert done.returncode == 0, done.stderr
    # Two answers have claims: two splits and two judgments in all, three of them made before.
    assert len(server.requests) - before == 1
    splits = [json.loads(x) for x in (tmp_path / "s" / "splits.jsonl").read_text().splitlines()]
    paid = [one["bill"]["cost"] for one in splits if one["bill"]]
    assert paid == pytest.approx([(100 * 1 + 10 * 2) / 1e6] * 2)


def test_a_pilot_shows_tokens_and_money(tmp_path, server) -> None:
    rows = [{**ROWS[0], "id": f"a{n}"} for n in range(8)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def pilot(into, options):
        done = score(tmp_path, "a.jsonl", "--judge", "llm", *as_options("--param", options),
                     "--into", into, "--pilot", "4", "--json")  # fmt: skip
        assert done.returncode == 0, done.stderr
        body = json.loads(done.stdout)
        assert (body["answers"], body["of"]) == (4, 8)
        return {one["metric"]: one for one in body["costs"]}["faithfulness"]

    priced = pilot("priced", model_options(server, "good"))
    assert (priced["calls"], priced["tokens_in"], priced["tokens_out"]) == (1, 100, 10)
    assert priced["total_cost"]["value"] == pytest.approx(8 * 120 / 1e6)
    unpriced = pilot("unpriced", model_options(server, "good")[:3])
    assert unpriced["cost"] is None
    assert unpriced["total_cost"]["undefined"] == "unknown for 4 of 4 answers"


def test_with_yes_stdout_is_one_json_document(tmp_path, answers) -> None:
    done = score(tmp_path, answers, "--judge", "lexical", "--into", "s", "--pilot", "2", "--yes",
                 "--json")  # fmt: skip
    assert json.loads(done.stdout)["answers"] == 4
    assert "pilot of 2 answers" in done.stderr


def test_relevancy_is_the_mean_cosine_of_the_questions_made(tmp_path, server) -> None:
    faults.CONTENTS["cli-ask"] = (
        json.dumps({"question": "What does Basic cost?", "evasive": False}), {}
    )  # fmt: skip
    faults.CONTENTS["cli-evasive"] = (json.dumps({"question": "", "evasive": True}), {})
    rows = [
        {"id": "same", "question": "What does Basic cost?", "contexts": [BASIC], "answer": BASIC},
        {"id": "near", "question": "What does Pro cost?", "contexts": [BASIC], "answer": BASIC},
        {"id": "far", "question": "Where is Rome?", "contexts": [BASIC], "answer": BASIC},
        {"id": "none", "question": "", "contexts": [BASIC], "answer": BASIC},
        {"id": "void", "question": "Fee?", "contexts": [BASIC], "answer": ""},
        {"id": "no", "question": "Fee?", "contexts": [BASIC], "answer": "I don't know.",
         "should_refuse": True},
    ]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def relevancy(model):
        before = len(server.requests)
        done = score(
            tmp_path, "a.jsonl", "--judge", "lexical", "--into", model, "--metric",
            "answer_relevancy", *as_options("--model-param", model_options(server, model)),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert len(server.requests) - before == 9  # three for each answer that can be asked of
        found = map(json.loads, (tmp_path / model / "answers.jsonl").read_text().splitlines())
        summary = json.loads((tmp_path / model / "summary.json").read_text())
        return {one["id"]: one for one in found}, summary

    found, summary = relevancy("cli-ask")
    # Of the four texts all hold what, does, cost (idf 1), three hold basic, one holds pro: the
    # cosine is 3 / (sqrt(3 + (1 + ln 5/2)^2) * sqrt(3 + (1 + ln 5/4)^2)).
    pro, basic = 1 + math.log(5 / 2), 1 + math.log(5 / 4)
    near = 3 / math.sqrt((3 + pro**2) * (3 + basic**2))
    got = {name: one.get("answer_relevancy") for name, one in found.items()}
    assert got == {"same": pytest.approx(1), "near": pytest.approx(near), "far": 0.0,
                   "none": None, "void": None, "no": None}  # fmt: skip
    assert found["none"]["not_a_score"] == {"answer_relevancy": "no_question"}
    assert found["void"]["not_a_score"] == {"answer_relevancy": "empty_answer"}
    assert summary["metrics"][0]["mean"]["value"] == pytest.approx((1 + near) / 3)
    found, _ = relevancy("cli-evasive")
    assert [found[name]["answer_relevancy"] for name in ("same", "near", "far")] == [0, 0, 0]


def test_a_pilot_shown_again_still_says_what_all_costs(tmp_path, server) -> None:
    rows = [{**ROWS[0], "id": f"a{n}"} for n in range(8)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = ("a.jsonl", "--judge", "llm", *as_options("--param", model_options(server, "good")),
            "--into", "s", "--pilot", "4", "--json")  # fmt: skip
    first = json.loads(score(tmp_path, *call).stdout)["costs"]
    again = json.loads(score(tmp_path, *call).stdout)["costs"]
    assert [one["total_cost"] for one in again] == [one["total_cost"] for one in first]
    assert again[0]["total_cost"]["value"] == pytest.approx(8 * 120 / 1e6)


def test_a_queue_that_is_there_is_said_before_anything_is_asked(tmp_path, answers) -> None:
    call = (answers, "--judge", "lexical", "--queue", "q/traffic")
    assert score(tmp_path, *call, "--into", "s").returncode == 0
    done = score(tmp_path, *call, "--into", "t")
    assert done.returncode == 2
    assert "there is a claim set already. name another folder with --queue" in done.stderr
    assert not (tmp_path / "t").exists()


def test_two_at_once_in_one_folder(tmp_path, answers) -> None:
    with exclusive(tmp_path / "s" / ".lock"):
        done = score(tmp_path, answers, "--judge", "lexical", "--into", "s")
    assert done.returncode == 5
    assert "another" in done.stderr
    assert not (tmp_path / "s" / "claims.jsonl").exists()
    assert score(tmp_path, answers, "--judge", "lexical", "--into", "s").returncode == 0


def test_killed_at_any_point_one_line_of_history_and_the_same_files(tmp_path) -> None:
    rows = [{**ROWS[n % 3], "id": f"a{n}"} for n in range(6000)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    line = ("score", "a.jsonl", "--judge", "lexical", "--history", "h.jsonl")
    assert voirdire(*line, "--into", "whole", cwd=tmp_path).returncode == 0
    (tmp_path / "h.jsonl").unlink()
    claims = tmp_path / "s" / "claims.jsonl"
    running = subprocess.Popen(
        [sys.executable, "-c", "from voirdire.cli.main import main; main()", *line, "--into", "s"],
        cwd=tmp_path,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    while running.poll() is None and not (claims.exists() and claims.stat().st_size > 100_000):
        time.sleep(0.01)
    running.kill()
    running.wait()
    done = voirdire(*line, "--into", "s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert voirdire(*line, "--into", "s", cwd=tmp_path).returncode == 0
    assert len((tmp_path / "h.jsonl").read_text().splitlines()) == 1
    for name in ("answers.jsonl", "claims.jsonl"):
        one, two = ((tmp_path / into / name).read_text() for into in ("whole", "s"))
        strip = re.compile(r',"seconds":[^,}]*')
        assert strip.sub("", one) == strip.sub("", two)
