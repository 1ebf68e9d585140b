"""What a person looks at: figures, one self-contained page, and the graph in it."""
