"""Tables on their way out: what is read back is what was there, and no cell is a formula."""

import csv
import io
import json
import re
import sys
import threading
import zipfile
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.places import how_to_install
from oddsdesk.base.text import as_written, safe_text
from oddsdesk.desk.export.files import (
    CSV,
    FORMATS,
    JSON,
    STEP,
    XLSX,
    ExportColumn,
    ExportError,
    Stopped,
    Table,
    Writer,
    html_text,
    table_of,
    tsv_text,
    write_whole,
)
from oddsdesk.desk.ui.table.cells import Cell, Column, ColumnSpec, Exported, Kind
from oddsdesk.desk.ui.table.live_model import StableRowsModel

COLUMNS = (
    ExportColumn("bookmaker", "Bookmaker"),
    ExportColumn("odds", "Odds", Kind.NUMBER),
    ExportColumn("scraped_at", "Seen", Kind.TIME),
    ExportColumn("is_live", "In play", Kind.FLAG),
)
ROW = ("Bet & Söhne", 2.05, "2026-11-20T18:30:00.000Z", True)
DANGEROUS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1")
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

texts = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]) | st.sampled_from("=+-@\t\r\n"),
    max_size=8,
)
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
rows = st.lists(st.tuples(texts, numbers, st.none() | texts, st.booleans()), max_size=6)


def written(file_format, table, steps=None):
    file = io.BytesIO()
    file_format.write(table, file, (steps if steps is not None else []).append)
    return file.getvalue()


