"""The tester is tested: RViz' rules find every mistake that is made on purpose, and nothing in what
is right."""

import copy
import math

import pytest
from messages import naming

pytest.importorskip("rclpy")

from geometry_msgs.msg import Point, TransformStamped
from rviz_rules import Display, Frames
from std_msgs.msg import ColorRGBA
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray


def marker(kind, number, points=0, scale=(1.0, 1.0, 1.0), frame="world"):
    """A marker that is right."""
    made = Marker(ns="test", id=number, type=kind)
    made.header.frame_id, made.pose.orientation.w = frame, 1.0
    made.scale.x, made.scale.y, made.scale.z = scale
    made.color = ColorRGBA(r=0.5, g=0.5, b=0.5, a=1.0)
    made.points = [Point(x=float(i)) for i in range(points)]
    return made


def transform(parent, child, seconds=5):
    """A transform that is right."""
    made = TransformStamped(child_frame_id=child)
    made.header.frame_id, made.header.stamp.sec, made.transform.rotation.w = parent, seconds, 1.0
    return made


BOX, LINE, PAIRS, FACES = range(4)


def right():
    """An array without a fault, one marker of each kind."""
    return MarkerArray(
        markers=[
            marker(Marker.CUBE, BOX, frame="hook"),
            marker(Marker.LINE_STRIP, LINE, 3, (0.1, 0.0, 0.0)),
            marker(Marker.LINE_LIST, PAIRS, 4, (0.1, 0.0, 0.0)),
            marker(Marker.TRIANGLE_LIST, FACES, 6),
        ]
    )


def display(**options):
    """A display that knows where the hook is, at 5 s and at 6 s."""
    frames = Frames()
    for seconds in (5, 6):
        assert (
            frames.take(
                TFMessage(
                    transforms=[
                        transform("world", "jib", seconds),
                        transform("jib", "hook", seconds),
                    ]
                )
            )
            == []
        )
    return Display(frames, **options)


def put(part, field, value):
    """A change of one field of one marker; ``field`` may be a path."""

    def change(array):
        *path, last = field.split(".")
        target = array.markers[part]
        for name in path:
            target = getattr(target, name)
        setattr(target, last, value)

    return change


FAULTS = (
    ("twice array", lambda array: array.markers.append(copy.deepcopy(array.markers[BOX]))),
    ("finite", put(LINE, "pose.position.x", math.nan)),
    ("numbers finite", lambda array: setattr(array.markers[LINE].points[1], "z", math.inf)),
    ("finite", lambda array: setattr(array.markers[LINE], "colors", [ColorRGBA(r=math.nan)] * 3)),
    ("unit quaternion", put(BOX, "pose.orientation.w", 0.9)),
    ("unit quaternion", put(BOX, "pose.orientation.w", 0.0)),
    ("lifetime", put(BOX, "lifetime.sec", 1)),
    (
        "2 colours 3 points",
        lambda array: setattr(array.markers[LINE], "colors", [ColorRGBA(a=1.0)] * 2),
    ),
    ("colour beyond", put(BOX, "color.r", 1.5)),
    ("point beyond", lambda array: setattr(array.markers[LINE].points[0], "x", 1e6)),
    ("action 7", put(BOX, "action", 7)),
    ("type 99", put(BOX, "type", 99)),
    ("scale 0.0", put(BOX, "scale.x", 0.0)),
    ("scale -1.0", put(FACES, "scale.x", -1.0)),
    ("line width", put(LINE, "scale.y", 0.1)),
    ("3 points single shape", lambda array: setattr(array.markers[BOX], "points", [Point()] * 3)),
    ("1 points", lambda array: array.markers[LINE].points.__delitem__(slice(1, None))),
    ("3 points divided", lambda array: array.markers[PAIRS].points.pop()),
    ("5 points divided", lambda array: array.markers[FACES].points.pop()),
    ("arrow point", lambda array: array.markers.append(marker(Marker.ARROW, 9, 1))),
    ("loaded", lambda array: array.markers.append(marker(Marker.MESH_RESOURCE, 9))),
    ("frame", put(BOX, "header.frame_id", "")),
    ("transform 'ghost'", put(BOX, "header.frame_id", "ghost")),
    ("9.0 s", put(BOX, "header.stamp.sec", 9)),
    ("deletes", put(BOX, "action", Marker.DELETE)),
    ("forgets", put(LINE, "action", Marker.DELETEALL)),
)


def test_what_is_right_is_taken_again_and_again():
    screen = display()
    for _ in range(3):
        assert screen.take(right()) == []
    assert set(screen.shown) == {("test", number) for number in range(4)}
    stamped = right()
    stamped.markers[BOX].header.stamp.sec = 6
    assert screen.take(stamped) == []


@pytest.mark.parametrize("fault, change", FAULTS)
def test_a_mistake_in_an_array_is_found(fault, change):
    array = right()
    change(array)
    complaints = display().take(array)
    assert len(complaints) == 1 and naming(fault).search(complaints[0]), complaints


@pytest.mark.parametrize(
    "change, fault",
    [
        (put(LINE, "frame_locked", True), "frame_locked"),
        (lambda array: array.markers[LINE].points.append(Point()), "3 points 4"),
        (lambda array: array.markers.__setitem__(BOX, marker(Marker.SPHERE, BOX)), "type 1 2"),
    ],
)
def test_a_mistake_from_one_array_to_the_next_is_found(change, fault):
    screen, array = display(moves=True), right()
    assert screen.take(copy.deepcopy(array)) == []
    change(array)
    complaints = screen.take(array)
    assert len(complaints) == 1 and naming(fault).search(complaints[0]), complaints


def test_what_is_deleted_is_gone_and_may_be_deleted_again():
    screen, array = display(), right()
    screen.take(copy.deepcopy(array))
    for _ in range(2):
        array.markers = [Marker(ns="test", id=BOX, action=Marker.DELETE)]
        assert screen.take(array) == [] and ("test", BOX) not in screen.shown
    assert (
        screen.take(MarkerArray(markers=[Marker(action=Marker.DELETEALL), right().markers[LINE]]))
        == []
    )
    assert set(screen.shown) == {("test", LINE)}
    other = Marker(ns="other", action=Marker.DELETEALL)
    assert screen.take(MarkerArray(markers=[other])) == [] and set(screen.shown) == {("test", LINE)}


@pytest.mark.parametrize(
    "change, fault",
    [
        ({"child_frame_id": "world"}, "names"),
        ({"child_frame_id": ""}, "names"),
        ({"x": math.nan}, "finite"),
        ({"w": 0.5}, "unit quaternion"),
    ],
)
def test_a_transform_that_tf2_refuses_is_found(change, fault):
    stamped, frames = transform("world", "jib"), Frames()
    if "child_frame_id" in change:
        stamped.child_frame_id = change["child_frame_id"]
    stamped.transform.translation.x = change.get("x", 0.0)
    stamped.transform.rotation.w = change.get("w", 1.0)
    (complaint,) = frames.take(TFMessage(transforms=[stamped]))
    assert naming(fault).search(complaint) and frames.problem("jib", 0.0)


def test_frames_that_stand_still_are_there_at_any_time():
    frames = Frames()
    frames.take(TFMessage(transforms=[transform("world", "base")]), static=True)
    assert frames.problem("base", 1234.0) == "" and "transform" in frames.problem("jib", 0.0)
    frames.take(TFMessage(transforms=[transform("loop", "jib"), transform("jib", "loop")]))
    assert "transform" in frames.problem("jib", 0.0)
