"""An experiment as one self-contained web page: no script, no font, no picture from anywhere else."""
