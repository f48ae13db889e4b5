"""The command line, on a small real knowledge base; in a process of its own where the process matters."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from apikb import __version__
from apikb.cli import cli

APIKB = [sys.executable, "-c", "from apikb.cli import main; main()"]
Run = Callable[..., Result]


@pytest.fixture
def run(demo_kb: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command on the demo file."""
    monkeypatch.delenv("APIKB_KB", raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    def invoke(*args: str, **extra: Any) -> Result:
        env = {"APIKB_KB": str(demo_kb), **extra.pop("env", {})}
        result = CliRunner().invoke(cli, list(args), env=env, **extra)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


def process(demo_kb: Path, *args: str, **extra: Any) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "APIKB_KB": str(demo_kb), "COLUMNS": "80", **extra.pop("env", {})}
    return subprocess.run(
        [*APIKB, *args], capture_output=True, text=True, env=env, check=False, timeout=60, **extra
    )


# lookup


@pytest.mark.parametrize(
    ("symbol", "version", "code", "word"),
    [
        ("flask.Flask", "2.2.5", 0, "present"),
        ("flask.Markup", "2.3.0", 1, "absent"),
        ("flask.json_available", "2.3.0", 1, "raises when used"),
        ("flask._speedups.thing", "3.0.0", 3, "unknown"),
        ("flask.tests.thing", "3.0.0", 3, "unknown"),
        ("flask.Flask.run(port)", "2.2.5", 0, "present"),
        ("flask.Flask.run(use_x)", "3.0.0", 1, "absent"),
        ("flask.Flask", "v2.3", 0, "present"),
    ],
)
def test_lookup_says_it_and_exits_with_it(run: Run, symbol: str, version: str, code: int, word: str) -> None:
    result = run("lookup", symbol, "--version", version)
    assert result.exit_code == code, result.output
    assert f": {word} in flask" in result.stdout.splitlines()[0]
    assert result.stderr == ""


def test_lookup_prints_added_and_last_seen_always(run: Run) -> None:
    out = run("lookup", "flask.escape", "--version", "2.2.5").stdout
    assert re.search(r"(?m)^added +at or before 2\.2\.3$", out)
    assert re.search(r"(?m)^last seen +2\.3\.2$", out)
    assert re.search(r"(?m)^removed +after 2\.3\.2, at or before 3\.0\.0$", out)


def test_lookup_prints_every_span_of_a_symbol_that_came_back(run: Run) -> None:
    out = run("lookup", "flask.Markup", "--version", "2.3.1").stdout
    assert "span 1      added at or before 2.2.3; last seen 2.2.5; removed 2.3.0" in out
    assert "span 2      added 2.3.1; deprecated 2.3.1; last seen 2.3.2;" in out
    assert "use instead markupsafe.Markup" in out


def test_lookup_shows_its_evidence(run: Run) -> None:
    out = run("lookup", "flask.Flask", "--version", "2.2.5").stdout
    assert "flask-2.2.5-py3-none-any.whl" in out
    assert re.search(r"(?m)^sha256 +[0-9a-f]{64}$", out)
    assert re.search(r"(?m)^file +flask/__init__\.py:10$", out)


def test_lookup_without_version_means_the_newest_final_release(run: Run) -> None:
    assert "in flask 3.0.0" in run("lookup", "flask.Flask").stdout


@pytest.mark.parametrize(
    ("symbol", "specifier", "code"),
    [
        ("flask.Flask", ">=2.2,!=2.3.3", 0),
        ("flask.Flask", ">=2.2", 3),  # 2.3.3 could not be read
        ("flask.Markup", ">=2.2,<2.4", 1),
        ("flask.Markup", "==2.3.0", 1),
        ("flask._speedups.thing", ">=3", 3),
    ],
)
def test_a_specifier_is_over_all_releases_that_match(
    run: Run, symbol: str, specifier: str, code: int
) -> None:
    result = run("lookup", symbol, "--version", specifier)
    assert result.exit_code == code, result.output
    assert "indexed releases of flask" in result.stdout
    assert run("lookup", symbol, "--version", specifier, "--json").exit_code == code


