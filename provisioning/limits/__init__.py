"""What a site bears at once: machines of a rack, behind a switch, at a boot server; and how long a stage may take."""