def read_csv(data):
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def read_xlsx(data):
    """The cells of the sheet as (type, text), by reference."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    return {
        cell.get("r"): (cell.get("t"), "".join(cell.itertext())) for cell in sheet.iter(f"{SHEET}c")
    }, sheet


@given(rows=rows)
def test_csv_reads_back_as_it_was_but_for_the_apostrophes(rows):
    found = read_csv(written(CSV, Table(COLUMNS, rows)))
    assert found[0] == ["bookmaker", "odds", "scraped_at", "is_live"]
    for (name, odds, seen, live), cells in zip(rows, found[1:], strict=True):
        assert cells[0] == safe_text(name)
        assert cells[1] == ("" if odds is None else repr(odds))
        assert (None if cells[1] == "" else float(cells[1])) == odds
        assert cells[2] == safe_text(seen or "")
        assert cells[3] == ("true" if live else "false")


@given(rows=rows)
def test_json_reads_back_as_it_was(rows):
    found = json.loads(written(JSON, Table(COLUMNS, rows)))
    assert [tuple(item.values()) for item in found] == rows
    assert all(list(item) == [column.key for column in COLUMNS] for item in found)


@pytest.mark.parametrize("text", DANGEROUS)
def test_no_text_can_be_read_as_a_formula(text):
    table = Table(COLUMNS[:1], [(text,)])
    [cell] = read_csv(written(CSV, table))[1]
    assert (cell, as_written(cell), cell[0]) == (safe_text(text), text, "'")
    cells, sheet = read_xlsx(written(XLSX, table))
    assert cells["A2"][0] in ("inlineStr", "s")
    assert not list(sheet.iter(f"{SHEET}f"))
    assert tsv_text(table).splitlines()[1].startswith("'")
    assert "<td>&#x27;" in html_text(table)
    assert json.loads(written(JSON, table)) == [{"bookmaker": text}]


@given(text=texts)
def test_a_safe_text_never_starts_like_a_formula_and_a_harmless_one_stays(text):
    safe = safe_text(text)
    assert not safe.startswith(tuple("=+-@\t\r\n"))
    assert as_written(safe) == as_written(text)
    for cell in re.split("[;\t\r\n]", safe):
        assert not cell.lstrip('"').startswith(tuple("=+-@"))


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("x;=1+1;y", "x;'=1+1;y"),
        ('x;"=1+1";y', 'x;\'"=1+1";y'),
        ("x\t@SUM(A1);-2;\uff1d3", "x\t'@SUM(A1);'-2;'\uff1d3"),
        ("a;b - c; -1", "a;b - c; -1"),
    ],
)
def test_a_formula_behind_another_separator_is_none(text: str, safe: str) -> None:
    """Spreadsheets in German take a semicolon for the next cell, also within quotes."""
    assert safe_text(text) == safe
    assert as_written(safe) == text


def test_a_negative_number_stays_a_number():
    table = Table(COLUMNS[1:2], [(-1.5,)])
    assert read_csv(written(CSV, table))[1] == ["-1.5"]
    assert read_xlsx(written(XLSX, table))[0]["A2"] == (None, "-1.5")
    assert tsv_text(table) == "Odds\n-1.5\n"


def test_a_workbook_is_in_english_in_every_language(monkeypatch):
    monkeypatch.setattr("oddsdesk.base.texts._language", "de")
    columns = (ExportColumn("kick_off", "Spielbeginn"),)
    cells, _sheet = read_xlsx(written(XLSX, Table(columns, [("2026-11-20",)])))
    assert cells["A1"][1] == "kick off"


def test_a_workbook_has_titles_numbers_texts_and_flags():
    cells, sheet = read_xlsx(written(XLSX, Table(COLUMNS, [ROW])))
    assert cells["A1"][1] == "Bookmaker"
    assert cells["A2"][1] == "Bet & Söhne"
    assert cells["B2"] == (None, "2.05")
    assert cells["C2"][0] is None  # a number, shown as a date
    assert float(cells["C2"][1]) == pytest.approx(46346 + 18.5 / 24)
    assert cells["D2"] == ("b", "1")
    assert next(sheet.iter(f"{SHEET}pane")).get("state") == "frozen"


def test_a_workbook_shows_dates_and_figures_as_such():
    columns = (*COLUMNS[1:3], ExportColumn("ev_pct", "EV", Kind.NUMBER, 1))
    data = written(XLSX, Table(columns, [(2.05, ROW[2], 3.25), (3, "no time", None)]))
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        styles = book.read("xl/styles.xml").decode()
    for shown in ("yyyy-mm-dd hh:mm:ss", "0.00##", "0.0"):
        assert f'formatCode="{shown}' in styles
    cells, _ = read_xlsx(data)
    assert (cells["A3"], cells["B3"][1]) == ((None, "3"), "no time")


def test_a_cell_with_breaks_stays_one_cell_of_the_clipboard():
    table = Table(COLUMNS[:2], [("a\tb\r\nc\u2028d", 2.0)])
    assert tsv_text(table) == "Bookmaker\tOdds\na b  c d\t2.0\n"


def test_html_is_escaped_and_numbers_stand_right():
    text = html_text(Table(COLUMNS[:2], [("<b>&", 2.0)]))
    assert '<tr><td>&lt;b&gt;&amp;</td><td align="right">2.0</td></tr>' in text


@pytest.mark.parametrize("file_format", FORMATS)
def test_progress_is_told_step_by_step(file_format):
    steps = []
    written(file_format, Table(COLUMNS, [ROW] * (STEP + 1)), steps)
    assert steps == [0, STEP, STEP + 1]


@pytest.mark.parametrize("file_format", FORMATS)
def test_an_empty_table_is_a_whole_file(file_format, tmp_path):
    path = tmp_path / f"odds{file_format.suffix}"
    write_whole(Table(COLUMNS, []), file_format, path, lambda _rows: None)
    assert path.stat().st_size > 0
    assert list(tmp_path.iterdir()) == [path]


def test_a_stopped_export_leaves_the_old_file_and_nothing_next_to_it(tmp_path):
    path = tmp_path / "odds.csv"
    path.write_text("old")

    def stop(_rows):
        raise Stopped

    with pytest.raises(Stopped):
        write_whole(Table(COLUMNS, [ROW]), CSV, path, stop)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_one_clear_line(tmp_path):
    path = tmp_path / "nowhere" / "odds.csv"
    with pytest.raises(ExportError, match=r"odds\.csv cannot be written: No such file"):
        write_whole(Table(COLUMNS, [ROW]), CSV, path, lambda _rows: None)


def test_a_file_in_place_of_the_folder_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="cannot be written: Not a directory"):
        write_whole(Table(COLUMNS, [ROW]), CSV, tmp_path / "file" / "a.csv", lambda _rows: None)


def test_without_xlsxwriter_it_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    said = re.escape(f"({how_to_install('xlsx')}). CSV works without")
    with pytest.raises(ExportError, match=said):
        write_whole(Table(COLUMNS, [ROW]), XLSX, tmp_path / "odds.xlsx", lambda _rows: None)
    assert not list(tmp_path.iterdir())


class ManyRows(list):
    """A list that says it is longer than a sheet of Excel."""

    def __len__(self):
        return 2_000_000


def test_more_rows_than_a_sheet_holds_is_one_clear_line():
    with pytest.raises(
        ExportError, match="There are 2,000,000 rows, but an Excel sheet holds 1,048,575"
    ):
        written(XLSX, Table(COLUMNS, ManyRows()))


def run_writer(table, path, on_progress=lambda _rows: None):
    ended, heard = threading.Event(), []

    def on_end(trouble):
        heard.append(trouble)
        ended.set()

    writer = Writer(table, CSV, path, on_progress, on_end)
    writer.start_writing()
    assert ended.wait(10)
    assert writer.wait_for_end(10)
    return heard


def test_a_writer_tells_that_the_file_is_whole(tmp_path):
    path = tmp_path / "odds.csv"
    assert run_writer(Table(COLUMNS, [ROW]), path) == [None]
    assert read_csv(path.read_bytes())[1][0] == "Bet & Söhne"


def test_a_writer_tells_what_went_wrong(tmp_path):
    heard = run_writer(Table(COLUMNS, [ROW]), tmp_path / "nowhere" / "odds.csv")
    assert len(heard) == 1
    assert "cannot be written" in heard[0]


def test_a_stopped_writer_ends_without_a_word_or_a_file(tmp_path):
    begun, go_on, heard = threading.Event(), threading.Event(), []

    def on_progress(_rows):
        begun.set()
        go_on.wait(10)

    table = Table(COLUMNS, [ROW] * 3 * STEP)
    writer = Writer(table, CSV, tmp_path / "odds.csv", on_progress, heard.append)
    writer.start_writing()
    assert begun.wait(10)
    writer.abort_writing()
    go_on.set()
    assert writer.wait_for_end(10)
    assert not heard
    assert not list(tmp_path.iterdir())


def test_a_column_exports_its_value_or_the_figures_that_it_lists() -> None:
    model = StableRowsModel[tuple[int], float](
        (
            ColumnSpec("odds", "Odds", Column("2.05"), _cell, lambda odds: odds, Kind.NUMBER),
            ColumnSpec("arrow", "", Column("+"), _cell, exports=()),
            ColumnSpec(
                "share",
                "Share",
                Column("50 %"),
                _cell,
                exports=(
                    Exported("share_pct", "Share %", lambda odds: 100 / odds, Kind.NUMBER, 1),
                ),
            ),
        ),
        0,
        lambda: 0,
    )
    model.show_rows({(1,): 2.0, (2,): 4.0}, may_move=True)
    model.show_rows({(1,): 2.0}, may_move=False)
    assert table_of(model) == Table(
        (
            ExportColumn("odds", "Odds", Kind.NUMBER),
            ExportColumn("share_pct", "Share %", Kind.NUMBER, 1),
        ),
        [[2.0, 50.0]],
    )


def _cell(odds: float, _now: int) -> Cell:
    return Cell(f"{odds}")


def _share(odds: float) -> float:
    return 100 / odds
