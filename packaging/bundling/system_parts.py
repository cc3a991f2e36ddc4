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
"""Beginnings of file names. `depends` finds the Debian packages that hold them."""

NEVER = ("libreadline.so", "libgdbm", "libdb-", "libtinfo.so", "libncurses")
"""Under the GPL, or of no use; the standard library's modules for them are left out, too."""


def is_left_to_the_system(name: str) -> bool:
    """Say whether a library by its file name is used from the machine."""
    return name.startswith(LEFT_TO_THE_SYSTEM)
