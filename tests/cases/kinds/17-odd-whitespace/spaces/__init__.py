"""Line ends and blanks that are legal, and rare."""
