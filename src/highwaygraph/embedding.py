"""Many dimensions in two, for people to look at."""

from torch import Tensor

from highwaygraph.errors import ConfigError


def embed(logits: Tensor) -> list[list[float]]:
    """Return the nodes' places in two dimensions (t-SNE, Figure 4)."""
    try:
        from sklearn.manifold import TSNE
    except ImportError as error:
        raise ConfigError("t-SNE needs scikit-learn: pip install 'highwaygraph[report]'.") from error
    places = TSNE(init="pca", random_state=0).fit_transform(logits.numpy())
    return [[round(float(x), 2), round(float(y), 2)] for x, y in places]
