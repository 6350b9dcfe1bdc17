"""Steps of runs and readings of their GPUs from a site's Prometheus, for what no launcher reports."""
