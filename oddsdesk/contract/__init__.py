"""The words on the wire: structs, closed tables, identities. No I/O, no clock.

Times inside oddsdesk are integer **milliseconds** since the Unix epoch, UTC (names
end in ``_ms`` or say so); on the wire they are D2 timestamps (``contract.times``).
Numbers like ``D5`` cite the decisions that settle the gaps of the specification.
"""
