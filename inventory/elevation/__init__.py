"""What stands in a rack, what is free, and pictures of it.

    spans.py   free boxes, open gaps and where something would fit; pure
    read.py    racks with all that is in them, in a fixed number of statements however many
    svg.py     a rack from front and rear, to print
    api.py     the route that offers places

Rooms above add what they know (the state of machines) to what read.py gives.
"""
