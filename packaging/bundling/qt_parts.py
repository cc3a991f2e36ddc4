"""What of Qt goes into the bundle. Each part is named on one side or the other: a test checks."""

USED = frozenset({"QtCore", "QtDBus", "QtGui", "QtSvg", "QtWidgets"})
"""QtDBus is not imported by us: the platform themes and input methods are linked to it."""

LEFT_OUT = frozenset(
    {
        "QtConcurrent",
        "QtDesigner",
        "QtExampleIcons",
        "QtHelp",
        "QtLabsStyleKit",
        "QtNetwork",
        "QtOpenGL",
        "QtOpenGLWidgets",
        "QtPrintSupport",
        "QtQml",
        "QtQmlFeatures",
        "QtQuick",
        "QtQuickControls2",
        "QtQuickTest",
        "QtQuickWidgets",
        "QtSql",
        "QtSvgWidgets",
        "QtTest",
        "QtUiTools",
        "QtXml",
    }
)
"""Essentials' other modules up to Qt 6.12: neither imported nor linked to by what is."""

PLUGINS = frozenset(
    {
        "iconengines/libqsvgicon",
        "imageformats/libqsvg",
        "platforminputcontexts/libcomposeplatforminputcontextplugin",
        "platforminputcontexts/libibusplatforminputcontextplugin",
        "platforms/libqoffscreen",
        "platforms/libqwayland",
        "platforms/libqxcb",
        "platformthemes/libqxdgdesktopportal",
        "wayland-decoration-client/libbradient",
        "wayland-shell-integration/libxdg-shell",
        # Windows and macOS, untested
        "platforms/qwindows",
        "styles/qmodernwindowsstyle",
        "iconengines/qsvgicon",
        "imageformats/qsvg",
        "platforms/libqcocoa",
        "styles/libqmacstyle",
    }
)
"""All others stay out: what they need would come with them (GTK, TLS, printing, SQL)."""


def keeps_plugin(path: str) -> bool:
    """Say whether a file below Qt's ``plugins`` folder, such as ``platforms/libqxcb.so``, stays."""
    return path.rsplit(".", 1)[0] in PLUGINS