def test_a_specifier_names_the_releases(run: Run) -> None:
    answer = json.loads(run("lookup", "flask.Markup", "--version", ">=2.2,<2.4", "--json").stdout)
    assert answer["verdict"] == "some"
    assert answer["releases"]["absent"] == ["2.3.0"]
    assert answer["releases"]["present"] == ["2.2.3", "2.2.5", "2.3.1", "2.3.2"]
    assert answer["version"] == "2.3.2" and answer["status"] == "present"


def test_lookup_json_is_one_object_with_the_promised_keys(run: Run) -> None:
    answer = json.loads(run("lookup", "flask.Markup", "--version", "2.3.1", "--json").stdout)
    promised = "symbol project version status kind signature spans replacement reason evidence"
    assert set(promised.split()) <= answer.keys()
    assert answer["status"] == "present"
    span = {"added", "added_exact", "deprecated", "removed", "last_seen"}
    assert all(span <= item.keys() for item in answer["spans"])
    assert {"artifact", "sha256", "file", "line"} <= answer["evidence"].keys()
    assert [item["added"] for item in answer["spans"]] == ["2.2.3", "2.3.1"]


def test_lookup_of_a_misspelt_name_suggests(run: Run) -> None:
    result = run("lookup", "flask.Marckup", "--version", "2.3.1")
    assert result.exit_code == 1
    assert "flask.Markup" in result.stdout


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["lookup", "flask.Flask", "--version", "2.2.4"], 4),
        (["lookup", "nosuchproject.x"], 4),
        (["lookup", "flask.Flask", "--version", "2.3.3"], 4),
        (["lookup", "flask.Flask", "--version", ">=9"], 4),
        (["info", "nosuchproject"], 4),
        (["diff", "flask", "2.2.5", "9.9"], 4),
        (["lookup", "flask.Flask", "--version", "not a version"], 2),
        (["lookup"], 2),
        (["lookup", "flask.Flask", "--nosuch"], 2),
        (["sql", "SELECT nonsense"], 2),
        (["nosuch"], 2),
    ],
)
def test_errors_are_one_clear_line_and_a_code(run: Run, args: list[str], code: int) -> None:
    result = run(*args)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert "Error: " in result.stderr
    assert "Traceback" not in result.stderr


# docstrings and the audit


def test_lookup_prints_the_docstring_when_asked(run: Run) -> None:
    assert "safe to put" not in run("lookup", "flask.Markup", "--version", "2.2.5").stdout
    shown = run("lookup", "flask.Markup", "--version", "2.2.5", "--doc").stdout
    assert "\n\nA string that is safe to put in HTML.\\x1b[31m\n\n.. versionadded:: 2.3.0\n\n>>> " in shown
    assert shown.endswith("\nMarkup('&lt;')\n")
    assert "(no docstring)" in run("lookup", "flask.Flask", "--doc").stdout


def test_lookup_json_has_the_docstring_only_when_asked(run: Run) -> None:
    args = ("lookup", "flask.Markup", "--version", "2.2.5", "--json")
    assert "docstring" not in json.loads(run(*args).stdout)
    assert json.loads(run(*args, "--doc").stdout)["docstring"].startswith("A string that is safe")
    assert json.loads(run("lookup", "flask.Flask", "--json", "--doc").stdout)["docstring"] is None


def test_audit_lists_disagreements_and_with_all_everything(run: Run) -> None:
    shown = run("audit", "flask").stdout
    assert re.search(r"(?m)^earlier +flask\.Markup$", shown)
    assert "versionadded 2.3.0" in shown
    assert not re.search(r"(?m)^extra +flask", shown)
    assert re.search(r"(?m)^extra +flask", run("audit", "flask", "--all").stdout)
    assert run("audit", "click").exit_code == 0


def test_audit_csv_and_json_agree(run: Run) -> None:
    told = json.loads(run("audit", "flask", "--json").stdout)
    assert (told["project"], told["counts"]["versionadded"]) == ("flask", {"earlier": 1})
    rows = list(csv.DictReader(run("audit", "flask", "--csv").stdout.splitlines()))
    assert [row["symbol"] for row in rows] == [finding["symbol"] for finding in told["findings"]]
    assert run("audit", "flask", "--csv", "--json").exit_code == 2
    assert run("audit", "nothing").exit_code == 4


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["lookup", "flask.Flask", "--version", "2.2.4", "--json"], 4),
        (["lookup", "--json"], 2),
        (["lookup", "flask.Flask", "--json", "--nosuch"], 2),
        (["sql", "SELECT nonsense", "--json"], 2),
        (["sql", "SELECT 1", "--csv", "--json"], 2),
        (["lookup", "x.y", "--json", "--kb", "/nonexistent/kb.duckdb"], None),
    ],
)
def test_errors_under_json_are_an_object_on_stderr(run: Run, args: list[str], code: int | None) -> None:
    result = run(*args)
    assert result.exit_code == code or (code is None and result.exit_code)
    assert result.stdout == ""
    error = json.loads(result.stderr)
    assert error.keys() == {"error", "hint"}
    assert error["error"]


