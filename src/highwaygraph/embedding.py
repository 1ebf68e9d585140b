"""Many dimensions in two, for people to look at."""

from torch import Tensor

from highwaygraph.extras import need


def embed(logits: Tensor) -> list[list[float]]:
    """Return the nodes' places in two dimensions (t-SNE, Figure 4)."""
    maker = need("sklearn.manifold", "t-SNE", "report").TSNE
    places = maker(init="pca", random_state=0).fit_transform(logits.numpy())
    return [[round(float(x), 2), round(float(y), 2)] for x, y in places]
