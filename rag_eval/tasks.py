"""What a generator is asked to write: one task is one piece of code at one version of a library."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class TaskKind(StrEnum):
    """What is to be written, and what is given."""

    TOKEN = "token"
    """One name, masked wherever it stands; all the rest is given."""
    LINE = "line"
    """One masked line; all the rest is given."""
    BLOCK = "block"
    """A whole snippet, by its description alone."""
    OLD_TO_NEW = "old-to-new"
    """Code of an older version is given; it is to be written for a newer one."""
    NEW_TO_OLD = "new-to-old"
    """The same, backwards."""
    GENERATION = "generation"
    """The start of a program and a problem are given; the rest is to be written for one version."""

    @property
    def is_editing(self) -> bool:
        """True where code of another version is given."""
        return self in (TaskKind.OLD_TO_NEW, TaskKind.NEW_TO_OLD)


MASKS = {TaskKind.TOKEN: ("<token_mask>", "<mask>"), TaskKind.LINE: ("<line_mask>", "<mask>")}
"""How the masks are written, by kind: the data of the first release, and of the later one."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task.  Texts are as the row has them; nothing is stripped."""

    id: str
    """Unique in its file."""
    kind: TaskKind
    library: str
    """As the row names it: a project or an import name."""
    version: str
    """The version to write for, as the row has it: `==2.0`, `>=1.9`, `2.x`, ..."""
    description: str
    given: str
    """The code that a generator is shown; empty where it is shown none."""
    reference: str
    """What is to be written."""
    answer: str
    """The name that has to occur in it.  Empty where a row of `GENERATION` names none."""
    answers: tuple[str, ...] = ()
    """All names that the row tells, `answer` among them."""
    code: str = ""
    """The whole program with the reference in its place."""
    mask: str | None = None
    """How the mask is written in `given`."""
    given_version: str | None = None
    """Of editing: the version of the code that is given, as the row has it."""
    given_answer: str | None = None
    """Of editing: the name that `answer` takes the place of."""
    time: str | None = None
    """`2019-04-09`, or `2021-06` where a row tells no day: when the code was written."""
    given_time: str | None = None
    """Of editing: the same for the code that is given."""
    source: str = "unknown"
    """Where the code comes from: stackoverflow, library_source_code, downstream_application, ..."""
    language: str = "python"
    change: str | None = None
    """What the row says about the change of the API: `add`, `name_change`, `argument change`, ..."""
    requires: tuple[str, ...] = ()
    """Further pins of the environment, as requirements."""
    python: str | None = None
    """Version of Python that the row asks for."""
    tests: tuple[str, ...] = ()
    """Sources of tests of the result, hidden ones first.  Nothing here runs them."""
    where: str = ""
    """File and 1-based line of the row."""

    def program(self, output: str) -> str:
        """The whole program with an output in its place.

        An output that repeats the start that it was given is taken as the whole.
        """
        if self.mask is not None:
            return self.given.replace(self.mask, output)
        if self.kind == TaskKind.GENERATION:
            start = self.given.strip().partition("\n")[0]
            return output if start and output.lstrip().startswith(start) else self.given + output
        return output

    @property
    def visible_in_code(self) -> bool:
        """Whether the answer stands as a word in the code that is given."""
        return contains_word(self.given, self.answer)

    @property
    def visible_in_description(self) -> bool:
        """Whether the answer stands as a word in the description."""
        return contains_word(self.description, self.answer)


def contains_word(text: str, name: str) -> bool:
    r"""Whether a name stands in a text with no further letter, digit or underscore beside it.

    >>> contains_word("df.append(x)", "append"), contains_word("df.appended", "append")
    (True, False)
    """
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
