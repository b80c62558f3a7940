"""What names stand for: a mapping that is extended without being copied, so that many names take no longer each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from puppet.language.tree import Value


class NamedValues(Mapping[str, Value | None]):
    """Layers of names, the latest first. Each layer is larger than the one above it, so that there are few of them.
    None: what a name stands for is not known."""

    __slots__ = ("_layers", "_size")

    def __init__(self, layers: tuple[Mapping[str, Value | None], ...] = (), size: int = 0) -> None:
        self._layers, self._size = layers, size

    def extended(self, values: Mapping[str, Value | None]) -> NamedValues:
        """The same with these values, instead of those of the same names."""
        size = self._size + sum(name not in self for name in values)
        top, layers = values, self._layers
        while layers and len(layers[0]) <= len(top):
            top, layers = {**layers[0], **top}, layers[1:]
        return NamedValues((top, *layers), size) if top else self

    def __getitem__(self, name: str) -> Value | None:
        for layer in self._layers:
            if name in layer:
                return layer[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        for layer in self._layers:  # noqa: SIM110 - asked for every word of a script: any() takes three times as long
            if name in layer:
                return True
        return False

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for layer in self._layers for name in layer))

    def __len__(self) -> int:
        return self._size


NO_VALUES = NamedValues()
