from .tools import Tool, make
