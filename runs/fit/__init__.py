"""Whether a set of machines is fit to start a training run, and who stands in for those that are not."""
