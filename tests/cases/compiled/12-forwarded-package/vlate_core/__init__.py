from vlate import known
