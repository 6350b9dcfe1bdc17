"""Where the addresses of a discovery come from: lease files, Kea's control API, ranges that an operator names."""
