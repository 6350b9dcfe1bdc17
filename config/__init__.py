"""Settings, entry points and the embedded services of the one-command start."""

import gc

# Importing the service makes a million objects that stay. Python would look through all of them again after every 700
# new ones, which is a quarter of the two and a half seconds that each process takes to start.
gc.set_threshold(50_000, 10, 10)
