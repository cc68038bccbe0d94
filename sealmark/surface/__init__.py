"""What a server offers, what its tools are taken for, and arguments that their schemas accept. Pure and bounded."""
