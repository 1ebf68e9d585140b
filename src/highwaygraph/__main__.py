"""`python -m highwaygraph` is `highway`."""

from highwaygraph.cli import main

if __name__ == "__main__":
    main()
