"""Benchmarks of speed, memory and scaling, compared with the plain PyG loop that a user would write."""
