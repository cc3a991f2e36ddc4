"""The program's icon at the usual sizes, drawn from its one SVG."""

import os
from pathlib import Path
from typing import Final

SIZES: Final = (16, 22, 24, 32, 48, 64, 128, 256, 512)


def draw_icons(svg: Path, theme: Path) -> list[Path]:
    """Draw the icon into an icon theme's folder (``hicolor``) and return the files."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    app = QGuiApplication.instance() or QGuiApplication(["icons"])
    renderer = QSvgRenderer(str(svg))
    made = []
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        file = theme / f"{size}x{size}" / "apps" / f"{svg.stem}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        if not image.save(str(file)):
            raise OSError(f"{file}: cannot be written")
        made.append(file)
    del app
    return made
