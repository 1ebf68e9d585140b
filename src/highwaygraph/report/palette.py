"""A colour per class: a set that stays apart for colour-blind readers, then hues as far from each other as they go."""

import colorsys

# Paul Tol's muted set, the palest left out, and ordered so that neighbours differ in lightness too.
FIRST = ["#4477aa", "#cc6677", "#117733", "#ddaa33", "#aa4499", "#44aa99", "#882255", "#88ccee", "#999933", "#777777"]
GOLDEN = 0.618034


def colours(count: int) -> list[str]:
    """Return that many colours."""
    return [*FIRST[:count], *(_hue(number) for number in range(count - len(FIRST)))]


def _hue(number: int) -> str:
    # Steps of the golden ratio never come near an earlier hue; lightness alternates for those who see no hue.
    red, green, blue = colorsys.hls_to_rgb((number * GOLDEN) % 1, (0.38, 0.52, 0.66)[number % 3], 0.55)
    return "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))
