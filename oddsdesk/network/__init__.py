"""The one way out of the program (D64): HTTP and WebSocket, set up once for client and feeds."""
