"""Tables of many programs are read row by row; anything else is refused in one line."""

import contextlib
import io
import tracemalloc
import zipfile

import pytest

from oddsdesk.base.spreadsheets import (
    LONGEST_ROW,
    SheetError,
    SheetRow,
    column_titles,
    read_csv,
    read_sheet,
    read_tables,
)

_HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
_TITLES = '<row><c t="inlineStr"><is><t>team</t></is></c></row>'


ENCODINGS = ["utf-8", "utf-8-sig", "cp1252", "utf-16-le", "utf-16-be"]


def workbook(rows: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as book:
        sheet = f"{_HEAD}{_TITLES}{rows}</sheetData></worksheet>"
        book.writestr("xl/worksheets/sheet1.xml", sheet)
    return stream.getvalue()


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", [*ENCODINGS, "utf-16"])
def test_a_table_is_read_however_it_was_saved(mark: str, line_end: str, encoding: str) -> None:
    lines = ["team,, odds ", 'Nîmes,x," 2.5"', ",,", '"two\nlines",,3', "short"]
    data = line_end.join(lines).replace(",", mark).encode(encoding)
    titles, rows = read_sheet(data)
    assert titles == ["team", "odds"]
    assert rows == [
        SheetRow(2, {"team": "Nîmes", "odds": "2.5"}),
        SheetRow(5, {"team": "two\nlines", "odds": "3"}),
        SheetRow(6, {"team": "short"}),
    ]
    read, lazily = read_csv(data)
    assert (read, list(lazily)) == (titles, rows)


@pytest.mark.parametrize(
    ("header", "titles"),
    [
        ("team;odds\n", ["team", "odds"]),
        ('"team, the first, of all";odds\n', ["team, the first, of all", "odds"]),
        ('"team\n, the, first";odds\n', ["team\n, the, first", "odds"]),
        ("\n  \n;;\nteam;odds\n", ["team", "odds"]),
    ],
)
def test_the_header_decides_and_blank_lines_are_skipped(header: str, titles: list[str]) -> None:
    read, rows = read_sheet(f"{header}Nîmes;2,50\n".encode())
    assert read == titles
    assert [row.cells for row in rows] == [dict(zip(titles, ("Nîmes", "2,50"), strict=True))]


WIDE = "a,b,c,d,e,f\n"
STRAY = '1,2,3,"4,5,6\n'


@pytest.mark.parametrize(
    "after",
    [
        "7,8,9,10,11,12\n",  # to the end of the file
        '7,8,9,10,11,12\n1,2,"3",4,5,6\n',  # closed before a text
        '7,8,9,10,11,12\n1,2,x\n3,4,"\n',  # a whole row inside
        "7,8,9,10,11,12\n" * 200,
        "",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_stray_quote_spoils_its_own_line_only(after: str, end: str) -> None:
    text = f"{WIDE}1,2,3,4,5,6\n{STRAY}{after}".replace("\n", end)
    _, rows = read_sheet(text.encode())
    assert next(row.number for row in rows if row.fault) == 3
    assert rows[1].fault == "a quote is opened here and not closed, so the line is left out"
    whole = [row for row in rows if not row.fault]
    assert whole[0].number == 2
    assert len(whole) > after.count("12")
    with pytest.raises(SheetError, match="line 3: a quote is opened here and not closed"):
        list(read_csv(text.encode())[1])


def test_a_quoted_cell_of_some_lines_is_a_cell() -> None:
    legs = "\n".join(f"leg {number}, {number}" for number in range(30))
    _, (row,) = read_sheet(f'{WIDE}1,"{legs}",3,4,5,6\n'.encode())
    assert (row.fault, row.cells["b"]) == ("", legs)


def test_a_stray_quote_in_the_header_is_reported() -> None:
    with pytest.raises(SheetError, match="line 1: a quote is opened here and not closed"):
        read_sheet(b'a,"b\n1,2\n')


@pytest.mark.parametrize("line", ["sep=;", "SEP=;\r", '"sep=;"', "\ufeffsep=;"])
def test_the_line_of_excel_that_names_the_delimiter(line: str) -> None:
    titles, rows = read_sheet(f"{line}\na,b,c;d\n1,5;2\n".encode())
    assert (titles, rows) == (["a,b,c", "d"], [SheetRow(3, {"a,b,c": "1,5", "d": "2"})])


def test_a_nul_byte_is_named() -> None:
    with pytest.raises(SheetError, match=r"is neither text .*: line 2 has a NUL byte"):
        read_sheet(b"a,b\n1,\0\n")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Śląsk Wrocław", "cp1250"),
        ("Łódź", "cp1250"),
        ("Miedź", "cp1250"),
        ("Góra Kalwaria, Radomiak vs Żółwiżą", "cp1250"),
        ("Nîmes, Saint-Étienne, Sœur, ¿Qué?, £10, 1º, 2 m³, 1¾, Málaga", "cp1252"),
        ("Malmö FF; Brøndby; Ærø; Köln", "cp1252"),
    ],
)
def test_text_of_central_europe_is_read_by_its_letters(text: str, encoding: str) -> None:
    assert column_titles(text.replace(",", " ").replace(";", " ").encode(encoding)) == [
        text.replace(",", " ").replace(";", " ")
    ]


def test_repeated_titles_are_numbered() -> None:
    titles, rows = read_sheet(b"odds,team,odds,,\n2,Arsenal,3,,\n")
    assert titles == ["odds", "team", "odds (2)"]
    assert rows == [SheetRow(2, {"odds": "2", "team": "Arsenal", "odds (2)": "3"})]


def test_filled_cells_without_a_title_are_counted() -> None:
    _, rows = read_sheet(b"team,odds\nArsenal,2,\nChelsea,2,50\n,,3\n")
    assert [row.beyond for row in rows] == [0, 1, 1]


def test_each_sheet_of_a_workbook_is_a_table() -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        for number in range(12):
            sheet = book.add_worksheet()
            if number != 1:
                sheet.write_column(0, 0, ["team", f"Team {number}"])
    read = [
        (table.place, [*table.titles, *(row.cells["team"] for row in table.rows)])
        for table in read_tables(stream.getvalue())
    ]
    places = (number for number in range(12) if number != 1)
    assert read == [(f" sheet {place + 1}", ["team", f"Team {place}"]) for place in places]
    assert [table.place for table in read_tables(b"team\nArsenal\n")] == [""]


def test_a_workbook_of_empty_sheets_or_none_is_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as book:
        book.writestr("xl/worksheets/sheet1.xml", f"{_HEAD}</sheetData></worksheet>")
    for data, reason in ((stream.getvalue(), "no column titles"), (b"PK", "not a readable Excel")):
        with pytest.raises(SheetError, match=reason):
            list(read_tables(data))


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_workbook_with_a_damaged_byte_is_refused_in_words_or_read(packing: int) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", packing) as book:
        sheet = f"{_HEAD}{_TITLES}<row><c><v>1</v></c></row></sheetData></worksheet>"
        book.writestr("xl/worksheets/sheet1.xml", sheet)
    data = stream.getvalue()
    for place in range(2, len(data)):
        for value in (0, 0x01, 0xFF):
            with contextlib.suppress(SheetError):
                read_sheet(data[:place] + bytes([data[place] ^ value]) + data[place + 1 :])


def test_the_titles_of_anything_can_be_asked_for() -> None:
    assert column_titles(b"team,odds\nA") == ["team", "odds"]
    assert column_titles(workbook("")) == ["team"]
    assert column_titles(b"\0\0") == column_titles(b"") == column_titles(b"PK") == []


def test_rows_of_csv_are_read_as_they_are_asked_for() -> None:
    titles, rows = read_csv(b'team\nArsenal\n"' + b"x" * LONGEST_ROW)
    assert (titles, next(rows)) == (["team"], SheetRow(2, {"team": "Arsenal"}))
    with pytest.raises(SheetError, match="expected at most 1,048,576 characters a row"):
        next(rows)


def test_cells_of_a_workbook_stand_as_they_were_written() -> None:
    cells = "<row r='7'><c r='A7'><v>2.10</v></c></row><row><c t='str'><v>007</v></c></row>"
    assert read_sheet(workbook(cells))[1] == [
        SheetRow(7, {"team": "2.10"}),
        SheetRow(3, {"team": "007"}),
    ]


def test_a_few_bytes_that_mean_millions_of_cells_are_refused() -> None:
    rows = "".join(f'<row><c r="XFD{number}"><v>1</v></c></row>' for number in range(400))
    with pytest.raises(SheetError, match="more than 4,000,000 cells"):
        read_sheet(workbook(rows))


def test_of_a_workbook_one_row_is_held_at_a_time() -> None:
    data = workbook("<row><c/></row>" * 100_000)
    tracemalloc.start()
    assert read_sheet(data)[1] == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * 1024 * 1024
