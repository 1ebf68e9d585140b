"""A local page to label nodes in, with suggestions and a model that is retrained in the background."""
