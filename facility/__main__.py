"""`python -m facility read HOST`, as `manage.py facility read`."""

import sys

from facility.from_agent import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
