"""Folders that belong to the package but lie beside it: in the source tree, with ROS or Python."""

import os
import sys
from pathlib import Path


def shared_folders(name: str) -> list[Path]:
    """Return the existing folders of that name in source tree, ROS prefixes, Python, in order."""
    prefixes = [
        *filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)),
        sys.prefix,
    ]
    source = Path(__file__).resolve().parents[1]
    folders = [source / name] if (source / "package.xml").is_file() else []
    folders += [Path(prefix) / "share" / "cable_sim" / name for prefix in prefixes]
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]
