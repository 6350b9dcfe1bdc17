"""What the tools on a machine print: one module per tool, each a pure function of a Machine and the time."""
