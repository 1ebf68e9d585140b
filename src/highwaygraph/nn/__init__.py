"""The built-in networks, their kernels, and the inputs of any module."""
