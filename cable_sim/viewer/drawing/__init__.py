"""Drawing of a frame on the page."""
