"""The container of a glTF 2.0 file (.glb): JSON, and one buffer with all arrays."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puppet.files.atomic_write import write_atomically

VERTICES, INDICES = 34962, 34963  # targets of a buffer view
_COMPONENTS = {"float32": 5126, "uint8": 5121, "uint16": 5123, "uint32": 5125}
_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class GlbDocument:
    """A glTF document under construction: `add` appends to the lists of its JSON, `array` to its buffer."""

    def __init__(self) -> None:
        self._json: dict[str, Any] = {"asset": {"version": "2.0", "generator": "puppet"}}
        self._buffer = bytearray()

    def add(self, kind: str, entry: dict[str, Any]) -> int:
        """Appends to one of the document's lists, such as nodes or meshes; returns the entry's index."""
        entries: list[Any] = self._json.setdefault(kind, [])
        entries.append(entry)
        return len(entries) - 1

    def array(
        self, values: NDArray[Any], target: int | None = None, bounds: bool = False, normalized: bool = False
    ) -> int:
        """Appends rows of numbers to the buffer; returns the accessor's index."""
        rows = np.ascontiguousarray(values)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self._buffer), "byteLength": rows.nbytes}
        if target is not None:
            view["target"] = target
        self._buffer += rows.astype(rows.dtype.newbyteorder("<")).tobytes()
        self._buffer += b"\0" * (-len(self._buffer) % 4)
        width = rows.shape[1] if rows.ndim == 2 else 1
        entry: dict[str, Any] = {
            "bufferView": self.add("bufferViews", view),
            "componentType": _COMPONENTS[rows.dtype.name],
            "count": len(rows),
            "type": _TYPES[width],
        }
        if normalized:
            entry["normalized"] = True
        if bounds:
            table = rows.reshape(len(rows), width)
            entry["min"], entry["max"] = table.min(axis=0).tolist(), table.max(axis=0).tolist()
        return self.add("accessors", entry)

    def write(self, path: Path, roots: list[int]) -> None:
        """Writes the document, with one scene of these root nodes, atomically."""
        whole = {"scene": 0, "scenes": [{"nodes": roots}], "buffers": [{"byteLength": len(self._buffer)}]}
        document = self._json | whole
        text = json.dumps(document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        parts = [(b"JSON", text), (b"BIN\0", bytes(self._buffer))]
        body = b"".join(struct.pack("<I4s", len(content), kind) + content for kind, content in parts)
        write_atomically(path, struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body)
