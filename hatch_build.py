"""Bundles the graph viewer when the package is built or installed; where npm is missing it installs without."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ASSETS = Path("src/highwaygraph/report/assets")
BUNDLE = ("viewer.js", "viewer.css")
PATIENCE = 600


class ViewerHook(BuildHookInterface[Any]):
    """Makes viewer.js and viewer.css before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is missing or older than its sources."""
        root = Path(self.root)
        if not is_fresh(root):
            self._build(root)
        # Not in version control, so they have to be named to be packed.
        build_data["artifacts"] += [str(ASSETS / name) for name in BUNDLE]

    def _build(self, root: Path) -> None:
        npm = shutil.which("npm")
        if npm is None:
            self.app.display_warning("npm is not here: reports will show a still picture instead of the graph viewer.")
            return
        quiet = ["--no-audit", "--no-fund", "--silent"]
        try:
            for words in ([npm, "ci", *quiet], [npm, "run", "build", "--silent", "--", str((root / ASSETS).resolve())]):
                subprocess.run(words, cwd=root / "viewer", check=True, capture_output=True, timeout=PATIENCE)
        except (OSError, subprocess.SubprocessError) as error:
            # A picture instead of a viewer is better than no installation.
            self.app.display_warning(f"The graph viewer was not built ({error}): reports will show a still picture.")


def is_fresh(root: Path) -> bool:
    """Tell whether the bundle is there and no source is newer."""
    made = [root / ASSETS / name for name in BUNDLE]
    viewer = root / "viewer"
    sources = [viewer / "package-lock.json", viewer / "build.mjs", *(viewer / "src").glob("*")]
    return all(path.is_file() for path in made) and (
        min(path.stat().st_mtime for path in made) >= max((path.stat().st_mtime for path in sources), default=0)
    )
