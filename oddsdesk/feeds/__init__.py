"""Where quotes come from: files, other people's formats, replay, the simulator."""
