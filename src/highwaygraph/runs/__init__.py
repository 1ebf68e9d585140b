"""A finished run: its result, its folder, its predictions and exports."""
