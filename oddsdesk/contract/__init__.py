"""The words on the wire: structs, closed tables, identities. No I/O, no clock.

Times inside oddsdesk are integer **milliseconds** since the Unix epoch, UTC (names
end in ``_ms``, or the docstring says it); on the wire they are ISO texts (``contract.times``).
"""
