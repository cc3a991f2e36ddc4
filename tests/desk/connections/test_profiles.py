"""Saved connections: kept, checked, found by name, and never lost."""

import json
import stat
from pathlib import Path

import msgspec
import pytest

from oddsdesk.desk.connections.profiles import (
    EMBEDDED_NAME,
    EmbeddedProfile,
    ProfileError,
    Profiles,
    RemoteProfile,
    UnknownProfileError,
    guest_of,
)
from oddsdesk.desk.connections.secrets import KeyPlace

ODDS = RemoteProfile("Odds Co.", "https://odds.example/v1/", key_place=KeyPlace.SESSION)


def test_the_embedded_server_is_there_from_the_start_and_stays(tmp_path):
    profiles = Profiles(tmp_path)
    profiles.remove(EMBEDDED_NAME)
    assert profiles.all() == (EmbeddedProfile(),)
    assert profiles.last == EmbeddedProfile()


def test_a_connection_is_found_at_the_next_start_case_aside(tmp_path):
    kept = Profiles(tmp_path).put(ODDS)
    found = Profiles(tmp_path).find("  odds  CO. ")
    assert found == kept
    assert isinstance(found, RemoteProfile)
    assert (found.base_url, found.auth_url, bool(found.ident)) == (
        "https://odds.example/v1",
        None,
        True,
    )


def test_the_one_used_last_is_remembered_through_renaming_and_removal(tmp_path):
    profiles = Profiles(tmp_path)
    kept = profiles.put(ODDS)
    profiles.remember(kept)
    profiles.put(RemoteProfile("Odds", "https://odds.example"), replaces=kept.name)
    assert Profiles(tmp_path).last.name == "Odds"
    profiles.remove("Odds")
    assert Profiles(tmp_path).last.name == EMBEDDED_NAME


def test_a_guests_choice_is_kept_through_renaming_and_goes_with_its_connection(tmp_path):
    profiles = Profiles(tmp_path)
    own = EmbeddedProfile("mine", str(tmp_path / "odds.db"))
    profiles.put(own)
    profiles.put(ODDS)
    assert not profiles.joins(own)
    profiles.remember(profiles.find("Odds Co."))
    profiles.remember(guest_of(own))
    again = Profiles(tmp_path)
    assert again.last == own
    assert again.joins(own)
    assert not again.joins(again.find(EMBEDDED_NAME))
    again.remember(own)
    named = again.put(msgspec.structs.replace(own, name="ours"), replaces="mine")
    assert Profiles(tmp_path).joins(named)
    again.remove("ours")
    again.put(named)
    assert not Profiles(tmp_path).joins(named)


def test_a_guest_of_a_database_of_this_time_only_is_not_remembered(tmp_path):
    profiles = Profiles(tmp_path)
    profiles.remember(guest_of(EmbeddedProfile(database=str(tmp_path / "other.db"))))
    assert Profiles(tmp_path).last == EmbeddedProfile()
    assert not Profiles(tmp_path).joins(EmbeddedProfile())


def test_renaming_keeps_what_the_key_is_kept_under(tmp_path):
    profiles = Profiles(tmp_path)
    kept = profiles.put(ODDS)
    assert isinstance(kept, RemoteProfile)
    renamed = profiles.put(RemoteProfile("B", kept.base_url, ident=kept.ident), replaces=kept.name)
    assert isinstance(renamed, RemoteProfile)
    assert renamed.ident == kept.ident
    assert [profile.name for profile in profiles.all()] == [EMBEDDED_NAME, "B"]


def test_an_unknown_name_lists_the_known_ones(tmp_path):
    profiles = Profiles(tmp_path)
    profiles.put(ODDS)
    with pytest.raises(UnknownProfileError) as unknown:
        profiles.find("Odd")
    assert str(unknown.value) == (
        "no connection is called 'Odd'; there are 'Embedded server', 'Odds Co.'"
    )


@pytest.mark.parametrize(
    ("profile", "field"),
    [
        (RemoteProfile("", "https://odds.example"), "name"),
        (RemoteProfile("x" * 61, "https://odds.example"), "name"),
        (RemoteProfile("a\u0000b", "https://odds.example"), "name"),
        (RemoteProfile("a", "odds.example"), "base_url"),
        (RemoteProfile("a", "https://u:p@odds.example"), "base_url"),
        (RemoteProfile("a", "https://odds.example", "ftp://x"), "auth_url"),
        (RemoteProfile("a", "https://odds.example", None, "https://x"), "ws_url"),
        (RemoteProfile("embedded SERVER", "https://odds.example"), "name"),
        (EmbeddedProfile("a", devig_method="guess"), "devig_method"),
        (EmbeddedProfile("a", speed=float("nan")), "speed"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_field_and_changes_nothing(tmp_path, profile, field):
    profiles = Profiles(tmp_path)
    with pytest.raises(ProfileError) as refused:
        profiles.put(profile)
    assert refused.value.field == field
    assert profiles.all() == (EmbeddedProfile(),)


@pytest.mark.parametrize(
    "name",
    ["oddsdesk_live_" + "0" * 32, "Club ODDSDESK_LIVE_12", "0123456789abcdef" * 2, "eyJ-_+/=" * 4],
)
def test_what_looks_like_a_key_is_no_name_and_is_written_nowhere(tmp_path, name):
    profiles = Profiles(tmp_path)
    kept = profiles.put(ODDS)
    with pytest.raises(ProfileError, match="looks like a key") as refused:
        profiles.put(msgspec.structs.replace(kept, name=name), replaces=kept.name)
    assert refused.value.field == "name"
    assert name not in str(refused.value)
    assert name not in (tmp_path / "connections.json").read_text()


def test_the_name_of_a_machine_is_no_key(tmp_path):
    name = "odds-service.eu-west-1.compute.example.com"
    assert Profiles(tmp_path).put(msgspec.structs.replace(ODDS, name=name)).name == name


def test_a_file_that_cannot_be_written_changes_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    profiles = Profiles(tmp_path / "file" / "folder")
    with pytest.raises(OSError, match=r"file"):
        profiles.put(ODDS)
    assert profiles.all() == (EmbeddedProfile(),)


def test_an_unreadable_file_is_set_aside_and_told(tmp_path):
    (tmp_path / "connections.json").write_text("{")
    profiles = Profiles(tmp_path)
    assert len(profiles.problems) == 1
    assert profiles.all() == (EmbeddedProfile(),)
    profiles.put(ODDS)
    assert (tmp_path / "connections.json.unreadable").read_text() == "{"


def test_a_connection_of_a_newer_version_stays_in_the_file(tmp_path):
    file = tmp_path / "connections.json"
    strange = {"type": "satellite", "name": "Sat"}
    kept = {"type": "remote", "name": "A", "base_url": "http://a.example"}
    file.write_text(json.dumps({"connections": [strange, kept]}))
    profiles = Profiles(tmp_path)
    assert [profile.name for profile in profiles.all()] == [EMBEDDED_NAME, "A"]
    assert "satellite" in profiles.problems[0]
    profiles.put(ODDS)
    assert strange in json.loads(file.read_text())["connections"]


def test_the_file_is_for_its_owner_only(tmp_path: Path):
    Profiles(tmp_path).put(ODDS)
    assert stat.S_IMODE((tmp_path / "connections.json").stat().st_mode) == 0o600


def test_a_name_that_is_taken_gets_a_number(tmp_path):
    profiles = Profiles(tmp_path)
    profiles.put(ODDS)
    assert profiles.free_name("Odds Co.") == "Odds Co. 2"
    assert profiles.free_name("Other") == "Other"
