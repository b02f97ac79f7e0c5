"""The gRPC service: conversions between contract and engine, errors, the two servicers and the server."""
