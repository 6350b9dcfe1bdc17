"""Why a run is slow: the shape of its curve, what changed then, who stands out, and what differs from a good run."""
