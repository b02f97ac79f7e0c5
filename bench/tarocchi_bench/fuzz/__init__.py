"""Mutated requests on the request path of the service: whatever comes in, an answer or a refusal goes out."""
