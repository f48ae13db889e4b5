from . import bare, state, opened, table, writer
