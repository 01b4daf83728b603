"""Prints what assistive technology receives about a program's windows, through AT-SPI: one JSON object per
line, in reading order.

Usage: accessible_tree.py NAME [MOST]. The session bus is that of $DBUS_SESSION_BUS_ADDRESS. Each line has
the depth, role, name, description, the object's own text if it has one, and the states that a screen
reader announces. Status 1: no program of that name is on the bus; 3: the library is missing.
"""

import json
import sys
import time

try:
    import gi

    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi, GLib
except (ImportError, ValueError):
    sys.exit(3)

SPOKEN = ["FOCUSED", "CHECKED", "PRESSED", "SELECTED", "EXPANDED", "MODAL", "INVALID_ENTRY", "REQUIRED", "BUSY"]


def program(name, seconds=15):
    """Returns the program of that name, as soon as its windows are on the bus."""
    end = time.time() + seconds
    while time.time() < end:
        desktop = Atspi.get_desktop(0)
        for i in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(i)
            if child is not None and name in (child.get_name() or "") and child.get_child_count() > 0:
                return child
        time.sleep(0.3)
    return None


def own_text(node):
    """Returns the object's own text, without the text of its children."""
    try:
        if "Text" not in node.get_interfaces():
            return ""
        words = Atspi.Text.get_text(node, 0, Atspi.Text.get_character_count(node))
        return words.replace("\ufffc", "").strip()
    except GLib.Error:
        return ""


def walk(node, depth, left):
    """Prints the object and everything inside it, at most `left` objects. Objects may disappear while they
    are read."""
    if left[0] <= 0 or node is None:
        return
    try:
        states = node.get_state_set()
        spoken = [name.lower() for name in SPOKEN if states.contains(getattr(Atspi.StateType, name))]
        line = {
            "depth": depth,
            "role": node.get_role_name(),
            "name": node.get_name() or "",
            "about": node.get_description() or "",
            "text": own_text(node),
            "states": spoken,
        }
        count = node.get_child_count()
    except GLib.Error:
        return
    left[0] -= 1
    print(json.dumps(line))
    for i in range(count):
        try:
            child = node.get_child_at_index(i)
        except GLib.Error:
            continue
        walk(child, depth + 1, left)


found = program(sys.argv[1])
if found is None:
    sys.exit(1)
walk(found, 0, [int(sys.argv[2]) if len(sys.argv) > 2 else 4000])
