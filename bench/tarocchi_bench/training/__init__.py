"""What is fitted to self-play: every figure that ships with the solver can be made again by a command of `train`."""
