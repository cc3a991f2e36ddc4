"""The bill of materials: what is in a bundle, for machines (CycloneDX 1.6)."""

import json
import re
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bundling.parts import Part, sha256
from bundling.versions import Build

SUFFIX: Final = ".cdx.json"
_VERSION: Final = "1.6"
_SPDX: Final = re.compile(r"[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*")


class BillError(Exception):
    """The bill is not what its format says."""


def bill_of(name: str, build: Build, bundle: Path, parts: Iterable[Part]) -> str:
    """Return the bill as JSON; the same bundle and commit give the same text."""
    first, *others = parts
    holders = [part for part in others if not part.inside]
    components = [_component(part, others, bundle) for part in holders]
    root = {"type": "application", "bom-ref": name, "name": name, "version": build.version}
    bill: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": _VERSION,
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(build.committed_s, UTC).isoformat(),
            "component": {**root, **_licence(first.licence), "purl": first.purl},
            "properties": [{"name": "oddsdesk:commit", "value": build.commit}],
        },
        "components": components,
        "dependencies": [
            {"ref": name, "dependsOn": [component["bom-ref"] for component in components]}
        ],
    }
    ident = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(bill, sort_keys=True))
    return json.dumps({**bill, "serialNumber": f"urn:uuid:{ident}"}, indent=1) + "\n"


def check_bill(text: str) -> None:
    """Let CycloneDX's own library judge a bill.

    Raises:
        BillError: it finds a fault.
    """
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if fault is not None:
        raise BillError(str(fault))


def _component(part: Part, others: Iterable[Part], bundle: Path) -> dict[str, Any]:
    files = [
        {
            "type": "file",
            "name": file.as_posix(),
            "hashes": [{"alg": "SHA-256", "content": sha256(bundle / file)}],
        }
        for file in part.files
    ]
    names = {part.name.lower(), *(file.name.split(".")[0].lower() for file in part.files)}
    inside = [
        {"type": "library", "name": each.name, **_licence(each.licence)}
        for each in others
        if each.inside.lower() in names
    ]
    component = {
        "type": "library",
        "bom-ref": f"{part.name}@{part.version}",
        "name": part.name,
        "version": part.version,
        **_licence(part.licence),
        "purl": part.purl,
        "components": files + inside,
    }
    return {key: value for key, value in component.items() if value}


def _licence(licence: str) -> dict[str, Any]:
    if _SPDX.fullmatch(licence):
        return {"licenses": [{"expression": licence}]}
    return {"licenses": [{"license": {"name": licence}}]}
