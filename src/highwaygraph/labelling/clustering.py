"""k-means around fixed centres, and medoids: representative points beside those that are labelled already."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

# Distances that are computed at once, which bounds memory.
CHUNK_ENTRIES = 2**24


# Points that centres are fitted to; beyond, a random sample of so many, at least SAMPLED_PER_CENTRE for each centre.
SAMPLED_POINTS, SAMPLED_PER_CENTRE = 2**15, 16


# Centres are fitted so many at once; the next ones are fitted beside these.
BATCH_CENTRES = 256


# Starts of which the best is taken, and most iterations from each.
STARTS, ITERATIONS = 3, 20


def squared_distances(points: Float[Tensor, "n d"], centres: Float[Tensor, "k d"]) -> Float[Tensor, "n k"]:
    """Return the squared Euclidean distances of points to centres."""
    square = points.square().sum(dim=1)[:, None] + centres.square().sum(dim=1)
    return square.addmm_(points, centres.T, alpha=-2).clamp_(min=0)


def nearest(points: Float[Tensor, "n d"], centres: Float[Tensor, "k d"]) -> tuple[Float[Tensor, "n"], Int[Tensor, "n"]]:
    """Return the squared distance to the nearest centre and its number, infinity and -1 without centres."""
    if not len(centres):
        return points.new_full((len(points),), torch.inf), torch.full((len(points),), -1)
    chunks = points.split(max(CHUNK_ENTRIES // len(centres), 1))
    found = [squared_distances(chunk, centres).min(dim=1) for chunk in chunks]
    return torch.cat([one.values for one in found]), torch.cat([one.indices for one in found])


def fit_centres(points: Float[Tensor, "n d"], count: int, generator: torch.Generator) -> Float[Tensor, "k d"]:
    """Return k-means centres of the points, or of a sample of them.

    Args:
        points: All points.
        count: Number of centres.
        generator: Draws the sample and the starts.
    """
    sample = points[sample_points(len(points), SAMPLED_PER_CENTRE * count, generator)]
    return _fit(sample, torch.ones(len(sample)), count, sample.new_full((len(sample),), torch.inf), generator)


def medoids(
    points: Float[Tensor, "n d"],
    count: int,
    fixed: Int[Tensor, "l"],
    allowed: Bool[Tensor, "n"],
    generator: torch.Generator,
    *,
    weights: Float[Tensor, "n"] | None = None,
) -> Int[Tensor, "k"]:
    """Return points that represent those far from the fixed ones: the allowed points nearest to k-means centres.

    Args:
        points: All points.
        count: Number of medoids, at most the number of allowed points.
        fixed: Points that are centres already, such as labelled nodes.
        allowed: Points that may be chosen.
        generator: Draws samples and starts.
        weights: Weight of every point, 1 unless given.

    Returns:
        The medoids, in order of their clusters' weights within batches of BATCH_CENTRES.
    """
    weights = torch.ones(len(points)) if weights is None else weights
    free, found = allowed.clone(), fixed
    for start in range(0, count, BATCH_CENTRES):
        size = min(BATCH_CENTRES, count - start)
        sample = sample_points(len(points), SAMPLED_PER_CENTRE * size, generator)
        some, mass = points[sample], weights[sample]
        base = nearest(some, points[found])[0]
        centres = _fit(some, mass, size, base, generator)
        order = _sums(_owners(some, centres, base), mass, size).argsort(descending=True, stable=True)
        found = torch.cat([found, _closest_free(points, centres[order], free)])
    return found[len(fixed) :]


def sample_points(count: int, least: int, generator: torch.Generator) -> Int[Tensor, "m"]:
    """Return all points in order, or a random sample where there are more than SAMPLED_POINTS and than `least`."""
    size = max(SAMPLED_POINTS, least)
    return torch.arange(count) if count <= size else torch.randperm(count, generator=generator)[:size].sort().values


def _fit(points: Tensor, weights: Tensor, count: int, base: Tensor, generator: torch.Generator) -> Float[Tensor, "k d"]:
    """Return the best centres of several starts: those of the least weighted sum of squared distances."""
    starts = [_iterate(points, weights, _seed(points, weights, count, base, generator), base) for _ in range(STARTS)]
    costs = [float((weights * torch.minimum(nearest(points, one)[0], base)).sum()) for one in starts]
    return starts[costs.index(min(costs))]


def _seed(
    points: Tensor, weights: Tensor, count: int, base: Tensor, generator: torch.Generator
) -> Float[Tensor, "k d"]:
    """Return centres by greedy k-means++ (Arthur and Vassilvitskii, 2007): the best of a few draws by cost, each."""
    draws, distance, centres = 2 + count.bit_length(), base, []
    for _ in range(count):
        tried = _draw(weights if bool(distance.isinf().any()) else weights * distance, draws, generator)
        reduced = torch.minimum(squared_distances(points, points[tried]), distance[:, None])
        best = int((weights @ reduced).argmin())
        centres.append(points[tried[best]])
        distance = reduced[:, best]
    return torch.stack(centres)


def _draw(mass: Tensor, count: int, generator: torch.Generator) -> Int[Tensor, "c"]:
    """Return points drawn in proportion to these numbers, uniformly where all are 0."""
    total = mass.double().cumsum(0)
    if not float(total[-1]) > 0:
        return torch.randint(len(mass), (count,), generator=generator)
    drawn = torch.rand(count, generator=generator, dtype=torch.double) * total[-1]
    return torch.searchsorted(total, drawn, right=True).clamp_(max=len(mass) - 1)


def _iterate(points: Tensor, weights: Tensor, centres: Tensor, base: Tensor) -> Float[Tensor, "k d"]:
    """Return the centres after Lloyd's iterations; points nearer to a fixed centre move none."""
    owner = torch.full((len(points),), -1)
    for _ in range(ITERATIONS):
        new = _owners(points, centres, base)
        if torch.equal(new, owner):
            break
        owner, mine = new, new >= 0
        mass = _sums(owner, weights, len(centres))
        total = torch.zeros_like(centres).index_add_(0, owner[mine], weights[mine, None] * points[mine])
        centres = torch.where(mass[:, None] > 0, total / mass.clamp(min=1e-30)[:, None], centres)
    return centres


def _owners(points: Tensor, centres: Tensor, base: Tensor) -> Int[Tensor, "n"]:
    distance, owner = nearest(points, centres)
    return torch.where(distance < base, owner, -1)


def _sums(owner: Tensor, values: Tensor, count: int) -> Float[Tensor, "k"]:
    """Return the sum of the values of every cluster; points of none, which have owner -1, are left out."""
    mine = owner >= 0
    return torch.zeros(count).index_add_(0, owner[mine], values[mine])


def _closest_free(points: Tensor, centres: Tensor, free: Tensor) -> Int[Tensor, "k"]:
    """Return the nearest free point of every centre in turn, and mark it as taken."""
    chosen = []
    for centre in centres:
        distance = squared_distances(points, centre[None]).flatten()
        chosen.append(int(torch.where(free, distance, torch.inf).argmin()))
        free[chosen[-1]] = False
    return torch.tensor(chosen)
