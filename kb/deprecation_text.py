"""What an English text about a deprecation says: since when, until when, what instead, and about what.

Every function takes one message, at most `LONGEST` characters of which are read, and never fails.
The patterns are linear in its length: each repetition is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from keyword import iskeyword

LONGEST = 1000
"""Characters of a message that are read."""

_VERSION = r"v?(\d+(?:\.\d+)+(?:\.?(?:dev|rc|a|b|post)\d*)?)"
_MAJOR = r"(?:version|release|v)\.?\s?(\d+)(?![\w.]*\d)"
_SINCE = re.compile(
    r"\b(?:deprecated|since|as of)(?:\s+(?!remov|drop|will|delet|and\b)[\w`'.]+){0,5}?\s+[`'\"]{0,2}"
    rf"(?:{_VERSION}|{_MAJOR})",
    re.IGNORECASE,
)
_REMOVAL = re.compile(
    rf"\b(?:remov\w+|dropped|deleted|disappear|error|raise)\b[^.]{{0,60}}?\s(?:{_VERSION}|{_MAJOR})",
    re.IGNORECASE,
)
_URL = re.compile(r"<?\bhttps?://[^\s>]{1,300}>?")

# A name as texts write it: in quotes, as a role, called, subscripted, or bare.
_ROLE = r"(?::(?:[a-z]+:)?[a-z]+:)?"
_OPEN, _CLOSE = r"[`'\"*]{0,2}[~!]?", r"[`'\"*]{0,2}"
_NAME = (
    rf"(?P<mark>{_ROLE}{_OPEN})(?P<name>\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){{0,12}})"
    rf"(?P<call>(?:\([^()]{{0,80}}\)|\[[^\[\]]{{0,80}}\])?){_CLOSE}"
)
_FILLERS = (
    r"(?:(?:the|an?|newer|new|equivalent|corresponding|appropriate|simply|either|directly|instead|one of|more"
    r"|general|functions?|methods?|class|module|package|property|attribute|parameter|argument|keyword|option"
    r"|decorator|built-in|builtin|standard|library|python's|calls? to|calling|e\.g\.)\s+){0,6}"
)
_GAP = r"(?:(?!deprecat|remov)[^.;]|\.(?=\w)){0,80}?"
_PHRASES = (
    # From phrases that can only mean a replacement to weaker ones; the first that finds a name wins.
    # A phrase is tried where its word occurs.
    ("instead of", r"\binstead of\s+[^,;.]{1,90},\s*(?:please\s+)?use\s+" rf"{_FILLERS}{_NAME}"),
    ("import", rf"\bimport(?:ed)?\s+(?:it\s+|this\s+|them\s+)?from\s+{_FILLERS}{_NAME}"),
    ("use", rf"\buse\s+{_FILLERS}{_NAME}{_GAP}\s(?:instead\b(?!\s+of)"
            r"|as (?:a |an )?(?:replacement|alternative)|in (?:its|their) (?:place|stead))"),
    ("instead", r"\binstead,?\s+(?:please\s+|you (?:can|should)\s+)?(?:use|call|import|try)\s+"
                rf"{_FILLERS}{_NAME}"),
    ("in favo", rf"\bin\s+favou?r\s+of\s+(?:using\s+)?{_FILLERS}{_NAME}"),
    ("ed ", rf"\b(?:replaced|superseded|succeeded|obsoleted)\s+(?:by|with)\s+{_FILLERS}{_NAME}"),
    ("ed ", rf"\b(?:renamed|moved|relocated|migrated)(?:\s+from\s+\S{{1,80}})?\s+(?:to|into|as|under)"
            rf"\s*{_FILLERS}{_NAME}"),
    ("renamed", rf"\brenamed:?\s+{_NAME}"),
    ("is now", r"\bis\s+now\s+(?:called|named|known as|available (?:as|in|from|at)|in|an alias of)"
               rf"\s+{_FILLERS}{_NAME}"),
    ("instead", r"\b(?:call|prefer|set|pass|specify|filter using|import|see|see also|try)\s+"
                rf"{_FILLERS}{_NAME}(?:\s+\w+){{0,2}}\s+instead\b(?!\s+of)"),
    ("replace", rf"\breplace(?:ment)?s?(?:\s+(?:it|this|them))?\s*(?:with|by|is|:)\s+{_FILLERS}{_NAME}"),
    ("alternative", rf"\balternatives?\s*(?:is|:)\s+{_FILLERS}{_NAME}"),
    ("alias", rf"\balias\s+(?:of|for)\s+{_FILLERS}{_NAME}"),
    ("be used", rf"{_NAME}\s+(?:(?:argument|parameter|keyword|option|function|method|class|module)\s+)?"
                r"(?:should|can|must|may|is to)\s+be\s+used\b"),
    (" to ", r"\b(?:switch|migrate|upgrade|change|convert|move)(?:\s+\w+){0,3}?\s+to\s+"
             rf"(?:us(?:e|ing)\s+)?{_FILLERS}{_NAME}"),
    ("use", r"(?:^|[.;:,!)\]]\s*|\b(?:please|and|or|should|just|can|must|rather|to)\s+)use\s+"
            rf"{_FILLERS}{_NAME}"),
    ("using", rf"\b(?:consider|recommend|suggest|try|by|through|via)\s+using\s+{_FILLERS}{_NAME}"),
)  # fmt: skip
_IMPORT_FROM = re.compile(
    rf"\b(?:import|use)\s+{_FILLERS}{_NAME}\s+from\s+{_FILLERS}"
    r"[`'\"]{0,2}(?P<module>[A-Za-z_][\w.]{0,120}\w)",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"(?:\bnot|n't|\blonger|\bnever|\bavoid|\b(?:if|when|where) you)\s+(?:\w+\s+)?$", re.IGNORECASE
)
_NO_WORD = re.compile(
    r"the|an?|its?|this|that|these|those|them|they|from|instead|of|in|on|to|at|as|and|or|is|are|be|been|will|with"
    r"|by|for|keywords?|kwargs|args|arguments?|parameters?|options?|versions?|python|cls|use|using|used|code"
    r"|functions?|methods?|class|classes|modules?|packages?|attributes?|property|defaults?|other|another|something"
    r"|anything|both|either|one|two|new|newer|latest|more|better|explicit|explicitly|directly|positional|values?"
    r"|strings?|types?|names?|same|future|releases?|your|our|their|any|all|each|every|only|also|not|public|private"
    r"|deprecated|deprecation|removed|warnings?|documentation|docs|apis?|https?",
    re.IGNORECASE,
)
"""Words that no text means as a name unless it marks them as code."""
_NO_NAMES = frozenset(("none", "true", "false", "self"))
_PLAIN_END = re.compile(r"\s*(?:$|[.,;:)\]]|instead\b|with\b|and\b|or\b|in\s|for\s|from\s)")
_OR_CODE = re.compile(rf"\s+or\s+{_FILLERS}{_NAME}", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(?:an?|more|its)\s+$", re.IGNORECASE)


@cache
def _compiled(phrase: str) -> re.Pattern[str]:
    """A phrase as a pattern: to compile all of them takes as long as to import a dozen modules."""
    return re.compile(phrase, re.IGNORECASE)


def compile_phrases() -> None:
    """Compile all of them now: for a process that others are forked from."""
    for _, phrase in _PHRASES:
        _compiled(phrase)


@lru_cache(maxsize=4096)
def replacement_in(message: str | None, own: str | None = None) -> str | None:
    """The name that a message tells to use, None where it names none.  `own` is what is deprecated itself.

    >>> replacement_in("Use of `a.b` is deprecated, use `c.d` instead."), replacement_in("Do not use `x`.")
    ('c.d', None)
    """
    text = _URL.sub(" ", " ".join((message or "")[:LONGEST].split()))
    lowered = text.lower()
    imported = _IMPORT_FROM.search(text) if " from " in lowered else None
    if imported and ("." in imported["module"] or imported.group().lower().startswith("import")):
        return f"{imported['module']}.{imported['name'].lstrip('.')}"
    for word, phrase in _PHRASES:
        for found in _compiled(phrase).finditer(text) if word in lowered else ():
            name = found["name"].lstrip(".")
            if name != own and _is_name(found, text) and not _REFUSED.search(text[: found.start()]):
                return _clearer(text[found.end() :]) or name if name.islower() and name.isalpha() else name
    return None


def _clearer(after: str) -> str | None:
    """The second of "operator or tf.math.divide", where the first may be a word of the sentence."""
    found = _OR_CODE.match(after)
    return found["name"].lstrip(".") if found and "." in found["name"].strip(".") else None


def _is_name(found: re.Match[str], text: str) -> bool:
    """Whether what a phrase found is written as code, or at least is no word of the sentence."""
    name, after = found["name"].lstrip("."), text[found.end("call") :]
    if name.lower() in _NO_NAMES or iskeyword(name):
        return False
    if any(mark in found["mark"] for mark in "`'\"*:"):
        # `a + b` is no name; a quote that is never closed does no harm.
        return not after.startswith(" ") or after.startswith(" instead")
    code = "." in found["name"] or "_" in name or re.search(r"[a-z][A-Z]|[A-Z]{2}[a-z]", name)
    if code or ((found["call"] or after.startswith("=")) and len(name) > 1):
        return True
    lonely = len(name) < 2 and not after.startswith(" instead")
    if lonely or _NO_WORD.fullmatch(name) or _ARTICLE.search(text[: found.start("mark")]):
        return False
    return bool(_PLAIN_END.match(after))


def name_in(text: str) -> str | None:
    """The name that the text of an `alternative=` opens with, or tells to use; the text where none is."""
    short = text[:LONGEST].strip()
    found = re.match(rf"(?:the\s+)?{_NAME}", short)
    if found and (_is_name(found, short) or found.end() == len(short)):
        return found["name"].lstrip(".")
    return replacement_in(short) or (short[:100] or None)


def since_in(text: str) -> str | None:
    """The version since which a text says that something is deprecated."""
    found = _SINCE.search(text[:LONGEST])
    return (found.group(1) or found.group(2)) if found else None


def removal_in(text: str) -> str | None:
    """The version in which a text announces the removal."""
    found = _REMOVAL.search(text[:LONGEST])
    return (found.group(1) or found.group(2)) if found else None


# ---- what a text is about

_ENDING = re.compile(
    r"\b(?:is|are|was|were|has been|have been|had been|will be|to be|being|gets?|becomes?|got)\s+"
    r"(?:\w+\s+){0,2}?(?:deprecated|removed|renamed|replaced|obsolete|superseded|moved|discontinued|dropped|pending)"
    r"|\b(?:deprecated|removed|renamed|obsolete)\b",
    re.IGNORECASE,
)
_SPEAKS_OF_AN_END = re.compile(
    r"deprecat|\bremov|renamed|obsolete|superseded|no longer (?:be )?(?:supported|maintained|available)"
    r"|discontinued|has been moved|was moved|is moved|will go away|will disappear",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[`'\"*]{1,2}[~!]?([^\s`'\"*]{1,120}(?:\([^()`]{0,80}\))?)[`'\"*]{1,2}")
_BARE = re.compile(
    r"(?<![\w.`'\"{])((?:[A-Za-z_]\w*\.)+\w+|[A-Za-z]\w*_\w*|[A-Za-z_]\w*(?=\(\))|[A-Z][a-z]+[A-Z]\w*)"
)
_OF_SOMETHING_ELSE = re.compile(
    r"\b(?:argument|parameter|keyword|kwarg|option|flag|support|default|behaviou?r|pass|passing|calling|setting"
    r"|specifying|providing|value|python \d|positional|return|returning|import|importing|input|dtype|format"
    r"|string|key|field|feature)s?\b",
    re.IGNORECASE,
)
_PARAMETER_WORD = re.compile(r"\b(?:argument|parameter|keyword|kwarg|option|flag|param)s?\b", re.IGNORECASE)


_CONSTRUCTORS = {"__init__", "__new__", "__post_init__"}
"""What these warn of is about their class."""


def speaks_of_an_end(text: str) -> bool:
    """Whether a text says that something is on its way out; a change of behaviour does not."""
    return bool(_SPEAKS_OF_AN_END.search(text[:LONGEST]))


def subject_of(text: str) -> str:
    """The part of a text before it says what becomes of its subject."""
    short = _URL.sub(" ", text[:LONGEST])
    found = _ENDING.search(short)
    return short[: found.start()] if found else short


def names_in(text: str) -> Iterator[str]:
    """Names that a text writes as code, without what they are called with."""
    for pattern in (_QUOTED, _BARE):
        for found in pattern.finditer(text):
            yield found.group(1).partition("(")[0].rstrip(".,:;").lstrip("~!.")


def concerns(text: str, own: Collection[str]) -> bool:
    """Whether a text about an end is about the definition that it stands in, one of whose names is `own`.

    It is where its subject names one of them, or names nothing and speaks of no part or
    use of something ("passing a list is deprecated").
    """
    subject = subject_of(text)
    named = [name.rpartition(".")[2] for name in names_in(subject)]
    if "{...}" in subject:  # a computed part, most often the name of the function
        return not _PARAMETER_WORD.search(subject)
    if _PARAMETER_WORD.search(subject):
        return False
    words = set(re.findall(r"\w+", subject))
    if words & set(own) or any(name in own for name in named):
        return True
    if any(name.endswith("_") and mine.startswith(name) for name in named for mine in own):
        return True  # "find_element_by_* commands are deprecated"
    if _CONSTRUCTORS & set(own) and (any(name[:1].isupper() for name in named) or "class" in words):
        return True
    return not named and not _OF_SOMETHING_ELSE.search(subject)


def parameter_in(text: str, parameters: Collection[str]) -> str | None:
    """The parameter that a text says is on its way out, None for none or for the whole."""
    subject = subject_of(text)
    for name in names_in(subject):
        if name in parameters:
            return name
    if _PARAMETER_WORD.search(subject):
        return next((word for word in re.findall(r"\w+", subject) if word in parameters), None)
    return None
