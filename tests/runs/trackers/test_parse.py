import sys
from importlib.util import find_spec

import pytest

from highwaygraph.errors import ConfigError
from highwaygraph.runs.trackers.parse import make_trackers
from tests.helpers.tracked import Recorder


def test_objects_stay_as_they_are() -> None:
    tracker = Recorder()
    assert make_trackers([tracker]) == (tracker,)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["tensorbord:x"], "There is no tracker 'tensorbord'. Did you mean 'tensorboard'?"),
        (["x"], "There is no tracker 'x'. Known: mlflow, tensorboard, wandb."),
        ("wandb", r"trackers is a list: write trackers=\['wandb'\]."),
        ([object()], "is no tracker: give an object with on_start"),
        ([Recorder], "is no tracker: give an object with on_start"),
    ],
)
def test_others_are_refused(given, sentence) -> None:
    with pytest.raises(ConfigError, match=sentence):
        make_trackers(given)


@pytest.mark.parametrize("name", ["tensorboard", "mlflow", "wandb"])
def test_a_missing_package_is_named_with_its_extra(name, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=rf"needs {name}: pip install 'highwaygraph\[{name}\]'"):
        make_trackers([name])


@pytest.mark.skipif(find_spec("tensorboard") is None, reason="tensorboard is not installed")
def test_the_part_after_the_colon_is_the_place() -> None:
    (given,), (default,) = make_trackers(["tensorboard:a/b"]), make_trackers(["tensorboard"])
    assert (str(given.folder), str(default.folder)) == ("a/b", "runs/tensorboard")
