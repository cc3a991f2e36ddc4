"""The user's own bookmakers over what is shipped, and how their file is kept."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.ledger.own_tables import (
    OwnTableError,
    bookmakers_file,
    known_bookmakers,
    known_rules,
    save_bookmakers,
    settlement_rules_file,
)
from oddsdesk.pricing.profiles import (
    COLUMNS,
    Kind,
    Profile,
    read_profiles,
    shipped_profiles,
    write_profile,
)

HEADER = (
    "name,group,kind,commission,tax,taker_fee,currency,short,code,aliases,source,limit,weight,"
    "supplier"
)
BETFAIR = "Betfair Exchange UK"


def write(*lines: str, header: str = HEADER) -> Path:
    path = bookmakers_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([header, *lines, ""]), "utf-8")
    return path


def test_the_shipped_profiles_are_read_once() -> None:
    assert shipped_profiles() is shipped_profiles()


def test_without_a_file_the_shipped_profiles_hold() -> None:
    profiles, problems = known_bookmakers()
    assert problems == []
    assert profiles.all_profiles() == shipped_profiles().all_profiles()
    assert profiles.profile_of(BETFAIR).limit is None


def test_the_users_figures_hold_in_the_place_of_the_shipped_ones() -> None:
    write(f"{BETFAIR},,,2,,,,,,,,50", "Corner Shop,,,,5,,,,,,,0")
    profiles, problems = known_bookmakers()
    assert problems == []
    mine = profiles.profile_of("betfair_ex_uk")
    assert (mine.commission, mine.limit, mine.group, mine.kind) == (
        *(0.02, 50.0, "Betfair Exchange"),
        Kind.EXCHANGE,
    )
    shop = profiles.profile_of("corner shop")
    assert (shop.tax, shop.limit, shop.group) == (0.05, 0.0, "Corner Shop")


def test_a_line_may_name_a_bookmaker_by_any_of_its_names() -> None:
    write("betfair_ex_uk,,,0,,,,,,My Betfair,,")
    profiles, _ = known_bookmakers()
    assert (
        profiles.profile_of(BETFAIR).commission == profiles.profile_of("my betfair").commission == 0
    )
    assert profiles.profile_of("betfair_ex_uk").name == BETFAIR


def test_columns_may_stand_in_any_order_and_be_left_out() -> None:
    write("25,Smarkets", header="limit,name")
    profiles, problems = known_bookmakers()
    assert problems == []
    assert (profiles.profile_of("Smarkets").limit, profiles.profile_of("Smarkets").commission) == (
        25,
        0.02,
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"{BETFAIR},,,100,,,,,,,,", "commission '100'; expected a percentage from 0 to below 100"),
        (f"{BETFAIR},,,-1,,,,,,,,", "commission '-1'; expected a percentage from 0 to below 100"),
        (f"{BETFAIR},,,,,2x,,,,,,", "taker fee '2x'; expected a percentage from 0 to below 100"),
        (f"{BETFAIR},,,,,,,,,,,-5", "limit '-5'; expected an amount such as 1500, or nothing"),
        (f"{BETFAIR},,,,,,,,,,,much", "limit 'much'; expected an amount such as 1500, or nothing"),
        (f"{BETFAIR},,,,,,,,,,,inf", "limit 'inf'; expected an amount such as 1500, or nothing"),
        (f"{BETFAIR},,,,,,,,,,,,-1", "weight '-1'; expected an amount such as 1500, or nothing"),
        (f"{BETFAIR},,casino,,,,,,,,,", "kind 'casino'; expected one of bookmaker, exchange"),
        (f"{BETFAIR},,,2,5,,,,,,,,,,7", "15 fields; expected 14, as in the first line"),
        (f'{BETFAIR},"Betfair,,2,,,,,,,,', "expected fields separated by commas"),
        (",,,2,,,,,,,,", "no name; expected a bookmaker's name"),
    ],
)
def test_a_wrong_line_is_named_and_the_default_holds(line: str, expected: str) -> None:
    path = write("Smarkets,,,1,,,,,,,,", line, "Matchbook,,,1,,,,,,,,")
    profiles, problems = known_bookmakers()
    (problem,) = problems
    assert problem.startswith(f"{path}: line 3: ")
    assert expected in problem
    assert profiles.profile_of(BETFAIR) == shipped_profiles().profile_of(BETFAIR)
    assert (
        profiles.profile_of("Smarkets").commission
        == profiles.profile_of("Matchbook").commission
        == 0.01
    )


def test_a_second_line_of_a_bookmaker_is_named() -> None:
    write("Smarkets,,,1,,,,,,,,", "smarkets,,,0,,,,,,,,")
    profiles, problems = known_bookmakers()
    assert [problem.split(": ", 1)[1] for problem in problems] == [
        "line 3: Smarkets is already in line 2"
    ]
    assert profiles.profile_of("Smarkets").commission == 0.01


def test_a_misspelt_column_is_named_and_the_others_are_read() -> None:
    write("Smarkets,1,20", header="name,commision,limit")
    profiles, problems = known_bookmakers()
    assert "line 1: 'commision' ignored; expected columns out of name, group" in problems[0]
    assert (profiles.profile_of("Smarkets").commission, profiles.profile_of("Smarkets").limit) == (
        0.02,
        20,
    )


def test_a_file_without_a_column_of_names_is_named_once() -> None:
    write("Smarkets;1", "Matchbook;1", header="name;commission")
    _, problems = known_bookmakers()
    assert len(problems) == 1
    assert "line 1: no column 'name'" in problems[0]


@pytest.mark.parametrize("data", [b"name\n\xff\xfe\n", b"name\nS\x00markets\n", b'name\n"'])
def test_a_file_that_is_no_list_is_named_and_the_shipped_profiles_hold(data: bytes) -> None:
    write().write_bytes(data)
    profiles, problems = known_bookmakers()
    assert len(problems) <= 1
    assert profiles.profile_of("Smarkets") == shipped_profiles().profile_of("Smarkets")


def test_what_is_saved_comes_back() -> None:
    limited = msgspec.structs.replace(
        shipped_profiles().profile_of("Unibet"), limit=12.5, tax=0.053
    )
    odd = Profile(name='#1 =Bets, "the" best', group="Odd, Ltd.", code="ODD", commission=0.07)
    save_bookmakers([limited, odd, shipped_profiles().profile_of("Smarkets")])
    profiles, problems = known_bookmakers()
    assert problems == []
    assert profiles.profile_of(limited.name) == limited
    assert profiles.profile_of(odd.name) == odd
    assert len(bookmakers_file().read_text("utf-8").splitlines()) == 3


def test_what_is_as_shipped_is_not_written() -> None:
    """So that a commission that is corrected later holds for who noted a limit only."""
    save_bookmakers([msgspec.structs.replace(shipped_profiles().profile_of(BETFAIR), limit=50)])
    header, line = bookmakers_file().read_text("utf-8").splitlines()
    assert header == ",".join(COLUMNS) == HEADER
    assert line == f"{BETFAIR},,,,,,,,,,,50,,"
    save_bookmakers([shipped_profiles().profile_of(BETFAIR)])
    assert bookmakers_file().read_text("utf-8").splitlines() == [HEADER]


def test_saving_loses_no_comment_and_no_wrong_line() -> None:
    write("# my own", "Smarkets,,,200,,,,,,,,", "Matchbook,,,1,,,,,,,,")
    save_bookmakers([msgspec.structs.replace(shipped_profiles().profile_of("Betdaq"), limit=5)])
    lines = bookmakers_file().read_text("utf-8").splitlines()
    assert lines == [*("# my own", "# Smarkets,,,200,,,,,,,,", HEADER, "Betdaq,,,,,,,,,,,5,,")]
    assert known_bookmakers().problems == []


def test_saving_keeps_what_a_misspelt_column_said() -> None:
    write("Smarkets,1", header="name,commision")
    save_bookmakers([])
    lines = bookmakers_file().read_text("utf-8").splitlines()
    assert lines == ["# name,commision", "# Smarkets,1", HEADER]


def test_no_field_is_a_formula() -> None:
    save_bookmakers([Profile(name="=cmd()", group="+1", short="@x", code="-1", limit=1)])
    line = bookmakers_file().read_text("utf-8").splitlines()[1]
    assert line == "'=cmd(),'+1,,,,,,'@x,'-1,,,1,,"


def test_a_file_that_cannot_be_read_is_not_replaced() -> None:
    path = write()
    path.write_bytes(b"\xff")
    with pytest.raises(OwnTableError, match="UTF-8"):
        save_bookmakers([Profile(name="x", group="x", limit=1)])
    assert path.read_bytes() == b"\xff"


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    path = write()
    path.unlink()
    path.symlink_to(tmp_path / "gone" / "bookmakers.csv")
    with pytest.raises(OwnTableError, match="cannot be written"):
        save_bookmakers([])


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1).map(
    lambda text: " ".join(text.split())
)
FIGURES = st.integers(0, 9_999).map(lambda hundredths: hundredths / 10_000)


@given(
    NAMES.filter(bool),
    NAMES,
    st.sampled_from(Kind),
    st.tuples(FIGURES, FIGURES, FIGURES),
    st.none() | st.integers(0, 10**9).map(lambda cents: cents / 100),
)
def test_a_written_line_reads_as_what_was_written(
    name: str, group: str, kind: Kind, figures: tuple[float, float, float], limit: float | None
) -> None:
    commission, tax, fee = figures
    profile = Profile(
        name=name,
        group=group or name,
        supplier=group,
        kind=kind,
        commission=commission,
        tax=tax,
        taker_fee=fee,
        limit=limit,
    )
    line = write_profile(profile, Profile(name=name, group=name))
    (read,), problems = read_profiles(f"{HEADER}\n{line}\n")
    assert problems == []
    assert msgspec.structs.replace(read, commission=0, tax=0, taker_fee=0) == (
        msgspec.structs.replace(profile, commission=0, tax=0, taker_fee=0)
    )
    assert (read.commission, read.tax, read.taker_fee) == pytest.approx(figures, rel=1e-11)


def test_the_users_rules_of_settlement_go_over_the_shipped_ones() -> None:
    shipped = shipped_profiles()
    assert known_rules(shipped).problems == []
    path = settlement_rules_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("bookmaker,sport,postponed_hours\nCorner Shop,Football,36\nX,Football,1\n")
    rules, problems = known_rules(shipped)
    assert rules.rule_of("corner shop", "Football").postponed_hours == "36"
    assert problems == [
        f"{path}: line 3: X: postponed_hours '1': expected one of 12, 24, 36, 48, 72, round"
    ]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"name\nX\n", "line 1: no column 'bookmaker'"),
        (b"\xff", "not UTF-8 text"),
        (b"x" * (4 * 1024 * 1024 + 1), "larger than 4 MB"),
    ],
)
def test_a_file_of_rules_that_is_none_leaves_the_shipped_ones(data: bytes, problem: str) -> None:
    path = settlement_rules_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    (told,) = known_rules(shipped_profiles()).problems
    assert told.startswith(f"{path}: ")
    assert problem in told
