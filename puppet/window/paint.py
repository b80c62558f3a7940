"""Draws panels with pygame: text, rounded boxes, polygons. Lengths are in points; `scale` is pixels to a point."""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from puppet.window.box import FAINT, INK, TEXT, Box, Rgba

if TYPE_CHECKING:
    import pygame

KEPT_TEXTS, KEPT_SHAPES = 3000, 400  # sizes of the caches: shapes are large, texts are slow to draw
_FINER = 4  # supersampling: what pygame draws itself has jagged edges


class Paint:
    """Draws on a surface at one scale; texts and shapes are cached."""

    def __init__(self, scale: float = 1.0) -> None:
        import pygame

        pygame.font.init()
        self._pygame = pygame
        self.scale = scale
        self._texts: OrderedDict[Hashable, Any] = OrderedDict()
        self._shapes: OrderedDict[Hashable, Any] = OrderedDict()
        self._font = _font_bytes()
        self.surface: pygame.Surface = pygame.Surface((1, 1), pygame.SRCALPHA)

    def begin(self, width: float, height: float) -> None:
        """Starts a new, transparent surface."""
        size = (max(1, self.pixels(width)), max(1, self.pixels(height)))
        self.surface = self._pygame.Surface(size, self._pygame.SRCALPHA)

    def pixels(self, points: float) -> int:
        return round(points * self.scale)

    def area(self, box: Box) -> tuple[int, int, int, int]:
        """A box in pixels; boxes that touch in points touch in pixels."""
        x, y = self.pixels(box.x), self.pixels(box.y)
        return x, y, self.pixels(box.right) - x, self.pixels(box.bottom) - y

    # ---- text

    def width(self, text: str, size: float = TEXT) -> float:
        text = _drawable(text)
        pixels: int = self._piece(("width", text, size), lambda: self.font(size).size(text)[0])
        return pixels / _FINER / self.scale

    def shortened(self, text: str, width: float, size: float = TEXT) -> str:
        """A text cut to fit a width, with dots where something is left out."""
        if self.width(text, size) <= width:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.width(text[:middle].rstrip(" ,") + "...", size) <= width:
                low = middle
            else:
                high = middle - 1
        return text[:low].rstrip(" ,") + "..." if low else ""

    def wrapped(self, text: str, width: float, size: float = TEXT, most: int = 100) -> list[str]:
        """A text wrapped to a width, in `most` lines at most; the last one is shortened if needed."""
        lines: list[str] = []
        for part in text.split("\n"):
            line = ""
            for word in part.split(" "):
                longer = f"{line} {word}" if line else word
                if line and self.width(longer, size) > width:
                    lines.append(line)
                    line = word
                else:
                    line = longer
            lines.append(line)
        if len(lines) > most:
            lines = [*lines[: most - 1], " ".join(lines[most - 1 :])]
        return [self.shortened(line, width, size) for line in lines]

    def text(
        self, text: str, box: Box, color: Rgba = INK, size: float = TEXT, align: str = "left", cut: bool = True
    ) -> float:
        """Draws a line of text, centred in the height of a box; returns its width."""
        text = _drawable(text)
        shown = self.shortened(text, box.width, size) if cut else text
        if not shown:
            return 0.0
        piece = self._piece(("text", shown, size, color), lambda: self._written(shown, size, color))
        width, height = piece.get_size()
        x, y, w, h = self.area(box)
        left = {"left": x, "middle": x + (w - width) // 2, "right": x + w - width}[align]
        self.surface.blit(piece, (left, y + (h - height) // 2))
        return float(width / self.scale)

    def font(self, size: float) -> Any:
        """A font in the supersampled size: letters are placed more exactly than in a small font."""
        pixels = _FINER * max(6, self.pixels(size))
        font = self._pygame.font.Font
        return self._piece(("font", pixels), lambda: font(io.BytesIO(self._font) if self._font else None, pixels))

    def _written(self, text: str, size: float, color: Rgba) -> Any:
        large = self.font(size).render(text, True, color[:3])
        small = (-(-large.get_width() // _FINER), -(-large.get_height() // _FINER))
        piece = self._pygame.transform.smoothscale(large, small)
        if color[3] < 255:
            piece.set_alpha(color[3])
        return piece

    # ---- shapes

    def fill(self, box: Box, color: Rgba, round_by: float = 0.0) -> None:
        x, y, width, height = self.area(box)
        if width <= 0 or height <= 0:
            return
        radius = min(self.pixels(round_by), width // 2, height // 2)
        piece = self._piece(("fill", width, height, radius, color), lambda: self._round(width, height, radius, color))
        self.surface.blit(piece, (x, y))

    def frame(self, box: Box, color: Rgba, round_by: float = 0.0, thick: float = 1.0) -> None:
        """Draws the outline of a box, inside it."""
        x, y, width, height = self.area(box)
        radius = min(self.pixels(round_by), width // 2, height // 2)
        line = max(1, self.pixels(thick))
        key = ("frame", width, height, radius, line, color)
        self.surface.blit(self._piece(key, lambda: self._outline(width, height, radius, line, color)), (x, y))

    def disc(self, x: float, y: float, radius: float, color: Rgba) -> None:
        self.fill(Box(x - radius, y - radius, 2 * radius, 2 * radius), color, radius)

    def polygon(self, points: Sequence[tuple[float, float]], color: Rgba) -> None:
        """Draws a small filled polygon with smooth edges."""
        pygame, finer = self._pygame, _FINER * self.scale
        left, top = (int(min(p[n] for p in points) * self.scale) - 1 for n in (0, 1))
        right, bottom = (int(max(p[n] for p in points) * self.scale) + 2 for n in (0, 1))
        large = pygame.Surface((_FINER * (right - left), _FINER * (bottom - top)), pygame.SRCALPHA)
        large.fill((*color[:3], 0))
        pygame.draw.polygon(large, color, [(x * finer - _FINER * left, y * finer - _FINER * top) for x, y in points])
        self.surface.blit(pygame.transform.smoothscale(large, (right - left, bottom - top)), (left, top))

    def line(self, start: tuple[float, float], end: tuple[float, float], thick: float, color: Rgba) -> None:
        """Draws a straight line with smooth edges."""
        (x, y), (u, v) = start, end
        length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
        if length > 1e-6:
            a, b = 0.5 * thick * (v - y) / length, 0.5 * thick * (x - u) / length
            self.polygon([(x + a, y + b), (u + a, v + b), (u - a, v - b), (x - a, y - b)], color)

    def groove(self, box: Box, share: float, color: Rgba) -> None:
        """Draws a bar that is filled from the left."""
        self.fill(box, FAINT, 0.5 * box.height)
        if share > 0.0:
            wide = max(box.height, min(share, 1.0) * box.width)
            self.fill(Box(box.x, box.y, wide, box.height), color, 0.5 * box.height)

    def once(self, key: Hashable, box: Box, draw: Callable[[Paint], None]) -> None:
        """Draws what `draw` draws inside a box, once; then copies it from the cache."""

        def make() -> Any:
            before, self.surface = self.surface, self._pygame.Surface(self.surface.get_size(), self._pygame.SRCALPHA)
            draw(self)
            drawn, self.surface = self.surface.subsurface(self.area(box)).copy(), before
            return drawn

        self.surface.blit(self._piece(("once", key), make), self.area(box)[:2])

    # ---- inside

    def _piece(self, key: tuple[Hashable, ...], make: Callable[[], Any]) -> Any:
        """A piece from the cache, or a new one; the least recently used is dropped."""
        text = key[0] in ("font", "text", "width")
        kept, most = (self._texts, KEPT_TEXTS) if text else (self._shapes, KEPT_SHAPES)
        found = kept.get(key)
        if found is None:
            found = kept[key] = make()
            if len(kept) > most:
                kept.popitem(last=False)
        else:
            kept.move_to_end(key)
        return found

    def _round(self, width: int, height: int, radius: int, color: Rgba) -> Any:
        pygame = self._pygame
        piece: Any = pygame.Surface((width, height), pygame.SRCALPHA)
        piece.fill(color)
        if radius:
            large = 2 * radius * _FINER
            disc = pygame.Surface((large, large), pygame.SRCALPHA)
            disc.fill((*color[:3], 0))
            pygame.draw.circle(disc, color, (large // 2, large // 2), large // 2)
            disc = pygame.transform.smoothscale(disc, (2 * radius, 2 * radius))
            for left in (True, False):
                for top in (True, False):
                    part = (0 if left else radius, 0 if top else radius, radius, radius)
                    at = (0 if left else width - radius, 0 if top else height - radius)
                    piece.fill((0, 0, 0, 0), (*at, radius, radius))
                    piece.blit(disc, at, part, special_flags=pygame.BLEND_RGBA_MAX)
        return piece

    def _outline(self, width: int, height: int, radius: int, line: int, color: Rgba) -> Any:
        outer = self._round(width, height, radius, color)
        if width > 2 * line and height > 2 * line:
            inner = self._round(width - 2 * line, height - 2 * line, max(0, radius - line), (0, 0, 0, color[3]))
            outer.blit(inner, (line, line), special_flags=self._pygame.BLEND_RGBA_SUB)
        return outer


def _drawable(text: str) -> str:
    """A text without characters that a font refuses: file names may contain anything."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "?" for letter in text)


def _font_bytes() -> bytes | None:
    """Pillow's own font, as for the labels in the picture; None: use pygame's."""
    from PIL import ImageFont

    path = getattr(ImageFont.load_default(12), "path", None)
    return path.getvalue() if isinstance(path, io.BytesIO) else None
