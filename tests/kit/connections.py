"""Connections of the desk: a profile of a service elsewhere, and sessions of embedded ones."""

from oddsdesk.base.clock import system_clock
from oddsdesk.desk.connections.manager import ServiceSession
from oddsdesk.desk.connections.profiles import EmbeddedProfile, KeyPlace, Profile, RemoteProfile
from oddsdesk.desk.shell.embedding import EmbeddedSession, GuestSession

REMOTE = RemoteProfile("Odds Co.", "http://127.0.0.1:9", key_place=KeyPlace.SESSION)


def make_session(profile: Profile) -> ServiceSession:
    """Return the session of an embedded profile, or of a guest's."""
    assert isinstance(profile, EmbeddedProfile)
    if profile.guest:
        return GuestSession(profile, system_clock)
    return EmbeddedSession(profile, system_clock)
