from ._tools import Tool, make
