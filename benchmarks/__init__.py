"""What `./rackside bench` measures: each module of this folder with a `run(context) -> list[Row]` is one benchmark."""
