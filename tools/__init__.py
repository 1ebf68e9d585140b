"""Scripts that build the embedded data, the figures and the generated pages."""