def test_a_release_that_is_not_there_names_its_neighbours(run: Run) -> None:
    error = run("lookup", "flask.Flask", "--version", "2.2.4").stderr
    assert "2.2.3" in error and "2.2.5" in error


def test_a_missing_file_names_the_next_command(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["list", "--kb", str(tmp_path / "no.duckdb")])
    assert result.exit_code in (2, 4)
    assert "Hint: " in result.stderr and "apikb index" in result.stderr


def test_a_file_that_is_no_knowledge_base(tmp_path: Path) -> None:
    file = tmp_path / "kb.duckdb"
    file.write_bytes(b"not a database" * 1000)
    result = CliRunner().invoke(cli, ["lookup", "a.b", "--kb", str(file)])
    assert result.exit_code == 2
    assert "Error: " in result.stderr and len(result.stderr.splitlines()) <= 2


# history, diff, sql, list, info, export


def test_history_draws_lists_and_fits(run: Run) -> None:
    out = run("history", "flask.Markup").stdout
    assert max(map(len, out.splitlines())) <= 80
    for text in ("removed", "2.3.0", "deprecated", "2.3.1", "span 2", "█"):
        assert text in out


def test_history_json(run: Run) -> None:
    life = json.loads(run("history", "flask.Markup", "--json").stdout)
    assert life["symbol"] == "flask.Markup" and len(life["spans"]) == 2
    assert ["2.3.0", "absent"] in life["statuses"]


def test_history_with_pre_shows_pre_releases(run: Run) -> None:
    versions = [v for v, _ in json.loads(run("history", "flask.Flask", "--pre", "--json").stdout)["statuses"]]
    assert "3.0.0rc1" in versions
    finals = [v for v, _ in json.loads(run("history", "flask.Flask", "--json").stdout)["statuses"]]
    assert finals == [version for version in versions if version != "3.0.0rc1"]


def test_diff_marks_what_breaks(run: Run) -> None:
    out = run("diff", "flask", "2.2.5", "2.3.0").stdout
    assert re.search(r"(?m)^! removed +flask\.Markup \(class\)$", out)
    assert re.search(r"(?m)^! changed +flask\.Flask\.run", out)


@pytest.mark.parametrize(
    ("flag", "expected"),
    [
        ("--removed", {"removed", "tombstone"}),
        ("--added", {"added"}),
        ("--changed", {"changed", "deprecated"}),
    ],
)
def test_diff_filters(run: Run, flag: str, expected: set[str]) -> None:
    changes = json.loads(run("diff", "flask", "2.2.5", "2.3.0", flag, "--json").stdout)
    assert changes
    assert {change["change"] for change in changes} <= expected


def test_diff_of_a_release_with_itself_is_empty(run: Run) -> None:
    assert json.loads(run("diff", "flask", "2.2.5", "2.2.5", "--all", "--json").stdout) == []
    assert ": 0 changes, 0 breaking" in run("diff", "flask", "2.2.5", "2.2.5").stdout


def test_diff_of_one_symbol(run: Run) -> None:
    changes = json.loads(run("diff", "flask", "2.2.5", "2.3.0", "--symbol", "flask.Flask", "--json").stdout)
    assert {change["symbol"] for change in changes} == {"flask.Flask.run"}


QUERY = "SELECT symbol, added_exact, removed FROM spans WHERE project = 'click' ORDER BY symbol"


def test_sql_table(run: Run) -> None:
    result = run("sql", QUERY)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].split() == ["symbol", "added_exact", "removed"]
    assert "NULL" in result.stdout
    assert re.fullmatch(r"\(\d+ rows\)\n", result.stderr)


