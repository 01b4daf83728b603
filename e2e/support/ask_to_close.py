"""Asks a window to close, as the close button in its frame does: sends WM_DELETE_WINDOW with X's own library.

Usage: ask_to_close.py CLASS. The display is that of $DISPLAY. Status 1: no window of that class accepts
the request.
"""

import ctypes
import sys

x11 = ctypes.CDLL("libX11.so.6")
Window = ctypes.c_ulong
Atom = ctypes.c_ulong


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent, padded to the size of an XEvent."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", Window),
        ("message_type", Atom),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("room", ctypes.c_long * 24),
    ]


x11.XOpenDisplay.restype = ctypes.c_void_p
x11.XDefaultRootWindow.restype = Window
x11.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
x11.XInternAtom.restype = Atom
x11.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
x11.XGetClassHint.argtypes = [ctypes.c_void_p, Window, ctypes.c_char_p * 2]
x11.XGetWMProtocols.argtypes = [
    ctypes.c_void_p,
    Window,
    ctypes.POINTER(ctypes.POINTER(Atom)),
    ctypes.POINTER(ctypes.c_int),
]
x11.XQueryTree.argtypes = [
    ctypes.c_void_p,
    Window,
    ctypes.POINTER(Window),
    ctypes.POINTER(Window),
    ctypes.POINTER(ctypes.POINTER(Window)),
    ctypes.POINTER(ctypes.c_uint),
]
x11.XSendEvent.argtypes = [ctypes.c_void_p, Window, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
x11.XSync.argtypes = [ctypes.c_void_p, ctypes.c_int]

CLIENT_MESSAGE = 33


def below(display, window):
    """Yields the window and all windows inside it."""
    yield window
    root, parent = Window(), Window()
    children, count = ctypes.POINTER(Window)(), ctypes.c_uint()
    if x11.XQueryTree(
        display,
        window,
        ctypes.byref(root),
        ctypes.byref(parent),
        ctypes.byref(children),
        ctypes.byref(count),
    ):
        for i in range(count.value):
            yield from below(display, children[i])


def takes(display, window, question):
    """Returns whether the window supports that protocol."""
    atoms, count = ctypes.POINTER(Atom)(), ctypes.c_int()
    if not x11.XGetWMProtocols(display, window, ctypes.byref(atoms), ctypes.byref(count)):
        return False
    return any(atoms[i] == question for i in range(count.value))


def main(wanted):
    display = x11.XOpenDisplay(None)
    if not display:
        sys.exit("There is no display.")
    protocols = x11.XInternAtom(display, b"WM_PROTOCOLS", False)
    question = x11.XInternAtom(display, b"WM_DELETE_WINDOW", False)
    asked = False
    # The toolkit also has hidden windows, which do not accept the request.
    for window in below(display, x11.XDefaultRootWindow(display)):
        names = (ctypes.c_char_p * 2)()
        x11.XGetClassHint(display, window, names)
        if wanted.encode() not in names or not takes(display, window, question):
            continue
        event = ClientMessage(type=CLIENT_MESSAGE, window=window, message_type=protocols, format=32)
        event.data[0] = question
        x11.XSendEvent(display, window, False, 0, ctypes.byref(event))
        x11.XSync(display, False)
        asked = True
    if not asked:
        sys.exit(f"No window that can be closed is of the class {wanted}.")


main(sys.argv[1])
