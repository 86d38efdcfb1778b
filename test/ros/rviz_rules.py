"""The rules by which RViz takes markers and transforms, or refuses them, replayed on messages.

Read in the source of rviz (rviz_default_plugins, displays/marker) and tf2; what RViz does about a
fault stands beside the rule. Some rules are the project's own and stricter: what RViz takes without
a word but draws badly.
"""

import math

from visualization_msgs.msg import Marker

LISTS = (
    Marker.LINE_STRIP,
    Marker.LINE_LIST,
    Marker.CUBE_LIST,
    Marker.SPHERE_LIST,
    Marker.POINTS,
    Marker.TRIANGLE_LIST,
)
SHAPES = (Marker.CUBE, Marker.SPHERE, Marker.CYLINDER)
OTHERS = (Marker.ARROW, Marker.TEXT_VIEW_FACING, Marker.MESH_RESOURCE)
LINES = (Marker.LINE_STRIP, Marker.LINE_LIST)

UNIT = 1e-3
"""How far from one the length of a quaternion may be; tf2 refuses transforms beyond one percent of
its square."""

FAR = 1e5
"""Coordinates beyond this [m] flicker, as the graphics card reckons with single precision."""


def numbers(message, *fields):
    """Fields of a message as a tuple."""
    return tuple(getattr(message, field) for field in fields)


def is_unit(quaternion):
    """Whether a quaternion is a turn and no more."""
    return abs(math.hypot(*numbers(quaternion, *"xyzw")) - 1.0) < UNIT


class Frames:
    """The transforms that were heard of, as a tf2 buffer takes them."""

    def __init__(self, fixed="world"):
        self.fixed, self.links = fixed, {}

    def take(self, message, static=False):
        """Remember transforms; complaints about those that tf2 refuses."""
        complaints = []
        for stamped in message.transforms:
            parent, child = stamped.header.frame_id, stamped.child_frame_id
            move, turn = stamped.transform.translation, stamped.transform.rotation
            if not parent or not child or parent == child:
                complaints.append(
                    f"transform {parent!r} -> {child!r}: needs two different names"
                )  # ignored by tf2
            elif not all(map(math.isfinite, (*numbers(move, *"xyz"), *numbers(turn, *"xyzw")))):
                complaints.append(f"transform to {child!r} is not finite")  # ignored by tf2
            elif not is_unit(turn):
                complaints.append(
                    f"transform to {child!r} turns by no unit quaternion"
                )  # ignored by tf2
            else:
                stamp = stamped.header.stamp.sec + 1e-9 * stamped.header.stamp.nanosec
                _, first, last = self.links.get(child, (parent, stamp, stamp))
                bounds = (-math.inf, math.inf) if static else (min(first, stamp), max(last, stamp))
                self.links[child] = (parent, *bounds)
        return complaints

    def problem(self, frame, stamp):
        """Why a frame can't be placed in the fixed one at a stamp [s], 0 being the latest; empty if
        it can."""
        seen = []
        while frame != self.fixed:
            if frame not in self.links or frame in seen:
                return f"no transform from {frame!r} to {self.fixed!r}"
            seen.append(frame)
            frame, first, last = self.links[frame]
            if stamp and not first <= stamp <= last:
                return f"no transform of {frame!r} at {stamp} s"
        return ""


class Display:
    """One of RViz' displays of marker arrays: what it holds, and what it complains about.

    Parameters
    ----------
    frames: where it asks for transforms.
    moves: whether markers come again and again, as those of cables do, for which there are rules of
        their own.
    from_start: whether nothing was missed before, so that it is known what there is to delete.
    """

    def __init__(self, frames, moves=False, from_start=True):
        self.frames, self.moves, self.from_start = frames, moves, from_start
        self.shown, self.ever = {}, set()

    def take(self, array):
        """Take an array as RViz does; a list of complaints, each of which names the marker."""
        complaints, keys = [], [(m.ns, m.id) for m in array.markers]
        for key in sorted(
            {key for key in keys if keys.count(key) > 1} if len(set(keys)) < len(keys) else ()
        ):
            complaints.append(f"{key}: twice in one array")  # RViz: error
        for place, marker in enumerate(array.markers):
            found = self._act(marker, place)
            complaints += [f"{(marker.ns, marker.id)}: {text}" for text in found]
        return complaints

    def _act(self, marker, place):
        """Carry out one marker."""
        key = (marker.ns, marker.id)
        if not _finite(marker):
            return [
                "contains numbers that are not finite"
            ]  # RViz: error, and the marker stays as it was
        if marker.action == Marker.DELETEALL:
            self.shown = {k: m for k, m in self.shown.items() if marker.ns and k[0] != marker.ns}
            return ["an order to forget all that comes behind what it forgets"] if place else []
        if marker.action == Marker.DELETE:
            self.shown.pop(key, None)
            return (
                ["deletes what was never added"] if self.from_start and key not in self.ever else []
            )
        if marker.action != Marker.ADD:
            return [f"action {marker.action} is not known"]  # RViz: logged, ignored
        found = [*_of_all(marker), *_of_type(marker), *self._placed(marker), *self._changed(marker)]
        self.shown[key] = marker
        self.ever.add(key)
        return found

    def _placed(self, marker):
        """Whether it can be drawn in the fixed frame."""
        stamp = marker.header.stamp.sec + 1e-9 * marker.header.stamp.nanosec
        if not marker.header.frame_id:
            return ["has no frame"]
        problem = self.frames.problem(marker.header.frame_id, 0.0 if marker.frame_locked else stamp)
        return [problem] if problem else []  # RViz: error, hidden

    def _changed(self, marker):
        """What must not change from one time to the next. RViz draws it, but makes it anew each
        time."""
        before = self.shown.get((marker.ns, marker.id))
        if self.moves and marker.frame_locked:
            return ["is frame_locked though it is sent again and again"]
        if before is None:
            return []
        if before.type != marker.type:
            return [f"was of type {before.type} and is of type {marker.type}"]
        if marker.type == Marker.LINE_STRIP and len(before.points) != len(marker.points):
            return [f"had {len(before.points)} points and has {len(marker.points)}"]
        return []


