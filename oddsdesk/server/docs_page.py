"""The page at /docs: what a client needs to know, from the OpenAPI document; nothing is fetched."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Final

from oddsdesk.contract.plans import HOUR_S, Plan, Rights

_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --faint: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .5rem }
h3 { font: 600 1rem ui-monospace, monospace }
code, pre { font-family: ui-monospace, monospace; font-size: .92em }
pre { background: var(--faint); padding: .75rem; overflow-x: auto; border-radius: 4px }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0 }
th, td { border-bottom: 1px solid var(--line) }
"""

_START: Final = """
<h2 id="start">Start</h2>
<p>Every request carries your key in the header <code>X-Api-Key</code>. Whoever runs this
server makes keys with <code>oddsdesk keys create</code>.</p>
<pre>curl -H "X-Api-Key: $KEY" "{base}/api/odds?competition=EPL&amp;limit=10"</pre>
<p>Success is <code>{{"data": ..., "meta": {{"rate_limit_remaining": ...}}}}</code>, anything else
<code>{{"error": {{"code": ..., "message": ...}}}}</code>. Times are UTC, such as
<code>2026-11-20T18:30:00.000Z</code>.</p>
"""

_STREAM: Final = """
<h2 id="stream">Stream</h2>
<p>Fetch a token, open the WebSocket with it within 300 seconds, and send the text
<code>ping</code> every 30 seconds; the answer is the text <code>pong</code>. Every other text
that comes is one selection's new odds as JSON.</p>
<pre>TOKEN=$(curl -sX POST -H "X-Api-Key: $KEY" {base}/api/stream/token | jq -r .token)
python -m websockets "{stream}/api/stream?token=$TOKEN&amp;sport=Football"</pre>
<p>Filters: <code>sport</code>, <code>competition</code>, <code>bookmaker</code>,
<code>game_id</code>; they combine. There is no replay: after every connect, read the present
state over REST, and fetch a fresh token each time.</p>
"""

_CLOSE_CODES: Final = (
    ("1000", "Nothing was heard from you for 5 minutes."),
    ("1001", "The server goes down; come back with backoff."),
    ("1003, 1009", "A frame was binary, or longer than 1 KiB."),
    ("4000", "A filter's value makes no sense."),
    ("4001", "The token is missing, over or not valid, or its key was revoked."),
    ("4003", "Your plan may not use this filter."),
    ("4008", "You fell behind; read the present state again."),
    ("4029", "The connections of the day are used up."),
)


def docs_page(document: dict[str, Any], base: str) -> str:
    """Return the page for an OpenAPI document; ``base`` is the address it is read at."""
    info = document["info"]
    schemas = document["components"]["schemas"]
    parts = [
        f"<h1>{escape(info['title'])}</h1><p>{escape(info['description'])}</p>",
        f'<p>Version {escape(info["version"])}. For programs: <a href="/openapi.json">'
        "openapi.json</a></p>",
        _START.format(base=escape(base)),
        _plans(),
        '<h2 id="endpoints">Endpoints</h2>',
        *_endpoints(document["paths"]),
        _STREAM.format(base=escape(base), stream=escape(base.replace("http", "ws", 1))),
        _table(("Close code", "Meaning"), _CLOSE_CODES),
        '<h2 id="errors">Errors</h2>',
        _table(("HTTP", "Meaning"), _errors(document["components"]["responses"])),
        '<h2 id="objects">Objects</h2>',
        *_objects(schemas),
    ]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(info['title'])}</title><style>{_STYLE}</style>{''.join(parts)}</html>"
    )


def _plans() -> str:
    rows = []
    for plan in Plan:
        rights = plan.rights
        window = "hour" if rights.window_s == HOUR_S else "day"
        rows.append(
            (
                plan.value,
                f"{rights.requests:,} an {window}"
                if window == "hour"
                else f"{rights.requests} a day",
                str(rights.in_flight),
                "all" if rights.all_bookmakers else "one, chosen for the account",
                "yes" if rights.value_bets else "no",
                _stream_right(rights),
                "yes" if rights.live else "no",
            )
        )
    headings = (
        "Plan",
        "Requests",
        "At a time",
        "Bookmakers",
        "Value bets",
        "Stream",
        "In-play odds",
    )
    change = (
        "<p>Whoever runs this server changes a plan with"
        " <code>oddsdesk accounts plan NAME PLAN</code>.</p>"
    )
    return f'<h2 id="plans">Plans</h2>{_table(headings, rows)}{change}'


def _stream_right(rights: Rights) -> str:
    if not rights.websocket:
        return "no"
    most = rights.connections_per_day
    return f"{most} tokens and {most} connections a day" if most else "yes"


def _endpoints(paths: dict[str, Any]) -> Iterator[str]:
    for path, operations in paths.items():
        for method, operation in operations.items():
            yield f"<h3>{method.upper()} {escape(path)}</h3><p>{escape(operation['summary'])}</p>"
            rows = [
                (
                    each["name"],
                    _allowed(each["schema"]),
                    str(each["schema"].get("default", "")),
                    each["description"],
                )
                for each in operation.get("parameters", ())
                if each["in"] == "query"
            ]
            if rows:
                yield _table(("Parameter", "Values", "Default", "Meaning"), rows)


def _errors(responses: dict[str, Any]) -> list[tuple[str, str]]:
    return [(status, response["description"]) for status, response in responses.items()]


def _objects(schemas: dict[str, Any]) -> Iterator[str]:
    for name, schema in schemas.items():
        yield f"<h3>{escape(name)}</h3><p>{escape(schema['description'])}</p>"
        fields = schema["properties"].items()
        yield _table(("Field", "Type"), [(field, _type(kind)) for field, kind in fields])


def _allowed(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(schema["enum"])
    if "const" in schema:
        return str(schema["const"]).lower()
    if "maximum" in schema:
        return f"{schema['minimum']} to {schema['maximum']}"
    return "true, false" if schema["type"] == "boolean" else str(schema["type"])


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "prefixItems" in schema:
        return f"[{', '.join(_type(each) for each in schema['prefixItems'])}]"
    if schema["type"] == "array":
        return f"list of {_type(schema['items'])}"
    if "additionalProperties" in schema:
        return f"map from name to {_type(schema['additionalProperties'])}"
    return str(schema["type"])


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"
