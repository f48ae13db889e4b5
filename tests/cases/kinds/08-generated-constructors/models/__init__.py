"""Classes whose constructor is made by code that is not followed: nothing may be said to be missing."""

from typing import dataclass_transform

from foreign_models import BaseModel, register

from .machinery import Meta, Model, annotate, model


class User(Model):
    name: str
    age: int = 3


class Child(User):
    nick: str = ""


class ByMeta(metaclass=Meta):
    name: str


@model
class Decorated:
    name: str
    age: int = 1


class Foreign(BaseModel):
    name: str


@register
class ByForeignDecorator:
    name: str


class OwnInit(Model):
    name: str

    def __init__(self, only):
        self.only = only


@annotate
class Plain:
    """A near miss: a decorator that gives the class back, and a class without fields."""

    LIMIT = 3

    def method(self, a):
        return a
