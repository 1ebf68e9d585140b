# Partial stubs: mypy checks the attributes of highwaygraph's Graph, which PyG's __getattr__ would make Any.
