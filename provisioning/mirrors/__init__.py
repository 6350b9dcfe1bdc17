"""Where the machines of a site fetch from: mirrors, registries and peers, watched from outside and from machines."""
