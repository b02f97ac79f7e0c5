"""What the solver costs and whether a change kept its play: signature, start, threads, memory, peers, comparisons."""
