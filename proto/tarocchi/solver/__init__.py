"""The gRPC contract of the solver; `tarocchi` itself is a namespace that others may share."""