def test_sql_csv_and_json_agree(run: Run) -> None:
    rows = list(csv.DictReader(run("sql", QUERY, "--csv").stdout.splitlines()))
    objects = json.loads(run("sql", QUERY, "--json").stdout)
    assert [row["symbol"] for row in rows] == [row["symbol"] for row in objects]
    assert all(row["removed"] is None for row in objects)
    assert all(row["removed"] == "" for row in rows)


def test_sql_reads_standard_input(run: Run) -> None:
    result = run("sql", "-", "--json", input="SELECT 1 AS a, 2 AS a\n;\n")
    assert json.loads(result.stdout) == [{"a": 1, "a_2": 2}]


@pytest.mark.parametrize(
    "value",
    ["DATE '2020-01-02'", "1.50::DECIMAL(4,2)", "'\\xff'::BLOB", "[1, 2]", "{'a': NULL}", "'nan'::DOUBLE"],
)
def test_every_type_prints(run: Run, value: str) -> None:
    for flags in ((), ("--csv",), ("--json",)):
        assert run("sql", f"SELECT {value} AS a", *flags).exit_code == 0
    json.loads(run("sql", f"SELECT {value} AS a", "--json").stdout)


@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE internal.spans",
        "CREATE TABLE x (a INTEGER)",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "COPY (SELECT 1) TO 'x.csv'",
        "ATTACH 'x.duckdb'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SELECT 1; SELECT 2",
        "",
    ],
)
def test_sql_only_reads(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("sql", query)
    assert result.exit_code == 2, result.output
    assert not list(tmp_path.iterdir())


def test_list(run: Run) -> None:
    assert "flask" in run("list").stdout
    assert {item["project"] for item in json.loads(run("list", "--json").stdout)} == {"flask", "click"}


def test_info_shows_every_release_and_why_some_are_missing(run: Run) -> None:
    out = run("info", "flask").stdout
    for text in ("2.2.5", "flask-2.2.5-py3-none-any.whl", "truncated download", "no artifact", "100.0 kB"):
        assert text in out
    json.loads(run("info", "flask", "--json").stdout)


def test_export_writes_parquet(run: Run, tmp_path: Path) -> None:
    assert run("export", str(tmp_path / "out")).exit_code == 0
    assert (tmp_path / "out" / "flask" / "spans.parquet").stat().st_size
    assert (tmp_path / "out" / "click" / "releases.parquet").stat().st_size


# what reaches the terminal


@pytest.mark.parametrize(
    "args",
    [
        ["lookup", "flask.hostile_function"],
        ["lookup", "flask.hostile_function(x)"],
        ["lookup", "flask.hostile"],
        ["lookup", "flask.json_available"],
        ["lookup", "flask.\x1b[31mx"],
        ["lookup", "\x1b[31mx.y"],
        ["lookup", "flask.Flask", "--version", "1\x1b[31m"],
        ["history", "flask.hostile_function"],
        ["history", "flask.json_available"],
        ["diff", "flask", "2.2.5", "2.3.0"],
        ["info", "flask"],
        ["list"],
        ["sql", "FROM deprecations"],
        ["sql", "FROM parameters"],
        ["sql", "FROM tombstones"],
        ["sql", "SELECT 'a\x1b[31m' AS \"\x1b[32m\""],
        ["sql", "SELECT nonsense_\x1b[31m"],
        ["lookup", "flask.hostile_function", "--json"],
        ["diff", "flask", "2.2.5", "2.3.0", "--json"],
        ["sql", "SELECT 'a\x1b\x7f\x9b\u202e'", "--json"],
    ],
)
def test_nothing_that_a_terminal_obeys_gets_out(run: Run, args: list[str]) -> None:
    result = run(*args)
    assert result.exit_code in (0, 1, 2, 3, 4)
    for character in set(result.stdout + result.stderr) - {"\n"}:
        assert unicodedata.category(character)[0] != "C", ascii(character)
        assert unicodedata.category(character) not in ("Zl", "Zp")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_an_output_that_holds_no_unicode_gets_ascii(demo_kb: Path, encoding: str) -> None:
    done = process(demo_kb, "history", "flask.Markup", env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})
    assert done.returncode == 0, done.stderr
    assert "#" in done.stdout and done.stdout.isascii()


