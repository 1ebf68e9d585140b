"""What builds the embedded data, the figures and the generated pages."""
