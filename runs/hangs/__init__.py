"""Why a run hangs: flight recorder and stacks. Pure."""
