"""Self-contained HTML pages with inline style, scripts and data, and a policy that forbids everything else."""

import base64
import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from highwaygraph.errors import FailedError
from highwaygraph.runs.outputs import check_output
from highwaygraph.runtime.atomic import reason, write_atomic

ASSETS = Path(__file__).parent / "assets"


VIEWER = ASSETS / "viewer.js"


# Tables fold before they are filled.
SCRIPTS = (ASSETS / "fold.js", ASSETS / "page.js", ASSETS / "tooltip.js")


class PageFiles(NamedTuple):
    """The files of a kind of page beyond those of all pages."""

    folder: Path = ASSETS
    """Folder of the template, which may extend base.html."""
    scripts: tuple[Path, ...] = SCRIPTS
    """Scripts, which run before the viewer."""
    styles: tuple[Path, ...] = ()
    """Style sheets."""
    connects: bool = False
    """Whether scripts send requests to the server of the page."""


REPORT = PageFiles()


def render(
    template: str,
    values: dict[str, Any],
    documents: dict[str, Any],
    *,
    viewer: bool = False,
    files: PageFiles = REPORT,
) -> str:
    """Return a page; text from data is escaped by the template or by its JSON document.

    Args:
        template: File name of the template.
        values: Variables of the template.
        documents: Values that scripts read as JSON, by element id.
        viewer: Include the interactive viewer where it was built.
        files: Files of the page.

    Returns:
        The HTML text.
    """
    scripts = [_asset(path) for path in files.scripts]
    css = _asset(ASSETS / "page.css")
    if viewer and has_viewer():
        scripts.append(_asset(VIEWER))
        css += _asset(ASSETS / "viewer.css")
    css += "".join(_asset(path) for path in files.styles)
    # Undefined variables raise instead of leaving an empty place.
    environment = Environment(
        loader=FileSystemLoader([files.folder, ASSETS]), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template(template).render(
        values,
        css=Markup(css),
        scripts=[Markup(script) for script in scripts],
        documents={name: document(value) for name, value in documents.items()},
        policy=policy(scripts, connects=files.connects),
        version=version("highwaygraph"),
    )


def has_viewer() -> bool:
    """Return whether the viewer was built with the package."""
    return VIEWER.is_file()


def document(value: Any) -> Markup:
    """Return the value as JSON without any character that HTML could parse as markup."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def policy(scripts: list[str], *, connects: bool = False) -> str:
    """Return a content security policy that runs these scripts only and loads nothing but from the page's server."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    loads = "; connect-src 'self'" if connects else ""
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:{loads}"


def write(path: Path, text: str) -> Path:
    """Write the file atomically."""
    check_output(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text.encode())
    except OSError as error:
        raise FailedError(f"Cannot write {path}: {reason(error)}. Choose another file with --out.") from error
    return path


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _asset(path: Path) -> str:
    # An inline script or style ends at the first closing tag, even within a string.
    return path.read_text(encoding="utf-8").replace("</script", "<\\/script").replace("</style", "<\\/style")
