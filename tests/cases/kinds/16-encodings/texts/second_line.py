#!/usr/bin/python
# vim: set fileencoding=cp1252 :
PRICE = "€ 5"

def euro(x):
    return x
