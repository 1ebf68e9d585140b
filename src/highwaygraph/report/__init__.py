"""Report pages: figures and an interactive graph in one self-contained HTML file."""
