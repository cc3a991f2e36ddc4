"""Tables that leave the desk: to files and to the clipboard, safe in a spreadsheet."""
