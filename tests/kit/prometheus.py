"""A strict reader of Prometheus' text format 0.0.4, as its documentation has it."""

import math
import re
from typing import NamedTuple

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
_SAMPLE = re.compile(rf"({_NAME})(?:\{{((?:{_LABEL},?)*)\}})? (\S+)")
_PARTS = {"histogram": ("_bucket", "_sum", "_count")}
_KINDS = {"counter", "gauge", "histogram"}

Labels = frozenset[tuple[str, str]]


class Metric(NamedTuple):
    """A family: its kind, and its samples by the name of each and its labels."""

    kind: str
    samples: dict[tuple[str, Labels], float]


def parse(text: str) -> dict[str, Metric]:
    """Return the families of a text; whatever Prometheus would not take, or not expect, fails."""
    assert text.endswith("\n")
    families: dict[str, Metric] = {}
    name = helped = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped, meaning = line.removeprefix("# HELP ").split(" ", 1)
            assert meaning
        elif line.startswith("# TYPE "):
            name, kind = line.removeprefix("# TYPE ").split(" ")
            assert name == helped, f"{name} is not explained"
            assert name not in families, f"{name} comes twice"
            assert kind in _KINDS
            assert kind != "counter" or name.endswith("_total"), name
            families[name] = Metric(kind, {})
        else:
            _take(line, name, families[name])
    for name, metric in families.items():
        assert metric.samples, f"{name} is empty"
        if metric.kind == "histogram":
            _check_histogram(name, metric.samples)
    return families


def _take(line: str, name: str, metric: Metric) -> None:
    found = _SAMPLE.fullmatch(line)
    assert found is not None, line
    ours = [name + part for part in _PARTS.get(metric.kind, ("",))]
    assert found[1] in ours, f"{line} stands below {name}"
    pairs = re.findall(_LABEL, found[2] or "")
    assert len(dict(pairs)) == len(pairs), f"{line}: a label comes twice"
    key = (found[1], frozenset(pairs))
    assert key not in metric.samples, f"{line} comes twice"
    value = float(found[5])
    assert not math.isnan(value)
    assert metric.kind == "gauge" or value >= 0
    metric.samples[key] = value


def _check_histogram(name: str, samples: dict[tuple[str, Labels], float]) -> None:
    for (part, labels), count in samples.items():
        if part != f"{name}_count":
            continue
        buckets = {
            float(dict(each)["le"]): value
            for (other, each), value in samples.items()
            if other == f"{name}_bucket" and labels == {pair for pair in each if pair[0] != "le"}
        }
        counts = [buckets[bound] for bound in sorted(buckets)]
        assert counts == sorted(counts)
        assert buckets[math.inf] == count
        assert (f"{name}_sum", labels) in samples


def value(families: dict[str, Metric], name: str, **labels: str) -> float:
    """Return the sum of all samples of a name that have these labels."""
    family = next(each for each in families if name.startswith(each))
    wanted = set(labels.items())
    return sum(
        found
        for (each, had), found in families[family].samples.items()
        if each == name and wanted <= had
    )
