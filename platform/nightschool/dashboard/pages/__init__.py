"""One module per page; each has ``show``, which draws it. What is shown is made elsewhere."""
