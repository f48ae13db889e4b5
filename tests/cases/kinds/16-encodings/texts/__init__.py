"""Sources in the encodings and with the white space that real archives hold."""
