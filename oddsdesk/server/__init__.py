"""The service: ASGI app, access, stream hub, valuation, and the thread that runs it in the desk."""
