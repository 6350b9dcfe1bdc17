"""What each sub-command of ./rackside does, step by step."""