def _finite(marker):
    """Whether RViz' check of numbers lets it pass; the colours of points are not in it but should
    be."""
    pose, kinds = marker.pose, (*numbers(marker.scale, *"xyz"), *numbers(marker.color, *"rgba"))
    points = (value for point in marker.points for value in numbers(point, *"xyz"))
    colors = (value for color in marker.colors for value in numbers(color, *"rgba"))
    placed = (*numbers(pose.position, *"xyz"), *numbers(pose.orientation, *"xyzw"))
    return all(map(math.isfinite, (*placed, *kinds, *points, *colors)))


def _of_all(marker):
    """Rules for markers of every type."""
    if not is_unit(marker.pose.orientation):
        yield "turned by no unit quaternion"  # drawn at another size
    if marker.lifetime.sec or marker.lifetime.nanosec:
        yield "has a lifetime"  # vanishes while time stands still
    if len(marker.colors) not in (0, len(marker.points)):
        # the colours are ignored
        yield f"{len(marker.colors)} colours for {len(marker.points)} points"
    shades = [marker.color, *marker.colors]
    if any(not 0.0 <= value <= 1.0 for shade in shades for value in numbers(shade, *"rgba")):
        yield "a colour beyond 0 to 1"
    if any(abs(value) > FAR for point in marker.points for value in numbers(point, *"xyz")):
        yield f"a point beyond {FAR:g} m"


def _of_type(marker):
    """Rules of the types, and of their scales."""
    kind, scale, count = marker.type, numbers(marker.scale, *"xyz"), len(marker.points)
    if kind not in (*LISTS, *SHAPES, *OTHERS):
        yield f"type {kind} is not known"  # RViz: logged, nothing is drawn
        return
    wanted = 1 if kind in LINES else 2 if kind == Marker.POINTS else 3
    if min(scale[:wanted]) <= 0.0:
        yield f"scale {scale}"  # RViz: warning, or nothing to be seen
    if kind in LINES and any(scale[1:]):
        yield f"scale {scale} of a line, which has a width only"
    if kind in SHAPES and count:
        yield f"{count} points of a single shape"
    if kind in LISTS and count < (2 if kind in LINES else 1):
        yield f"{count} points"
    if kind == Marker.LINE_LIST and count % 2 or kind == Marker.TRIANGLE_LIST and count % 3:
        yield f"{count} points can't be divided into lines or triangles"  # RViz: error
    if kind == Marker.ARROW and count == 1:
        yield "an arrow of one point"  # RViz: error
    if kind == Marker.MESH_RESOURCE and not _resolvable(marker.mesh_resource):
        yield f"mesh {marker.mesh_resource!r} can't be loaded"  # RViz: error


def _resolvable(resource):
    """Whether a mesh is where it is said to be."""
    from ament_index_python.packages import PackageNotFoundError, get_package_share_path

    if resource.startswith("file://"):
        from pathlib import Path

        return Path(resource.removeprefix("file://")).is_file()
    package, _, path = resource.removeprefix("package://").partition("/")
    try:
        return (
            resource.startswith("package://") and (get_package_share_path(package) / path).is_file()
        )
    except (PackageNotFoundError, ValueError):
        return False


class Everywhere(Frames):
    """Knows every frame."""

    def problem(self, frame, stamp):
        """None."""
        return ""


def refused(*arrays, moves=False):
    """Complaints about arrays one after another, wherever their frames are."""
    display = Display(Everywhere(), moves)
    return [complaint for array in arrays for complaint in display.take(array)]
