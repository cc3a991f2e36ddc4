"""HTTP and WebSocket on a socket, with a limit on everything that a client may hold.

uvicorn speaks the protocols, Starlette routes. Neither limits what strangers may hold open; this
package does. A request passes, in this order:

1. ``listener``: takes connections itself, since only the accepting side can refuse one before its
   TLS handshake, or wait where file descriptors ran out.
2. ``connections``: limits connections, in all and by address. At the limit a new one replaces the
   oldest one without a valid key, so strangers cannot keep callers out.
3. ``protocol``: uvicorn's HTTP with limits. Its parser buffers whatever it gets, so it gets 4 KiB
   at a time and nothing while a request waits (40 MB of pipelined requests took 2.4 GB).
4. ``middleware``: client address and host name, behind proxies too; the access log.
5. ``oddsdesk.server.fairness``: which request begins, one queue for each key.
6. ``websocket``: uvicorn's WebSocket with limits, loaded at the first stream.

=====================================  ==================================================
what a client may hold                 limit
=====================================  ==================================================
connections                            10,000 in all, 1,000 of an address; fewer where
                                       descriptors are fewer (``settings.ConnectionLimits``)
TLS handshakes                         1,000 under way, 10 s each; the oldest gives way
a head, with the framing of its body   16 KiB (431), 10 s
a body                                 64 KiB (413), 10 s; of quotes 64 MiB and 10 KiB each 10 s
an idle connection                     15 s
an unread answer                       30 s; after a refusal 2 s and 1 MiB; 64 MiB of all
                                       without a key
a message of a stream                  1 KiB in 64 fragments; ten frames a second
unread messages of a stream            4 MiB, and 64 MiB of all streams of a key
a stream without a ``ping``            60 s until it is dropped, 300 s without a text
requests when the server ends          1 s, then 503
=====================================  ==================================================

``tests/unit/test_private_parts.py`` fails if an update of uvicorn changes the parts that we use.
"""
