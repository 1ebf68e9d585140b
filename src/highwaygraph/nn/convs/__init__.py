"""Built-in networks, one class per file: PyG layers, prepared kernel and layer-wise inference."""
