"""Before a run: configurations of MCP clients are imported, and a server is looked over without being called."""
