"""Version 1 of the contract: .proto files and the code generated from them by `make proto`."""
