"""One process, its files, its random numbers and its peers."""
