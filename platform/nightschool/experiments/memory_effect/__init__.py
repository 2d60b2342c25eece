"""Does memory help, and whom does it harm? Arms, protocol, leak checks and figures of that one experiment."""
