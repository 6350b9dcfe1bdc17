"""`python -m fabric diagnose --plan PLAN --observed FILE`, as `manage.py fabric diagnose`."""

import sys

from fabric.from_files import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