def test_what_an_encoding_cannot_hold_is_escaped(demo_kb: Path) -> None:
    done = process(demo_kb, "sql", "SELECT 'n 日本'", env={"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"})
    assert done.returncode == 0, done.stderr
    assert "n \\u65e5\\u672c" in done.stdout


# the process


def test_exit_codes_of_the_process(demo_kb: Path) -> None:
    assert process(demo_kb, "lookup", "flask.Flask").returncode == 0
    assert process(demo_kb, "lookup", "flask.Markup", "--version", "2.3.0").returncode == 1
    assert process(demo_kb, "lookup").returncode == 2
    assert process(demo_kb, "lookup", "flask._speedups.thing").returncode == 3
    assert process(demo_kb, "lookup", "nosuchproject.x").returncode == 4


def test_a_reader_that_goes_away_is_no_error(demo_kb: Path) -> None:
    shell = [sys.executable, "-c", "import sys; sys.stdin.readline()"]
    query = "SELECT range, repeat('x', 100) FROM range(100000)"
    env = {**os.environ, "APIKB_KB": str(demo_kb)}
    with subprocess.Popen(
        [*APIKB, "sql", query, "--csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as writer:
        subprocess.run(shell, stdin=writer.stdout, check=True)
        assert writer.stdout is not None and writer.stderr is not None
        writer.stdout.close()
        assert writer.stderr.read() == b""


def test_a_full_disk_is_one_line(demo_kb: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    env = {**os.environ, "APIKB_KB": str(demo_kb)}
    with full.open("w") as out:
        done = subprocess.run(
            [*APIKB, "lookup", "flask.Flask"], stdout=out, stderr=subprocess.PIPE, env=env, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"Error: ") and b"Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_is_130(demo_kb: Path) -> None:
    env = {**os.environ, "APIKB_KB": str(demo_kb)}
    with subprocess.Popen(
        [*APIKB, "sql", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as waiting:
        time.sleep(1)
        waiting.send_signal(signal.SIGINT)
        _, error = waiting.communicate(timeout=20)
        assert waiting.returncode == 130
        assert b"Traceback" not in error


HEAVY = (
    "griffe rich pyarrow torch urllib3 pypi_simple requests tree_sitter numpy pandas platformdirs pip asyncio"
)


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_lookup_imports_nothing_heavy(demo_kb: Path, flags: tuple[str, ...]) -> None:
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        "from apikb.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "lookup", "flask.Flask", *flags],
        capture_output=True,
        text=True,
        env={**os.environ, "APIKB_KB": str(demo_kb)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert "duckdb" in loaded
    assert not loaded & set(HEAVY.split())


def test_version_and_help_need_no_database() -> None:
    runner = CliRunner()
    assert __version__ in runner.invoke(cli, ["--version"]).stdout
    assert "index" in runner.invoke(cli, ["-h"]).stdout
    for name in cli.commands:
        assert "Example" in runner.invoke(cli, [name, "--help"]).stdout


def test_the_list_of_commands_imports_none_of_them() -> None:
    code = "import sys; from apikb.cli import cli; cli.main(['--help'], standalone_mode=False); "
    code += "print(*(name for name in sys.modules if name.startswith('apikb.')), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "lookup" in done.stdout
    allowed = {"cli", "cli.running", "cli.printing", "kb", "kb.errors"}
    assert set(done.stderr.split()) <= {f"apikb.{name}" for name in allowed}


def test_a_command_that_does_not_exist_has_a_neighbour() -> None:
    result = CliRunner().invoke(cli, ["lookpu"])
    assert result.exit_code == 2
    assert "No such command" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion_is_what_click_gives(demo_kb: Path, shell: str) -> None:
    done = process(demo_kb, env={"_APIKB_COMPLETE": f"{shell}_source"})
    assert done.returncode == 0 and "_APIKB_COMPLETE" in done.stdout


def test_no_color_is_honoured(run: Run) -> None:
    assert "\x1b[" in run("lookup", "flask.Flask", color=True).stdout
    assert "\x1b[" not in run("lookup", "flask.Flask", color=True, env={"NO_COLOR": "1"}).stdout


def test_the_default_file_is_in_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("APIKB_KB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    result = CliRunner().invoke(cli, ["list"])
    assert result.exit_code in (2, 4)
    assert "kb.duckdb" in result.stderr


# index: what it is told and what it says; the work itself is tested with the indexers


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["click", "--versions", "nonsense"],
        ["click", "--versions", ">=1", "--versions", "nonsense"],
        ["click", "--since", "not a version"],
        ["click", "--jobs", "0"],
        ["not a project!"],
        ["click>=8"],
        ["click", "--find-links", "/nonexistent"],
        ["-r", "/nonexistent.txt"],
    ],
)
def test_index_refuses_wrong_usage(run: Run, args: list[str]) -> None:
    result = run("index", *args)
    assert result.exit_code == 2, result.output
    assert "Error: " in result.stderr


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Stand in for the indexers: remembers what it is told, answers with what is put into it."""
    from apikb.indexers import pipeline as real

    calls: list[Any] = []

    def index_projects(projects: Any, options: Any, progress: Any) -> Any:
        calls.append((list(projects), options))
        progress.project_started("flask", 3)
        progress.release_done("flask", "1.0", "failed", "bad \x1b[31m")
        project = real.ProjectSummary(
            project="flask",
            releases_total=3,
            indexed=1,
            skipped=[("0.1", "no artifact")],
            failed=[("1.0", "bad \x1b[31m")],
            fetched_bytes=1_000_000,
            artifact_bytes=5_000_000,
            files_parsed=7,
            files_reused=9,
            seconds=1.25,
            cpu_seconds=2.5,
            notes=["an old wheel"],
            error=None,
            unchanged=False,
        )
        return real.Summary(projects=[project])

    monkeypatch.setattr(real, "index_projects", index_projects)
    return calls


def test_index_passes_on_what_it_is_told(run: Run, pipeline: list[Any], tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("httpx==1.0\nflask\n")
    links = tmp_path / "links"
    links.mkdir()
    args = [
        "index",
        "flask",
        "-r",
        str(tmp_path / "r.txt"),
        "--versions",
        ">=1,<2",
        "--versions",
        "==3.*",
        "--since",
        "1.1",
        "--pre",
    ]
    args += [
        "--jobs",
        "2",
        "--index-url",
        "http://localhost:1/simple",
        "--find-links",
        str(links),
        "--refresh",
    ]
    args += ["--kb", str(tmp_path / "kb.duckdb"), "--cache", str(tmp_path / "cache")]
    result = run(*args)
    assert result.exit_code == 0, result.output
    ((projects, options),) = pipeline
    assert projects == ["flask", "httpx"]
    assert options.versions == (">=1,<2", "==3.*")
    assert (options.since, options.pre, options.jobs) == ("1.1", True, 2)
    assert (options.index_url, options.find_links) == ("http://localhost:1/simple", (links,))
    assert (options.refresh, options.cache) == (True, tmp_path / "cache")
    assert options.kb == tmp_path / "kb.duckdb"


def test_index_says_what_was_skipped_and_why(run: Run, pipeline: list[Any]) -> None:
    result = run("index", "flask")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "flask: 1 of 3 releases indexed, 1 skipped, 1 failed; 1.0 MB of 5.0 MB fetched, 7 files parsed, "
        "9 reused, 1.2 s (2.5 s of CPU)",
        "  note: an old wheel",
        "  skipped 0.1: no artifact",
        "  failed 1.0: bad \\x1b[31m",
    ]
    assert result.stderr.splitlines() == ["flask: 3 releases", "flask 1.0 failed: bad \\x1b[31m"]


def test_index_fails_when_a_project_does(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from apikb.indexers import pipeline as real
    from apikb.kb.errors import IndexingError

    def index_projects(projects: Any, options: Any, progress: Any) -> Any:
        error = IndexingError("there is no project nosuch", hint="did you mean such?")
        return real.Summary(
            projects=[
                real.ProjectSummary("nosuch", error=error),
                real.ProjectSummary("flask", releases_total=3, indexed=3, unchanged=True),
            ]
        )

    monkeypatch.setattr(real, "index_projects", index_projects)
    result = run("index", "nosuch", "flask")
    assert result.exit_code == 1
    assert result.stdout == "flask: nothing new; 3 of 3 releases are indexed\n"
    assert result.stderr == "Error: nosuch: there is no project nosuch\nHint: did you mean such?\n"


def test_index_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from apikb.indexers import pipeline as real

    def index_projects(projects: Any, options: Any, progress: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(real, "index_projects", index_projects)
    result = run("index", "flask")
    assert result.exit_code == 130
    assert "is kept" in result.stderr


# index, for real: wheels in a folder


def write_wheel(folder: Path, version: str, source: str) -> None:
    record = f"gadget/__init__.py,,\ngadget-{version}.dist-info/METADATA,,\n"
    with zipfile.ZipFile(folder / f"gadget-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr("gadget/__init__.py", source)
        archive.writestr(f"gadget-{version}.dist-info/METADATA", f"Name: gadget\nVersion: {version}\n")
        archive.writestr(f"gadget-{version}.dist-info/RECORD", record)


def test_from_wheels_in_a_folder_to_an_answer(tmp_path: Path) -> None:
    links = tmp_path / "links"
    links.mkdir()
    write_wheel(links, "1.0", "def old(a, b=1): ...\n")
    write_wheel(links, "2.0", "def new(): ...\n")
    (links / "gadget-3.0-py3-none-any.whl").write_bytes(b"not an archive")
    kb = tmp_path / "kb.duckdb"
    env = {"APIKB_CACHE": str(tmp_path / "cache")}
    done = process(kb, "index", "gadget", "--find-links", str(links), "--jobs", "1", env=env)
    assert done.returncode == 0, done.stderr
    assert "gadget: 2 of 3 releases indexed" in done.stdout
    assert re.search(r"(?m)^  (skipped|failed) 3\.0: .+", done.stdout)
    answer = process(kb, "lookup", "gadget.old", "--version", "1.0")
    assert answer.returncode == 0 and "(a, b=1)" in answer.stdout
    assert process(kb, "lookup", "gadget.old", "--version", "2.0").returncode == 1
    assert process(kb, "lookup", "gadget.old", "--version", "3.0").returncode == 4
    again = process(kb, "index", "gadget", "--find-links", str(links), env=env)
    assert again.returncode == 0 and "nothing new" in again.stdout


def test_a_folder_is_read_instead_of_the_index(tmp_path: Path) -> None:
    """Anybody may own the name of a local project there."""
    for name in ("links", "index"):
        (tmp_path / name / "gadget").mkdir(parents=True)
    write_wheel(tmp_path / "links", "1.0", "def ours(): ...\n")
    write_wheel(tmp_path / "index" / "gadget", "9.0", "def theirs(): ...\n")
    env = {"APIKB_CACHE": str(tmp_path / "cache"), "APIKB_INDEX_URL": (tmp_path / "index").as_uri()}
    kb = tmp_path / "kb.duckdb"
    links = str(tmp_path / "links")
    alone = process(kb, "index", "gadget", "--find-links", links, "--jobs", "1", env=env)
    assert "gadget: 1 of 1 releases indexed" in alone.stdout, alone.stderr
    other = process(tmp_path / "other.duckdb", "index", "gadget", "--jobs", "1", env=env)
    assert "gadget: 1 of 1 releases indexed" in other.stdout, other.stderr
    assert process(tmp_path / "other.duckdb", "lookup", "gadget.theirs").returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_while_indexing_keeps_what_is_done(tmp_path: Path) -> None:
    links = tmp_path / "links"
    links.mkdir()
    for number in range(120):
        body = "\n".join(f"def f{number}_{i}(a, b=1):\n    return a\n" for i in range(100))
        write_wheel(links, f"1.{number}", body)
    kb = tmp_path / "kb.duckdb"
    env = {**os.environ, "APIKB_KB": str(kb), "APIKB_CACHE": str(tmp_path / "cache")}
    command = [*APIKB, "index", "gadget", "--find-links", str(links), "--jobs", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as run:
        assert run.stderr is not None
        for line in run.stderr:
            if line.startswith("gadget: 120 releases"):
                break
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=60)
    assert run.returncode == 130, error
    assert "is kept" in error and "Traceback" not in error
    done = process(kb, "index", "gadget", "--find-links", str(links), "--jobs", "1", env=env)
    assert done.returncode == 0, done.stderr
    assert process(kb, "lookup", "gadget.f119_0").returncode == 0


def test_history_of_a_name_that_never_was_says_so(demo_kb: Path) -> None:
    result = CliRunner().invoke(cli, ["history", "flask.Flaks", "--kb", str(demo_kb)])
    assert result.exit_code == 1
    assert "did you mean: flask.Flask" in result.stderr
