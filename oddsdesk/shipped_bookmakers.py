"""What is known of bookmakers before anybody says anything: ``resources/bookmakers.csv``."""

from functools import cache

from oddsdesk.pricing.profiles import Profiles, read_profiles
from oddsdesk.resource_files import resource_path


@cache
def shipped_profiles() -> Profiles:
    """Return the profiles of the file; it is read once, for the server and the window."""
    return Profiles(read_profiles(resource_path("bookmakers.csv").read_text("utf-8"))[0])
