import ssl

from oddsdesk.network.trust import system_trust


def test_old_versions_of_tls_are_refused() -> None:
    assert system_trust().minimum_version >= ssl.TLSVersion.TLSv1_2
