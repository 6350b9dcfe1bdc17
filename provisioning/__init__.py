"""From bare metal to a checked machine: runs, their steps, and the engines that carry them out."""
