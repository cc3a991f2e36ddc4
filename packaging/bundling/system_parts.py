"""Libraries of the system that the bundle uses but does not hold."""

LEFT_TO_THE_SYSTEM = (
    # Drivers and the window system: they must be those of the machine.
    "libEGL.so",
    "libGL.so",
    "libGLX.so",
    "libGLdispatch.so",
    "libOpenGL.so",
    "libX11.so",
    "libX11-xcb.so",
    "libXau.so",
    "libXdmcp.so",
    "libdrm.so",
    "libgbm.so",
    "libwayland-",
    "libxcb.so",
    # Fonts: their configuration is the system's, and a newer one than an old library can read.
    "libexpat.so",
    "libfontconfig.so",
    "libfreetype.so",
    # The session.
    "libdbus-1.so",
    "libglib-2.0.so",
    "libgthread-2.0.so",
    "libpcre2-8.so",
    "libsystemd.so",
    # Compilers' run time: an older one than a driver's would keep the driver from loading.
    "libgcc_s.so",
    "libstdc++.so",
)
"""Beginnings of file names. The Debian package depends on the packages that hold them."""

DEBIAN_DEPENDS = (
    "libc6 (>= 2.34)",
    "libdbus-1-3",
    "libegl1",
    "libfontconfig1",
    "libfreetype6",
    "libgcc-s1",
    "libgl1",
    "libglib2.0-0 | libglib2.0-0t64",
    "libstdc++6",
    "libx11-6",
    "libx11-xcb1",
    "libxcb1",
)

DEBIAN_RECOMMENDS = ("libwayland-client0", "libwayland-cursor0", "xdg-desktop-portal")

NEVER = ("libreadline.so", "libgdbm", "libdb-", "libtinfo.so", "libncurses")
"""Under the GPL, or of no use; the standard library's modules for them are left out, too."""


def is_left_to_the_system(name: str) -> bool:
    """Say whether a library by its file name is used from the machine."""
    return name.startswith(LEFT_TO_THE_SYSTEM)
