"""A run as one page of HTML that needs nothing else: tables, and plots as SVG in it."""

from __future__ import annotations

import html
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..kb.errors import ApikbError
from .results import Results
from .run_report import Row, main_measure

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; color: #222 }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left }
tr.ceiling td { color: #777; font-style: italic }
svg { max-width: 100%; height: auto }
pre { background: #f6f6f6; padding: .8rem; overflow: auto; font-size: 13px }
"""
_LIMITS = (
    "Scores are means over all tasks; a task without an output counts 0 and is never dropped.  Intervals "
    "are 95 % bootstrap intervals over tasks: they tell how sure the mean is for tasks like these, not what "
    "other data would give.  Differences are over the same tasks.  Many comparisons are made: of twenty "
    "without any effect, one looks like one.",
    "The tasks are public, older than most models, and may have been part of what a model was trained on.  "
    "That lifts all conditions, and makes the gain of a context look smaller than it is for code that no "
    "model has seen.  The task's own lines are kept out of every context.",
    "What the store calls unknown is counted neither as right nor as wrong use.",
)


def page(
    results: Sequence[Results], rows: Sequence[Row], manifest: Mapping[str, Any], title: str = "apikb eval"
) -> str:
    """The page.  Raises ApikbError where matplotlib is not installed."""
    parts = [f"<h1>{_text(title)}</h1>", *_about(manifest)]
    for result in results:
        shown = [row for row in rows if row.kind == str(result.kind)]
        parts += list(_section(result, shown))
    parts.append("<h2>Limits</h2>")
    parts += [f"<p>{_text(limit)}</p>" for limit in _LIMITS]
    parts.append("<h2>Manifest</h2>")
    parts.append(f"<pre>{_text(json.dumps(manifest, indent=1, sort_keys=True))}</pre>")
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_text(title)}</title>'
        f"<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def _text(value: object) -> str:
    return html.escape(str(value))


def _about(manifest: Mapping[str, Any]) -> Iterator[str]:
    generator = manifest.get("generator", {})
    retrieval = manifest.get("retrieval", {})
    data = ", ".join(manifest.get("data", {}))
    content = ", ".join(retrieval.get("content", []))
    yield (
        f"<p>Model <b>{_text(generator.get('name', 'unknown'))}</b> ({_text(generator.get('style', ''))}), "
        f"data <b>{_text(data)}</b>, context of at most {_text(retrieval.get('k'))} entries and "
        f"{_text(retrieval.get('budget'))} tokens: {_text(content)}.</p>"
    )


def _section(result: Results, rows: Sequence[Row]) -> Iterator[str]:
    main = main_measure(result)
    everything = [row for row in rows if row.stratum == "all"]
    yield f"<h2>{_text(result.kind)}: {len(result.tasks)} tasks, {result.n} outputs each</h2>"
    yield _scores(everything, list(result.values))
    yield _differences([row for row in everything if row.measure == main])
    if result.missing:
        listed = ", ".join(f"{task} under {condition}" for task, condition in result.missing[:50])
        more = ", ..." if len(result.missing) > 50 else ""
        yield f"<p>{len(result.missing)} samples are missing and count 0: {_text(listed + more)}</p>"
    yield _plot_of_conditions([row for row in everything if row.measure == main], main)
    strata = [row for row in rows if row.stratum != "all" and row.measure == main]
    for name in dict.fromkeys(row.stratum.partition(": ")[0] for row in strata):
        of_name = [row for row in strata if row.stratum.startswith(f"{name}: ")]
        if len({row.stratum for row in of_name}) > 1:
            yield _plot_of_strata(of_name, name, main)


def _scores(rows: Sequence[Row], conditions: Sequence[str]) -> str:
    measures = list(dict.fromkeys(row.measure for row in rows))
    cells = {(row.condition, row.measure): row for row in rows}
    head = "".join(f"<th>{_text(condition)}</th>" for condition in [*conditions, "ceiling"])
    lines = [f"<tr><th>measure</th>{head}</tr>"]
    for name in measures:
        of_measure = [cells[condition, name] for condition in conditions]
        means = "".join(
            f'<td title="{row.low:.3f} to {row.high:.3f}">{row.mean:.3f}</td>' for row in of_measure
        )
        top = of_measure[0].ceiling
        lines.append(f"<tr><td>{_text(name)}</td>{means}<td>{top:.3f}</td></tr>")
    return f"<table>{''.join(lines)}</table>"


def _differences(rows: Sequence[Row]) -> str:
    lines = ["<tr><th>difference</th><th>mean</th><th>95 %</th><th>better</th><th>worse</th><th>p</th></tr>"]
    lines += [
        f"<tr><td>{_text(row.condition)} - {_text(row.against)}, {_text(row.measure)}</td>"
        f"<td>{row.difference:+.3f}</td>"
        f"<td>{row.difference_low:+.3f} to {row.difference_high:+.3f}</td>"
        f"<td>{row.better}</td><td>{row.worse}</td><td>{row.p:.3g}</td></tr>"
        for row in rows
        if row.condition != row.against
    ]
    return f"<table>{''.join(lines)}</table>" if len(lines) > 1 else ""


# ---- plots


def _figure(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ApikbError("matplotlib is not installed", hint="pip install 'apikb[eval]'") from error
    return Figure(figsize=(width, height), layout="constrained")


def _svg(figure: Any) -> str:
    out = io.StringIO()
    # Without a date, and with ids of its own content, the same run gives the same page.
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "apikb", "svg.fonttype": "none"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :]


def _plot_of_conditions(rows: Sequence[Row], measure: str) -> str:
    figure = _figure(7, 0.5 * len(rows) + 1)
    axes = figure.subplots()
    places = list(range(len(rows)))
    axes.barh(places, [row.mean for row in rows], color="#4a78b0", height=0.6)
    axes.errorbar(
        [row.mean for row in rows],
        places,
        xerr=[[row.mean - row.low for row in rows], [row.high - row.mean for row in rows]],
        fmt="none",
        ecolor="#222",
        capsize=3,
    )
    axes.set_yticks(places, [row.condition for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel(f"{measure}, mean and 95 % interval")
    axes.spines[["top", "right"]].set_visible(False)
    return _svg(figure)


def _plot_of_strata(rows: Sequence[Row], name: str, measure: str) -> str:
    strata = list(dict.fromkeys(row.stratum for row in rows))
    conditions = list(dict.fromkeys(row.condition for row in rows))
    counts = {row.stratum: row.tasks for row in rows}
    figure = _figure(max(7, 0.22 * len(strata) * (len(conditions) + 1) + 1.5), 3.2)
    axes = figure.subplots()
    width = 0.8 / len(conditions)
    for number, condition in enumerate(conditions):
        of_condition = [row for row in rows if row.condition == condition]
        places = [
            strata.index(row.stratum) + (number - (len(conditions) - 1) / 2) * width for row in of_condition
        ]
        means = [row.mean for row in of_condition]
        spread = [[row.mean - row.low for row in of_condition], [row.high - row.mean for row in of_condition]]
        axes.bar(
            places, means, width=width, label=condition, yerr=spread, error_kw={"lw": 0.7, "capsize": 1.5}
        )
    labels = [f"{each.partition(': ')[2]}\nn = {counts[each]}" for each in strata]
    axes.set_xticks(range(len(strata)), labels, rotation=45 if len(strata) > 8 else 0, fontsize=8)
    axes.set_ylabel(measure)
    axes.set_title(f"by {name}", loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(
        frameon=False,
        fontsize=8,
        ncols=min(6, len(conditions)),
        loc="upper center",
        bbox_to_anchor=(0.5, 1.25),
    )
    return _svg(figure)
