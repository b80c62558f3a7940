"""Movies (.mp4): H.264 that every player and browser can show."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING

from puppet.errors import PuppetError
from puppet.export import Progress
from puppet.export.frame_renderer import Size, frame_renderer, picture_size, refuse_empty
from puppet.export.frame_selection import resample_frames
from puppet.files.atomic_write import atomic_path
from puppet.performance import Performance
from puppet.render.camera import Camera

if TYPE_CHECKING:
    from puppet.render.target import Pixels

_THREADS = 4  # a fixed number: the encoder's bytes depend on it


def write(
    performance: Performance,
    path: Path,
    *,
    camera: str | Camera = "three-quarter",
    size: Size | str = (960, 540),
    fps: float | None = None,
    labels: bool = False,
    arrows: bool = False,
    progress: Progress | None = None,
) -> None:
    """`fps`: pictures a second, by default the performance's; the speed of the motion stays the same.

    The encoder needs an even width and height: an odd one grows by a pixel.
    """
    refuse_empty(performance)
    width, height = picture_size(size)
    even = (width + width % 2, height + height % 2)
    rate = performance.fps if fps is None else fps
    order = resample_frames(len(performance.angles), performance.fps, rate)
    with atomic_path(path) as draft, frame_renderer(performance, even, camera, labels, arrows) as render_frame:

        def pictures() -> Iterable[Pixels]:
            for done, frame in enumerate(order, 1):
                yield render_frame(frame)
                if progress is not None:
                    progress(done / len(order))

        encode(pictures(), even, rate, draft)


def encode(pictures: Iterable[Pixels], size: Size, fps: float, path: Path) -> None:
    """Encodes pictures (height, width, 3) as a movie. No encoder is left running, whatever happens."""
    with tempfile.TemporaryFile() as log:
        # A session of its own: Ctrl-C in a terminal is ours to handle, the encoder ends when we end it.
        process = subprocess.Popen(
            [_encoder(), *_options(size, fps), str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=os.name == "posix",
        )
        assert process.stdin is not None
        try:
            for picture in pictures:
                process.stdin.write(picture.tobytes())
            process.stdin.close()
            status = process.wait()
        except BrokenPipeError:
            status = process.wait()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if status:
            raise PuppetError(f"the movie could not be encoded: {_last_line(log)}")


def _encoder() -> str:
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise PuppetError("movies need ffmpeg: pip install imageio-ffmpeg") from None


def _options(size: Size, fps: float) -> list[str]:
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", f"{fps:.6g}", "-i", "-"]
    colors = ["-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709", "-color_primaries", "bt709",
              "-color_trc", "bt709", "-pix_fmt", "yuv420p"]  # fmt: skip
    codec = ["-c:v", "libx264", "-preset", "medium", "-crf", "19", "-threads", str(_THREADS), "-movflags", "+faststart"]
    same_bytes = ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact"]
    return ["-y", "-hide_banner", "-loglevel", "error", *source, "-an", *colors, *codec, *same_bytes, "-f", "mp4"]


def _last_line(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode(errors="replace").split("\n")
    told = [line.strip() for line in lines if line.strip()]
    return told[-1] if told else "ffmpeg gives no reason"
