"""Which language is used, and that texts in it are found."""

import ast
import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import oddsdesk
from oddsdesk.base import places, pseudo, texts
from oddsdesk.cli.main import main
from oddsdesk.pricing.profiles import shipped_profiles

CATALOGUE = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "Open {name}"
msgstr "{name} öffnen"

msgid "{path} has {count:,} rows; {reason}"
msgstr "{reason}: {count:,} Zeilen in {path}"

msgid "the file {path} is empty"
msgstr "die Datei {path} ist leer"

msgid "{one} of {whole}"
msgstr "{one} von {whole}"

msgid "line {number}: {error}"
msgstr "Zeile {number}: {error}"

msgid "{field} is missing"
msgstr "es fehlt {field}"

msgid "{count} prices"
msgstr "{count} Quoten"

msgid "{list} games of {club}"
msgstr "{list} Spiele von {club}"

msgid "the last is line {number}: {error}"
msgstr "die letzte ist Zeile {number}: {error}"

msgid "{host} or {whole}"
msgstr "{host} oder {whole}"

msgid "minutes"
msgstr "Minuten"

msgid "the last game"
msgstr "das letzte Spiel"

msgid "{name!r} and {name!r} again"
msgstr "noch einmal {name!r}"

msgctxt "against an outcome"
msgid "Lay"
msgstr "Gegenwette"

msgid "{count} game"
msgid_plural "{count} games"
msgstr[0] "{count} Spiel"
msgstr[1] "{count} Spiele"
"""


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Resources with a German catalogue of three texts."""
    pofile = pytest.importorskip("babel.messages.pofile")
    mofile = pytest.importorskip("babel.messages.mofile")
    folder = tmp_path / "locale" / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "oddsdesk.mo").open("wb") as file:
        mofile.write_mo(file, pofile.read_po(CATALOGUE.splitlines(), locale="de"))
    filled = ("{path} has {count:,} rows; {reason}", "the file {path} is empty", "{one} of {whole}")
    filled += ("{name!r} and {name!r} again", "line {number}: {error}", "{field} is missing")
    filled += ("the last is line {number}: {error}", "{host} or {whole}", "{count} prices")
    templates = json.dumps(filled)
    (tmp_path / "locale" / "templates.json").write_text(templates)
    monkeypatch.setattr(places, "_root", lambda: tmp_path)
    yield
    texts.use_language("en")


def test_texts_are_in_the_language_in_use(german: None) -> None:
    assert texts._("Open {name}") == "Open {name}"
    texts.use_language("de")
    assert texts.language() == "de"
    assert texts._("Open {name}").format(name="Bets") == "Bets öffnen"
    assert texts.pgettext("against an outcome", "Lay") == "Gegenwette"
    assert [texts.ngettext("{count} game", "{count} games", n) for n in (1, 2)] == [
        "{count} Spiel",
        "{count} Spiele",
    ]
    assert texts.translated(texts.N_("Open {name}")) == "{name} öffnen"
    assert (texts.translated(""), texts.translated("Arsenal")) == ("", "Arsenal")
    texts.use_language("fr")
    assert (texts.language(), texts._("Open {name}")) == ("en", "Open {name}")


@pytest.mark.parametrize(
    ("english", "german_text"),
    [
        ("the file a b.csv is empty", "die Datei a b.csv ist leer"),
        ("x has 1,204 rows; the file y is empty", "die Datei y ist leer: 1,204 Zeilen in x"),
        ("the file a is empty\nArsenal\n", "die Datei a ist leer\nArsenal\n"),
        ("odds: line 3: the file a is empty", "odds: Zeile 3: die Datei a ist leer"),
        ("x.csv: line 3: odds is missing", "x.csv: Zeile 3: es fehlt odds"),
        ("a is missing; the file a is empty", "es fehlt a; die Datei a ist leer"),
        ("the last game of 10 minutes", "das letzte Spiel von 10 Minuten"),
        ("line 3: Arsenal", "line 3: Arsenal"),
        ("line Arsenal: the last game", "line Arsenal: das letzte Spiel"),
        ("the last is line 3: x: a is missing", "die letzte ist Zeile 3: x: es fehlt a"),
        ("minutes is missing", "es fehlt minutes"),
        ("minutes or minutes", "minutes oder Minuten"),
        ("12 prices", "12 Quoten"),
        ("my prices", "my prices"),
        ("my games of Arsenal", "my games of Arsenal"),
        ("'a' and 'a' again", "noch einmal 'a'"),
        ("'a' and 'b' again", "'a' and 'b' again"),
        ("the file is empty", "the file is empty"),
        ("1 of 2", "1 von 2"),
        ("St. minutes", "St. minutes"),
        ("Real of Madrid", "Real of Madrid"),
    ],
)
def test_a_text_that_is_filled_in_is_recognised(
    german: None, english: str, german_text: str
) -> None:
    assert texts.translated(english) == english
    texts.use_language("de")
    assert texts.translated(english) == german_text


@pytest.mark.parametrize("language", texts.languages()[1:])
def test_names_in_the_data_are_never_taken_for_texts(language: str) -> None:
    names = {bookmaker.name for bookmaker in shipped_profiles().all_profiles()}
    with places.resource_path("teams.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.reader(line for line in file if not line.startswith("#")):
            names.update(name for cell in row for name in cell.split("|") if " " in name)
    assert len(names) > 5_000
    texts.use_language(language)
    try:
        assert [name for name in names if texts.translated(name) != name] == []
    finally:
        texts.use_language("en")


@pytest.mark.parametrize(
    ("environment", "setting", "expected"),
    [
        ({}, "system", "en"),
        ({"LANG": "de_AT.UTF-8"}, "system", "de"),
        ({"LANG": "fr_FR.UTF-8"}, "system", "en"),
        ({"LANG": "C.UTF-8"}, "system", "en"),
        ({"LANG": "de_DE", "LC_ALL": "C"}, "system", "en"),
        ({"LANG": "en_GB", "LC_MESSAGES": "de_DE"}, "system", "de"),
        ({"LANG": "en_GB", "LANGUAGE": "fr:de"}, "system", "de"),
        ({"LANG": "de_DE", "LANGUAGE": "fr:en"}, "system", "en"),
        ({"LANG": "de_DE"}, "en", "en"),
        ({"ODDSDESK_LANGUAGE": "en", "LANG": "de_DE"}, "de", "en"),
        ({"ODDSDESK_LANGUAGE": "xx-pseudo"}, "de", "xx-pseudo"),
        ({"ODDSDESK_LANGUAGE": "../../x"}, "de", "en"),
    ],
)
def test_the_language_is_the_first_one_chosen_that_is_translated(
    german: None, environment: dict[str, str], setting: str, expected: str
) -> None:
    assert texts.chosen_language(environment, lambda: setting) == expected


@pytest.mark.parametrize(
    ("saved", "expected"),
    [
        ("[look]\nscheme=dark\nlanguage=de\n\n[prices]\nlanguage=es\n", "de"),
        ("[look]\nscheme=dark\n\n[prices]\nlanguage=es\n", "system"),
        ("", "system"),
        (None, "system"),
    ],
)
def test_the_language_of_the_settings_is_read_before_qt(
    own_folders: Path, saved: str | None, expected: str
) -> None:
    folder = places.settings_folder()
    folder.mkdir(parents=True)
    if saved is not None:
        (folder / "desk.ini").write_text(saved, "utf-8")
    assert texts.saved_language() == expected


def test_the_pseudo_locale_changes_listed_texts_only_and_no_placeholder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pseudo, "all_texts", lambda: frozenset({"&Open {name:.1f}…"}))
    texts.use_language(texts.PSEUDO)
    try:
        assert texts._("&Open {name:.1f}…") == "[&Ópéñ {name:.1f}…]"
        assert texts._("Arsenal") == "Arsenal"
    finally:
        texts.use_language(texts.ENGLISH)
    assert pseudo.is_pseudo(pseudo.pseudo("Bets"))
    assert len(pseudo.pseudo("x" * 100)) == 140
    assert not pseudo.is_pseudo("Bets")


def test_no_module_with_texts_is_loaded_before_the_language_is_known() -> None:
    """A text of a module is translated once, when the module is imported."""
    program = "import sys, oddsdesk.cli.main, oddsdesk.cli.server; print(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    root = Path(oddsdesk.__file__).parent.parent
    early = [
        name
        for name in ended.stdout.split()
        if name.startswith("oddsdesk.") and _marks(root.joinpath(*name.split(".")))
    ]
    assert early == []


def _marks(module: Path) -> bool:
    """Return whether a module translates texts."""
    path = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
    tree = ast.parse(path.read_text("utf-8"))
    names = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "oddsdesk.base.texts"
        for alias in node.names
    ]
    return bool({"_", "ngettext", "pgettext"} & set(names))


SHARED_WITH_THE_SERVER = (
    *("contract", "base", "pricing", "matching", "network", "store", "archive", "feeds"),
    *("server", "cluster", "client"),
)


def test_rooms_whose_texts_go_to_the_wire_or_a_log_translate_none() -> None:
    root = Path(oddsdesk.__file__).parent
    wrong = [
        str(path.relative_to(root))
        for room in SHARED_WITH_THE_SERVER
        for path in (root / room).rglob("*.py")
        if _marks(path.with_suffix(""))
    ]
    assert wrong == []


def test_a_command_that_prints_json_is_english() -> None:
    """Some of its fields are sentences."""
    texts.use_language(texts.PSEUDO)
    main.resolve_command(click.Context(main), ["devig", "1.9", "--json"])
    assert texts.language() == "en"
